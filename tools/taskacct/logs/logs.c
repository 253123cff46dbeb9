// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs: found, put in order, read
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unpack.h"
#include "kept.h"
#include "logs.h"
#include "taskacct_log.h"

/* A log, and when its first message was received */
struct log {
	char *path;
	uint64_t first_ns;
	size_t number;
};

struct list {
	struct log *v;
	size_t n;
};

/* A log that is open */
struct reading {
	const char *path;
	struct unpack *unpack;
	struct taskacct_reader *reader;
	const struct taker *taker;
	struct books *books;
	struct balance balance;
	bool has_balance;
};

static void add(struct list *list, const char *path)
{
	list->v = grow(list->v, list->n, sizeof(*list->v));
	list->v[list->n] = (struct log){ copy(path), 0, list->n };
	list->n++;
}

/* Nothing in it is of the time that is looked at: neither its records nor its losses. */
static bool is_outside(const char *path, const struct taker *taker)
{
	struct balance b;

	if ((!taker->since && !taker->until) || !kept_is_segment(path) ||
	    !kept_closed(path, &b))
		return false;
	return (b.last_ns < taker->since && b.to_ns < taker->since) ||
	       (taker->until && b.first_ns >= taker->until &&
		b.from_ns >= taker->until);
}

static void add_directory(struct list *list, const char *path,
			  const struct taker *taker, struct books *books)
{
	struct dirent **entries;
	struct stat st;
	char *file;
	int n, i;

	n = scandir(path, &entries, NULL, alphasort);
	if (n < 0) {
		message("%s: %s", path, strerror(errno));
		books->failed++;
		return;
	}
	for (i = 0; i < n; i++) {
		if (asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			die(STATUS_REFUSED, "out of memory");
		if (*entries[i]->d_name != '.' && !stat(file, &st) &&
		    S_ISREG(st.st_mode) && !is_outside(file, taker))
			add(list, file);
		free(file);
		free(entries[i]);
	}
	free(entries);
}

static void find_logs(struct list *list, char *const *paths, size_t n,
		      const struct taker *taker, struct books *books)
{
	struct stat st;
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(paths[i], "-") && !stat(paths[i], &st) &&
		    S_ISDIR(st.st_mode))
			add_directory(list, paths[i], taker, books);
		else
			add(list, paths[i]);
	}
}

/* Returns NULL, or why that fails */
static const char *open_log(struct reading *r, const char *path)
{
	const bool is_stdin = !strcmp(path, "-");
	int fd;

	*r = (struct reading){ .path = is_stdin ? "standard input" : path };
	fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return strerror(errno);
	if (unpack_needed(fd)) {
		r->unpack = unpack_start(fd);
		path = unpack_path(r->unpack);
	} else {
		close(fd);
	}
	if (!taskacct_reader_open(&r->reader, path))
		return NULL;
	return r->reader ? taskacct_reader_error(r->reader) : "out of memory";
}

static const char *close_log(struct reading *r)
{
	taskacct_reader_close(r->reader);
	return r->unpack ? unpack_end(r->unpack) : NULL;
}

/* What comes through a pipe can be read only once: it comes first. */
static uint64_t first_time(const char *path)
{
	struct taskacct_event event;
	struct reading r;
	uint64_t time = 0;
	struct stat st;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (!open_log(&r, path) && taskacct_reader_next(r.reader, &event) > 0)
		time = event.time_ns;
	close_log(&r);
	return time;
}

static int compare(const void *a, const void *b)
{
	const struct log *left = a, *right = b;

	if (left->first_ns != right->first_ns)
		return left->first_ns < right->first_ns ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

static void take_sums(const struct reading *r, const struct taskacct_name *text)
{
	struct sums_row *row = sums_parse(text->text, text->length);

	if (row)
		books_sums(r->books, row, r->taker);
	sums_row_free(row);
}

/* What a recorder says in a segment: its balance up to there, or totals */
static void take_note(const struct taskacct_name *text, void *arg)
{
	struct reading *r = arg;
	struct balance balance;

	if (!kept_is_segment(r->path))
		return;
	if (!balance_parse(&balance, text->text, text->length)) {
		take_sums(r, text);
		return;
	}
	r->balance = balance;
	r->has_balance = true;
}

/* All that can be read of a log; false where not even that is all that it has */
static bool read_events(struct reading *r, const struct taker *taker,
			struct books *books)
{
	const uint64_t lost = books->lost;
	struct taskacct_event event;
	int got;

	r->taker = taker;
	r->books = books;
	taskacct_reader_set_note(r->reader, take_note, r);
	do {
		got = taskacct_reader_next(r->reader, &event);
		if (got > 0)
			books_event(books, &event, taker);
	} while (got > 0);
	books->damaged += taskacct_reader_damaged(r->reader);
	if (r->has_balance)
		books_balance(books, &r->balance, books->lost - lost);
	if (got < 0)
		message("%s: %s", r->path, taskacct_reader_error(r->reader));
	return !got;
}

/*
 * A segment that nobody closed may end anywhere, before it has begun, too. Zeros that
 * the file system put at its end damage the frame.
 */
static bool is_unclosed(const struct reading *r)
{
	struct balance balance;
	struct stat st;

	if (!kept_is_segment(r->path) || kept_closed(r->path, &balance))
		return false;
	return r->unpack || (!stat(r->path, &st) && st.st_size < UNPACK_MIN);
}

/* One that cannot even be opened */
static void note_unreadable(const struct reading *r, const char *why,
			    struct books *books)
{
	if (is_unclosed(r)) {
		books->torn += !kept_is_written(r->path);
		return;
	}
	message("%s: %s%s", r->path, r->reader ? "no log: " : "", why);
	books->failed++;
}

static void read_log(const char *path, const struct taker *taker,
		     struct books *books)
{
	struct taskacct_torn torn;
	bool whole, is_torn;
	struct reading r;
	const char *wrong;

	wrong = open_log(&r, path);
	if (wrong) {
		note_unreadable(&r, wrong, books);
		close_log(&r);
		return;
	}
	whole = read_events(&r, taker, books);
	is_torn = whole && taskacct_reader_torn(r.reader, &torn);
	wrong = close_log(&r);
	if (wrong && is_unclosed(&r)) {
		is_torn = !kept_is_written(path);
		wrong = NULL;
	}
	if (wrong)
		message("%s: %s", r.path, wrong);
	books->torn += is_torn;
	books->failed += !whole || wrong;
}

void logs_read(char *const *paths, size_t n, const struct taker *taker,
	       struct books *books)
{
	struct list list = { NULL, 0 };
	size_t i;

	find_logs(&list, paths, n, taker, books);
	for (i = 0; list.n > 1 && i < list.n; i++)
		list.v[i].first_ns = first_time(list.v[i].path);
	if (list.n > 1)
		qsort(list.v, list.n, sizeof(*list.v), compare);
	for (i = 0; i < list.n; i++) {
		read_log(list.v[i].path, taker, books);
		free(list.v[i].path);
	}
	free(list.v);
}
