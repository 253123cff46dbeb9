// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may ask about whom: users about their own tasks, by the rule that guards
 * /proc/PID/io, and roots of containers about all that is in their own. Nothing of
 * others reaches them (CVE-2011-2494).
 *
 * Each answer about a task is compared with what the kernel lets the same user read
 * below /proc/PID, while others' tasks exit. The numbers of a user's messages have no
 * gap.
 */
#include <endian.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <linux/capability.h>

#include "test.h"

#define USER 4301
#define OTHER 4302
#define NO_ONE 0x7fffffff

#define PROGRAM "/tmp/taskacct_access"

static char all[32];

/* A program that sleeps, of a user and with a mode */
static int make_program(uid_t owner, mode_t mode)
{
	static char buf[1 << 20];
	int from = open("/bin/sleep", O_RDONLY);
	int to = open(PROGRAM, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n = read(from, buf, sizeof(buf));
	int err = n <= 0 || write(to, buf, n) != n || fchown(to, owner, owner) ||
		  fchmod(to, mode);

	close(from);
	close(to);
	return err;
}

static int add_file_caps(void)
{
	struct vfs_cap_data caps = {
		.magic_etc = htole32(VFS_CAP_REVISION_2 |
				     VFS_CAP_FLAGS_EFFECTIVE),
		.data[0].permitted = htole32(1 << CAP_NET_RAW),
	};

	return setxattr(PROGRAM, "security.capability", &caps, sizeof(caps), 0);
}

/* What was reported to an asker of a task */
struct reported {
	int pid_err;
	int tgid_err;
	int bare_err;
	bool proc;
	bool dumped;
	bool received;
	bool numbered;
	char why[160];
};

struct search {
	uint32_t pid;
	bool found;
};

static void look_for(const struct ext_message *m, void *arg)
{
	struct search *search = arg;

	if (m->has_task && m->task.pid == search->pid)
		search->found = true;
}

static bool in_dump(struct acct_sock *s, pid_t pid)
{
	struct search search = { .pid = pid };

	return !ext_dump(s, EXT_BARE, NULL, look_for, &search) && search.found;
}

/* What the kernel itself lets be read by the rule that guards /proc/PID/io; this
 * one is there whatever the kernel counts.
 */
static bool proc_lets(pid_t pid)
{
	char path[64];
	char buf[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return readlink(path, buf, sizeof(buf)) > 0;
}

static void ask(struct acct_sock *s, pid_t pid, struct reported *reported)
{
	struct taskacct_record r;
	struct taskstats st;

	reported->pid_err = acct_query_pid(s, pid, &st);
	snprintf(reported->why, sizeof(reported->why), "%s", s->extack);
	reported->tgid_err = acct_query_tgid(s, pid, &st);
	reported->bare_err = ext_query_task(s, pid, &r);
	reported->dumped = in_dump(s, pid);
	reported->proc = proc_lets(pid);
}

/* Reads what has come until a marker's; whether a task's was among it */
static bool has_received(struct acct_sock *l, pid_t pid, pid_t marker,
			 bool *numbered)
{
	struct acct_exit e = { 0 };
	uint32_t seq = 0;
	bool received = false;

	*numbered = true;
	do {
		if (acct_next_exit(l, &e, PATIENCE_MS))
			return !received;
		received |= e.has_pid && e.pid == (uint32_t)pid;
		*numbered &= e.seq == ++seq;
	} while (e.pid != (uint32_t)marker);
	return received;
}

/*
 * A user that asks about tasks whose pids he is sent, hears what becomes of
 * them until he is sent a marker's, and tells.
 */
static int asker(int fd, void *arg)
{
	struct acct_sock s, l;
	struct reported reported;
	pid_t pid, marker;

	(void)arg;
	if (work_become(USER) || acct_open(&s) || acct_listen(&l, all, 0))
		return 1;
	work_send(fd, 'r');
	if (recv(fd, &pid, sizeof(pid), MSG_WAITALL) != sizeof(pid))
		return 2;
	memset(&reported, 0, sizeof(reported));
	ask(&s, pid, &reported);
	work_send(fd, 'a');
	if (recv(fd, &marker, sizeof(marker), MSG_WAITALL) != sizeof(marker))
		return 3;
	reported.received = has_received(&l, pid, marker, &reported.numbered);
	send(fd, &reported, sizeof(reported), 0);
	work_order(fd);
	return 0;
}

static pid_t exit_as_user(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(work_become(USER));
	return work_reap(pid, &status) == pid && !status ? pid : -1;
}

/* Somebody's tasks that are nobody else's business */
static void make_noise(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		work_exit_process(0);
		work_exit_pair();
	}
}

/* Starts one that does @fn, has the user ask about it, ends it, and tells */
static void ask_about(struct __test_metadata *_metadata, work_fn fn, void *arg,
		      bool executes, struct reported *reported)
{
	struct work user, subject;
	pid_t marker;

	ASSERT_EQ(0, work_start(&user, asker, NULL));
	ASSERT_EQ('r', work_hear(&user));
	ASSERT_EQ(0, work_start(&subject, fn, arg));
	/* Its end of the pair goes with the program that it executes. */
	ASSERT_EQ(executes ? 0 : 'r', work_hear(&subject));
	make_noise();
	send(user.fd, &subject.pid, sizeof(subject.pid), 0);
	ASSERT_EQ('a', work_hear(&user));
	kill(subject.pid, SIGKILL);
	work_wait(&subject);
	make_noise();
	marker = exit_as_user();
	ASSERT_LT(0, marker);
	send(user.fd, &marker, sizeof(marker), 0);
	ASSERT_EQ((ssize_t)sizeof(*reported),
		  recv(user.fd, reported, sizeof(*reported), MSG_WAITALL));
	EXPECT_EQ(0, work_wait(&user));
	/* Of the exits of others not even the number */
	EXPECT_TRUE(reported->numbered);
}

static void expect_yes(struct __test_metadata *_metadata,
		       const struct reported *reported)
{
	EXPECT_EQ(0, reported->pid_err) TH_LOG("%s", reported->why);
	EXPECT_EQ(0, reported->tgid_err);
	EXPECT_EQ(0, reported->bare_err);
	EXPECT_TRUE(reported->dumped);
	EXPECT_TRUE(reported->received);
	EXPECT_TRUE(reported->proc);
}

static void expect_no(struct __test_metadata *_metadata,
		      const struct reported *reported)
{
	EXPECT_EQ(-EPERM, reported->pid_err);
	EXPECT_NE(NULL, strstr(reported->why, "CAP_NET_ADMIN"));
	EXPECT_EQ(-EPERM, reported->tgid_err);
	EXPECT_EQ(-EPERM, reported->bare_err);
	EXPECT_FALSE(reported->dumped);
	EXPECT_FALSE(reported->received);
	EXPECT_FALSE(reported->proc);
}

static void expect_of(struct __test_metadata *_metadata, work_fn fn, void *arg,
		      bool executes, bool own)
{
	struct reported reported;

	ask_about(_metadata, fn, arg, executes, &reported);
	if (own)
		expect_yes(_metadata, &reported);
	else
		expect_no(_metadata, &reported);
}

FIXTURE(access) {
	struct acct_sock s;
};

FIXTURE_SETUP(access)
{
	NEED_TASKACCT();
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, LET_USERS_ASK(true));
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(access)
{
	LET_USERS_ASK(false);
	unlink(PROGRAM);
	acct_close(&self->s);
}

static int stay(int fd)
{
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/* One who is what it is by setresuid() and setresgid() */
struct ids {
	uid_t uid, euid, suid;
	gid_t gid, egid, sgid;
	bool undumpable;
};

static int with_ids(int fd, void *arg)
{
	const struct ids *ids = arg;

	if (setgroups(0, NULL) || setresgid(ids->gid, ids->egid, ids->sgid) ||
	    setresuid(ids->uid, ids->euid, ids->suid) ||
	    prctl(PR_SET_DUMPABLE, !ids->undumpable))
		return 1;
	return stay(fd);
}

/* R7, R8, R9: a user's own task, with all its ids */
TEST_F(access, own)
{
	struct ids ids = { USER, USER, USER, USER, USER, USER, false };

	expect_of(_metadata, with_ids, &ids, false, true);
}

/* Where one of its six ids is another's it is not his. */
TEST_F(access, each_id_counts)
{
	struct ids ids[] = {
		{ OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, false },
		{ OTHER, USER, USER, USER, USER, USER, false },
		{ USER, OTHER, USER, USER, USER, USER, false },
		{ USER, USER, OTHER, USER, USER, USER, false },
		{ USER, USER, USER, OTHER, USER, USER, false },
		{ USER, USER, USER, USER, OTHER, USER, false },
		{ USER, USER, USER, USER, USER, OTHER, false },
		{ 0, 0, 0, 0, 0, 0, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		expect_of(_metadata, with_ids, &ids[i], false, false);
}

/* It does not want to be looked into: prctl(PR_SET_DUMPABLE, 0). */
TEST_F(access, undumpable)
{
	struct ids ids = { USER, USER, USER, USER, USER, USER, true };

	expect_of(_metadata, with_ids, &ids, false, false);
}

static int changed(int fd, void *arg)
{
	(void)arg;
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) ||
	    setresuid(USER, USER, USER))
		return 1;
	return stay(fd);
}

/* Credentials changed after its start: it may know what it knew as root. */
TEST_F(access, credentials_changed)
{
	expect_of(_metadata, changed, NULL, false, false);
}

static int with_caps(int fd, void *arg)
{
	const uint64_t caps = 1ULL << CAP_DAC_READ_SEARCH;

	(void)arg;
	if (prctl(PR_SET_KEEPCAPS, 1) || work_become(USER) || rights_set_caps(caps, 0))
		return 1;
	return stay(fd);
}

/* It may do what its user may not. */
TEST_F(access, more_capabilities)
{
	expect_of(_metadata, with_caps, NULL, false, false);
}

static int in_program(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	if (work_become(USER))
		return 1;
	execl(PROGRAM, PROGRAM, "1000", NULL);
	return 2;
}

/* The user's own until it executes a program: what is it then? */
static void expect_of_program(struct __test_metadata *_metadata, uid_t owner,
			      mode_t mode, bool own)
{
	ASSERT_EQ(0, make_program(owner, mode));
	expect_of(_metadata, in_program, NULL, true, own);
}

TEST_F(access, plain_program)
{
	expect_of_program(_metadata, 0, 0755, true);
}

TEST_F(access, setuid_program)
{
	expect_of_program(_metadata, 0, 04755, false);
	expect_of_program(_metadata, OTHER, 04755, false);
}

TEST_F(access, setgid_program)
{
	expect_of_program(_metadata, OTHER, 02755, false);
}

/* Not even its own user may read it. */
TEST_F(access, unreadable_program)
{
	expect_of_program(_metadata, 0, 0711, false);
}

TEST_F(access, program_with_capabilities)
{
	ASSERT_EQ(0, make_program(0, 0755));
	if (add_file_caps()) {
		ASSERT_NE(EINVAL, errno);
		SKIP(return, "no file capabilities in /tmp: %m");
	}
	expect_of(_metadata, in_program, NULL, true, false);
}

static int in_user_namespace(int fd, void *arg)
{
	(void)arg;
	if (work_become(USER) || unshare(CLONE_NEWUSER) ||
	    prctl(PR_SET_DUMPABLE, 1))
		return 1;
	return stay(fd);
}

/* Whoever has made a user namespace may do anything in it: "ptrace rights" */
TEST_F(access, own_user_namespace)
{
	expect_of(_metadata, in_user_namespace, NULL, false, true);
}

static int ends(int fd, void *arg)
{
	const bool *dumpable = arg;

	(void)fd;
	if (work_become(USER))
		return 1;
	return prctl(PR_SET_DUMPABLE, *dumpable);
}

static int ask_about_zombie(int fd, void *arg)
{
	const bool *dumpable = arg;
	struct taskstats st;
	struct acct_sock s;
	int expected;
	pid_t pid;

	if (work_become(USER) || acct_open(&s))
		return 1;
	if (recv(fd, &pid, sizeof(pid), MSG_WAITALL) != sizeof(pid))
		return 2;
	expected = *dumpable ? 0 : -EPERM;
	if (proc_lets(pid) != *dumpable)
		return 3;
	if (acct_query_pid(&s, pid, &st) != expected)
		return 4;
	if (acct_query_tgid(&s, pid, &st) != expected)
		return 5;
	return acct_query_pid(&s, NO_ONE, &st) == -ESRCH ? 0 : 6;
}

/* A zombie is what it was when it left its address space. */
TEST_F(access, zombie)
{
	struct work subject, user;
	bool dumpable;
	int i;

	for (i = 0; i < 2; i++) {
		dumpable = i;
		ASSERT_EQ(0, work_start(&subject, ends, &dumpable));
		while (sys_state(subject.pid, subject.pid) != 'Z')
			usleep(1000);
		ASSERT_EQ(0, work_start(&user, ask_about_zombie, &dumpable));
		send(user.fd, &subject.pid, sizeof(subject.pid), 0);
		EXPECT_EQ(0, work_hear(&user));
		EXPECT_EQ(0, work_wait(&user));
		EXPECT_EQ(0, work_wait(&subject));
	}
}

/* A user who cannot be looked into, and still may look at himself */
static int ask_oneself(int fd, void *arg)
{
	struct ext_message m;
	struct taskstats st;
	struct acct_sock s;

	(void)fd;
	(void)arg;
	if (work_become(USER) || prctl(PR_SET_DUMPABLE, 0) || acct_open(&s))
		return 1;
	if (acct_query_pid(&s, getpid(), &st) || acct_query_tgid(&s, getpid(),
								 &st))
		return 2;
	if (ext_query(&s, TASKSTATS_CMD_ATTR_TGID, getpid(),
		      EXT_BARE | EXT_NAMES, &m) || !m.exe[0] || !m.cmdline_len)
		return 3;
	/* A dump may be read by somebody else. */
	return in_dump(&s, getpid()) ? 4 : 0;
}

TEST_F(access, oneself)
{
	struct work w;

	ASSERT_EQ(0, work_start(&w, ask_oneself, NULL));
	EXPECT_EQ(0, work_wait(&w));
}

/*
 * The user's own child executes a setuid program while it is asked about: an
 * answer is of what it was before.
 */
static int ask_while_executing(int fd, void *arg)
{
	struct taskacct_record r;
	struct acct_sock s;
	int answers = 0;
	int i, err;
	pid_t pid;

	(void)fd;
	(void)arg;
	if (work_become(USER) || acct_open(&s))
		return 1;
	for (i = 0; i < sys_quick(100); i++) {
		pid = fork();
		if (pid == 0) {
			execl(PROGRAM, PROGRAM, "0", NULL);
			_exit(1);
		}
		while (!(err = ext_query_task(&s, pid, &r))) {
			answers++;
			if (r.uid != USER || r.euid != USER ||
			    !(r.flags & TASKACCT_RECORD_NOEXEC))
				return 2;
		}
		if (err != -EPERM)
			return 3;
		work_reap(pid, NULL);
	}
	return answers ? 0 : 4;
}

TEST_F(access, race_with_execution)
{
	struct work w;

	ASSERT_EQ(0, make_program(0, 04755));
	ASSERT_EQ(0, work_start(&w, ask_while_executing, NULL));
	EXPECT_EQ(0, work_wait(&w));
}

/* By a socket that another has opened: whose rights would those be? */
static int use_anothers(int fd, void *arg)
{
	struct acct_listener ls[8];
	struct acct_sock *s = arg;
	struct taskstats st;

	(void)fd;
	if (work_become(USER))
		return 1;
	if (acct_query_pid(s, getpid(), &st) != -EPERM ||
	    !strstr(s->extack, "opened"))
		return 2;
	if (acct_register(s, all) != -EPERM)
		return 3;
	if (acct_listener_dump(s, ls, 8) != -EPERM)
		return 4;
	return in_dump(s, getpid()) ? 5 : 0;
}

TEST_F(access, socket_opened_by_root)
{
	struct work w;

	ASSERT_EQ(0, work_start(&w, use_anothers, &self->s));
	EXPECT_EQ(0, work_wait(&w));
}

/* As a setuid program does that has a user's socket for its standard output */
TEST_F(access, socket_opened_by_user)
{
	struct taskstats st;
	struct acct_sock s;

	ASSERT_EQ(0, setegid(USER));
	ASSERT_EQ(0, seteuid(USER));
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, setegid(0));
	EXPECT_EQ(-EPERM, acct_query_pid(&s, getpid(), &st));
	EXPECT_EQ(-EPERM, acct_register(&s, all));
	EXPECT_FALSE(in_dump(&s, getpid()));
	acct_close(&s);
}

/* Or one that has capabilities, and the user's ids */
static int with_more_rights(int fd, void *arg)
{
	const uint64_t caps = 1ULL << CAP_SYS_PTRACE;
	struct taskstats st;
	struct acct_sock s;

	(void)fd;
	(void)arg;
	if (prctl(PR_SET_KEEPCAPS, 1) || work_become(USER) || rights_set_caps(caps, 0))
		return 1;
	if (acct_open(&s) || acct_query_pid(&s, 1, &st) != -EPERM)
		return 2;
	if (rights_set_caps(caps, caps))
		return 3;
	if (acct_query_pid(&s, getpid(), &st) != -EPERM)
		return 4;
	acct_close(&s);
	/* Its own socket: who may trace a task may ask about it. */
	if (acct_open(&s) || acct_query_pid(&s, 1, &st))
		return 5;
	return 0;
}

TEST_F(access, capability_to_trace)
{
	struct work w;

	ASSERT_EQ(0, work_start(&w, with_more_rights, NULL));
	EXPECT_EQ(0, work_wait(&w));
}

static int hear_own(int fd, void *arg)
{
	struct acct_sock s, l;
	struct acct_exit e;
	struct taskstats st;
	pid_t pid;

	(void)arg;
	if (work_become(USER) || acct_open(&s) || acct_listen(&l, all, 0))
		return 1;
	work_send(fd, 'r');
	work_order(fd);
	/* Now it may ask about itself alone. */
	if (acct_query_pid(&s, getpid(), &st) ||
	    acct_query_pid(&s, getppid(), &st) != -EPERM ||
	    !strstr(s.extack, "unprivileged=1"))
		return 2;
	if (acct_register(&s, all) != -EPERM ||
	    acct_register(&l, all) != -EPERM || in_dump(&s, getpid()))
		return 3;
	work_exit_process(0);
	if (acct_next_exit(&l, &e, QUIET_MS) != -EAGAIN)
		return 4;
	work_send(fd, 'f');
	work_order(fd);
	pid = work_exit_process(0);
	return acct_next_exit(&l, &e, PATIENCE_MS) || e.pid != (uint32_t)pid ?
		       5 : 0;
}

/* The parameter turns it off but for the own process, and on again; of root it says
 * nothing.
 */
TEST_F(access, parameter)
{
	struct taskstats st;
	struct work w;

	NEED_VM();
	ASSERT_EQ(0, work_start(&w, hear_own, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, LET_USERS_ASK(false));
	work_tell(&w, 'g');
	EXPECT_EQ('f', work_hear(&w));
	EXPECT_EQ(0, acct_query_pid(&self->s, w.pid, &st));
	ASSERT_EQ(0, LET_USERS_ASK(true));
	work_tell(&w, 'g');
	EXPECT_EQ(0, work_wait(&w));
}

/*
 * Namespaces. One process makes them; the first in them asks and tells.
 */

/**
 * struct inside - where somebody asks, and what is reported to him there
 * @flags: namespaces of its own, CLONE_NEW*
 * @capable: it has all capabilities that there are to be had there
 * @outside: a task of the same user outside
 * @step: where it went wrong, 0: nowhere
 * @inside_err: what a query about its own child gives
 * @self: of that child
 * @outside_err: what a query about @outside gives
 * @other_err: what a query about another user's child gives; only without a
 *	user namespace, where there can be one
 * @dumped: records in a dump
 * @dumped_outside: @outside is among them
 * @received: exits of its own children
 * @received_outside: exits of others
 * @listener_pid: its own number, as its listener's statistics have it
 * @own_pid: the same, as getpid() has it
 */
struct inside {
	int flags;
	bool capable;
	pid_t outside;
	int step;
	int inside_err;
	struct taskacct_record self;
	int outside_err;
	int other_err;
	int dumped;
	bool dumped_outside;
	int received;
	int received_outside;
	pid_t listener_pid;
	pid_t own_pid;
};

#define NS_USER CLONE_NEWUSER
#define NS_PID CLONE_NEWPID
#define NS_NET CLONE_NEWNET

/* With a user namespace it is the user who makes them all, as he may. */
static int enter(const struct inside *in)
{
	if (!(in->flags & NS_USER))
		return unshare(in->flags);
	return work_become(USER) || unshare(in->flags) || rights_map_root(USER);
}

static int give_up_rights(const struct inside *in)
{
	if (in->capable)
		return 0;
	if (in->flags & NS_USER)
		return rights_set_caps(0, 0) || prctl(PR_SET_DUMPABLE, 1);
	return work_become(USER);
}

/* Ends with who has it, whoever that has become: no signal would reach it then. */
static pid_t sleeper(uid_t uid)
{
	int ends[2];
	pid_t pid;
	char word;

	/* No number of a process is none to send a signal to. */
	if (pipe(ends))
		abort();
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		close(ends[1]);
		if (uid && work_become(uid))
			_exit(1);
		if (read(ends[0], &word, 1))
			_exit(2);
		_exit(0);
	}
	close(ends[0]);
	return pid;
}

struct count {
	uint32_t outside;
	int n;
	bool found;
};

static void count_one(const struct ext_message *m, void *arg)
{
	struct count *count = arg;

	count->n += m->has_task;
	count->found |= m->has_task && m->task.pid == count->outside;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	work_reap(pid, NULL);
}

/* In a pid namespace one cannot see who is at its end: they come in any order. */
static int hear_inside(struct inside *in, struct acct_sock *l, pid_t child)
{
	struct ext_message m;
	pid_t marker;

	end(child);
	marker = work_exit_process(0);
	do {
		if (ext_next(l, &m, PATIENCE_MS) || !m.has_task)
			return -1;
		if (m.task.pid == (uint32_t)child ||
		    m.task.pid == (uint32_t)marker)
			in->received++;
		else
			in->received_outside++;
	} while (in->received < 2);
	return 0;
}

/* Asks, and waits for those outside to make noise before it listens. */
static int ask_inside(struct inside *in, int fd, pid_t other)
{
	struct count count = { .outside = in->outside };
	struct acct_listener own;
	struct acct_sock s, l;
	pid_t child;

	if (acct_open(&s) || ext_listen(&l, EXT_STREAM, NULL, 0))
		return 1;
	child = sleeper(0);
	in->inside_err = ext_query_task(&s, child, &in->self);
	in->outside_err = ext_query_task(&s, in->outside,
					 &(struct taskacct_record){ 0 });
	if (other)
		in->other_err = ext_query_process(&s, other,
				&(struct taskacct_record){ 0 });
	if (ext_dump(&s, EXT_BARE, NULL, count_one, &count))
		return 2;
	in->dumped = count.n;
	in->dumped_outside = count.found;
	work_send(fd, 'n');
	work_order(fd);
	if (hear_inside(in, &l, child))
		return 3;
	if (acct_listener_get(&l, &own))
		return 4;
	in->listener_pid = own.pid;
	in->own_pid = getpid();
	return 0;
}

static int live_inside(int fd, struct inside *in)
{
	pid_t other = 0;

	if (!(in->flags & NS_USER))
		other = sleeper(OTHER);
	in->step = give_up_rights(in) ? 10 : ask_inside(in, fd, other);
	send(fd, in, sizeof(*in), 0);
	work_order(fd);
	return 0;
}

static int make_inside(int fd, void *arg)
{
	struct inside in = *(struct inside *)arg;
	int status = -1;
	pid_t pid;

	if (enter(&in))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(live_inside(fd, &in));
	work_reap(pid, &status);
	return status;
}

static void go_inside(struct __test_metadata *_metadata, struct inside *in)
{
	struct work w, outside;
	struct ids user = { USER, USER, USER, USER, USER, USER, false };

	ASSERT_EQ(0, work_start(&outside, with_ids, &user));
	ASSERT_EQ('r', work_hear(&outside));
	in->outside = outside.pid;
	ASSERT_EQ(0, work_start(&w, make_inside, in));
	ASSERT_EQ('n', work_hear(&w));
	make_noise();
	ASSERT_LT(0, exit_as_user());
	work_wait(&outside);
	work_tell(&w, 'g');
	ASSERT_EQ((ssize_t)sizeof(*in),
		  recv(w.fd, in, sizeof(*in), MSG_WAITALL));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(0, in->step);
}

/* What is the same wherever one asks: about one's own children, in one's own
 * numbers
 */
static void expect_inside(struct __test_metadata *_metadata,
			  const struct inside *in)
{
	bool user = in->flags & NS_USER;
	bool pid = in->flags & NS_PID;

	EXPECT_EQ(0, in->inside_err);
	EXPECT_EQ(2, in->received);
	EXPECT_EQ((uint32_t)in->own_pid, in->self.ppid);
	EXPECT_EQ(pid, in->own_pid == 1);
	EXPECT_EQ(user || in->capable ? 0U : (uint32_t)USER, in->self.uid);
	/* The machine's own numbers are for those who may ask it anything. */
	if (!pid) {
		EXPECT_EQ(in->self.pid, in->self.init_pid);
	} else if (in->capable && !user) {
		EXPECT_LT(in->self.pid, in->self.init_pid);
	} else {
		EXPECT_EQ(0, in->self.init_pid | in->self.init_tgid |
			     in->self.init_ppid);
		EXPECT_EQ(1, in->listener_pid);
	}
}

/* About others: in a pid namespace of one's own those outside are not there at
 * all, in a user namespace of one's own they are not one's own.
 */
static void expect_outside(struct __test_metadata *_metadata,
			   const struct inside *in)
{
	bool user = in->flags & NS_USER;
	bool pid = in->flags & NS_PID;

	EXPECT_EQ(pid ? -ESRCH : user ? -EPERM : 0, in->outside_err);
	EXPECT_EQ(!pid && !user, in->dumped_outside);
	if (pid || user) {
		EXPECT_EQ(0, in->received_outside);
	} else {
		EXPECT_LE(2, in->received_outside);
	}
	if (!user)
		EXPECT_EQ(in->capable ? 0 : -EPERM, in->other_err);
	/* Itself, its child, and another's: each counts where it may be seen. */
	if (pid)
		EXPECT_EQ(2 + (!user && in->capable), in->dumped);
}

static void expect_everywhere(struct __test_metadata *_metadata, bool capable)
{
	struct inside in;
	int i;

	for (i = 0; i < 8; i++) {
		in = (struct inside){
			.flags = (i & 1 ? NS_USER : 0) | (i & 2 ? NS_PID : 0) |
				 (i & 4 ? NS_NET : 0),
			.capable = capable,
		};
		TH_LOG("user %d, pid %d, net %d", i & 1, !!(i & 2), !!(i & 4));
		go_inside(_metadata, &in);
		expect_inside(_metadata, &in);
		expect_outside(_metadata, &in);
	}
}

/* R7 R9: in each of the eight combinations of user, pid and network namespaces: queries
 * about an own task, about one outside and about another user's, a dump, a listener
 * while others exit outside, and the numbers of pids and uids
 */
TEST_F(access, namespaces_with_capabilities)
{
	expect_everywhere(_metadata, true);
}

/* R7 R9: the same without capabilities in them */
TEST_F(access, namespaces_without_capabilities)
{
	expect_everywhere(_metadata, false);
}

/* A container: says its first process's number outside, and lives on there */
static int contain(int fd, void *arg)
{
	struct inside in = { .flags = NS_USER | NS_PID };
	work_fn fn = arg;
	int status = -1;
	pid_t pid;

	if (enter(&in))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(fn(fd, NULL));
	send(fd, &pid, sizeof(pid), 0);
	work_reap(pid, &status);
	return WEXITSTATUS(status);
}

#define VISITOR 2

static int host(int fd, void *arg)
{
	struct count count = { 0 };
	struct taskacct_record r;
	struct ext_message m;
	struct acct_sock s, l;
	pid_t marker;

	(void)arg;
	if (acct_open(&s) || ext_listen(&l, EXT_STREAM, NULL, 0))
		return 10;
	work_order(fd);
	/* It is there, with a number, and not to be looked into. */
	if (syscall(SYS_tgkill, VISITOR, VISITOR, 0) == 0 || errno != EPERM)
		return 11;
	if (ext_query_task(&s, VISITOR, &r) != -EPERM ||
	    ext_query_process(&s, VISITOR, &r) != -EPERM)
		return 12;
	if (ext_dump(&s, EXT_BARE, NULL, count_one, &count) || count.n != 1)
		return 13;
	work_send(fd, 'a');
	work_order(fd);
	marker = work_exit_process(0);
	if (ext_next(&l, &m, PATIENCE_MS) || m.task.pid != (uint32_t)marker)
		return 14;
	return 0;
}

static int visit(int fd, void *arg)
{
	char path[64];
	int status;
	int ns;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", *(pid_t *)arg);
	ns = open(path, O_RDONLY);
	if (ns < 0 || setns(ns, CLONE_NEWPID))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(stay(fd));
	work_reap(pid, &status);
	return status;
}

/* Root of outside that comes into a container has nothing to fear from it. */
TEST_F(access, visitor_from_outside)
{
	struct work w, visitor;
	pid_t first;

	ASSERT_EQ(0, work_start(&w, contain, host));
	ASSERT_EQ((ssize_t)sizeof(first),
		  recv(w.fd, &first, sizeof(first), MSG_WAITALL));
	ASSERT_EQ(0, work_start(&visitor, visit, &first));
	ASSERT_EQ('r', work_hear(&visitor));
	work_tell(&w, 'g');
	EXPECT_EQ('a', work_hear(&w));
	EXPECT_EQ(0, work_wait(&visitor));
	work_tell(&w, 'g');
	EXPECT_EQ(0, work_hear(&w));
	EXPECT_EQ(0, work_wait(&w));
}

#define GROUP "taskacct_access"

/* In namespaces of cgroups and of pids */
static int path_inside(int fd, void *arg)
{
	struct ext_filter f = { .has = EXT_HAS(CGROUP_ID) };
	const uint64_t *outside = arg;
	struct acct_sock s, l;
	struct ext_message m;
	char why[160];
	pid_t pid;

	(void)fd;
	if (acct_open(&s) || ext_listen(&l, EXT_BARE |
					TASKACCT_WANT_CGROUP_PATH, NULL, 0))
		return 2;
	/* That of its own is known; one outside, as one that there is not, is not. */
	f.cgroup_id = outside[1];
	if (ext_register(&s, "0", EXT_BARE, &f))
		return 5;
	f.cgroup_id = outside[0];
	if (ext_register(&s, "0", EXT_BARE, &f) != -ENOENT)
		return 6;
	snprintf(why, sizeof(why), "%s", s.extack);
	f.cgroup_id = UINT64_MAX;
	if (ext_register(&s, "0", EXT_BARE, &f) != -ENOENT ||
	    strcmp(why, s.extack))
		return 7;
	if (ext_query(&s, TASKSTATS_CMD_ATTR_PID, 1,
		      EXT_BARE | TASKACCT_WANT_CGROUP_PATH, &m) ||
	    strcmp(m.cgroup, "/"))
		return 3;
	pid = work_exit_process(0);
	if (ext_next(&l, &m, PATIENCE_MS) || m.task.pid != (uint32_t)pid ||
	    strcmp(m.cgroup, "/"))
		return 4;
	return 0;
}

static int in_cgroup_namespace(int fd, void *arg)
{
	const uint64_t ids[] = { cgroup_number(GROUP "_outside"),
				 cgroup_number(GROUP) };
	int status = -1;
	pid_t pid;

	(void)arg;
	if (cgroup_enter(GROUP, getpid()) ||
	    unshare(CLONE_NEWCGROUP | CLONE_NEWPID))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(path_inside(fd, (void *)ids));
	work_reap(pid, &status);
	return WEXITSTATUS(status);
}

/* Paths of cgroups begin where the asker's do, and so do their ids. */
TEST_F(access, cgroup_namespace)
{
	struct work w;

	NEED_CGROUP(GROUP);
	ASSERT_EQ(0, cgroup_make(GROUP "_outside"));
	ASSERT_EQ(0, work_start(&w, in_cgroup_namespace, NULL));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(0, cgroup_drop(GROUP "_outside"));
	EXPECT_EQ(0, cgroup_drop(GROUP));
}

TEST_HARNESS_MAIN
