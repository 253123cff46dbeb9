// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rolls, and processes whose threads all start at the same moment.
 */
#include <sched.h>
#include <signal.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <linux/acct.h>

#include "record.h"
#include "roll.h"
#include "sys.h"
#include "work.h"

#define CALL_MS (60000 * sys_slow())

/**
 * roll_new() - an empty roll
 *
 * Return: the roll, shared with all processes that are forked from now on.
 */
struct roll *roll_new(void)
{
	void *p = mmap(NULL, sizeof(struct roll), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/**
 * roll_clear() - forget all tasks
 * @roll: the roll
 */
void roll_clear(struct roll *roll)
{
	memset(roll, 0, sizeof(*roll));
}

static int add(struct roll *roll, pid_t tid)
{
	int place = __atomic_fetch_add(&roll->n, 1, __ATOMIC_ACQ_REL);

	if (place >= ROLL_MAX)
		abort();
	__atomic_store_n(&roll->tid[place], tid, __ATOMIC_RELEASE);
	return place;
}

/**
 * roll_enter() - put the calling thread on the roll, the leader before others
 * @roll: the roll
 *
 * Return: its place there.
 */
int roll_enter(struct roll *roll)
{
	return add(roll, work_tid());
}

/**
 * roll_wait() - wait until so many tasks are on the roll
 * @roll: the roll
 * @n: how many
 */
void roll_wait(struct roll *roll, int n)
{
	int i;

	/* They take their place first, and then write their number there. */
	for (i = 0; i < n; i++)
		while (!__atomic_load_n(&roll->tid[i], __ATOMIC_ACQUIRE))
			sched_yield();
}

static void scan_process(struct roll *roll, pid_t pid, const char *comm)
{
	pid_t tids[ROLL_MAX];
	char path[64];
	char buf[64];
	int n;

	for (n = sys_tids(pid, tids, ROLL_MAX); n-- > 0;) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid,
			 tids[n]);
		if (sys_read(path, buf, sizeof(buf)) <= 0)
			continue;
		buf[strcspn(buf, "\n")] = '\0';
		if (!strcmp(buf, comm))
			add(roll, tids[n]);
	}
}

/**
 * roll_scan() - put all tasks of a name on the roll, by the caller's numbers
 * @roll: the roll
 * @comm: their name
 *
 * Return: how many tasks there are on the roll.
 */
int roll_scan(struct roll *roll, const char *comm)
{
	pid_t pids[ROLL_MAX];
	int n;

	for (n = sys_pids(pids, ROLL_MAX); n-- > 0;)
		scan_process(roll, pids[n], comm);
	return roll->n;
}

/* Those of the process that performs; each process has its own. */
static struct roll *played;
static roll_part_fn played_part;
static int started;

static int play(void *arg)
{
	int place = roll_enter(played);

	(void)arg;
	work_wait_for(&started, 1);
	played_part(place);
	work_raw_exit(0);
	return 0;
}

/**
 * roll_perform() - become a process of many threads that start together
 * @roll: the roll, empty; all enter it
 * @threads: how many threads besides the leader
 * @part: what each does, from 0 for the leader on. Threads have no storage of
 *	their own: it does system calls and no more. Who returns from it exits.
 */
void roll_perform(struct roll *roll, int threads, roll_part_fn part)
{
	char *stacks = work_stacks(threads + 1);
	int i;

	played = roll;
	played_part = part;
	started = 0;
	roll_enter(roll);
	for (i = 0; i < threads; i++)
		if (work_raw_thread(play, NULL, stacks + i * WORK_STACK,
				    NULL) < 0)
			abort();
	roll_wait(roll, threads + 1);
	work_wake(&started, 1);
	part(0);
	work_raw_exit(0);
	abort();
}

/**
 * roll_start() - start a process that performs
 * @roll: the roll, which is cleared
 * @threads: as for roll_perform()
 * @part: as for roll_perform()
 *
 * Return: its pid, or -1.
 */
pid_t roll_start(struct roll *roll, int threads, roll_part_fn part)
{
	pid_t pid;

	roll_clear(roll);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	roll_perform(roll, threads, part);
}

static int place_of(const struct roll *roll, pid_t tid)
{
	int i;

	for (i = 0; i < roll->n; i++)
		if (roll->tid[i] == tid)
			return i;
	return -1;
}

/**
 * roll_take() - count an exit message
 * @roll: the roll
 * @call: what is known so far
 * @e: the message
 *
 * Return: true where it is about a task on the roll.
 */
bool roll_take(const struct roll *roll, struct roll_call *call,
	       const struct acct_exit *e)
{
	int place = e->has_pid ? place_of(roll, e->pid) : -1;

	if (place < 0)
		return false;
	if (call->processes)
		call->late++;
	record_add(&call->sum, &e->task);
	call->of[place] = e->task;
	call->times[place]++;
	call->tasks++;
	call->agroup += !!(e->task.ac_flag & AGROUP);
	if (e->has_tgid) {
		call->total = e->group;
		call->processes++;
	}
	return true;
}

static bool are_complete(struct roll *const *rolls,
			 const struct roll_call *calls, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (calls[i].tasks < rolls[i]->n ||
		    (rolls[i]->n > 1 && !calls[i].processes))
			return false;
	return true;
}

/**
 * roll_call_many() - read the messages of processes that have ended
 * @s: a listener that hears all CPUs
 * @rolls: their rolls
 * @calls: filled in
 * @n: how many processes
 *
 * The last of a process may be reported after it was waited for. When each has all that
 * it must have, and one more process has ended, that is all that there is.
 *
 * Return: 0 or a negative errno, such as -ENOBUFS.
 */
int roll_call_many(struct acct_sock *s, struct roll *const *rolls,
		   struct roll_call *calls, int n)
{
	pid_t sentinel = work_exit_process(0);
	bool ended = false;
	struct acct_exit e;
	int err;
	int i;

	memset(calls, 0, n * sizeof(*calls));
	while (!ended || !are_complete(rolls, calls, n)) {
		err = acct_next_exit(s, &e, CALL_MS);
		if (err)
			return ended && err == -EAGAIN ? 0 : err;
		ended = ended || e.pid == (uint32_t)sentinel;
		for (i = 0; i < n; i++)
			roll_take(rolls[i], &calls[i], &e);
	}
	return 0;
}

/**
 * roll_call() - read the messages of one process that has ended
 * @s: as for roll_call_many()
 * @roll: its roll
 * @call: filled in
 *
 * Return: as roll_call_many().
 */
int roll_call(struct acct_sock *s, struct roll *roll, struct roll_call *call)
{
	return roll_call_many(s, &roll, call, 1);
}

static const char *text(const char *format, ...)
{
	static char line[160];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return line;
}

/*
 * A thread other than the leader that executes a program takes over the
 * leader's number: of that there are two records then, and none of its own.
 */
static const char *wrong_tasks(const struct roll *roll,
			       const struct roll_call *call)
{
	int missing = 0;
	int i;

	if (call->tasks != roll->n)
		return text("%d records of %d tasks", call->tasks, roll->n);
	for (i = 1; i < roll->n; i++) {
		missing += !call->times[i];
		if (call->times[i] > 1)
			return text("%d records of task %d", call->times[i],
				    roll->tid[i]);
	}
	if (missing > 1 || call->times[0] != 1 + missing)
		return text("%d records of the leader, none of %d others",
			    call->times[0], missing);
	return NULL;
}

/* AGROUP came together with the tgid. */
static bool has_agroup(const struct taskstats *st)
{
	return record_has(record_field("ac_tgid"), st);
}

static const char *wrong_process(const struct roll *roll,
				 const struct roll_call *call)
{
	const struct field *f = record_not_sum(&call->total, &call->sum,
					       roll->n);
	const struct taskstats *total = &call->total;

	if (f)
		return text("%s: process %lu, its %d tasks %lu", f->name,
			    record_get(f, total), roll->n,
			    record_get(f, &call->sum));
	if (total->ac_pid != (uint32_t)roll->tid[0])
		return text("process is %u, its leader %d", total->ac_pid,
			    roll->tid[0]);
	if (has_agroup(total) &&
	    (total->ac_tgid != (uint32_t)roll->tid[0] ||
	     !(total->ac_flag & AGROUP)))
		return text("process %d: tgid %u, flags %#x", roll->tid[0],
			    total->ac_tgid, total->ac_flag);
	return NULL;
}

/**
 * roll_wrong() - tell whether a process's records are what they should be
 * @roll: the tasks that it had
 * @call: what came of them
 *
 * One record of each task, and, if it had several, one of the process, the
 * last, with its identity, and with the sum of the tasks' in every additive
 * field.
 *
 * Return: NULL, or what is wrong, in words.
 */
const char *roll_wrong(const struct roll *roll, const struct roll_call *call)
{
	const char *wrong = wrong_tasks(roll, call);

	if (wrong)
		return wrong;
	if (call->processes != !!(roll->n - 1))
		return text("%d records of the process", call->processes);
	if (call->late)
		return text("%d records after that of the process", call->late);
	if (has_agroup(&call->of[0]) && call->agroup != 1)
		return text("AGROUP in %d records", call->agroup);
	return call->processes ? wrong_process(roll, call) : NULL;
}
