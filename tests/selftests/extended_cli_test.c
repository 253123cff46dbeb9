// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays where it asks for more than taskstats has: extended records,
 * filters, all tasks, who listens, and what was lost
 */
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "foreign_counters.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "asked.h"
#include "lines.h"

#define LOG "/tmp/extended_cli_test.log"

/* Where cgroups v2 are mounted, and one of the test's own */
#define CGROUPS "/sys/fs/cgroup"
#define CGROUP CGROUPS "/extended_cli_test"

#define NOBODY 65534

FIXTURE(ask) {
	struct acct_sock s;
	struct work w;
	char pid[16];
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(ask)
{
	asked_start(_metadata, &self->s, &self->w, self->pid, sizeof(self->pid));
}

FIXTURE_TEARDOWN(ask)
{
	run_free(&self->r);
	forget(&self->l);
	work_wait(&self->w);
	acct_close(&self->s);
}

/* R30: --extended: a task's and a process's record, who it was, what it used,
 * and what is not valid of it
 */
TEST_F(ask, a_task_and_a_process)
{
	struct json_object *o;
	struct taskstats st;
	struct stat exe;

	NEED_TASKACCT();
	run(&self->r, "--extended", "--json", "-p", self->pid, "-t", self->pid);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	ASSERT_EQ(0, acct_query_pid(&self->s, self->w.pid, &st));
	ASSERT_EQ(0, stat("/proc/self/exe", &exe));

	o = self->l.v[0];
	EXPECT_STREQ("task", word(o, "kind"));
	EXPECT_EQ(self->w.pid, number(o, "pid"));
	EXPECT_EQ(self->w.pid, number(o, "init_pid"));
	EXPECT_EQ(getpid(), number(o, "ppid"));
	EXPECT_EQ(0, number(o, "uid"));
	EXPECT_STREQ(st.ac_comm, word(o, "comm"));
	EXPECT_EQ(st.ac_utime, (uint64_t)number(o, "utime") / 1000);
	EXPECT_EQ(st.ac_stime, (uint64_t)number(o, "stime") / 1000);
	EXPECT_EQ(st.ac_minflt, (uint64_t)number(o, "min_flt"));
	if (sys_counts()) {
		/* Exact where taskstats has whole KiB */
		EXPECT_EQ(st.read_char,
			  (uint64_t)number(o, "rchar") / 1024 * 1024);
		EXPECT_EQ(st.cpu_count, (uint64_t)number(o, "wait_cpu_count"));
	} else {
		EXPECT_TRUE(is_null(o, "rchar"));
		EXPECT_TRUE(is_null(o, "wait_cpu_count"));
	}
	EXPECT_EQ(exe.st_ino, (uint64_t)number(o, "exe_ino"));
	EXPECT_NE(NULL, strstr(word(o, "exe_path"), "extended_cli_test"));
	EXPECT_NE(NULL, strstr(json_of(o, "cmdline"), "extended_cli_test"));
	EXPECT_EQ('/', word(o, "cgroup_path")[0]);
	/* It lives, and it is no process. */
	EXPECT_TRUE(is_null(o, "exit_code"));
	EXPECT_NE(NULL, strstr(json_of(o, "gone"), "\"end\""));
	EXPECT_TRUE(is_null(o, "threads"));
	EXPECT_NE(NULL, strstr(json_of(o, "absent"), "\"threads\""));
	/* An answer is not of a stream. */
	EXPECT_TRUE(is_null(o, "seq"));

	o = self->l.v[1];
	EXPECT_STREQ("process", word(o, "kind"));
	EXPECT_EQ(1, number(o, "threads"));
	EXPECT_EQ(self->w.pid, number(o, "tgid"));
}

/* For people: all of it below 80 columns but names, and why with -v */
TEST_F(ask, a_block)
{
	NEED_TASKACCT();
	run(&self->r, "--extended", "-p", self->pid);
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_NE(NULL, strstr(self->r.out, "RUNTIME"));
	EXPECT_NE(NULL, strstr(self->r.out, "extended_cli_test"));
	EXPECT_EQ(NULL, strstr(self->r.out, "absent"));
	EXPECT_LT(longest_line(self->r.out), 160);
	run_free(&self->r);
	run(&self->r, "--extended", "-v", "-p", self->pid);
	EXPECT_NE(NULL, strstr(self->r.out, "absent"));
	EXPECT_NE(NULL, strstr(self->r.out, "threads"));
}

/* -c --extended: the process's record, when it has ended */
TEST_F(ask, a_command)
{
	struct json_object *o;

	NEED_TASKACCT();
	run(&self->r, "--extended", "--json", "-c", "sh", "-c", "exit 3");
	expect_status(_metadata, &self->r, 3);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	o = self->l.v[0];
	EXPECT_STREQ("process", word(o, "kind"));
	EXPECT_EQ(3 << 8, number(o, "exit_code"));
	EXPECT_LT(0, number(o, "peak_rss"));
	EXPECT_NE(NULL, strstr(json_of(o, "flags"), "ended"));
}

/* It ends as the command does, behind "--" as without. */
TEST_F(ask, a_command_and_its_end)
{
	NEED_TASKACCT();
	run(&self->r, "-c", "--", "sh", "-c", "exit 7");
	expect_status(_metadata, &self->r, 7);
	run_free(&self->r);
	run(&self->r, "-c", "sh", "-c", "kill -TERM $$");
	expect_status(_metadata, &self->r, 128 + 15);
	run_free(&self->r);
	run(&self->r, "-c", "--", "true");
	expect_status(_metadata, &self->r, EXIT_DONE);
}

/* Whether a member of that name has a task's number in one record of a kind */
static bool is_listed_as(const struct lines *l, const char *kind,
			 const char *name, pid_t pid)
{
	int n = 0;
	int i;

	for (i = 0; i < l->n; i++)
		n += !strcmp(word(l->v[i], "kind"), kind) &&
		     number(l->v[i], name) == pid;
	return n == 1;
}

static bool is_listed(const struct lines *l, const char *kind, pid_t pid)
{
	return is_listed_as(l, kind, "pid", pid);
}

/* Whether that is the kind of at least so many, and of all */
static bool all_are(const struct lines *l, const char *kind, int least)
{
	int n = 0;

	while (n < l->n && !strcmp(word(l->v[n], "kind"), kind))
		n++;
	return n == l->n && n >= least;
}

/* taskacct list: everyone once, tasks or processes, only those that are meant, and in
 * the order that is asked for
 */
TEST_F(ask, all)
{
	int64_t before = INT64_MAX;
	int i;

	NEED_TASKACCT();
	run_verb(&self->r, "list", "--tasks", "-o", "kind,pid", "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_TRUE(is_listed(&self->l, "task", 1));
	EXPECT_TRUE(is_listed(&self->l, "task", self->w.pid));
	EXPECT_TRUE(is_listed(&self->l, "task", getpid()));
	for (i = 1; i < self->l.n; i++)
		EXPECT_LT(number(self->l.v[i - 1], "pid"),
			  number(self->l.v[i], "pid"));

	forget(&self->l);
	run_free(&self->r);
	run_verb(&self->r, "list", "-o", "kind,pid,cpu", "--json", "--sort", "cpu");
	parse(_metadata, self->r.out, &self->l);
	EXPECT_TRUE(is_listed(&self->l, "process", self->w.pid));
	EXPECT_FALSE(is_listed(&self->l, "task", self->w.pid));
	for (i = 0; i < self->l.n; i++) {
		EXPECT_GE(before, number(self->l.v[i], "cpu"));
		before = number(self->l.v[i], "cpu");
	}

	run_free(&self->r);
	run_verb(&self->r, "list", "--no-headings", "cpu>=100000d");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_STREQ("", self->r.out);
	run_free(&self->r);
	run_verb(&self->r, "list");
	EXPECT_GT(run_lines(self->r.out), 10);
}

/* -C: what the tasks of a cgroup v2 are doing, and what they have used */
TEST_F(ask, a_cgroup)
{
	const int64_t before = time(NULL);
	struct json_object *o;

	NEED_TASKACCT();
	NEED_VM();
	ASSERT_EQ(0, mkdir(CGROUP, 0755));
	ASSERT_EQ(0, sys_write(CGROUP "/cgroup.procs", self->pid));
	run(&self->r, "-C", CGROUP, "--extended", "--json");
	sys_write(CGROUPS "/cgroup.procs", self->pid);
	rmdir(CGROUP);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	o = self->l.v[0];
	EXPECT_STREQ("cgroup_tasks", word(o, "kind"));
	EXPECT_STREQ(CGROUP, word(o, "path"));
	EXPECT_EQ(1, number(o, "sleeping"));
	EXPECT_EQ(0, number(o, "running"));
	EXPECT_EQ(0, number(o, "stopped"));
	o = self->l.v[1];
	EXPECT_STREQ("cgroup_total", word(o, "kind"));
	EXPECT_EQ(1, number(o, "threads"));
	EXPECT_LT(0, number(o, "runtime"));
	EXPECT_LE(before, number(o, "time_ns") / 1000000000);

	run_free(&self->r);
	run(&self->r, "-C", CGROUPS);
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_NE(NULL, strstr(self->r.out, "SLEEPING"));
	run_free(&self->r);
	run(&self->r, "-C", "/tmp");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "/tmp");
	run_free(&self->r);
	run(&self->r, "-C", "/no/such/directory");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "No such file");
}

/* -C: what its tasks are doing anybody may ask, what they have used not */
TEST_F(ask, a_cgroup_without_privilege)
{
	NEED_TASKACCT();
	NEED_VM();
	run_as(&self->r, NOBODY, "getdelays", "-C", CGROUPS, NULL);
	expect_status(_metadata, &self->r, EXIT_DONE);
	run_free(&self->r);
	run_as(&self->r, NOBODY, "getdelays", "-C", CGROUPS, "--extended", NULL);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "CAP_NET_ADMIN");
}

#define GROUP "extended_cli_states"
#define INNER GROUP "/inner"

static int join(const char *name, int fd)
{
	if (cgroup_enter(name, 0))
		return 1;
	work_send(fd, 'r');
	return 0;
}

static int sleep_within(int fd, void *arg)
{
	return join(arg, fd) || work_order(fd);
}

static int run_within(int fd, void *arg)
{
	volatile unsigned long turns;

	for (turns = join(arg, fd); turns < 1UL << 60; turns++)
		;
	return 0;
}

/* Half a second at a time, of which it cannot be killed */
static int wait_for_io(int fd, void *arg)
{
	if (join(arg, fd))
		return 1;
	while (!sys_write(COUNT_PARAMETERS "wait_io", "500"))
		;
	return 1;
}

/* Who has a child that shares its memory waits for it as for a device. */
static int wait_for_child(int fd, void *arg)
{
	if (join(arg, fd))
		return 1;
	if (!vfork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return 0;
}

#define STATES 5

static const struct {
	work_fn fn;
	const char *cgroup;
} within[STATES] = {
	{ sleep_within, INNER }, { run_within, GROUP }, { sleep_within, GROUP },
	{ wait_for_io, GROUP }, { wait_for_child, GROUP },
};

/* Whoever waits for I/O runs for a moment now and then. */
static bool as_expected(struct __test_metadata *_metadata, struct run *r,
			struct lines *l)
{
	struct json_object *o;

	run_free(r);
	forget(l);
	run(r, "-C", CGROUPS "/" GROUP, "--extended", "--json");
	expect_status(_metadata, r, EXIT_DONE);
	parse(_metadata, r->out, l);
	ASSERT_EQ(2, l->n);
	o = l->v[0];
	/* The child of the one that waits for it */
	return number(o, "sleeping") == 1 && number(o, "running") == 1 &&
	       number(o, "stopped") == 1 &&
	       number(o, "uninterruptible") == 1 && number(o, "io_wait") == 1;
}

/* -C: tasks in every state; those of a cgroup below it are not what it does, but
 * are in what was used
 */
TEST_F(ask, a_cgroup_in_all_states)
{
	const int64_t end = sys_now_ns() + PATIENCE_MS * 1000000LL;
	struct work w[STATES];
	bool expected;
	int i;

	NEED_TASKACCT();
	NEED_VM();
	NEED_CGROUP(GROUP);
	ASSERT_EQ(0, cgroup_make(INNER));
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	for (i = 0; i < STATES; i++) {
		ASSERT_EQ(0, work_start(&w[i], within[i].fn,
					(void *)within[i].cgroup));
		ASSERT_EQ('r', work_hear(&w[i]));
	}
	kill(w[2].pid, SIGSTOP);
	do {
		expected = as_expected(_metadata, &self->r, &self->l);
	} while (!expected && sys_now_ns() < end);
	EXPECT_TRUE(expected) TH_LOG("%s", self->r.out);
	EXPECT_EQ(STATES + 1, number(self->l.v[1], "threads"));
	for (i = 0; i < STATES; i++) {
		kill(w[i].pid, SIGKILL);
		work_wait(&w[i]);
	}
	EXPECT_EQ(0, cgroup_drop(INNER));
	EXPECT_EQ(0, cgroup_drop(GROUP));
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
}

#define FIRST_VERSION "/tmp/extended_cli_test.v1"

/* Mounts a hierarchy of version 1; this test alone has it. */
static int mount_first(const char *options)
{
	return mount("none", FIRST_VERSION, "cgroup", 0, options) ? -errno : 0;
}

/* -C: a cgroup of version 1, which is found by a controller; what was used is
 * known of version 2 alone
 */
TEST_F(ask, a_cgroup_of_version_1)
{
	NEED_TASKACCT();
	NEED_VM();
	mkdir(FIRST_VERSION, 0755);
	if (mount_first("none,name=taskacct"))
		SKIP(return, "this kernel has no cgroups of version 1");
	run(&self->r, "-C", FIRST_VERSION);
	umount(FIRST_VERSION);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "without a controller");

	if (mount_first("freezer"))
		SKIP(return, "this kernel has no freezer of version 1");
	ASSERT_EQ(0, mkdir(FIRST_VERSION "/one", 0755));
	ASSERT_EQ(0, sys_write(FIRST_VERSION "/one/cgroup.procs", self->pid));
	run_free(&self->r);
	run(&self->r, "-C", FIRST_VERSION "/one", "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_EQ(1, number(self->l.v[0], "sleeping"));
	run_free(&self->r);
	run(&self->r, "-C", FIRST_VERSION "/one", "--extended");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "version 2");
	ASSERT_EQ(0, sys_write(FIRST_VERSION "/cgroup.procs", self->pid));
	EXPECT_EQ(0, rmdir(FIRST_VERSION "/one"));
	EXPECT_EQ(0, umount(FIRST_VERSION));
	rmdir(FIRST_VERSION);
}

/* What only taskacct has is not asked of another family. */
TEST_F(ask, the_kernels_own_has_none)
{
	run(&self->r, "--family", "TASKSTATS", "--extended", "-p", self->pid);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, sys_counts() ?
		     "only taskacct has it" : "no family TASKSTATS");
	run_free(&self->r);
	run_verb(&self->r, "list", "--family", "TASKSTATS");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
}

/* A wrong filter: status 1, and a line that points at the part that is wrong */
TEST_F(ask, a_wrong_filter)
{
	static const char *const wrong[][2] = {
		{ "uid=5-2", "nothing is in this range" },
		{ "failed,uid=1x", "'1x'" },
		{ "lifetime>=10", "no duration" },
		{ "cpu>=1.s", "behind the point" },
		{ "cpu>=1.5y", "no duration" },
		{ "failed,", "a condition is missing here" },
		{ "cgroup=no", "begins with /" },
		{ "lifetime>=600000d", "too large" },
		{ "comn=x", "is comm meant?\n  comn=x\n  ^^^^\n" },
		{ "comm~[", "no regular expression" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		run_free(&self->r);
		run(&self->r, "-l", "--filter", wrong[i][0]);
		expect_status(_metadata, &self->r, EXIT_USAGE);
		expect_words(_metadata, &self->r, wrong[i][1]);
	}
}

FIXTURE(listen) {
	struct acct_sock s;
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(listen)
{
	ASSERT_EQ(0, acct_open(&self->s));
	unlink(LOG);
}

FIXTURE_TEARDOWN(listen)
{
	run_free(&self->r);
	forget(&self->l);
	acct_close(&self->s);
	unlink(LOG);
}

/* Exit messages with extended records: each has its number in the stream, and
 * a process of one thread has no record of its own, unless asked for
 */
TEST_F(listen, every_exit_and_its_number)
{
	int64_t seq = 0;
	pid_t pair, one;
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--extended", "--json", "--netlink");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	one = work_exit_process(5);
	pair = acct_exit_pair();
	ASSERT_LT(0, pair);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_TRUE(is_listed(&self->l, "task", one));
	EXPECT_FALSE(is_listed(&self->l, "process", one));
	EXPECT_TRUE(is_listed(&self->l, "task", pair));
	EXPECT_TRUE(is_listed(&self->l, "process", pair));
	for (i = 0; i < self->l.n; i++) {
		/* Two records of a message have its number. */
		seq += !i || strcmp(word(self->l.v[i], "kind"), "process");
		EXPECT_EQ(seq, number(self->l.v[i], "seq"));
		EXPECT_EQ(0, number(self->l.v[i], "lost_queue"));
		if (number(self->l.v[i], "pid") == one) {
			EXPECT_EQ(5 << 8, number(self->l.v[i], "exit_code"));
		}
	}
	expect_words(_metadata, &self->r, "lost: 0 (queue 0, memory 0), gaps: 0");
}

/* --processes: one record of each, of those with one thread too; --threads:
 * none of a process
 */
TEST_F(listen, kinds)
{
	pid_t pair, one;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--extended", "--processes", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	one = work_exit_process(0);
	pair = acct_exit_pair();
	ASSERT_LT(0, pair);
	run_stop(&self->r, SIGINT);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_TRUE(all_are(&self->l, "process", 2));
	EXPECT_TRUE(is_listed(&self->l, "process", one));
	EXPECT_TRUE(is_listed(&self->l, "process", pair));

	run_free(&self->r);
	forget(&self->l);
	/* Without --extended the records are the classic ones. */
	begin(&self->r, "-l", "--threads", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	pair = acct_exit_pair();
	ASSERT_LT(0, pair);
	run_stop(&self->r, SIGINT);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_TRUE(all_are(&self->l, "pid", 2));
	EXPECT_TRUE(is_listed_as(&self->l, "pid", "ac_pid", pair));
}

/* --filter: only those that are meant are received */
TEST_F(listen, only_some)
{
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--filter", "failed and uid=0", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	for (i = 0; i < 4; i++)
		work_exit_process(i % 2);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "received: 2, lost: 0");
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	EXPECT_EQ(1 << 8, number(self->l.v[0], "exit_code"));

	run_free(&self->r);
	begin(&self->r, "-l", "--filter", "lifetime>=1h");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	work_exit_process(0);
	run_stop(&self->r, SIGINT);
	expect_words(_metadata, &self->r, "received: 0, lost: 0");
}

/* What taskacct status says of the one that listens */
static struct json_object *the_listener(struct __test_metadata *_metadata,
					FIXTURE_DATA(listen) *self,
					struct run *r)
{
	run_verb(r, "status", "--json");
	expect_status(_metadata, r, EXIT_DONE);
	forget(&self->l);
	parse(_metadata, r->out, &self->l);
	/* The first line is about the module. */
	ASSERT_EQ(2, self->l.n);
	return self->l.v[1];
}

/* What only the command can decide: the kernel sends all, some are shown and logged */
TEST_F(listen, what_the_kernel_cannot_decide)
{
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--filter", "exit=3 or exit=4", "--json", "-w", LOG);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	for (i = 0; i < 6; i++)
		work_exit_process(i);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "received: 6, lost: 0");
	expect_words(_metadata, &self->r, "written: 2");
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	/* They are the classic ones, which were asked for. */
	EXPECT_STREQ("pid", word(self->l.v[0], "kind"));
	EXPECT_EQ(3 << 8, number(self->l.v[0], "exit_code"));
	EXPECT_EQ(4 << 8, number(self->l.v[1], "exit_code"));

	run_free(&self->r);
	forget(&self->l);
	run(&self->r, "-R", LOG, "--filter", "exit=4", "--json");
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_EQ(4 << 8, number(self->l.v[0], "exit_code"));
}

/* A listener on each CPU: all of them decide by the same filter. */
TEST_F(listen, each_cpu_by_one_filter)
{
	const int cpus = sys_cpus_online();
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--per-cpu", "--filter", "comm=extended_cli_t* and exit=3|4",
	      "--json", "--extended");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, (unsigned int)cpus));
	for (i = 0; i < 6 * cpus; i++) {
		ASSERT_EQ(0, work_pin(i % cpus));
		work_exit_process(i / cpus);
	}
	work_pin_any();
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2 * cpus, self->l.n);
	for (i = 0; i < self->l.n; i++)
		EXPECT_TRUE(number(self->l.v[i], "exit_code") == 3 << 8 ||
			    number(self->l.v[i], "exit_code") == 4 << 8);
}

/* A cgroup by its path is the kernel's to decide, wherever cgroups v2 are mounted. */
TEST_F(listen, cgroup_by_its_path)
{
	struct json_object *o;
	struct run list;
	char words[64];

	NEED_TASKACCT();
	ASSERT_EQ(0, cgroup_make(GROUP));
	snprintf(words, sizeof(words), "cgroup_id=%llu",
		 (unsigned long long)cgroup_number(GROUP));
	begin(&self->r, "-l", "--filter", "cgroup=/" GROUP);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	o = the_listener(_metadata, self, &list);
	EXPECT_STREQ(words, word(o, "filter"));
	/* It is all that was asked for: classic records are enough. */
	EXPECT_STREQ("", word(o, "want"));
	run_free(&list);
	run_stop(&self->r, SIGINT);
	cgroup_drop(GROUP);
}

/* Names that nothing else asked for are asked for where a filter has them. */
TEST_F(listen, names_in_a_filter)
{
	NEED_TASKACCT();
	NEED_EXIT_MM();
	run(&self->r, "-l", "--filter", "args=\"sleep 0 0\" and exe=*", "--json",
	    "-c", "sh", "-c", "sleep 0; sleep 0 0; false; true");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n) TH_LOG("it said: %s", self->r.err);
	EXPECT_STREQ("sleep", word(self->l.v[0], "ac_comm"));
}

/* -m without -l ends after one message: the first that meets the filter */
TEST_F(listen, the_first_that_is_meant)
{
	NEED_TASKACCT();
	begin(&self->r, "-m", "all", "--filter", "exit=5|6", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	work_exit_process(1);
	work_exit_process(6);
	work_exit_process(5);
	run_finish(&self->r);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "received: 1, lost: 0");
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_EQ(6 << 8, number(self->l.v[0], "exit_code"));
}

/* Who hears what, and of whom */
TEST_F(listen, who_listens)
{
	static const char filter[] =
		"uid=0-1999 and utime>=10ms and failed";
	static const char words[] =
		"uid>=0 and uid<=1999 and utime+stime>=10.0ms and failed, one in 3, processes";
	struct json_object *o;
	struct run list;
	char path[32];
	char comm[32];

	NEED_TASKACCT();
	begin(&self->r, "-l", "--extended", "--filter", filter, "--one-in", "3",
	      "--processes");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	/* Old kernels name it by the number that it was executed by. */
	snprintf(path, sizeof(path), "/proc/%d/comm", self->r.pid);
	ASSERT_LT(0, sys_read(path, comm, sizeof(comm)));
	comm[strcspn(comm, "\n")] = '\0';
	o = the_listener(_metadata, self, &list);
	EXPECT_EQ(self->r.pid, number(o, "pid"));
	EXPECT_STREQ(comm, word(o, "comm"));
	EXPECT_STREQ(words, word(o, "filter"));
	EXPECT_STREQ("record,stream,bare", word(o, "want"));
	EXPECT_EQ(0, number(o, "lost_queue"));
	EXPECT_LT(0, number(o, "portid"));
	run_free(&list);
	run_verb(&list, "status");
	EXPECT_NE(NULL, strstr(list.out, words));
	run_free(&list);
	run_stop(&self->r, SIGINT);

	/* One that asked for nothing has neither. */
	run_free(&self->r);
	begin(&self->r, "-l");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	o = the_listener(_metadata, self, &list);
	EXPECT_TRUE(is_null(o, "filter"));
	EXPECT_TRUE(is_null(o, "want"));
	run_free(&list);
	run_stop(&self->r, SIGINT);
}

static int64_t sum_of_gaps(const struct lines *l)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(word(l->v[i], "kind"), "gap"))
			sum += number(l->v[i], "queue") +
			       number(l->v[i], "memory");
	return sum;
}

/* R33 R36: what is lost is reported where it is missing, without being asked for;
 * received and lost together are what was made
 */
TEST_F(listen, gaps)
{
	unsigned long received, lost, queue, memory, gaps;
	struct acct_stat before, after;
	struct acct_listener l;
	char *summary;
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_stat_get(&self->s, &before));
	begin(&self->r, "-l", "-r", "8K", "--extended", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	kill(self->r.pid, SIGSTOP);
	for (i = 0; i < 100; i++)
		work_exit_process(0);
	kill(self->r.pid, SIGCONT);
	for (i = 0; i < 100; i++) {
		work_exit_process(0);
		usleep(1000);
	}
	ASSERT_EQ(1, acct_listener_dump(&self->s, &l, 1));
	EXPECT_GT(l.lost_queue, 50);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_LOST);
	summary = strstr(self->r.err, "received: ");
	ASSERT_NE(NULL, summary);
	ASSERT_EQ(5, sscanf(summary,
			    "received: %lu, lost: %lu (queue %lu, memory %lu), gaps: %lu",
			    &received, &lost, &queue, &memory, &gaps));
	/* Others may have exited, too, and since that figure was had. */
	EXPECT_LE(200, l.made);
	EXPECT_LE(l.made, received + lost);
	ASSERT_EQ(0, acct_stat_get(&self->s, &after));
	EXPECT_EQ(after.made - before.made, received + lost);
	EXPECT_LE(1, gaps);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_EQ(received + gaps, (unsigned long)self->l.n);
	EXPECT_EQ((int64_t)lost, sum_of_gaps(&self->l));
	EXPECT_EQ((int64_t)(received + lost),
		  number(self->l.v[self->l.n - 1], "seq"));
	expect_words(_metadata, &self->r, "on CPUs ");
}

/* --batch: messages wait for one another, and none is lost by it */
TEST_F(listen, batches)
{
	struct json_object *o;
	struct run list;
	pid_t pids[6];
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--extended", "--json", "--batch", "15K,60s");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	for (i = 0; i < 5; i++)
		pids[i] = work_exit_process(0);
	o = the_listener(_metadata, self, &list);
	EXPECT_LT(0, number(o, "waiting"));
	EXPECT_EQ(number(o, "made"),
		  number(o, "waiting") + number(o, "delivered"));
	/* The one that looked who listens */
	pids[5] = list.pid;
	run_free(&list);
	forget(&self->l);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "lost: 0 (queue 0, memory 0)");
	parse(_metadata, self->r.out, &self->l);
	for (i = 0; i < 6; i++)
		EXPECT_TRUE(is_listed(&self->l, "task", pids[i]));
}

/* A log of them is read as it was written; without --extended as taskstats has
 * it, for it has both
 */
TEST_F(listen, log_and_read_back)
{
	struct run back;
	pid_t pair, one;
	int lines;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--extended", "--json", "-w", LOG);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	one = work_exit_process(1);
	pair = acct_exit_pair();
	ASSERT_LT(0, pair);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	run(&back, "-R", LOG, "--extended", "--json");
	expect_status(_metadata, &back, EXIT_DONE);
	EXPECT_STREQ(self->r.out, back.out);
	lines = run_lines(back.out);
	EXPECT_LE(4, lines);
	run_free(&back);

	run(&back, "-R", LOG, "--json");
	parse(_metadata, back.out, &self->l);
	EXPECT_EQ(lines, self->l.n);
	EXPECT_TRUE(is_listed_as(&self->l, "pid", "ac_pid", one));
	EXPECT_TRUE(is_listed_as(&self->l, "pid", "ac_pid", pair));
	EXPECT_TRUE(is_listed_as(&self->l, "tgid", "ac_pid", pair));
	run_free(&back);
	forget(&self->l);
	/* Of a pair there are three records, of others that exit one. */
	run_verb(&back, "report", "--by", "cgroup", "--json", LOG);
	parse(_metadata, back.out, &self->l);
	/* And the total, which is the same */
	ASSERT_EQ(2, self->l.n);
	EXPECT_EQ(lines - 2, number(self->l.v[0], "count"));
	run_free(&back);
}

TEST_HARNESS_MAIN
