// SPDX-License-Identifier: GPL-2.0-only
/*
 * A listener belongs to its socket: whoever comes to its port id afterwards
 * gets nothing, and whoever holds the socket keeps the registration.
 */
#include <sys/socket.h>

#include "test.h"

#define ROUNDS 10
#define NOBODY 65534

static char all[32];

FIXTURE(stale) {
	struct acct_sock s;
};

FIXTURE_SETUP(stale)
{
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(stale)
{
	acct_close(&self->s);
}

/* Orders: the port to bind, then how many exits to wait out; answers the
 * number of datagrams that came
 */
static int stranger(int fd, void *arg)
{
	bool unprivileged = arg;
	char buf[ACCT_BUF];
	uint32_t port;
	int got = 0;
	int sock;

	if (unprivileged && (setresgid(NOBODY, NOBODY, NOBODY) ||
			     setresuid(NOBODY, NOBODY, NOBODY)))
		return 1;
	if (recv(fd, &port, sizeof(port), MSG_WAITALL) != sizeof(port))
		return 1;
	sock = acct_socket(port);
	if (sock < 0)
		return 2;
	work_send(fd, 'b');
	work_order(fd);
	while (acct_recv(sock, buf, sizeof(buf), QUIET_MS) > 0)
		got++;
	close(sock);
	return got ? 3 : 0;
}

static void rounds(struct __test_metadata *_metadata, bool unprivileged)
{
	struct acct_sock l;
	struct acct_exit e;
	uint32_t port;
	struct work w;
	pid_t pid;
	int i;
	int j;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, work_start(&w, stranger, (void *)unprivileged));
		ASSERT_EQ(0, acct_listen(&l, all, 0));
		pid = work_exit_process(0);
		ASSERT_EQ(0, acct_wait_exit(&l, pid, &e));
		port = l.port;
		acct_close(&l);
		ASSERT_EQ((ssize_t)sizeof(port),
			  send(w.fd, &port, sizeof(port), 0));
		ASSERT_EQ('b', work_hear(&w));
		for (j = 0; j < 20; j++)
			work_exit_on(j % sys_cpus_online());
		work_tell(&w, 'g');
		EXPECT_EQ(0, work_wait(&w)) TH_LOG("round %d", i);
	}
}

/* R21: the port id of a closed listener, bound by an unprivileged stranger, is
 * worth nothing ("10 of 10" in-tree): 0 of 10
 */
TEST_F(stale, unprivileged_stranger)
{
	rounds(_metadata, true);
}

/* R21: nor is it to root */
TEST_F(stale, privileged_stranger)
{
	rounds(_metadata, false);
}

/* R21: while exits storm, a port changes hands many times: the new owner never
 * gets a record
 */
TEST_F(stale, stranger_in_a_storm)
{
	struct acct_exit e;
	struct acct_sock l;
	char buf[ACCT_BUF];
	unsigned int heard = 0;
	struct work w;
	int i;
	int fd;

	ASSERT_EQ(0, work_start(&w, work_exits, NULL));
	ASSERT_EQ('r', work_hear(&w));
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, acct_listen(&l, all, 0));
		if (i % 10 == 0 && !acct_next_exit(&l, &e, PATIENCE_MS))
			heard++;
		acct_close(&l);
		fd = acct_socket(l.port);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EAGAIN, acct_recv(fd, buf, sizeof(buf), 2));
		close(fd);
	}
	EXPECT_EQ(20, heard);
	EXPECT_EQ(0, work_wait(&w));
}

/* R21: a stranger that registers for itself under the old port hears from its
 * own registration on, and is one listener
 */
TEST_F(stale, new_owner_registers)
{
	struct acct_listener info;
	struct acct_sock l;
	struct acct_exit e;
	uint32_t port;
	pid_t pid;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	work_exit_process(0);
	port = l.port;
	acct_close(&l);
	ASSERT_EQ(0, acct_open_family(&l, acct_family_name(), port));
	EXPECT_EQ(-ENOENT, acct_listener_get(&l, &info));
	ASSERT_EQ(0, acct_register(&l, "0"));
	pid = work_exit_on(0);
	ASSERT_EQ(0, acct_wait_exit(&l, pid, &e));
	ASSERT_EQ(0, acct_listener_get(&l, &info));
	EXPECT_EQ(1, info.made);
	acct_close(&l);
}

static unsigned int listeners(struct __test_metadata *_metadata,
			      struct acct_sock *s)
{
	struct acct_stat st;

	ASSERT_EQ(0, acct_stat_get(s, &st));
	return st.listeners;
}

static int hear_one(int fd, void *arg)
{
	struct acct_sock *l = arg;
	struct acct_exit e;
	pid_t pid;

	work_send(fd, 'r');
	while (recv(fd, &pid, sizeof(pid), MSG_WAITALL) == sizeof(pid)) {
		if (acct_wait_exit(l, pid, &e))
			return 1;
		work_send(fd, 'h');
	}
	return 0;
}

/* A socket inherited over fork stays registered until the last close */
TEST_F(stale, inherited)
{
	unsigned int before;
	struct acct_sock l;
	struct work w;
	pid_t pid;

	NEED_TASKACCT();
	before = listeners(_metadata, &self->s);
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&w, hear_one, &l));
	ASSERT_EQ('r', work_hear(&w));
	acct_close(&l);
	EXPECT_EQ(before + 1, listeners(_metadata, &self->s));
	pid = work_exit_process(0);
	send(w.fd, &pid, sizeof(pid), 0);
	EXPECT_EQ('h', work_hear(&w));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(before, listeners(_metadata, &self->s));
}

static int send_fd(int to, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = "f", .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(to, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int from)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char c;
	struct iovec iov = { .iov_base = &c, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	int fd = -1;

	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

static int hear_with_passed(int fd, void *arg)
{
	struct acct_sock l = *(struct acct_sock *)arg;

	l.fd = receive_fd(fd);
	l.kept = NULL;
	l.kept_end = &l.kept;
	return l.fd < 0 ? 2 : hear_one(fd, &l);
}

/* So does one that was passed on, while it is under way as well */
TEST_F(stale, passed_on)
{
	struct acct_sock info;
	unsigned int before;
	struct acct_sock l;
	struct work w;
	pid_t pid;

	NEED_TASKACCT();
	before = listeners(_metadata, &self->s);
	info = self->s;
	ASSERT_EQ(0, work_start(&w, hear_with_passed, &info));
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, send_fd(w.fd, l.fd));
	acct_close(&l);
	EXPECT_EQ(before + 1, listeners(_metadata, &self->s));
	ASSERT_EQ('r', work_hear(&w));
	pid = work_exit_process(0);
	send(w.fd, &pid, sizeof(pid), 0);
	EXPECT_EQ('h', work_hear(&w));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(before, listeners(_metadata, &self->s));
}

/* A registered socket in the hands of a process without privilege goes on
 * hearing, as any open file does; it can change nothing
 */
static int nobody_holds(int fd, void *arg)
{
	struct acct_sock *l = arg;
	struct acct_exit e;

	if (setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (acct_next_exit(l, &e, PATIENCE_MS))
		return 2;
	if (acct_register(l, all) != -EPERM)
		return 3;
	if (acct_deregister(l, all) != -EPERM)
		return 4;
	work_send(fd, 'd');
	return 0;
}

/* A process without privilege that holds a registered socket goes on receiving, as with
 * any open file; it can change nothing
 */
TEST_F(stale, held_without_privilege)
{
	struct acct_sock l;
	struct work w;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	work_exit_process(0);
	ASSERT_EQ(0, work_start(&w, nobody_holds, &l));
	EXPECT_EQ('d', work_hear(&w));
	EXPECT_EQ(0, work_wait(&w));
	acct_close(&l);
}

TEST_HARNESS_MAIN
