// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak MINUTES: a mixed load for so long, for what shows only after a while.
 *
 * Workers make tasks end in every way, listeners come and go, and others ask,
 * on all CPUs at once. Twenty times all of them pause: then everything that was
 * to be told has been told, no less and no more, the module keeps nothing, and
 * memory is what it was. The last line is "soak: passed", or what failed.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/acct.h>

#include "acct.h"
#include "record.h"
#include "roll.h"
#include "sys.h"
#include "work.h"

#define NAME "soak"
#define PROGRAM "false"
#define PAUSES 20
#define WORKERS 5
#define THREADS 7
#define BATCH 50
#define RCVBUF (128 << 20)
/* One listener of so many has room for a message or two, and so many exits come. */
#define NARROW_TURNS 101
#define NARROW_EXITS 4
/* What a listener ends with for which the answer to its registration was lost:
 * exits had filled its queue before. So long it waits for that answer: it is
 * there at once or never, but they have to be read before
 */
#define UNANSWERED 2
#define ANSWER_MS 2000
/* So many messages may wait before the workers do. */
#define BACKLOG 20000

/* What the kernel's own memory may move by, from the first pause on. An entry
 * kept for each process would be ten times as much a minute.
 */
#define SLAB_DRIFT_KIB 4096
#define FREE_DRIFT_KIB (32 << 10)

/**
 * struct worker - what a worker did, in memory that it shares
 * @tasks: tasks that it made end
 * @processes: processes of several threads among them
 * @answers: answers that it got
 * @listeners: listeners that it made
 * @unanswered: those of them whose queue had no room for the answer
 * @last: the process that it made last
 * @parked: it pauses
 */
struct worker {
	unsigned long tasks;
	unsigned long processes;
	unsigned long answers;
	unsigned long listeners;
	unsigned long unanswered;
	pid_t last;
	bool parked;
};

struct shared {
	bool stop;
	bool pause;
	unsigned long received;
	struct worker workers[WORKERS];
};

/**
 * struct tally - what is known so far of a process, by its number
 * @sum: sum of the records of its tasks
 * @tasks: how many there were
 */
struct tally {
	struct taskstats sum;
	unsigned int tasks;
};

/**
 * struct soak - the whole
 * @s: for questions
 * @listener: hears everything
 * @work: the workers
 * @tasks: records of the workers' tasks
 * @processes: records of their processes
 * @others: records of tasks that are not theirs
 * @tallies: by process
 * @slab_kib: memory of the kernel at the first pause
 * @free_kib: memory that was free then
 */
struct soak {
	struct acct_sock s;
	struct acct_sock listener;
	struct work work[WORKERS];
	unsigned long tasks;
	unsigned long processes;
	unsigned long others;
	struct tally *tallies;
	long slab_kib;
	long free_kib;
};

static struct shared *shared;
static struct worker *me;
static struct roll *roll;
static unsigned int turn;
static char all_cpus[32];

static void fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...)
{
	va_list args;

	printf("soak: failed: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

static void count(unsigned long *counter, unsigned long n)
{
	__atomic_add_fetch(counter, n, __ATOMIC_RELEASE);
}

static unsigned long sum_of(size_t offset)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < WORKERS; i++)
		sum += __atomic_load_n((unsigned long *)((char *)&shared->workers[i] +
							 offset),
				       __ATOMIC_ACQUIRE);
	return sum;
}

#define sum_over(field) sum_of(offsetof(struct worker, field))

static int end_at_once(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

/* Processes that share this one's memory: the most exits in a time */
static void make_many(void)
{
	static char *stacks;
	int i;

	if (!stacks)
		stacks = work_stacks(BATCH);
	for (i = 0; i < BATCH; i++)
		if (work_raw_process(end_at_once, NULL,
				     stacks + i * WORK_STACK) < 0)
			exit(1);
	for (i = 0; i < BATCH; i++)
		if (wait(NULL) < 0)
			exit(1);
	count(&me->tasks, BATCH);
}

static void reap(pid_t pid)
{
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
}

static void make_one(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work_fault(turn % 50);
		work_read(turn % 9, 512);
		_exit(0);
	}
	me->last = pid;
	reap(pid);
	count(&me->tasks, 1);
}

static void execute(int place)
{
	static const char *const argv[] = { PROGRAM, NULL };

	if (place == 1 + (int)turn % THREADS)
		syscall(SYS_execve, "/bin/" PROGRAM, argv, NULL);
	work_stay();
}

static void exit_in_turn(int place)
{
	work_dawdle(work_luck(turn, place, 20));
}

static void end_together(int place)
{
	work_dawdle(work_luck(turn, place, 20));
	if (place == 1 + (int)turn % THREADS)
		syscall(SYS_exit_group, 1);
	if (place % 2)
		work_stay();
}

static void all_stay(int place)
{
	(void)place;
	work_stay();
}

static void perform(roll_part_fn part)
{
	pid_t pid = roll_start(roll, THREADS, part);

	me->last = pid;
	roll_wait(roll, THREADS + 1);
	if (part == all_stay)
		kill(pid, SIGKILL);
	reap(pid);
	count(&me->tasks, THREADS + 1);
	count(&me->processes, 1);
}

static void make_threads(void)
{
	static const roll_part_fn parts[] = {
		exit_in_turn, end_together, all_stay, execute,
	};

	perform(parts[turn % (sizeof(parts) / sizeof(parts[0]))]);
}

static int register_it(struct acct_sock *l)
{
	int err = acct_register(l, turn % 3 ? all_cpus : "0");

	if (err == -EAGAIN && l->enobufs)
		return UNANSWERED;
	return err ? 1 : 0;
}

static int make_another(void)
{
	if (work_exit_process(0) < 0)
		return 1;
	count(&me->tasks, 1);
	return 0;
}

/* Registers again when exits have filled the queue, if it hears where they were */
static int register_late(struct acct_sock *l)
{
	const int least = 1;
	int ret = 0;
	int i;

	setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	for (i = 0; i < NARROW_EXITS && !ret; i++)
		ret = make_another();
	return ret ? ret : register_it(l);
}

static int listen_and_end(void)
{
	struct acct_sock l;
	struct acct_exit e;
	int ret;

	if (acct_open(&l))
		return 1;
	l.answer_ms = ANSWER_MS;
	ret = register_it(&l);
	if (!ret && turn % NARROW_TURNS == 0)
		ret = register_late(&l);
	if (!ret)
		ret = make_another();
	if (ret)
		return ret;
	if (turn % 2)
		acct_next_exit(&l, &e, 10);
	if (turn % 5 == 0)
		acct_close(&l);
	if (turn % 5 == 1)
		kill(getpid(), SIGKILL);
	return 0;
}

/* A listener for one CPU or all, that reads or does not, is closed or killed */
static void make_listener(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(listen_and_end());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(1);
	if (WIFEXITED(status) && WEXITSTATUS(status) == UNANSWERED)
		count(&me->unanswered, 1);
	else if (status && status != SIGKILL)
		exit(1);
	count(&me->tasks, 1);
	count(&me->listeners, 1);
}

static void ask(void)
{
	static struct acct_sock s;
	struct taskstats st;
	int i = turn % WORKERS;
	pid_t pid = shared->workers[i].last;
	int err;

	if (!s.family && acct_open(&s))
		exit(1);
	if (!pid)
		return;
	err = turn % 2 ? acct_query_tgid(&s, pid, &st) :
			 acct_query_pid(&s, pid, &st);
	if (err && err != -ESRCH)
		exit(1);
	count(&me->answers, !err);
}

static void (*const doings[WORKERS])(void) = {
	make_many, make_one, make_threads, make_listener, ask,
};

static void wait_while(const bool *flag)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(2000);
}

static void park(void)
{
	__atomic_store_n(&me->parked, true, __ATOMIC_RELEASE);
	wait_while(&shared->pause);
	__atomic_store_n(&me->parked, false, __ATOMIC_RELEASE);
}

static int labour(int fd, void *arg)
{
	int i = (intptr_t)arg;

	(void)fd;
	me = &shared->workers[i];
	roll = roll_new();
	for (; !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE); turn++) {
		if (__atomic_load_n(&shared->pause, __ATOMIC_ACQUIRE))
			park();
		if (sum_over(tasks) >= shared->received + BACKLOG)
			usleep(2000);
		else
			doings[i]();
	}
	return 0;
}

static void check_sum(struct tally *t, const struct acct_exit *e)
{
	const struct field *f = record_not_sum(&e->group, &t->sum, t->tasks);

	if (f)
		fail("%s of process %u is %lu, that of its %u tasks %lu",
		     f->name, e->tgid, record_get(f, &e->group), t->tasks,
		     record_get(f, &t->sum));
	if (t->tasks != THREADS + 1)
		fail("process %u had %u tasks", e->tgid, t->tasks);
	memset(t, 0, sizeof(*t));
}

static void take(struct soak *soak, const struct acct_exit *e)
{
	struct tally *t;

	if (strcmp(e->task.ac_comm, NAME) && strcmp(e->task.ac_comm, PROGRAM)) {
		soak->others++;
		return;
	}
	soak->tasks++;
	soak->processes += e->has_tgid;
	/* Without it nobody knows whose task it was. */
	if (record_has(record_field("ac_tgid"), &e->task)) {
		t = &soak->tallies[e->task.ac_tgid];
		record_add(&t->sum, &e->task);
		t->tasks++;
		if (e->has_tgid)
			check_sum(t, e);
		else if (e->task.ac_flag & AGROUP)
			memset(t, 0, sizeof(*t));
	}
	__atomic_store_n(&shared->received, soak->tasks, __ATOMIC_RELEASE);
}

/* Returns false where nothing came in that time. */
static bool take_next(struct soak *soak, int timeout_ms)
{
	struct acct_exit e;
	int err;

	err = acct_next_exit(&soak->listener, &e, timeout_ms);
	if (!err)
		take(soak, &e);
	else if (err != -EAGAIN)
		fail("the listener: %s", strerror(-err));
	return !err;
}

static void drain_until(struct soak *soak, int64_t end_ns)
{
	while (sys_now_ns() < end_ns)
		take_next(soak, 20);
}

/* When nothing is being made any more */
static void drain_all(struct soak *soak)
{
	while (take_next(soak, 300))
		;
}

static void fail_to_count(struct soak *soak, unsigned long tasks)
	__attribute__((noreturn));

static void fail_to_count(struct soak *soak, unsigned long tasks)
{
	struct acct_listener info = { 0 };

	acct_listener_of(&soak->s, soak->listener.port, &info);
	fail("%lu tasks ended, %lu were told of, and %lu others; made %lu, delivered %lu",
	     tasks, soak->tasks, soak->others, (unsigned long)info.made,
	     (unsigned long)info.delivered);
}

static void check_counts(struct soak *soak, unsigned long tasks)
{
	if (soak->tasks != tasks)
		fail_to_count(soak, tasks);
	if (soak->processes != sum_over(processes))
		fail("%lu processes ended, %lu were told of",
		     sum_over(processes), soak->processes);
}

static void check_module(struct soak *soak)
{
	struct acct_stat st;

	if (acct_wait_freed(&soak->s, &st))
		fail("%u groups, %u threads are kept", st.groups, st.threads);
	if (st.listeners != 1)
		fail("%u listeners, not 1", st.listeners);
	if (st.group_nomem)
		fail("no memory for %lu threads", (unsigned long)st.group_nomem);
}

/* Tasks of the kernel end when they like: it may take more than one look. */
static void check_delivered(struct soak *soak)
{
	struct acct_listener info;
	unsigned long received;
	int i;

	for (i = 0; i < 10; i++) {
		if (acct_listener_of(&soak->s, soak->listener.port, &info))
			fail("not registered any more");
		received = soak->tasks + soak->others;
		if (info.made == info.delivered && info.delivered == received)
			return;
		drain_all(soak);
	}
	fail("made %lu, delivered %lu, received %lu", (unsigned long)info.made,
	     (unsigned long)info.delivered, received);
}

static void check_memory(struct soak *soak)
{
	long slab = sys_meminfo_kb("SUnreclaim");
	long left = sys_meminfo_kb("MemAvailable");

	if (!soak->slab_kib) {
		soak->slab_kib = slab;
		soak->free_kib = left;
	}
	if (slab > soak->slab_kib + SLAB_DRIFT_KIB)
		fail("slab was %ld KiB, is %ld", soak->slab_kib, slab);
	if (left < soak->free_kib - FREE_DRIFT_KIB)
		fail("%ld KiB were available, %ld are", soak->free_kib, left);
	printf("%10lu %9lu %9lu %9lu %9ld %9ld\n", soak->tasks,
	       soak->processes, sum_over(answers), sum_over(listeners), slab,
	       left);
	fflush(stdout);
}

static bool all_parked(void)
{
	bool all = true;
	int i;

	for (i = 0; i < WORKERS; i++)
		all &= __atomic_load_n(&shared->workers[i].parked,
				       __ATOMIC_ACQUIRE);
	return all;
}

static void check_workers(const struct soak *soak)
{
	siginfo_t info;
	int i;

	for (i = 0; i < WORKERS; i++) {
		info.si_pid = 0;
		waitid(P_PID, soak->work[i].pid, &info,
		       WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid)
			fail("worker %d has ended", i);
	}
}

static void pause_and_check(struct soak *soak)
{
	__atomic_store_n(&shared->pause, true, __ATOMIC_RELEASE);
	while (!all_parked()) {
		check_workers(soak);
		drain_until(soak, sys_now_ns() + 20000000);
	}
	drain_all(soak);
	check_counts(soak, sum_over(tasks));
	check_module(soak);
	check_delivered(soak);
	check_memory(soak);
	__atomic_store_n(&shared->pause, false, __ATOMIC_RELEASE);
}

static void start(struct soak *soak)
{
	intptr_t i;

	prctl(PR_SET_NAME, NAME);
	snprintf(all_cpus, sizeof(all_cpus), "0-%d", sys_cpus_possible() - 1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* By any number that a process can have; most are never touched. */
	soak->tallies = mmap(NULL, (size_t)(4 << 20) * sizeof(struct tally),
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			     0);
	if (shared == MAP_FAILED || soak->tallies == MAP_FAILED)
		fail("no memory");
	if (acct_open(&soak->s) || acct_listen_all(&soak->listener, RCVBUF))
		fail("no module, or no privilege");
	for (i = 0; i < WORKERS; i++)
		if (work_start(&soak->work[i], labour, (void *)i))
			fail("cannot fork");
}

static void stop(struct soak *soak)
{
	unsigned long tasks;
	int i;

	__atomic_store_n(&shared->stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < WORKERS; i++)
		if (work_wait(&soak->work[i]))
			fail("worker %d failed", i);
	drain_all(soak);
	/* The workers themselves have ended too. */
	tasks = sum_over(tasks) + WORKERS;
	check_counts(soak, tasks);
	check_module(soak);
	check_delivered(soak);
}

int main(int argc, char **argv)
{
	struct soak soak = { 0 };
	double minutes = argc == 2 ? atof(argv[1]) : 0;
	int64_t begin;
	int i;

	if (minutes <= 0) {
		fprintf(stderr, "usage: soak MINUTES\n");
		return 1;
	}
	start(&soak);
	begin = sys_now_ns();
	printf("%10s %9s %9s %9s %9s %9s\n", "tasks", "processes", "answers",
	       "listeners", "slab KiB", "free KiB");
	for (i = 1; i <= PAUSES; i++) {
		drain_until(&soak, begin + minutes * 60e9 * i / PAUSES);
		pause_and_check(&soak);
	}
	stop(&soak);
	printf("soak: passed: %lu tasks in %.0f minutes, %lu listeners without room\n",
	       soak.tasks, minutes, sum_over(unanswered));
	return 0;
}
