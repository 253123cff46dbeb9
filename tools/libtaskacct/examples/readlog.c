// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * readlog FILE: print a line for each record of a log, with its pid, user, exit status as of
 * wait(2), CPU time in ns and command; and what was lost
 *
 *	cc readlog.c $(pkg-config --cflags --libs libtaskacct-log) -o readlog
 */
#include <inttypes.h>
#include <stdio.h>

#include <taskacct_log.h>

static void print_message(const struct taskacct_event *event)
{
	struct taskacct_message message;
	const struct taskacct_record *r;
	int i;

	if (taskacct_decode_message(&message, event->nlh))
		return;
	for (i = 0; i < message.n_records; i++) {
		r = &message.records[i].r;
		printf("%u %u %u %" PRIu64 " %s\n", (unsigned int)r->pid, (unsigned int)r->uid,
		       (unsigned int)r->exit_code, (uint64_t)(r->utime + r->stime), r->comm);
	}
}

static void print_event(const struct taskacct_event *event)
{
	struct taskacct_gap gap;

	if (event->type == TASKACCT_EVENT_RECORDS)
		print_message(event);
	else if (!taskacct_decode_gap(&gap, event->nlh))
		printf("lost %" PRIu64 "\n", gap.queue + gap.memory);
}

int main(int argc, char **argv)
{
	struct taskacct_reader *reader;
	struct taskacct_event event;
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: readlog FILE\n");
		return 1;
	}
	err = taskacct_reader_open(&reader, argv[1]);
	if (!err)
		while ((err = taskacct_reader_next(reader, &event)) > 0)
			print_event(&event);
	if (err)
		fprintf(stderr, "readlog: %s\n",
			reader ? taskacct_reader_error(reader) : taskacct_strerror(err));
	taskacct_reader_close(reader);
	return err ? 2 : 0;
}
