// SPDX-License-Identifier: GPL-2.0-only
/*
 * Namespaces: of the network, of users, of pids.
 */
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "test.h"

static char all[32];

FIXTURE(netns) {
	struct acct_sock s;
	struct work w;
};

FIXTURE_SETUP(netns)
{
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(netns)
{
	acct_close(&self->s);
}

/* A listener in a network namespace of its own: hears the pids it is sent */
static int hear_in_netns(int fd, void *arg)
{
	struct acct_sock l;
	struct acct_exit e;
	pid_t pid;
	int err;

	(void)arg;
	if (unshare(CLONE_NEWNET))
		return 1;
	err = acct_open(&l);
	if (!err)
		err = acct_register(&l, all);
	if (err)
		return 2;
	work_send(fd, 'r');
	while (recv(fd, &pid, sizeof(pid), MSG_WAITALL) == sizeof(pid)) {
		if (acct_wait_exit(&l, pid, &e))
			return 3;
		work_send(fd, 'h');
	}
	return 0;
}

/* "Registering from a child network namespace works (in-tree: acknowledged,
 * then nothing arrives)"
 */
TEST_F(netns, listener_in_child_netns)
{
	pid_t pid;
	int i;

	ASSERT_EQ(0, work_start(&self->w, hear_in_netns, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	for (i = 0; i < 5; i++) {
		pid = work_exit_process(0);
		send(self->w.fd, &pid, sizeof(pid), 0);
		EXPECT_EQ('h', work_hear(&self->w));
	}
	EXPECT_EQ(0, work_wait(&self->w));
}

/* R7: queries too */
static int ask_in_netns(int fd, void *arg)
{
	struct taskstats st;
	struct acct_sock s;

	(void)fd;
	(void)arg;
	if (unshare(CLONE_NEWNET) || acct_open(&s))
		return 1;
	if (acct_query_pid(&s, getppid(), &st) ||
	    st.ac_pid != (uint32_t)getppid())
		return 2;
	if (acct_query_tgid(&s, getppid(), &st) ||
	    st.ac_pid != (uint32_t)getppid())
		return 3;
	return 0;
}

/* R7: queries work from a child network namespace */
TEST_F(netns, query_in_child_netns)
{
	ASSERT_EQ(0, work_start(&self->w, ask_in_netns, NULL));
	EXPECT_EQ(0, work_wait(&self->w));
}

static int same_port(int fd, void *arg)
{
	uint32_t port = *(uint32_t *)arg;
	char buf[ACCT_BUF];
	int sock;

	if (unshare(CLONE_NEWNET))
		return 1;
	sock = acct_socket(port);
	if (sock < 0)
		return 2;
	work_send(fd, 'r');
	work_order(fd);
	return acct_recv(sock, buf, sizeof(buf), QUIET_MS) == -EAGAIN ? 0 : 3;
}

/* R21: a port number means nothing in another namespace: a socket there with
 * the listener's number gets none of its records
 */
TEST_F(netns, same_port_elsewhere)
{
	struct acct_sock l;
	struct acct_exit e;
	pid_t pid;

	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&self->w, same_port, &l.port));
	ASSERT_EQ('r', work_hear(&self->w));
	pid = work_exit_process(0);
	EXPECT_EQ(0, acct_wait_exit(&l, pid, &e));
	work_tell(&self->w, 'g');
	EXPECT_EQ(0, work_wait(&self->w));
	acct_close(&l);
}

static int listen_at_port(int fd, void *arg)
{
	uint32_t port = *(uint32_t *)arg;
	struct acct_listener own;
	struct acct_sock l;
	struct stat st;

	if (unshare(CLONE_NEWNET))
		return 1;
	if (acct_open_family(&l, acct_family_name(), port))
		return 2;
	if (acct_register(&l, all) || acct_listener_get(&l, &own))
		return 3;
	if (stat("/proc/self/ns/net", &st) || own.netns != (uint32_t)st.st_ino)
		return 4;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/* R21: two listeners with the same number in two namespaces are two; one's
 * close does not end the other
 */
TEST_F(netns, two_with_one_number)
{
	struct acct_listener all_of_them[4];
	struct acct_listener own;
	struct acct_sock l;
	struct acct_exit e;
	pid_t pid;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&self->w, listen_at_port, &l.port));
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(2, acct_listener_dump(&self->s, all_of_them, 4));
	EXPECT_EQ(all_of_them[0].portid, all_of_them[1].portid);
	EXPECT_NE(all_of_them[0].netns, all_of_them[1].netns);
	EXPECT_EQ(0, work_wait(&self->w));
	EXPECT_EQ(1, acct_listener_dump(&self->s, all_of_them, 4));
	pid = work_exit_process(0);
	EXPECT_EQ(0, acct_wait_exit(&l, pid, &e));
	EXPECT_EQ(0, acct_listener_get(&l, &own));
	acct_close(&l);
}

/* Root of a user namespace of its own, with or without a network of its own */
static int root_of_userns(int fd, void *arg)
{
	struct acct_listener l;
	struct taskstats st;
	struct acct_stat stat;
	struct acct_sock s;

	(void)fd;
	if (unshare(CLONE_NEWUSER | (arg ? CLONE_NEWNET : 0)))
		return 1;
	if (acct_open(&s))
		return 2;
	if (acct_query_pid(&s, getppid(), &st) != -EPERM ||
	    !strstr(s.extack, "CAP_NET_ADMIN"))
		return 3;
	if (acct_query_tgid(&s, getppid(), &st) != -EPERM || !s.extack[0])
		return 4;
	if (acct_query_pid(&s, getpid(), &st))
		return 5;
	if (acct_register(&s, "0") || acct_deregister(&s, "0"))
		return 6;
	/* Root outside listens too. */
	if (acct_listener_dump(&s, &l, 1) != 1 || l.portid != s.port)
		return 7;
	if (acct_stat_get(&s, &stat))
		return 8;
	return 0;
}

/* CAP_NET_ADMIN in a user namespace of one's own says nothing about the tasks
 * of the initial pid namespace: only those that one may trace are accessible
 */
TEST_F(netns, root_of_a_user_namespace)
{
	struct acct_sock l;

	NEED_TASKACCT();
	ASSERT_EQ(0, LET_USERS_ASK(true));
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&self->w, root_of_userns, NULL));
	EXPECT_EQ(0, work_wait(&self->w));
	ASSERT_EQ(0, work_start(&self->w, root_of_userns, self));
	EXPECT_EQ(0, work_wait(&self->w));
	LET_USERS_ASK(false);
	acct_close(&l);
}

static int leave_behind(int fd, void *arg)
{
	(void)arg;
	return work_leave_behind(fd, NULL);
}

/* A thread that ends after its leader has its own number. */
static int hear_last_thread(struct acct_sock *s)
{
	struct acct_exit e;
	struct work w;

	if (work_start(&w, leave_behind, NULL) || work_hear(&w) != 'r')
		return 9;
	if (acct_next_exit(s, &e, PATIENCE_MS) || e.pid != (uint32_t)w.pid ||
	    e.task.ac_pid != (uint32_t)w.pid || e.has_tgid)
		return 10;
	if (work_tell(&w, 'x') || work_wait(&w))
		return 11;
	if (acct_next_exit(s, &e, PATIENCE_MS) || e.pid != (uint32_t)w.pid + 1 ||
	    e.task.ac_pid != e.pid)
		return 12;
	if (!e.has_tgid || e.tgid != (uint32_t)w.pid || e.group.ac_pid != e.tgid)
		return 13;
	return 0;
}

/* The first process of a pid namespace */
static int init_of_pidns(void)
{
	struct taskstats st;
	struct acct_sock s;
	struct acct_exit e;
	pid_t pid;

	if (acct_open(&s))
		return 2;
	if (acct_query_pid(&s, 1, &st) || st.ac_pid != 1 ||
	    record_or("ac_tgid", &st, 1) != 1 || st.ac_ppid != 0)
		return 3;
	if (acct_query_tgid(&s, 1, &st) || st.ac_pid != 1)
		return 4;
	if (acct_query_pid(&s, 300000, &st) != -ESRCH)
		return 5;
	if (acct_register(&s, all))
		return 6;
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	if (acct_query_pid(&s, pid, &st) || st.ac_pid != (uint32_t)pid ||
	    st.ac_ppid != 1)
		return 7;
	kill(pid, SIGKILL);
	work_reap(pid, NULL);
	if (acct_next_exit(&s, &e, PATIENCE_MS) || e.pid != (uint32_t)pid ||
	    e.task.ac_pid != (uint32_t)pid || e.task.ac_ppid != 1)
		return 8;
	return hear_last_thread(&s);
}

static int in_pidns(int fd, void *arg)
{
	int status;
	pid_t pid;

	(void)arg;
	if (unshare(CLONE_NEWPID))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(init_of_pidns());
	send(fd, &pid, sizeof(pid), 0);
	if (work_reap(pid, &status) != pid)
		return 1;
	return WEXITSTATUS(status);
}

/* Queries from a child pid namespace speak its numbers, and so do the exit
 * records that are received there
 */
TEST_F(netns, child_pid_namespace)
{
	struct acct_sock l;
	struct acct_exit e;
	pid_t pid;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&self->w, in_pidns, NULL));
	ASSERT_EQ((ssize_t)sizeof(pid),
		  recv(self->w.fd, &pid, sizeof(pid), MSG_WAITALL));
	EXPECT_EQ(0, work_wait(&self->w));

	/* Its exits are received outside, under the numbers of outside. */
	ASSERT_EQ(0, acct_wait_exit(&l, pid, &e));
	EXPECT_EQ((uint32_t)pid, e.task.ac_pid);
	EXPECT_EQ((uint32_t)pid, record_or("ac_tgid", &e.task, pid));
	EXPECT_EQ((uint32_t)self->w.pid, e.task.ac_ppid);
	acct_close(&l);
}

TEST_HARNESS_MAIN
