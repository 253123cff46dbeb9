// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole life: what a task runs between its exit, where its address space is still
 * there, and its end is in its record. Held against it is each step by which the
 * kernel counts what it ran (the trace event sched_stat_runtime), the last one behind
 * its end included. In a VM that counts instructions each is one ns.
 *
 * 5 us may be missing in a record: it is read a little before the kernel counts for the
 * last time. Measured were 3.8 us at most, on 7. What an interrupt takes that comes in
 * between is counted for the task as well: the tracer tells how long that was.
 *
 * More than what the kernel counts is in it only where the task ran on uncounted: when it
 * has woken another that is to have the CPU, the kernel counts as of then, and what the
 * task runs until it leaves goes to the next one. How long that was is the time between the
 * last step and the switch to another task (the event sched_switch).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/acct.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acct.h"
#include "extended.h"
#include "hold.h"
#include "test.h"
#include "users.h"
#include "work.h"

#define RCVBUF (8 << 20)
#define TRACING "/sys/kernel/tracing/"
#define STEPS "events/sched/sched_stat_runtime/"
#define SWITCHES "events/sched/sched_switch/"

static const char *const interrupts[] = {
	"events/irq/irq_handler_entry/",
	"events/irq/irq_handler_exit/",
	"events/irq/softirq_entry/",
	"events/irq/softirq_exit/",
	"events/timer/hrtimer_expire_entry/",
	"events/timer/hrtimer_expire_exit/",
};

#define MISSING_NS 5000
/*
 * How far the time between two events may be less than what it was: both are in
 * microseconds, and the clock that a step goes by is read some hundred instructions before.
 */
#define LATER_NS 2000
/* Events of interrupts that follow each other in less are of one interruption. */
#define APART_NS 5000

#define TASKS 4096
#define THREADS 20
#define FILES 10000

/*
 * What was counted, when for the last time, and when the task last left its CPU; when it
 * was interrupted for the last time, from the first event to the last
 */
struct ran {
	pid_t pid;
	uint64_t ns, stepped_ns, left_ns;
	uint64_t interrupted_ns, resumed_ns;
};

FIXTURE(end)
{
	struct acct_sock listener;
	struct ran *ran;
	size_t n;
	pid_t root;
	bool able;
};

FIXTURE_SETUP(end)
{
	/* A tracepoint sees exits, and no end. */
	NEED_FTRACE();
	NEED_WHOLE_RUNTIME();
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	ASSERT_EQ(0, sys_write(TRACING "buffer_size_kb", "16384"));
	self->ran = calloc(TASKS, sizeof(*self->ran));
	ASSERT_NE(NULL, self->ran);
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(end)
{
	if (!self->able)
		return;
	acct(NULL);
	acct_close(&self->listener);
	free(self->ran);
}

static struct ran *ran_of(FIXTURE_DATA(end) *self, pid_t pid)
{
	size_t i;

	for (i = 0; i < self->n; i++)
		if (self->ran[i].pid == pid)
			return &self->ran[i];
	return NULL;
}

static struct ran *ran_or_new(FIXTURE_DATA(end) *self, pid_t pid)
{
	struct ran *ran = ran_of(self, pid);

	if (!ran && self->n < TASKS) {
		ran = &self->ran[self->n++];
		*ran = (struct ran){ .pid = pid };
	}
	return ran;
}

/* "COMM-PID [CPU] FLAGS TIME: EVENT: ...". Of the time the trace shows microseconds. */
static uint64_t time_of(const char *line)
{
	const char *cpu = strchr(line, ']');
	unsigned long long sec, usec;

	return cpu && sscanf(cpu, "] %*s %llu.%6llu", &sec, &usec) == 2 ?
		       (sec * 1000000 + usec) * 1000 :
		       0;
}

static pid_t pid_of(const char *line)
{
	const char *end = strchr(line, '[');

	while (end && end > line && end[-1] != '-')
		end--;
	return end ? atoi(end) : 0;
}

static void take_interrupt(FIXTURE_DATA(end) *self, const char *line)
{
	const bool begins = strstr(line, "_entry: ");
	const uint64_t now_ns = time_of(line);
	struct ran *ran = NULL;

	if (begins || strstr(line, "_exit: "))
		ran = ran_or_new(self, pid_of(line));
	if (!ran)
		return;
	if (begins && now_ns > ran->resumed_ns + APART_NS)
		ran->interrupted_ns = now_ns;
	ran->resumed_ns = now_ns;
}

static void take_line(FIXTURE_DATA(end) *self, const char *line)
{
	const char *step = strstr(line, ": sched_stat_runtime: ");
	const char *left = strstr(line, ": sched_switch: ");
	const char *event = step ? step : left, *pid, *ns;
	struct ran *ran;

	if (line[0] == '#')
		return;
	if (!event) {
		take_interrupt(self, line);
		return;
	}
	pid = strstr(event, step ? " pid=" : " prev_pid=");
	ran = pid ? ran_or_new(self, atoi(strchr(pid, '=') + 1)) : NULL;
	ns = step ? strstr(step, " runtime=") : NULL;
	if (ran && ns) {
		ran->ns += strtoull(ns + 9, NULL, 10);
		ran->stepped_ns = time_of(line);
	} else if (ran) {
		ran->left_ns = time_of(line);
	}
}

/*
 * How long it was interrupted between the reading of its record and its end, at most: what
 * was over more than 5 us before it left its CPU was before the reading.
 */
static int64_t interruption_ns(const struct ran *ran)
{
	if (ran->left_ns < ran->resumed_ns || ran->left_ns > ran->resumed_ns + MISSING_NS)
		return 0;
	return ran->resumed_ns - ran->interrupted_ns;
}

/* What it has run at most */
static uint64_t ran_ns(const struct ran *ran)
{
	if (ran->left_ns < ran->stepped_ns)
		return ran->ns;
	return ran->ns + (ran->left_ns - ran->stepped_ns) + LATER_NS;
}

static int read_trace(FIXTURE_DATA(end) *self)
{
	FILE *file = fopen(TRACING "trace", "re");
	char line[512];

	if (!file)
		return -errno;
	self->n = 0;
	while (fgets(line, sizeof(line), file))
		take_line(self, line);
	return fclose(file);
}

static void trace_tasks(struct __test_metadata *_metadata, const char *event,
			const char *comm, const char *names)
{
	char path[128], filter[128];

	snprintf(path, sizeof(path), TRACING "%sfilter", event);
	snprintf(filter, sizeof(filter), "%s ~ \"%s\" || %s == \"true\"", comm,
		 names, comm);
	ASSERT_EQ(0, sys_write(path, filter));
	snprintf(path, sizeof(path), TRACING "%senable", event);
	ASSERT_EQ(0, sys_write(path, "1"));
}

static void trace_no_more(struct __test_metadata *_metadata, const char *event)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%senable", event);
	ASSERT_EQ(0, sys_write(path, "0"));
	snprintf(path, sizeof(path), TRACING "%sfilter", event);
	ASSERT_EQ(0, sys_write(path, "0"));
}

/*
 * Have it done by a process while tasks are traced whose name is like this. To name the
 * process by set_event_pid would trace no others, but the tracer forgets a task at its
 * exit: what is counted between it and the end would be missing.
 */
static void run_traced(struct __test_metadata *_metadata,
		       FIXTURE_DATA(end) *self, int (*fn)(void),
		       const char *names)
{
	int status, go[2];
	size_t i;
	pid_t pid;
	char word;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(read(go[0], &word, 1) == 1 ? fn() : 99);
	self->root = pid;
	ASSERT_EQ(0, sys_write(TRACING "trace", ""));
	trace_tasks(_metadata, STEPS, "comm", names);
	trace_tasks(_metadata, SWITCHES, "prev_comm", names);
	for (i = 0; i < ARRAY_SIZE(interrupts); i++)
		trace_tasks(_metadata, interrupts[i], "comm", names);
	ASSERT_EQ(1, write(go[1], "g", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	usleep(200000);
	trace_no_more(_metadata, STEPS);
	trace_no_more(_metadata, SWITCHES);
	for (i = 0; i < ARRAY_SIZE(interrupts); i++)
		trace_no_more(_metadata, interrupts[i]);
	ASSERT_EQ(0, read_trace(self));
	close(go[0]);
	close(go[1]);
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(end) *self,
		int (*fn)(void))
{
	run_traced(_metadata, self, fn, "end_test");
}

/*
 * Compare each record of a task that began when it was traced; of the process itself, and
 * of those that were there before, what they ran to begin with is missing. Returns how
 * many there are.
 */
static unsigned int compare_all(struct __test_metadata *_metadata,
				FIXTURE_DATA(end) *self, const char *comm)
{
	int64_t missing, least = INT64_MAX, most = INT64_MIN;
	unsigned int n = 0;
	struct acct_exit e;
	struct ran *ran;

	while (!acct_next_exit(&self->listener, &e, QUIET_MS)) {
		ran = ran_of(self, e.pid);
		if (!ran || ran->pid <= self->root ||
		    strncmp(e.task.ac_comm, comm, strlen(comm)))
			continue;
		n++;
		missing = ran->ns - e.task.cpu_run_virtual_total;
		least = missing < least ? missing : least;
		most = missing > most ? missing : most;
		EXPECT_GE(MISSING_NS + interruption_ns(ran), missing);
		EXPECT_LE(e.task.cpu_run_virtual_total, ran_ns(ran))
			TH_LOG("task %u: %llu counted", e.pid,
			       (unsigned long long)ran->ns);
	}
	TH_LOG("%u tasks, %lld to %lld ns missing", n, (long long)least,
	       (long long)most);
	return n;
}

static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(end) *self,
		    unsigned int tasks)
{
	EXPECT_EQ(tasks, compare_all(_metadata, self, ""));
}

/* The same for all together, with as much of each */
static void compare_sum(struct __test_metadata *_metadata,
			FIXTURE_DATA(end) *self, unsigned int tasks)
{
	uint64_t reported = 0, counted = 0, most = 0;
	int64_t missing = (int64_t)MISSING_NS * tasks;
	unsigned int n = 0;
	struct acct_exit e;
	size_t i;

	while (!acct_next_exit(&self->listener, &e, QUIET_MS)) {
		if (!ran_of(self, e.pid) ||
		    e.task.ac_ppid == (uint32_t)getpid())
			continue;
		n++;
		reported += e.task.cpu_run_virtual_total;
	}
	for (i = 0; i < self->n; i++)
		if (self->ran[i].pid > self->root) {
			counted += self->ran[i].ns;
			most += ran_ns(&self->ran[i]);
			missing += interruption_ns(&self->ran[i]);
		}
	EXPECT_EQ(tasks, n);
	EXPECT_GE(missing, (int64_t)(counted - reported));
	EXPECT_LE(reported, most);
	TH_LOG("%u tasks, %lld ns missing together", n,
	       (long long)(counted - reported));
}

static int child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn());
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int nothing(void)
{
	return 0;
}

static int touch_1m(void)
{
	work_touch(1 << 20);
	return 0;
}

static int touch_200m(void)
{
	work_touch(200 << 20);
	return 0;
}

static int touch_1g(void)
{
	work_touch(1 << 30);
	return 0;
}

static int have_memory(void)
{
	return child(nothing) | child(touch_1m) | child(touch_200m) |
	       child(touch_1g);
}

/* R10: what it costs to take an address space of nothing, 1 MiB, 200 MiB and 1 GiB
 * apart is in the records
 */
TEST_F(end, memory)
{
	NEED_LOADED(self->able);
	run(_metadata, self, have_memory);
	compare(_metadata, self, 4);
}

static int open_all(void)
{
	const struct rlimit limit = { FILES + 10, FILES + 10 };
	int i;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	for (i = 0; i < FILES; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			return 1;
	return 0;
}

static int have_files(void)
{
	return child(open_all);
}

/* R10: and closing what is open */
TEST_F(end, files)
{
	NEED_LOADED(self->able);
	run(_metadata, self, have_files);
	compare(_metadata, self, 1);
}

static void *work_a_little(void *arg)
{
	work_burn(50000);
	return arg;
}

static int have_threads_one_by_one(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work_a_little, NULL) ||
		    pthread_join(thread, NULL))
			return 1;
	return 0;
}

static void *stay(void *arg)
{
	pause();
	return arg;
}

static int end_with_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, stay, NULL))
			return 1;
	usleep(20000);
	return 0;
}

static int have_threads(void)
{
	return child(have_threads_one_by_one) | child(end_with_threads);
}

/* R8 R10: of threads of a process that goes on, and of those that end with it */
TEST_F(end, threads)
{
	NEED_LOADED(self->able);
	run(_metadata, self, have_threads);
	compare(_metadata, self, 2 * (THREADS + 1));
}

static int kill_some(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < THREADS; i++) {
		pid = fork();
		while (!pid)
			;
		usleep(3000 + 517 * i);
		if (kill(pid, SIGKILL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSIGNALED(status))
			return 1;
	}
	return 0;
}

/* R10: of those that are killed in the middle of it */
TEST_F(end, killed)
{
	NEED_LOADED(self->able);
	run(_metadata, self, kill_some);
	compare(_metadata, self, THREADS);
}

static int execute(void)
{
	execl("/bin/true", "true", NULL);
	return 1;
}

static void *execute_in_thread(void *arg)
{
	execute();
	return arg;
}

static int execute_by_another(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, execute_in_thread, NULL))
		pause();
	return 1;
}

static int have_programs(void)
{
	return child(execute) | child(execute_by_another);
}

/*
 * R10: where a thread that is not the leader executes a program, two have had the leader's
 * number, and it itself two numbers: only the sum can be compared. By the trace alone they
 * cannot be told apart: a leader that is preempted on its last way loses its number there.
 */
TEST_F(end, programs)
{
	NEED_LOADED(self->able);
	run(_metadata, self, have_programs);
	compare_sum(_metadata, self, 3);
}

static int trace_children(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < THREADS; i++) {
		pid = fork();
		if (!pid) {
			pause();
			_exit(0);
		}
		if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXIT) ||
		    kill(pid, SIGTERM) || waitpid(pid, &status, 0) != pid ||
		    ptrace(PTRACE_CONT, pid, 0, SIGTERM) ||
		    waitpid(pid, &status, 0) != pid ||
		    status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8) ||
		    ptrace(PTRACE_CONT, pid, 0, 0) ||
		    waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
			return 1;
	}
	return 0;
}

/* R10: of those that somebody traces */
TEST_F(end, traced)
{
	NEED_LOADED(self->able);
	run(_metadata, self, trace_children);
	compare(_metadata, self, THREADS);
}

static int sync_by_ring(void)
{
	return !work_ring_sync("/tmp/end_test");
}

static int have_workers(void)
{
	return child(sync_by_ring);
}

/* R9 R10: of a worker of io_uring, a thread of the process or, before 5.12, of the kernel */
TEST_F(end, io_uring)
{
	NEED_LOADED(self->able);
	run_traced(_metadata, self, have_workers, "io*w*");
	compare(_metadata, self, 1);
}

/* Unbound workers are of a niceness: for another one the kernel makes others. */
#define NICE "/sys/devices/virtual/workqueue/writeback/nice"
#define CHANGES 19

static int change_workers(void)
{
	char nice[8];
	int i;

	for (i = -CHANGES; i <= 0; i++) {
		snprintf(nice, sizeof(nice), "%d", i);
		if (sys_write(NICE, nice))
			return 1;
	}
	/* They end in their own time. */
	sleep(3);
	return 0;
}

/* R9 R10: of threads of the kernel, which are kthreadd's until they have a name */
TEST_F(end, kernel_threads)
{
	NEED_LOADED(self->able);
	run_traced(_metadata, self, change_workers, "k*");
	EXPECT_LE(CHANGES / 2, compare_all(_metadata, self, "kworker/"));
}

static int linger(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	const struct linger linger = { .l_onoff = 1, .l_linger = 1 };
	const int server = socket(AF_INET, SOCK_STREAM, 0);
	const int client = socket(AF_INET, SOCK_STREAM, 0);
	static char data[4 << 20];
	socklen_t len = sizeof(to);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return bind(server, (struct sockaddr *)&to, len) || listen(server, 1) ||
	       getsockname(server, (struct sockaddr *)&to, &len) ||
	       connect(client, (struct sockaddr *)&to, len) ||
	       setsockopt(client, SOL_SOCKET, SO_LINGER, &linger,
			  sizeof(linger)) ||
	       send(client, data, sizeof(data), MSG_DONTWAIT) <= 0;
}

static int have_sockets(void)
{
	return child(linger);
}

/* R10: closing a socket that lingers, for which the kernel has nobody wait who exits */
TEST_F(end, lingers)
{
	NEED_LOADED(self->able);
	run(_metadata, self, have_sockets);
	compare(_metadata, self, 1);
}

#define ACCOUNTS "/tmp/end_test.acct"

/* Reads and writes, and exits when it is told to */
static int use_files(int fd, void *arg)
{
	(void)arg;
	work_read(20, 3000);
	work_write(10, 2000);
	work_send(fd, '.');
	return work_order(fd) != 'x';
}

static void expect_io(struct __test_metadata *_metadata,
		      const struct sys_task *zombie,
		      const struct taskacct_record *r)
{
	EXPECT_EQ(zombie->rchar, r->rchar);
	EXPECT_EQ(zombie->wchar, r->wchar);
	EXPECT_EQ(zombie->syscr, r->syscr);
	EXPECT_EQ(zombie->syscw, r->syscw);
	EXPECT_EQ(zombie->read_bytes, r->read_bytes);
	EXPECT_EQ(zombie->write_bytes, r->write_bytes);
	EXPECT_EQ(zombie->cancelled, r->cancelled_write_bytes);
	EXPECT_EQ(zombie->minflt, r->min_flt);
	EXPECT_EQ(zombie->majflt, r->maj_flt);
}

/*
 * A task leaves its CPU for good when its record is made. Where the kernel preempts itself
 * it can do so, wait and run again in between.
 */
static void expect_switches(struct __test_metadata *_metadata,
			    const struct sys_task *zombie,
			    const struct taskacct_record *r,
			    const struct taskacct_wait *cpu)
{
	EXPECT_EQ(zombie->nvcsw, r->nvcsw + 1);
	EXPECT_LE(r->nivcsw, zombie->nivcsw);
	EXPECT_GE(r->nivcsw + 1, zombie->nivcsw);
	EXPECT_LE(cpu->count, zombie->runs);
	EXPECT_GE(cpu->count + zombie->nivcsw - r->nivcsw, zombie->runs);
	if (zombie->runs == cpu->count)
		EXPECT_EQ(zombie->wait_ns, cpu->total);
}

/*
 * Have it exit, and be held behind that, and then come to its end. Returns what the kernel
 * has of it then.
 */
static struct sys_task exit_held(struct __test_metadata *_metadata, struct hold *h)
{
	struct sys_task zombie = {};
	siginfo_t info;

	EXPECT_EQ(0, work_tell(&h->w, 'x'));
	EXPECT_TRUE(hold_await(h->w.pid));
	hold_let_go(h->key);
	EXPECT_EQ(0, waitid(P_PID, h->w.pid, &info, WEXITED | WNOWAIT));
	usleep(20000);
	EXPECT_EQ(0, sys_proc_task(h->w.pid, &zombie));
	return zombie;
}

/* R10: /proc/PID/io, stat, status and schedstat of a process that has ended have what its
 * record has: what acct(2) wrote in its name behind its exit, and its sleep there, too
 */
TEST_F(end, books)
{
	struct sys_task before, zombie;
	struct acct_sock listener;
	struct ext_message m;
	struct hold h;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	ASSERT_EQ(0, ext_listen(&listener, TASKACCT_WANT_RECORD, NULL, RCVBUF));
	ASSERT_LE(0, close(creat(ACCOUNTS, 0600)));
	ASSERT_EQ(0, acct(ACCOUNTS));
	ASSERT_EQ(0, hold_start(&h, use_files, NULL));
	ASSERT_EQ('.', work_hear(&h.w));
	ASSERT_EQ(0, work_settle(h.w.pid));
	ASSERT_EQ(0, sys_proc_task(h.w.pid, &before));
	zombie = exit_held(_metadata, &h);
	ASSERT_EQ(0, ext_wait_task(&listener, h.w.pid, &m));
	expect_io(_metadata, &zombie, &m.task);
	expect_switches(_metadata, &zombie, &m.task,
			&m.task_waits[TASKACCT_WAIT_CPU]);
	EXPECT_EQ(before.wchar + sizeof(struct acct_v3), m.task.wchar);
	EXPECT_EQ(before.syscw + 1, m.task.syscw);
	EXPECT_LT(before.nvcsw, m.task.nvcsw);
	EXPECT_LT(before.runs + 1, m.task_waits[TASKACCT_WAIT_CPU].count);
	EXPECT_EQ(0, work_wait(&h.w));
	EXPECT_EQ(0, acct(NULL));
	acct_close(&listener);
}

FIXTURE(anew)
{
	struct acct_sock s;
	bool able;
};

FIXTURE_SETUP(anew)
{
	SET_UP("");
}

FIXTURE_TEARDOWN(anew)
{
	TEAR_DOWN();
}

/* What it had run before and after it became the user */
static int touch_as_user(uint64_t *ran)
{
	ran[0] = sys_process_cpu_ns(getpid());
	user_become(FIRST_UID);
	ran[1] = sys_process_cpu_ns(getpid());
	work_touch(20 << 20);
	return 0;
}

/* R82: nobody listens: the user's total has what it costs to take 20 MiB of a task
 * apart, within 5 us
 */
TEST_F(anew, users)
{
	struct uid_total total;
	siginfo_t info;
	uint64_t *ran, whole;
	pid_t pid;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	ran = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, ran);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(touch_as_user(ran));
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	usleep(20000);
	whole = sys_process_cpu_ns(pid);
	ASSERT_EQ(0, uid_get(&self->s, FIRST_UID, &total));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(1, total.record.ended);
	EXPECT_LE(whole - ran[1], total.usage[0].runtime + MISSING_NS);
	EXPECT_LE(total.usage[0].runtime, whole - ran[0] + MISSING_NS);
	TH_LOG("%llu ns told, %llu to %llu counted",
	       (unsigned long long)total.usage[0].runtime,
	       (unsigned long long)(whole - ran[1]),
	       (unsigned long long)(whole - ran[0]));
	munmap(ran, 4096);
}

#define STINTS 20

/**
 * struct turn - what a task had run when it began to change its user, and after that
 * @least: before the call, in ns
 * @most: behind it
 */
struct turn {
	uint64_t least;
	uint64_t most;
};

/*
 * Runs for so long and changes its user. The kernel is not asked in between: while no
 * other task runs, what it has run is what has gone by. If one did, more has gone by than
 * the kernel knows of, and what that says is taken.
 */
static void run_and_change(struct turn *turn, uint64_t ns, uint32_t uid)
{
	int64_t at, before, after;
	uint64_t ran, asked;

	ran = work_spin_known(ns, &at);
	before = sys_now_ns();
	user_become(uid);
	after = sys_now_ns();
	asked = work_thread_ns();
	turn->least = ran + (before - at);
	turn->most = ran + (after - at);
	if (asked < turn->most)
		*turn = (struct turn){ ran, asked };
}

/* Is the first user and the second in turn, and ends as a third */
static int take_turns(struct turn *turns)
{
	int i;

	run_and_change(&turns[0], 300000, FIRST_UID);
	for (i = 1; i <= STINTS; i++)
		run_and_change(&turns[i], i % 2 ? 700000 : 300000,
			       i == STINTS ? FIRST_UID + 2 : FIRST_UID + i % 2);
	return 0;
}

/* What it has run at least, and at most, as one of the two users */
static struct turn sum_of_turns(const struct turn *turns, int user)
{
	struct turn sum = {};
	int i;

	for (i = 1 + user; i <= STINTS; i += 2) {
		sum.least += turns[i].least - turns[i - 1].most;
		sum.most += turns[i].most - turns[i - 1].least;
	}
	return sum;
}

static uint64_t runtime_of_user(struct __test_metadata *_metadata,
				struct acct_sock *s, uint32_t uid)
{
	struct uid_usage sum = {};
	struct uid_total total;

	EXPECT_EQ(0, uid_get(s, uid, &total));
	uid_sum(&sum, &total);
	return sum.runtime;
}

/* R79 R82: of a task that changes its user again and again, in less than a tick, each
 * user has what it ran as his within 5 us a change
 */
TEST_F(anew, turns)
{
	struct turn *turns, known;
	uint64_t told;
	pid_t pid;
	int i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	if (sys_file_has("/proc/taskacct/stat", "irqtime measured"))
		SKIP(return, "the kernel takes the time of interrupts from tasks");
	turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, turns);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(take_turns(turns));
	ASSERT_EQ(pid, work_reap(pid, NULL));
	for (i = 0; i < 2; i++) {
		known = sum_of_turns(turns, i);
		told = runtime_of_user(_metadata, &self->s, FIRST_UID + i);
		EXPECT_LE(known.most, told + STINTS * MISSING_NS);
		EXPECT_LE(told, known.least + STINTS * MISSING_NS);
		TH_LOG("%llu ns told, %llu to %llu known",
		       (unsigned long long)told,
		       (unsigned long long)known.least,
		       (unsigned long long)known.most);
	}
	munmap(turns, 4096);
}

static uint32_t flags_of_exit(struct __test_metadata *_metadata)
{
	struct acct_sock listener;
	struct ext_message m;
	pid_t pid;

	ASSERT_EQ(0, ext_listen(&listener, EXT_BARE, NULL, RCVBUF));
	pid = work_exit_process(0);
	ASSERT_EQ(0, ext_wait_task(&listener, pid, &m));
	EXPECT_TRUE(m.task.valid & 1ULL << TASKACCT_HAS_RUNTIME);
	acct_close(&listener);
	return m.task.flags;
}

/* By default no record has TASKACCT_RECORD_EARLY, and the module names its hook of
 * ends. With hook=tracepoint each has it, with valid CPU time, and that hook is "none".
 */
TEST_F(anew, early)
{
	struct acct_stat st;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STRNE("none", st.end_hook);
	EXPECT_FALSE(flags_of_exit(_metadata) & TASKACCT_RECORD_EARLY);
	RELOAD("hook=tracepoint");
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ("none", st.end_hook);
	EXPECT_TRUE(flags_of_exit(_metadata) & TASKACCT_RECORD_EARLY);
}

TEST_HARNESS_MAIN
