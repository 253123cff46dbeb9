// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log: reading what may be torn or hostile, and going on with it.
 *
 * The input's first two bytes say where the file is cut the second time, the
 * rest is the file. A walker of our own says what a reader has to find.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/msg.h>

#include "handle.h"
#include "input.h"
#include "log.h"
#include "log_swap.h"
#include "taskacct_log.h"

#define EVENTS_MAX 1024

/**
 * struct found - what there is in a file
 * @n: messages of the family
 * @at: where each of them begins
 * @end: and where its packet ends
 * @good: length of what is whole
 * @damaged: packets before the last message that are none
 */
struct found {
	size_t n;
	size_t at[EVENTS_MAX];
	size_t end[EVENTS_MAX];
	size_t good;
	uint64_t damaged;
};

static const uint8_t our_header[TA_LOG_FILE_HEADER] = {
	0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0,	  0, 0, 0,
	0,    0,    0,	  0,	0, 0, 4, 0, 0xfd, 0, 0, 0,
};

/* Two of its words, zone and accuracy, mean nothing to anybody. */
static bool is_log(const uint8_t *data, size_t size)
{
	return size >= TA_LOG_FILE_HEADER && !memcmp(data, our_header, 8) &&
	       !memcmp(data + 16, our_header + 16, TA_LOG_FILE_HEADER - 16);
}

static int file = -1;
static char path[32];

static void write_file(const uint8_t *data, size_t size)
{
	if (file < 0) {
		file = memfd_create("log", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	}
	assert(!ftruncate(file, 0));
	assert(pwrite(file, data, size, 0) == (ssize_t)size);
}

static size_t file_size(void)
{
	struct stat st;

	assert(!fstat(file, &st));
	return (size_t)st.st_size;
}

static bool file_is(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	bool same;

	assert(copy);
	same = pread(file, copy, size + 1, 0) == (ssize_t)size &&
	       (!size || !memcmp(copy, data, size));
	free(copy);
	return same;
}

static uint32_t u32_at(const uint8_t *data)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

/* Where a packet's message is, aligned, or NULL if it is none; to be freed */
static struct nlmsghdr *message_of(const uint8_t *packet)
{
	const uint32_t caplen = u32_at(packet + 8);
	struct nlmsghdr *nlh;
	uint16_t arphrd;

	if (caplen != u32_at(packet + 12) || caplen < 32)
		return NULL;
	memcpy(&arphrd, packet + TA_LOG_PACKET_HEADER + 2, sizeof(arphrd));
	nlh = input_copy(packet + 32, caplen - 16);
	if (ntohs(arphrd) == TA_LOG_ARPHRD && nlh->nlmsg_len >= 16 &&
	    nlh->nlmsg_len <= caplen - 16)
		return nlh;
	free(nlh);
	return NULL;
}

static bool is_ours(const struct nlmsghdr *nlh, uint16_t family)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	return family && nlh->nlmsg_type == family &&
	       nlh->nlmsg_len >= NLMSG_HDRLEN + GENL_HDRLEN &&
	       (genl->cmd == TASKACCT_CMD_NEW ||
		genl->cmd == TASKACCT_CMD_EXIT ||
		genl->cmd == TASKACCT_CMD_TASK_GET ||
		genl->cmd == TASKACCT_CMD_GAP);
}

/* Whether a packet begins as we write them, with a message in it */
static bool is_head(const uint8_t *data, size_t size, size_t at)
{
	static const uint8_t zeros[10];
	uint32_t caplen, length;
	uint16_t arphrd;

	if (size - at < 36)
		return false;
	caplen = u32_at(data + at + 8);
	length = u32_at(data + at + 32);
	memcpy(&arphrd, data + at + TA_LOG_PACKET_HEADER + 2, sizeof(arphrd));
	return caplen == u32_at(data + at + 12) && caplen >= 32 &&
	       caplen <= TA_LOG_SNAPLEN && ntohs(arphrd) == TA_LOG_ARPHRD &&
	       !memcmp(data + at + 20, zeros, sizeof(zeros)) && length >= 16 &&
	       length <= caplen - 16;
}

/* Where the packet ends that begins here, 0 if that is not in the file */
static size_t end_of(const uint8_t *data, size_t size, size_t at)
{
	if (size - at < TA_LOG_PACKET_HEADER ||
	    u32_at(data + at + 8) > TA_LOG_SNAPLEN ||
	    u32_at(data + at + 8) > size - at - TA_LOG_PACKET_HEADER)
		return 0;
	return at + TA_LOG_PACKET_HEADER + u32_at(data + at + 8);
}

/*
 * Where to go on behind a packet that is none: at its end if it may be that
 * long, else at the next that is whole, or nowhere, which is 0. Nor is there
 * anything behind part of one.
 */
static size_t next_of(const uint8_t *data, size_t size, size_t at)
{
	const size_t end = end_of(data, size, at);

	if (end && u32_at(data + at + 8) == u32_at(data + at + 12) &&
	    u32_at(data + at + 8) >= 32)
		return end;
	if (!end && is_head(data, size, at))
		return 0;
	while (++at < size)
		if (is_head(data, size, at) && end_of(data, size, at))
			return at;
	return 0;
}

/* The file's header is ours. */
static void walk(struct found *found, const uint8_t *data, size_t size)
{
	struct ta_family family = { .id = 0 };
	size_t at, next, bad = 0;
	struct nlmsghdr *nlh;

	memset(found, 0, sizeof(*found));
	found->good = TA_LOG_FILE_HEADER;
	for (at = found->good; at && at < size; at = next) {
		next = end_of(data, size, at);
		nlh = next ? message_of(data + at) : NULL;
		if (!nlh) {
			next = next_of(data, size, at);
			bad++;
			continue;
		}
		found->good = next;
		found->damaged += bad;
		bad = 0;
		if (!ta_family_parse(&family, nlh) &&
		    is_ours(nlh, family.id) && found->n < EVENTS_MAX) {
			found->at[found->n] = at + 32;
			found->end[found->n++] = next;
		}
		free(nlh);
	}
}

/* All of it is there. */
static void take_note(const struct taskacct_name *text, void *arg)
{
	void *copy = malloc(text->length + 1);

	(void)arg;
	assert(copy);
	memcpy(copy, text->text, text->length);
	free(copy);
}

/* Reads the file; returns how many messages of the family, or an error */
static int read_file(struct taskacct_torn *torn, const uint8_t *data,
		     const struct found *found)
{
	struct taskacct_message message;
	struct taskacct_gap gap;
	struct taskacct_reader *reader;
	struct taskacct_event event;
	int err, n = 0;

	memset(torn, 0, sizeof(*torn));
	err = taskacct_reader_open(&reader, path);
	assert(reader);
	taskacct_reader_set_note(reader, take_note, NULL);
	while (!err && (err = taskacct_reader_next(reader, &event)) == 1) {
		taskacct_decode_message(&message, event.nlh);
		taskacct_decode_gap(&gap, event.nlh);
		if (found) {
			assert((size_t)n < found->n);
			assert(!memcmp(event.nlh, data + found->at[n],
				       event.nlh->nlmsg_len));
		}
		err = 0;
		n++;
	}
	if (err) {
		assert(err < 0 && *taskacct_reader_error(reader));
		n = err;
	} else {
		taskacct_reader_torn(reader, torn);
		assert(torn->offset <= file_size() &&
		       torn->offset + torn->bytes == file_size());
		if (found)
			assert(taskacct_reader_damaged(reader) ==
			       found->damaged);
	}
	taskacct_reader_close(reader);
	return n;
}

/* Everything before a cut is there, and nothing that was not before. */
static void check_cut(const uint8_t *data, const struct found *found,
		      size_t cut)
{
	struct taskacct_torn torn;
	struct found rest;
	size_t n = 0;

	walk(&rest, data, cut);
	while (n < found->n && found->end[n] <= cut)
		n++;
	write_file(data, cut);
	assert(rest.n >= n);
	assert(read_file(&torn, data, &rest) == (int)rest.n);
	assert(torn.offset == rest.good);
	if (n)
		assert(torn.offset >= found->end[n - 1]);
}

/* A log can be gone on with, from where it is whole. */
static void check_append(const uint8_t *data, size_t size, size_t good,
			 const struct found *found)
{
	struct taskacct_torn torn;
	struct taskacct_log *log;

	assert(!taskacct_log_open(&log, path, &torn));
	assert(torn.bytes == size - good && (good || !torn.offset));
	assert(!taskacct_log_close(log));
	assert(file_size() == (good ? good : TA_LOG_FILE_HEADER));
	if (good)
		assert(file_is(data, good));
	assert(read_file(&torn, data, found) == (found ? (int)found->n : 0));
	assert(!torn.bytes);
}

static bool is_stub(const uint8_t *data, size_t size)
{
	size_t i;

	if (size < TA_LOG_FILE_HEADER &&
	    !memcmp(data, our_header, size))
		return true;
	for (i = 0; i < size; i++)
		if (data[i])
			return false;
	return true;
}

static void try_log(const uint8_t *data, size_t size, size_t cut)
{
	struct taskacct_torn torn;
	struct found found;

	walk(&found, data, size);
	assert(read_file(&torn, data, &found) == (int)found.n);
	assert(torn.offset == found.good);
	check_append(data, size, found.good, &found);
	cut = TA_LOG_FILE_HEADER + cut % (size - TA_LOG_FILE_HEADER + 1);
	check_cut(data, &found, cut);
}

/* What is no log of ours may be read, if it can be; it is never changed. */
static void try_other(const uint8_t *data, size_t size)
{
	struct taskacct_torn torn;
	struct taskacct_log *log;

	read_file(&torn, data, NULL);
	assert(taskacct_log_open(&log, path, &torn));
	assert(*taskacct_log_error(log));
	taskacct_log_close(log);
	assert(file_is(data, size));
}

/* Turn numbers round, one behind the other, each of so many bytes. */
static void turn(uint8_t *data, const char *sizes)
{
	for (; *sizes; sizes++) {
		ta_swap(data, (size_t)(*sizes - '0'));
		data += *sizes - '0';
	}
}

/*
 * The same from a machine of the other byte order, as far as packets and the headers of
 * messages go: all that their attributes may have in them is looked into.
 */
static void try_turned(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	size_t at, next;

	assert(copy);
	memcpy(copy, data, size);
	turn(copy, "4224444");
	for (at = TA_LOG_FILE_HEADER; at && at < size; at = next) {
		next = end_of(data, size, at);
		if (size - at >= TA_LOG_PACKET_HEADER)
			turn(copy + at, "4444");
		if (next >= at + 48)
			turn(copy + at + 32, "42244");
	}
	write_file(copy, size);
	try_other(copy, size);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	const size_t cut = input_u16(&in);
	struct taskacct_torn torn;

	write_file(in.data, in.left);
	if (is_log(in.data, in.left)) {
		try_log(in.data, in.left, cut);
		try_turned(in.data, in.left);
	} else if (is_stub(in.data, in.left)) {
		assert(!read_file(&torn, in.data, NULL));
		check_append(in.data, in.left, 0, NULL);
	} else {
		try_other(in.data, in.left);
	}
	return 0;
}
