// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exits [COUNT [FAMILY]]: print a line for each process that ends, with its pid, user, exit
 * status as of wait(2), CPU time in ns and command; and what was lost
 *
 *	cc exits.c $(pkg-config --cflags --libs libtaskacct) -o exits
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <taskacct.h>

static void print_record(const struct taskacct_record *r)
{
	printf("%u %u %u %" PRIu64 " %s\n", (unsigned int)r->pid, (unsigned int)r->uid,
	       (unsigned int)r->exit_code, (uint64_t)(r->utime + r->stime), r->comm);
}

static void print_gap(const struct taskacct_event *event)
{
	struct taskacct_gap gap;

	if (!taskacct_decode_gap(&gap, event->nlh))
		printf("lost %" PRIu64 "\n", gap.queue + gap.memory);
}

/* Takes a message; arg counts down how many are still to be printed. */
static void take(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	long *left = arg;
	int i;

	if (event->type == TASKACCT_EVENT_GAP) {
		print_gap(event);
		return;
	}
	if (taskacct_decode_message(&message, event->nlh))
		return;
	for (i = 0; i < message.n_records && *left; i++)
		if (message.records[i].r.kind == TASKACCT_KIND_PROCESS) {
			print_record(&message.records[i].r);
			*left -= 1;
		}
	fflush(stdout);
}

static int listen_for(struct taskacct *ta, long *left)
{
	const struct taskacct_filter filter = {
		.has = 1U << TASKACCT_FILTER_ATTR_KINDS,
		.kinds = TASKACCT_KIND_PROCESS,
	};
	struct pollfd pfd = { .fd = taskacct_fd(ta), .events = POLLIN };
	char *cpus = taskacct_possible_cpus();
	int err;

	if (!cpus)
		return -errno;
	taskacct_set_handler(ta, take, left);
	err = taskacct_subscribe(ta, cpus, TASKACCT_WANT_RECORD | TASKACCT_WANT_STREAM,
				 &filter, NULL);
	free(cpus);
	while (*left && err >= 0) {
		if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
			return -errno;
		err = taskacct_receive(ta);
		/* How many were lost is reported by a gap. */
		if (err == -ENOBUFS)
			err = 0;
	}
	return err;
}

int main(int argc, char **argv)
{
	long left = argc > 1 ? strtol(argv[1], NULL, 10) : -1;
	struct taskacct *ta;
	int err;

	err = taskacct_open(&ta, argc > 2 ? argv[2] : TASKACCT_GENL_NAME);
	if (!err)
		err = listen_for(ta, &left);
	if (err < 0)
		fprintf(stderr, "exits: %s\n", ta ? taskacct_error(ta) : taskacct_strerror(err));
	taskacct_close(ta);
	return err < 0 ? 2 : 0;
}
