// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the module keeps preemption or interrupts off, with the module of
 * tests/latency, on a kernel that tells of it (-k latency), in instructions (-i).
 *
 * A section is the module's own where it began or ended it. In sections of its own
 * the kernel calls functions of the module; each such call counts as a section as
 * well.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <taskacct.h>

#include "test.h"
#include "module.h"
#include "multitude.h"
#include "throng.h"
#include "uid.h"

#define PARAMETERS "/sys/module/latency/parameters/"

/*
 * How many free pages a CPU may keep: a part of the memory so small, in number of such
 * parts. Otherwise whoever frees the one that is too much, such as a callback that frees a
 * mark, gives back thousands.
 */
#define PAGES_KEPT "/proc/sys/vm/percpu_pagelist_high_fraction"
#define FEW_PAGES "10000"
#define CPUTIME "/sys/module/taskacct/parameters/cputime"

/* What the kernel calls with preemption or interrupts off, from hooks.c, cpu.c,
 * callbacks of RCU, timers, work in interrupts and calls on other CPUs
 */
#define FUNCTIONS							\
	"on_free on_tracepoint on_switch "				\
	"on_irq_entry on_irq_exit on_vector_entry on_vector_exit "	\
	"on_timer_entry on_timer_exit on_softirq_entry on_softirq_exit " \
	"on_fork on_exec on_exit_counted on_sys_enter on_sys_exit "	\
	"free_exited_rcu free_rcu_group free_sub_rcu free_listener_rcu "	\
	"free_unseen queue_unseen put_back_entry put_back_task "	\
	"end_batch on_work taskacct_cputime_turn_here read_here"

#define LOADED "uid=1 unprivileged=1 cputime=full"

/* The longest section that there may be, in instructions */
#define LONGEST 100000

/* Of a section that is as long as it is told to be: what is around that */
#define SPIN 200000
#define AROUND 5000

#define LISTENERS 64
#define RCVBUF (4 << 20)
#define BATCH 7680
#define BATCH_MSECS 20
/* Exits that the reader of the shared memory sleeps for, and ms until it looks anyway */
#define READ_AT_ONCE 10
#define READ_MSECS 100
#define USER 70001
#define OF_USER 16

#define MAX_ROWS 128
#define WORST 10

/* Sections that begin and end in the same functions */
struct row {
	unsigned long longest;
	unsigned long times;
	char kind[8];
	char from[64];
	char to[64];
};

static struct row rows[MAX_ROWS];
static int nr_rows;

static bool same(const struct row *a, const struct row *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->from, b->from) &&
	       !strcmp(a->to, b->to);
}

static void add_row(const struct row *row)
{
	int i;

	for (i = 0; i < nr_rows && !same(&rows[i], row); i++)
		;
	if (i == MAX_ROWS)
		abort();
	if (i == nr_rows)
		rows[nr_rows++] = *row;
	else
		rows[i].times += row->times;
	if (row->longest > rows[i].longest)
		rows[i].longest = row->longest;
}

/* The names of functions are followed by that of their module. */
static bool parse_row(char *line, struct row *row)
{
	char *to;

	*row = (struct row){ 0 };
	if (sscanf(line, "%lu %lu %7s %63[^\t]\t%63[^\n]", &row->longest,
		   &row->times, row->kind, row->from, row->to) < 4)
		return false;
	to = strstr(row->from, " [taskacct]");
	if (to)
		*to = '\0';
	to = strstr(row->to, " [taskacct]");
	if (to)
		*to = '\0';
	return true;
}

/* Returns how long the longest was, since it was measured from anew. */
static unsigned long read_rows(struct __test_metadata *_metadata)
{
	static char text[8192];
	char *line, *rest = text;
	unsigned long longest = 0;
	struct row row;

	EXPECT_LE(0, sys_read(PARAMETERS "worst", text, sizeof(text)));
	while ((line = strsep(&rest, "\n"))) {
		if (!parse_row(line, &row))
			continue;
		add_row(&row);
		if (row.longest > longest)
			longest = row.longest;
	}
	EXPECT_LE(0, sys_read(PARAMETERS "full", text, sizeof(text)));
	EXPECT_EQ(0, atoi(text));
	return longest;
}

static void measure(struct __test_metadata *_metadata, const char *sections)
{
	ASSERT_EQ(0, sys_write(PARAMETERS "sections", sections));
}

static void forget_rows(void)
{
	nr_rows = 0;
}

static int by_length(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->longest < y->longest) - (x->longest > y->longest);
}

static void print_rows(struct __test_metadata *_metadata)
{
	int i;

	qsort(rows, nr_rows, sizeof(rows[0]), by_length);
	for (i = 0; i < nr_rows; i++)
		TH_LOG("%6lu %8lu %-7s %s .. %s", rows[i].longest, rows[i].times,
		       rows[i].kind, rows[i].from, rows[i].to);
}

static unsigned long times_of(const char *kind)
{
	unsigned long n = 0;
	int i;

	for (i = 0; i < nr_rows; i++)
		if (!strcmp(rows[i].kind, kind))
			n += rows[i].times;
	return n;
}

/**
 * struct load - all that keeps the module at work
 * @threads: of the one process that has many
 * @processes: how many have lost a thread
 * @users: of these
 * @rounds: how often each thing is done
 */
struct load {
	unsigned int threads;
	unsigned int processes;
	unsigned int users;
	int rounds;
};

FIXTURE(latency) {
	struct acct_sock s;
	struct acct_sock listeners[LISTENERS];
	struct throng *throng;
	struct work throng_work;
	struct work multitude;
	struct work reader;
	bool found;
	bool able;
};

FIXTURE_SETUP(latency)
{
	struct rlimit files = { 1024, 1024 };

	self->found = sys_in_vm() && sys_module_loaded() && module_read();
	if (!self->found)
		return;
	ASSERT_EQ(0, module_remove());
	self->able = !module_run("modprobe", "latency");
	if (!self->able)
		return;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, sys_write(PAGES_KEPT, FEW_PAGES));
	ASSERT_EQ(0, sys_write(PARAMETERS "functions", FUNCTIONS));
}

FIXTURE_TEARDOWN(latency)
{
	if (!self->found)
		return;
	if (sys_module_loaded()) {
		EXPECT_EQ(0, module_remove());
	}
	if (self->able) {
		EXPECT_EQ(0, module_run("rmmod", "latency"));
	}
	EXPECT_EQ(0, module_insert(NULL));
}

#define NEED_LATENCY() do {						\
	NEED_LOADED(self->found);					\
	if (!self->able && !sys_file_has("/proc/version", "taskacct-latency")) \
		SKIP(return, "the kernel does not tell of sections: -k latency -i"); \
	ASSERT_TRUE(self->able);					\
} while (0)

static void start(struct __test_metadata *_metadata, FIXTURE_DATA(latency) *self,
		  const struct load *load)
{
	static struct multitude many;

	many = (struct multitude){ load->processes, load->users, USER };
	ASSERT_EQ(0, throng_make_room(load->threads + load->processes));
	self->throng = throng_new(load->threads);
	ASSERT_EQ(0, work_start(&self->throng_work, throng_lead, self->throng));
	ASSERT_EQ('r', work_hear(&self->throng_work));
	ASSERT_EQ(0, work_start(&self->multitude, multitude_lead, &many));
	ASSERT_EQ('.', work_hear(&self->multitude));
	ASSERT_EQ(0, acct_open(&self->s));
}

/* Are there as many of each as the test is about? */
static void expect_all_there(struct __test_metadata *_metadata,
			     FIXTURE_DATA(latency) *self,
			     const struct load *load)
{
	struct acct_stat st;

	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	TH_LOG("%u groups, %u users, %u listeners, hook %s", st.groups, st.uids,
	       st.listeners, st.hook);
	EXPECT_LE(load->processes, st.groups);
	EXPECT_LE(load->users, st.uids);
	EXPECT_EQ(LISTENERS, st.listeners);
}

enum kind { CLASSIC, EXTENDED, BATCHED, OF_USERS, KINDS };

static const char *const kind_names[KINDS] = {
	"classic", "extended", "batched", "of users",
};

/* Those of users hear their own tasks, and look at all. */
static int listen_as(struct acct_sock *l, enum kind kind, int i)
{
	const uint32_t all = EXT_NAMES | TASKACCT_WANT_RECORD |
			     TASKACCT_WANT_STREAM;
	const int size = RCVBUF;
	char mask[16];
	int err;

	snprintf(mask, sizeof(mask), "0-%d", sys_cpus_possible() - 1);
	if (kind == CLASSIC)
		return acct_listen(l, mask, RCVBUF);
	if (kind == EXTENDED)
		return ext_listen(l, all, NULL, RCVBUF);
	if (kind == OF_USERS && seteuid(USER + i / OF_USER))
		return -errno;
	err = acct_open(l);
	if (kind == OF_USERS && !err) {
		err = acct_register(l, mask);
	} else if (!err) {
		setsockopt(l->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
			   sizeof(size));
		err = ext_register_batched(l, mask, all, BATCH, BATCH_MSECS);
	}
	return seteuid(0) ? -errno : err;
}

/* Reads the shared memory, where entries have all that they can have. */
static int read_exits(int fd, void *arg)
{
	const struct taskacct_ring_options all = {
		.want = EXT_NAMES | TASKACCT_RING_MEMORY | TASKACCT_RING_WAITS,
	};
	struct pollfd orders = { .fd = fd, .events = POLLIN };
	struct taskacct_ring_exit exit;
	struct taskacct_ring *ring;
	unsigned long n = 0;

	(void)arg;
	if (taskacct_ring_open(&ring, &all))
		return 1;
	work_send(fd, '.');
	while (!poll(&orders, 1, 0)) {
		taskacct_ring_wait(ring, READ_AT_ONCE, READ_MSECS);
		while (taskacct_ring_next(ring, &exit) == 1)
			n++;
	}
	taskacct_ring_close(ring);
	return n ? 0 : 2;
}

static void listen_all(struct __test_metadata *_metadata,
		       FIXTURE_DATA(latency) *self, enum kind kind)
{
	int i;

	ASSERT_EQ(0, work_start(&self->reader, read_exits, NULL));
	ASSERT_EQ('.', work_hear(&self->reader));
	for (i = 0; i < LISTENERS; i++) {
		ASSERT_EQ(0, listen_as(&self->listeners[i], kind, i)) {
			TH_LOG("%s %d: %s", kind_names[kind], i,
			       self->listeners[i].extack);
		}
	}
}

/* One of two takes its leave, the other closes. */
static void close_all(struct __test_metadata *_metadata,
		      FIXTURE_DATA(latency) *self)
{
	struct acct_stat st;
	char mask[16];
	int i;

	snprintf(mask, sizeof(mask), "0-%d", sys_cpus_possible() - 1);
	for (i = 0; i < LISTENERS; i++) {
		if (i % 2)
			acct_deregister(&self->listeners[i], mask);
		acct_close(&self->listeners[i]);
	}
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_EQ(0, st.listeners);
	EXPECT_EQ(0, work_wait(&self->reader));
}

static void tell(struct __test_metadata *_metadata, struct work *w, char order)
{
	ASSERT_EQ(0, work_tell(w, order));
	ASSERT_EQ('.', work_hear(w));
}

static void ignore(const struct ext_message *m, void *arg)
{
	(void)m;
	++*(unsigned long *)arg;
}

static void query_cgroup(struct __test_metadata *_metadata, struct acct_sock *s)
{
	int fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_CGROUP_GET, 0);

	ASSERT_LE(0, fd);
	nla_put_u32(msg, CGROUPSTATS_CMD_ATTR_FD, fd);
	EXPECT_EQ(0, acct_transact(s, msg, NULL, NULL));
	close(fd);
}

static void read_file(struct __test_metadata *_metadata, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	static char text[1 << 16];

	ASSERT_LE(0, fd) TH_LOG("%s", path);
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

/* All that a reader can ask */
static void ask_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(latency) *self, const struct load *load)
{
	static struct acct_listener list[LISTENERS];
	static struct uid_total totals[8192];
	unsigned long dumped = 0;
	struct ext_message m;
	struct taskstats st;

	EXPECT_EQ(0, acct_query_tgid(&self->s, self->throng_work.pid, &st));
	EXPECT_EQ(0, acct_query_pid(&self->s, self->throng_work.pid, &st));
	EXPECT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_TGID,
			       self->throng_work.pid,
			       TASKACCT_WANT_RECORD | EXT_NAMES, &m));
	EXPECT_EQ(0, ext_dump(&self->s, EXT_BARE, NULL, ignore, &dumped));
	EXPECT_LT(load->processes, dumped);
	EXPECT_LE((int)load->users, uid_dump(&self->s, totals, 8192));
	EXPECT_EQ(LISTENERS, acct_listener_dump(&self->s, list, LISTENERS));
	query_cgroup(_metadata, &self->s);
	read_file(_metadata, UID_STATS);
	read_file(_metadata, UID_CPU);
	read_file(_metadata, "/proc/taskacct/stat");
}

/* What exits, executes, and comes and goes */
static void do_all(struct __test_metadata *_metadata, FIXTURE_DATA(latency) *self,
		   const struct load *load)
{
	struct acct_sock l;
	int i;

	for (i = 0; i < load->rounds; i++) {
		tell(_metadata, &self->throng_work, 'x');
		EXPECT_LT(0, work_exit_process(0));
		EXPECT_LT(0, work_exit_pair());
		EXPECT_EQ(0, module_run("true", ""));
		ASSERT_EQ(0, ext_listen(&l, EXT_STREAM, NULL, 0));
		acct_close(&l);
	}
	EXPECT_EQ(0, sys_write(CPUTIME, "off"));
	EXPECT_EQ(0, sys_write(CPUTIME, "full"));
	EXPECT_LT(0, uid_write(UID_REMOVE, "70001-70100", 11));
}

static void work_with(struct __test_metadata *_metadata,
		      FIXTURE_DATA(latency) *self, const struct load *load,
		      enum kind kind, const char *sections)
{
	measure(_metadata, sections);
	listen_all(_metadata, self, kind);
	expect_all_there(_metadata, self, load);
	tell(_metadata, &self->throng_work, 'v');
	tell(_metadata, &self->throng_work, 'c');
	do_all(_metadata, self, load);
	ask_all(_metadata, self, load);
	tell(_metadata, &self->throng_work, 's');
	close_all(_metadata, self);
	measure(_metadata, "off");
	TH_LOG("%s, %s: %lu", kind_names[kind], sections, read_rows(_metadata));
}

/* The process of many threads ends, then the many processes. */
static void end_all(struct __test_metadata *_metadata, FIXTURE_DATA(latency) *self,
		enum kind kind, const char *sections)
{
	measure(_metadata, sections);
	listen_all(_metadata, self, kind);
	EXPECT_EQ(0, work_wait(&self->throng_work));
	close_all(_metadata, self);
	/* All of them are there when it comes anew, and when they end. */
	acct_close(&self->s);
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert(LOADED));
	EXPECT_EQ(0, work_wait(&self->multitude));
	measure(_metadata, "off");
	TH_LOG("at the end, %s: %lu", sections, read_rows(_metadata));
}

/* A section that is as long as it is told to be is seen so. */
TEST_F(latency, seen)
{
	char text[16];
	int i;

	NEED_LATENCY();
	snprintf(text, sizeof(text), "%d", SPIN);
	measure(_metadata, "both");
	ASSERT_EQ(0, sys_write(PARAMETERS "spin", text));
	measure(_metadata, "off");
	forget_rows();
	read_rows(_metadata);
	print_rows(_metadata);
	ASSERT_EQ(2, nr_rows);
	for (i = 0; i < nr_rows; i++) {
		EXPECT_LE(SPIN, rows[i].longest);
		EXPECT_GE(SPIN + AROUND, rows[i].longest);
		EXPECT_NE(NULL, strstr(rows[i].from, "set_spin"));
	}
	EXPECT_EQ(1, times_of("preempt"));
	EXPECT_EQ(1, times_of("irqs"));
}

/* A function that is watched and is not there is told of, not passed over. */
TEST_F(latency, unknown)
{
	NEED_LATENCY();
	ASSERT_EQ(0, sys_write(PARAMETERS "functions", FUNCTIONS " no_such_function"));
	EXPECT_EQ(-ENOENT, module_insert(LOADED));
	EXPECT_FALSE(sys_module_loaded());
}

/* Whatever runs with either off is measured: nothing does so that is not in a section
 * of the module's own, or in one of the functions that are watched.
 */
TEST_F(latency, complete)
{
	const struct load load = { 100, 100, 10, 10 };
	char text[4096];
	enum kind kind;

	NEED_LATENCY();
	ASSERT_EQ(0, sys_write(PARAMETERS "strays", "1"));
	ASSERT_EQ(0, module_insert(LOADED));
	start(_metadata, self, &load);
	for (kind = 0; kind < KINDS; kind++)
		work_with(_metadata, self, &load, kind, "both");
	end_all(_metadata, self, EXTENDED, "both");
	ASSERT_LE(0, sys_read(PARAMETERS "strayed", text, sizeof(text)));
	EXPECT_STREQ("", text);
}

/* R8: no section is longer than LONGEST instructions with 25,000 threads of a process,
 * 5,000 users, 100,000 processes that have lost a thread, 64 listeners of each kind in
 * turn and a reader of the shared memory, while tasks exit and everything is asked that
 * can be
 */
TEST_F_TIMEOUT(latency, longest, 12000)
{
	const struct load load = {
		sys_quick(25000), sys_quick(100000), sys_quick(5000), 20
	};
	enum kind kind;

	NEED_LATENCY();
	ASSERT_EQ(0, module_insert(LOADED));
	start(_metadata, self, &load);
	forget_rows();
	for (kind = 0; kind < KINDS; kind++) {
		work_with(_metadata, self, &load, kind, "preempt");
		work_with(_metadata, self, &load, kind, "irqs");
	}
	end_all(_metadata, self, EXTENDED, "preempt");
	print_rows(_metadata);
	ASSERT_LT(WORST, nr_rows);
	EXPECT_GE(LONGEST, rows[0].longest);
	/* There were many of each. */
	EXPECT_LT(load.threads, times_of("preempt"));
	EXPECT_LT(load.rounds, times_of("irqs"));
	EXPECT_LT(load.threads, times_of("call"));
}

TEST_HARNESS_MAIN
