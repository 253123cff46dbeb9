// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpacking by a thread that writes into a pipe, so that memory is bounded
 * however long a log is
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "message.h"
#include "unpack.h"

#define BLOCK 65536

#define ZSTD_MAGIC UINT32_C(0xfd2fb528)
#define GZIP_MAGIC 0x8b1f

struct unpack {
	pthread_t thread;
	int from;
	int to;
	int out;
	char path[32];
	const char *wrong;
	uint8_t in[BLOCK];
	size_t n;
	uint8_t block[BLOCK];
};

static ssize_t read_all(int fd, uint8_t *data, size_t size)
{
	size_t n = 0;
	ssize_t got;

	while (n < size) {
		got = read(fd, data + n, size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* False where nobody reads any more */
static bool pass_on(const struct unpack *u, const uint8_t *data, size_t size)
{
	ssize_t done;

	while (size) {
		done = write(u->to, data, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		data += done;
		size -= (size_t)done;
	}
	return true;
}

static bool refill(struct unpack *u)
{
	ssize_t n = read_all(u->from, u->in, sizeof(u->in));

	if (n < 0)
		u->wrong = "cannot be read";
	u->n = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static void copy_plain(struct unpack *u)
{
	do {
		if (!pass_on(u, u->in, u->n))
			return;
	} while (refill(u));
}

static void unpack_zstd(struct unpack *u)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { u->in, u->n, 0 };
	ZSTD_outBuffer out;
	size_t left = 1;

	while (stream && (in.pos < in.size || refill(u))) {
		if (in.pos == in.size)
			in = (ZSTD_inBuffer){ u->in, u->n, 0 };
		do {
			out = (ZSTD_outBuffer){ u->block, BLOCK, 0 };
			left = ZSTD_decompressStream(stream, &out, &in);
			if (ZSTD_isError(left) ||
			    !pass_on(u, u->block, out.pos)) {
				u->wrong = ZSTD_isError(left) ?
						   "its zstd frame is damaged" :
						   u->wrong;
				ZSTD_freeDStream(stream);
				return;
			}
		} while (in.pos < in.size || out.pos == out.size);
	}
	ZSTD_freeDStream(stream);
	if (left && !u->wrong)
		u->wrong = "its zstd frame has no end";
}

/* One call of inflate() until there is no more; Z_STREAM_END, or an error */
static int inflate_some(struct unpack *u, z_stream *z)
{
	int status;

	do {
		z->next_out = u->block;
		z->avail_out = BLOCK;
		status = inflate(z, Z_NO_FLUSH);
		if (status == Z_BUF_ERROR)
			return Z_OK;
		if (status != Z_OK && status != Z_STREAM_END)
			return Z_DATA_ERROR;
		if (!pass_on(u, u->block, BLOCK - z->avail_out))
			return Z_ERRNO;
		if (status == Z_STREAM_END && z->avail_in)
			inflateReset(z);
	} while (z->avail_in || !z->avail_out);
	return status;
}

static void unpack_gzip(struct unpack *u)
{
	z_stream z = { .next_in = u->in, .avail_in = (unsigned int)u->n };
	int status = Z_OK;

	/* 16: gzip's header and no other */
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return;
	do {
		z.next_in = u->in;
		z.avail_in = (unsigned int)u->n;
		if (status == Z_STREAM_END)
			inflateReset(&z);
		status = inflate_some(u, &z);
	} while ((status == Z_OK || status == Z_STREAM_END) && refill(u));
	inflateEnd(&z);
	if (status == Z_DATA_ERROR)
		u->wrong = "its gzip data is damaged";
	else if (status == Z_OK && !u->wrong)
		u->wrong = "its gzip data has no end";
}

/* Of a file's first bytes, in whatever order this machine has numbers */
static bool is_zstd(uint32_t magic)
{
	return le32toh(magic) == ZSTD_MAGIC;
}

static bool is_gzip(uint32_t magic)
{
	return (le32toh(magic) & 0xffff) == GZIP_MAGIC;
}

static void *run(void *arg)
{
	struct unpack *u = arg;
	uint32_t magic = 0;
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	if (refill(u)) {
		memcpy(&magic, u->in, u->n < 4 ? u->n : 4);
		if (is_zstd(magic))
			unpack_zstd(u);
		else if (is_gzip(magic))
			unpack_gzip(u);
		else
			copy_plain(u);
	}
	close(u->from);
	close(u->to);
	return NULL;
}

bool unpack_needed(int fd)
{
	uint32_t magic;

	if (pread(fd, &magic, sizeof(magic), 0) == sizeof(magic))
		return is_zstd(magic) || is_gzip(magic);
	return errno == ESPIPE;
}

struct unpack *unpack_start(int fd)
{
	struct unpack *u = alloc(1, sizeof(*u));
	int pipe[2];

	if (pipe2(pipe, O_CLOEXEC))
		die(STATUS_REFUSED, "pipe: %s", strerror(errno));
	u->from = fd;
	u->out = pipe[0];
	u->to = pipe[1];
	snprintf(u->path, sizeof(u->path), "/dev/fd/%d", u->out);
	if (pthread_create(&u->thread, NULL, run, u))
		die(STATUS_REFUSED, "no thread to unpack a log");
	return u;
}

const char *unpack_path(const struct unpack *unpack)
{
	return unpack->path;
}

const char *unpack_end(struct unpack *unpack)
{
	const char *wrong;

	close(unpack->out);
	pthread_join(unpack->thread, NULL);
	wrong = unpack->wrong;
	free(unpack);
	return wrong;
}
