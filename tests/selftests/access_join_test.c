// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is reported to root of a container of a process of outside that joins the
 * container: no more than /proc/PID/exe and /proc/PID/io tell it.
 */
#include <fcntl.h>
#include <sched.h>

#include "test.h"

#define USER 4301
/* The number of whoever joins first: root of the container makes no children. */
#define JOINED 2

/* What is reported to root of the container, and what the kernel's own files let it read */
struct reported {
	int step;
	int task_err;
	int process_err;
	int names_err;
	bool dumped;
	bool received;
	bool proc_exe;
	bool proc_io;
};

static void look_for_joined(const struct ext_message *m, void *arg)
{
	struct reported *reported = arg;

	if (m->has_task && m->task.pid == JOINED)
		reported->dumped = true;
}

/* By the /proc of outside, which is still mounted here */
static bool may_read(pid_t pid, const char *file, bool is_link)
{
	char path[64], buf[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	if (is_link)
		return readlink(path, buf, sizeof(buf)) > 0;
	fd = open(path, O_RDONLY);
	n = read(fd, buf, sizeof(buf));
	close(fd);
	return n > 0;
}

static int ask_about_joined(struct reported *reported, struct acct_sock *s, pid_t outside)
{
	struct taskacct_record r;
	struct ext_message m;

	reported->task_err = ext_query_task(s, JOINED, &r);
	reported->process_err = ext_query_process(s, JOINED, &r);
	reported->names_err = ext_query(s, TASKSTATS_CMD_ATTR_TGID, JOINED,
					EXT_BARE | EXT_NAMES, &m);
	reported->proc_exe = may_read(outside, "exe", true);
	reported->proc_io = may_read(outside, "io", false);
	return ext_dump(s, EXT_BARE, NULL, look_for_joined, reported);
}

/* Until an exit of its own: whether that of @JOINED was among those received */
static int hear_joined(struct reported *reported, struct acct_sock *l)
{
	struct ext_message m;
	pid_t marker;

	marker = work_exit_process(0);
	do {
		if (ext_next(l, &m, PATIENCE_MS) || !m.has_task)
			return -1;
		reported->received |= m.task.pid == JOINED;
	} while (m.task.pid != (uint32_t)marker);
	return 0;
}

static int be_root_inside(int fd)
{
	struct reported reported = { 0 };
	struct acct_sock s, l;
	pid_t outside;

	if (acct_open(&s) || ext_listen(&l, EXT_STREAM, NULL, 0))
		return 10;
	work_order(fd);
	work_send(fd, 'r');
	if (recv(fd, &outside, sizeof(outside), MSG_WAITALL) != sizeof(outside))
		return 11;
	reported.step = ask_about_joined(&reported, &s, outside);
	work_send(fd, 'a');
	work_order(fd);
	if (!reported.step)
		reported.step = hear_joined(&reported, &l);
	send(fd, &reported, sizeof(reported), 0);
	work_order(fd);
	return 0;
}

/* Sends the number that root of the container has outside, and waits for it */
static int contain(int fd, void *arg)
{
	int status = -1;
	pid_t pid;

	(void)arg;
	if (work_become(USER) || unshare(CLONE_NEWUSER | CLONE_NEWPID) ||
	    rights_map_root(USER))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(be_root_inside(fd));
	send(fd, &pid, sizeof(pid), 0);
	work_reap(pid, &status);
	return WEXITSTATUS(status);
}

static int join_namespace(pid_t pid, const char *name, int flag)
{
	char path[64];
	int err, fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, name);
	fd = open(path, O_RDONLY);
	err = fd < 0 || setns(fd, flag);
	close(fd);
	return err;
}

/**
 * struct joiner - who joins
 * @root: root of the container, as its number is outside
 * @executes: it executes a program there
 */
struct joiner {
	pid_t root;
	bool executes;
};

/* Of its pid namespace are its children alone. Sends the number of the child. */
static int join(int fd, void *arg)
{
	const struct joiner *joiner = arg;
	int status = -1;
	pid_t pid;

	if (join_namespace(joiner->root, "pid", CLONE_NEWPID) ||
	    join_namespace(joiner->root, "user", CLONE_NEWUSER))
		return 1;
	pid = fork();
	if (pid == 0) {
		if (joiner->executes)
			execl("/bin/sleep", "sleep", "1000", NULL);
		work_order(fd);
		_exit(0);
	}
	send(fd, &pid, sizeof(pid), 0);
	work_reap(pid, &status);
	return 0;
}

static void wait_for_exec(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	while (!sys_file_has(path, "sleep"))
		usleep(1000);
}

static void ask_inside(struct __test_metadata *_metadata, bool executes,
		       struct reported *reported)
{
	struct joiner joiner = { .executes = executes };
	struct work container, outside;
	pid_t joined;

	ASSERT_EQ(0, work_start(&container, contain, NULL));
	ASSERT_EQ((ssize_t)sizeof(joiner.root),
		  recv(container.fd, &joiner.root, sizeof(joiner.root),
		       MSG_WAITALL));
	work_tell(&container, 'g');
	ASSERT_EQ('r', work_hear(&container));
	ASSERT_EQ(0, work_start(&outside, join, &joiner));
	ASSERT_EQ((ssize_t)sizeof(joined),
		  recv(outside.fd, &joined, sizeof(joined), MSG_WAITALL));
	if (executes)
		wait_for_exec(joined);
	send(container.fd, &joined, sizeof(joined), 0);
	ASSERT_EQ('a', work_hear(&container));
	kill(joined, SIGKILL);
	EXPECT_EQ(0, work_wait(&outside));
	work_tell(&container, 'g');
	ASSERT_EQ((ssize_t)sizeof(*reported),
		  recv(container.fd, reported, sizeof(*reported), MSG_WAITALL));
	work_tell(&container, 'g');
	EXPECT_EQ(0, work_wait(&container));
	EXPECT_EQ(0, reported->step);
}

/* It has credentials of the container, and memory of the host. */
TEST(joins_without_a_program)
{
	struct reported reported;

	NEED_TASKACCT();
	ask_inside(_metadata, false, &reported);
	EXPECT_FALSE(reported.proc_exe);
	EXPECT_FALSE(reported.proc_io);
	EXPECT_EQ(-EPERM, reported.task_err);
	EXPECT_EQ(-EPERM, reported.process_err);
	EXPECT_EQ(-EPERM, reported.names_err);
	EXPECT_FALSE(reported.dumped);
	EXPECT_FALSE(reported.received);
}

/* Its memory is the container's, too. */
TEST(joins_with_a_program)
{
	struct reported reported;

	NEED_TASKACCT();
	ask_inside(_metadata, true, &reported);
	EXPECT_TRUE(reported.proc_exe);
	EXPECT_EQ(0, reported.task_err);
	EXPECT_EQ(0, reported.process_err);
	EXPECT_EQ(0, reported.names_err);
	EXPECT_TRUE(reported.dumped);
	EXPECT_TRUE(reported.received);
}

TEST_HARNESS_MAIN
