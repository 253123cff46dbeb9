// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do the books close? What tasks used against what others have booked
 *
 * One listener hears all exits. All tasks are asked at the beginning of the interval
 * and at its end, and before and after each time the books are read. Everything is
 * done by one thread, which empties the listener's queue meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/message.h"
#include "live/live.h"
#include "stop.h"
#include "watch.h"

/* Holds 10,000 exits, and is emptied so often, and after so many answers */
#define RCVBUF (24 * 1024 * 1024)
#define PAUSE_NS 50000000
#define ANSWERS 64

/* Who has exited and is not at its end has that long to come to it. */
#define GRACE_NS 20000000

/* So often all tasks are asked at the end. */
#define LOOKS 5

struct audit {
	struct audit_report report;
	struct audit_sum sum;
	struct taskacct *ta;
	struct taskacct *listener;
	char *cpus;
	struct audit_books books;
	struct audit_tasks_seen seen;
	struct audit_tasks *asked;
	struct audit_tasks processes;
	unsigned int answers;
	uint64_t damaged;
	uint64_t lost;
	uint64_t early;
	bool met_other;
	bool partial;
	int err;
};

static void take_record(struct audit *audit,
			const struct taskacct_message *message,
			const struct taskacct_extended *record)
{
	const struct taskacct_record *r = &record->r;

	audit->early += !!(r->flags & TASKACCT_RECORD_EARLY);
	audit->met_other |= !audit_books_cgroup(&audit->books, r->cgroup);
	if (r->kind == TASKACCT_KIND_TASK)
		audit_tasks_add(&audit->seen.ended, record);
	/* A process that only ever had one thread is that thread. */
	if (r->kind == TASKACCT_KIND_PROCESS ?
		    /* Who began to listen just then hears of a thread instead. */
		    r->init_pid == r->init_tgid :
		    message->n_records == 1 &&
			    (r->flags & TASKACCT_RECORD_LAST))
		audit_tasks_add(&audit->processes, record);
}

static void take_exit(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	struct audit *audit = arg;
	int i;

	if (event->type != TASKACCT_EVENT_RECORDS)
		return;
	if (taskacct_decode_message(&message, event->nlh)) {
		audit->damaged++;
		return;
	}
	for (i = 0; i < message.n_records; i++)
		take_record(audit, &message, &message.records[i]);
}

/* What waits; what is lost is asked for in the end. */
static void listen_on(struct audit *audit)
{
	int n;

	do {
		n = taskacct_receive(audit->listener);
	} while (n > 0 || n == -ENOBUFS);
	if (n < 0 && !audit->err)
		audit->err = n;
}

static void take_answer(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	struct audit *audit = arg;
	int i;

	if (taskacct_decode_message(&message, event->nlh)) {
		audit->damaged++;
		return;
	}
	for (i = 0; i < message.n_records; i++) {
		audit->partial |= !message.records[i].r.init_pid;
		audit_tasks_add(audit->asked, &message.records[i]);
	}
	if (!(++audit->answers % ANSWERS))
		listen_on(audit);
}

static int ask_all(struct audit *audit, struct audit_tasks *tasks)
{
	bool changed;
	int err;

	audit->asked = tasks;
	err = taskacct_dump(audit->ta,
			    TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE, NULL,
			    take_answer, audit, &changed);
	if (err)
		live_say(err, taskacct_error(audit->ta));
	return err;
}

static int read_books(struct audit *audit, enum audit_when when)
{
	int err;

	err = audit_books_read(&audit->books, when);
	if (err)
		live_say(err, taskacct_error(audit->ta));
	listen_on(audit);
	return err;
}

/* All tasks, between two readings of the books */
static int look(struct audit *audit, struct audit_tasks *tasks,
		enum audit_when from, enum audit_when to)
{
	int err;

	err = read_books(audit, from);
	if (err)
		return err;
	audit_books_settle();
	err = ask_all(audit, tasks);
	return err ? err : read_books(audit, to);
}

/*
 * All that is asked for costs each task that ends time, which is no more in its record: so
 * no names, and of a process of one thread no record of its own.
 */
static int begin_to_listen(struct audit *audit, int rcvbuf)
{
	int got, err;

	taskacct_set_handler(audit->listener, take_exit, audit);
	err = taskacct_set_buffer(audit->listener, rcvbuf ? rcvbuf : RCVBUF,
				  &got);
	if (!err)
		err = taskacct_subscribe(audit->listener, audit->cpus,
					 TASKACCT_WANT_RECORD |
						 TASKACCT_WANT_BARE |
						 TASKACCT_WANT_STREAM,
					 NULL, NULL);
	if (err)
		live_say(err, taskacct_error(audit->listener));
	return err;
}

static void await_end(struct audit *audit, uint64_t ns)
{
	struct timespec due;
	uint64_t part;
	bool stop = false;

	clock_gettime(CLOCK_MONOTONIC, &due);
	while (ns && !stop && !audit->err) {
		part = ns < PAUSE_NS ? ns : PAUSE_NS;
		stop = stop_sleep(&due, part);
		listen_on(audit);
		/* It may be gone before the end. */
		if (audit->met_other)
			audit_books_find_cgroups(&audit->books);
		audit->met_other = false;
		ns -= part;
	}
}

/* All tasks at the end, and again where not all are there */
static int look_at_end(struct audit *audit)
{
	const struct timespec grace = { .tv_nsec = GRACE_NS };
	unsigned int looks = 0;
	int err;

	do {
		audit_books_forget(&audit->books, AUDIT_END_FROM);
		audit_books_forget(&audit->books, AUDIT_END_TO);
		audit->seen.end.n = 0;
		err = look(audit, &audit->seen.end, AUDIT_END_FROM,
			   AUDIT_END_TO);
		/* Those that were on their way meanwhile have come by then. */
		nanosleep(&grace, NULL);
		listen_on(audit);
	} while (!err && !audit_sum_is_whole(&audit->books, &audit->seen) &&
		 ++looks < LOOKS);
	return err;
}

static int end_to_listen(struct audit *audit)
{
	struct taskacct_listener statistics;
	int err;

	err = taskacct_deregister(audit->listener, audit->cpus);
	listen_on(audit);
	if (!err)
		err = taskacct_listener(audit->listener, &statistics);
	if (err) {
		live_say(err, taskacct_error(audit->listener));
		return err;
	}
	audit->lost = statistics.lost_queue + statistics.lost_memory + audit->damaged;
	taskacct_listener_free(&statistics);
	listen_on(audit);
	/* Others have come. */
	audit_tasks_sort(&audit->seen.ended);
	return 0;
}

static int watch(struct audit *audit, int rcvbuf, uint64_t ns)
{
	int err;

	err = begin_to_listen(audit, rcvbuf);
	if (!err)
		err = look(audit, &audit->seen.begin, AUDIT_BEGIN_FROM,
			   AUDIT_BEGIN_TO);
	if (err)
		return err;
	if (audit->partial) {
		message("an audit needs the initial pid namespace");
		return -EPERM;
	}
	message("auditing");
	await_end(audit, ns);
	err = look_at_end(audit);
	if (!err)
		err = end_to_listen(audit);
	if (!err && audit->err) {
		err = audit->err;
		live_say(err, taskacct_error(audit->listener));
	}
	return err;
}

static void compare(struct audit *audit)
{
	struct audit_report *report = &audit->report;

	audit->sum.books = &audit->books;
	audit_sum_make(&audit->sum, &audit->seen);
	audit_tasks_sort(&audit->processes);
	audit_rows_make(&report->rows, &audit->sum, &audit->processes);
	audit_rows_sort(&report->rows);
	report->open = audit_rows_open(&report->rows);
	report->lost = audit->lost;
	report->ended = audit->sum.machine.ended;
}

struct audit *audit_new(struct taskacct *ta, struct taskacct *listener)
{
	struct audit *audit = calloc(1, sizeof(*audit));

	if (!audit)
		die(STATUS_REFUSED, "out of memory");
	audit->ta = ta;
	audit->listener = listener;
	audit->cpus = taskacct_possible_cpus();
	if (!audit->cpus)
		die(STATUS_REFUSED, "out of memory");
	audit_books_open(&audit->books, ta);
	return audit;
}

const struct audit_report *audit_watch(struct audit *audit, int rcvbuf,
				       uint64_t ns)
{
	if (watch(audit, rcvbuf, ns))
		return NULL;
	compare(audit);
	return &audit->report;
}

void audit_tell(const struct audit *audit)
{
	const struct audit_report *report = &audit->report;
	const uint64_t ns = audit->books.from[AUDIT_END_FROM] -
			    audit->books.to[AUDIT_BEGIN_TO];

	if (!audit->books.has_users)
		message("users are not counted: load the module with uid=1");
	if (audit->early)
		message("%llu records are of an exit and not of an end: see end_hook in the module's status",
			(unsigned long long)audit->early);
	if (audit->books.deducts_irqs)
		message("the kernel takes the time of interrupts from tasks: what they ran since their last tick is not known");
	if (audit->sum.untracked && audit->books.cpu[AUDIT_END_TO].has)
		message("time on CPUs is not compared: of %llu tasks it is not known",
			(unsigned long long)audit->sum.untracked);
	if (audit->sum.unplaced)
		message("of %llu tasks the cgroup is not known",
			(unsigned long long)audit->sum.unplaced);
	if (report->lost)
		message("lost: %llu, so that the books are open",
			(unsigned long long)report->lost);
	message("audited: %.3f s, %lld tasks ended, %zu entries, %zu do not close",
		(double)ns / 1e9, (long long)report->ended,
		report->rows.compared, report->open);
}

void audit_free(struct audit *audit)
{
	free(audit->report.rows.v);
	audit_sum_free(&audit->sum);
	audit_books_free(&audit->books);
	free(audit->seen.begin.v);
	free(audit->seen.end.v);
	free(audit->seen.ended.v);
	free(audit->processes.v);
	free(audit->cpus);
	free(audit);
}
