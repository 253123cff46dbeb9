// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners come and go while tasks exit: who stays hears all of it, in the order of
 * its numbers, and who comes receives it or a report of a loss.
 */
#include <linux/taskacct.h>
#include <sys/mman.h>

#include "test.h"

#define KEEPERS 20
#define MAKERS 2
#define EXITS 1000
#define RCVBUF (64 << 20)

/* What the listener that comes and goes shares with the test */
struct coming {
	int stop;
	uint64_t times;
	uint64_t made;
	uint64_t lost;
};

FIXTURE(fanout) {
	struct acct_sock keepers[KEEPERS];
	struct coming *coming;
};

/*
 * No two in a row want the same: so a message is made for each of them, and who hears
 * a CPU has changed meanwhile, time and again.
 */
static int keep(struct acct_sock *s, int i)
{
	static const uint32_t wants[] = {
		TASKACCT_WANT_RECORD | EXT_NAMES,
		TASKACCT_WANT_RECORD | TASKACCT_WANT_STREAM,
		EXT_NAMES,
	};

	if (i % 4 == 3)
		return acct_listen_all(s, RCVBUF);
	return ext_listen(s, wants[i % 4], NULL, RCVBUF);
}

FIXTURE_SETUP(fanout)
{
	int i;

	if (sys_cpus_online() < 2)
		return;
	self->coming = mmap(NULL, sizeof(*self->coming), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->coming);
	for (i = 0; i < KEEPERS; i++)
		ASSERT_EQ(0, keep(&self->keepers[i], i));
}

FIXTURE_TEARDOWN(fanout)
{
	int i;

	if (sys_cpus_online() < 2)
		return;
	for (i = 0; i < KEEPERS; i++)
		acct_close(&self->keepers[i]);
}

/* Hears CPU 1 all the time, and CPU 0 time and again */
static int come_and_go(int fd, void *arg)
{
	struct coming *coming = arg;
	struct acct_listener l;
	struct acct_sock s, asker;
	int rcvbuf = RCVBUF;

	(void)fd;
	if (acct_open(&asker) || acct_open(&s) ||
	    setsockopt(s.fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf,
		       sizeof(rcvbuf)) ||
	    acct_register(&s, "1"))
		return 1;
	while (!__atomic_load_n(&coming->stop, __ATOMIC_RELAXED)) {
		if (acct_register(&s, "0") || acct_deregister(&s, "0"))
			return 2;
		coming->times++;
	}
	if (acct_listener_of(&asker, s.port, &l) ||
	    l.made != l.delivered + l.lost_memory)
		return 3;
	coming->made = l.made;
	coming->lost = l.lost_memory;
	return 0;
}

/* One process in so many has a second thread. */
#define PAIR 4

/* How many tasks of a maker exit */
static int exits(void)
{
	const int n = sys_quick(EXITS);

	return n + (n + PAIR - 1) / PAIR;
}

/* Processes, and threads, that exit on one CPU */
static int make_exits(int fd, void *arg)
{
	const int n = sys_quick(EXITS);
	int i;

	(void)fd;
	work_pin((int)(uintptr_t)arg);
	for (i = 0; i < n; i++)
		if (i % PAIR ? work_exit_process(0) < 0 : work_exit_pair() < 0)
			return 1;
	return 0;
}

/**
 * struct received - what came of the exits of a maker's children
 * @maker: the maker
 * @seq: number of the last of them
 * @exits: how many
 * @unordered: exits whose number is not behind that of the last one
 */
struct received {
	pid_t maker;
	uint32_t seq;
	int exits;
	int unordered;
};

static void note(struct received *received, const struct acct_exit *e)
{
	int i;

	for (i = 0; i < MAKERS; i++) {
		if (e->task.ac_ppid != (uint32_t)received[i].maker)
			continue;
		received[i].unordered += (int32_t)(e->seq - received[i].seq) <= 0 &&
				      received[i].seq;
		received[i].seq = e->seq;
		received[i].exits++;
	}
}

/* Reads all that a listener has. */
static void hear(struct __test_metadata *_metadata, struct acct_sock *s,
		 struct received *received)
{
	struct acct_exit e;
	int err;

	while (!(err = acct_next_exit(s, &e, 0)))
		note(received, &e);
	EXPECT_EQ(-EAGAIN, err);
}

/* R32 R36: twenty listeners that want different things hear 2,000 processes end on two
 * CPUs, each once and in the order of the CPU's numbers, and lose nothing, while
 * another one registers and deregisters all the time. Each message made for that one is
 * delivered or counted as lost
 */
TEST_F_TIMEOUT(fanout, come_and_go, 300)
{
	struct work coming, makers[MAKERS];
	struct received received[MAKERS];
	struct acct_listener l;
	int i, j;

	NEED_TASKACCT();
	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&coming, come_and_go, self->coming));
	for (i = 0; i < MAKERS; i++) {
		ASSERT_EQ(0, work_start(&makers[i], make_exits,
					(void *)(uintptr_t)i));
	}
	for (i = 0; i < MAKERS; i++) {
		EXPECT_EQ(0, work_wait(&makers[i]));
	}
	__atomic_store_n(&self->coming->stop, 1, __ATOMIC_RELAXED);
	EXPECT_EQ(0, work_wait(&coming));
	for (j = 0; j < KEEPERS; j++) {
		memset(received, 0, sizeof(received));
		for (i = 0; i < MAKERS; i++)
			received[i].maker = makers[i].pid;
		hear(_metadata, &self->keepers[j], received);
		for (i = 0; i < MAKERS; i++) {
			EXPECT_EQ(exits(), received[i].exits);
			EXPECT_EQ(0, received[i].unordered);
		}
		ASSERT_EQ(0, acct_listener_of(&self->keepers[0],
					      self->keepers[j].port, &l));
		EXPECT_EQ(l.made, l.delivered);
	}
	EXPECT_LT(0, self->coming->times);
	TH_LOG("came %lu times, %lu messages, %lu lost", self->coming->times,
	       self->coming->made, self->coming->lost);
}

TEST_HARNESS_MAIN
