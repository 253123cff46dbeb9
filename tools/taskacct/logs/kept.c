// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a segment says of itself: its last frame, or the notes in it
 */
#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unpack.h"
#include "kept.h"
#include "segment.h"
#include "store.h"
#include "taskacct_log.h"

struct last {
	struct balance *balance;
	bool found;
};

bool kept_is_segment(const char *path)
{
	const char *name = strrchr(path, '/');
	uint64_t number;

	return store_is_segment(name ? name + 1 : path, &number);
}

bool kept_closed(const char *path, struct balance *balance)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char trailer[SEGMENT_TRAILER];
	const size_t head = 2 * sizeof(uint32_t);
	struct stat st;
	uint32_t magic;
	bool whole;

	if (fd < 0)
		return false;
	whole = !fstat(fd, &st) && st.st_size > SEGMENT_TRAILER &&
		pread(fd, trailer, sizeof(trailer),
		      st.st_size - SEGMENT_TRAILER) == SEGMENT_TRAILER;
	close(fd);
	if (!whole)
		return false;
	memcpy(&magic, trailer, sizeof(magic));
	return le32toh(magic) == SEGMENT_MAGIC &&
	       balance_parse(balance, trailer + head, sizeof(trailer) - head);
}

static void take_note(const struct taskacct_name *text, void *arg)
{
	struct last *last = arg;
	struct balance balance;

	if (!balance_parse(&balance, text->text, text->length))
		return;
	*last->balance = balance;
	last->found = true;
}

bool kept_last(const char *path, struct balance *balance)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct last last = { balance, false };
	struct taskacct_reader *reader;
	struct taskacct_event event;
	struct unpack *unpack;

	if (fd < 0)
		return false;
	unpack = unpack_start(fd);
	if (!taskacct_reader_open(&reader, unpack_path(unpack))) {
		taskacct_reader_set_note(reader, take_note, &last);
		while (taskacct_reader_next(reader, &event) > 0)
			;
	}
	taskacct_reader_close(reader);
	unpack_end(unpack);
	return last.found;
}

bool kept_is_written(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return written;
}
