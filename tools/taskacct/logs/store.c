// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a record
 *
 * A segment's name has the time when it begins, so that names sort by it, and a
 * number that goes up by one whatever the clock does: segments are removed in the
 * order of their numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "store.h"

#define LOCK ".lock"
#define SECOND UINT64_C(1000000000)

/* Of this process, and gone with it; its holder can be asked for. */
static int take_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_SETLK, &lock))
		return 0;
	return errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
}

static int compare(const void *a, const void *b)
{
	const struct store_entry *left = a, *right = b;

	return left->number < right->number ? -1 : left->number > right->number;
}

void store_name(char *name, uint64_t time_ns, uint64_t number)
{
	const time_t seconds = (time_t)(time_ns / SECOND);
	char date[20];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, STORE_NAME, "%s-%08" PRIu64 ".pcap.zst", date, number);
}

bool store_is_segment(const char *name, uint64_t *number)
{
	char date[17], end[10];
	int n = 0;

	return sscanf(name, "%16[0-9TZ]-%10" SCNu64 ".pcap.%3s%n", date, number,
		      end, &n) == 3 &&
	       !strcmp(end, "zst") && !name[n] && strlen(date) == 16;
}

static void add(struct store_entry **entries, int *n, const char *name,
		uint64_t number, const struct stat *st)
{
	struct store_entry *e;

	*entries = grow(*entries, (size_t)*n, sizeof(**entries));
	e = &(*entries)[(*n)++];
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->number = number;
	e->size = (uint64_t)st->st_size;
	e->changed_ns = (uint64_t)st->st_mtim.tv_sec * SECOND +
			(uint64_t)st->st_mtim.tv_nsec;
}

int store_list(int dir, struct store_entry **entries)
{
	struct dirent *entry;
	const int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	uint64_t number;
	struct stat st;
	int n = 0;

	*entries = NULL;
	if (!list)
		return -errno;
	while ((entry = readdir(list)))
		if (strlen(entry->d_name) < STORE_NAME &&
		    store_is_segment(entry->d_name, &number) &&
		    !fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			add(entries, &n, entry->d_name, number, &st);
	closedir(list);
	if (n)
		qsort(*entries, (size_t)n, sizeof(**entries), compare);
	return n;
}

int store_look(const char *path, struct store_entry **entries)
{
	const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n = -errno;

	*entries = NULL;
	if (dir < 0)
		return n;
	n = store_list(dir, entries);
	close(dir);
	return n;
}

static int find_next(struct store *store)
{
	struct store_entry *entries;
	const int n = store_list(store->dir, &entries);

	if (n < 0)
		return n;
	store->next = n ? entries[n - 1].number + 1 : 1;
	free(entries);
	return 0;
}

static int open_lock(struct store *store)
{
	store->lock = openat(store->dir, LOCK, O_RDWR | O_CREAT | O_CLOEXEC,
			     0600);
	if (store->lock < 0)
		return -errno;
	return take_lock(store->lock);
}

int store_open(struct store *store, const char *path)
{
	int err;

	store->lock = -1;
	if (mkdir(path, 0700) && errno != EEXIST) {
		store->dir = -1;
		return -errno;
	}
	store->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = store->dir < 0 ? -errno : open_lock(store);
	if (!err)
		err = find_next(store);
	if (err)
		store_close(store);
	return err;
}

void store_close(struct store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	if (store->dir >= 0)
		close(store->dir);
	store->lock = -1;
	store->dir = -1;
}

bool store_is_gone(const struct store *store, const char *path)
{
	struct stat ours, named;

	return stat(path, &named) || fstat(store->dir, &ours) ||
	       ours.st_ino != named.st_ino || ours.st_dev != named.st_dev;
}

int store_writer(const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *name;
	int fd, err;

	if (asprintf(&name, "%s/" LOCK, path) < 0)
		return -ENOMEM;
	fd = open(name, O_RDWR | O_CLOEXEC);
	err = fd < 0 || fcntl(fd, F_GETLK, &lock) ? -errno : 0;
	free(name);
	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}
