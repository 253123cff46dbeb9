// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners of users: how many there may be, and what a second registration changes
 */
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <linux/capability.h>

#include "test.h"

#define USER 4301
#define OTHER 4302

static char all[32];

FIXTURE(access_limit) {
	struct acct_sock s;
};

FIXTURE_SETUP(access_limit)
{
	NEED_TASKACCT();
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, LET_USERS_ASK(true));
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(access_limit)
{
	LET_USERS_ASK(false);
	acct_close(&self->s);
}

#define PER_USER 16

static int listen_often(int fd, void *arg)
{
	struct acct_listener ls[2 * PER_USER];
	struct acct_sock l[PER_USER + 1];
	int i;

	(void)arg;
	if (work_become(USER))
		return 1;
	for (i = 0; i < PER_USER; i++)
		if (acct_listen(&l[i], all, 0))
			return 2;
	if (acct_listen(&l[i], all, 0) != -EUSERS)
		return 3;
	if (acct_open(&l[i]) ||
	    acct_listener_dump(&l[i], ls, 2 * PER_USER) != PER_USER)
		return 4;
	for (i = 0; i < PER_USER; i++)
		if (ls[i].pid != (uint32_t)getpid())
			return 5;
	work_send(fd, 'r');
	work_order(fd);
	acct_close(&l[0]);
	return acct_register(&l[PER_USER], all) ? 6 : 0;
}

/* Each listener costs all exits a little: a user may not have any number, and
 * is told of his own alone.
 */
TEST_F(access_limit, listeners_of_a_user)
{
	struct acct_listener ls[2 * PER_USER];
	struct acct_sock l;
	struct work w;

	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&w, listen_often, NULL));
	ASSERT_EQ('r', work_hear(&w));
	EXPECT_EQ(PER_USER + 1, acct_listener_dump(&self->s, ls, 2 * PER_USER));
	EXPECT_EQ(0, work_wait(&w));
	acct_close(&l);
}

/* As a user of its own in a user namespace; told when to begin, it registers as
 * often as it may, and says how often that was.
 */
static int listen_as_subuid(int fd, void *arg)
{
	const uid_t uid = (uintptr_t)arg;
	struct acct_sock l[PER_USER + 1];
	char n = 0;

	work_order(fd);
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return 1;
	while (n <= PER_USER && !acct_listen(&l[(int)n], all, 0))
		n++;
	work_send(fd, 'A' + n);
	work_order(fd);
	return 0;
}

#define SUBUIDS 4
#define FIRST_SUBUID 100000

/* Its children have uids of their own, as a range in /etc/subuid lets them. */
static int lead_subuids(int fd, void *arg)
{
	struct work w[SUBUIDS];
	char n[SUBUIDS];
	int i;

	(void)arg;
	if (work_become(USER) || unshare(CLONE_NEWUSER))
		return 1;
	work_send(fd, 'm');
	work_order(fd);
	for (i = 0; i < SUBUIDS; i++)
		if (work_start(&w[i], listen_as_subuid,
			       (void *)(uintptr_t)(i + 1)))
			return 2;
	for (i = 0; i < SUBUIDS; i++) {
		work_tell(&w[i], 'g');
		n[i] = work_hear(&w[i]);
	}
	if (n[0] != 'A' + PER_USER)
		return 3;
	for (i = 1; i < SUBUIDS; i++)
		if (n[i] != 'A')
			return 4;
	work_send(fd, 'r');
	work_order(fd);
	for (i = 0; i < SUBUIDS; i++) {
		work_tell(&w[i], 'e');
		if (work_wait(&w[i]))
			return 5;
	}
	return 0;
}

static void map_subuids(struct __test_metadata *_metadata, pid_t pid)
{
	static const char *const files[] = { "uid_map", "gid_map" };
	char path[64], map[64];
	size_t i;

	snprintf(map, sizeof(map), "0 %d %d", FIRST_SUBUID, SUBUIDS + 1);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[i]);
		ASSERT_EQ(0, sys_write(path, map));
	}
}

static int listen_as_other(int fd, void *arg)
{
	struct acct_sock l[PER_USER];
	int i;

	(void)fd;
	(void)arg;
	if (work_become(OTHER))
		return 1;
	for (i = 0; i < PER_USER; i++)
		if (acct_listen(&l[i], all, 0))
			return 2;
	return 0;
}

/* A user's uids in namespaces of his own have no more listeners together than
 * he, and leave room for others.
 */
TEST_F(access_limit, listeners_of_subuids)
{
	struct work w, other;

	NEED_VM();
	ASSERT_EQ(0, work_start(&w, lead_subuids, NULL));
	ASSERT_EQ('m', work_hear(&w));
	map_subuids(_metadata, w.pid);
	work_tell(&w, 'g');
	EXPECT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, work_start(&other, listen_as_other, NULL));
	EXPECT_EQ(0, work_wait(&other));
	work_tell(&w, 'e');
	EXPECT_EQ(0, work_wait(&w));
}

/* A second registration adds CPUs for a user too; one that asks for something
 * replaces. What it asked for stays when CPUs are added.
 */
static int register_twice(int fd, void *arg)
{
	struct acct_listener own;
	struct ext_filter f;
	struct acct_sock l;
	uint32_t want;

	(void)fd;
	(void)arg;
	if (work_become(USER) || acct_listen(&l, "0", 0) || acct_register(&l, "1"))
		return 1;
	if (acct_listener_get(&l, &own) || strcmp(own.cpumask, "0-1"))
		return 2;
	if (ext_listener_get(&l, &want, &f) || want != UINT32_MAX)
		return 3;
	if (ext_register(&l, "1", EXT_STREAM, NULL) || acct_register(&l, "0"))
		return 4;
	if (acct_listener_get(&l, &own) || strcmp(own.cpumask, "0-1"))
		return 5;
	if (ext_listener_get(&l, &want, &f) || want != EXT_STREAM)
		return 6;
	if (acct_deregister(&l, "0-1") || acct_deregister(&l, "0") != -ENOENT)
		return 7;
	return 0;
}

/* R20: a second registration adds CPUs for a user too; what was asked for stays */
TEST_F(access_limit, registers_twice)
{
	struct work w;

	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, register_twice, NULL));
	EXPECT_EQ(0, work_wait(&w));
}

/* How often the exit of @pid on CPU 0 was received; -1: and nothing after it */
static int times_received(struct acct_sock *l, pid_t pid)
{
	const pid_t marker = work_exit_on(0);
	struct ext_message m;
	int n = 0;

	do {
		if (ext_next(l, &m, PATIENCE_MS) || !m.has_task)
			return -1;
		n += m.task.pid == (uint32_t)pid;
	} while (m.task.pid != (uint32_t)marker);
	return n;
}

/* Has an exit of root's made, on CPU 0; how often it was received */
static int hear_root(struct acct_sock *l, int fd)
{
	pid_t pid;

	work_send(fd, 'x');
	if (recv(fd, &pid, sizeof(pid), MSG_WAITALL) != sizeof(pid))
		return -1;
	return times_received(l, pid);
}

/*
 * Registers with the privilege, gives it up, and has as many listeners as a user
 * may have besides: this one may not become another of those.
 */
static int register_one_too_many(int fd, void *arg)
{
	const uint64_t caps = 1ULL << CAP_NET_ADMIN;
	struct acct_sock l, others[PER_USER];
	struct acct_listener own;
	struct ext_filter f;
	uint32_t want;
	int i;

	(void)arg;
	if (prctl(PR_SET_KEEPCAPS, 1) || work_become(USER) ||
	    rights_set_caps(caps, caps) || acct_open(&l) ||
	    ext_register(&l, "0", EXT_STREAM, NULL) || rights_set_caps(0, 0))
		return 1;
	for (i = 0; i < PER_USER; i++)
		if (acct_listen(&others[i], all, 0))
			return 2;
	if (ext_register(&l, all, EXT_BARE, NULL) != -EUSERS ||
	    acct_register(&l, all) != -EUSERS)
		return 3;
	if (acct_listener_get(&l, &own) || strcmp(own.cpumask, "0") ||
	    ext_listener_get(&l, &want, &f) || want != EXT_STREAM)
		return 4;
	if (hear_root(&l, fd) != 1)
		return 5;
	acct_close(&others[0]);
	if (ext_register(&l, all, EXT_BARE, NULL))
		return 6;
	return hear_root(&l, fd) ? 7 : 0;
}

/* R9: a registration that is refused changes nothing: CPUs, what was asked for, and
 * whose exits are received stay, and each is received once.
 */
TEST_F(access_limit, refused_again)
{
	struct work w;
	pid_t pid;
	int i;

	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, register_one_too_many, NULL));
	for (i = 0; i < 2 && work_hear(&w) == 'x'; i++) {
		pid = work_exit_on(0);
		send(w.fd, &pid, sizeof(pid), 0);
	}
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(2, i);
}

TEST_HARNESS_MAIN
