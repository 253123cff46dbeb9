// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing a log
 *
 * Packets gather in stdio's buffer and are flushed in whole. Where a write
 * fails, what of the last flush reached the file is counted and kept as far
 * as it is whole, and nothing more is written.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "handle.h"
#include "log.h"
#include "taskacct_log.h"

/**
 * struct taskacct_log - see taskacct.h
 * @pcap: says of which kind the file is
 * @dumper: libpcap's writer
 * @fd: the file, locked; negative for what is no regular file
 * @synced: length of the file at the last flush
 * @pending: messages since then
 * @written: messages that were flushed
 * @durable: of these, known to be on the disk
 * @err: errno of the first failure, negative
 * @path: its name
 * @packet: a packet in the making
 * @error: last failure in words
 */
struct taskacct_log {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	int fd;
	off_t synced;
	uint64_t pending;
	uint64_t written;
	uint64_t durable;
	int err;
	char *path;
	uint8_t packet[TA_LOG_SNAPLEN];
	char error[TA_ERROR_MAX];
};

static int fail(struct taskacct_log *log, int err, const char *words)
{
	log->err = err;
	return ta_fail(log->error, sizeof(log->error), err, words, "%s",
		       log->path);
}

/* Libpcap begins its words with the path, as fail() does. */
static int fail_pcap(struct taskacct_log *log)
{
	const char *words = pcap_geterr(log->pcap);
	const size_t n = strlen(log->path);

	if (!strncmp(words, log->path, n) && !strncmp(words + n, ": ", 2))
		words += n + 2;
	return fail(log, errno ? -errno : -EBADMSG, words);
}

/* Goes through what is there: is it a log, and where does it end? */
static int check_old(struct taskacct_log *log, struct taskacct_torn *torn)
{
	struct taskacct_reader *reader;
	struct taskacct_event event;
	struct taskacct_torn end;
	int err;

	err = taskacct_reader_open(&reader, log->path);
	if (!reader)
		return fail(log, err, NULL);
	/* A file is in one order. */
	if (!err && ta_reader_is_swapped(reader)) {
		taskacct_reader_close(reader);
		return fail(log, -EBADMSG, "log of the other byte order");
	}
	if (!err)
		do {
			err = taskacct_reader_next(reader, &event);
		} while (err > 0);
	if (err) {
		log->err = err;
		memcpy(log->error, taskacct_reader_error(reader),
		       sizeof(log->error));
	} else {
		taskacct_reader_torn(reader, &end);
		*torn = end;
	}
	taskacct_reader_close(reader);
	return err;
}

/* A disk that is gone cannot be cut; its end reads as torn. */
static void cut(struct taskacct_log *log, off_t length)
{
	if (!ftruncate(log->fd, length))
		log->synced = length;
}

static int open_old(struct taskacct_log *log, struct taskacct_torn *torn)
{
	int err;

	if (flock(log->fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ?
			       fail(log, -EBUSY,
				    "somebody else is writing there") :
			       fail(log, -errno, NULL);
	err = check_old(log, torn);
	if (err)
		return err;
	/* The beginning of a header: libpcap would not know it. */
	if (!torn->offset && torn->bytes && ftruncate(log->fd, 0))
		return fail(log, -errno, NULL);
	errno = 0;
	log->dumper = pcap_dump_open_append(log->pcap, log->path);
	if (!log->dumper) {
		err = fail_pcap(log);
		/* There may be part of a new log's header. */
		if (!torn->offset)
			cut(log, 0);
		return err;
	}
	/* It is a log such as ours, and not only one that can be read. */
	if (torn->offset && torn->bytes &&
	    ftruncate(log->fd, (off_t)torn->offset))
		return fail(log, -errno, NULL);
	return 0;
}

/* What every log has, whatever it is written to */
static int prepare(struct taskacct_log *log, const char *name)
{
	const unsigned int nano = PCAP_TSTAMP_PRECISION_NANO;

	log->fd = -1;
	log->path = strdup(name);
	log->pcap = pcap_open_dead_with_tstamp_precision(DLT_NETLINK,
							 TA_LOG_SNAPLEN, nano);
	if (log->path && log->pcap)
		return 0;
	return ta_fail(log->error, sizeof(log->error), -ENOMEM, NULL, "log");
}

static int open_file(struct taskacct_log *log, struct taskacct_torn *torn)
{
	struct stat st;

	/* A pipe is opened once: its reader would take twice for the end. */
	if (!stat(log->path, &st) && !S_ISREG(st.st_mode)) {
		errno = 0;
		log->dumper = pcap_dump_open(log->pcap, log->path);
		return 0;
	}
	log->fd =
		open(log->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
	if (log->fd < 0)
		return fail(log, -errno, NULL);
	return open_old(log, torn);
}

int taskacct_log_open(struct taskacct_log **handle, const char *path,
		      struct taskacct_torn *torn)
{
	struct taskacct_log *log = calloc(1, sizeof(*log));
	int err;

	memset(torn, 0, sizeof(*torn));
	*handle = log;
	if (!log)
		return -ENOMEM;
	err = prepare(log, path);
	if (err)
		return err;
	errno = 0;
	if (strcmp(path, "-"))
		err = open_file(log, torn);
	else
		log->dumper = pcap_dump_open(log->pcap, path);
	if (err)
		return err;
	if (!log->dumper)
		return fail_pcap(log);
	/* Libpcap leaves it to a command that is run. */
	fcntl(fileno(pcap_dump_file(log->dumper)), F_SETFD, FD_CLOEXEC);
	return taskacct_log_flush(log);
}

int taskacct_log_open_stream(struct taskacct_log **handle, FILE *file,
			     const char *name)
{
	struct taskacct_log *log = calloc(1, sizeof(*log));
	int err;

	*handle = log;
	if (!log) {
		fclose(file);
		return -ENOMEM;
	}
	err = prepare(log, name);
	if (err) {
		fclose(file);
		return err;
	}
	errno = 0;
	log->dumper = pcap_dump_fopen(log->pcap, file);
	return log->dumper ? taskacct_log_flush(log) : fail_pcap(log);
}

static off_t length(const struct taskacct_log *log)
{
	struct stat st;

	return log->fd >= 0 && !fstat(log->fd, &st) ? st.st_size : log->synced;
}

/* How long the packet at an offset is, 0 if it is not whole */
static off_t packet_length(const struct taskacct_log *log, off_t at, off_t size)
{
	struct {
		uint32_t pcap[TA_LOG_PACKET_HEADER / sizeof(uint32_t)];
		struct ta_cooked cooked;
	} header;

	_Static_assert(sizeof(header) == TA_LOG_PACKET_HEADER + 16, "padding");
	if (pread(log->fd, &header, sizeof(header), at) != sizeof(header) ||
	    header.pcap[2] != header.pcap[3] ||
	    header.cooked.arphrd != htons(TA_LOG_ARPHRD) ||
	    at + TA_LOG_PACKET_HEADER + (off_t)header.pcap[2] > size)
		return 0;
	return TA_LOG_PACKET_HEADER + (off_t)header.pcap[2];
}

/* After a failed write: keeps what is whole, and nothing of what is not */
static void settle(struct taskacct_log *log)
{
	const off_t size = length(log);
	off_t at = log->synced, n;

	__fpurge(pcap_dump_file(log->dumper));
	if (log->fd < 0)
		return;
	for (; log->pending; log->pending--, log->written++, at += n) {
		n = packet_length(log, at, size);
		if (!n)
			break;
	}
	cut(log, at);
}

int taskacct_log_flush(struct taskacct_log *log)
{
	FILE *file;

	if (log->err)
		return log->err;
	file = pcap_dump_file(log->dumper);
	if (!fflush(file) && !ferror(file)) {
		log->written += log->pending;
		log->pending = 0;
		log->synced = length(log);
		return 0;
	}
	fail(log, errno ? -errno : -EIO, NULL);
	settle(log);
	return log->err;
}

static int put(struct taskacct_log *log, const struct nlmsghdr *nlh,
	       uint64_t time_ns)
{
	const struct ta_cooked cooked = {
		.arphrd = htons(TA_LOG_ARPHRD),
		.protocol = htons(NETLINK_GENERIC),
	};
	struct pcap_pkthdr header = {
		.ts.tv_sec = (time_t)(time_ns / 1000000000),
		.ts.tv_usec = (suseconds_t)(time_ns % 1000000000),
		.caplen = (uint32_t)sizeof(cooked) + nlh->nlmsg_len,
		.len = (uint32_t)sizeof(cooked) + nlh->nlmsg_len,
	};

	if (header.caplen > sizeof(log->packet))
		return -EMSGSIZE;
	memcpy(log->packet, &cooked, sizeof(cooked));
	memcpy(log->packet + sizeof(cooked), nlh, nlh->nlmsg_len);
	pcap_dump((uint8_t *)log->dumper, &header, log->packet);
	return 0;
}

int taskacct_log_begin(struct taskacct_log *log, const struct nlmsghdr *family)
{
	int err;

	if (log->err)
		return log->err;
	err = put(log, family, ta_now_ns());
	return err ? fail(log, err, NULL) : taskacct_log_flush(log);
}

int taskacct_log_message(struct taskacct_log *log, const struct nlmsghdr *nlh,
			 uint64_t time_ns)
{
	int err;

	if (log->err)
		return log->err;
	errno = 0;
	err = put(log, nlh, time_ns);
	if (err)
		return fail(log, err, NULL);
	log->pending++;
	/* The buffer was written in between, and that did not work. */
	if (ferror(pcap_dump_file(log->dumper)))
		return taskacct_log_flush(log);
	return 0;
}

int taskacct_log_note(struct taskacct_log *log, const char *text)
{
	const size_t length = strlen(text);
	struct nlmsghdr *nlh;
	int err;

	if (log->err)
		return log->err;
	nlh = calloc(1, NLMSG_SPACE(length));
	if (!nlh)
		return fail(log, -ENOMEM, NULL);
	nlh->nlmsg_len = (uint32_t)NLMSG_LENGTH(length);
	nlh->nlmsg_type = NLMSG_NOOP;
	memcpy(NLMSG_DATA(nlh), text, length);
	err = put(log, nlh, ta_now_ns());
	free(nlh);
	return err ? fail(log, err, NULL) : 0;
}

uint64_t taskacct_log_written(const struct taskacct_log *log)
{
	return log->written;
}

int taskacct_log_fd(const struct taskacct_log *log)
{
	return log->fd;
}

int taskacct_log_synced(struct taskacct_log *log, uint64_t written, int err)
{
	if (!err) {
		log->durable = written;
	} else if (!log->err) {
		fail(log, err, NULL);
		__fpurge(pcap_dump_file(log->dumper));
		log->pending = 0;
		log->written = log->durable;
	}
	return log->err;
}

const char *taskacct_log_error(const struct taskacct_log *log)
{
	return log->error;
}

int taskacct_log_close(struct taskacct_log *log)
{
	int err;

	if (!log)
		return 0;
	err = log->dumper ? taskacct_log_flush(log) : log->err;
	if (log->dumper)
		pcap_dump_close(log->dumper);
	if (log->pcap)
		pcap_close(log->pcap);
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	free(log);
	return err;
}
