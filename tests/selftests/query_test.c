// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries: what they answer, against in-tree TASKSTATS, against /proc and
 * against loads of known size.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>

#include "test.h"

/* Behind the harness, whose macros it has */
#include "asked.h"

FIXTURE(query) {
	struct acct_sock s;
	struct acct_sock tree;
	struct work w;
};

FIXTURE_SETUP(query)
{
	ASSERT_EQ(0, acct_open(&self->s));
	if (!sys_counts())
		return;
	ASSERT_EQ(0, acct_open_family(&self->tree, TASKSTATS_GENL_NAME, 0));
}

FIXTURE_TEARDOWN(query)
{
	acct_close(&self->s);
	if (sys_counts())
		acct_close(&self->tree);
}

static void *reader(void *arg)
{
	(void)arg;
	work_mix(5);
	return NULL;
}

/* Orders: w work, t a thread that works and ends, b burn till told otherwise */
static int obey(int fd, void *arg)
{
	pthread_t t;
	char order;

	(void)arg;
	work_send(fd, 'r');
	while ((order = work_order(fd))) {
		if (order == 'w')
			work_mix(4);
		if (order == 't' && !pthread_create(&t, NULL, reader, NULL))
			pthread_join(t, NULL);
		if (order == 'b')
			break;
		work_send(fd, 'd');
	}
	while (order == 'b') {
		work_read(1, 100);
		work_write(1, 100);
		work_fault(1);
		sched_yield();
	}
	return 0;
}

static void start(struct __test_metadata *_metadata, struct work *w)
{
	ASSERT_EQ(0, work_start(w, obey, NULL));
	ASSERT_EQ('r', work_hear(w));
	ASSERT_EQ(0, work_round(w, 'w'));
}

/* In-tree's word for a value that taskacct gives exactly */
static uint64_t as_in_tree(const struct field *f, uint64_t value)
{
	if (!strcmp(f->name, "read_syscalls") ||
	    !strcmp(f->name, "write_syscalls"))
		return value & ~1023ULL;
	return value;
}

static bool is_begin(const struct field *f)
{
	return !strncmp(f->name, "ac_btime", strlen("ac_btime"));
}

/* Of a task that moves in-tree tells what was counted at a tick. */
static bool is_runtime(const struct field *f)
{
	return !strcmp(f->name, "cpu_run_virtual_total");
}

/* Every field of the middle answer lies between in-tree's two; the peak of a
 * moving task steps back, in-tree as well, see record_smaller(). Its CPU time
 * is to the instant: no more than @ran, which the kernel had counted afterwards; 0: it
 * stands still.
 */
static void check_between(struct __test_metadata *_metadata,
			  const struct taskstats *before,
			  const struct taskstats *st,
			  const struct taskstats *after, uint64_t ran)
{
	const struct field *f;
	uint64_t value;

	EXPECT_STREQ(before->ac_comm, st->ac_comm);
	for_each_field(f) {
		value = as_in_tree(f, record_get(f, st));
		if (is_begin(f)) {
			/* In-tree's is worked out anew and may be one off. */
			EXPECT_LE(record_get(f, before), value + 1);
			EXPECT_LE(value, record_get(f, after) + 1);
			continue;
		}
		if (f->kind == FIELD_PEAK && ran)
			continue;
		EXPECT_LE(record_get(f, before), value)
			TH_LOG("%s", f->name);
		EXPECT_LE(value, ran && is_runtime(f) ? ran :
							record_get(f, after))
			TH_LOG("%s", f->name);
	}
}

/* R3 R5 R15 R16: the same pid asked of both. The task stands still, so that
 * every field but the clocks has to be equal
 */
TEST_F(query, standing_task_as_in_tree)
{
	struct taskstats before;
	struct taskstats after;
	struct taskstats st;
	const struct field *f;

	NEED_COUNTS();
	sys_delayacct(true);
	start(_metadata, &self->w);
	ASSERT_EQ(0, acct_query_pid(&self->tree, self->w.pid, &before));
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	ASSERT_EQ(0, acct_query_pid(&self->tree, self->w.pid, &after));
	for_each_field(f) {
		if (f->kind != FIELD_CLOCK && !is_begin(f)) {
			EXPECT_EQ(record_get(f, &before), record_get(f, &after))
				TH_LOG("%s moved", f->name);
		}
	}
	check_between(_metadata, &before, &st, &after, 0);
	EXPECT_GT(st.cpu_count, 0);
	EXPECT_GT(st.nvcsw, 0);
	work_wait(&self->w);
}

/* The kernel counts at a tick, which may be lost in a VM, and when a task leaves its CPU.
 * So this takes each from whoever runs there.
 */
static uint64_t ran_until_now(pid_t pid)
{
	int cpu;

	for (cpu = 0; cpu < sys_cpus_online(); cpu++)
		work_pin(cpu);
	work_pin_any();
	return sys_process_cpu_ns(pid);
}

/* R5: of a task that works meanwhile each field lies between in-tree's
 * answers before and after, but for its CPU time, which is to the instant
 */
TEST_F(query, running_task_as_in_tree)
{
	struct taskstats before;
	struct taskstats first;
	struct taskstats after;
	struct taskstats st;
	int i;

	NEED_COUNTS();
	start(_metadata, &self->w);
	ASSERT_EQ(0, acct_query_pid(&self->tree, self->w.pid, &first));
	work_tell(&self->w, 'b');
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, acct_query_pid(&self->tree, self->w.pid, &before));
		ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
		ASSERT_EQ(0, acct_query_pid(&self->tree, self->w.pid, &after));
		check_between(_metadata, &before, &st, &after,
			      ran_until_now(self->w.pid));
		if (!_metadata->passed)
			break;
	}
	EXPECT_GT(after.ac_minflt, first.ac_minflt);
	EXPECT_GT(after.read_char, first.read_char);
	kill(self->w.pid, SIGKILL);
	work_wait(&self->w);
}

static void check_proc(struct __test_metadata *_metadata,
		       const struct taskstats *st, const struct sys_task *t)
{
	EXPECT_EQ(t->ppid, st->ac_ppid);
	EXPECT_EQ(t->nice, (int8_t)st->ac_nice);
	EXPECT_EQ(t->policy, st->ac_sched);
	asked_as_in_proc(_metadata, st, t);
	EXPECT_EQ(t->run_ns, st->cpu_run_virtual_total);
	EXPECT_EQ(t->wait_ns, st->cpu_delay_total);
	EXPECT_EQ(t->runs, st->cpu_count);
	EXPECT_EQ(t->nvcsw, st->nvcsw);
	EXPECT_EQ(t->nivcsw, st->nivcsw);
}

/* R5: the same task asked of stat, io, schedstat and status in /proc/PID. On 7 VmHWM
 * can be larger: it adds up what CPUs hold back from the counters
 */
TEST_F(query, standing_task_as_in_proc)
{
	struct taskstats st;
	struct sys_task t;

	NEED_COUNTS();
	start(_metadata, &self->w);
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	check_proc(_metadata, &st, &t);
	EXPECT_GT(st.read_syscalls, 10);
	work_wait(&self->w);
}

/* R8: a process of one thread is asked for by tgid: the same in every field */
TEST_F(query, tgid_of_a_single_thread)
{
	struct taskstats group;
	struct taskstats st;
	const struct field *f;

	start(_metadata, &self->w);
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &group));
	EXPECT_STREQ(st.ac_comm, group.ac_comm);
	for_each_field(f) {
		if (f->kind == FIELD_CLOCK) {
			EXPECT_LE(record_get(f, &st), record_get(f, &group))
				TH_LOG("%s", f->name);
		} else {
			EXPECT_EQ(record_get(f, &st), record_get(f, &group))
				TH_LOG("%s", f->name);
		}
	}
	work_wait(&self->w);
}

/* R5 R8: a pid query for a leader is about that task alone, a tgid query
 * about the process
 */
TEST_F(query, pid_is_the_task_tgid_the_process)
{
	struct taskstats group;
	struct taskstats st;
	struct sys_task t;

	NEED_COUNTS();
	start(_metadata, &self->w);
	ASSERT_EQ(0, work_round(&self->w, 't'));
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &group));
	ASSERT_EQ(0, sys_proc_thread(self->w.pid, self->w.pid, &t));
	EXPECT_EQ(t.syscr, st.read_syscalls);
	EXPECT_EQ(t.nvcsw, st.nvcsw);
	ASSERT_EQ(0, sys_proc_task(self->w.pid, &t));
	EXPECT_EQ(t.syscr, group.read_syscalls);
	EXPECT_GE(group.read_syscalls, st.read_syscalls + 10);
	EXPECT_GT(group.nvcsw, st.nvcsw);
	work_wait(&self->w);
}

static void *sleeper(void *arg)
{
	int *fds = arg;
	pid_t tid = work_tid();
	char c;

	work_read(500, 1024);
	if (write(fds[1], &tid, sizeof(tid)) == sizeof(tid))
		(void)!read(fds[2], &c, 1);
	return NULL;
}

/* R5 R6: any thread can be asked for by its own id. It is no process's id:
 * ESRCH by tgid (in-tree takes it and says it is one)
 */
TEST_F(query, thread_that_is_no_leader)
{
	struct taskstats st;
	pthread_t thread;
	int fds[4];
	pid_t tid;

	NEED_COUNTS();
	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, pipe(fds + 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleeper, fds));
	ASSERT_EQ((ssize_t)sizeof(tid), read(fds[0], &tid, sizeof(tid)));
	ASSERT_EQ(0, acct_query_pid(&self->s, tid, &st));
	EXPECT_EQ((uint32_t)tid, st.ac_pid);
	EXPECT_EQ((uint32_t)getpid(), record_or("ac_tgid", &st, getpid()));
	EXPECT_GE(st.read_char, 500 * 1024);
	EXPECT_LT(st.read_char, 510 * 1024);
	EXPECT_EQ(-ESRCH, acct_query_tgid(&self->s, tid, &st));
	EXPECT_STRNE("", self->s.extack);
	ASSERT_EQ(1, write(fds[3], "x", 1));
	pthread_join(thread, NULL);
}

static int as_somebody(int fd, void *arg)
{
	struct sched_param param = { 0 };

	(void)arg;
	prctl(PR_SET_NAME, "a name with spc");
	setpriority(PRIO_PROCESS, 0, 7);
	sched_setscheduler(0, SCHED_BATCH, &param);
	if (setresgid(4712, 4712, 4712) || setresuid(4711, 4711, 4711))
		return 1;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/* R16: who the task is */
TEST_F(query, identity)
{
	struct taskstats st;
	struct stat exe;

	ASSERT_EQ(0, work_start(&self->w, as_somebody, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	EXPECT_STREQ("a name with spc", st.ac_comm);
	EXPECT_EQ(7, (int8_t)st.ac_nice);
	EXPECT_EQ(SCHED_BATCH, st.ac_sched);
	EXPECT_EQ(4711, st.ac_uid);
	EXPECT_EQ(4712, st.ac_gid);
	EXPECT_EQ((uint32_t)self->w.pid, st.ac_pid);
	EXPECT_EQ((uint32_t)self->w.pid,
		  record_or("ac_tgid", &st, self->w.pid));
	EXPECT_EQ((uint32_t)getpid(), st.ac_ppid);
	EXPECT_EQ(0, st.ac_exitcode);
	ASSERT_EQ(0, stat("/proc/self/exe", &exe));
	EXPECT_EQ(exe.st_ino, record_or("ac_exe_inode", &st, exe.st_ino));
	EXPECT_NE(0, record_or("ac_exe_dev", &st, exe.st_dev));
	work_wait(&self->w);
}

/* R16: when it began, and how long it has been there */
TEST_F(query, begin_and_elapsed)
{
	int64_t before_us = sys_now_ns() / 1000;
	time_t begin = time(NULL);
	struct timespec nap = { .tv_nsec = 200000000 };
	struct taskstats st;
	int64_t started_us;

	ASSERT_EQ(0, work_start(&self->w, obey, NULL));
	started_us = sys_now_ns() / 1000;
	ASSERT_EQ('r', work_hear(&self->w));
	nanosleep(&nap, NULL);
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	EXPECT_LE(st.ac_etime, (uint64_t)(sys_now_ns() / 1000 - before_us));
	EXPECT_GE(st.ac_etime, 200000);
	EXPECT_EQ(st.ac_etime, record_or("ac_tgetime", &st, st.ac_etime));
	EXPECT_GE(st.ac_btime64 + 1, (uint64_t)begin);
	EXPECT_LE(st.ac_btime64, (uint64_t)begin + 1 +
		  (started_us - before_us) / 1000000);
	EXPECT_EQ(st.ac_btime64, st.ac_btime);
	work_wait(&self->w);
}

/* R15: kernel threads have a record too, without an address space */
TEST_F(query, kernel_thread)
{
	struct taskstats st;

	ASSERT_EQ(0, acct_query_pid(&self->s, 2, &st));
	EXPECT_STREQ("kthreadd", st.ac_comm);
	EXPECT_EQ(0, st.hiwater_rss);
	EXPECT_EQ(0, st.hiwater_vm);
	EXPECT_EQ(0, st.ac_exe_inode);
	EXPECT_GT(st.nvcsw, 0);
}

/* A load of known size: system calls are counted as they are ("1000 reads are
 * reported as 0" by in-tree), bytes in whole KiB
 */
TEST_F(query, reads_and_writes_known)
{
	struct taskstats before;
	struct taskstats after;

	NEED_COUNTS();
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &before));
	work_read(1000, 512);
	work_write(300, 2048);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &after));
	EXPECT_EQ(1000, after.read_syscalls - before.read_syscalls);
	EXPECT_EQ(300, after.write_syscalls - before.write_syscalls);
	/* Each of the two answers is rounded down. */
	EXPECT_GE(after.read_char - before.read_char, 1000 * 512 - 1024);
	EXPECT_LE(after.read_char - before.read_char, 1000 * 512 + 1024);
	EXPECT_GE(after.write_char - before.write_char, 300 * 2048 - 1024);
	EXPECT_LE(after.write_char - before.write_char, 300 * 2048 + 1024);
	EXPECT_EQ(0, after.read_char % 1024);
}

/* A load of known size: page faults, as getrusage() has them */
TEST_F(query, faults_known)
{
	struct rusage ru_before;
	struct rusage ru_after;
	struct taskstats before;
	struct taskstats after;

	getrusage(RUSAGE_THREAD, &ru_before);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &before));
	work_fault(777);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &after));
	getrusage(RUSAGE_THREAD, &ru_after);
	EXPECT_GE(after.ac_minflt - before.ac_minflt, 777);
	EXPECT_LE((uint64_t)ru_before.ru_minflt, before.ac_minflt);
	EXPECT_GE((uint64_t)ru_after.ru_minflt, after.ac_minflt);
}

/* A load of known size: context switches, as getrusage() has them */
TEST_F(query, switches_known)
{
	struct rusage ru_before;
	struct rusage ru_after;
	struct taskstats before;
	struct taskstats after;

	getrusage(RUSAGE_THREAD, &ru_before);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &before));
	work_switch(200);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &after));
	getrusage(RUSAGE_THREAD, &ru_after);
	/* A timer may fire just before the task sleeps: that is no switch. */
	EXPECT_GE(after.nvcsw - before.nvcsw, 150);
	EXPECT_LE(after.nvcsw - before.nvcsw, 210);
	EXPECT_LE((uint64_t)ru_before.ru_nvcsw, before.nvcsw);
	EXPECT_GE((uint64_t)ru_after.ru_nvcsw, after.nvcsw);
	EXPECT_LE((uint64_t)ru_before.ru_nivcsw, before.nivcsw);
	EXPECT_GE((uint64_t)ru_after.ru_nivcsw, after.nivcsw);
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Burn CPU time and check what the records before and after say of it.
 * Return: what was sampled, in microseconds.
 */
static uint64_t burn_and_check(struct __test_metadata *_metadata,
			       struct acct_sock *s, int64_t load)
{
	uint64_t cpu_before = thread_cpu_ns();
	struct taskstats before;
	struct taskstats after;
	uint64_t sampled;
	uint64_t cpu;

	EXPECT_EQ(0, acct_query_pid(s, getpid(), &before));
	work_burn(load);
	EXPECT_EQ(0, acct_query_pid(s, getpid(), &after));
	cpu = after.cpu_run_virtual_total - before.cpu_run_virtual_total;
	/* What it ran since the last tick may not be in it yet. */
	EXPECT_GE(cpu, (uint64_t)load * 9 / 10);
	EXPECT_LE(after.cpu_run_virtual_total, thread_cpu_ns());
	EXPECT_LE(cpu, thread_cpu_ns() - cpu_before + load / 10);
	sampled = after.ac_utime + after.ac_stime -
		  before.ac_utime - before.ac_stime;
	EXPECT_LE(sampled, (uint64_t)load / 1000 * 3);
	/* Each of the two is cut to whole microseconds. */
	EXPECT_LE(after.ac_utime + after.ac_stime, after.cpu_run_real_total / 1000);
	EXPECT_GE(after.ac_utime + after.ac_stime + 1, after.cpu_run_real_total / 1000);
	return sampled;
}

/* What ticks of a CPU found running, in microseconds, without interrupts */
static uint64_t stat_us(struct __test_metadata *_metadata)
{
	unsigned long long user = 0, nice = 0, system = 0;
	char text[1024];
	const char *cpu;

	EXPECT_LT(0, sys_read("/proc/stat", text, sizeof(text)));
	cpu = strstr(text, "cpu0 ");
	EXPECT_NE(NULL, cpu);
	EXPECT_EQ(3, sscanf(cpu ?: "", "cpu0 %llu %llu %llu", &user, &nice,
			    &system));
	return (user + nice + system) * 1000000 / sysconf(_SC_CLK_TCK);
}

/* R86 R87: a load of known size: CPU time, exact by the scheduler, sampled by ticks: both,
 * never mixed. Ticks are lost while a busy host lets the guest wait: to all of the
 * kernel's books alike.
 */
TEST_F(query, cpu_time_known)
{
	const int64_t load = 500000000;
	uint64_t before, sampled = 0, found = 0;
	int i;

	ASSERT_EQ(0, work_pin(0));
	for (i = 0; i < 100 && found < (uint64_t)load / 1000 / 2; i++) {
		before = stat_us(_metadata);
		sampled += burn_and_check(_metadata, &self->s, load);
		found += stat_us(_metadata) - before;
	}
	EXPECT_GE(found, (uint64_t)load / 1000 / 2);
	EXPECT_GE(sampled, found * 3 / 4);
	work_pin_any();
}

/* A load of known size: memory, the peak of it also after it was given back */
TEST_F(query, peak_known)
{
	struct taskstats before;
	struct taskstats after;

	/* The program's own pages come in as it runs for the first time. */
	work_fault(64);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &after));
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &before));
	work_fault(8192);
	ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &after));
	EXPECT_GE(after.hiwater_rss, 32 * 1024);
	EXPECT_GE(after.hiwater_vm, before.hiwater_vm);
	EXPECT_LE(after.hiwater_rss, before.hiwater_rss + 33 * 1024);
}

static int wait_for_cpu(int fd, void *arg)
{
	(void)arg;
	work_pin(0);
	work_send(fd, 'r');
	work_order(fd);
	work_burn(100000000);
	work_send(fd, 'd');
	work_order(fd);
	return 0;
}

/* Two that want one CPU wait for it: the wait is in cpu_delay_total */
TEST_F(query, cpu_delay)
{
	struct taskstats st[2];
	struct work w[2];
	struct sys_task t;
	int i;

	NEED_COUNTS();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_start(&w[i], wait_for_cpu, NULL));
		ASSERT_EQ('r', work_hear(&w[i]));
	}
	work_tell(&w[0], 'g');
	work_tell(&w[1], 'g');
	for (i = 0; i < 2; i++) {
		ASSERT_EQ('d', work_hear(&w[i]));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_settle(w[i].pid));
		ASSERT_EQ(0, acct_query_pid(&self->s, w[i].pid, &st[i]));
		ASSERT_EQ(0, sys_proc_task(w[i].pid, &t));
		EXPECT_EQ(t.wait_ns, st[i].cpu_delay_total);
		work_wait(&w[i]);
	}
	/* The two had to take turns for at least one of the two loads. */
	EXPECT_GE(st[0].cpu_delay_total + st[1].cpu_delay_total, 50000000);
}

/* The module's own statistics: every one is there, queries are counted, and the
 * hook in force is the one in /sys
 */
TEST_F(query, statistics)
{
	struct acct_stat before;
	struct acct_stat after;
	struct taskstats st;
	char hook[64];
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_stat_get(&self->s, &before));
	for (i = 0; i < 7; i++) {
		ASSERT_EQ(0, acct_query_pid(&self->s, getpid(), &st));
		ASSERT_EQ(0, acct_query_tgid(&self->s, getpid(), &st));
		ASSERT_EQ(-ESRCH, acct_query_pid(&self->s, 0, &st));
	}
	ASSERT_EQ(0, acct_stat_get(&self->s, &after));
	EXPECT_EQ(14, after.queries - before.queries);
	for (i = TASKACCT_STAT_ATTR_HOOK; i <= TASKACCT_STAT_ATTR_MAX; i++) {
		EXPECT_TRUE(after.seen & (1U << (i - 16)))
			TH_LOG("attribute %d is not there", i);
	}
	ASSERT_LT(0, sys_read("/sys/module/taskacct/parameters/hook", hook,
			      sizeof(hook)));
	hook[strcspn(hook, "\n")] = '\0';
	EXPECT_STREQ(hook, after.hook);
	EXPECT_NE(NULL, strchr(hook, ':'));
}

TEST_HARNESS_MAIN
