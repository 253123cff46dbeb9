// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs that are damaged, or that are written while they are read, without a
 * kernel: what is whole is read, what is not is counted, and nothing that is
 * whole is ever cut off
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/acct.h>

#include "kselftest_harness.h"
#include "lines.h"
#include "logs.h"
#include "run.h"

#define MANY 300

/* Of a message: headers of netlink and generic netlink */
#define MESSAGE_HEADER 20

FIXTURE(damage)
{
	char dir[64];
	char path[96];
	struct taskacct_log *log;
	struct taskacct_reader *reader;
	struct taskacct_torn torn;
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(damage)
{
	strcpy(self->dir, "/tmp/damage_test.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/log", self->dir);
	ASSERT_EQ(0, taskacct_log_open(&self->log, self->path, &self->torn));
	ASSERT_EQ(0, log_begin(self->log, "TASKACCT", FAMILY));
}

FIXTURE_TEARDOWN(damage)
{
	run_free(&self->r);
	forget(&self->l);
	unlink(self->path);
	rmdir(self->dir);
}

/* Offsets of the packets of a log, the family's first, and of its end */
static int find_packets(const char *path, off_t *at, int max)
{
	int fd = open(path, O_RDONLY), n = 0;
	uint32_t head[4];

	at[0] = FILE_HEADER;
	while (n < max - 1 && pread(fd, head, sizeof(head), at[n]) == 16) {
		at[n + 1] = at[n] + 16 + head[2];
		n++;
	}
	close(fd);
	return n;
}

static void flip(const char *path, off_t at, int bit)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	if (pread(fd, &byte, 1, at + bit / 8) != 1)
		abort();
	byte ^= 1 << bit % 8;
	if (pwrite(fd, &byte, 1, at + bit / 8) != 1)
		abort();
	close(fd);
}

/* A writer goes on with the log, and nothing of it is gone. */
static void expect_kept(struct __test_metadata *_metadata, const char *path)
{
	const off_t size = log_size(path);
	struct taskacct_torn torn;
	struct taskacct_log *log;

	ASSERT_EQ(0, taskacct_log_open(&log, path, &torn));
	EXPECT_EQ(0, torn.bytes);
	EXPECT_EQ(0, taskacct_log_close(log));
	EXPECT_EQ(size, log_size(path));
}

/* Any bit of a packet's header is flipped: one message is lost at most and counted, and
 * a writer that goes on with the log cuts nothing off.
 */
TEST_F(damage, any_bit_of_a_header)
{
	struct log_content c;
	off_t at[16];
	int bit;

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 8));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	ASSERT_EQ(9, find_packets(self->path, at, 16));
	for (bit = 0; bit < 128; bit++) {
		flip(self->path, at[4], bit);
		c = log_read(self->path);
		EXPECT_EQ(0, c.err);
		/* What tells the time may be wrong. */
		EXPECT_EQ(bit < 64 ? 8 : 7, c.n) TH_LOG("bit %d", bit);
		EXPECT_EQ(bit < 64 ? 0 : 1, c.damaged) TH_LOG("bit %d", bit);
		EXPECT_FALSE(c.torn);
		expect_kept(_metadata, self->path);
		flip(self->path, at[4], bit);
	}
	c = log_read(self->path);
	EXPECT_EQ(8, c.n);
	EXPECT_TRUE(c.in_order);
}

/* Makes what is from one offset to another zeros, or takes it out */
static void spoil(const char *path, off_t from, off_t to, bool out)
{
	off_t size = log_size(path);
	char *data = calloc(1, (size_t)size);
	int fd = open(path, O_RDWR);

	if (out) {
		if (pread(fd, data, (size_t)(size - to), to) != size - to ||
		    pwrite(fd, data, (size_t)(size - to), from) != size - to ||
		    ftruncate(fd, size - (to - from)))
			abort();
	} else if (pwrite(fd, data, (size_t)(to - from), from) != to - from) {
		abort();
	}
	close(fd);
	free(data);
}

/* Blocks that a disk has lost, or made zeros, in the middle of a large log */
TEST_F(damage, what_is_behind_it_is_read)
{
	struct log_content c;
	off_t at[MANY + 2];
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, log_put(self->log, FAMILY, 0, MANY));
		ASSERT_EQ(0, taskacct_log_close(self->log));
		ASSERT_EQ(MANY + 1, find_packets(self->path, at, MANY + 2));
		flip(self->path, at[50], 64 + 15);
		/* From the header of one into the tenth behind it */
		spoil(self->path, at[100] + 3 * i, at[110] + 200 + i, i & 1);
		c = log_read(self->path);
		EXPECT_EQ(0, c.err);
		EXPECT_EQ(MANY - 12, c.n);
		EXPECT_EQ(2, c.damaged);
		EXPECT_FALSE(c.torn);
		expect_kept(_metadata, self->path);

		unlink(self->path);
		ASSERT_EQ(0, taskacct_log_open(&self->log, self->path,
					       &self->torn));
		ASSERT_EQ(0, log_begin(self->log, "TASKACCT", FAMILY));
	}
	EXPECT_EQ(0, taskacct_log_close(self->log));
}

/* A capture with room for less than a message: libpcap cuts what it reads, and
 * then there is nothing to be found.
 */
TEST_F(damage, none_to_find_where_packets_are_cut)
{
	static const uint32_t snaplen = 100;
	struct log_content c;
	int fd;

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	fd = open(self->path, O_RDWR);
	ASSERT_EQ(4, pwrite(fd, &snaplen, 4, 16));
	close(fd);
	c = log_read(self->path);
	EXPECT_EQ(0, c.err);
	EXPECT_EQ(0, c.n);
}

/* In a capture with microseconds nothing is looked for. */
TEST_F(damage, ends_what_is_no_log_of_ours)
{
	static const char header[] =
		"\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\xfd\0\0";
	static const char zeros[8000];
	struct log_content c;

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	unlink(self->path);
	log_append(self->path, header, FILE_HEADER);
	log_append(self->path, "\0\0\0\0\0\0\0\0\xff\xff\xff\x7f", 12);
	log_append(self->path, zeros, sizeof(zeros));
	c = log_read(self->path);
	EXPECT_EQ(0, c.err);
	EXPECT_EQ(0, c.n);
	EXPECT_TRUE(c.torn);
	EXPECT_EQ(FILE_HEADER, c.end.offset);
	EXPECT_EQ(12 + sizeof(zeros), c.end.bytes);
}

/* What the library calls while it reads, so that something happens just then */
static void (*at_flock)(void);
static void (*at_fstat)(void);

static void once(void (**hook)(void))
{
	void (*run_it)(void) = *hook;

	*hook = NULL;
	if (run_it)
		run_it();
}

int flock(int fd, int operation)
{
	once(&at_flock);
	return (int)syscall(SYS_flock, fd, operation);
}

int fstat(int fd, struct stat *st)
{
	once(&at_fstat);
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* From here on the disk cannot be read; 0: all of it can */
static off_t bad_from;

/* The library's, and libpcap's */
size_t fread(void *data, size_t size, size_t n, FILE *file)
{
	size_t (*real)(void *data, size_t size, size_t n, FILE *file) =
		dlsym(RTLD_NEXT, "fread");
	const off_t at = ftello(file);

	if (!bad_from || at + (off_t)(size * n) <= bad_from)
		return real(data, size, n, file);
	n = at < bad_from ? real(data, 1, bad_from - at, file) / size : 0;
	/* To write to what can only be read is an error of the stream's. */
	fputc(0, file);
	errno = EIO;
	return n;
}

/* A writer of the test's own, who has written half of a message */
static struct {
	int fd;
	char *rest;
	size_t n;
} writer;

/* Takes the end of a log off it, which is then to come */
static void stop_within(struct __test_metadata *_metadata, const char *path,
			size_t n)
{
	off_t size = log_size(path) - (off_t)n;

	writer.fd = open(path, O_RDWR | O_APPEND);
	writer.n = n;
	writer.rest = malloc(n);
	ASSERT_EQ((ssize_t)n, pread(writer.fd, writer.rest, n, size));
	ASSERT_EQ(0, ftruncate(writer.fd, size));
	ASSERT_EQ(0, flock(writer.fd, LOCK_EX | LOCK_NB));
}

static void write_rest(void)
{
	if (write(writer.fd, writer.rest, writer.n) != (ssize_t)writer.n)
		abort();
}

static void write_rest_and_close(void)
{
	write_rest();
	close(writer.fd);
}

/* How many messages follow */
static int read_on(struct taskacct_reader *reader)
{
	struct taskacct_event event;
	int n = 0;

	while (taskacct_reader_next(reader, &event) == 1)
		n++;
	return n;
}

/* A log that grows while it is read is not torn, and has no more bytes than there are;
 * it is torn when its writer has gone.
 */
TEST_F(damage, none_where_the_log_grows)
{
	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_flush(self->log));
	ASSERT_EQ(0, taskacct_reader_open(&self->reader, self->path));
	ASSERT_EQ(0, log_put(self->log, FAMILY, 5, 50));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	stop_within(_metadata, self->path, 100);
	EXPECT_EQ(49, read_on(self->reader));
	EXPECT_FALSE(taskacct_reader_torn(self->reader, &self->torn));
	EXPECT_EQ(log_size(self->path),
		  (off_t)(self->torn.offset + self->torn.bytes));
	EXPECT_LT(self->torn.bytes, 600);
	taskacct_reader_close(self->reader);

	/* It is when its writer has gone without the rest. */
	close(writer.fd);
	ASSERT_EQ(0, taskacct_reader_open(&self->reader, self->path));
	EXPECT_EQ(49, read_on(self->reader));
	EXPECT_TRUE(taskacct_reader_torn(self->reader, &self->torn));
	taskacct_reader_close(self->reader);
	free(writer.rest);
}

/* The writer is done just before the reader looks for him. */
TEST_F(damage, none_where_the_writer_has_just_gone)
{
	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	stop_within(_metadata, self->path, 100);
	ASSERT_EQ(0, taskacct_reader_open(&self->reader, self->path));
	at_flock = write_rest_and_close;
	EXPECT_EQ(4, read_on(self->reader));
	EXPECT_EQ(NULL, at_flock);
	EXPECT_FALSE(taskacct_reader_torn(self->reader, &self->torn));
	EXPECT_EQ(0, taskacct_reader_damaged(self->reader));
	taskacct_reader_close(self->reader);
	free(writer.rest);
}

/* Half of the message is there when it is read, and all of it when the next
 * one is looked for.
 */
TEST_F(damage, none_where_the_writer_is_as_fast)
{
	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	/* One of them and half of the one before */
	stop_within(_metadata, self->path, 700);
	ASSERT_EQ(0, taskacct_reader_open(&self->reader, self->path));
	at_fstat = write_rest;
	EXPECT_EQ(5, read_on(self->reader));
	EXPECT_EQ(NULL, at_fstat);
	EXPECT_FALSE(taskacct_reader_torn(self->reader, &self->torn));
	EXPECT_EQ(0, taskacct_reader_damaged(self->reader));
	taskacct_reader_close(self->reader);
	close(writer.fd);
	free(writer.rest);
}

/* A log of which only the beginning of its header is there */
TEST_F(damage, none_where_the_log_has_just_begun)
{
	ASSERT_EQ(0, taskacct_log_close(self->log));
	stop_within(_metadata, self->path,
		    (size_t)log_size(self->path) - FILE_HEADER + 4);
	ASSERT_EQ(0, taskacct_reader_open(&self->reader, self->path));
	EXPECT_EQ(0, read_on(self->reader));
	EXPECT_FALSE(taskacct_reader_torn(self->reader, &self->torn));
	taskacct_reader_close(self->reader);
	close(writer.fd);
	free(writer.rest);
}

/* In a torn end nothing is looked for: what a task has given itself for a
 * command line is no record.
 */
TEST_F(damage, none_of_what_a_task_makes_up)
{
	struct nl_msg *msg = log_generic(FAMILY, TASKACCT_CMD_NEW);
	struct nl_msg *fake = log_exit(FAMILY, 666);
	char packet[1000] = { 0 };
	const uint32_t n = nlmsg_hdr(fake)->nlmsg_len;
	const uint32_t lengths[2] = { 16 + n, 16 + n };
	struct log_content c;
	off_t size;

	memcpy(packet + 8, lengths, sizeof(lengths));
	memcpy(packet + 18, "\x03\x38", 2);
	memcpy(packet + PACKET_HEADER, nlmsg_hdr(fake), n);
	nlmsg_free(fake);
	nla_put(msg, TASKACCT_TYPE_CMDLINE, sizeof(packet), packet);

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_flush(self->log));
	size = log_size(self->path);
	ASSERT_EQ(0, taskacct_log_message(self->log, nlmsg_hdr(msg), TIME));
	nlmsg_free(msg);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	ASSERT_EQ(0, truncate(self->path, log_size(self->path) - 1));
	c = log_read(self->path);
	EXPECT_EQ(5, c.n);
	EXPECT_TRUE(c.in_order);
	EXPECT_TRUE(c.torn);
	EXPECT_EQ(size, (off_t)c.end.offset);
}

/* Who has not come to the end cannot say what it is like. */
TEST_F(damage, is_not_reported_by_who_stops_before_it)
{
	struct taskacct_event event;

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	ASSERT_EQ(0, taskacct_reader_open(&self->reader, self->path));
	ASSERT_EQ(1, taskacct_reader_next(self->reader, &event));
	EXPECT_FALSE(taskacct_reader_torn(self->reader, &self->torn));
	EXPECT_EQ(0, self->torn.bytes);
	taskacct_reader_close(self->reader);
}

/* A disk that cannot be read within a message is no end, and is not tried again. */
TEST_F(damage, ends_where_the_disk_fails)
{
	struct log_content c;
	off_t at[MANY + 2];

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, MANY));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	ASSERT_EQ(MANY + 1, find_packets(self->path, at, MANY + 2));
	bad_from = at[11] + 100;
	c = log_read(self->path);
	bad_from = 0;
	EXPECT_EQ(-EIO, c.err);
	EXPECT_EQ(10, c.n);
	EXPECT_TRUE(c.in_order);
}

/* What reads getdelays' output goes away: an end, and no failure. */
TEST_F(damage, none_where_nobody_reads_on)
{
	char command[512];

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, MANY));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	snprintf(command, sizeof(command),
		 "cd %s && { getdelays -R log --json 2>err; echo $? >status; } | head -n 1 >out && grep -q '\"pid\":0,' out && grep -qx 0 status && ! grep torn err; status=$?; rm err out status; exit $status",
		 self->dir);
	EXPECT_EQ(0, system(command));
}

/* What is wrong within a message: its packet is whole, its record is not. */
TEST_F(damage, within_a_message_is_counted)
{
	static const off_t lengths[] = {
		MESSAGE_HEADER, /* of the nest */
		MESSAGE_HEADER + 4, /* of the id */
	};
	off_t at[8];
	size_t i;

	ASSERT_EQ(0, log_put(self->log, FAMILY, 0, 3));
	ASSERT_EQ(0, taskacct_log_close(self->log));
	ASSERT_EQ(4, find_packets(self->path, at, 8));
	for (i = 0; i < 2 * 3; i++) {
		flip(self->path, at[2] + PACKET_HEADER + lengths[i & 1],
		     i < 2 ? 2 : i < 4 ? 11 : 15);
		run_free(&self->r);
		if (i & 1)
			run(&self->r, "-R", self->path);
		else
			run(&self->r, "-R", self->path, "--json");
		expect_status(_metadata, &self->r, EXIT_LOG);
		expect_words(_metadata, &self->r, "log: 1 damaged records");
		expect_words(_metadata, &self->r, "read: 3 messages, 2 ");
		EXPECT_EQ(NULL, strstr(self->r.err, "torn"));
		flip(self->path, at[2] + PACKET_HEADER + lengths[i & 1],
		     i < 2 ? 2 : i < 4 ? 11 : 15);
	}
	/* And what is wrong with packets is in the same number. */
	flip(self->path, at[2] + PACKET_HEADER + lengths[0], 15);
	flip(self->path, at[1], 64 + 7);
	run_free(&self->r);
	run(&self->r, "-R", self->path, "--json");
	expect_status(_metadata, &self->r, EXIT_LOG);
	expect_words(_metadata, &self->r, "log: 2 damaged records");
}

static struct nl_msg *gap(const char *cpus, size_t length)
{
	struct nl_msg *msg = log_generic(FAMILY, TASKACCT_CMD_GAP);

	nla_put_u64(msg, TASKACCT_GAP_ATTR_QUEUE, 3);
	nla_put(msg, TASKACCT_GAP_ATTR_CPUMASK, (int)length, cpus);
	return msg;
}

static void put(struct taskacct_log *log, struct nl_msg *msg)
{
	if (taskacct_log_message(log, nlmsg_hdr(msg), TIME))
		abort();
	nlmsg_free(msg);
}

/* A terminal gets nothing from a log that it could obey. */
TEST_F(damage, sends_nothing_to_the_terminal)
{
	char all[255], many[3000];
	struct nl_msg *msg;
	const char *c;
	int i;

	for (i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	memset(many, '\033', sizeof(many));
	put(self->log, gap(all, sizeof(all)));
	put(self->log, gap(many, sizeof(many)));
	msg = log_generic(FAMILY, TASKACCT_CMD_GAP);
	nla_put_u32(msg, TASKACCT_GAP_ATTR_QUEUE, 3);
	put(self->log, msg);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run(&self->r, "-R", self->path);
	expect_status(_metadata, &self->r, EXIT_LOG);
	expect_words(_metadata, &self->r, "queue 3, memory 0) on CPUs ?");
	expect_words(_metadata, &self->r, "log: 1 damaged records");
	EXPECT_EQ(5, run_lines(self->r.err));
	for (c = self->r.err; *c; c++) {
		EXPECT_TRUE((unsigned char)*c >= 0x20 || *c == '\n');
		EXPECT_NE(0x7f, *c);
	}
}

/* What a process used, so far or in all */
static struct nl_msg *reported(uint32_t asker, uint16_t flags, uint64_t utime,
			       bool last)
{
	struct taskstats st = { .version = 13, .ac_flag = last ? AGROUP : 0,
				.ac_comm = "worker", .ac_utime = utime };
	struct nl_msg *msg = log_generic(FAMILY, TASKSTATS_CMD_NEW);
	struct nlattr *nest;

	nlmsg_hdr(msg)->nlmsg_pid = asker;
	nlmsg_hdr(msg)->nlmsg_flags = flags;
	nest = nla_nest_start(msg, last ? TASKSTATS_TYPE_AGGR_PID :
					  TASKSTATS_TYPE_AGGR_TGID);
	nla_put_u32(msg, last ? TASKSTATS_TYPE_PID : TASKSTATS_TYPE_TGID, 7);
	nla_put(msg, TASKSTATS_TYPE_STATS, 416, &st);
	nla_nest_end(msg, nest);
	return msg;
}

static struct nl_msg *reported_more(uint32_t asker, uint16_t flags, uint64_t utime)
{
	struct taskacct_record r = { .version = TASKACCT_RECORD_VERSION,
				     .kind = TASKACCT_KIND_PROCESS,
				     .valid = UINT32_MAX, .comm = "worker",
				     .utime = utime };
	struct nl_msg *msg = log_generic(FAMILY, TASKACCT_CMD_NEW);

	nlmsg_hdr(msg)->nlmsg_pid = asker;
	nlmsg_hdr(msg)->nlmsg_flags = flags;
	nla_put(msg, TASKACCT_TYPE_RECORD, sizeof(r), &r);
	return msg;
}

static void expect_total(struct __test_metadata *_metadata,
			 FIXTURE_DATA(damage) *self, int64_t us, int64_t count)
{
	run_free(&self->r);
	forget(&self->l);
	run_verb(&self->r, "report", "-o", "count,utime", "--json", self->path);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	/* And the total */
	ASSERT_EQ(2, self->l.n);
	EXPECT_EQ(us * 1000, number(self->l.v[0], "utime"));
	EXPECT_EQ(count, number(self->l.v[0], "count"));
}

/* Answers in a log are no ends, whether one task was asked for or all: what they tell
 * is in the exit's record too.
 */
TEST_F(damage, none_to_totals_by_answers)
{
	struct taskacct_log *log = self->log;
	int i;

	for (i = 1; i < 5; i++) {
		put(log, reported(999, 0, i * 1000, false));
		put(log, reported_more(999, 0, i * 1000000));
	}
	put(log, reported(0, 0, 5000, true));
	ASSERT_EQ(0, taskacct_log_flush(log));
	expect_total(_metadata, self, 5000, 1);
	put(log, reported_more(0, 0, 2000000));
	ASSERT_EQ(0, taskacct_log_flush(log));
	expect_total(_metadata, self, 7000, 2);
	put(log, reported_more(999, NLM_F_MULTI, 1000000));
	ASSERT_EQ(0, taskacct_log_close(log));
	expect_total(_metadata, self, 7000, 2);
	/* They are shown as ever. */
	run_free(&self->r);
	run(&self->r, "-R", self->path, "--json");
	EXPECT_EQ(11, run_lines(self->r.out));
}

TEST_HARNESS_MAIN
