// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thousand listeners: all hear, some are killed, some never read, and
 * strangers come to the ports of those that are gone.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "test.h"

#define CROWD 1000
#define HOLDERS 40
#define EACH (CROWD / HOLDERS)
#define EXITS 5
#define SEED 20261121
#define RCVBUF (64 << 20)

static char all[32];

FIXTURE(crowd) {
	struct acct_sock s;
	struct acct_stat before;
};

FIXTURE_SETUP(crowd)
{
	struct rlimit limit = { 2 * CROWD, 2 * CROWD };

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_stat_get(&self->s, &self->before));
}

FIXTURE_TEARDOWN(crowd)
{
	acct_close(&self->s);
}

static unsigned int listeners(struct __test_metadata *_metadata,
			      struct acct_sock *s)
{
	struct acct_stat st;

	ASSERT_EQ(0, acct_stat_get(s, &st));
	return st.listeners;
}

/*
 * Each has a message for each of these exits. Who was waited for first may come to its end
 * later.
 */
static void expect_exits(struct __test_metadata *_metadata,
			 struct acct_sock *l, const pid_t *pids)
{
	unsigned int received[EXITS] = {};
	struct acct_exit e;
	int i, n = 0;

	while (n < EXITS) {
		ASSERT_EQ(0, acct_next_exit(l, &e, PATIENCE_MS));
		for (i = 0; i < EXITS; i++) {
			if (e.pid != (uint32_t)pids[i])
				continue;
			EXPECT_EQ(0, received[i]);
			received[i]++;
			n++;
		}
	}
}

static void expect_listed(struct __test_metadata *_metadata,
			  struct acct_sock *s, const struct acct_sock *many)
{
	static struct acct_listener list[CROWD];
	unsigned int found;
	int i;
	int j;

	ASSERT_EQ(CROWD, acct_listener_dump(s, list, CROWD));
	for (i = 0; i < CROWD; i++) {
		found = 0;
		for (j = 0; j < CROWD; j++)
			found += list[j].portid == many[i].port;
		EXPECT_EQ(1, found);
		EXPECT_STREQ(all, list[i].cpumask);
		EXPECT_EQ(list[i].made, list[i].delivered);
	}
}

/* R9: a thousand listeners, all of them to all CPUs: each hears each exit, each is
 * listed once, and when they have closed nothing is left
 */
TEST_F(crowd, thousand)
{
	static struct acct_sock many[CROWD];
	struct acct_stat st;
	pid_t pids[EXITS];
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, self->before.listeners);
	/* The last is read when the others have been: others may exit meanwhile. */
	for (i = 0; i < CROWD; i++) {
		ASSERT_EQ(0, acct_listen(&many[i], all, RCVBUF)) TH_LOG("%d", i);
	}
	EXPECT_EQ(CROWD, listeners(_metadata, &self->s));
	for (i = 0; i < EXITS; i++)
		pids[i] = work_exit_process(0);
	for (i = 0; i < CROWD; i++)
		expect_exits(_metadata, &many[i], pids);
	expect_listed(_metadata, &self->s, many);
	for (i = 0; i < CROWD; i++)
		acct_close(&many[i]);
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_EQ(0, st.listeners);
	EXPECT_LE(EXITS * CROWD, st.delivered - self->before.delivered);
	EXPECT_EQ(self->before.lost_queue, st.lost_queue);
	EXPECT_EQ(self->before.lost_memory, st.lost_memory);
}

/* Holds some listeners and tells their ports; reads from half of them until it
 * is killed.
 */
static int holder(int fd, void *arg)
{
	struct acct_sock l[EACH];
	uint32_t ports[EACH];
	struct acct_exit e;
	int i;

	(void)arg;
	for (i = 0; i < EACH; i++) {
		if (acct_listen(&l[i], i % 3 ? all : "0", 0))
			return 1;
		ports[i] = l[i].port;
	}
	if (send(fd, ports, sizeof(ports), MSG_NOSIGNAL) != sizeof(ports))
		return 2;
	for (;;) {
		for (i = 0; i < EACH; i += 2)
			acct_next_exit(&l[i], &e, 0);
		/* 40 that did nothing else would leave nobody a CPU. */
		usleep(50000);
	}
}

/**
 * struct hall - holders of listeners, and who comes after them
 * @w: the holders
 * @ports: ports of their listeners
 * @strangers: sockets that have the port of one that was killed
 * @read: messages that the steady listener has read
 */
struct hall {
	struct work w[HOLDERS];
	uint32_t ports[HOLDERS][EACH];
	int strangers[HOLDERS];
	uint64_t read;
};

static void open_hall(struct __test_metadata *_metadata, struct hall *h)
{
	int i;

	h->read = 0;
	for (i = 0; i < HOLDERS; i++) {
		ASSERT_EQ(0, work_start(&h->w[i], holder, NULL));
	}
	for (i = 0; i < HOLDERS; i++) {
		ASSERT_EQ((ssize_t)sizeof(h->ports[i]),
			  recv(h->w[i].fd, h->ports[i], sizeof(h->ports[i]),
			       MSG_WAITALL));
	}
}

static void read_all(struct __test_metadata *_metadata, struct hall *h,
		     struct acct_sock *l)
{
	struct acct_exit e;
	int err;

	while (!(err = acct_next_exit(l, &e, 0)))
		h->read++;
	EXPECT_EQ(-EAGAIN, err);
}

/* Kills them in any order, each at any time, and takes one of their ports. */
static void kill_all(struct __test_metadata *_metadata, struct hall *h,
		     struct acct_sock *steady)
{
	unsigned int seed = SEED;
	int order[HOLDERS];
	int i;
	int j;

	for (i = 0; i < HOLDERS; i++) {
		j = rand_r(&seed) % (i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	for (i = 0; i < HOLDERS; i++) {
		usleep(rand_r(&seed) % 20000);
		read_all(_metadata, h, steady);
		j = order[i];
		ASSERT_EQ(0, kill(h->w[j].pid, SIGKILL));
		EXPECT_EQ(SIGKILL, work_wait(&h->w[j]));
		h->strangers[j] =
			acct_socket(h->ports[j][rand_r(&seed) % EACH]);
		EXPECT_LE(0, h->strangers[j]);
	}
}

static void expect_silence(struct __test_metadata *_metadata, struct hall *h)
{
	char buf[ACCT_BUF];
	int i;

	for (i = 0; i < HOLDERS; i++) {
		EXPECT_EQ(-EAGAIN, acct_recv(h->strangers[i], buf, sizeof(buf),
					     0));
		close(h->strangers[i]);
	}
}

/* Reads what is left of a listener that never read: the error comes first. */
static void expect_overflowed(struct __test_metadata *_metadata,
			      struct acct_sock *s, struct acct_sock *l)
{
	struct acct_listener info;
	struct acct_exit e;
	uint64_t n = 0;

	ASSERT_EQ(0, acct_listener_of(s, l->port, &info));
	EXPECT_LT(0, info.lost_queue);
	EXPECT_EQ(info.made, info.delivered + info.lost_queue);
	EXPECT_EQ(-ENOBUFS, acct_next_exit(l, &e, 0));
	while (!acct_next_exit(l, &e, 0))
		n++;
	EXPECT_EQ(info.delivered, n);
}

/* R21 R36: a thousand listeners in 40 processes that are killed at random while
 * tasks exit. Strangers that take their ports hear nothing; one listener that
 * never reads loses what it loses and nobody waits for it; one that reads
 * hears everything
 */
TEST_F(crowd, killed_at_random)
{
	struct acct_sock steady, silent;
	struct acct_listener info;
	static struct hall h;
	struct work load[2];
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, self->before.listeners);
	ASSERT_EQ(0, acct_listen(&steady, all, RCVBUF));
	ASSERT_EQ(0, acct_listen(&silent, all, 4096));
	open_hall(_metadata, &h);
	EXPECT_EQ(CROWD + 2, listeners(_metadata, &self->s));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_start(&load[i], work_exits, NULL));
		ASSERT_EQ('r', work_hear(&load[i]));
	}
	kill_all(_metadata, &h, &steady);
	EXPECT_EQ(2, listeners(_metadata, &self->s));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, work_wait(&load[i]));
	}
	read_all(_metadata, &h, &steady);
	expect_silence(_metadata, &h);
	ASSERT_EQ(0, acct_listener_of(&self->s, steady.port, &info));
	EXPECT_EQ(info.made, info.delivered);
	EXPECT_EQ(info.delivered, h.read);
	TH_LOG("%lu exits received", h.read);
	EXPECT_LT(HOLDERS, h.read);
	expect_overflowed(_metadata, &self->s, &silent);
	acct_close(&steady);
	acct_close(&silent);
	EXPECT_EQ(0, listeners(_metadata, &self->s));
}

TEST_HARNESS_MAIN
