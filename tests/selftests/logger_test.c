// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays as a logger that ends before its time: killed, or on a full disk.
 * What its log has is what was received, to the last whole message.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "run.h"
#include "test.h"

#include "taskacct_log.h"

#define DIR "/run/logger-test"
#define LOG DIR "/log"
#define FILLER DIR "/filler"

#define DISK_KIB 64
/* Larger than a message about one task is on any kernel */
#define MESSAGE 1024

#define RCVBUF (64 << 20)
#define ROUNDS 16
#define MAX_ROUNDS (4 * ROUNDS)
#define QUIET_EXITS 20
#define STORM_EXITS 200
#define FULL_EXITS 1000
#define BATCH 50
#define MAX_HEARD (MAX_ROUNDS * (QUIET_EXITS + STORM_EXITS + 10))

/* On this CPU tasks exit: its messages have one order for all who hear it. */
#define CPU 0
#define CPU_LIST "0"

/* What a log has */
struct content {
	int n;
	bool torn;
	struct taskacct_torn end;
	uint64_t damaged;
};

FIXTURE(logger) {
	struct acct_sock s;
	struct acct_sock listener;
	struct run r;
	struct acct_exit *received;
	int n_received;
};

static int mount_disk(unsigned long flags, unsigned int kib)
{
	char options[32];

	snprintf(options, sizeof(options), "size=%uk", kib);
	return mount("logger-test", DIR, "tmpfs", flags, options);
}

FIXTURE_SETUP(logger)
{
	if (!sys_in_vm())
		return;
	mkdir(DIR, 0700);
	ASSERT_EQ(0, mount_disk(0, DISK_KIB));
	self->received = calloc(MAX_HEARD, sizeof(*self->received));
	ASSERT_NE(NULL, self->received);
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen(&self->listener, CPU_LIST, RCVBUF));
}

FIXTURE_TEARDOWN(logger)
{
	if (!sys_in_vm())
		return;
	run_free(&self->r);
	acct_close(&self->s);
	acct_close(&self->listener);
	free(self->received);
	umount(DIR);
	rmdir(DIR);
}

static int end_at_once(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

static void make_exits(struct __test_metadata *_metadata, int n)
{
	static char *stacks;
	int i;

	if (!stacks)
		stacks = work_stacks(BATCH);
	for (; n > 0; n -= BATCH) {
		for (i = 0; i < BATCH && i < n; i++) {
			ASSERT_LT(0, work_raw_process(end_at_once, NULL,
						      stacks + i * WORK_STACK));
		}
		while (i-- > 0) {
			ASSERT_LT(0, wait(NULL));
		}
	}
}

/* It runs on another CPU than the one that it hears. */
static void start_logger(struct __test_metadata *_metadata, struct run *r,
			 struct acct_sock *s)
{
	ASSERT_EQ(0, work_pin(1));
	begin(r, "-l", "-m", CPU_LIST, "-w", LOG);
	ASSERT_EQ(0, work_pin(CPU));
	/* The other one is the test's own. */
	ASSERT_EQ(0, acct_wait_listeners(s, 2));
}

/* Hears what there is to hear, the truth that the log is compared with. */
static void hear(FIXTURE_DATA(logger) *self)
{
	while (self->n_received < MAX_HEARD &&
	       !acct_next_exit(&self->listener, &self->received[self->n_received],
			       QUIET_MS))
		self->n_received++;
}

static int find_received(const FIXTURE_DATA(logger) *self, uint32_t seq)
{
	uint32_t i = seq - self->received[0].seq;

	return i < (uint32_t)self->n_received ? (int)i : -1;
}

/*
 * Reads a log: whatever it has was received, byte by byte, and in each session,
 * which begins at any message, without a gap. The last session begins behind so
 * many messages.
 */
static void read_log(struct __test_metadata *_metadata,
		     const FIXTURE_DATA(logger) *self, int before,
		     struct content *c)
{
	struct taskacct_reader *reader;
	struct taskacct_event event;
	struct acct_exit e;
	uint32_t next = 0;
	int place;

	memset(c, 0, sizeof(*c));
	ASSERT_EQ(0, taskacct_reader_open(&reader, LOG));
	while (taskacct_reader_next(reader, &event) == 1) {
		ASSERT_EQ(0, acct_parse_exit((struct nlmsghdr *)event.nlh, &e));
		place = find_received(self, e.seq);
		ASSERT_LE(0, place) TH_LOG("message %d, number %u", c->n, e.seq);
		ASSERT_EQ(0, memcmp(&self->received[place], &e, sizeof(e)));
		if (c->n > before) {
			ASSERT_EQ(next, e.seq) TH_LOG("message %d", c->n);
		}
		next = e.seq + 1;
		c->n++;
	}
	c->torn = taskacct_reader_torn(reader, &c->end);
	c->damaged = taskacct_reader_damaged(reader);
	taskacct_reader_close(reader);
}

/* The same, as a user sees it. */
static void read_as_user(struct __test_metadata *_metadata,
			 const struct content *c)
{
	char words[80];
	struct run r;

	run(&r, "-R", LOG, "--json");
	EXPECT_EQ(c->torn ? EXIT_LOG : EXIT_DONE, r.status)
		TH_LOG("it said: %s", r.err);
	EXPECT_EQ(c->n, run_lines(r.out));
	snprintf(words, sizeof(words), "read: %d messages", c->n);
	EXPECT_NE(NULL, strstr(r.err, words)) TH_LOG("it said: %s", r.err);
	snprintf(words, sizeof(words), "the end is torn: %lu bytes dropped at %lu",
		 (unsigned long)c->end.bytes, (unsigned long)c->end.offset);
	EXPECT_EQ(c->torn, !!strstr(r.err, words)) TH_LOG("it said: %s", r.err);
	run_free(&r);
}

static off_t log_length(void)
{
	struct stat st;

	return stat(LOG, &st) ? 0 : st.st_size;
}

/* Exits come while the logger stands still: it has much to do when it is let
 * go, and is killed while it does; some time later, or when it is seen to write.
 */
static void storm_and_kill(struct __test_metadata *_metadata, struct run *r,
			   unsigned int after_us)
{
	off_t before = log_length();
	int64_t end;

	ASSERT_EQ(0, kill(r->pid, SIGSTOP));
	make_exits(_metadata, STORM_EXITS);
	ASSERT_EQ(0, kill(r->pid, SIGCONT));
	usleep(after_us);
	end = sys_now_ns() + PATIENCE_MS * 1000000LL;
	while (!after_us && log_length() == before && sys_now_ns() < end)
		;
	run_stop(r, SIGKILL);
}

/* A logger is killed in the middle of a storm, many times, and each time goes
 * on with its log: what came before it fell asleep is there, and of what came
 * after that as much as was written, without a gap; the torn end is recognised,
 * cut off and reported
 */
TEST_F(logger, killed_at_any_time)
{
	const int rounds = sys_fewer(ROUNDS);
	struct content c = { 0 };
	int torn = 0;
	int before;
	int i;

	NEED_VM();
	NEED_TASKACCT();
	NEED_CPUS(2);
	ASSERT_EQ(0, mount_disk(MS_REMOUNT, 64 << 10));
	/* Which write is cut short is luck: until one was, but not for ever. */
	for (i = 0; i < rounds || (!torn && i < MAX_ROUNDS); i++) {
		before = c.n;
		start_logger(_metadata, &self->r, &self->s);
		make_exits(_metadata, QUIET_EXITS);
		ASSERT_EQ(0, work_settle(self->r.pid));
		storm_and_kill(_metadata, &self->r, i % 2 * work_luck(i, 1, 20000));
		EXPECT_EQ(-1, self->r.status);
		EXPECT_EQ(c.torn, !!strstr(self->r.err, "the end was torn"))
			TH_LOG("it said: %s", self->r.err);
		ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
		hear(self);
		read_log(_metadata, self, before, &c);
		EXPECT_LE(before + QUIET_EXITS, c.n);
		EXPECT_EQ(0, c.damaged);
		torn += c.torn;
		if (i % 6 == 1)
			read_as_user(_metadata, &c);
		run_free(&self->r);
		memset(&self->r, 0, sizeof(self->r));
	}
	TH_LOG("killed %d times, %d logs torn, %d messages kept", i, torn, c.n);
	EXPECT_LT(0, torn);
	/* Some of a storm was written, and not all of each. */
	EXPECT_LT(i * QUIET_EXITS, c.n);
	EXPECT_GT(i * (QUIET_EXITS + STORM_EXITS), c.n);
}

/* The number behind a word in what it said, or -1 */
static long said(const struct run *r, const char *word)
{
	const char *p = strstr(r->err, word);

	return p ? strtol(p + strlen(word), NULL, 10) : -1;
}

/* The disk is full in the middle of a storm: it ends by itself and says so; it
 * has written what it says it has, all that is whole and nothing else; with
 * room again it goes on
 */
TEST_F(logger, disk_full_in_a_storm)
{
	struct content c;
	int before;

	NEED_VM();
	NEED_TASKACCT();
	NEED_CPUS(2);
	start_logger(_metadata, &self->r, &self->s);
	ASSERT_EQ(0, kill(self->r.pid, SIGSTOP));
	make_exits(_metadata, FULL_EXITS);
	ASSERT_EQ(0, kill(self->r.pid, SIGCONT));
	run_finish(&self->r);
	EXPECT_EQ(EXIT_LOG, self->r.status);
	EXPECT_NE(NULL, strstr(self->r.err, LOG ": No space left on device"))
		TH_LOG("it said: %s", self->r.err);
	EXPECT_EQ(0, said(&self->r, "lost: "));
	hear(self);
	read_log(_metadata, self, 0, &c);
	EXPECT_FALSE(c.torn);
	EXPECT_LT(DISK_KIB * 1024 - MESSAGE, log_length());
	EXPECT_EQ(c.n, said(&self->r, "written: "));
	EXPECT_LE(c.n, said(&self->r, "received: "));
	read_as_user(_metadata, &c);
	run_free(&self->r);

	ASSERT_EQ(0, mount_disk(MS_REMOUNT, 4 << 10));
	before = c.n;
	start_logger(_metadata, &self->r, &self->s);
	make_exits(_metadata, QUIET_EXITS);
	run_stop(&self->r, SIGINT);
	EXPECT_EQ(EXIT_DONE, self->r.status);
	EXPECT_LE(QUIET_EXITS, said(&self->r, "written: "));
	hear(self);
	read_log(_metadata, self, before, &c);
	EXPECT_EQ(before + said(&self->r, "written: "), c.n);
}

static void fill_disk(struct __test_metadata *_metadata)
{
	int fd = open(FILLER, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	static const char page[4096];

	ASSERT_LE(0, fd);
	while (write(fd, page, sizeof(page)) > 0)
		;
	close(fd);
}

/* The disk is full before it begins: it says so instead of listening, and what
 * it has left behind is no obstacle when there is room
 */
TEST_F(logger, disk_full_from_the_start)
{
	struct content c;

	NEED_VM();
	NEED_TASKACCT();
	NEED_CPUS(2);
	fill_disk(_metadata);
	run(&self->r, "-l", "-w", LOG);
	EXPECT_EQ(EXIT_LOG, self->r.status);
	EXPECT_NE(NULL, strstr(self->r.err, LOG ": No space left on device"))
		TH_LOG("it said: %s", self->r.err);
	EXPECT_EQ(NULL, strstr(self->r.err, "listening"));
	run_free(&self->r);

	ASSERT_EQ(0, unlink(FILLER));
	start_logger(_metadata, &self->r, &self->s);
	make_exits(_metadata, QUIET_EXITS);
	run_stop(&self->r, SIGINT);
	EXPECT_EQ(EXIT_DONE, self->r.status);
	hear(self);
	read_log(_metadata, self, 0, &c);
	EXPECT_FALSE(c.torn);
	EXPECT_EQ(c.n, said(&self->r, "written: "));
	EXPECT_LE(QUIET_EXITS, c.n);
}

/* A logger that is killed on a full disk leaves what it had flushed. */
TEST_F(logger, killed_on_a_full_disk)
{
	struct content c;

	NEED_VM();
	NEED_TASKACCT();
	NEED_CPUS(2);
	start_logger(_metadata, &self->r, &self->s);
	make_exits(_metadata, QUIET_EXITS);
	ASSERT_EQ(0, work_settle(self->r.pid));
	fill_disk(_metadata);
	storm_and_kill(_metadata, &self->r, 1);
	/* It may have been faster, and have ended for want of room. */
	if (self->r.status != -1) {
		EXPECT_EQ(EXIT_LOG, self->r.status);
	}
	hear(self);
	read_log(_metadata, self, 0, &c);
	EXPECT_LE(QUIET_EXITS, c.n);
	EXPECT_EQ(0, c.damaged);
	read_as_user(_metadata, &c);
}

TEST_HARNESS_MAIN
