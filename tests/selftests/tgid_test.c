// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of processes: complete, right, and the process's own.
 */
#include <fcntl.h>
#include <linux/acct.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>

#include "test.h"
#include "disk.h"

/* Behind the harness, whose macros it has */
#include "asked.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define THREADS 8
#define STATUS 5
#define RCVBUF (32 << 20)

/* What a process did, as its threads' exit records tell it */
struct group {
	struct taskstats sum;
	struct taskstats total;
	struct taskstats last;
	struct record_tail tail;
	struct record_tail total_tail;
	unsigned int tasks;
	unsigned int agroup;
};

FIXTURE(tgid) {
	struct acct_sock s;
	struct acct_sock listener;
	struct work w;
};

FIXTURE_SETUP(tgid)
{
	char all[32];

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen(&self->listener, all, RCVBUF));
}

FIXTURE_TEARDOWN(tgid)
{
	acct_close(&self->s);
	acct_close(&self->listener);
}

/* The longest of both, and the shortest that is not 0 */
static void add_tail(struct record_tail *sum, const struct record_tail *tail)
{
	int i;

	sum->irq_count += tail->irq_count;
	sum->irq_delay_total += tail->irq_delay_total;
	for (i = 0; i < RECORD_WAITS; i++) {
		if (tail->wait[i].max > sum->wait[i].max) {
			sum->wait[i].max = tail->wait[i].max;
			sum->max_ts[i] = tail->max_ts[i];
		}
		if (tail->wait[i].min &&
		    (!sum->wait[i].min ||
		     tail->wait[i].min < sum->wait[i].min))
			sum->wait[i].min = tail->wait[i].min;
	}
}

/* Reads what the threads of a process sent, up to the process's record. */
static void collect(struct __test_metadata *_metadata, struct acct_sock *s,
		    pid_t tgid, struct group *g)
{
	struct acct_exit e;

	memset(g, 0, sizeof(*g));
	do {
		ASSERT_EQ(0, acct_next_exit(s, &e, PATIENCE_MS));
		if (!e.has_pid || !record_is_of(&e.task, tgid))
			continue;
		record_add(&g->sum, &e.task);
		add_tail(&g->tail, &e.task_tail);
		g->last = e.task;
		g->tasks++;
		g->agroup += !!(e.task.ac_flag & AGROUP);
	} while (!e.has_tgid || e.tgid != (uint32_t)tgid);
	g->total = e.group;
	g->total_tail = e.group_tail;
}

/* Nothing of the process comes any more: what was read is all of it. */
static void expect_no_more(struct __test_metadata *_metadata,
			   struct acct_sock *s, pid_t tgid)
{
	pid_t pid = work_exit_process(0);
	struct acct_exit e;

	do {
		ASSERT_EQ(0, acct_next_exit(s, &e, PATIENCE_MS));
		EXPECT_TRUE(e.pid == (uint32_t)pid ||
			    !record_is_of(&e.task, tgid));
	} while (e.pid != (uint32_t)pid);
}

static void expect_sum(struct __test_metadata *_metadata, const struct group *g)
{
	const struct field *f = record_not_sum(&g->total, &g->sum, g->tasks);

	EXPECT_EQ(NULL, f) {
		TH_LOG("%s: process %lu, its %u tasks %lu", f->name,
		       record_get(f, &g->total), g->tasks,
		       record_get(f, &g->sum));
	}
	EXPECT_EQ(g->tail.irq_count, g->total_tail.irq_count);
	EXPECT_EQ(g->tail.irq_delay_total, g->total_tail.irq_delay_total);
}

/* Threads that work and then stay until they are let go */
static int let_go;

static void *crew_member(void *arg)
{
	prctl(PR_SET_NAME, "member");
	work_mix((uintptr_t)arg);
	work_wait_for(&let_go, 1);
	return NULL;
}

static void start_crew(pthread_t *crew, unsigned int n)
{
	uintptr_t i;

	let_go = 0;
	for (i = 0; i < n; i++)
		if (pthread_create(&crew[i], NULL, crew_member, (void *)i))
			abort();
}

static void end_crew(pthread_t *crew, unsigned int n)
{
	work_wake(&let_go, 1);
	while (n--)
		pthread_join(crew[n], NULL);
}

/* Orders: s start a crew, e end it, w work, q end by the leader alone */
static int captain(int fd, void *arg)
{
	pthread_t crew[THREADS];
	char order;

	(void)arg;
	prctl(PR_SET_NAME, "captain");
	work_send(fd, 'r');
	while ((order = work_order(fd))) {
		if (order == 's')
			start_crew(crew, THREADS);
		if (order == 'e')
			end_crew(crew, THREADS);
		if (order == 'w')
			work_mix(9);
		if (order == 'q')
			work_raw_exit(STATUS);
		work_send(fd, 'd');
	}
	return STATUS;
}

static void start(struct __test_metadata *_metadata, struct work *w)
{
	ASSERT_EQ(0, work_start(w, captain, NULL));
	ASSERT_EQ('r', work_hear(w));
	ASSERT_EQ(0, work_round(w, 'w'));
}

static void add_live(struct __test_metadata *_metadata, struct acct_sock *s,
		     pid_t pid, struct taskstats *sum, unsigned int *n)
{
	struct taskstats st;
	pid_t tids[64];
	int i;

	*n = sys_tids(pid, tids, 64);
	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < (int)*n; i++) {
		ASSERT_EQ(0, acct_query_pid(s, tids[i], &st));
		record_add(sum, &st);
	}
}

/* R8 R25: of live threads that stand still, the total is the sum, field by
 * field, and what /proc has of the process
 */
TEST_F(tgid, live_threads)
{
	struct taskstats total;
	struct taskstats sum;
	const struct field *f;
	struct sys_task t;
	unsigned int n;

	NEED_COUNTS();
	sys_delayacct(true);
	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, sys_proc_sum(self->w.pid, &t));
	add_live(_metadata, &self->s, self->w.pid, &sum, &n);
	ASSERT_EQ(THREADS + 1, n);
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &total));
	f = record_not_sum(&total, &sum, n);
	EXPECT_EQ(NULL, f) TH_LOG("%s", f->name);
	asked_as_in_proc(_metadata, &total, &t);
	EXPECT_EQ(t.run_ns, total.cpu_run_virtual_total);
	EXPECT_EQ(t.wait_ns, total.cpu_delay_total);
	EXPECT_EQ(t.runs, total.cpu_count);
	EXPECT_EQ(t.nvcsw, total.nvcsw);
	EXPECT_EQ(t.nivcsw, total.nivcsw);
	work_wait(&self->w);
}

/* R8 R26 R28: live threads plus dead ones: what the threads had, in their exit
 * records, is in the total when they are gone, and it never got smaller
 */
TEST_F(tgid, live_and_dead_threads)
{
	struct taskstats before;
	struct taskstats total;
	struct taskstats live;
	const struct field *f;
	struct acct_exit e;
	unsigned int n = 0;
	struct sys_task t;
	unsigned int m;

	NEED_COUNTS();
	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &before));
	ASSERT_EQ(0, work_round(&self->w, 'e'));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &total));
	f = record_smaller(&total, &before);
	EXPECT_EQ(NULL, f) TH_LOG("%s went backwards", f->name);

	add_live(_metadata, &self->s, self->w.pid, &live, &m);
	ASSERT_EQ(1, m);
	while (n < THREADS) {
		ASSERT_EQ(0, acct_next_exit(&self->listener, &e, PATIENCE_MS));
		if (!record_is_of(&e.task, self->w.pid))
			continue;
		EXPECT_FALSE(e.has_tgid);
		EXPECT_STREQ("member", e.task.ac_comm);
		record_add(&live, &e.task);
		n++;
	}
	f = record_not_sum(&total, &live, n + m);
	EXPECT_EQ(NULL, f) TH_LOG("%s", f->name);
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	asked_as_in_proc(_metadata, &total, &t);
	work_wait(&self->w);
}

/* R6: the leader is gone, the process is not: it answers by tgid, as the
 * leader, with what the leader had
 */
TEST_F(tgid, leader_exited)
{
	struct taskstats before;
	struct taskstats after;
	const struct field *f;
	int i;

	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &before));
	work_tell(&self->w, 'q');
	for (i = 0; i < 5000 && sys_state(self->w.pid, self->w.pid) != 'Z'; i++)
		usleep(10000);
	ASSERT_EQ('Z', sys_state(self->w.pid, self->w.pid));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &after));
	EXPECT_STREQ("captain", after.ac_comm);
	EXPECT_EQ((uint32_t)self->w.pid, after.ac_pid);
	EXPECT_EQ((uint32_t)self->w.pid,
		  record_or("ac_tgid", &after, self->w.pid));
	EXPECT_EQ(before.ac_ppid, after.ac_ppid);
	EXPECT_EQ(before.ac_btime64, after.ac_btime64);
	EXPECT_EQ(before.ac_exe_inode, after.ac_exe_inode);
	f = record_smaller(&after, &before);
	EXPECT_EQ(NULL, f) TH_LOG("%s went backwards", f->name);
	EXPECT_EQ(0, acct_query_pid(&self->s, self->w.pid, &after));
	kill(self->w.pid, SIGKILL);
	work_wait(&self->w);
}

/* A process of one thread has no record of its own (D2: as the kernel does) */
TEST_F(tgid, none_for_a_single_thread)
{
	struct acct_exit e;
	pid_t pid;

	pid = work_exit_process(0);
	ASSERT_EQ(0, acct_wait_exit(&self->listener, pid, &e));
	EXPECT_FALSE(e.has_tgid);
	EXPECT_TRUE(e.task.ac_flag & AGROUP);
}

static void *fork_one(void *arg)
{
	*(pid_t *)arg = work_exit_process(0);
	return NULL;
}

static int fork_in_thread(int fd, void *arg)
{
	pthread_t t;
	pid_t pid;

	(void)arg;
	if (pthread_create(&t, NULL, fork_one, &pid))
		return 1;
	pthread_join(t, NULL);
	return send(fd, &pid, sizeof(pid), 0) != sizeof(pid);
}

/* R13: a child that a thread forked is another process: it is in no sum, and
 * had one thread only
 */
TEST_F(tgid, forked_child_is_another)
{
	struct acct_exit e;
	struct group g;
	pid_t child;

	ASSERT_EQ(0, work_start(&self->w, fork_in_thread, NULL));
	ASSERT_EQ((ssize_t)sizeof(child),
		  recv(self->w.fd, &child, sizeof(child), MSG_WAITALL));
	ASSERT_EQ(0, acct_wait_exit(&self->listener, child, &e));
	EXPECT_FALSE(e.has_tgid);
	EXPECT_EQ((uint32_t)child, record_or("ac_tgid", &e.task, child));
	collect(_metadata, &self->listener, self->w.pid, &g);
	EXPECT_EQ(2, g.tasks);
	expect_sum(_metadata, &g);
	EXPECT_EQ(0, work_wait(&self->w));
}

static int reap_a_reader(int fd, void *arg)
{
	pthread_t t;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		work_read(1000, 1024);
		_exit(0);
	}
	work_reap(pid, NULL);
	work_send(fd, 'r');
	work_order(fd);
	if (arg) {
		if (pthread_create(&t, NULL, fork_one, &pid))
			return 1;
		pthread_join(t, NULL);
	}
	return 0;
}

/* R13: what a child read is not its parent's, not even when it is reaped, where
 * /proc/PID/io adds it up
 */
TEST_F(tgid, reaped_child_is_another)
{
	struct taskstats task;
	struct taskstats st;
	struct group g;

	NEED_COUNTS();
	ASSERT_EQ(0, work_start(&self->w, reap_a_reader, self));
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(0, work_settle(self->w.pid));
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &task));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	EXPECT_EQ(task.read_syscalls, st.read_syscalls);
	EXPECT_EQ(task.read_char, st.read_char);
	EXPECT_EQ(0, work_wait(&self->w));
	collect(_metadata, &self->listener, self->w.pid, &g);
	expect_sum(_metadata, &g);
}

/* R16: etime of a process is its own lifetime, not the sum of its threads' */
TEST_F(tgid, elapsed_is_the_processs)
{
	int64_t born_us = sys_now_ns() / 1000;
	struct taskstats st;
	struct group g;
	int64_t now_us;

	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	usleep(300000);
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	now_us = sys_now_ns() / 1000;
	EXPECT_GE(st.ac_etime, 300000);
	EXPECT_LE(st.ac_etime, (uint64_t)(now_us - born_us));
	EXPECT_EQ(st.ac_etime, record_or("ac_tgetime", &st, st.ac_etime));
	ASSERT_EQ(0, work_round(&self->w, 'e'));
	work_tell(&self->w, 'q');
	work_wait(&self->w);
	now_us = sys_now_ns() / 1000;
	collect(_metadata, &self->listener, self->w.pid, &g);
	EXPECT_GE(g.total.ac_etime, st.ac_etime);
	EXPECT_LE(g.total.ac_etime, (uint64_t)(now_us - born_us));
	EXPECT_EQ(g.total.ac_etime,
		  record_or("ac_tgetime", &g.total, g.total.ac_etime));
}

static void *burn(void *arg)
{
	work_burn((uintptr_t)arg * 10000000);
	return NULL;
}

/* Threads that have one CPU between them: each waits for it */
static int share_a_cpu(int fd, void *arg)
{
	pthread_t t[THREADS];
	uintptr_t i;

	(void)fd;
	(void)arg;
	if (work_pin(0))
		return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, burn, (void *)(i + 1)))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* R8 R25: the longest wait of a process is the longest of any of its threads,
 * and so is the time of it; the shortest is the shortest of them
 */
TEST_F(tgid, extremes_are_the_processs)
{
	int64_t begin = time(NULL);
	struct group g;
	uint64_t mean;
	int i;

	NEED_COUNTS();
	ASSERT_EQ(0, work_start(&self->w, share_a_cpu, NULL));
	EXPECT_EQ(0, work_wait(&self->w));
	collect(_metadata, &self->listener, self->w.pid, &g);
	if (g.total.version < 16)
		SKIP(return, "version %u has no extremes", g.total.version);
	for (i = 0; i < RECORD_WAITS; i++) {
		EXPECT_EQ(g.tail.wait[i].max, g.total_tail.wait[i].max);
		EXPECT_EQ(g.tail.wait[i].min, g.total_tail.wait[i].min);
		EXPECT_EQ(g.tail.max_ts[i].sec, g.total_tail.max_ts[i].sec);
		EXPECT_EQ(g.tail.max_ts[i].nsec, g.total_tail.max_ts[i].nsec);
	}
	mean = g.total.cpu_delay_total / g.total.cpu_count;
	EXPECT_GT(g.total_tail.wait[0].max, mean);
	EXPECT_LT(g.total_tail.wait[0].min, mean);
	EXPECT_GT(g.total_tail.wait[0].min, 0);
	if (g.total.version >= 17) {
		EXPECT_LE(begin, g.total_tail.max_ts[0].sec);
		EXPECT_GE(time(NULL), g.total_tail.max_ts[0].sec);
	}
}

static void *fault_much(void *arg)
{
	(void)arg;
	work_fault(8192);
	return NULL;
}

static int peak_in_thread(int fd, void *arg)
{
	pthread_t t;

	(void)arg;
	if (pthread_create(&t, NULL, fault_much, NULL))
		return 1;
	pthread_join(t, NULL);
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/* R16: the peak of memory is the process's, whichever thread caused it, also
 * when that thread and its memory are gone
 */
TEST_F(tgid, peak_is_the_processs)
{
	struct taskstats st;
	struct sys_task t;
	struct group g;

	NEED_COUNTS();
	ASSERT_EQ(0, work_start(&self->w, peak_in_thread, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(0, work_settle(self->w.pid));
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	EXPECT_GE(st.hiwater_rss, 32 * 1024);
	EXPECT_GE(t.hwm_kb, st.hiwater_rss);
	EXPECT_LE(t.hwm_least_kb, st.hiwater_rss);
	EXPECT_EQ(t.peak_kb, st.hiwater_vm);
	EXPECT_EQ(0, work_wait(&self->w));
	collect(_metadata, &self->listener, self->w.pid, &g);
	EXPECT_GE(g.total.hiwater_rss, st.hiwater_rss);
	if (sys_exit_has_mm()) {
		EXPECT_GE(g.total.hiwater_vm, st.hiwater_vm);
	} else {
		EXPECT_EQ(0, g.total.hiwater_vm);
	}
}

static int grow_and_exec(int fd, void *arg)
{
	char number[8];

	(void)arg;
	work_mix(2);
	work_fault(8192);
	work_send(fd, 'r');
	work_order(fd);
	/* The program says that it runs, and waits for the end of its orders. */
	snprintf(number, sizeof(number), "%d", dup(fd));
	execl("/bin/sh", "sh", "-c", "eval \"echo -n d >&$0; read x <&$0\"",
	      number, NULL);
	return 1;
}

/* R16: a process that executes another program is the same process: nothing
 * that it had gets smaller but the peak of its address space, which the kernel
 * forgets
 */
TEST_F(tgid, exec_makes_nothing_smaller)
{
	struct taskstats before;
	struct taskstats after;
	const struct field *f;

	ASSERT_EQ(0, work_start(&self->w, grow_and_exec, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &before));
	EXPECT_GE(before.hiwater_rss, 32 * 1024);
	ASSERT_EQ(0, work_tell(&self->w, 'g'));
	ASSERT_EQ('d', work_hear(&self->w));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &after));
	EXPECT_STREQ("sh", after.ac_comm);
	before.hiwater_vm = 0;
	f = record_smaller(&after, &before);
	EXPECT_EQ(NULL, f) TH_LOG("%s went backwards", f->name);
	work_wait(&self->w);
}

/* R6 R27: of a process that has ended and waits to be reaped, the total is its
 * last record, in every field, and it stays so
 */
TEST_F(tgid, zombie_is_the_last_record)
{
	struct taskstats st;
	const struct field *f;
	siginfo_t info;
	struct group g;

	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, work_round(&self->w, 'e'));
	work_tell(&self->w, 'q');
	ASSERT_EQ(0, waitid(P_PID, self->w.pid, &info, WEXITED | WNOWAIT));
	collect(_metadata, &self->listener, self->w.pid, &g);
	usleep(50000);
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	for_each_field(f) {
		EXPECT_EQ(record_get(f, &g.total), record_get(f, &st))
			TH_LOG("%s", f->name);
	}
	EXPECT_STREQ(g.total.ac_comm, st.ac_comm);
	EXPECT_EQ(STATUS << 8, work_wait(&self->w));
}

/* How a process can end; each way gives the records that it should. */
static void *mix_and_end(void *arg)
{
	work_mix((uintptr_t)arg);
	return NULL;
}

static void *mix_and_stay(void *arg)
{
	work_mix((uintptr_t)arg);
	work_wait_for(&let_go, 1);
	return NULL;
}

static void *mix_and_end_group(void *arg)
{
	work_mix((uintptr_t)arg);
	_exit(STATUS);
}

static void *mix_and_kill(void *arg)
{
	work_mix((uintptr_t)arg);
	kill(getpid(), SIGKILL);
	return mix_and_stay(arg);
}

static void *mix_and_exec(void *arg)
{
	work_mix((uintptr_t)arg);
	execl("/bin/sh", "sh", "-c", "exit 5", NULL);
	abort();
}

static void *wait_for_leader(void *arg)
{
	pid_t pid = getpid();

	work_mix((uintptr_t)arg);
	while (sys_state(pid, pid) != 'Z')
		usleep(1000);
	/* Kernels differ in whose status is the process's: the leader's or
	 * the last thread's.
	 */
	work_raw_exit(STATUS);
	return NULL;
}

static void *wait_and_end_group(void *arg)
{
	pid_t pid = getpid();

	work_mix((uintptr_t)arg);
	while (sys_state(pid, pid) != 'Z')
		usleep(1000);
	_exit(STATUS);
}

FIXTURE(ending) {
	struct acct_sock listener;
};

FIXTURE_VARIANT(ending) {
	void *(*others)(void *arg);
	void *(*one)(void *arg);
	void (*leader)(void);
	int status;
	const char *comm;
	unsigned int flag;
};

static void leader_joins(void)
{
	_exit(STATUS);
}

static void leader_goes_first(void)
{
	work_raw_exit(STATUS);
}

static void leader_fails_first(void)
{
	work_raw_exit(STATUS + 1);
}

static void leader_stays(void)
{
	work_wait_for(&let_go, 1);
}

/* R13 R27: threads end one after the other, the leader last */
FIXTURE_VARIANT_ADD(ending, leader_last) {
	.others = mix_and_end, .one = mix_and_end, .leader = leader_joins,
	.status = STATUS << 8, .comm = "captain", .flag = AFORK,
};

/* R6: the leader ends first, any other thread last */
FIXTURE_VARIANT_ADD(ending, leader_first) {
	.others = wait_for_leader, .one = wait_for_leader,
	.leader = leader_goes_first,
	.status = STATUS << 8, .comm = "captain", .flag = AFORK,
};

/* One thread ends the process, the others sleep */
FIXTURE_VARIANT_ADD(ending, group_exit) {
	.others = mix_and_stay, .one = mix_and_end_group,
	.leader = leader_stays,
	.status = STATUS << 8, .comm = "captain", .flag = AFORK,
};

/* The leader ends first, with a status of its own, then one thread ends the
 * process: its status counts
 */
FIXTURE_VARIANT_ADD(ending, group_exit_after_leader) {
	.others = mix_and_stay, .one = wait_and_end_group,
	.leader = leader_fails_first,
	.status = STATUS << 8, .comm = "captain", .flag = AFORK,
};

/* A signal ends the process */
FIXTURE_VARIANT_ADD(ending, signal) {
	.others = mix_and_stay, .one = mix_and_kill, .leader = leader_stays,
	.status = SIGKILL, .comm = "captain", .flag = AFORK | AXSIG,
};

/* A thread that is not the leader executes a program: it becomes the leader,
 * and the process goes on with all that it had
 */
FIXTURE_VARIANT_ADD(ending, exec) {
	.others = mix_and_stay, .one = mix_and_exec, .leader = leader_stays,
	.status = STATUS << 8, .comm = "sh",
};

FIXTURE_SETUP(ending)
{
	char all[32];

	(void)variant;
	sys_delayacct(true);
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&self->listener, all, RCVBUF));
}

FIXTURE_TEARDOWN(ending)
{
	(void)variant;
	acct_close(&self->listener);
}

static int run_variant(int fd, void *arg)
{
	const FIXTURE_VARIANT(ending) *variant = arg;
	pthread_t t[THREADS];
	uintptr_t i;

	(void)fd;
	let_go = 0;
	prctl(PR_SET_NAME, "captain");
	for (i = 0; i < THREADS - 1; i++)
		if (pthread_create(&t[i], NULL, variant->others, (void *)i))
			return 1;
	if (pthread_create(&t[i], NULL, variant->one, (void *)i))
		return 1;
	if (variant->leader == leader_joins)
		for (i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	work_mix(11);
	variant->leader();
	return 1;
}

/* R12 R13 R24 R27: however a process ends, each task has one record, the
 * process has one, it comes last, and it is the sum of the tasks' in every
 * additive field
 */
TEST_F(ending, sum_of_its_tasks)
{
	const struct field *f;
	struct group g;
	struct work w;

	ASSERT_EQ(0, work_start(&w, run_variant, (void *)variant));
	ASSERT_EQ(variant->status, work_wait(&w));
	collect(_metadata, &self->listener, w.pid, &g);
	expect_no_more(_metadata, &self->listener, w.pid);
	EXPECT_EQ(THREADS + 1, g.tasks);
	expect_sum(_metadata, &g);

	EXPECT_STREQ(variant->comm, g.total.ac_comm);
	EXPECT_EQ((uint32_t)w.pid, g.total.ac_pid);
	EXPECT_EQ((uint32_t)w.pid, record_or("ac_tgid", &g.total, w.pid));
	EXPECT_EQ((uint32_t)getpid(), g.total.ac_ppid);
	EXPECT_EQ((uint32_t)variant->status, g.total.ac_exitcode);
	EXPECT_EQ(1, g.agroup) TH_LOG("AGROUP in %u records", g.agroup);
	EXPECT_TRUE(g.last.ac_flag & AGROUP);
	/* Threads are killed in every group exit; the process need not be. */
	EXPECT_EQ(AGROUP | variant->flag,
		  g.total.ac_flag & (AGROUP | AXSIG | AFORK));
	for_each_field(f) {
		if (f->kind == FIELD_PEAK || f->kind == FIELD_CLOCK) {
			EXPECT_GE(record_get(f, &g.total),
				  record_get(f, &g.last))
				TH_LOG("%s", f->name);
		}
	}
}

/* A disk, and swap space, and memory that has to be reclaimed, so that there is
 * something in the fields that most loads leave at 0
 */
#define SWAP DISK_NAME(0)
#define DISK DISK_NAME(1)
#define DISKS 2
#define CGROUP "/sys/fs/cgroup/taskacct-test"

static bool have_swap(void)
{
	const char *const mkswap[] = { "mkswap", SWAP, "131072", NULL };

	return !sys_run(mkswap) && !swapon(SWAP, 0);
}

static bool have_cgroup(void)
{
	char pid[16];

	mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	sys_write("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir(CGROUP, 0700);
	snprintf(pid, sizeof(pid), "%d", getpid());
	return sys_write(CGROUP "/cgroup.procs", pid) == 0 &&
	       access(CGROUP "/memory.high", F_OK) == 0;
}

static void use_swap(void)
{
	size_t len = 4 << 20;
	size_t i;
	char *p;

	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	if (p == MAP_FAILED)
		return;
	memset(p, 0x55, len);
	madvise(p, len, MADV_PAGEOUT);
	/* Written, the pages stay in the cache until somebody needs room. */
	usleep(100000);
	sys_write(CGROUP "/memory.high", "0");
	sys_write(CGROUP "/memory.high", "max");
	for (i = 0; i < len; i += 4096)
		(void)*(volatile char *)(p + i);
	munmap(p, len);
}

/* Pages that a child shares are copied when they are written. */
static void copy_on_write(void)
{
	size_t len = 64 << 12;
	pid_t pid;
	char *p;

	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	if (p == MAP_FAILED)
		return;
	memset(p, 1, len);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	memset(p, 2, len);
	kill(pid, SIGKILL);
	work_reap(pid, NULL);
	munmap(p, len);
}

static void *use_everything(void *arg)
{
	/* One at a time: the other would map a file that is cut short. */
	static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

	work_mix(1);
	work_burn(150000000);
	use_swap();
	pthread_mutex_lock(&disk);
	disk_use(arg);
	pthread_mutex_unlock(&disk);
	copy_on_write();
	return NULL;
}

static int everything(int fd, void *arg)
{
	pthread_t t[2];
	int i;

	if (setpriority(PRIO_PROCESS, 0, 3) || !have_cgroup())
		work_send(fd, 'n');
	for (i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, use_everything, arg))
			return 1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	work_fault(10);
	if (setresgid(4712, 4712, 4712) || setresuid(4711, 4711, 4711))
		return 1;
	sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
	work_send(fd, 'r');
	work_order(fd);
	return STATUS;
}

/* Fields that no test of a healthy machine can fill */
static bool needs_distress(const char *name)
{
	return !strncmp(name, "thrashing_", 10) || !strncmp(name, "compact_", 8);
}

FIXTURE(filled) {
	struct acct_sock listener;
	bool mounted;
};

FIXTURE_SETUP(filled)
{
	char all[32];

	if (!sys_in_vm())
		return;
	/* Before 5.14 it is always on. */
	ASSERT_TRUE(!sys_delayacct(true) || errno == ENOENT);
	ASSERT_TRUE(disk_have(DISKS));
	ASSERT_TRUE(have_swap());
	ASSERT_TRUE(disk_mount(DISK));
	self->mounted = true;
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&self->listener, all, RCVBUF));
}

FIXTURE_TEARDOWN(filled)
{
	if (!self->mounted)
		return;
	acct_close(&self->listener);
	EXPECT_EQ(0, umount(DISK_MOUNTED));
	EXPECT_EQ(0, swapoff(SWAP));
	EXPECT_TRUE(disk_end(DISKS));
	rmdir(CGROUP);
}

/* What is not known any more when the address space is gone: of a process
 * the kernel keeps the peak of its resident set
 */
static bool of_mm(const char *name)
{
	return !strcmp(name, "hiwater_vm") || !strncmp(name, "ac_exe_", 7);
}

/* R8 R13: a process's record has a value in every field: in-tree's has a dozen
 * of them
 */
TEST_F(filled, every_field)
{
	struct taskstats st;
	const struct field *f;
	struct acct_sock s;
	struct group g;
	struct work w;

	NEED_COUNTS();
	NEED_VM();
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, work_start(&w, everything, DISK_MOUNTED "/file"));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, acct_query_tgid(&s, w.pid, &st));
	ASSERT_EQ(STATUS << 8, work_wait(&w));
	collect(_metadata, &self->listener, w.pid, &g);
	expect_sum(_metadata, &g);
	for_each_field(f) {
		if (needs_distress(f->name) || !record_has(f, &g.total))
			continue;
		if (of_mm(f->name) && !sys_exit_has_mm()) {
			EXPECT_EQ(0, record_get(f, &g.total))
				TH_LOG("%s", f->name);
		} else {
			EXPECT_NE(0, record_get(f, &g.total))
				TH_LOG("%s", f->name);
		}
		if (!strcmp(f->name, "ac_exitcode") ||
		    !strcmp(f->name, "ac_flag"))
			continue;
		EXPECT_NE(0, record_get(f, &st)) TH_LOG("live: %s", f->name);
	}
	acct_close(&s);
}

FIXTURE(late) {
	struct acct_sock s;
	struct acct_sock listener;
	struct work w;
	bool loaded;
};

FIXTURE_SETUP(late)
{
	self->loaded = sys_in_vm() && sys_module_loaded();
	if (self->loaded) {
		ASSERT_EQ(0, sys_module_unload());
	}
}

FIXTURE_TEARDOWN(late)
{
	acct_close(&self->s);
	acct_close(&self->listener);
	if (self->loaded && !sys_module_loaded()) {
		EXPECT_EQ(0, sys_module_load(NULL));
	}
}

static void load_late(struct __test_metadata *_metadata,
		      FIXTURE_DATA(late) *self)
{
	char all[32];

	ASSERT_EQ(0, sys_module_load(NULL));
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen(&self->listener, all, RCVBUF));
}

#define NEED_MODULE() NEED_LOADED(self->loaded)

/* R28: threads that died before the module was loaded are in the total, with
 * everything that the kernel keeps of them, and in the last record too
 */
TEST_F(late, threads_dead_before_load)
{
	struct taskstats st;
	struct sys_task t;
	struct group g;

	NEED_COUNTS();
	NEED_MODULE();
	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, work_round(&self->w, 'e'));
	load_late(_metadata, self);
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	asked_as_in_proc(_metadata, &st, &t);
	EXPECT_EQ(sys_process_cpu_ns(self->w.pid), st.cpu_run_virtual_total);
	EXPECT_GT(st.nvcsw, t.nvcsw);
	EXPECT_GE(st.read_syscalls, THREADS * 10);

	/* More of them after it, and then the end */
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, work_round(&self->w, 'e'));
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	asked_as_in_proc(_metadata, &st, &t);
	work_tell(&self->w, 'q');
	work_wait(&self->w);
	collect(_metadata, &self->listener, self->w.pid, &g);
	EXPECT_EQ(THREADS + 1, g.tasks);
	record_forget_mm(&st);
	EXPECT_EQ(NULL, record_smaller(&g.total, &st));
	EXPECT_LE(g.total.read_syscalls, st.read_syscalls + 2);
	EXPECT_GE(g.total.read_syscalls, g.sum.read_syscalls + THREADS * 10);
}

/* R12 R13: all other threads were gone before the module came: the last record
 * has what the kernel kept of them
 */
TEST_F(late, only_the_leader_is_left)
{
	struct sys_task t;
	struct group g;

	NEED_COUNTS();
	NEED_MODULE();
	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	ASSERT_EQ(0, work_round(&self->w, 'e'));
	load_late(_metadata, self);
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	work_tell(&self->w, 'q');
	work_wait(&self->w);
	collect(_metadata, &self->listener, self->w.pid, &g);
	EXPECT_EQ(1, g.tasks);
	EXPECT_GE(g.total.read_syscalls, t.syscr);
	EXPECT_LE(g.total.read_syscalls, t.syscr + 2);
	EXPECT_GE(g.total.ac_minflt, t.minflt);
	EXPECT_GE(g.total.read_syscalls, g.sum.read_syscalls + THREADS * 10);
	EXPECT_GT(g.total.nvcsw, g.sum.nvcsw);
}

/* R6 R28: the leader was a zombie already when the module came: it is in the
 * total once, before and after the other threads' end
 */
TEST_F(late, leader_dead_before_load)
{
	struct taskstats st;
	struct sys_task t;
	struct group g;
	int i;

	NEED_COUNTS();
	NEED_MODULE();
	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 's'));
	work_tell(&self->w, 'q');
	for (i = 0; i < 5000 && sys_state(self->w.pid, self->w.pid) != 'Z'; i++)
		usleep(10000);
	load_late(_metadata, self);
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
	EXPECT_EQ(t.syscr, st.read_syscalls);
	EXPECT_EQ(t.syscw, st.write_syscalls);
	EXPECT_EQ(t.minflt, st.ac_minflt);
	EXPECT_EQ(sys_process_cpu_ns(self->w.pid), st.cpu_run_virtual_total);
	kill(self->w.pid, SIGKILL);
	work_wait(&self->w);
	collect(_metadata, &self->listener, self->w.pid, &g);
	EXPECT_EQ(THREADS, g.tasks);
	EXPECT_EQ(st.read_syscalls, g.total.read_syscalls);
	EXPECT_EQ(st.write_syscalls, g.total.write_syscalls);
	record_forget_mm(&st);
	EXPECT_EQ(NULL, record_smaller(&g.total, &st));
}

TEST_HARNESS_MAIN
