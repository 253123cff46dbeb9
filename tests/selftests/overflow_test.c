// SPDX-License-Identifier: GPL-2.0-only
/*
 * A listener that does not keep up: what it loses is counted and said, and it hears
 * again as soon as there is room. That nobody waits for it is overflow_pace_test's.
 */
#include <sys/socket.h>
#include <sys/wait.h>

#include "test.h"

/* So small that a few records fill it; the kernel doubles it. */
#define SMALL 8192
#define LARGE (32 << 20)

/* Far more than SMALL has room for, on a slow kernel as well */
#define EXITS 3000

FIXTURE(overflow) {
	struct acct_sock s;
	struct acct_sock l;
};

FIXTURE_SETUP(overflow)
{
	ASSERT_EQ(0, acct_open(&self->s));
	/* One CPU that nothing else of this test exits on */
	work_pin(0);
	ASSERT_EQ(0, acct_listen(&self->l, "0", SMALL));
}

FIXTURE_TEARDOWN(overflow)
{
	acct_close(&self->s);
	acct_close(&self->l);
}

static void statistics(struct __test_metadata *_metadata, struct acct_sock *s,
		       struct acct_sock *l, struct acct_listener *info)
{
	/* Another socket asks: an answer would need room in the queue too. */
	ASSERT_EQ(0, acct_listener_of(s, l->port, info));
	EXPECT_EQ(info->made, info->delivered + info->filtered +
			      info->lost_queue + info->lost_memory);
}

static void overflow(struct __test_metadata *_metadata, struct acct_sock *s,
		     struct acct_sock *l, struct acct_listener *info)
{
	uint64_t lost;
	int i;

	statistics(_metadata, s, l, info);
	lost = info->lost_queue;
	for (i = 0; i < 1000 && info->lost_queue < lost + 10; i++) {
		ASSERT_GT(work_exit_on(0), 0);
		if (i % 10 == 0)
			statistics(_metadata, s, l, info);
	}
	ASSERT_GE(info->lost_queue, lost + 10);
}

/* What came out of a queue when it was read until empty */
struct drained {
	unsigned int records;
	unsigned int errors;
	uint64_t gaps;
	uint32_t first;
	uint32_t last;
};

static void count(struct drained *d, uint32_t seq)
{
	if (d->records++)
		d->gaps += seq - d->last - 1;
	else
		d->first = seq;
	d->last = seq;
}

/* Messages from the first on that was read to the last one */
static uint64_t spanned(const struct drained *d)
{
	return d->records ? d->last - d->first + 1 : 0;
}

static void drain(struct __test_metadata *_metadata, struct acct_sock *l,
		  struct drained *d)
{
	struct acct_exit e;
	int err;

	while ((err = acct_next_exit(l, &e, 0)) != -EAGAIN) {
		if (err == -ENOBUFS) {
			d->errors++;
			continue;
		}
		ASSERT_EQ(0, err);
		count(d, e.seq);
	}
}

/* R32 R36: made == delivered + lost, exactly; what was delivered is what is
 * read; the gaps in the sequence are the losses; the error comes once
 */
TEST_F(overflow, counted_and_said)
{
	struct acct_listener info;
	struct drained d = { 0 };

	NEED_TASKACCT();
	overflow(_metadata, &self->s, &self->l, &info);
	EXPECT_EQ(0, info.lost_memory);
	drain(_metadata, &self->l, &d);
	EXPECT_EQ(1, d.errors);
	statistics(_metadata, &self->s, &self->l, &info);
	EXPECT_EQ(info.delivered, d.records);
	EXPECT_EQ(info.lost_queue, d.gaps + (info.made - spanned(&d)));

	/* One more shows the gap at the end. */
	ASSERT_GT(work_exit_on(0), 0);
	drain(_metadata, &self->l, &d);
	statistics(_metadata, &self->s, &self->l, &info);
	EXPECT_EQ(info.made, spanned(&d));
	EXPECT_EQ(info.lost_queue, d.gaps);
	EXPECT_EQ(1, d.errors);
	TH_LOG("made %lu: %lu delivered, %lu lost", info.made, info.delivered,
	       info.lost_queue);
}

/* R36: the error comes once for each run of losses, and before anything else */
TEST_F(overflow, once_for_each_run)
{
	struct acct_listener info;
	struct drained d = { 0 };
	struct acct_exit e;
	int run;

	NEED_TASKACCT();
	for (run = 1; run <= 5; run++) {
		overflow(_metadata, &self->s, &self->l, &info);
		EXPECT_EQ(-ENOBUFS, acct_next_exit(&self->l, &e, PATIENCE_MS));
		/* Still full: the same run goes on. */
		ASSERT_GT(work_exit_on(0), 0);
		drain(_metadata, &self->l, &d);
		EXPECT_EQ(0, d.errors);
	}
	statistics(_metadata, &self->s, &self->l, &info);
	EXPECT_EQ(info.delivered, d.records);
}

/* "After an overflow delivery resumes as soon as there is room (in-tree stays
 * deaf until the queue is empty: 0 of 30)": room for one, one is delivered
 */
TEST_F(overflow, resumes_with_room_for_one)
{
	struct acct_listener before;
	struct acct_listener after;
	struct acct_exit e;
	int received = 0;
	int i;

	NEED_TASKACCT();
	overflow(_metadata, &self->s, &self->l, &before);
	EXPECT_EQ(-ENOBUFS, acct_next_exit(&self->l, &e, 0));
	for (i = 0; i < 30; i++) {
		statistics(_metadata, &self->s, &self->l, &before);
		ASSERT_EQ(0, acct_next_exit(&self->l, &e, 0));
		ASSERT_GT(work_exit_on(0), 0);
		statistics(_metadata, &self->s, &self->l, &after);
		received += after.delivered == before.delivered + 1;
	}
	EXPECT_EQ(30, received);
}

/* The same for in-tree and for taskacct, from outside: after an overflow one
 * record is read, and the next exit is among those that come
 */
TEST_F(overflow, resumes_seen_from_outside)
{
	struct acct_exit e;
	unsigned int n = 0;
	pid_t pid = 0;
	int err;
	int i;

	for (i = 0; i < 300; i++)
		pid = work_exit_on(0);
	ASSERT_EQ(-ENOBUFS, acct_next_exit(&self->l, &e, 0));
	ASSERT_EQ(0, acct_next_exit(&self->l, &e, 0));
	pid = work_exit_on(0);
	do {
		err = acct_next_exit(&self->l, &e, 0);
		n++;
	} while (!err && e.pid != (uint32_t)pid);
	EXPECT_EQ(0, err);
	EXPECT_GT(n, 1);
}

/* R34 R36: one listener's losses are its own: another one hears everything */
TEST_F(overflow, others_lose_nothing)
{
	struct acct_listener info;
	struct acct_sock other;
	struct drained d = { 0 };

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listen(&other, "0", LARGE));
	overflow(_metadata, &self->s, &self->l, &info);
	statistics(_metadata, &self->s, &other, &info);
	EXPECT_EQ(info.made, info.delivered);
	drain(_metadata, &other, &d);
	EXPECT_EQ(0, d.errors);
	EXPECT_EQ(0, d.gaps);
	EXPECT_EQ(info.made, d.records);
	acct_close(&other);
}

static int storm(int fd, void *arg)
{
	const int exits = sys_fewer(EXITS);
	int i;

	(void)arg;
	work_pin(0);
	for (i = 0; i < exits; i++)
		if (work_exit_on(0) < 0)
			return 1;
	work_send(fd, 'd');
	return 0;
}

/* R32 R36: in a storm of exits, read as it goes, nothing is lost that is not
 * counted: received + lost == made, exactly
 */
TEST_F(overflow, exact_in_a_storm)
{
	struct acct_listener info;
	struct drained d = { 0 };
	struct acct_exit e;
	struct work w;
	int status;

	NEED_TASKACCT();
	ASSERT_EQ(0, work_start(&w, storm, NULL));
	while (waitpid(w.pid, &status, WNOHANG) == 0) {
		/* One of four, so that it overflows and recovers */
		usleep(2000);
		statistics(_metadata, &self->s, &self->l, &info);
		if (info.made / 4 > d.records &&
		    !acct_next_exit(&self->l, &e, 0))
			count(&d, e.seq);
	}
	EXPECT_EQ(0, status);
	drain(_metadata, &self->l, &d);
	statistics(_metadata, &self->s, &self->l, &info);
	d.gaps += info.made - spanned(&d);
	TH_LOG("made %lu: received %u, lost %lu", info.made, d.records,
	       info.lost_queue);
	EXPECT_GE(info.made, sys_fewer(EXITS));
	EXPECT_GT(info.lost_queue, 0);
	EXPECT_GT(d.records, 10);
	EXPECT_EQ(info.delivered, d.records);
	EXPECT_EQ(info.lost_queue, d.gaps);
	close(w.fd);
}

/* R33 R36: a larger buffer is the remedy */
TEST_F(overflow, larger_buffer)
{
	const int exits = sys_fewer(EXITS);
	struct acct_exit e;
	struct acct_sock l;
	pid_t pid = 0;
	int seq = 0;
	int i;

	ASSERT_EQ(0, acct_listen(&l, "0", LARGE));
	for (i = 0; i < exits; i++)
		pid = work_exit_on(0);
	do {
		ASSERT_EQ(0, acct_next_exit(&l, &e, PATIENCE_MS));
		seq++;
	} while (e.pid != (uint32_t)pid);
	EXPECT_GE(seq, exits);
	acct_close(&l);
}

/* Processes of many threads, which end together, and what is received of them */
#define PROCESSES 3
#define THREADS 400
#define KEPT_RCVBUF (128 << 10)

static int stay(void *arg)
{
	(void)arg;
	work_stay();
	return 0;
}

static pid_t end_with_threads(void)
{
	pid_t pid = fork();
	char *stacks;
	int i;

	if (pid == 0) {
		stacks = work_stacks(THREADS);
		for (i = 0; i < THREADS; i++)
			if (work_raw_thread(stay, NULL,
					    stacks + (size_t)i * WORK_STACK,
					    NULL) < 0)
				_exit(1);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, NULL, 0) != pid)
		return -1;
	return pid;
}

/* Reads all that there is; counts the messages, and those with a process of @pids. Who
 * waits for a process may be told of its end before its last thread's message is made.
 */
static int drain_processes(struct acct_sock *l, const pid_t *pids, int *found)
{
	struct acct_exit e;
	int n = 0;
	int err;
	int i;

	*found = 0;
	while ((err = acct_next_exit(l, &e, *found < PROCESSES ? PATIENCE_MS : 0)) != -EAGAIN) {
		if (err)
			continue;
		n++;
		for (i = 0; i < PROCESSES; i++)
			*found += e.has_tgid && e.tgid == (uint32_t)pids[i];
	}
	return n;
}

/* R12 R13 R32: room is kept for the record of a process; threads' records alone
 * are lost before, and counted
 */
TEST_F(overflow, room_for_processes)
{
	struct acct_listener info;
	pid_t pids[PROCESSES];
	int received;
	int found;
	int i;

	NEED_TASKACCT();
	acct_close(&self->l);
	ASSERT_EQ(0, acct_listen(&self->l, "0", KEPT_RCVBUF));
	for (i = 0; i < PROCESSES; i++) {
		pids[i] = end_with_threads();
		ASSERT_LT(0, pids[i]);
	}
	received = drain_processes(&self->l, pids, &found);
	EXPECT_EQ(PROCESSES, found);
	statistics(_metadata, &self->s, &self->l, &info);
	EXPECT_LT(0, info.lost_queue);
	EXPECT_EQ(info.delivered, (uint64_t)received);
	EXPECT_LE((uint64_t)PROCESSES * THREADS, info.made);
}

TEST_HARNESS_MAIN
