// SPDX-License-Identifier: GPL-2.0-only
/*
 * The books close: taskacct audit holds what tasks used against what the kernel has
 * booked for cgroups and for the machine, and the module for users and processes. In a
 * VM that counts instructions each is one ns.
 *
 * Whose books are looked at here stands still while they are read: what is used and what
 * is booked is one number then, and no range.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "disk.h"
#include "users.h"

#include "lines.h"

#define GROUP "audit_test"
#define INNER GROUP "/inner"
#define OTHER "audit_test_other"

#define EXIT_OPEN 5

#define DEBUGFS "/sys/kernel/debug"

/* How far a record and the kernel may be apart for each task; see end_test */
#define APART_NS 5000

/* What is booked of a CPU before it has passed, at most */
#define WAY_NS 2000

#define CPUTIME "/sys/module/taskacct/parameters/cputime"

/* The kernel tells a cgroup's time in whole microseconds. */
#define ROUNDED_NS 1000

#define ROUNDS 10
#define THREADS 2
#define FILES 200
#define MS 1000000ULL

FIXTURE(audit) {
	struct acct_sock s;
	struct run r;
	struct lines l;
	struct work w;
	bool able;
};

FIXTURE_SETUP(audit)
{
	mount("none", DEBUGFS, "debugfs", 0, NULL);
	SET_UP("");
}

FIXTURE_TEARDOWN(audit)
{
	forget(&self->l);
	run_free(&self->r);
	cgroup_drop(INNER);
	cgroup_drop(GROUP);
	cgroup_drop(OTHER);
	TEAR_DOWN();
}

static void *spin_as_thread(void *arg)
{
	work_spin(300000);
	work_write(5, 1000);
	return arg;
}

static void *execute(void *arg)
{
	work_spin(300000);
	execl("/bin/true", "true", NULL);
	return arg;
}

/* By a thread that is not the first, which becomes the first */
static int exec_by_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, execute, NULL))
		pthread_join(thread, NULL);
	return 1;
}

static void *spin_for_long(void *arg)
{
	work_spin(1000 * MS);
	return arg;
}

/* With all its threads, in the midst of what they do */
static int end_by_signal(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, spin_for_long, NULL))
		return 1;
	usleep(2000);
	raise(SIGKILL);
	return 1;
}

/* As commands of a script do: most are over before a tick, some are not. */
static int of_kind(int kind)
{
	switch (kind) {
	case 0:
		return 0;
	case 1:
		work_spin(200000);
		return 0;
	case 2:
		work_spin(20 * MS);
		return 0;
	case 3:
		work_touch(4 << 20);
		work_read(20, 3000);
		work_write(10, 2000);
		return 0;
	case 4:
		return work_threads(THREADS, spin_as_thread);
	case 5:
		return exec_by_thread();
	case 6:
		return end_by_signal();
	default:
		usleep(1000);
		execl("/bin/true", "true", NULL);
		return 1;
	}
}

#define KINDS 8
#define TASKS (ROUNDS * (KINDS + THREADS + 2))

static int run_one(int kind)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(of_kind(kind));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return kind == 6 ? !WIFSIGNALED(status) : status;
}

static int run_all(void)
{
	int i, err = 0;

	for (i = 0; i < ROUNDS * KINDS && !err; i++)
		err = run_one(i % KINDS);
	return err;
}

/* 3 ms as one user, and 1 ms as the next */
static int change_users(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		if (!pid) {
			work_spin(3 * MS);
			user_become(FIRST_UID + 1);
			work_spin(MS);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

/*
 * The kernel gives the new cgroup what has been run since the last tick or switch: so it
 * is switched before.
 */
static int move_to_other(void)
{
	usleep(1000);
	return cgroup_enter(OTHER, 0);
}

/* In one cgroup, and in another: a child that ends, and one that lives on */
static int move(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		work_spin(3 * MS);
		if (move_to_other())
			_exit(1);
		work_spin(2 * MS);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	work_spin(5 * MS);
	return move_to_other();
}

static int use_disk(void)
{
	disk_use(DISK_MOUNTED "/file");
	return 0;
}

static int (*job)(void);

/* Does its job when it is told to, and stands still before and after that */
static int lead(int fd, void *arg)
{
	int err = 0;

	(void)arg;
	user_become(FIRST_UID);
	work_send(fd, 'r');
	while (!err && work_order(fd) == 'g') {
		err = job();
		work_send(fd, 'd');
	}
	return err;
}

static void start_leader(struct __test_metadata *_metadata,
			 FIXTURE_DATA(audit) *self, int (*fn)(void))
{
	job = fn;
	ASSERT_EQ(0, work_start(&self->w, lead, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(0, work_settle(self->w.pid));
	ASSERT_EQ(0, cgroup_enter(INNER, self->w.pid));
}

static void have_it_done(struct __test_metadata *_metadata,
			 FIXTURE_DATA(audit) *self)
{
	ASSERT_EQ(0, work_tell(&self->w, 'g'));
	ASSERT_EQ('d', work_hear(&self->w));
	/* Whom it has waited for has come to its end, too. */
	usleep(100000);
}

static void begin_audit(struct __test_metadata *_metadata,
			FIXTURE_DATA(audit) *self)
{
	begin_verb(&self->r, "audit", "1000", "--json");
	ASSERT_TRUE(run_says(&self->r, "auditing", PATIENCE_MS))
		TH_LOG("it did not begin");
}

static const char *line_of(const struct run *r, const char *words)
{
	return strstr(r->err, words) ?: "";
}

static void end_audit(struct __test_metadata *_metadata,
		      FIXTURE_DATA(audit) *self, int status)
{
	const char *line;
	int i;

	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, status);
	parse(_metadata, self->r.out, &self->l);
	for (i = 0; i < self->l.n && status == EXIT_DONE; i++) {
		line = json_object_to_json_string(self->l.v[i]);
		EXPECT_STREQ("true", json_of(self->l.v[i], "closes")) {
			TH_LOG("%s", line);
		}
	}
	TH_LOG("%s", line_of(&self->r, "audited"));
}

/* What is used when the leader has its job done */
static void audit_job(struct __test_metadata *_metadata,
		      FIXTURE_DATA(audit) *self, int (*fn)(void), int status)
{
	ASSERT_EQ(0, cgroup_make(GROUP));
	ASSERT_EQ(0, cgroup_make(INNER));
	ASSERT_EQ(0, cgroup_make(OTHER));
	start_leader(_metadata, self, fn);
	begin_audit(_metadata, self);
	have_it_done(_metadata, self);
	end_audit(_metadata, self, status);
	work_tell(&self->w, 'e');
	EXPECT_EQ(0, work_wait(&self->w));
}

/* The line of a book about a group, or NULL */
static struct json_object *find_row(const struct lines *l, const char *book,
				    const char *what, const char *of,
				    const char *name, int64_t id)
{
	struct json_object *o;
	int i;

	for (i = 0; i < l->n; i++) {
		o = l->v[i];
		if (!strcmp(word(o, "book"), book) &&
		    !strcmp(word(o, "what"), what) &&
		    !strcmp(word(o, "of"), of) &&
		    (name ? !strcmp(word(o, "name"), name) :
			    number(o, "id") == id))
			return o;
	}
	return NULL;
}

/* It has to be there; else one with nothing in it */
static struct json_object *row(struct __test_metadata *_metadata,
			       const struct lines *l, const char *book,
			       const char *what, const char *of,
			       const char *name, int64_t id)
{
	struct json_object *o = find_row(l, book, what, of, name, id);

	if (o)
		return o;
	EXPECT_TRUE(false) TH_LOG("no %s of %s of %s", what, book, of);
	return json_object_new_object();
}

#define MACHINE(book, what) \
	row(_metadata, &self->l, (book), (what), "machine", "machine", 0)
#define CGROUP(name) \
	row(_metadata, &self->l, "cpu.stat", "cpu_ns", "cgroup", "/" name, 0)
#define USER(what, uid) \
	row(_metadata, &self->l, "users", (what), "user", NULL, (uid))

/* A number, and no range */
static int64_t one(struct __test_metadata *_metadata, struct json_object *o,
		   const char *min, const char *max)
{
	EXPECT_EQ(number(o, min), number(o, max))
		TH_LOG("%s", json_object_to_json_string(o));
	return number(o, max);
}

#define USED(o) one(_metadata, (o), "used_min", "used_max")
#define BOOKED(o) one(_metadata, (o), "booked_min", "booked_max")

/* A kernel keeps the machine's book of waits and runs with CONFIG_SCHEDSTATS only. */
#define SCHEDSTAT "/proc/schedstat"

/* What a user's task uses, and a file that is there where the kernel counts it */
static const struct {
	const char *what;
	const char *with;
} of_users[] = {
	{ "cpu_ns", "/proc/self/stat" },
	{ "run_delay_ns", "/proc/self/schedstat" },
	{ "runs", "/proc/self/schedstat" },
	{ "switches", "/proc/self/status" },
	{ "faults", "/proc/self/stat" },
	{ "rchar", "/proc/self/io" },
	{ "wchar", "/proc/self/io" },
};

static void expect_of_user(struct __test_metadata *_metadata,
			   FIXTURE_DATA(audit) *self, size_t i)
{
	const char *what = of_users[i].what;
	struct json_object *o;

	if (access(of_users[i].with, F_OK)) {
		EXPECT_EQ(NULL, find_row(&self->l, "users", what, "user", NULL, FIRST_UID))
			TH_LOG("%s", what);
		return;
	}
	o = USER(what, FIRST_UID);
	EXPECT_EQ(USED(o), BOOKED(o)) TH_LOG("%s", what);
}

/* R9 R79 R82: of processes that begin and end in a cgroup nothing that they used is
 * missing, and nothing is there twice: their cgroup, that above it, their user, their
 * processes and the machine have what the records say
 */
TEST_F(audit, ended)
{
	struct json_object *o;
	int64_t used;
	size_t i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_WHOLE_RUNTIME();
	NEED_CGROUP(GROUP);
	audit_job(_metadata, self, run_all, EXIT_DONE);
	o = CGROUP(INNER);
	used = USED(o);
	EXPECT_EQ(TASKS, number(o, "ended"));
	EXPECT_EQ(APART_NS * TASKS + ROUNDED_NS, number(o, "bound"));
	EXPECT_GE(APART_NS * TASKS, llabs(used - BOOKED(o)));
	EXPECT_LT((int64_t)(ROUNDS * (20 * MS + 200000 + 2 * 300000)), used);
	TH_LOG("%d tasks: %lld ns in their records, %lld more of the cgroup",
	       TASKS, (long long)used, (long long)(BOOKED(o) - used));
	o = CGROUP(GROUP);
	EXPECT_EQ(used, USED(o));
	for (i = 0; i < sizeof(of_users) / sizeof(*of_users); i++)
		expect_of_user(_metadata, self, i);
	EXPECT_EQ(used, USED(USER("cpu_ns", FIRST_UID)));
}

/* Debian's are built for it since 6.1, and with "voluntary" do not, before lazy came. */
static bool kernel_preempts(void)
{
	return sys_file_has("/proc/version", "PREEMPT_RT") ||
	       sys_file_has(DEBUGFS "/sched/preempt", "(full)") ||
	       sys_file_has(DEBUGFS "/sched/preempt", "(lazy)");
}

/* By the machine's only scheduler, on one CPU */
static void expect_schedstat(struct __test_metadata *_metadata,
			     FIXTURE_DATA(audit) *self)
{
	const bool preempts = kernel_preempts();
	struct json_object *o;
	int64_t more;

	EXPECT_LE(TASKS, number(MACHINE("schedstat", "switches"), "ended"));
	/* Where the kernel preempts itself, one may wait behind its record. */
	o = MACHINE("schedstat", "runs");
	EXPECT_GE(preempts ? TASKS : 0, llabs(number(o, "residual")));
	o = MACHINE("schedstat", "run_delay_ns");
	EXPECT_GE(preempts ? number(o, "booked_max") / 10 : 0,
		  llabs(number(o, "residual")));
	/* The time in which a CPU looks for something to do is the kernel's alone. */
	o = MACHINE("schedstat", "cpu_ns");
	more = -number(o, "residual");
	EXPECT_GT(number(o, "booked_max") / 20, more);
	TH_LOG("%lld ns more by schedstat", (long long)more);
}

static void expect_no_book(struct __test_metadata *_metadata,
			   const struct lines *l, const char *book)
{
	int i;

	for (i = 0; i < l->n; i++)
		EXPECT_STRNE(book, word(l->v[i], "book"));
}

/* R9: what the machine has counted in the meantime: the waits and the runs of all tasks to
 * the last one, their switches but for the last one of each. Nothing is said of what the
 * kernel does not count.
 */
TEST_F(audit, machine)
{
	struct json_object *o;
	int64_t more;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_WHOLE_RUNTIME();
	NEED_CGROUP(GROUP);
	audit_job(_metadata, self, run_all, EXIT_DONE);
	EXPECT_LE(TASKS, number(MACHINE("stat", "tasks"), "used_max"));
	if (access(SCHEDSTAT, F_OK))
		expect_no_book(_metadata, &self->l, "schedstat");
	else
		expect_schedstat(_metadata, self);
	if (!sys_file_has("/proc/vmstat", "pgfault ")) {
		EXPECT_EQ(NULL, find_row(&self->l, "vmstat", "faults", "machine",
					 "machine", 0));
		return;
	}
	/* Faults that had to be tried again, or failed, are the kernel's alone. */
	o = MACHINE("vmstat", "faults");
	more = -number(o, "residual");
	EXPECT_GT(number(o, "booked_max") / 50, more);
}

#define CPU(what, n) row(_metadata, &self->l, "cputime", (what), "cpu", NULL, (n))

/* What all tasks had of the only CPU, and what that had in all, within 2 us */
static void expect_cpus(struct __test_metadata *_metadata,
			FIXTURE_DATA(audit) *self)
{
	struct json_object *tasks = MACHINE("cputime", "on_cpu_ns");
	struct json_object *wall = CPU("wall_ns", 0);
	const int64_t ended = number(tasks, "ended");

	EXPECT_LT((int64_t)(ROUNDS * 20 * MS), number(tasks, "used_min"));
	EXPECT_LE(TASKS, ended);
	EXPECT_GE(WAY_NS, number(tasks, "residual"));
	EXPECT_GE(APART_NS * ended + WAY_NS, -number(tasks, "residual"));
	EXPECT_LT(number(tasks, "used_max"), number(wall, "used_min"));
	EXPECT_GE(WAY_NS, llabs(number(wall, "residual")));
	TH_LOG("of %lld ns %lld are off, of tasks %lld",
	       (long long)number(wall, "used_max"),
	       (long long)number(wall, "residual"),
	       (long long)number(tasks, "residual"));
}

/* R85 R94: where time per CPU is accounted, all classes of a CPU are what has passed on it,
 * and tasks have as much of them as their records say
 */
TEST_F(audit, cpus)
{
	static const char *const modes[] = { "full", "switch" };
	size_t i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_WHOLE_RUNTIME();
	NEED_CGROUP(GROUP);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		ASSERT_EQ(0, sys_write(CPUTIME, modes[i]));
		audit_job(_metadata, self, run_all, EXIT_DONE);
		expect_cpus(_metadata, self);
		forget(&self->l);
		run_free(&self->r);
		self->l = (struct lines){ .n = 0 };
		self->r = (struct run){ .pid = 0 };
	}
}

static void expect_no_cpus(struct __test_metadata *_metadata,
			   const struct lines *l)
{
	EXPECT_EQ(NULL, find_row(l, "cputime", "wall_ns", "cpu", NULL, 0));
	EXPECT_EQ(NULL, find_row(l, "cputime", "on_cpu_ns", "machine",
				 "machine", 0));
}

/* Where time per CPU is not accounted nothing is said of it, nor where that was changed */
TEST_F(audit, cpus_not_accounted)
{
	NEED_LOADED(self->able);
	run_verb(&self->r, "audit", "100ms", "--json");
	parse(_metadata, self->r.out, &self->l);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_no_cpus(_metadata, &self->l);
	forget(&self->l);
	run_free(&self->r);
	ASSERT_EQ(0, sys_write(CPUTIME, "switch"));
	begin_audit(_metadata, self);
	ASSERT_EQ(0, sys_write(CPUTIME, "off"));
	ASSERT_EQ(0, sys_write(CPUTIME, "switch"));
	end_audit(_metadata, self, EXIT_DONE);
	expect_no_cpus(_metadata, &self->l);
}

/* R77 R79: what ran before a change of user is the old one's, in the module's book; of
 * the task it is known only that it was one of the two's
 */
TEST_F(audit, users)
{
	struct json_object *o;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_WHOLE_RUNTIME();
	NEED_CGROUP(GROUP);
	audit_job(_metadata, self, change_users, EXIT_DONE);
	o = USER("cpu_ns", FIRST_UID + 1);
	EXPECT_EQ(0, number(o, "used_min"));
	EXPECT_LE((int64_t)(ROUNDS * MS), BOOKED(o));
	EXPECT_GT((int64_t)(ROUNDS * 2 * MS), BOOKED(o));
	EXPECT_LE((int64_t)(ROUNDS * 4 * MS), number(o, "used_max"));
	o = USER("cpu_ns", FIRST_UID);
	EXPECT_LE((int64_t)(ROUNDS * 3 * MS), BOOKED(o));
	EXPECT_LE(number(o, "used_min"), BOOKED(o));
}

/* A task that moved is one of the two cgroups', and of the machine it is */
TEST_F(audit, moves)
{
	struct json_object *o;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_CGROUP(GROUP);
	audit_job(_metadata, self, move, EXIT_DONE);
	o = CGROUP(OTHER);
	EXPECT_EQ(0, number(o, "used_min"));
	EXPECT_LE((int64_t)(10 * MS), number(o, "used_max"));
	EXPECT_LE((int64_t)(2 * MS), BOOKED(o));
	EXPECT_GT((int64_t)(5 * MS), BOOKED(o));
	o = CGROUP(INNER);
	EXPECT_LE((int64_t)(8 * MS), BOOKED(o));
	EXPECT_LE(BOOKED(o), number(o, "used_max"));
}

/* What a cgroup has read, of all disks, as io.stat has it */
static int64_t read_of_cgroup(const char *name)
{
	const char *at;
	char text[1024];
	int64_t sum = 0;

	if (cgroup_get(name, "io.stat", text, sizeof(text)) < 0)
		return -1;
	for (at = text; (at = strstr(at, "rbytes=")); at++)
		sum += strtoll(strchr(at, '=') + 1, NULL, 10);
	return sum;
}

/* Without CONFIG_BLK_CGROUP none does. */
static bool cgroups_tell_of_disks(void)
{
	return sys_file_has("/sys/fs/cgroup/cgroup.controllers", "io");
}

static void let_tell_of_disks(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, cgroup_set("", "cgroup.subtree_control", "+io"));
	ASSERT_EQ(0, cgroup_set(GROUP, "cgroup.subtree_control", "+io"));
}

/* R79: what is read from a disk and what is meant to be written, to the byte. What is
 * read from a plain disk by a cgroup's own tasks is what its io.stat has
 */
TEST_F(audit, disk)
{
	const char *const unmount[] = { "umount", DISK_MOUNTED, NULL };
	struct json_object *o;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	NEED_FTRACE();
	NEED_CGROUP(GROUP);
	ASSERT_TRUE(disk_have(1));
	ASSERT_TRUE(disk_mount(DISK_NAME(0)));
	ASSERT_EQ(0, chmod(DISK_MOUNTED, 0777));
	if (cgroups_tell_of_disks())
		let_tell_of_disks(_metadata);
	audit_job(_metadata, self, use_disk, EXIT_DONE);
	o = USER("read_bytes", FIRST_UID);
	EXPECT_LE(256 << 10, USED(o));
	EXPECT_EQ(USED(o), BOOKED(o));
	if (cgroups_tell_of_disks())
		EXPECT_EQ(USED(o), read_of_cgroup(INNER));
	o = USER("write_bytes", FIRST_UID);
	EXPECT_LE(512 << 10, USED(o));
	EXPECT_EQ(USED(o), BOOKED(o));
	/* Network file systems and direct writes are the tasks' alone. */
	o = MACHINE("vmstat", "read_bytes");
	EXPECT_LE(256 << 10, number(o, "booked_max"));
	EXPECT_GT(64 << 10, number(o, "residual"));
	o = MACHINE("vmstat", "write_bytes");
	EXPECT_LE(512 << 10, number(o, "booked_max"));
	EXPECT_GT(64 << 10, number(o, "residual"));
	EXPECT_EQ(0, sys_run(unmount));
	EXPECT_TRUE(disk_end(1));
}

/* R32: records that were lost: the books are open, and it says so */
TEST_F(audit, lost)
{
	int i;

	NEED_LOADED(self->able);
	begin_verb(&self->r, "audit", "1000", "--rcvbuf", "4K", "--json");
	ASSERT_TRUE(run_says(&self->r, "auditing", PATIENCE_MS));
	ASSERT_EQ(0, kill(self->r.pid, SIGSTOP));
	for (i = 0; i < 50; i++)
		work_exit_process(0);
	usleep(100000);
	ASSERT_EQ(0, kill(self->r.pid, SIGCONT));
	end_audit(_metadata, self, EXIT_LOST);
	expect_words(_metadata, &self->r, "lost: ");
}

/* Their files are closed behind the exit. */
static int leave_files_open(void)
{
	int i, n, status;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		if (!pid) {
			for (n = 0; n < FILES; n++)
				if (dup(STDERR_FILENO) < 0)
					_exit(1);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

/* Records of an exit, and not of an end, lack what comes in between: it does not close */
TEST_F(audit, early)
{
	NEED_LOADED(self->able);
	NEED_CGROUP(GROUP);
	RELOAD("hook=tracepoint uid=1");
	audit_job(_metadata, self, leave_files_open, EXIT_OPEN);
	expect_words(_metadata, &self->r, "of an exit and not of an end");
	EXPECT_STREQ("false", json_of(CGROUP(INNER), "closes"));
	EXPECT_GT(0, number(CGROUP(INNER), "residual"));
}

/* Where the kernel takes the time of interrupts from tasks, the audit says so: for that the
 * CPU time of tasks does not close.
 */
TEST_F(audit, interrupts)
{
	NEED_LOADED(self->able);
	run_verb(&self->r, "audit", "100ms");
	EXPECT_EQ(sys_deducts_irqs(), *line_of(&self->r, "the time of interrupts") != 0);
}

/* A table for people; without users where the module does not count for them */
TEST_F(audit, table)
{
	NEED_LOADED(self->able);
	run_verb(&self->r, "audit", "100ms");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_GT(80, longest_line(self->r.out));
	EXPECT_EQ(self->r.out, strstr(self->r.out, "BOOK "));
	EXPECT_NE(NULL, strstr(self->r.out, "users "));
	EXPECT_EQ(!access(SCHEDSTAT, F_OK), !!strstr(self->r.out, "schedstat "));
	run_free(&self->r);
	RELOAD("");
	run_verb(&self->r, "audit", "100ms");
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "uid=1");
	EXPECT_EQ(NULL, strstr(self->r.out, "users "));
}

/* It says what is wrong with the command line, and that it may not */
TEST_F(audit, refused)
{
	NEED_LOADED(self->able);
	run_verb(&self->r, "audit", "soon");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "soon");
	run_free(&self->r);
	run_verb(&self->r, "audit", "1", "2");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	run_free(&self->r);
	run_verb(&self->r, "audit", "1", "--rcvbuf", "0");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "--rcvbuf");
	run_free(&self->r);
	run_verb(&self->r, "audit", "1", "--rcvbuf", "1025M");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	run_free(&self->r);
	run_verb(&self->r, "audit", "1", "--family", "TASKSTATS");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	run_free(&self->r);
	run_as(&self->r, 65534, "taskacct", "audit", "1", NULL);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "CAP_NET_ADMIN");
}

TEST_HARNESS_MAIN
