// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * query PID [FAMILY]: print what a process has used and waited for so far, a line for each
 * value that can be relied on
 *
 *	cc query.c $(pkg-config --cflags --libs libtaskacct) -o query
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <taskacct.h>

static void print_value(const struct taskacct_extended *record, unsigned int member)
{
	const struct taskacct_member_info *info = taskacct_member_info(member);

	if (info->unit == TASKACCT_UNIT_TEXT)
		printf("%s %s\n", info->name, record->r.comm);
	else if (taskacct_validity(record, member) == TASKACCT_VALID)
		printf("%s %" PRIu64 "\n", info->name, taskacct_value(record, member));
}

static void print_answer(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	unsigned int member;

	if (taskacct_decode_message(&message, event->nlh) || !message.n_records)
		return;
	for (member = 0; member < TASKACCT_MEMBERS; member++)
		print_value(&message.records[0], member);
	*(int *)arg += 1;
}

static int ask(struct taskacct *ta, uint32_t pid)
{
	int answers = 0;
	int err = taskacct_ask(ta, TASKACCT_TGID, pid, TASKACCT_WANT_RECORD, print_answer,
			       &answers);

	if (!err && !answers)
		fprintf(stderr, "query: no record in the answer\n");
	return err ? err : answers - 1;
}

int main(int argc, char **argv)
{
	struct taskacct *ta;
	int err;

	if (argc < 2) {
		fprintf(stderr, "usage: query PID [FAMILY]\n");
		return 1;
	}
	err = taskacct_open(&ta, argc > 2 ? argv[2] : TASKACCT_GENL_NAME);
	if (!err)
		err = ask(ta, (uint32_t)strtoul(argv[1], NULL, 10));
	if (err)
		fprintf(stderr, "query: %s\n", ta ? taskacct_error(ta) : taskacct_strerror(err));
	taskacct_close(ta);
	return err ? 2 : 0;
}
