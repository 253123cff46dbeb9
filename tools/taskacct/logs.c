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

#include "logs.h"
#include "taskacct_log.h"
#include "unpack.h"

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
};

static void add(struct list *list, const char *path)
{
	list->v = grow(list->v, list->n, sizeof(*list->v));
	list->v[list->n] = (struct log){ copy(path), 0, list->n };
	list->n++;
}

static void add_directory(struct list *list, const char *path, struct books *books)
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
		    S_ISREG(st.st_mode))
			add(list, file);
		free(file);
		free(entries[i]);
	}
	free(entries);
}

static void find_logs(struct list *list, char *const *paths, size_t n,
		      struct books *books)
{
	struct stat st;
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(paths[i], "-") && !stat(paths[i], &st) &&
		    S_ISDIR(st.st_mode))
			add_directory(list, paths[i], books);
		else
			add(list, paths[i]);
	}
}

/* Returns false and says why where that fails */
static bool open_log(struct reading *r, const char *path)
{
	const bool is_stdin = !strcmp(path, "-");
	int fd;

	*r = (struct reading){ .path = is_stdin ? "standard input" : path };
	fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		message("%s: %s", r->path, strerror(errno));
		return false;
	}
	if (unpack_needed(fd)) {
		r->unpack = unpack_start(fd);
		path = unpack_path(r->unpack);
	} else {
		close(fd);
	}
	if (!taskacct_reader_open(&r->reader, path))
		return true;
	message("%s: no log: %s", r->path,
		r->reader ? taskacct_reader_error(r->reader) : "out of memory");
	return false;
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
	if (open_log(&r, path) && taskacct_reader_next(r.reader, &event) > 0)
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

static void read_log(const char *path, const struct taker *taker,
		     struct books *books)
{
	struct taskacct_event event;
	struct taskacct_torn torn;
	struct reading r;
	const char *wrong;
	int got = 1;

	if (!open_log(&r, path)) {
		close_log(&r);
		books->failed++;
		return;
	}
	while (got > 0) {
		got = taskacct_reader_next(r.reader, &event);
		if (got > 0)
			books_event(books, &event, taker);
	}
	books->damaged += taskacct_reader_damaged(r.reader);
	if (got < 0)
		message("%s: %s", r.path, taskacct_reader_error(r.reader));
	else if (taskacct_reader_torn(r.reader, &torn))
		books->torn++;
	wrong = close_log(&r);
	if (wrong)
		message("%s: %s", r.path, wrong);
	books->failed += got < 0 || wrong;
}

void logs_read(char *const *paths, size_t n, const struct taker *taker,
	       struct books *books)
{
	struct list list = { NULL, 0 };
	size_t i;

	find_logs(&list, paths, n, books);
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
