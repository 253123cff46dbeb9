// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last segment that was closed: a file has its place and its balance, in the form of
 * a segment without messages
 *
 * It is written before the segment is closed. So one of the two tells, whenever the
 * recorder is killed, and whenever the segment is moved away then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/message.h"
#include "kept.h"
#include "past.h"
#include "segment.h"

#define LAST ".last"
#define NEW ".last.new"

static int write_note(int dir, const char *place, const char *balance)
{
	struct segment *segment;
	int err;

	err = segment_open(&segment, dir, NEW, NULL);
	if (err)
		return err;
	if (place)
		segment_note(segment, place);
	return segment_end(segment, balance);
}

/* An old one would have the next recorder go on too early. */
void past_note(int dir, const char *place, const char *balance)
{
	unlinkat(dir, NEW, 0);
	if (!write_note(dir, place, balance) && !renameat(dir, NEW, dir, LAST))
		return;
	unlinkat(dir, NEW, 0);
	unlinkat(dir, LAST, 0);
}

static bool read_note(struct store_entry *entry, const char *path)
{
	struct balance balance;
	char *file;
	bool closed;

	if (asprintf(&file, "%s/" LAST, path) < 0)
		die(STATUS_REFUSED, "out of memory");
	closed = kept_closed(file, &balance);
	free(file);
	if (closed)
		*entry = (struct store_entry){ .name = LAST,
					       .number = balance.segment };
	return closed;
}

int past_list(const char *path, struct store_entry **entries)
{
	const int n = store_look(path, entries);
	struct store_entry note, *e;
	int i = n;

	if (n < 0 || !read_note(&note, path))
		return n;
	*entries = grow(*entries, (size_t)n, sizeof(**entries));
	e = *entries;
	for (; i && e[i - 1].number > note.number; i--)
		e[i] = e[i - 1];
	/* The segment itself tells more. */
	if (i && e[i - 1].number == note.number)
		return n;
	e[i] = note;
	return n + 1;
}
