// SPDX-License-Identifier: GPL-2.0-only
/*
 * The books close while tasks begin and end, execute programs, also by another thread
 * than the first, change their user, move between cgroups and leave children behind
 * on two CPUs: taskacct audit again and again, while a CPU goes and comes, and over
 * many ends. A module that was loaded anew is no book.
 */
#include <pthread.h>
#include <sched.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "users.h"

#include "lines.h"

#define GROUP "audit_storm"
#define CGROUPS 3
#define EVENTS "/sys/fs/cgroup/" GROUP "/cgroup.events"

#define EXIT_OPEN 5

#define WORKERS 2
#define AUDITS 40
#define HOTPLUG_AUDITS 20
#define USERS 20

/* The CPU that goes and comes, and how long it is there or away */
#define VICTIM 1
#define HOTPLUG_US 40000

#define RELOADS 8

/*
 * Ends of processes under one audit: as many as the variable of that name says, else on
 * the kernel that has time for it a million, and on the others a few
 */
#define ENDS "AUDIT_ENDS"
#define MILLION 1000000
#define MILLION_ON "6.1"
#define FEW_ENDS 40000

/* The limit is that of the VM, which knows how slow the kernel is. */
#define TIMEOUT 7200

FIXTURE(storm) {
	struct acct_sock s;
	struct run r;
	struct lines l;
	struct work w[WORKERS];
	bool able;
};

FIXTURE_SETUP(storm)
{
	SET_UP("");
}

static const char *group(int i)
{
	static char name[64];

	snprintf(name, sizeof(name), GROUP "/%d", i);
	return name;
}

FIXTURE_TEARDOWN(storm)
{
	int i;

	forget(&self->l);
	run_free(&self->r);
	for (i = 0; i < CGROUPS; i++)
		cgroup_drop(group(i));
	cgroup_drop(GROUP);
	TEAR_DOWN();
}

static unsigned int seed;

static int any(int n)
{
	return rand_r(&seed) % n;
}

static void *thread(void *arg)
{
	work_mix(1 + any(10));
	return arg;
}

static void *execute(void *arg)
{
	execl("/bin/true", "true", NULL);
	return arg;
}

/* Some are waited for, others end with the process. */
static void with_threads(void)
{
	pthread_t threads[4];
	int i, n = 1 + any(4), joined = any(n + 1);

	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL,
				   any(10) ? thread : execute, NULL))
			_exit(90);
	for (i = 0; i < joined; i++)
		pthread_join(threads[i], NULL);
}

static void live(void)
{
	switch (any(8)) {
	case 0:
		break;
	case 1:
		work_touch((1 + any(8)) << 18);
		break;
	case 2:
		with_threads();
		break;
	case 3:
		user_become(FIRST_UID + any(USERS));
		work_mix(any(10));
		break;
	case 4:
		cgroup_enter(group(any(CGROUPS)), 0);
		work_mix(any(10));
		break;
	case 5:
		usleep(any(3000));
		work_read(any(20), 3000);
		break;
	case 6:
		execl("/bin/true", "true", NULL);
		_exit(91);
	default:
		work_write(any(20), 2000);
	}
}

/* As above, and some have a child that may outlive them. */
static void fork_and_live(void)
{
	if (!any(4) && !fork())
		seed++;
	live();
	_exit(0);
}

/* Until it is told to end. Whom it has not waited for, init does. */
static int rage(int fd, void *arg)
{
	char order;
	pid_t pid;

	seed = *(unsigned int *)arg;
	work_send(fd, 'r');
	while (recv(fd, &order, 1, MSG_DONTWAIT) != 1) {
		seed += 7;
		pid = fork();
		if (!pid)
			fork_and_live();
		if (pid > 0 && any(20))
			waitpid(pid, NULL, 0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}

/*
 * What a task runs behind its record, to leave its CPU for good, are microseconds, if the
 * machine is not emulated by one that has other things to do: audit_test is about these.
 */
static bool has_ends_of_tasks(struct json_object *o)
{
	return !strcmp(word(o, "book"), "cpu.stat") ||
	       !strcmp(word(o, "what"), "on_cpu_ns");
}

/* Returns how many lines of others do not close. */
static int look(struct __test_metadata *_metadata, const struct lines *l)
{
	const char *line;
	int i, open = 0;

	for (i = 0; i < l->n; i++) {
		line = json_object_to_json_string(l->v[i]);
		if (!strcmp(json_of(l->v[i], "closes"), "true"))
			continue;
		TH_LOG("%s", line);
		open += !has_ends_of_tasks(l->v[i]);
	}
	return open;
}

static void audit_once(struct __test_metadata *_metadata,
		       FIXTURE_DATA(storm) *self)
{
	const char *last;
	int open;

	run_verb(&self->r, "audit", "300ms", "--json");
	parse(_metadata, self->r.out, &self->l);
	open = look(_metadata, &self->l);
	EXPECT_EQ(0, open);
	EXPECT_TRUE(self->r.status == EXIT_DONE ||
		    (self->r.status == EXIT_OPEN && !open))
		TH_LOG("status %d: %s", self->r.status, self->r.err);
	last = strstr(self->r.err, "audited");
	TH_LOG("%.60s", last ?: self->r.err);
	forget(&self->l);
	run_free(&self->r);
	self->l = (struct lines){ .n = 0 };
	self->r = (struct run){ .pid = 0 };
}

/* Takes a CPU away and brings it back until it is told to end; it is there then. */
static int plug(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool online = true;

	work_send(fd, 'r');
	do {
		online = !online;
		if (sys_cpu_set(VICTIM, online))
			return 1;
		usleep(HOTPLUG_US);
	} while (!online || !poll(&pfd, 1, 0));
	return !!arg;
}

/* So many processes that do nothing */
static int flood(int fd, void *arg)
{
	int i, n = *(int *)arg;
	pid_t pid;

	work_send(fd, 'r');
	for (i = 0; i < n; i++) {
		pid = vfork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}

static void begin_work(struct __test_metadata *_metadata, struct work *w,
		       int (*fn)(int fd, void *arg), void *arg)
{
	ASSERT_EQ(0, work_start(w, fn, arg));
	ASSERT_EQ('r', work_hear(w));
}

static void begin_storm(struct __test_metadata *_metadata,
			FIXTURE_DATA(storm) *self)
{
	unsigned int seeds[WORKERS];
	int i;

	for (i = 0; i < CGROUPS; i++)
		ASSERT_EQ(0, cgroup_make(group(i)));
	for (i = 0; i < WORKERS; i++) {
		seeds[i] = 1000 * i + 1;
		begin_work(_metadata, &self->w[i], rage, &seeds[i]);
	}
}

static void end_work(struct __test_metadata *_metadata, struct work *w)
{
	work_tell(w, 'e');
	EXPECT_EQ(0, work_wait(w));
}

static void end_storm(struct __test_metadata *_metadata,
		      FIXTURE_DATA(storm) *self)
{
	int i;

	for (i = 0; i < WORKERS; i++)
		end_work(_metadata, &self->w[i]);
}

/* R9 R25 R79: 40 audits of 300 ms close, whatever comes and goes while books and tasks
 * are read; but for CPU time of cgroups, where a busy host makes the end of a task take
 * longer than its record allows
 */
TEST_F_TIMEOUT(storm, closes, TIMEOUT)
{
	int i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_CGROUP(GROUP);
	begin_storm(_metadata, self);
	for (i = 0; i < sys_fewer(AUDITS); i++)
		audit_once(_metadata, self);
	end_storm(_metadata, self);
}

/* R9 R25 R79: so do 20 while a CPU goes and comes every 40 ms */
TEST_F_TIMEOUT(storm, closes_under_hotplug, TIMEOUT)
{
	struct work plugger;
	int i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_CGROUP(GROUP);
	begin_storm(_metadata, self);
	begin_work(_metadata, &plugger, plug, NULL);
	for (i = 0; i < sys_fewer(HOTPLUG_AUDITS); i++)
		audit_once(_metadata, self);
	end_work(_metadata, &plugger);
	EXPECT_TRUE(sys_cpu_is_online(VICTIM));
	end_storm(_metadata, self);
}

/* Stops all, or has them go on; returns whether they are where they should be. */
static bool hold_still(bool frozen)
{
	int tries = PATIENCE_MS / 10;
	char text[256];

	if (cgroup_set(GROUP, "cgroup.freeze", frozen ? "1" : "0"))
		return false;
	snprintf(text, sizeof(text), "frozen %d\n", frozen);
	while (!sys_file_has(EVENTS, text)) {
		if (!tries--)
			return false;
		usleep(10000);
	}
	return true;
}

/* R9 R25 R79 R85: so do audits just behind a reload, of tasks that were in the midst of
 * something, while time per CPU is accounted; the module is loaded while the storm stands
 * still, since QEMU cannot change code that runs on another CPU (see testing.rst)
 */
TEST_F_TIMEOUT(storm, closes_behind_reloads, TIMEOUT)
{
	static const char *const modes[] = {
		"uid=1 cputime=full", "uid=1 cputime=switch", "uid=1",
	};
	int i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_CGROUP(GROUP);
	begin_storm(_metadata, self);
	for (i = 0; i < WORKERS; i++)
		ASSERT_EQ(0, cgroup_enter(GROUP, self->w[i].pid));
	for (i = 0; i < sys_fewer(RELOADS); i++) {
		ASSERT_TRUE(hold_still(true));
		RELOAD(modes[i % ARRAY_SIZE(modes)]);
		ASSERT_TRUE(hold_still(false));
		audit_once(_metadata, self);
	}
	end_storm(_metadata, self);
}

static int number_of_ends(void)
{
	const char *ends = getenv(ENDS), *kernel = getenv("VM_KERNEL");

	if (ends)
		return atoi(ends);
	if (kernel && !strcmp(kernel, MILLION_ON) &&
	    sys_quick(MILLION) == MILLION)
		return MILLION;
	return sys_fewer(FEW_ENDS);
}

/* R9 R25 R79: so does one over all processes that end in a long time, a million on 6.1;
 * every record came
 */
TEST_F_TIMEOUT(storm, closes_over_many, TIMEOUT)
{
	int i, n = number_of_ends() / WORKERS;
	const char *last;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	begin_verb(&self->r, "audit", "100h", "--json");
	ASSERT_TRUE(run_says(&self->r, "auditing", 1000 * TIMEOUT));
	for (i = 0; i < WORKERS; i++)
		begin_work(_metadata, &self->w[i], flood, &n);
	for (i = 0; i < WORKERS; i++)
		EXPECT_EQ(0, work_wait(&self->w[i]));
	run_stop(&self->r, SIGINT);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_EQ(0, look(_metadata, &self->l));
	last = strstr(self->r.err, "audited");
	ASSERT_NE(NULL, last) TH_LOG("it said: %s", self->r.err);
	TH_LOG("%.60s", last);
	/* A lost record would leave the books open as well. */
	EXPECT_LE(WORKERS * n, atoi(strstr(last, "s, ") + 3));
	EXPECT_EQ(NULL, strstr(self->r.err, "lost"));
}

/* R9: a module that is loaded anew knows nothing of what was: nothing is compared, and
 * the status is 2
 */
TEST_F_TIMEOUT(storm, nothing_closes_over_a_reload, TIMEOUT)
{
	NEED_LOADED(self->able);
	NEED_FTRACE();
	begin_verb(&self->r, "audit", "100h", "--json");
	ASSERT_TRUE(run_says(&self->r, "auditing", 1000 * TIMEOUT));
	RELOAD("uid=1");
	run_stop(&self->r, SIGINT);
	EXPECT_EQ(EXIT_REFUSED, self->r.status)
		TH_LOG("it said: %s", self->r.err);
	EXPECT_STREQ("", self->r.out);
}

TEST_HARNESS_MAIN
