// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log, without a kernel: written, read back, torn, gone on with, on a
 * full disk, and what is no log
 */
#include <arpa/inet.h>
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "kselftest_harness.h"
#include "logs.h"

#define NANOSECONDS 0xa1b23c4d
#define MICROSECONDS 0xa1b2c3d4

/* Of a pcap file, by whichever machine runs this */
struct file_header {
	uint32_t magic;
	uint16_t major;
	uint16_t minor;
	uint32_t zone;
	uint32_t accuracy;
	uint32_t snaplen;
	uint32_t link;
};

/* Two numbers of 16 bits that are in this order in memory */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PAIR(first, second) ((uint32_t)(first) << 16 | (second))
#else
#define PAIR(first, second) ((uint32_t)(second) << 16 | (first))
#endif

FIXTURE(log)
{
	char dir[64];
	char path[96];
	struct taskacct_torn torn;
};

FIXTURE_SETUP(log)
{
	strcpy(self->dir, "/tmp/log_test.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/log", self->dir);
}

FIXTURE_TEARDOWN(log)
{
	unlink(self->path);
	rmdir(self->dir);
}

/* A log of so many messages, as one session leaves it */
static bool make_log(FIXTURE_DATA(log) *self, uint32_t n)
{
	struct taskacct_log *log;

	if (taskacct_log_open(&log, self->path, &self->torn) ||
	    log_begin(log, "TASKACCT", FAMILY) || log_put(log, FAMILY, 0, n) ||
	    taskacct_log_flush(log) || taskacct_log_written(log) != n)
		return false;
	return !taskacct_log_close(log);
}

TEST_F(log, is_read_back)
{
	struct log_content result;

	ASSERT_TRUE(make_log(self, 100));
	EXPECT_EQ(0, self->torn.bytes);
	result = log_read(self->path);
	EXPECT_EQ(0, result.err);
	EXPECT_EQ(100, result.n);
	EXPECT_TRUE(result.in_order);
	EXPECT_FALSE(result.torn);
	EXPECT_EQ(0, result.damaged);
	EXPECT_STREQ("TASKACCT", result.family);
}

TEST_F(log, is_for_its_owner_only)
{
	struct stat st;

	ASSERT_TRUE(make_log(self, 1));
	ASSERT_EQ(0, stat(self->path, &st));
	EXPECT_EQ(0600, st.st_mode & 0777);
}

TEST_F(log, is_gone_on_with_by_a_family_of_another_number)
{
	struct taskacct_log *log;
	struct log_content result;

	ASSERT_TRUE(make_log(self, 10));
	ASSERT_EQ(0, taskacct_log_open(&log, self->path, &self->torn));
	EXPECT_EQ(0, self->torn.bytes);
	ASSERT_EQ(0, log_begin(log, "TASKSTATS", FAMILY + 1));
	ASSERT_EQ(0, log_put(log, FAMILY + 1, 10, 20));
	/* Of a family that nobody introduced */
	ASSERT_EQ(0, log_put(log, FAMILY, 90, 91));
	ASSERT_EQ(0, taskacct_log_close(log));
	result = log_read(self->path);
	EXPECT_EQ(20, result.n);
	EXPECT_TRUE(result.in_order);
	EXPECT_STREQ("TASKSTATS", result.family);
}

TEST_F(log, is_a_pcap_file_of_netlink_messages)
{
	uint32_t header[6], packet[4];
	uint16_t cooked[8];
	FILE *file;

	ASSERT_TRUE(make_log(self, 1));
	file = fopen(self->path, "rb");
	ASSERT_NE(NULL, file);
	ASSERT_EQ(1, fread(header, sizeof(header), 1, file));
	ASSERT_EQ(1, fread(packet, sizeof(packet), 1, file));
	ASSERT_EQ(1, fread(cooked, sizeof(cooked), 1, file));
	EXPECT_EQ(0xa1b23c4d, header[0]);
	EXPECT_EQ(253, header[5]);
	EXPECT_EQ(packet[2], packet[3]);
	EXPECT_EQ(824, ntohs(cooked[1]));
	EXPECT_EQ(NETLINK_GENERIC, ntohs(cooked[7]));
	fclose(file);
}

/* Cut at every length, from the end of the first message to the whole file */
TEST_F(log, torn_anywhere_is_recognised_and_cut_off)
{
	struct taskacct_log *log;
	off_t whole, one, size;
	struct log_content result;
	uint32_t kept;
	char *data;
	int fd;

	ASSERT_TRUE(make_log(self, 1));
	one = log_size(self->path);
	unlink(self->path);
	ASSERT_TRUE(make_log(self, 3));
	whole = log_size(self->path);
	data = malloc((size_t)whole);
	fd = open(self->path, O_RDWR);
	ASSERT_EQ(whole, read(fd, data, (size_t)whole));

	for (size = one; size < whole; size++) {
		ASSERT_EQ(whole, pwrite(fd, data, (size_t)whole, 0));
		ASSERT_EQ(0, ftruncate(fd, size));
		kept = size < one + (whole - one) / 2 ? 1 : 2;
		result = log_read(self->path);
		ASSERT_EQ(0, result.err);
		ASSERT_EQ(kept, result.n);
		ASSERT_TRUE(result.in_order);
		ASSERT_EQ(one + (kept - 1) * (whole - one) / 2,
			  (off_t)result.end.offset);
		ASSERT_EQ(size - (off_t)result.end.offset,
			  (off_t)result.end.bytes);
		ASSERT_EQ(result.end.bytes > 0, result.torn);

		ASSERT_EQ(0, taskacct_log_open(&log, self->path, &self->torn));
		ASSERT_EQ(result.end.offset, self->torn.offset);
		ASSERT_EQ(result.end.bytes, self->torn.bytes);
		ASSERT_EQ(0, log_put(log, FAMILY, kept, 4));
		ASSERT_EQ(0, taskacct_log_close(log));
		result = log_read(self->path);
		ASSERT_EQ(4, result.n);
		ASSERT_TRUE(result.in_order);
		ASSERT_FALSE(result.torn);
	}
	close(fd);
	free(data);
}

TEST_F(log, a_tail_of_zeros_is_torn)
{
	static const char zeros[5000];
	static const size_t lengths[] = { 1, 15, 16, 17, 32, 4096, 5000 };
	struct log_content result;
	off_t whole;
	size_t i;

	ASSERT_TRUE(make_log(self, 3));
	whole = log_size(self->path);
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		log_append(self->path, zeros, lengths[i]);
		result = log_read(self->path);
		EXPECT_EQ(0, result.err);
		EXPECT_EQ(3, result.n);
		EXPECT_TRUE(result.torn);
		EXPECT_EQ(whole, (off_t)result.end.offset);
		EXPECT_EQ(lengths[i], result.end.bytes);
		EXPECT_EQ(0, result.damaged);
		ASSERT_EQ(0, truncate(self->path, whole));
	}
}

/* The file system grew the file, and the data never came. */
TEST_F(log, a_last_packet_of_zeros_is_torn)
{
	off_t before, whole;
	struct log_content result;

	ASSERT_TRUE(make_log(self, 2));
	before = log_size(self->path);
	unlink(self->path);
	ASSERT_TRUE(make_log(self, 3));
	whole = log_size(self->path);
	ASSERT_EQ(0, truncate(self->path, before + 16));
	ASSERT_EQ(0, truncate(self->path, whole));
	result = log_read(self->path);
	EXPECT_EQ(2, result.n);
	EXPECT_TRUE(result.torn);
	EXPECT_EQ(before, (off_t)result.end.offset);
}

/* Writes over the length of the message that begins at an offset */
static void set_length(const char *path, off_t packet, uint32_t length)
{
	int fd = open(path, O_RDWR);

	if (pwrite(fd, &length, sizeof(length), packet + PACKET_HEADER) !=
	    sizeof(length))
		abort();
	close(fd);
}

TEST_F(log, damage_in_the_middle_is_skipped_and_counted)
{
	static const uint32_t wrong[] = { 0, 7, 15, 600, 1u << 31 };
	struct log_content result;
	off_t one, two;
	size_t i;

	ASSERT_TRUE(make_log(self, 1));
	one = log_size(self->path);
	unlink(self->path);
	ASSERT_TRUE(make_log(self, 2));
	two = log_size(self->path);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		/* At the end it is torn; with a message behind it, it is not. */
		unlink(self->path);
		ASSERT_TRUE(make_log(self, 2));
		set_length(self->path, one, wrong[i]);
		result = log_read(self->path);
		EXPECT_EQ(1, result.n);
		EXPECT_TRUE(result.torn);
		EXPECT_EQ(two - one, (off_t)result.end.bytes);

		unlink(self->path);
		ASSERT_TRUE(make_log(self, 3));
		set_length(self->path, one, wrong[i]);
		result = log_read(self->path);
		EXPECT_EQ(2, result.n);
		EXPECT_FALSE(result.torn);
		EXPECT_EQ(1, result.damaged);
	}
}

TEST_F(log, that_got_no_further_than_its_header_is_empty)
{
	static const char zeros[100];
	char header[FILE_HEADER];
	struct log_content result;
	size_t n;
	int fd;

	ASSERT_TRUE(make_log(self, 0));
	fd = open(self->path, O_RDONLY);
	ASSERT_EQ(FILE_HEADER, read(fd, header, FILE_HEADER));
	close(fd);
	for (n = 0; n < FILE_HEADER + 50; n++) {
		unlink(self->path);
		log_append(self->path, n < FILE_HEADER ? header : zeros, n);
		result = log_read(self->path);
		ASSERT_EQ(0, result.err);
		ASSERT_EQ(0, result.n);
		ASSERT_EQ(n > 0 && n != FILE_HEADER + 50, result.torn);
		ASSERT_TRUE(make_log(self, 2));
		ASSERT_EQ(n, self->torn.bytes);
		ASSERT_EQ(2, log_read(self->path).n);
	}
}

TEST_F(log, what_is_no_log_is_refused_and_left_alone)
{
	static const struct {
		const char *data;
		size_t n;
	} files[] = {
		{ "root:x:0:0\n", 11 },
		{ "X", 1 },
		{ "a text that is longer than the header of a log\n", 47 },
		/* Zeros, and then somebody's data */
		{ "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x", 26 },
		/* pcap with microseconds, version 2.4, and of another link */
		{ "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0",
		  24 },
		/* with nanoseconds, but of another link */
		{ "\x4d\x3c\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0",
		  24 },
		/* shorter than a header, and like the beginning of none */
		{ "\0\0\0\0not zeros", 13 },
		{ "\x4d\x3c\xb2\xa1 other", 10 },
		{ "\x4d\x3c\0\0\2\0\4\0", 8 },
	};
	struct taskacct_log *log;
	char data[64];
	size_t i;
	int fd;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		unlink(self->path);
		log_append(self->path, files[i].data, files[i].n);
		EXPECT_EQ(-EBADMSG, log_read(self->path).err);
		EXPECT_EQ(-EBADMSG,
			  taskacct_log_open(&log, self->path, &self->torn));
		EXPECT_NE(NULL, strstr(taskacct_log_error(log), "log"));
		EXPECT_EQ(-EBADMSG, taskacct_log_close(log));
		fd = open(self->path, O_RDONLY);
		EXPECT_EQ((ssize_t)files[i].n, read(fd, data, sizeof(data)));
		EXPECT_EQ(0, memcmp(data, files[i].data, files[i].n));
		close(fd);
	}
	EXPECT_EQ(-EISDIR, log_read(self->dir).err);
	unlink(self->path);
	EXPECT_EQ(-ENOENT, log_read(self->path).err);
}

/* From a machine of the other byte order: to be read, not to be gone on with */
TEST_F(log, of_the_other_byte_order_is_read_only)
{
	const struct file_header header = {
		bswap_32(NANOSECONDS), bswap_16(2), bswap_16(4), 0, 0,
		bswap_32(0x40000), bswap_32(253),
	};
	struct taskacct_log *log;
	char data[64];
	int fd;

	log_append(self->path, &header, FILE_HEADER);
	EXPECT_EQ(0, log_read(self->path).err);
	EXPECT_EQ(-EBADMSG, taskacct_log_open(&log, self->path, &self->torn));
	EXPECT_NE(NULL, strstr(taskacct_log_error(log), "byte order"));
	EXPECT_EQ(-EBADMSG, taskacct_log_close(log));
	fd = open(self->path, O_RDONLY);
	EXPECT_EQ(FILE_HEADER, read(fd, data, sizeof(data)));
	EXPECT_EQ(0, memcmp(data, &header, FILE_HEADER));
	close(fd);
}

/* As tcpdump writes one of /dev/nlmon: to be read, not to be gone on with */
TEST_F(log, with_microseconds_is_read_only)
{
	const struct file_header header = {
		MICROSECONDS, 2, 4, 0, 0, 0x40000, 253,
	};
	struct taskacct_log *log;

	log_append(self->path, &header, FILE_HEADER);
	EXPECT_EQ(0, log_read(self->path).err);
	EXPECT_EQ(-EBADMSG,
		  taskacct_log_open(&log, self->path, &self->torn));
	EXPECT_NE(NULL, strstr(taskacct_log_error(log), "precision"));
	taskacct_log_close(log);
	EXPECT_EQ(FILE_HEADER, log_size(self->path));
}

/* A capture that can be read, and that is torn, is cut by nobody: of another
 * precision, of another length of packets
 */
TEST_F(log, torn_and_not_ours_is_left_alone)
{
	static const struct file_header headers[] = {
		{ MICROSECONDS, 2, 4, 0, 0, 0x40000, 253 },
		{ NANOSECONDS, 2, 4, 0, 0, 0x100, 253 },
	};
	struct taskacct_log *log;
	size_t i;

	for (i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		unlink(self->path);
		log_append(self->path, &headers[i], FILE_HEADER);
		log_append(self->path, "torn", 4);
		EXPECT_EQ(0, log_read(self->path).err);
		EXPECT_EQ(-EBADMSG,
			  taskacct_log_open(&log, self->path, &self->torn));
		taskacct_log_close(log);
		EXPECT_EQ(FILE_HEADER + 4, log_size(self->path));
	}
}

/* As Wireshark writes one: with other headers, and a block behind the last
 * packet
 */
TEST_F(log, as_pcapng_is_read_only)
{
	const uint32_t blocks[] = {
		0x0a0d0d0a, 28, 0x1a2b3c4d, PAIR(1, 0), UINT32_MAX, UINT32_MAX, 28,
		1, 20, PAIR(253, 0), 0x40000, 20,
		6, 64, 0, 0, 0, 32, 32,
		PAIR(0, htons(824)), 0, 0, PAIR(0, htons(16)), 16, PAIR(16, 0),
		0, 0, 64,
		5, 24, 0, 0, 0, 24,
	};
	struct taskacct_log *log;
	struct log_content result;

	log_append(self->path, blocks, sizeof(blocks));
	result = log_read(self->path);
	EXPECT_EQ(0, result.err);
	EXPECT_EQ(0, result.damaged);
	EXPECT_FALSE(result.torn);
	EXPECT_EQ(-EBADMSG,
		  taskacct_log_open(&log, self->path, &self->torn));
	taskacct_log_close(log);
	EXPECT_EQ(sizeof(blocks), log_size(self->path));
}

TEST_F(log, has_one_writer_and_a_reader_knows_of_it)
{
	struct taskacct_log *one, *two;
	struct log_content result;
	off_t whole;

	ASSERT_EQ(0, taskacct_log_open(&one, self->path, &self->torn));
	ASSERT_EQ(0, log_begin(one, "TASKACCT", FAMILY));
	ASSERT_EQ(0, log_put(one, FAMILY, 0, 2));
	ASSERT_EQ(0, taskacct_log_flush(one));
	whole = log_size(self->path);
	EXPECT_EQ(-EBUSY, taskacct_log_open(&two, self->path, &self->torn));
	EXPECT_NE(NULL, strstr(taskacct_log_error(two), "writing"));
	taskacct_log_close(two);

	/* Half a message, by a writer that is not done: the end is not torn. */
	log_append(self->path, "\1\2\3", 3);
	result = log_read(self->path);
	EXPECT_EQ(2, result.n);
	EXPECT_FALSE(result.torn);
	ASSERT_EQ(0, truncate(self->path, whole));
	EXPECT_EQ(0, taskacct_log_close(one));
}

TEST_F(log, reaches_the_file_at_flush)
{
	struct taskacct_log *log;

	ASSERT_EQ(0, taskacct_log_open(&log, self->path, &self->torn));
	ASSERT_EQ(0, log_begin(log, "TASKACCT", FAMILY));
	ASSERT_EQ(0, log_put(log, FAMILY, 0, 3));
	EXPECT_EQ(0, taskacct_log_written(log));
	EXPECT_EQ(0, log_read(self->path).n);
	ASSERT_EQ(0, taskacct_log_flush(log));
	EXPECT_EQ(3, taskacct_log_written(log));
	EXPECT_EQ(3, log_read(self->path).n);
	EXPECT_EQ(0, taskacct_log_close(log));
}

/* A limit to the file's size fails a write in the middle, as a full disk. */
TEST_F(log, full_at_any_point_keeps_what_is_whole)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY }, limit = none;
	struct taskacct_log *log;
	struct log_content result;
	uint64_t written;
	int err, again;

	signal(SIGXFSZ, SIG_IGN);
	for (limit.rlim_cur = 1; limit.rlim_cur < 20000;
	     limit.rlim_cur += 333) {
		unlink(self->path);
		setrlimit(RLIMIT_FSIZE, &limit);
		err = taskacct_log_open(&log, self->path, &self->torn);
		if (!err)
			err = log_begin(log, "TASKACCT", FAMILY);
		if (!err)
			err = log_put(log, FAMILY, 0, 100);
		if (!err)
			err = taskacct_log_flush(log);
		/* What the harness prints may go to a file as well. */
		setrlimit(RLIMIT_FSIZE, &none);
		EXPECT_EQ(-EFBIG, err);
		/* There is room again, but this log takes no more. */
		again = log_put(log, FAMILY, 100, 101);
		EXPECT_EQ(-EFBIG, again);
		written = taskacct_log_written(log);
		EXPECT_EQ(-EFBIG, taskacct_log_close(log));
		result = log_read(self->path);
		EXPECT_EQ(0, result.err);
		EXPECT_EQ(written, result.n);
		EXPECT_TRUE(result.in_order);
		EXPECT_FALSE(result.torn);
		/* Nothing was thrown away that would have fit. */
		EXPECT_GT(600, (long)limit.rlim_cur - log_size(self->path));
	}
}

/* A disk that went away takes writes until somebody asks it to keep them. */
TEST_F(log, not_on_the_disk_is_not_written)
{
	struct taskacct_log *log;

	ASSERT_EQ(0, taskacct_log_open(&log, self->path, &self->torn));
	ASSERT_EQ(0, log_begin(log, "TASKACCT", FAMILY));
	ASSERT_EQ(0, log_put(log, FAMILY, 0, 5));
	ASSERT_EQ(0, taskacct_log_flush(log));
	ASSERT_EQ(0, fdatasync(taskacct_log_fd(log)));
	EXPECT_EQ(0, taskacct_log_synced(log, 5, 0));
	ASSERT_EQ(0, log_put(log, FAMILY, 5, 8));
	ASSERT_EQ(0, taskacct_log_flush(log));
	EXPECT_EQ(8, taskacct_log_written(log));
	EXPECT_EQ(-EIO, taskacct_log_synced(log, 8, -EIO));
	EXPECT_EQ(5, taskacct_log_written(log));
	EXPECT_NE(NULL, strstr(taskacct_log_error(log), "Input/output"));
	EXPECT_EQ(-EIO, log_put(log, FAMILY, 8, 9));
	EXPECT_EQ(-EIO, taskacct_log_close(log));
}

TEST_F(log, on_a_full_device_fails)
{
	struct taskacct_log *log;

	EXPECT_EQ(-ENOSPC, taskacct_log_open(&log, "/dev/full", &self->torn));
	EXPECT_NE(NULL, strstr(taskacct_log_error(log), "No space"));
	EXPECT_EQ(-ENOSPC, taskacct_log_close(log));
}

TEST_F(log, where_nobody_may_write_fails)
{
	struct taskacct_log *log;
	char path[128];
	int err;

	snprintf(path, sizeof(path), "%s/none/log", self->dir);
	EXPECT_EQ(-ENOENT, taskacct_log_open(&log, path, &self->torn));
	EXPECT_NE(NULL, strstr(taskacct_log_error(log), path));
	taskacct_log_close(log);

	if (geteuid()) {
		ASSERT_EQ(0, chmod(self->dir, 0500));
		err = -EACCES;
	} else {
		ASSERT_EQ(0, unshare(CLONE_NEWNS));
		ASSERT_EQ(0, mount("none", "/", NULL, MS_REC | MS_PRIVATE,
				   NULL));
		ASSERT_EQ(0, mount("none", self->dir, "tmpfs", MS_RDONLY,
				   NULL));
		err = -EROFS;
	}
	EXPECT_EQ(err, taskacct_log_open(&log, self->path, &self->torn));
	EXPECT_EQ(err, taskacct_log_close(log));
	if (geteuid())
		chmod(self->dir, 0700);
	else
		umount(self->dir);
}

TEST_F(log, goes_through_a_pipe)
{
	struct taskacct_log *log;
	struct log_content result;
	pid_t writer;
	int status;

	ASSERT_EQ(0, mkfifo(self->path, 0600));
	writer = fork();
	if (!writer) {
		status = taskacct_log_open(&log, self->path, &self->torn) ||
			 log_begin(log, "TASKACCT", FAMILY) ||
			 log_put(log, FAMILY, 0, 500) || taskacct_log_close(log);
		_exit(status);
	}
	result = log_read(self->path);
	ASSERT_EQ(writer, waitpid(writer, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(500, result.n);
	EXPECT_TRUE(result.in_order);
	EXPECT_FALSE(result.torn);
}

static void take_note(const struct taskacct_name *text, void *arg)
{
	char *notes = arg;

	snprintf(notes + strlen(notes), 32, "%.*s;", (int)text->length,
		 text->text);
}

/* A note is nothing to who does not ask for it, and whole to who does. */
TEST_F(log, notes)
{
	struct taskacct_reader *reader;
	struct taskacct_event event;
	struct log_content result;
	struct taskacct_log *log;
	char notes[100] = "";

	ASSERT_EQ(0, taskacct_log_open(&log, self->path, &self->torn));
	ASSERT_EQ(0, log_begin(log, "TASKACCT", FAMILY));
	ASSERT_EQ(0, log_put(log, FAMILY, 0, 1));
	ASSERT_EQ(0, taskacct_log_note(log, "one"));
	ASSERT_EQ(0, taskacct_log_note(log, ""));
	ASSERT_EQ(0, log_put(log, FAMILY, 1, 2));
	ASSERT_EQ(0, taskacct_log_note(log, "three"));
	ASSERT_EQ(0, taskacct_log_flush(log));
	EXPECT_EQ(2, taskacct_log_written(log));
	ASSERT_EQ(0, taskacct_log_close(log));
	result = log_read(self->path);
	EXPECT_EQ(2, result.n);
	EXPECT_TRUE(result.in_order);
	EXPECT_FALSE(result.torn);
	EXPECT_EQ(0, result.damaged);
	ASSERT_EQ(0, taskacct_reader_open(&reader, self->path));
	taskacct_reader_set_note(reader, take_note, notes);
	while (taskacct_reader_next(reader, &event) == 1)
		;
	taskacct_reader_close(reader);
	EXPECT_STREQ("one;;three;", notes);
}

/* Into a stream it is written as into a file. */
TEST_F(log, goes_into_a_stream)
{
	struct log_content result;
	struct taskacct_log *log;
	FILE *file;

	file = fopen(self->path, "w");
	ASSERT_NE(NULL, file);
	ASSERT_EQ(0, taskacct_log_open_stream(&log, file, "stream"));
	EXPECT_GT(0, taskacct_log_fd(log));
	ASSERT_EQ(0, log_begin(log, "TASKACCT", FAMILY));
	ASSERT_EQ(0, log_put(log, FAMILY, 0, 100));
	ASSERT_EQ(0, taskacct_log_flush(log));
	EXPECT_EQ(100, taskacct_log_written(log));
	ASSERT_EQ(0, taskacct_log_close(log));
	result = log_read(self->path);
	EXPECT_EQ(100, result.n);
	EXPECT_TRUE(result.in_order);
}

/* One that takes nothing is reported by its name. */
TEST_F(log, stream_that_is_full)
{
	struct taskacct_log *log;
	FILE *file;

	file = fopen("/dev/full", "w");
	ASSERT_NE(NULL, file);
	EXPECT_EQ(-ENOSPC, taskacct_log_open_stream(&log, file, "stream"));
	EXPECT_EQ(0, strncmp("stream: ", taskacct_log_error(log), 8));
	EXPECT_EQ(-ENOSPC, taskacct_log_note(log, "a note"));
	EXPECT_EQ(-ENOSPC, taskacct_log_close(log));
}

TEST_HARNESS_MAIN
