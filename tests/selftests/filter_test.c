// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters: each condition alone, at its edges, and together; what is no filter
 * is refused in words; a listener with one hears exactly those it is meant to.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "test.h"

#define RCVBUF (8 << 20)
#define MAX 512
#define GROUP "taskacct-filter"
#define INNER GROUP "/inner"
#define OTHER "taskacct-other"
#define MS 1000000ULL
#define UID 3000

#define BOTH (TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS)

FIXTURE(filter) {
	struct acct_sock s;
};

FIXTURE_SETUP(filter)
{
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(filter)
{
	acct_close(&self->s);
}

/* What a listener has received, in order */
struct received {
	int n;
	struct taskacct_record r[MAX];
};

static void hear(struct __test_metadata *_metadata, struct acct_sock *l,
		 const struct ext_filter *f)
{
	ASSERT_EQ(0, ext_listen(l, EXT_BARE, f, RCVBUF));
}

static void keep(struct received *h, bool has, const struct taskacct_record *r)
{
	if (has && h->n < MAX)
		h->r[h->n++] = *r;
}

/* Whoever is reaped has been reported before. */
static void drain(struct __test_metadata *_metadata, struct acct_sock *l,
		  struct received *h)
{
	struct ext_message m;
	int err;

	h->n = 0;
	while (!(err = ext_next(l, &m, 0))) {
		keep(h, m.has_task, &m.task);
		keep(h, m.has_process, &m.process);
	}
	ASSERT_EQ(-EAGAIN, err);
	ASSERT_GT(MAX, h->n);
}

static int times(const struct received *h, pid_t pid, int kind)
{
	int n = 0;
	int i;

	for (i = 0; i < h->n; i++)
		n += h->r[i].pid == (uint32_t)pid && h->r[i].kind == kind;
	return n;
}

static int of_process(const struct received *h, pid_t tgid, int kind)
{
	int n = 0;
	int i;

	for (i = 0; i < h->n; i++)
		n += h->r[i].tgid == (uint32_t)tgid && h->r[i].kind == kind;
	return n;
}

static void do_nothing(int place)
{
	(void)place;
}

/* All of its threads are reported by then. */
static void reap_all(struct __test_metadata *_metadata, pid_t pid)
{
	struct acct_sock s;

	ASSERT_EQ(0, acct_open(&s));
	EXPECT_EQ(0, ext_await_end(&s, pid));
	EXPECT_EQ(pid, work_reap(pid, NULL));
	acct_close(&s);
}

static pid_t exit_with_threads(struct __test_metadata *_metadata, int threads)
{
	struct roll *roll = roll_new();
	pid_t pid = roll_start(roll, threads, do_nothing);

	reap_all(_metadata, pid);
	return pid;
}

/* Records of each kind, of a process of one thread and of one of four */
static void expect_kinds(struct __test_metadata *_metadata,
			 const struct ext_filter *f, const int expected[4])
{
	struct received *h = malloc(sizeof(*h));
	struct acct_sock l;
	pid_t several;
	pid_t one;

	hear(_metadata, &l, f);
	one = work_exit_process(0);
	several = exit_with_threads(_metadata, 3);
	drain(_metadata, &l, h);
	EXPECT_EQ(expected[0], of_process(h, one, TASKACCT_KIND_TASK));
	EXPECT_EQ(expected[1], of_process(h, one, TASKACCT_KIND_PROCESS));
	EXPECT_EQ(expected[2], of_process(h, several, TASKACCT_KIND_TASK));
	EXPECT_EQ(expected[3], of_process(h, several, TASKACCT_KIND_PROCESS));
	acct_close(&l);
	free(h);
}

/* D2: processes only is one record for each, those of one thread included;
 * without a condition it is as the kernel has it
 */
TEST_F(filter, kinds)
{
	struct ext_filter f = { .has = EXT_HAS(KINDS) };
	const struct ext_filter empty = { .has = 0 };

	NEED_TASKACCT();
	f.kinds = TASKACCT_KIND_TASK;
	expect_kinds(_metadata, &f, (const int[]){ 1, 0, 4, 0 });
	f.kinds = TASKACCT_KIND_PROCESS;
	expect_kinds(_metadata, &f, (const int[]){ 0, 1, 0, 1 });
	f.kinds = BOTH;
	expect_kinds(_metadata, &f, (const int[]){ 1, 1, 4, 1 });
	expect_kinds(_metadata, &empty, (const int[]){ 1, 0, 4, 1 });
	expect_kinds(_metadata, NULL, (const int[]){ 1, 0, 4, 1 });
}

/* How one of many processes differs from the others */
struct how {
	uid_t uid;
	int status;
	unsigned int live_ms;
	/* CPU time that is to be in its record, at least */
	unsigned int burn_ms;
	const char *group;
};

/*
 * Ticks count it, of which many are lost in a VM whose CPUs take turns, on a machine that
 * has others to serve: as long as it takes.
 */
static int burn(unsigned int ms)
{
	struct taskacct_record r = { 0 };
	struct acct_sock s;
	int err;

	err = acct_open(&s);
	while (!err && r.utime + r.stime < ms * MS) {
		work_burn(10 * MS);
		err = ext_query_task(&s, getpid(), &r);
	}
	return err;
}

static pid_t start(const struct how *how)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (how->group && cgroup_enter(how->group, 0))
		_exit(99);
	if (setresuid(how->uid, how->uid, how->uid))
		_exit(98);
	if (how->burn_ms && burn(how->burn_ms))
		_exit(97);
	usleep(how->live_ms * 1000);
	_exit(how->status);
}

static pid_t exit_as(struct __test_metadata *_metadata, const struct how *how)
{
	pid_t pid = start(how);

	EXPECT_EQ(pid, work_reap(pid, NULL));
	return pid;
}

/* A range's ends belong to it; one end alone will do */
TEST_F(filter, uid_at_the_edges)
{
	struct ext_filter ranges[] = {
		{ .has = EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		  .uid_min = UID, .uid_max = UID + 2 },
		{ .has = EXT_HAS(UID_MIN), .uid_min = UID + 1 },
		{ .has = EXT_HAS(UID_MAX), .uid_max = UID + 1 },
		{ .has = EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		  .uid_min = UID + 3, .uid_max = UID + 3 },
	};
	const unsigned int met[] = { 0x0e, 0x1c, 0x07, 0x10 };
	struct received *h = malloc(sizeof(*h));
	struct acct_sock l[ARRAY_SIZE(ranges)];
	struct how how = { 0 };
	pid_t pids[5];
	size_t i;
	int j;

	NEED_TASKACCT();
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		hear(_metadata, &l[i], &ranges[i]);
	for (j = 0; j < 5; j++) {
		how.uid = UID - 1 + j;
		pids[j] = exit_as(_metadata, &how);
	}
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		drain(_metadata, &l[i], h);
		for (j = 0; j < 5; j++) {
			EXPECT_EQ((int)(met[i] >> j & 1),
				  times(h, pids[j], TASKACCT_KIND_TASK))
				TH_LOG("range %zu, uid %d", i, UID - 1 + j);
		}
		acct_close(&l[i]);
	}
	free(h);
}

/* Hears one in so many of those with a uid of their own: a kernel thread may end,
 * too.
 */
static void hear_some(struct __test_metadata *_metadata, struct acct_sock *l,
		      unsigned int one_in, unsigned int also)
{
	const struct ext_filter f = {
		.has = EXT_HAS(ONE_IN) | EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX) |
		       also,
		.one_in = one_in,
		.uid_min = UID,
		.uid_max = UID,
	};

	hear(_metadata, l, &f);
}

/* One in three is every third, of those that meet the other conditions */
TEST_F(filter, one_in)
{
	struct received *h = malloc(sizeof(*h));
	struct how how = { .uid = UID };
	struct acct_sock l[3];
	int i;

	NEED_TASKACCT();
	hear_some(_metadata, &l[0], 3, 0);
	hear_some(_metadata, &l[1], 1, 0);
	hear_some(_metadata, &l[2], 4, EXT_HAS(FAILED));
	for (i = 0; i < 60; i++) {
		how.status = i % 2;
		exit_as(_metadata, &how);
	}
	drain(_metadata, &l[0], h);
	EXPECT_EQ(20, h->n);
	drain(_metadata, &l[1], h);
	EXPECT_EQ(60, h->n);
	drain(_metadata, &l[2], h);
	EXPECT_EQ(7, h->n);
	for (i = 0; i < h->n; i++)
		EXPECT_EQ(1 << 8, h->r[i].exit_code);
	for (i = 0; i < 3; i++)
		acct_close(&l[i]);
	free(h);
}

static int failing_thread(void *arg)
{
	(void)arg;
	work_raw_exit(5);
	return 0;
}

/* Of a process it is what its parent gets that counts, of a thread what it said
 * itself
 */
TEST_F(filter, failed_of_each_kind)
{
	const struct ext_filter f = {
		.has = EXT_HAS(FAILED) | EXT_HAS(KINDS), .kinds = BOTH,
	};
	struct received *h = malloc(sizeof(*h));
	struct acct_sock l;
	pid_t pid;
	int gone;

	NEED_TASKACCT();
	hear(_metadata, &l, &f);
	pid = fork();
	if (!pid) {
		work_raw_thread(failing_thread, NULL, work_stacks(1), &gone);
		work_raw_join(&gone);
		_exit(0);
	}
	reap_all(_metadata, pid);
	drain(_metadata, &l, h);
	EXPECT_EQ(0, of_process(h, pid, TASKACCT_KIND_PROCESS));
	EXPECT_EQ(1, of_process(h, pid, TASKACCT_KIND_TASK));
	pid = fork();
	if (!pid)
		work_stay();
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, work_reap(pid, NULL));
	drain(_metadata, &l, h);
	EXPECT_EQ(1, of_process(h, pid, TASKACCT_KIND_PROCESS));
	EXPECT_EQ(1, of_process(h, pid, TASKACCT_KIND_TASK));
	acct_close(&l);
	free(h);
}

static uint64_t cpu_time(const struct taskacct_record *r)
{
	return r->utime + r->stime;
}

static bool meets(const struct ext_filter *f, const struct taskacct_record *r)
{
	if ((f->has & EXT_HAS(UID_MIN)) && r->uid < f->uid_min)
		return false;
	if ((f->has & EXT_HAS(UID_MAX)) && r->uid > f->uid_max)
		return false;
	if ((f->has & EXT_HAS(FAILED)) && !r->exit_code)
		return false;
	if ((f->has & EXT_HAS(CGROUP_ID)) && r->cgroup != f->cgroup_id)
		return false;
	if ((f->has & EXT_HAS(MIN_LIFETIME)) && r->end - r->start < f->min_lifetime)
		return false;
	return !(f->has & EXT_HAS(MIN_CPU_TIME)) || cpu_time(r) >= f->min_cpu_time;
}

/* Returns how many of @all meet it, which are to be those that were received. */
static int compare(struct __test_metadata *_metadata, const struct ext_filter *f,
		   const struct received *all, const struct received *h)
{
	const struct taskacct_record *r;
	int met = 0;
	int i;

	for (i = 0; i < all->n; i++) {
		r = &all->r[i];
		EXPECT_EQ(meets(f, r), times(h, r->pid, TASKACCT_KIND_PROCESS))
			TH_LOG("filter %#x: process %d of %d, lived for %llu ns", f->has, i,
			       all->n, r->end - r->start);
		met += meets(f, r);
	}
	return met;
}

static void exit_many(struct __test_metadata *_metadata)
{
	pid_t pids[48];
	struct how how;
	int i;

	for (i = 0; i < 48; i++) {
		how = (struct how){
			.uid = UID + i % 3,
			.status = i % 2,
			.live_ms = i % 4 == 3 ? 600 : 0,
			.burn_ms = i / 4 % 4 == 2 ? 100 : 0,
			.group = i / 16 == 1 ? GROUP : NULL,
		};
		pids[i] = start(&how);
	}
	for (i = 0; i < 48; i++)
		ASSERT_EQ(pids[i], work_reap(pids[i], NULL));
}

/* Conditions alone and together: a listener hears those, and only those, that
 * meet all of them, by what is in the records that another one gets
 */
TEST_F(filter, exactly_those_that_meet_it)
{
	const uint32_t process = EXT_HAS(KINDS);
	struct ext_filter f[] = {
		/* All of ours: a kernel thread may end, too. */
		{ .has = EXT_HAS(UID_MIN), .uid_min = UID },
		{ .has = EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		  .uid_min = UID + 1, .uid_max = UID + 1 },
		{ .has = EXT_HAS(FAILED) },
		{ .has = EXT_HAS(MIN_LIFETIME), .min_lifetime = 500 * MS },
		{ .has = EXT_HAS(MIN_CPU_TIME), .min_cpu_time = 60 * MS },
		{ .has = EXT_HAS(CGROUP_ID) },
		{ .has = EXT_HAS(CGROUP_ID) | EXT_HAS(FAILED) |
			 EXT_HAS(UID_MIN), .uid_min = UID + 1 },
		{ .has = EXT_HAS(CGROUP_ID) | EXT_HAS(FAILED) |
			 EXT_HAS(UID_MIN) | EXT_HAS(MIN_LIFETIME),
		  .min_lifetime = 500 * MS, .uid_min = UID },
	};
	struct received *all = malloc(sizeof(*all));
	struct received *h = malloc(sizeof(*h));
	struct acct_sock l[ARRAY_SIZE(f)];
	size_t i;

	NEED_TASKACCT();
	NEED_CGROUP(GROUP);
	for (i = 0; i < ARRAY_SIZE(f); i++) {
		f[i].has |= process;
		f[i].kinds = TASKACCT_KIND_PROCESS;
		f[i].cgroup_id = cgroup_number(GROUP);
		hear(_metadata, &l[i], &f[i]);
	}
	exit_many(_metadata);
	drain(_metadata, &l[0], all);
	EXPECT_EQ(48, all->n);
	for (i = 1; i < ARRAY_SIZE(f); i++) {
		drain(_metadata, &l[i], h);
		EXPECT_LT(0, compare(_metadata, &f[i], all, h))
			TH_LOG("filter %#x", f[i].has);
		EXPECT_GT(48, h->n);
		acct_close(&l[i]);
	}
	acct_close(&l[0]);
	EXPECT_EQ(0, cgroup_drop(GROUP));
	free(all);
	free(h);
}

#define LIFE	(20 * MS)
#define CPU	(20 * MS)
#define SLOW	30

/* Lives until @early ns before it has lived for LIFE. */
static int live(struct acct_sock *s, int64_t early)
{
	struct taskacct_record r;

	if (ext_query_task(s, getpid(), &r))
		return 96;
	while ((int64_t)(sys_boot_ns() - r.start) < (int64_t)LIFE - early)
		;
	return 0;
}

static int64_t lived_on(const struct taskacct_record *r)
{
	return (int64_t)(r->end - r->start - LIFE);
}

/* Computes until @early ns before the tick that makes its CPU time CPU. */
static int compute(struct acct_sock *s, int64_t early)
{
	uint64_t used = 0, tick, next;
	struct taskacct_record r;

	do {
		if (ext_query_task(s, getpid(), &r))
			return 96;
		tick = cpu_time(&r) - used;
		used += tick;
	} while (!tick || used + tick < CPU);
	next = sys_boot_ns() + tick;
	while ((int64_t)(next - sys_boot_ns()) > early)
		;
	return 0;
}

/* A tick is counted whole: by how much it came too early or late is not in the record. */
static int64_t computed_on(const struct taskacct_record *r)
{
	const int64_t step = 200000;

	return cpu_time(r) >= CPU ? step : -step;
}

static const struct taskacct_record *record_of(const struct received *h, pid_t pid, uint32_t kind)
{
	int i = 0;

	while (i < h->n && (h->r[i].pid != (uint32_t)pid || h->r[i].kind != kind))
		i++;
	return i < h->n ? &h->r[i] : NULL;
}

/* Each gets a message of its own, before those that come after it are asked. */
static void hear_slowly(struct __test_metadata *_metadata, struct acct_sock *l)
{
	struct ext_filter f = { .has = EXT_HAS(KINDS) };
	int i;

	for (i = 0; i < SLOW; i++) {
		f.kinds = i % 2 ? BOTH : TASKACCT_KIND_PROCESS;
		hear(_metadata, &l[i], &f);
	}
}

/**
 * struct edge - processes that use a little less or more than a filter asks for
 * @f: the filter
 * @use: what a process does; the greater @early, the sooner it ends
 * @over: how far beyond the edge a record is
 */
struct edge {
	struct ext_filter f;
	int (*use)(struct acct_sock *s, int64_t early);
	int64_t (*over)(const struct taskacct_record *r);
};

static pid_t start_at(const struct edge *edge, int64_t early)
{
	struct acct_sock s;
	pid_t pid = fork();

	if (pid)
		return pid;
	_exit(acct_open(&s) ? 95 : edge->use(&s, early));
}

/* Who has the filter hears of those whose record meets it: also where time goes by while
 * the messages for others are made
 */
static void end_at(struct __test_metadata *_metadata, const struct edge *edge)
{
	const uint32_t kinds[] = { TASKACCT_KIND_TASK, TASKACCT_KIND_PROCESS };
	struct received *met = malloc(sizeof(*met));
	struct received *all = malloc(sizeof(*all));
	const struct taskacct_record *r;
	struct ext_filter f = edge->f;
	struct acct_sock slow[SLOW];
	struct acct_sock l[2];
	int heard[2] = { 0, 0 };
	int64_t early = 0;
	int times_met;
	int status;
	int i, k;
	pid_t pid;

	hear_slowly(_metadata, slow);
	for (k = 0; k < 2; k++) {
		f.kinds = kinds[k];
		hear(_metadata, &l[k], &f);
	}
	for (i = 0; i < 200; i++) {
		pid = start_at(edge, early);
		ASSERT_EQ(pid, work_reap(pid, &status));
		ASSERT_EQ(0, status);
		drain(_metadata, &slow[1], all);
		for (k = 0; k < 2; k++) {
			r = record_of(all, pid, kinds[k]);
			ASSERT_NE(NULL, r);
			drain(_metadata, &l[k], met);
			times_met = times(met, pid, kinds[k]);
			EXPECT_EQ(meets(&f, r), times_met)
				TH_LOG("kind %u: lived for %llu ns, used %llu", kinds[k],
				       r->end - r->start, (unsigned long long)cpu_time(r));
			heard[k] += times_met;
		}
		/* So that they end now a little before, now a little after */
		early += edge->over(r) / 4;
	}
	EXPECT_LT(0, heard[0]);
	EXPECT_LT(0, heard[1]);
	for (i = 0; i < SLOW; i++)
		acct_close(&slow[i]);
	acct_close(&l[0]);
	acct_close(&l[1]);
	free(all);
	free(met);
}

TEST_F(filter, lifetime_in_the_record)
{
	const struct edge edge = {
		.f = { .has = EXT_HAS(KINDS) | EXT_HAS(MIN_LIFETIME), .min_lifetime = LIFE },
		.use = live, .over = lived_on,
	};

	NEED_TASKACCT();
	end_at(_metadata, &edge);
}

TEST_F(filter, cpu_time_in_the_record)
{
	const struct edge edge = {
		.f = { .has = EXT_HAS(KINDS) | EXT_HAS(MIN_CPU_TIME), .min_cpu_time = CPU },
		.use = compute, .over = computed_on,
	};

	NEED_TASKACCT();
	end_at(_metadata, &edge);
}

static int enter_and_rest(int fd, void *arg)
{
	char order;

	if (cgroup_enter(arg, 0))
		return 1;
	while ((order = work_order(fd)))
		work_send(fd, order);
	return 0;
}

static pid_t exit_in(struct __test_metadata *_metadata, const char *from,
		     const char *to)
{
	struct work w;

	EXPECT_EQ(0, work_start(&w, enter_and_rest, (void *)from));
	EXPECT_EQ(0, work_round(&w, 'x'));
	if (to)
		EXPECT_EQ(0, cgroup_enter(to, w.pid));
	EXPECT_EQ(0, work_wait(&w));
	return w.pid;
}

static void cgroup_listeners(struct __test_metadata *_metadata,
			     struct acct_sock *by_id, struct acct_sock *by_fd)
{
	struct ext_filter f = { .has = EXT_HAS(CGROUP_ID) };

	f.cgroup_id = cgroup_number(GROUP);
	hear(_metadata, by_id, &f);
	f.has = EXT_HAS(CGROUP_FD);
	f.cgroup_fd = cgroup_open(GROUP);
	hear(_metadata, by_fd, &f);
	close(f.cgroup_fd);
}

/* A cgroup and all below it, named by its id or by an open directory; a task
 * belongs where it is when it exits
 */
TEST_F(filter, cgroup_subtree)
{
	struct received *h = malloc(sizeof(*h));
	struct acct_sock l[2];
	pid_t pids[6];
	int i;

	NEED_TASKACCT();
	NEED_CGROUP(GROUP);
	ASSERT_EQ(0, cgroup_make(INNER));
	ASSERT_EQ(0, cgroup_make(OTHER));
	cgroup_listeners(_metadata, &l[0], &l[1]);
	pids[0] = exit_in(_metadata, GROUP, NULL);
	pids[1] = exit_in(_metadata, INNER, NULL);
	pids[2] = exit_in(_metadata, OTHER, INNER);
	pids[3] = exit_in(_metadata, OTHER, NULL);
	pids[4] = exit_in(_metadata, INNER, OTHER);
	pids[5] = work_exit_process(0);
	for (i = 0; i < 2; i++) {
		drain(_metadata, &l[i], h);
		EXPECT_EQ(3, h->n);
		EXPECT_EQ(1, times(h, pids[0], TASKACCT_KIND_TASK));
		EXPECT_EQ(1, times(h, pids[1], TASKACCT_KIND_TASK));
		EXPECT_EQ(1, times(h, pids[2], TASKACCT_KIND_TASK));
	}

	/* Removed, and another made in its place: that is not the one meant. */
	EXPECT_EQ(0, cgroup_drop(INNER));
	EXPECT_EQ(0, cgroup_drop(GROUP));
	ASSERT_EQ(0, cgroup_make(GROUP));
	exit_in(_metadata, GROUP, NULL);
	work_exit_process(0);
	for (i = 0; i < 2; i++) {
		drain(_metadata, &l[i], h);
		EXPECT_EQ(0, h->n);
		acct_close(&l[i]);
	}
	EXPECT_EQ(0, cgroup_drop(GROUP));
	EXPECT_EQ(0, cgroup_drop(OTHER));
	free(h);
}

/* What is not a filter, or none that makes sense */
struct bad {
	const char *name;
	int err;
	void (*put)(struct nl_msg *msg);
};

/* One attribute in the nest */
static void put_one(struct nl_msg *msg, int type, int len, uint64_t value)
{
	struct nlattr *nest;

	nest = nla_nest_start(msg, NLA_F_NESTED | TASKACCT_CMD_ATTR_FILTER);
	nla_put(msg, type, len, &value);
	nla_nest_end(msg, nest);
}

#define PUT(name, type, len, value)					\
static void name(struct nl_msg *msg)					\
{									\
	put_one(msg, TASKACCT_FILTER_ATTR_##type, len, value);		\
}

PUT(kinds_none, KINDS, 4, 0)
PUT(kinds_unknown, KINDS, 4, 5)
PUT(kinds_short, KINDS, 2, 1)
PUT(uid_long, UID_MIN, 8, 1)
PUT(lifetime_short, MIN_LIFETIME, 4, 1)
PUT(cpu_time_short, MIN_CPU_TIME, 4, 1)
PUT(failed_with_value, FAILED, 4, 1)
PUT(one_in_none, ONE_IN, 4, 0)
PUT(cgroup_none, CGROUP_ID, 8, 0x123456789aULL)
PUT(cgroup_zero, CGROUP_ID, 8, 0)
PUT(directory_dead, CGROUP_FD, 4, 1000)
PUT(directory_negative, CGROUP_FD, 4, 0xffffffff)
PUT(reserved, UNSPEC, 4, 1)
PUT(padding, PAD, 4, 1)

static void unknown(struct nl_msg *msg)
{
	put_one(msg, TASKACCT_FILTER_ATTR_MAX + 1, 4, 1);
}

static void range_empty(struct nl_msg *msg)
{
	const struct ext_filter f = {
		.has = EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		.uid_min = 5, .uid_max = 4,
	};

	ext_put_filter(msg, &f);
}

static void cgroup_twice(struct nl_msg *msg)
{
	const struct ext_filter f = {
		.has = EXT_HAS(CGROUP_ID) | EXT_HAS(CGROUP_FD), .cgroup_id = 1,
	};

	ext_put_filter(msg, &f);
}

static void not_a_nest(struct nl_msg *msg)
{
	nla_put_u32(msg, TASKACCT_CMD_ATTR_FILTER, 1);
}

static void bytes_left_over(struct nl_msg *msg)
{
	const char bytes[] = "\x08\0\x02\0\x01\0\0\0xx";

	nla_put(msg, NLA_F_NESTED | TASKACCT_CMD_ATTR_FILTER, 10, bytes);
}

static void cut_short(struct nl_msg *msg)
{
	const char bytes[] = "\x10\0\x02\0\x01\0\0\0";

	nla_put(msg, NLA_F_NESTED | TASKACCT_CMD_ATTR_FILTER, 8, bytes);
}

static void directory_of_no_cgroup(struct nl_msg *msg)
{
	/* Stays open as long as the test. */
	put_one(msg, TASKACCT_FILTER_ATTR_CGROUP_FD, 4,
		open("/", O_RDONLY | O_DIRECTORY));
}

static void file_of_a_cgroup(struct nl_msg *msg)
{
	put_one(msg, TASKACCT_FILTER_ATTR_CGROUP_FD, 4,
		open("/sys/fs/cgroup/cgroup.procs", O_RDONLY));
}

static void want_unknown(struct nl_msg *msg)
{
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, 1U << 31);
}

static void want_bare(struct nl_msg *msg)
{
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, TASKACCT_WANT_BARE);
}

static void want_bare_names(struct nl_msg *msg)
{
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT,
		    TASKACCT_WANT_BARE | TASKACCT_WANT_EXE_PATH);
}

static void want_short(struct nl_msg *msg)
{
	nla_put_u16(msg, TASKACCT_CMD_ATTR_WANT, 1);
}

static const struct bad bad[] = {
	{ "kinds 0", -ERANGE, kinds_none },
	{ "kinds unknown", -ERANGE, kinds_unknown },
	{ "kinds of two bytes", -EINVAL, kinds_short },
	{ "uid of eight bytes", -EINVAL, uid_long },
	{ "lifetime of four bytes", -EINVAL, lifetime_short },
	{ "CPU time of four bytes", -EINVAL, cpu_time_short },
	{ "flag with a value", -ERANGE, failed_with_value },
	{ "one in 0", -ERANGE, one_in_none },
	{ "cgroup unknown", -ENOENT, cgroup_none },
	{ "cgroup 0", -ENOENT, cgroup_zero },
	{ "directory not open", -EBADF, directory_dead },
	{ "directory negative", -EBADF, directory_negative },
	{ "directory of no cgroup", -EBADF, directory_of_no_cgroup },
	{ "file of a cgroup", -EBADF, file_of_a_cgroup },
	{ "cgroup twice", -EINVAL, cgroup_twice },
	{ "reserved", -EINVAL, reserved },
	{ "padding with a value", -ERANGE, padding },
	{ "unknown", -EINVAL, unknown },
	{ "range empty", -EINVAL, range_empty },
	{ "not a nest", -EINVAL, not_a_nest },
	{ "bytes left over", -EINVAL, bytes_left_over },
	{ "cut short", -EINVAL, cut_short },
	{ "want unknown", -EINVAL, want_unknown },
	{ "bare of nothing", -EINVAL, want_bare },
	{ "bare with names alone", -EINVAL, want_bare_names },
	{ "want of two bytes", -EINVAL, want_short },
};

/* Each is refused in a number and in words, at registration and in a dump;
 * and what was registered before stays as it was
 */
TEST_F(filter, refused)
{
	const struct ext_filter before = { .has = EXT_HAS(FAILED) };
	struct acct_sock *s = &self->s;
	struct ext_filter after;
	struct nl_msg *msg;
	uint32_t want;
	size_t i;

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_register(s, "0", EXT_STREAM, &before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		msg = acct_request(s, TASKACCT_CMD_SUBSCRIBE, 0);
		nla_put_string(msg, TASKACCT_CMD_ATTR_CPUMASK, "0");
		bad[i].put(msg);
		EXPECT_EQ(bad[i].err, acct_transact(s, msg, NULL, NULL))
			TH_LOG("%s", bad[i].name);
		EXPECT_STRNE("", s->extack) TH_LOG("%s", bad[i].name);
		msg = acct_request(s, TASKACCT_CMD_TASK_GET, NLM_F_DUMP);
		bad[i].put(msg);
		EXPECT_EQ(bad[i].err, acct_transact(s, msg, NULL, NULL))
			TH_LOG("%s, in a dump", bad[i].name);
	}
	ASSERT_EQ(0, ext_listener_get(s, &want, &after));
	EXPECT_EQ(EXT_STREAM, want);
	EXPECT_EQ(before.has, after.has);
}

/* Nothing is registered by what is refused */
TEST_F(filter, refused_leaves_nothing)
{
	struct acct_listener l;
	struct nl_msg *msg;

	NEED_TASKACCT();
	msg = acct_request(&self->s, TASKACCT_CMD_SUBSCRIBE, 0);
	nla_put_string(msg, TASKACCT_CMD_ATTR_CPUMASK, "0");
	one_in_none(msg);
	EXPECT_EQ(-ERANGE, acct_transact(&self->s, msg, NULL, NULL));
	EXPECT_EQ(-ENOENT, acct_listener_get(&self->s, &l));
}

/* @attr: with which the request has a number or, of 0, CPU 0 */
static int send_with(struct acct_sock *s, uint8_t cmd, int attr, int flags,
		     uint32_t want, const struct ext_filter *f)
{
	struct nl_msg *msg = acct_request(s, cmd, flags);

	if (attr == TASKACCT_CMD_ATTR_CPUMASK)
		nla_put_string(msg, attr, "0");
	else if (attr)
		nla_put_u32(msg, attr, getpid());
	if (want)
		nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, want);
	ext_put_filter(msg, f);
	return acct_transact(s, msg, NULL, NULL);
}

/* Where they do not belong: a filter of one task, a stream of answers, a dump
 * of one task
 */
TEST_F(filter, where_it_does_not_belong)
{
	const struct ext_filter f = { .has = EXT_HAS(FAILED) };
	const uint8_t get = TASKACCT_CMD_TASK_GET;
	const int pid = TASKACCT_CMD_ATTR_PID;
	const int tgid = TASKACCT_CMD_ATTR_TGID;
	const int cpus = TASKACCT_CMD_ATTR_CPUMASK;
	struct acct_sock *s = &self->s;

	NEED_TASKACCT();
	EXPECT_EQ(-EINVAL, send_with(s, get, pid, 0, 0, &f));
	EXPECT_STRNE("", s->extack);
	EXPECT_EQ(-EINVAL, send_with(s, get, tgid, 0, EXT_BARE, &f));
	EXPECT_EQ(-EINVAL, send_with(s, get, 0, 0, EXT_BARE, NULL));
	EXPECT_STRNE("", s->extack);
	EXPECT_EQ(-EINVAL, send_with(s, get, cpus, 0, EXT_BARE, NULL));
	EXPECT_EQ(-EINVAL, send_with(s, get, pid, 0, EXT_STREAM, NULL));
	EXPECT_EQ(-EINVAL, send_with(s, get, 0, NLM_F_DUMP, EXT_STREAM, NULL));
	EXPECT_EQ(-EINVAL, send_with(s, get, pid, NLM_F_DUMP, EXT_BARE, NULL));
	EXPECT_EQ(0, send_with(s, get, pid, 0, EXT_BARE, NULL));
}

/* What a command does not know it refuses: an attribute, a condition, bytes behind
 * them. In a classic request it is passed over.
 */
TEST_F(filter, unknown_is_refused)
{
	static const uint8_t cmds[] = {
		TASKACCT_CMD_TASK_GET, TASKACCT_CMD_SUBSCRIBE,
		TASKACCT_CMD_LISTENER_GET, TASKACCT_CMD_STAT_GET,
	};
	static const uint16_t types[] = {
		1, 4, 15, TASKACCT_CMD_ATTR_MAX + 1, TASKACCT_TYPE_RECORD, 4000,
	};
	struct acct_sock *s = &self->s;
	struct nl_msg *msg;
	size_t i, j;

	NEED_TASKACCT();
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		for (j = 0; j < ARRAY_SIZE(types); j++) {
			msg = acct_request(s, cmds[i], 0);
			nla_put_u32(msg, types[j], getpid());
			EXPECT_EQ(-EINVAL, acct_transact(s, msg, NULL, NULL))
				TH_LOG("command %d, type %d", cmds[i], types[j]);
		}
	msg = acct_request(s, TASKACCT_CMD_GET, 0);
	nla_put_u32(msg, TASKSTATS_CMD_ATTR_PID, getpid());
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, 1U << 31);
	nla_put_u32(msg, 4000, 1);
	EXPECT_EQ(0, acct_transact(s, msg, NULL, NULL));
	msg = acct_request(s, TASKACCT_CMD_GET, NLM_F_DUMP);
	EXPECT_EQ(-EOPNOTSUPP, acct_transact(s, msg, NULL, NULL));
}

static int leave(struct acct_sock *s)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_SUBSCRIBE, 0);

	nla_put_string(msg, TASKACCT_CMD_ATTR_CPUMASK, "");
	return acct_transact(s, msg, NULL, NULL);
}

/* Without a list of CPUs it is all of them, and with an empty one none. */
TEST_F(filter, all_cpus)
{
	struct acct_sock *s = &self->s;
	struct acct_listener l;
	char all[32];

	NEED_TASKACCT();
	if (sys_cpus_possible() > 1)
		snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	else
		strcpy(all, "0");
	ASSERT_EQ(0, ext_register(s, NULL, EXT_STREAM, NULL));
	ASSERT_EQ(0, acct_listener_get(s, &l));
	EXPECT_STREQ(all, l.cpumask);
	EXPECT_EQ(-EINVAL, ext_register(s, "", EXT_STREAM, NULL));
	EXPECT_STREQ("goes with some CPUs only", s->extack);
	EXPECT_EQ(0, leave(s));
	ASSERT_EQ(0, acct_listener_get(s, &l));
	EXPECT_STREQ("", l.cpumask);
	EXPECT_EQ(-ENOENT, leave(s));
}

/* A directory of the old hierarchy is none of this one's, though it is a cgroup */
TEST_F(filter, directory_of_version_1)
{
	struct ext_filter f = { .has = EXT_HAS(CGROUP_FD) };
	const char *dir = "/dev/shm/taskacct-v1";

	NEED_TASKACCT();
	NEED_VM();
	mkdir(dir, 0755);
	if (mount("none", dir, "cgroup", 0, "none,name=taskacct")) {
		rmdir(dir);
		SKIP(return, "this kernel has no cgroups of version 1");
	}
	f.cgroup_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EXPECT_EQ(-EBADF, ext_register(&self->s, NULL, EXT_BARE, &f));
	EXPECT_STRNE("", self->s.extack);
	close(f.cgroup_fd);
	umount(dir);
	rmdir(dir);
}

/* A listener is told what it is registered for: all of it, a directory as an id */
TEST_F(filter, reported)
{
	struct ext_filter f = {
		.has = EXT_HAS(KINDS) | EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX) |
		       EXT_HAS(CGROUP_FD) | EXT_HAS(MIN_LIFETIME) |
		       EXT_HAS(MIN_CPU_TIME) | EXT_HAS(FAILED) |
		       EXT_HAS(ONE_IN),
		.kinds = BOTH, .uid_min = 1, .uid_max = UINT32_MAX,
		.min_lifetime = 1ULL << 40, .min_cpu_time = 3, .one_in = 9,
	};
	struct ext_filter reported;
	uint32_t want;

	NEED_TASKACCT();
	NEED_CGROUP(GROUP);
	ASSERT_EQ(0, acct_register(&self->s, "0"));
	ASSERT_EQ(0, ext_listener_get(&self->s, &want, &reported));
	EXPECT_EQ(UINT32_MAX, want);
	f.cgroup_fd = cgroup_open(GROUP);
	ASSERT_EQ(0, ext_register(&self->s, NULL, EXT_STREAM, &f));
	ASSERT_EQ(0, ext_listener_get(&self->s, &want, &reported));
	EXPECT_EQ(EXT_STREAM, want);
	f.has = (f.has & ~EXT_HAS(CGROUP_FD)) | EXT_HAS(CGROUP_ID);
	f.cgroup_id = cgroup_number(GROUP);
	close(f.cgroup_fd);
	f.cgroup_fd = 0;
	EXPECT_EQ(0, memcmp(&f, &reported, sizeof(f)));
	EXPECT_EQ(0, cgroup_drop(GROUP));
}

TEST_HARNESS_MAIN
