// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go and come, and masks that name them while they are gone.
 */
#include <poll.h>
#include <sys/socket.h>

#include "test.h"

#define ROUNDS 5
#define LOOPS 50
#define RCVBUF (64 << 20)
#define VICTIM 1

FIXTURE(hotplug) {
	struct acct_sock s;
	struct acct_sock both;
	struct acct_sock one;
	bool able;
};

FIXTURE_SETUP(hotplug)
{
	self->able = sys_in_vm() && sys_cpus_possible() > VICTIM &&
		     access("/sys/devices/system/cpu/cpu1/online", W_OK) == 0;
	if (!self->able)
		return;
	ASSERT_EQ(0, sys_cpu_set(VICTIM, true));
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_open(&self->one));
	ASSERT_EQ(0, acct_listen(&self->both, "0-1", RCVBUF));
}

FIXTURE_TEARDOWN(hotplug)
{
	if (!self->able)
		return;
	EXPECT_EQ(0, sys_cpu_set(VICTIM, true));
	acct_close(&self->s);
	acct_close(&self->one);
	acct_close(&self->both);
}

#define NEED_HOTPLUG() do {						\
	NEED_VM();							\
	if (!self->able)						\
		SKIP(return, "CPU %d cannot be switched", VICTIM);	\
} while (0)

/* A mask may name a CPU that is possible and offline: exits there are received when it
 * comes
 */
TEST_F(hotplug, mask_names_an_offline_cpu)
{
	struct acct_listener l;
	struct acct_exit e;

	NEED_HOTPLUG();
	ASSERT_EQ(0, sys_cpu_set(VICTIM, false));
	ASSERT_FALSE(sys_cpu_is_online(VICTIM));
	ASSERT_EQ(0, acct_register(&self->one, "1"));
	ASSERT_EQ(0, acct_deregister(&self->one, "1"));
	ASSERT_EQ(0, acct_register(&self->one, "1"));
	ASSERT_EQ(0, sys_cpu_set(VICTIM, true));
	EXPECT_EQ(0, acct_wait_exit(&self->one, work_exit_on(VICTIM), &e));
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listener_get(&self->one, &l));
	EXPECT_STREQ("1", l.cpumask);
}

/* A CPU that goes and comes keeps its listeners */
TEST_F(hotplug, listeners_stay)
{
	struct acct_exit e;
	pid_t pid;
	int i;

	NEED_HOTPLUG();
	ASSERT_EQ(0, acct_register(&self->one, "1"));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, sys_cpu_set(VICTIM, false));
		pid = work_exit_process(0);
		EXPECT_EQ(0, acct_wait_exit(&self->both, pid, &e));
		ASSERT_EQ(0, sys_cpu_set(VICTIM, true));
		pid = work_exit_on(VICTIM);
		ASSERT_GT(pid, 0);
		EXPECT_EQ(0, acct_wait_exit(&self->one, pid, &e));
		EXPECT_EQ(0, acct_wait_exit(&self->both, pid, &e));
	}
}

/* Forks and reaps until it is told to stop; says how many. */
static int forker(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	unsigned int n;

	(void)arg;
	work_send(fd, 'r');
	for (n = 0; poll(&pfd, 1, 0) == 0; n++)
		if (work_exit_process(9) < 0)
			return 1;
	return send(fd, &n, sizeof(n), 0) != sizeof(n);
}

static unsigned int stop(struct __test_metadata *_metadata, struct work *w)
{
	unsigned int n = 0;

	work_tell(w, 's');
	ASSERT_EQ((ssize_t)sizeof(n), recv(w->fd, &n, sizeof(n), MSG_WAITALL));
	EXPECT_EQ(0, work_wait(w));
	return n;
}

/* Under load, while a CPU goes and comes: each exit is received, once */
TEST_F(hotplug, no_exit_is_missed)
{
	unsigned int made = 0;
	unsigned int received = 0;
	struct work w[2];
	struct acct_exit e;
	pid_t sentinel;
	int i;

	NEED_HOTPLUG();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_start(&w[i], forker, NULL));
		ASSERT_EQ('r', work_hear(&w[i]));
	}
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, sys_cpu_set(VICTIM, false));
		usleep(100000);
		ASSERT_EQ(0, sys_cpu_set(VICTIM, true));
		usleep(100000);
	}
	for (i = 0; i < 2; i++)
		made += stop(_metadata, &w[i]);
	sentinel = work_exit_process(0);
	do {
		ASSERT_EQ(0, acct_next_exit(&self->both, &e, PATIENCE_MS));
		received += e.task.ac_exitcode == 9 << 8;
	} while (e.pid != (uint32_t)sentinel);
	TH_LOG("%u exits, %u received", made, received);
	EXPECT_GT(made, 20);
	EXPECT_EQ(made, received);
}

/* Registers and deregisters masks that have the CPU, over and over. */
static int changer(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	static const char *const masks[] = { "0-1", "1", "0" };
	struct acct_sock l;
	unsigned int n;
	int err = 0;

	(void)arg;
	work_send(fd, 'r');
	for (n = 0; !err && poll(&pfd, 1, 0) == 0; n++) {
		err = acct_listen(&l, masks[n % 3], 0);
		if (!err && n % 2)
			err = acct_deregister(&l, masks[n % 3]);
		acct_close(&l);
	}
	return err || !n;
}

/* What a task on the CPU that goes has asked for is answered on another. */
static int asker(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct taskstats before, now;
	struct acct_sock s;
	int err = 0;

	(void)arg;
	memset(&before, 0, sizeof(before));
	if (acct_open(&s))
		return 1;
	work_send(fd, 'r');
	while (!err && poll(&pfd, 1, 0) == 0) {
		err = acct_query_tgid(&s, getpid(), &now);
		if (!err && record_smaller(&now, &before))
			return 2;
		before = now;
	}
	acct_close(&s);
	return !!err;
}

static void expect_statistics(struct __test_metadata *_metadata,
			      struct acct_sock *s, struct acct_sock *l,
			      unsigned int received)
{
	struct acct_listener info;

	ASSERT_EQ(0, acct_listener_of(s, l->port, &info));
	EXPECT_EQ(info.made, info.delivered);
	EXPECT_EQ(received, info.delivered);
}

static unsigned int drain(struct __test_metadata *_metadata,
			  struct acct_sock *l)
{
	struct acct_exit e;
	unsigned int n = 0;
	int err;

	while (!(err = acct_next_exit(l, &e, 0)))
		n++;
	EXPECT_EQ(-EAGAIN, err);
	return n;
}

/* R10 R36: a CPU goes and comes in a loop, under load: listeners on masks that have it
 * come and go, another one hears each exit, queries are answered
 */
TEST_F(hotplug, loop_under_load)
{
	unsigned int received_both = 0, received_one = 0, made = 0;
	struct work w[2], change, ask;
	int loops = LOOPS / sys_slow();
	int i;

	NEED_HOTPLUG();
	NEED_TASKACCT();
	acct_close(&self->one);
	ASSERT_EQ(0, acct_listen(&self->one, "1", RCVBUF));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_start(&w[i], forker, NULL));
		ASSERT_EQ('r', work_hear(&w[i]));
	}
	ASSERT_EQ(0, work_start(&change, changer, NULL));
	ASSERT_EQ('r', work_hear(&change));
	ASSERT_EQ(0, work_start(&ask, asker, NULL));
	ASSERT_EQ('r', work_hear(&ask));
	for (i = 0; i < 2 * loops; i++) {
		ASSERT_EQ(0, sys_cpu_set(VICTIM, i % 2));
		received_both += drain(_metadata, &self->both);
		received_one += drain(_metadata, &self->one);
	}
	for (i = 0; i < 2; i++)
		made += stop(_metadata, &w[i]);
	EXPECT_EQ(0, work_wait(&change));
	EXPECT_EQ(0, work_wait(&ask));
	received_both += drain(_metadata, &self->both);
	received_one += drain(_metadata, &self->one);
	TH_LOG("%u exits: both received %u, one %u", made, received_both, received_one);
	/* Besides the load's, the exits of those who made it */
	EXPECT_LE(made + 4, received_both);
	EXPECT_GT(received_one, 0);
	EXPECT_LT(received_one, received_both);
	expect_statistics(_metadata, &self->s, &self->both, received_both);
	expect_statistics(_metadata, &self->s, &self->one, received_one);
}

TEST_HARNESS_MAIN
