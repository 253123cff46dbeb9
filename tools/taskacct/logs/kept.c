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
#include "sums.h"
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

/* The end of a file, with all of a last frame that may be there */
static ssize_t read_end(const char *path, char *end)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;
	off_t size;

	if (fd < 0)
		return -1;
	size = lseek(fd, 0, SEEK_END);
	if (size >= 0)
		n = pread(fd, end, SEGMENT_TRAILER,
			  size > SEGMENT_TRAILER ? size - SEGMENT_TRAILER : 0);
	close(fd);
	return n;
}

bool kept_closed(const char *path, struct balance *balance)
{
	char end[SEGMENT_TRAILER];
	const ssize_t n = read_end(path, end);
	const char *line;
	uint32_t head[2];

	if (n < 2 || end[n - 1] != '\n')
		return false;
	line = memrchr(end, '\n', (size_t)n - 1);
	if (!line || (size_t)(line - end) < sizeof(head))
		return false;
	memcpy(head, line - sizeof(head), sizeof(head));
	return le32toh(head[0]) == SEGMENT_MAGIC &&
	       le32toh(head[1]) == end + n - line &&
	       balance_parse(balance, line + 1, (size_t)(end + n - line - 2));
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

typedef void (*note_handler)(const struct taskacct_name *text, void *arg);

/* All of a segment that can be read; without a handler, its notes */
static void read_segment(const char *path, note_handler note,
			 taskacct_handler handler, void *arg)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct taskacct_reader *reader;
	struct taskacct_event event;
	struct unpack *unpack;

	if (fd < 0)
		return;
	unpack = unpack_start(fd);
	if (!taskacct_reader_open(&reader, unpack_path(unpack))) {
		taskacct_reader_set_note(reader, note, arg);
		while (taskacct_reader_next(reader, &event) > 0)
			if (handler)
				handler(&event, arg);
	}
	taskacct_reader_close(reader);
	unpack_end(unpack);
}

bool kept_last(const char *path, struct balance *balance)
{
	struct last last = { balance, false };

	read_segment(path, take_note, NULL, &last);
	return last.found;
}

/**
 * struct scan - a segment that is read for where its recorder stood
 * @place: behind what was read
 * @balance: the last one
 * @balanced: place_sum() where that was noted
 * @behind: records behind it, whole and in totals
 * @says: something could be read
 */
struct scan {
	struct place place;
	struct balance balance;
	uint64_t balanced;
	uint64_t behind;
	bool says;
};

static void scan_note(const struct taskacct_name *text, void *arg)
{
	struct scan *scan = arg;
	struct sums_row *row;

	scan->says = true;
	if (place_parse(&scan->place, text->text, text->length))
		return;
	if (balance_parse(&scan->balance, text->text, text->length)) {
		scan->balanced = place_sum(&scan->place);
		scan->behind = 0;
		return;
	}
	row = sums_parse(text->text, text->length);
	scan->behind += row ? row->count : 0;
	sums_row_free(row);
}

static void scan_event(const struct taskacct_event *event, void *arg)
{
	struct scan *scan = arg;

	scan->says = true;
	if (event->type != TASKACCT_EVENT_RECORDS)
		return;
	place_pass(&scan->place, event->nlh);
	scan->behind++;
}

bool kept_standing(const char *path, struct standing *standing)
{
	struct scan scan = { .says = false };
	int64_t made, lost;

	read_segment(path, scan_note, scan_event, &scan);
	made = (int64_t)(place_sum(&scan.place) - scan.balanced - scan.behind);
	lost = made + scan.balance.waiting;
	*standing = (struct standing){
		.place = scan.place,
		.made = made > 0 ? (uint64_t)made : 0,
		.lost = lost > 0 ? (uint64_t)lost : 0,
	};
	return scan.says;
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
