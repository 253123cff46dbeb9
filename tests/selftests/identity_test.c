// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who a task was, how it ended and which of its values count, in the extended
 * record: the same at the exit as before, when nobody can look it up any more.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "test.h"

#define GROUP "taskacct-identity"
#define PROGRAM "/dev/shm/taskacct program"
#define CORE_PATTERN "/proc/sys/kernel/core_pattern"
#define CORE "/dev/shm/taskacct-core"
#define ALL ((1ULL << __TASKACCT_HAS_MAX) - 1)
#define PID TASKSTATS_CMD_ATTR_PID
#define TGID TASKSTATS_CMD_ATTR_TGID

#define HAS(group) (1ULL << TASKACCT_HAS_##group)
#define WAITS (HAS(EXTREMES) | HAS(BLKIO) | HAS(SWAPIN) | HAS(FREEPAGES) | \
	       HAS(THRASHING) | HAS(COMPACT) | HAS(WPCOPY) | HAS(IRQ))

/* What nobody may be without, on whatever kernel */
#define ALWAYS (HAS(CPU_TIME) | HAS(RUNTIME) | HAS(FAULTS) | HAS(SWITCHES))

FIXTURE(who) {
	struct acct_sock s;
	struct acct_sock l;
};

FIXTURE_SETUP(who)
{
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, ext_listen_both(&self->l, EXT_BARE | EXT_NAMES));
}

FIXTURE_TEARDOWN(who)
{
	acct_close(&self->s);
	acct_close(&self->l);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void rest(int fd)
{
	while (work_order(fd))
		work_send(fd, 'd');
}

/* Becomes somebody that can be told from others in every respect. */
static int be_somebody(int fd, void *arg)
{
	(void)arg;
	if (cgroup_enter(GROUP, 0) || work_pin(0) || nice(7) < 0 ||
	    setresgid(2001, 2002, 2003) || setresuid(1001, 1002, 1003))
		return 1;
	prctl(PR_SET_NAME, "a somebody");
	rest(fd);
	return 0;
}

/* Of "Uid: real effective saved fs" the one at place @i */
static unsigned int id_of(pid_t pid, const char *name, int i)
{
	char path[64];
	char line[256];
	unsigned int ids[4] = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ":%u%u%u%u", &ids[0],
			       &ids[1], &ids[2], &ids[3]);
	}
	if (f)
		fclose(f);
	return ids[i];
}

static uint64_t inode_of(pid_t pid, const char *name)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Field 22 of /proc/PID/stat, in clock ticks since boot */
static uint64_t start_of(pid_t pid)
{
	char path[64];
	char buf[1024];
	char *p;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	sys_read(path, buf, sizeof(buf));
	p = strrchr(buf, ')');
	for (i = 0; i < 20 && p; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

/* 0 where the kernel has none: then it is absent */
static uint32_t loginuid_of(pid_t pid)
{
	char path[64];
	char buf[32];

	snprintf(path, sizeof(path), "/proc/%d/loginuid", pid);
	return sys_read(path, buf, sizeof(buf)) < 0 ? 0 :
						      strtoul(buf, NULL, 10);
}

static void same_as_proc(struct __test_metadata *_metadata,
			 const struct taskacct_record *r, pid_t pid)
{
	EXPECT_EQ((uint32_t)pid, r->pid);
	EXPECT_EQ((uint32_t)pid, r->tgid);
	EXPECT_EQ((uint32_t)getpid(), r->ppid);
	EXPECT_EQ(id_of(pid, "Uid", 0), r->uid);
	EXPECT_EQ(id_of(pid, "Uid", 1), r->euid);
	EXPECT_EQ(id_of(pid, "Gid", 0), r->gid);
	EXPECT_EQ(id_of(pid, "Gid", 1), r->egid);
	EXPECT_EQ(loginuid_of(pid), r->loginuid);
	EXPECT_EQ(inode_of(pid, "ns/pid"), r->pid_ns);
	EXPECT_EQ(start_of(pid), r->start / 10000000);
	EXPECT_EQ(cgroup_number(GROUP), r->cgroup);
	EXPECT_STREQ("a somebody", r->comm);
	EXPECT_EQ(7, r->nice);
	EXPECT_EQ(0, r->cpu);
}

/* In the initial namespace, where the test runs, both numbers are one. */
static void same_in_init(struct __test_metadata *_metadata,
			 const struct taskacct_record *r)
{
	EXPECT_EQ(r->pid, r->init_pid);
	EXPECT_EQ(r->tgid, r->init_tgid);
	EXPECT_EQ(r->ppid, r->init_ppid);
}

static void same_person(struct __test_metadata *_metadata,
			const struct taskacct_record *a,
			const struct taskacct_record *b)
{
	const size_t from = offsetof(struct taskacct_record, comm);
	const size_t to = offsetof(struct taskacct_record, end);

	EXPECT_EQ(0, memcmp((const char *)a + from, (const char *)b + from,
			    to - from));
}

/* The executable is not known any more where the hook is late. */
static void same_at_exit(struct __test_metadata *_metadata,
			 const struct taskacct_record *alive,
			 const struct taskacct_record *ended)
{
	struct taskacct_record known = *alive;

	if (!sys_exit_has_mm()) {
		known.exe_dev = 0;
		known.exe_ino = 0;
	}
	same_person(_metadata, &known, ended);
}

static void within(struct __test_metadata *_metadata, uint64_t value,
		   uint64_t from, uint64_t to)
{
	EXPECT_LE(from, value);
	EXPECT_GE(to, value);
}

/* Each member of the identity is what /proc says while the task lives, and the
 * exit record has the same when all of it is gone: task, cgroup, /proc
 */
TEST_F(who, frozen_at_exit)
{
	struct taskacct_record alive;
	struct taskacct_record process;
	struct ext_message m;
	uint64_t real;
	uint64_t boot;
	struct work w;

	NEED_TASKACCT();
	NEED_CGROUP(GROUP);
	boot = clock_ns(CLOCK_BOOTTIME);
	ASSERT_EQ(0, work_start(&w, be_somebody, NULL));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, ext_query_task(&self->s, w.pid, &alive));
	within(_metadata, alive.start, boot, clock_ns(CLOCK_BOOTTIME));
	within(_metadata, alive.end, boot, clock_ns(CLOCK_BOOTTIME));
	same_as_proc(_metadata, &alive, w.pid);
	same_in_init(_metadata, &alive);
	EXPECT_EQ(1001, alive.uid);
	EXPECT_EQ(2002, alive.egid);
	ASSERT_EQ(0, ext_query_process(&self->s, w.pid, &process));
	same_person(_metadata, &alive, &process);

	boot = clock_ns(CLOCK_BOOTTIME);
	real = clock_ns(CLOCK_REALTIME);
	work_wait(&w);
	EXPECT_EQ(0, cgroup_drop(GROUP));
	ASSERT_EQ(0, ext_wait_process(&self->l, w.pid, &m));
	same_at_exit(_metadata, &alive, &m.task);
	same_at_exit(_metadata, &alive, &m.process);
	within(_metadata, m.task.end, boot, clock_ns(CLOCK_BOOTTIME));
	within(_metadata, m.task.real_end, real, clock_ns(CLOCK_REALTIME));
	EXPECT_EQ(m.task.end, m.process.end);
	EXPECT_STREQ("/" GROUP, m.cgroup);
}

/* An asker in a namespace of its own is told its own numbers, beside those of
 * the initial one
 */
static int ask_inside(int fd, void *arg)
{
	struct taskacct_record *r = arg;
	struct acct_sock s;
	pid_t pid;
	int status;

	(void)fd;
	if (unshare(CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid)
		_exit(acct_open(&s) || ext_query_task(&s, getpid(), r) ||
		      r->init_ppid != (uint32_t)getppid());
	work_reap(pid, &status);
	return r->init_pid != (uint32_t)pid || r->init_ppid != (uint32_t)getpid();
}

/* A client in a pid namespace of its own gets its own numbers, beside those of the
 * initial one
 */
TEST_F(who, numbers_of_both_namespaces)
{
	struct taskacct_record *r;
	struct work w;

	NEED_TASKACCT();
	r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, r);
	ASSERT_EQ(0, work_start(&w, ask_inside, r));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(1, r->pid);
	EXPECT_EQ(1, r->tgid);
	EXPECT_EQ(0, r->ppid);
	EXPECT_NE(inode_of(getpid(), "ns/pid"), r->pid_ns);
}

/* What is heard in a pid namespace of a process there, of which the leader ends first */
struct heard {
	pid_t pid;
	pid_t tid;
	struct ext_message m;
	struct acct_exit e;
};

/* Cleared by the kernel when it has exited */
static int leads = 1;

static int outlive_leader(void *arg)
{
	(void)arg;
	work_raw_join(&leads);
	work_raw_exit(0);
	return 0;
}

static void lead(struct heard *heard)
{
	syscall(SYS_set_tid_address, &leads);
	heard->tid = work_raw_thread(outlive_leader, NULL, work_stacks(1), NULL);
	work_raw_exit(0);
}

/* The first process of the namespace */
static int hear_inside(struct heard *heard)
{
	struct acct_sock l, classic;
	char all[16];
	pid_t pid;

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	if (ext_listen_both(&l, EXT_BARE) || acct_listen(&classic, all, 0))
		return 1;
	pid = fork();
	if (!pid)
		lead(heard);
	heard->pid = pid;
	return work_reap(pid, NULL) != pid || ext_wait_task(&l, heard->tid, &heard->m) ||
	       acct_wait_exit(&classic, heard->tid, &heard->e);
}

static int make_namespace(int fd, void *heard)
{
	int status;
	pid_t pid;

	(void)fd;
	if (unshare(CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid)
		_exit(hear_inside(heard));
	return work_reap(pid, &status) != pid || status;
}

/* R6, R24: there the record of a process has its own number, not that of the thread that
 * ended last
 */
TEST_F(who, process_in_a_namespace)
{
	struct heard *heard;
	struct work w;

	NEED_TASKACCT();
	heard = mmap(NULL, sizeof(*heard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, heard);
	ASSERT_EQ(0, work_start(&w, make_namespace, heard));
	ASSERT_EQ(0, work_wait(&w));
	EXPECT_LT(heard->pid, heard->tid);
	EXPECT_EQ((uint32_t)heard->tid, heard->m.task.pid);
	EXPECT_EQ((uint32_t)heard->pid, heard->m.task.tgid);
	EXPECT_EQ((uint32_t)heard->pid, heard->m.process.pid);
	EXPECT_EQ((uint32_t)heard->pid, heard->m.process.tgid);
	EXPECT_EQ((uint32_t)heard->tid, heard->e.task.ac_pid);
	EXPECT_EQ((uint32_t)heard->pid, heard->e.group.ac_pid);
	munmap(heard, sizeof(*heard));
}

static pid_t fork_with_pid(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = pid ? (uintptr_t)&pid : 0,
		.set_tid_size = pid ? 1 : 0,
	};
	pid_t got = syscall(SYS_clone3, &args, sizeof(args));

	if (!got)
		_exit(0);
	return got;
}

/* The same number again and again: with the start an id that is never used
 * twice, and in order
 */
TEST_F(who, unique_across_reuse)
{
	struct ext_message m;
	uint64_t start = 0;
	pid_t pid = 0;
	int i;

	NEED_TASKACCT();
	for (i = 0; i < 50; i++) {
		pid = fork_with_pid(pid);
		ASSERT_GT(pid, 0);
		ASSERT_EQ(pid, work_reap(pid, NULL));
		ASSERT_EQ(0, ext_wait_task(&self->l, pid, &m));
		EXPECT_LT(start, m.task.start);
		EXPECT_LE(m.task.start, m.task.end);
		start = m.task.start;
	}
}

/* How a process ends: which of its threads does what */
enum how {
	EXITS,
	KILLED,
	DUMPS,
	THREAD_ENDS_ALL,
	THREAD_ENDS,
};

FIXTURE(end) {
	struct acct_sock l;
	char core[256];
};

FIXTURE_VARIANT(end) {
	enum how how;
	int signal;
	uint32_t thread_code;
};

FIXTURE_VARIANT_ADD(end, by_exit) { .how = EXITS };
FIXTURE_VARIANT_ADD(end, by_signal) { .how = KILLED, .signal = SIGKILL };
FIXTURE_VARIANT_ADD(end, by_own_signal) { .how = KILLED, .signal = SIGTERM };
FIXTURE_VARIANT_ADD(end, with_core) { .how = DUMPS, .signal = SIGSEGV };

FIXTURE_VARIANT_ADD(end, by_thread) {
	.how = THREAD_ENDS_ALL, .thread_code = 9 << 8,
};

FIXTURE_VARIANT_ADD(end, after_thread) {
	.how = THREAD_ENDS, .thread_code = 5 << 8,
};

FIXTURE_SETUP(end)
{
	(void)variant;
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_LT(0, sys_read(CORE_PATTERN, self->core, sizeof(self->core)));
	ASSERT_EQ(0, ext_listen_both(&self->l, EXT_BARE));
}

FIXTURE_TEARDOWN(end)
{
	(void)variant;
	sys_write(CORE_PATTERN, self->core);
	acct_close(&self->l);
}

static int thread_ends(void *arg)
{
	if (*(enum how *)arg == THREAD_ENDS_ALL)
		syscall(SYS_exit_group, 9);
	work_raw_exit(5);
	return 0;
}

static void end_it(enum how how, int signal)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit none = { 0, 0 };
	int gone;

	setrlimit(RLIMIT_CORE, how == DUMPS ? &any : &none);
	if (how == KILLED || how == DUMPS)
		kill(getpid(), signal);
	if (how == THREAD_ENDS_ALL || how == THREAD_ENDS) {
		work_raw_thread(thread_ends, &how, work_stacks(1), &gone);
		work_raw_join(&gone);
	}
	if (how != THREAD_ENDS_ALL)
		_exit(7);
	work_stay();
}

/* The record says of a process what wait() tells its parent, and of a thread
 * what it said itself
 */
TEST_F(end, as_wait_has_it)
{
	const bool several = variant->thread_code;
	struct ext_message m;
	int status;
	pid_t pid;

	NEED_TASKACCT();
	if (variant->how == DUMPS && !sys_in_vm())
		SKIP(return, "changes core_pattern: run it by tests/vm/run");
	if (variant->how == DUMPS) {
		ASSERT_EQ(0, sys_write(CORE_PATTERN, CORE));
	}
	pid = fork();
	if (!pid)
		end_it(variant->how, variant->signal);
	do {
		ASSERT_EQ(0, ext_next(&self->l, &m, PATIENCE_MS));
		if (m.task.tgid != (uint32_t)pid || m.task.pid == m.task.tgid)
			continue;
		EXPECT_EQ(variant->thread_code, m.task.exit_code);
	} while (m.process.pid != (uint32_t)pid);
	ASSERT_EQ(pid, work_reap(pid, &status));
	unlink(CORE);
	EXPECT_EQ((uint32_t)status, m.process.exit_code);
	EXPECT_EQ((uint32_t)variant->signal, m.process.signal);
	EXPECT_EQ(several ? 2 : 1, m.process.threads);
	EXPECT_TRUE(m.process.valid & HAS(END));
	EXPECT_TRUE(m.process.flags & TASKACCT_RECORD_ENDED);
	EXPECT_TRUE(m.task.flags & TASKACCT_RECORD_LAST);
	EXPECT_EQ(!!variant->signal,
		  !!(m.process.flags & TASKACCT_RECORD_SIGNAL));
	EXPECT_EQ(variant->how == DUMPS,
		  !!(m.process.flags & TASKACCT_RECORD_CORE));
	EXPECT_EQ(variant->how == DUMPS, !!WCOREDUMP(status));
	EXPECT_EQ(0, m.process.flags & TASKACCT_RECORD_OOM);
	/* Kernels differ in whether the last thread can exit as a group. */
	if (variant->how == THREAD_ENDS_ALL || m.process.group_exit_code) {
		EXPECT_EQ((uint32_t)status, m.process.group_exit_code);
	}
}

/* A zombie: its end is known and reported, its memory is not any more */
TEST_F(who, zombie)
{
	struct taskacct_record task;
	struct taskacct_record process;
	pid_t pid;

	NEED_TASKACCT();
	pid = fork();
	if (!pid) {
		work_fault(1000);
		_exit(3);
	}
	while (sys_state(pid, pid) != 'Z')
		usleep(1000);
	ASSERT_EQ(0, ext_query_task(&self->s, pid, &task));
	ASSERT_EQ(0, ext_query_process(&self->s, pid, &process));
	EXPECT_EQ(3 << 8, task.exit_code);
	EXPECT_EQ(3 << 8, process.exit_code);
	EXPECT_TRUE(task.flags & TASKACCT_RECORD_ENDED);
	EXPECT_TRUE(process.flags & TASKACCT_RECORD_ENDED);
	EXPECT_TRUE(task.valid & process.valid & HAS(END));
	EXPECT_TRUE(task.gone & process.gone & HAS(MEMORY));
	EXPECT_TRUE(task.gone & process.gone & HAS(EXE));
	EXPECT_TRUE(task.gone & HAS(PEAK_RSS));
	/* The kernel keeps that of a process for its parent. */
	EXPECT_TRUE(process.valid & HAS(PEAK_RSS));
	EXPECT_LT(1000 * 4096, process.peak_rss);
	EXPECT_LT(1000, task.min_flt);
	ASSERT_EQ(pid, work_reap(pid, NULL));
}

/*
 * What a task has left of its address space where the listener for extended records comes
 * between its exit and its end. The first task of a pid namespace ends when all others there
 * are gone, and who was not waited for is not.
 */
static void come_late(struct __test_metadata *_metadata, struct acct_sock *l,
		      struct ext_message *m)
{
	pid_t first, other;

	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	first = fork();
	while (!first)
		pause();
	other = fork();
	while (!other)
		pause();
	ASSERT_LT(0, first);
	ASSERT_LT(0, other);
	ASSERT_EQ(0, kill(first, SIGKILL));
	while (sys_state(other, other) != 'Z')
		usleep(1000);
	ASSERT_EQ(0, ext_listen_both(l, EXT_BARE));
	ASSERT_EQ(other, work_reap(other, NULL));
	do {
		ASSERT_EQ(0, ext_next(l, m, PATIENCE_MS));
	} while (m->task.pid != (uint32_t)first);
	ASSERT_EQ(first, work_reap(first, NULL));
}

#define OF_MEMORY (HAS(PEAK_RSS) | HAS(PEAK_VM) | HAS(MEMORY) | HAS(EXE))

/* Nobody listened at its exit: all of it is gone */
TEST_F(who, nothing_kept)
{
	struct ext_message m;

	NEED_TASKACCT();
	NEED_FTRACE();
	acct_close(&self->l);
	come_late(_metadata, &self->l, &m);
	EXPECT_EQ(OF_MEMORY, m.task.gone & OF_MEMORY);
	EXPECT_EQ(0, m.task.valid & OF_MEMORY);
}

/* One for classic records did: what these do not have is gone */
TEST_F(who, classic_kept)
{
	struct acct_sock classic;
	struct ext_message m;
	struct acct_exit e;
	char mask[16];

	NEED_TASKACCT();
	NEED_FTRACE();
	acct_close(&self->l);
	snprintf(mask, sizeof(mask), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&classic, mask, 0));
	come_late(_metadata, &self->l, &m);
	EXPECT_EQ(HAS(PEAK_RSS) | HAS(MEMORY), m.task.gone & OF_MEMORY);
	EXPECT_EQ(HAS(PEAK_VM) | HAS(EXE), m.task.valid & OF_MEMORY);
	EXPECT_EQ(0, m.task.peak_rss);
	EXPECT_LT(0, m.task.peak_vm);
	ASSERT_EQ(0, acct_wait_exit(&classic, m.task.pid, &e));
	EXPECT_LT(0, e.task.hiwater_rss);
	acct_close(&classic);
}

/* A kernel thread: no program, no memory, and that is right so */
TEST_F(who, kernel_thread)
{
	struct ext_message m;

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_query(&self->s, PID, 2, EXT_BARE | EXT_NAMES, &m));
	EXPECT_STREQ("kthreadd", m.task.comm);
	EXPECT_TRUE(m.task.flags & TASKACCT_RECORD_KTHREAD);
	EXPECT_EQ(0, m.task.ppid);
	EXPECT_EQ(0, m.task.rss_anon + m.task.peak_rss + m.task.peak_vm);
	EXPECT_EQ(0, m.task.exe_ino);
	EXPECT_TRUE(m.task.valid & HAS(MEMORY));
	EXPECT_STREQ("", m.exe);
	EXPECT_EQ(0, m.cmdline_len);
	EXPECT_LT(0, m.task.runtime);
}

static const char *const args[] = {
	"by another name", "-c", "read line", "", NULL
};

static int execute(int fd, void *arg)
{
	(void)arg;
	dup2(fd, 0);
	execv(PROGRAM, (char *const *)args);
	return 127;
}

/* Starts a program of which everything is known, and that rests */
static void start_program(struct __test_metadata *_metadata, struct work *w)
{
	const char *const copy[] = { "cp", "/bin/sh", PROGRAM, NULL };
	char path[64];
	char link[64];
	int i;

	ASSERT_EQ(0, sys_run(copy));
	ASSERT_EQ(0, work_start(w, execute, NULL));
	snprintf(path, sizeof(path), "/proc/%d/exe", w->pid);
	for (i = 0; i < 10000; i++) {
		memset(link, 0, sizeof(link));
		if (readlink(path, link, sizeof(link) - 1) > 0 &&
		    !strcmp(link, PROGRAM))
			break;
		usleep(1000);
	}
	ASSERT_STREQ(PROGRAM, link);
	ASSERT_EQ(0, work_settle(w->pid));
}

static void expect_names(struct __test_metadata *_metadata,
			 const struct ext_message *m, const char *exe)
{
	const char cmdline[] = "by another name\0-c\0read line\0";

	EXPECT_STREQ(exe, m->exe);
	EXPECT_STREQ("/", m->cgroup);
	ASSERT_EQ((int)sizeof(cmdline), m->cmdline_len);
	EXPECT_EQ(0, memcmp(cmdline, m->cmdline, sizeof(cmdline)));
}

/* What belongs to the address space is not known where the hook is late. */
static void expect_exit_names(struct __test_metadata *_metadata,
			      const struct ext_message *m, const char *exe)
{
	if (sys_exit_has_mm()) {
		expect_names(_metadata, m, exe);
		return;
	}
	EXPECT_STREQ("", m->exe);
	EXPECT_STREQ("/", m->cgroup);
	EXPECT_EQ(0, m->cmdline_len);
}

/* Executable, cgroup and command line, of the living and of the dead; device
 * and inode as stat() has them
 */
TEST_F(who, names)
{
	struct ext_message m;
	struct stat st;
	struct work w;

	NEED_TASKACCT();
	start_program(_metadata, &w);
	ASSERT_EQ(0, stat(PROGRAM, &st));
	ASSERT_EQ(0, ext_query(&self->s, PID, w.pid, EXT_BARE | EXT_NAMES, &m));
	expect_names(_metadata, &m, PROGRAM);
	EXPECT_EQ(st.st_dev, m.task.exe_dev);
	EXPECT_EQ(st.st_ino, m.task.exe_ino);
	EXPECT_STREQ("taskacct progra", m.task.comm);
	EXPECT_FALSE(m.task.flags & TASKACCT_RECORD_NOEXEC);
	ASSERT_EQ(0, ext_query(&self->s, TGID, w.pid, EXT_BARE | EXT_NAMES,
			       &m));
	expect_names(_metadata, &m, PROGRAM);
	work_wait(&w);
	ASSERT_EQ(0, ext_wait_process(&self->l, w.pid, &m));
	EXPECT_EQ(0, m.process.exit_code & 0x7f);
	EXPECT_EQ(sys_exit_has_mm() ? st.st_dev : 0, m.process.exe_dev);
	EXPECT_EQ(sys_exit_has_mm() ? st.st_ino : 0, m.process.exe_ino);
	expect_exit_names(_metadata, &m, PROGRAM);
	unlink(PROGRAM);
}

/* The program's file is unlinked while it runs: the path says so */
TEST_F(who, names_of_an_unlinked_program)
{
	struct ext_message m;
	struct work w;

	NEED_TASKACCT();
	start_program(_metadata, &w);
	ASSERT_EQ(0, unlink(PROGRAM));
	work_wait(&w);
	ASSERT_EQ(0, ext_wait_process(&self->l, w.pid, &m));
	expect_exit_names(_metadata, &m, PROGRAM " (deleted)");
}

/* R31: each alone, and only what was asked for */
TEST_F(who, names_one_by_one)
{
	const uint32_t wants[] = { TASKACCT_WANT_EXE_PATH,
				   TASKACCT_WANT_CGROUP_PATH,
				   TASKACCT_WANT_CMDLINE };
	const int types[] = { TASKACCT_TYPE_EXE_PATH,
			      TASKACCT_TYPE_CGROUP_PATH,
			      TASKACCT_TYPE_CMDLINE };
	struct ext_message m;
	size_t i;

	NEED_TASKACCT();
	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		ASSERT_EQ(0, ext_query(&self->s, PID, getpid(), wants[i], &m));
		EXPECT_EQ(2, m.n);
		EXPECT_EQ(TASKSTATS_TYPE_AGGR_PID, m.types[0]);
		EXPECT_EQ(types[i], m.types[1]);
		EXPECT_FALSE(m.has_task);
	}
}

/* The classic records come first, whatever is behind them */
TEST_F(who, order_of_attributes)
{
	const uint16_t all[] = { TASKSTATS_TYPE_AGGR_TGID, TASKACCT_TYPE_RECORD,
				 TASKACCT_TYPE_WAITS, TASKACCT_TYPE_EXE_PATH,
				 TASKACCT_TYPE_CGROUP_PATH,
				 TASKACCT_TYPE_CMDLINE };
	struct ext_message m;
	size_t i;

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_query(&self->s, TGID, getpid(),
			       TASKACCT_WANT_RECORD | EXT_NAMES, &m));
	ASSERT_EQ(ARRAY_SIZE(all), m.n);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		EXPECT_EQ(all[i], m.types[i]);
	/* Asked for nothing, it gets what it always got. */
	ASSERT_EQ(0, ext_query(&self->s, TGID, getpid(), 0, &m));
	EXPECT_EQ(1, m.n);
}

/* What a program was called with is cut off, not left out */
TEST_F(who, long_command_line)
{
	static char longer[6000];
	const char *const argv[] = { "true", longer, NULL };
	struct ext_message m;
	pid_t pid;

	NEED_TASKACCT();
	memset(longer, 'x', sizeof(longer) - 1);
	pid = fork();
	if (!pid) {
		execv("/bin/true", (char *const *)argv);
		_exit(127);
	}
	ASSERT_EQ(pid, work_reap(pid, NULL));
	ASSERT_EQ(0, ext_wait_process(&self->l, pid, &m));
	NEED_EXIT_MM();
	ASSERT_EQ(4096, m.cmdline_len);
	EXPECT_EQ(0, memcmp("true\0xxx", m.cmdline, 8));
	EXPECT_EQ('x', m.cmdline[4095]);
}

/* Its arguments are in two pages; @arg: whether the second one is there */
static int end_with_arguments(int fd, void *arg)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const bool *whole = arg;
	unsigned long start;
	char *pages;

	(void)fd;
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	/* With its neighbours' it may lie in a huge one, where the kernel has those. */
	madvise(pages, 2 * page, MADV_NOHUGEPAGE);
	memset(pages, 'x', *whole ? 2 * page : page);
	start = (unsigned long)pages + page - 64;
	if (prctl(PR_SET_MM, PR_SET_MM_ARG_START, start, 0, 0) ||
	    prctl(PR_SET_MM, PR_SET_MM_ARG_END, start + 128, 0, 0))
		return 2;
	return 0;
}

static void expect_arguments(struct __test_metadata *_metadata,
			     struct acct_sock *s, bool whole)
{
	struct ext_message m;
	struct work w;

	ASSERT_EQ(0, work_start(&w, end_with_arguments, &whole));
	ASSERT_EQ(0, work_wait(&w));
	ASSERT_EQ(0, ext_wait_process(s, w.pid, &m));
	EXPECT_EQ(whole && sys_exit_has_mm() ? 128 : 0, m.cmdline_len);
}

/* Nothing is fetched for an exit: a command line of which a part is not in memory is left
 * out, and no part of it is taken for the whole
 */
TEST_F(who, part_of_a_command_line)
{
	NEED_TASKACCT();
	expect_arguments(_metadata, &self->l, true);
	expect_arguments(_metadata, &self->l, false);
}

static int use_privilege(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	return setpriority(PRIO_PROCESS, 0, -1) ? 1 : 0;
}

static int use_none(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	return 0;
}

static uint32_t flags_of(struct __test_metadata *_metadata,
			 struct acct_sock *l, work_fn fn)
{
	struct ext_message m = { 0 };
	struct work w;

	EXPECT_EQ(0, work_start(&w, fn, NULL));
	work_wait(&w);
	EXPECT_EQ(0, ext_wait_process(l, w.pid, &m));
	EXPECT_EQ(m.task.flags & ~TASKACCT_RECORD_LAST, m.process.flags);
	return m.process.flags;
}

/* Forked, and privilege used or not; a tracepoint sees exits, and no end */
TEST_F(who, flags)
{
	const uint32_t forked = TASKACCT_RECORD_ENDED | TASKACCT_RECORD_NOEXEC |
				(sys_traces_functions() ? 0 : TASKACCT_RECORD_EARLY);

	NEED_TASKACCT();
	EXPECT_EQ(forked, flags_of(_metadata, &self->l, use_none));
	EXPECT_EQ(forked | TASKACCT_RECORD_SU,
		  flags_of(_metadata, &self->l, use_privilege));
}

static int take_too_much(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	if (cgroup_enter(GROUP, 0))
		return 1;
	work_fault(20000);
	return 2;
}

/* A victim of the out-of-memory killer is told from others that were killed */
TEST_F(who, out_of_memory_victim)
{
	struct ext_message m;
	struct work w;
	int status;

	NEED_TASKACCT();
	NEED_VM();
	NEED_CGROUP(GROUP);
	if (cgroup_set("", "cgroup.subtree_control", "+memory")) {
		cgroup_drop(GROUP);
		SKIP(return, "this kernel has no memory controller");
	}
	ASSERT_EQ(0, sys_write("/proc/sys/kernel/printk", "4"));
	ASSERT_EQ(0, cgroup_set(GROUP, "memory.max", "16M"));
	ASSERT_EQ(0, work_start(&w, take_too_much, NULL));
	status = work_wait(&w);
	EXPECT_EQ(SIGKILL, status);
	ASSERT_EQ(0, ext_wait_process(&self->l, w.pid, &m));
	EXPECT_TRUE(m.task.flags & TASKACCT_RECORD_OOM);
	EXPECT_TRUE(m.process.flags & TASKACCT_RECORD_OOM);
	EXPECT_EQ(SIGKILL, m.process.signal);
	EXPECT_EQ(0, cgroup_drop(GROUP));
	EXPECT_EQ(0, cgroup_set("", "cgroup.subtree_control", "-memory"));
	EXPECT_EQ(0, sys_write("/proc/sys/kernel/printk", "7"));
}

/* Each group of values has one bit, and it says one thing of it. */
static void one_of_each(struct __test_metadata *_metadata,
			const struct taskacct_record *r)
{
	const uint64_t sets[] = { r->valid, r->absent, r->off, r->late,
				  r->gone };
	uint64_t seen = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		EXPECT_EQ(0, seen & sets[i]);
		seen |= sets[i];
	}
	EXPECT_EQ(ALL, seen);
	EXPECT_EQ(ALWAYS, r->valid & ALWAYS);
	EXPECT_EQ(0, r->reserved[0] | r->reserved[1] | r->reserved[2]);
}

/* Alive, dead, a process, a kernel thread */
TEST_F(who, validity)
{
	struct taskacct_record r;
	struct ext_message m;
	pid_t pid;

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_query_task(&self->s, getpid(), &r));
	one_of_each(_metadata, &r);
	EXPECT_TRUE(r.gone & HAS(END));
	EXPECT_TRUE(r.absent & HAS(THREADS));
	ASSERT_EQ(0, ext_query_process(&self->s, getpid(), &r));
	one_of_each(_metadata, &r);
	EXPECT_TRUE(r.valid & HAS(THREADS));
	ASSERT_EQ(0, ext_query_task(&self->s, 2, &r));
	one_of_each(_metadata, &r);
	pid = work_exit_process(1);
	ASSERT_EQ(0, ext_wait_process(&self->l, pid, &m));
	one_of_each(_metadata, &m.task);
	one_of_each(_metadata, &m.process);
	EXPECT_TRUE(m.task.valid & m.process.valid & HAS(END));
	/* What the exit hook of this kernel still sees */
	EXPECT_EQ(sys_exit_has_mm(), !!(m.task.valid & HAS(MEMORY)));
	EXPECT_EQ(sys_exit_has_mm(), !!(m.task.valid & HAS(PEAK_VM)));
	EXPECT_EQ(!access("/proc/self/loginuid", F_OK),
		  !!(m.task.valid & HAS(LOGINUID)));
}

static uint64_t sum_of_waits(const struct taskacct_wait *waits)
{
	uint64_t sum = 0;
	int i;

	for (i = TASKACCT_WAIT_BLKIO; i < TASKACCT_WAITS; i++)
		sum += waits[i].count + waits[i].total + waits[i].max;
	return sum;
}

/* Delay accounting switched off: the waits say so, and the rest is as ever */
TEST_F(who, validity_of_waits)
{
	struct ext_message m;
	uint64_t absent;
	pid_t pid;

	NEED_TASKACCT();
	if (sys_delayacct(true))
		SKIP(return, "this kernel cannot switch delay accounting");
	pid = work_exit_process(0);
	ASSERT_EQ(0, ext_wait_process(&self->l, pid, &m));
	absent = m.process.absent;
	EXPECT_EQ(WAITS & ~absent, m.process.valid & WAITS);
	EXPECT_EQ(0, m.process.off & WAITS);
	EXPECT_TRUE(m.process.valid & HAS(BLKIO));

	ASSERT_EQ(0, sys_delayacct(false));
	pid = work_exit_process(0);
	ASSERT_EQ(0, sys_delayacct(true));
	ASSERT_EQ(0, ext_wait_process(&self->l, pid, &m));
	one_of_each(_metadata, &m.process);
	EXPECT_EQ(absent, m.process.absent);
	EXPECT_EQ(WAITS & ~absent, m.process.off & WAITS);
	EXPECT_EQ(WAITS & ~absent, m.task.off & WAITS);
	EXPECT_EQ(0, sum_of_waits(m.process_waits));
	EXPECT_TRUE(m.process.valid & HAS(RUN_QUEUE));
	EXPECT_LT(0, m.process_waits[TASKACCT_WAIT_CPU].count);
	ASSERT_EQ(0, sys_delayacct(false));
}

static uint32_t accounting(void)
{
	char cpus[64] = "";

	if (sys_measures_cpu_time())
		return TASKACCT_CPU_NATIVE;
	sys_read("/sys/devices/system/cpu/nohz_full", cpus, sizeof(cpus));
	return strpbrk(cpus, "0123456789") ? TASKACCT_CPU_GENERIC :
					     TASKACCT_CPU_TICK;
}

/* How CPU time is counted: measured on s390x; else sampled, where no CPU is without a tick */
TEST_F(who, cpu_accounting)
{
	struct taskacct_record r;

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_query_task(&self->s, getpid(), &r));
	EXPECT_EQ(accounting(), r.cpu_accounting);
}

TEST_HARNESS_MAIN
