// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a segment
 *
 * The library writes its log into a stream, whose bytes are compressed into memory
 * here. That cannot fail. What a full disk does not take stays there and is tried
 * again, so that the frame has no hole.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/message.h"
#include "segment.h"
#include "taskacct_log.h"

/* A window of 1 MiB holds some thousand messages, and keeps memory small. */
#define LEVEL 3
#define WINDOW_LOG 20

/**
 * struct segment - see segment.h
 * @fd: the file
 * @log: what is compressed
 * @z: the compressor
 * @pending: what waits to be written
 * @n: bytes of it
 * @room: bytes that it has room for
 * @inside: bytes that the compressor has taken and may not have given back, at most
 * @stuck: what waits could not be written since the last flush
 * @written: bytes in the file
 */
struct segment {
	int fd;
	struct taskacct_log *log;
	ZSTD_CCtx *z;
	uint8_t *pending;
	size_t n;
	size_t room;
	size_t inside;
	bool stuck;
	uint64_t written;
};

/* Room for what the compressor has to say next */
static void make_room(struct segment *s)
{
	const size_t step = ZSTD_CStreamOutSize();

	if (s->room - s->n >= step)
		return;
	s->room = s->n + 2 * step;
	s->pending = realloc(s->pending, s->room);
	if (!s->pending)
		die(STATUS_REFUSED, "out of memory");
}

static void compress(struct segment *s, const char *data, size_t size,
		     ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { data, size, 0 };
	const size_t before = s->n;
	ZSTD_outBuffer out;
	size_t left;

	do {
		make_room(s);
		out = (ZSTD_outBuffer){ s->pending, s->room, s->n };
		left = ZSTD_compressStream2(s->z, &out, &in, how);
		if (ZSTD_isError(left))
			die(STATUS_REFUSED, "zstd: %s", ZSTD_getErrorName(left));
		s->n = out.pos;
	} while (how == ZSTD_e_continue ? in.pos < in.size : left > 0);
	/* It gives back all that it had taken before, and then no more for a while. */
	s->inside = s->n > before ? size : s->inside + size;
}

static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
	compress(cookie, data, size, ZSTD_e_continue);
	return (ssize_t)size;
}

static int open_log(struct segment *s, const char *name,
		    const struct nlmsghdr *begin)
{
	const cookie_io_functions_t functions = { .write = stream_write };
	FILE *file;
	int err;

	s->z = ZSTD_createCCtx();
	file = s->z ? fopencookie(s, "w", functions) : NULL;
	if (!file)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(s->z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(s->z, ZSTD_c_windowLog, WINDOW_LOG);
	ZSTD_CCtx_setParameter(s->z, ZSTD_c_checksumFlag, 1);
	err = taskacct_log_open_stream(&s->log, file, name);
	return err || !begin ? err : taskacct_log_begin(s->log, begin);
}

static int open_file(struct segment *s, int dir, const char *name)
{
	s->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->fd < 0)
		return -errno;
	if (flock(s->fd, LOCK_EX | LOCK_NB) || fsync(dir))
		return -errno;
	return 0;
}

static void free_segment(struct segment *s)
{
	taskacct_log_close(s->log);
	ZSTD_freeCCtx(s->z);
	if (s->fd >= 0)
		close(s->fd);
	free(s->pending);
	free(s);
}

int segment_open(struct segment **segment, int dir, const char *name,
		 const struct nlmsghdr *begin)
{
	struct segment *s = alloc(1, sizeof(*s));
	int err;

	err = open_file(s, dir, name);
	if (!err)
		err = open_log(s, name, begin);
	if (err) {
		if (s->fd >= 0)
			unlinkat(dir, name, 0);
		free_segment(s);
		s = NULL;
	}
	*segment = s;
	return err;
}

/* What a disk takes of it in part goes on from there. */
static int write_pending(struct segment *s)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < s->n) {
		n = write(s->fd, s->pending + done, s->n - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	s->written += done;
	s->n -= done;
	memmove(s->pending, s->pending + done, s->n);
	return !s->n ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* Much may come between two flushes: it is written then, and is not on the disk yet. */
bool segment_has_room(struct segment *s)
{
	if (s->n > SEGMENT_PENDING && !s->stuck)
		s->stuck = write_pending(s);
	return s->n <= SEGMENT_PENDING;
}

int segment_add(struct segment *s, const struct taskacct_event *event)
{
	if (!segment_has_room(s))
		return -ENOSPC;
	return taskacct_log_message(s->log, event->nlh, event->time_ns);
}

/* It is compressed into memory, which cannot fail. */
void segment_note(struct segment *s, const char *text)
{
	taskacct_log_note(s->log, text);
}

static int write_and_sync(struct segment *s)
{
	const int err = write_pending(s);

	if (err)
		return err == -EIO ? -ENOSPC : err;
	/* Having failed once it tells of no failure again. */
	return fdatasync(s->fd) ? -EIO : 0;
}

int segment_flush(struct segment *s, const char *place, const char *balance)
{
	/* What waits for a full disk grows no more. */
	const int err = s->n > SEGMENT_PENDING ? write_pending(s) : 0;

	s->stuck = err;
	if (err)
		return err;
	if (place)
		taskacct_log_note(s->log, place);
	taskacct_log_note(s->log, balance);
	taskacct_log_flush(s->log);
	compress(s, NULL, 0, ZSTD_e_flush);
	return write_and_sync(s);
}

static void add_trailer(struct segment *s, const char *balance)
{
	char text[SEGMENT_TRAILER];
	const uint32_t length =
		(uint32_t)snprintf(text, sizeof(text), "\n%s\n", balance);
	const uint32_t head[2] = { htole32(SEGMENT_MAGIC), htole32(length) };

	s->room = s->n + sizeof(head) + length;
	s->pending = realloc(s->pending, s->room);
	if (!s->pending)
		die(STATUS_REFUSED, "out of memory");
	memcpy(s->pending + s->n, head, sizeof(head));
	memcpy(s->pending + s->n + sizeof(head), text, length);
	s->n = s->room;
}

int segment_end(struct segment *s, const char *balance)
{
	int err = 0;

	if (balance) {
		taskacct_log_note(s->log, balance);
		taskacct_log_flush(s->log);
		compress(s, NULL, 0, ZSTD_e_end);
		add_trailer(s, balance);
		err = write_and_sync(s);
	}
	free_segment(s);
	return err;
}

bool segment_is_full(struct segment *s, uint64_t limit)
{
	if (s->written + s->n + s->inside < limit)
		return false;
	if (s->inside)
		compress(s, NULL, 0, ZSTD_e_flush);
	return s->written + s->n >= limit;
}

bool segment_is_gone(const struct segment *s)
{
	struct stat st;

	return !fstat(s->fd, &st) && !st.st_nlink;
}
