// SPDX-License-Identifier: GPL-2.0-only
/*
 * A listener that asked for a stream: every message says how it fared, what it
 * lost it is told as soon as there is room, and what it asked for can change
 * without anything going by unlistened.
 */
#include <linux/filter.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "test.h"

/* So small that a few records fill it; the kernel doubles it. */
#define SMALL 8192
#define LARGE (32 << 20)
#define MAX 4096

FIXTURE(stream) {
	struct acct_sock s;
	struct acct_sock l;
};

FIXTURE_SETUP(stream)
{
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_open(&self->l));
	/* One CPU that nothing else of this test exits on */
	work_pin(0);
}

FIXTURE_TEARDOWN(stream)
{
	work_pin_any();
	acct_close(&self->s);
	acct_close(&self->l);
}

static void make_small(struct __test_metadata *_metadata, struct acct_sock *l)
{
	const int size = SMALL;

	ASSERT_EQ(0, setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &size,
				sizeof(size)));
}

static void make_large(struct __test_metadata *_metadata, struct acct_sock *l)
{
	const int size = LARGE;

	ASSERT_EQ(0, setsockopt(l->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
				sizeof(size)));
}

static void statistics(struct __test_metadata *_metadata, struct acct_sock *s,
		       struct acct_sock *l, struct acct_listener *info)
{
	/* Another socket asks: an answer would need room in the queue too. */
	ASSERT_EQ(0, acct_listener_of(s, l->port, info));
	EXPECT_EQ(info->made, info->delivered + info->filtered +
			      info->lost_queue + info->lost_memory);
}

static uint64_t lost_of(const struct taskacct_stream *stream)
{
	return stream->lost_queue + stream->lost_memory;
}

/* What a listener has seen of its stream, and the first thing that is wrong */
struct seen {
	unsigned int records;
	unsigned int gaps;
	unsigned int errors;
	uint64_t queue;
	uint64_t memory;
	struct taskacct_stream last;
	const char *wrong;
};

static void check(struct seen *seen, bool good, const char *what)
{
	if (!good && !seen->wrong)
		seen->wrong = what;
}

static void see_record(struct seen *seen, const struct taskacct_stream *now)
{
	const struct taskacct_stream *last = &seen->last;

	check(seen, now->seq > last->seq, "numbers do not grow");
	check(seen,
	      now->seq - last->seq - 1 ==
		      lost_of(now) - lost_of(last) +
			      now->filtered - last->filtered,
	      "a number is missing that is not lost");
	check(seen, seen->queue == now->lost_queue &&
		    seen->memory == now->lost_memory,
	      "a loss was not reported before the next record");
	seen->records++;
	seen->last = *now;
}

static void see_gap(struct seen *seen, const struct ext_gap *gap)
{
	check(seen, gap->queue + gap->memory, "a gap of nothing");
	seen->gaps++;
	seen->queue += gap->queue;
	seen->memory += gap->memory;
	check(seen, seen->queue == gap->stream.lost_queue,
	      "gaps do not add up to what is lost");
	check(seen, seen->memory == gap->stream.lost_memory,
	      "gaps do not add up to what is lost for want of memory");
	check(seen, gap->since && gap->since <= sys_boot_ns(), "since when");
}

static int see(struct seen *seen, struct acct_sock *l, int timeout_ms)
{
	struct ext_message m;
	int err = ext_next(l, &m, timeout_ms);

	if (err == -ENOBUFS)
		seen->errors++;
	if (err)
		return err;
	if (m.cmd == TASKACCT_CMD_GAP) {
		see_gap(seen, &m.gap);
		return 0;
	}
	check(seen, m.has_stream, "a record without its number");
	see_record(seen, &m.stream);
	return 0;
}

static void see_all(struct seen *seen, struct acct_sock *l)
{
	int err;

	do {
		err = see(seen, l, 0);
	} while (!err || err == -ENOBUFS);
	check(seen, err == -EAGAIN, "an error");
}

/* Reads until all that was made is received or reported as lost. */
static void settle(struct __test_metadata *_metadata, struct acct_sock *s,
		   struct acct_sock *l, struct seen *seen)
{
	struct acct_listener info;
	int i;

	for (i = 0; i < 1000; i++) {
		see_all(seen, l);
		statistics(_metadata, s, l, &info);
		if (seen->records + seen->queue + seen->memory == info.made)
			break;
		usleep(5000 * sys_slow());
	}
	EXPECT_EQ(info.made, seen->records + seen->queue + seen->memory);
	EXPECT_EQ(info.delivered, seen->records);
	EXPECT_EQ(info.lost_queue, seen->queue);
	EXPECT_EQ(info.lost_memory, seen->memory);
	EXPECT_EQ(NULL, seen->wrong) TH_LOG("%s", seen->wrong);
	TH_LOG("made %lu: received %u, lost %lu and %lu, %u gaps", info.made,
	       seen->records, seen->queue, seen->memory, seen->gaps);
}

/* Numbers count from 1, without a hole where nothing is lost */
TEST_F(stream, numbers)
{
	struct ext_message m;
	int i;

	NEED_TASKACCT();
	make_large(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_STREAM, NULL));
	for (i = 1; i <= 50; i++) {
		ASSERT_GT(work_exit_on(0), 0);
		ASSERT_EQ(0, ext_next(&self->l, &m, PATIENCE_MS));
		ASSERT_TRUE(m.has_stream && m.has_task);
		EXPECT_EQ((uint64_t)i, m.stream.seq);
		EXPECT_EQ(0, lost_of(&m.stream) + m.stream.filtered);
	}
}

static void overflow(struct __test_metadata *_metadata, struct acct_sock *s,
		     struct acct_sock *l, int cpu)
{
	struct acct_listener info;
	uint64_t lost;
	int i;

	statistics(_metadata, s, l, &info);
	lost = info.lost_queue;
	for (i = 0; i < 1000 && info.lost_queue < lost + 10; i++) {
		ASSERT_GT(work_exit_on(cpu), 0);
		statistics(_metadata, s, l, &info);
	}
	ASSERT_GE(info.lost_queue, lost + 10);
}

/* R32: the listener is told of a loss when it has read on, though no other task
 * exits: how many, from where and since when
 */
TEST_F(stream, gap_without_another_exit)
{
	struct seen seen = { 0 };
	struct ext_message m;
	uint64_t from;
	uint64_t to;
	int err;

	NEED_TASKACCT();
	make_small(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_STREAM, NULL));
	from = sys_boot_ns();
	overflow(_metadata, &self->s, &self->l, 0);
	to = sys_boot_ns();
	EXPECT_EQ(-ENOBUFS, ext_next(&self->l, &m, 0));
	do {
		err = ext_next(&self->l, &m, PATIENCE_MS);
		ASSERT_EQ(0, err);
		if (m.cmd == TASKACCT_CMD_EXIT)
			see_record(&seen, &m.stream);
	} while (m.cmd == TASKACCT_CMD_EXIT);
	ASSERT_EQ(TASKACCT_CMD_GAP, m.cmd);
	EXPECT_LE(10, m.gap.queue);
	EXPECT_EQ(0, m.gap.memory);
	EXPECT_STREQ("0", m.gap.cpumask);
	EXPECT_LE(from, m.gap.since);
	EXPECT_GE(to, m.gap.since);
	EXPECT_EQ(0, m.seq);
	see_gap(&seen, &m.gap);
	EXPECT_EQ(seen.last.seq + m.gap.queue, m.gap.stream.seq);
	settle(_metadata, &self->s, &self->l, &seen);
	EXPECT_EQ(1, seen.gaps);
}

/* Losses on several CPUs are reported together; those of the next run by
 * themselves
 */
TEST_F(stream, gap_by_cpus)
{
	const char *const masks[] = { "0-1", "1" };
	struct ext_message m;
	int i;

	NEED_TASKACCT();
	NEED_CPUS(2);
	make_small(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, "0-1", EXT_STREAM, NULL));
	for (i = 0; i < 2; i++) {
		if (!i)
			overflow(_metadata, &self->s, &self->l, 0);
		overflow(_metadata, &self->s, &self->l, 1);
		do {
			while (ext_next(&self->l, &m, PATIENCE_MS) == -ENOBUFS)
				;
		} while (m.cmd == TASKACCT_CMD_EXIT);
		EXPECT_STREQ(masks[i], m.gap.cpumask);
	}
}

/* Who did not ask for a stream gets neither numbers nor gaps. */
TEST_F(stream, not_asked_for)
{
	struct ext_message m;
	int err;

	NEED_TASKACCT();
	make_small(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_BARE, NULL));
	overflow(_metadata, &self->s, &self->l, 0);
	EXPECT_EQ(-ENOBUFS, ext_next(&self->l, &m, 0));
	while (!(err = ext_next(&self->l, &m, QUIET_MS))) {
		EXPECT_EQ(TASKACCT_CMD_EXIT, m.cmd);
		EXPECT_FALSE(m.has_stream);
	}
	EXPECT_EQ(-EAGAIN, err);
}

/* So many exits; each counts @done up, and an error is the end of them */
struct often {
	int n;
	int done;
};

static int exit_often(int fd, void *arg)
{
	struct often *often = arg;
	int i;

	(void)fd;
	work_pin(0);
	for (i = 0; i < often->n; i++) {
		if (work_exit_on(0) < 0)
			break;
		__atomic_store_n(&often->done, i + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&often->done, often->n, __ATOMIC_RELEASE);
	return i < often->n;
}

/* Lets so many go by, or all that are left */
static void let_pass(const struct often *often, int n)
{
	const int until = __atomic_load_n(&often->done, __ATOMIC_ACQUIRE) + n;
	int done;

	do {
		usleep(1000);
		done = __atomic_load_n(&often->done, __ATOMIC_ACQUIRE);
	} while (done < until && done < often->n);
}

FIXTURE(load) {
	struct acct_sock s;
	struct acct_sock l;
};

FIXTURE_VARIANT(load) {
	int exits;
	int passes;
	int reads;
	bool small;
	bool losses;
};

/*
 * It keeps up, nearly does, falls behind, and hardly ever reads: each time so
 * many exits have passed it reads so many messages, on a machine of any speed.
 */
FIXTURE_VARIANT_ADD(load, light) {
	.exits = 300, .passes = 1, .reads = 100,
};

FIXTURE_VARIANT_ADD(load, medium) {
	.exits = 1000, .passes = 2, .reads = 2, .small = true,
};

FIXTURE_VARIANT_ADD(load, heavy) {
	.exits = 600, .passes = 8, .reads = 1, .small = true,
	.losses = true,
};

FIXTURE_VARIANT_ADD(load, hopeless) {
	.exits = 600, .passes = 100, .reads = 1000, .small = true,
	.losses = true,
};

FIXTURE_SETUP(load)
{
	(void)variant;
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_open(&self->l));
}

FIXTURE_TEARDOWN(load)
{
	(void)variant;
	acct_close(&self->s);
	acct_close(&self->l);
}

/* R32: whatever the load, what was received and what was reported as lost is
 * what was made, exactly, at the end and at every record on the way
 */
TEST_F(load, exact)
{
	const int exits = sys_quick(variant->exits);
	struct seen seen = { 0 };
	struct often *often;
	struct work w;
	int status;
	int i;

	NEED_TASKACCT();
	often = mmap(NULL, sizeof(*often), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, often);
	often->n = exits;
	if (variant->small)
		make_small(_metadata, &self->l);
	else
		make_large(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_STREAM, NULL));
	ASSERT_EQ(0, work_start(&w, exit_often, often));
	while (waitpid(w.pid, &status, WNOHANG) == 0) {
		let_pass(often, variant->passes);
		for (i = 0; i < variant->reads; i++)
			if (see(&seen, &self->l, 0))
				break;
	}
	EXPECT_EQ(0, status);
	close(w.fd);
	munmap(often, sizeof(*often));
	settle(_metadata, &self->s, &self->l, &seen);
	EXPECT_LE((unsigned int)exits,
		  seen.records + seen.queue + seen.memory);
	/* Whether it nearly keeps up is for the machine to say. */
	if (variant->losses || !variant->small) {
		EXPECT_EQ(variant->losses, seen.gaps > 0);
	}
	EXPECT_LT(0, seen.records);
}

/* What its own socket filter refuses has a number too, and is not a loss */
TEST_F(stream, own_filter)
{
	struct sock_filter none[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	const struct sock_fprog prog = { .len = 1, .filter = none };
	const int any = 0;
	struct ext_message m;
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_STREAM, NULL));
	ASSERT_EQ(0, setsockopt(self->l.fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
				sizeof(prog)));
	for (i = 0; i < 5; i++)
		ASSERT_GT(work_exit_on(0), 0);
	ASSERT_EQ(0, setsockopt(self->l.fd, SOL_SOCKET, SO_DETACH_FILTER, &any,
				sizeof(any)));
	ASSERT_GT(work_exit_on(0), 0);
	ASSERT_EQ(0, ext_next(&self->l, &m, PATIENCE_MS));
	EXPECT_EQ(TASKACCT_CMD_EXIT, m.cmd);
	EXPECT_EQ(6, m.stream.seq);
	EXPECT_EQ(5, m.stream.filtered);
	EXPECT_EQ(0, lost_of(&m.stream));
}

/* Processes that exit one after the other on any CPU, and note their pids */
struct storm {
	int stop;
	int n;
	pid_t pids[MAX];
};

static int storm(int fd, void *arg)
{
	struct storm *st = arg;
	pid_t pid;

	(void)fd;
	work_pin_any();
	while (!__atomic_load_n(&st->stop, __ATOMIC_ACQUIRE) && st->n < MAX) {
		pid = work_exit_process(0);
		if (pid < 0)
			return 1;
		st->pids[st->n] = pid;
		__atomic_store_n(&st->n, st->n + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

static int cmp_pid(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

/* Each that exited is there once. */
static void each_once(struct __test_metadata *_metadata, struct acct_sock *l,
		      const struct storm *st)
{
	static pid_t received[2 * MAX];
	struct ext_message m;
	int missed = 0;
	int doubled = 0;
	pid_t *found;
	int n = 0;
	int err;
	int i;

	while (!(err = ext_next(l, &m, 0))) {
		ASSERT_GT(2 * MAX, n);
		received[n++] = m.has_task ? m.task.pid : m.classic.pid;
	}
	EXPECT_EQ(-EAGAIN, err);
	qsort(received, n, sizeof(*received), cmp_pid);
	for (i = 1; i < n; i++)
		doubled += received[i] == received[i - 1];
	for (i = 0; i < st->n; i++) {
		found = bsearch(&st->pids[i], received, n, sizeof(*received),
				cmp_pid);
		missed += !found;
	}
	EXPECT_EQ(0, missed);
	EXPECT_EQ(0, doubled);
	TH_LOG("%d exits, %d received", st->n, n);
}

/* Registering again on the same socket replaces what it asked for, without a
 * gap: while tasks exit none is missed or received twice
 */
TEST_F(stream, replaced_without_a_gap)
{
	const struct ext_filter all = { .has = EXT_HAS(UID_MIN) };
	const int exits = sys_quick(500);
	struct storm *st;
	struct work w;
	int i = 0;

	NEED_TASKACCT();
	st = mmap(NULL, sizeof(*st), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, st);
	work_pin_any();
	make_large(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, NULL, EXT_BARE, NULL));
	ASSERT_EQ(0, work_start(&w, storm, st));
	while (i < 300 || __atomic_load_n(&st->n, __ATOMIC_ACQUIRE) < exits) {
		ASSERT_EQ(0, ext_register(&self->l, NULL,
					  i % 3 ? EXT_STREAM : 0,
					  i % 2 ? &all : NULL));
		i++;
	}
	__atomic_store_n(&st->stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&w));
	each_once(_metadata, &self->l, st);
	TH_LOG("replaced %d times", i);
}

static int received_on(struct __test_metadata *_metadata, struct acct_sock *l,
		       int cpu)
{
	struct ext_message m;
	pid_t pid = work_exit_on(cpu);
	int n = 0;

	EXPECT_LT(0, pid);
	while (!ext_next(l, &m, 0))
		n += m.has_task ? m.task.pid == (uint32_t)pid :
				  m.classic.pid == (uint32_t)pid;
	return n;
}

/* To another mask or filter, and back; a mask alone is added, and leaves what
 * was asked for as it was
 */
TEST_F(stream, replaced_by_another)
{
	const struct ext_filter failed = { .has = EXT_HAS(FAILED) };
	struct acct_sock *l = &self->l;
	struct ext_filter reported;
	uint32_t want;

	NEED_TASKACCT();
	NEED_CPUS(2);
	ASSERT_EQ(0, ext_register(l, "0-1", EXT_STREAM, NULL));
	EXPECT_EQ(1, received_on(_metadata, l, 0));
	EXPECT_EQ(1, received_on(_metadata, l, 1));
	ASSERT_EQ(0, ext_register(l, "1", EXT_BARE, NULL));
	EXPECT_EQ(0, received_on(_metadata, l, 0));
	EXPECT_EQ(1, received_on(_metadata, l, 1));
	ASSERT_EQ(0, ext_register(l, "0", EXT_BARE, &failed));
	EXPECT_EQ(0, received_on(_metadata, l, 0));
	EXPECT_EQ(0, received_on(_metadata, l, 1));
	ASSERT_EQ(0, ext_register(l, "0", EXT_STREAM, NULL));
	EXPECT_EQ(1, received_on(_metadata, l, 0));
	EXPECT_EQ(0, received_on(_metadata, l, 1));
	ASSERT_EQ(0, acct_register(l, "1"));
	EXPECT_EQ(1, received_on(_metadata, l, 0));
	EXPECT_EQ(1, received_on(_metadata, l, 1));
	ASSERT_EQ(0, ext_listener_get(l, &want, &reported));
	EXPECT_EQ(EXT_STREAM, want);
	ASSERT_EQ(0, acct_deregister(l, "0-1"));
	EXPECT_EQ(0, received_on(_metadata, l, 0));
	EXPECT_EQ(0, received_on(_metadata, l, 1));
}

/* One that was a classic listener is one with wants from then on. */
TEST_F(stream, classic_before)
{
	struct ext_message m;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_register(&self->l, "0"));
	ASSERT_GT(work_exit_on(0), 0);
	ASSERT_EQ(0, ext_next(&self->l, &m, PATIENCE_MS));
	EXPECT_EQ(TASKACCT_CMD_NEW, m.cmd);
	EXPECT_EQ(1, m.n);
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_STREAM, NULL));
	ASSERT_GT(work_exit_on(0), 0);
	ASSERT_EQ(0, ext_next(&self->l, &m, PATIENCE_MS));
	EXPECT_EQ(TASKACCT_CMD_EXIT, m.cmd);
	EXPECT_TRUE(m.has_task && m.has_stream);
	/* The first was numbered too. */
	EXPECT_EQ(2, m.stream.seq);
}

#define BATCH 7680
#define BATCHED 40

/* Exits on the CPU that is listened to, and no others there while they last */
static void exit_some(struct __test_metadata *_metadata, int n)
{
	pid_t pid;

	for (; n; n--) {
		pid = fork();
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, work_reap(pid, NULL));
	}
}

/* Reads what waits in the queue; returns how many messages it is. */
static int read_batches(struct __test_metadata *_metadata, struct acct_sock *l,
			int *datagrams)
{
	char buf[ACCT_BUF] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *nlh;
	ssize_t size;
	int left;
	int n = 0;

	while ((size = recv(l->fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		EXPECT_GE(BATCH, size);
		++*datagrams;
		left = size;
		nlh = (struct nlmsghdr *)buf;
		for (; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left))
			n++;
	}
	return n;
}

static int in_batches(struct acct_sock *l, const char *mask, uint32_t want,
		      uint32_t msecs)
{
	return ext_register_batched(l, mask, want, BATCH, msecs);
}

/* Messages of a batch wait until it is full, but never beyond what was asked
 * for; deregistration lets nothing wait
 */
TEST_F(stream, batch)
{
	const struct acct_kept *kept;
	struct acct_listener info;
	int datagrams = 0;
	unsigned int n;

	NEED_TASKACCT();
	make_large(_metadata, &self->l);
	ASSERT_EQ(0, in_batches(&self->l, "0", TASKACCT_WANT_STREAM,
				TASKACCT_BATCH_MSECS_MAX));
	exit_some(_metadata, BATCHED);
	n = read_batches(_metadata, &self->l, &datagrams);
	EXPECT_LT(0, datagrams);
	EXPECT_LT((unsigned int)datagrams, n);
	/* The rest comes before the acknowledgement. */
	ASSERT_EQ(0, acct_deregister(&self->l, "0"));
	for (kept = self->l.kept; kept; kept = kept->next)
		n++;
	statistics(_metadata, &self->s, &self->l, &info);
	EXPECT_EQ(info.made, n);
	EXPECT_LE(BATCHED, n);
}

/* Several who want the same in batches */
#define LISTENERS 3

FIXTURE(batches) {
	struct acct_sock s;
	struct acct_sock l[LISTENERS];
	struct storm *st;
	char all[32];
};

FIXTURE_SETUP(batches)
{
	int i;

	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
	for (i = 0; i < LISTENERS; i++) {
		ASSERT_EQ(0, acct_open(&self->l[i]));
		make_large(_metadata, &self->l[i]);
	}
	self->st = mmap(NULL, sizeof(*self->st), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->st);
	snprintf(self->all, sizeof(self->all), "0-%d",
		 sys_cpus_possible() - 1);
	work_pin(0);
}

FIXTURE_TEARDOWN(batches)
{
	int i;

	work_pin_any();
	acct_close(&self->s);
	for (i = 0; i < LISTENERS; i++)
		acct_close(&self->l[i]);
	munmap(self->st, sizeof(*self->st));
}

/* Exits on the CPU that is listened to, noted */
static void note_some(struct __test_metadata *_metadata, struct storm *st,
		      int n)
{
	for (; n; n--) {
		st->pids[st->n] = work_exit_on(0);
		ASSERT_LT(0, st->pids[st->n++]);
	}
}

/* What waits is reported as well, and nothing else is missing. */
static void add_up(struct __test_metadata *_metadata, struct acct_sock *s,
		   struct acct_sock *l, struct acct_listener *info)
{
	ASSERT_EQ(0, acct_listener_of(s, l->port, info));
	EXPECT_EQ(info->made, info->delivered + info->filtered +
			      info->lost_queue + info->lost_memory +
			      info->waiting);
}

/* Of several listeners that want the same in batches each gets all that it registered
 * for, whoever goes meanwhile, the first one included; what waits is reported, and sums
 * are exact.
 */
TEST_F(batches, each_gets_all)
{
	struct acct_listener info;
	int i;

	NEED_TASKACCT();
	for (i = 0; i < LISTENERS; i++)
		ASSERT_EQ(0, in_batches(&self->l[i], "0", 0,
					TASKACCT_BATCH_MSECS_MAX));
	note_some(_metadata, self->st, 5);
	for (i = 0; i < LISTENERS; i++) {
		add_up(_metadata, &self->s, &self->l[i], &info);
		EXPECT_LE(5, info.made);
		EXPECT_LE(5, info.waiting);
	}
	note_some(_metadata, self->st, BATCHED);
	acct_close(&self->l[0]);
	note_some(_metadata, self->st, BATCHED);
	ASSERT_EQ(0, acct_deregister(&self->l[1], "0"));
	each_once(_metadata, &self->l[1], self->st);
	add_up(_metadata, &self->s, &self->l[1], &info);
	EXPECT_EQ(0, info.waiting);
	note_some(_metadata, self->st, BATCHED);
	add_up(_metadata, &self->s, &self->l[2], &info);
	EXPECT_LE(self->st->n, info.made);
	ASSERT_EQ(0, acct_deregister(&self->l[2], "0"));
	each_once(_metadata, &self->l[2], self->st);
	ASSERT_EQ(0, acct_open(&self->l[0]));
}

/* Nothing waits longer than asked for; how busy the host is has two hundred times as
 * long to show.
 */
TEST_F(batches, nothing_waits_longer)
{
	const unsigned int msecs = 50;
	struct acct_exit e;
	int64_t begin;
	pid_t pid;
	int i;

	NEED_TASKACCT();
	for (i = 0; i < LISTENERS; i++)
		ASSERT_EQ(0, in_batches(&self->l[i], "0", 0, msecs));
	begin = sys_now_ns();
	pid = work_exit_on(0);
	for (i = 0; i < LISTENERS; i++)
		EXPECT_EQ(0, acct_wait_exit(&self->l[i], pid, &e));
	EXPECT_GE(200 * 1000000LL * msecs, sys_now_ns() - begin);
}

/* What they ask for changes all the time, and they go: each exit
 * is told once to each that stays.
 */
TEST_F(batches, come_and_go)
{
	const uint32_t wants[] = { 0, TASKACCT_WANT_RECORD, 0, EXT_STREAM };
	const int exits = sys_quick(300);
	struct acct_sock *l = self->l;
	struct storm *st = self->st;
	struct work w;
	int i = 0;

	NEED_TASKACCT();
	work_pin_any();
	ASSERT_EQ(0, in_batches(&l[0], self->all, 0, 20));
	ASSERT_EQ(0, in_batches(&l[1], self->all, 0, 20));
	ASSERT_EQ(0, work_start(&w, storm, st));
	while (i < 60 || __atomic_load_n(&st->n, __ATOMIC_ACQUIRE) < exits) {
		ASSERT_EQ(0, in_batches(&l[2], self->all, 0, 20));
		ASSERT_EQ(0, in_batches(&l[1], self->all, wants[i % 4],
					20));
		if (i++ % 2) {
			ASSERT_EQ(0, acct_deregister(&l[2], self->all));
		} else {
			acct_close(&l[2]);
			ASSERT_EQ(0, acct_open(&l[2]));
		}
	}
	__atomic_store_n(&st->stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&w));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, acct_deregister(&l[i], self->all));
		each_once(_metadata, &l[i], st);
	}
}

/* Returns how many messages came, each with a larger number than the last */
static int in_order(struct __test_metadata *_metadata, struct acct_sock *l)
{
	struct ext_message m;
	uint32_t last = 0;
	int n = 0;

	while (!ext_next(l, &m, 0)) {
		if (n++)
			ASSERT_LT(last, m.seq);
		last = m.seq;
	}
	return n;
}

/* Exits on the CPU where it is */
static int exit_here(int fd, void *arg)
{
	struct storm *st = arg;

	(void)fd;
	while (!__atomic_load_n(&st->stop, __ATOMIC_ACQUIRE)) {
		if (work_exit_process(0) < 0)
			return 1;
		__atomic_store_n(&st->n, st->n + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

/* What one of them changes does not change the order for any of them. */
TEST_F(batches, in_order)
{
	struct acct_sock *l = self->l;
	struct storm *st = self->st;
	struct work w;
	int i;

	NEED_TASKACCT();
	for (i = 0; i < LISTENERS; i++)
		ASSERT_EQ(0, in_batches(&l[i], "0", 0, 1000));
	ASSERT_EQ(0, work_start(&w, exit_here, st));
	for (i = 0; i < 40 || __atomic_load_n(&st->n, __ATOMIC_ACQUIRE) < 100;
	     i++) {
		usleep(5000);
		ASSERT_EQ(0, in_batches(&l[1], "0", 0, 999 + i % 2));
	}
	__atomic_store_n(&st->stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&w));
	for (i = 0; i < LISTENERS; i++) {
		ASSERT_EQ(0, acct_deregister(&l[i], "0"));
		EXPECT_LE(100, in_order(_metadata, &l[i]));
	}
}

/* One that has no room loses, and is told so; the others notice nothing. */
TEST_F(batches, one_is_full)
{
	struct acct_listener info;
	struct ext_message m;
	int err;
	int i;

	NEED_TASKACCT();
	make_small(_metadata, &self->l[0]);
	for (i = 0; i < LISTENERS; i++)
		ASSERT_EQ(0, in_batches(&self->l[i], "0", 0,
					TASKACCT_BATCH_MSECS_MAX));
	note_some(_metadata, self->st, 5 * BATCHED);
	add_up(_metadata, &self->s, &self->l[0], &info);
	EXPECT_LT(0, info.lost_queue);
	do {
		err = ext_next(&self->l[0], &m, 0);
	} while (!err);
	EXPECT_EQ(-ENOBUFS, err);
	for (i = 1; i < LISTENERS; i++) {
		ASSERT_EQ(0, acct_deregister(&self->l[i], "0"));
		each_once(_metadata, &self->l[i], self->st);
		add_up(_metadata, &self->s, &self->l[i], &info);
		EXPECT_EQ(0, info.lost_queue + info.lost_memory);
	}
}

#define KINDS_OF_LISTENERS 5

/* What they want, how many attributes that is, and how many of those are read
 * from the task's address space
 */
static const struct {
	uint32_t want;
	unsigned int n;
	unsigned int of_mm;
} mixed[KINDS_OF_LISTENERS] = {
	{ UINT32_MAX, 1, 0 },
	{ TASKACCT_WANT_RECORD, 3, 0 },
	{ EXT_STREAM, 3, 0 },
	{ EXT_STREAM | TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CMDLINE, 5, 2 },
	{ TASKACCT_WANT_CGROUP_PATH, 2, 0 },
};

static int listen_as(struct acct_sock *l, uint32_t want)
{
	return want == UINT32_MAX ? acct_register(l, "0") :
				    ext_register(l, "0", want, NULL);
}

static unsigned int attributes_of(int kind)
{
	return mixed[kind].n - (sys_exit_has_mm() ? 0 : mixed[kind].of_mm);
}

/* Listeners of all kinds hear the same CPU: each gets what it asked for, with
 * the same number of the exit; none notices that another is full, or goes
 */
TEST_F(stream, of_all_kinds_together)
{
	struct acct_sock l[2 * KINDS_OF_LISTENERS];
	struct ext_message m;
	uint32_t seq;
	pid_t pid;
	int left;
	int i;

	NEED_TASKACCT();
	make_small(_metadata, &self->l);
	ASSERT_EQ(0, ext_register(&self->l, "0", EXT_STREAM, NULL));
	overflow(_metadata, &self->s, &self->l, 0);
	for (i = 0; i < 2 * KINDS_OF_LISTENERS; i++) {
		ASSERT_EQ(0, acct_open(&l[i]));
		ASSERT_EQ(0, listen_as(&l[i],
				       mixed[i % KINDS_OF_LISTENERS].want));
	}
	for (left = 2 * KINDS_OF_LISTENERS; left; left--) {
		pid = work_exit_on(0);
		for (i = 0; i < left; i++) {
			ASSERT_EQ(0, ext_next(&l[i], &m, PATIENCE_MS));
			EXPECT_EQ(attributes_of(i % KINDS_OF_LISTENERS), m.n);
			EXPECT_EQ((uint32_t)pid, m.has_task ? m.task.pid :
							      m.classic.pid);
			seq = i ? seq : m.seq;
			EXPECT_EQ(seq, m.seq);
			EXPECT_EQ(-EAGAIN, ext_next(&l[i], &m, 0));
		}
		acct_close(&l[left - 1]);
	}
}

TEST_HARNESS_MAIN
