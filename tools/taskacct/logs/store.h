/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of a record: its segments, and who writes there */
#ifndef TASKACCT_CMD_STORE_H
#define TASKACCT_CMD_STORE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

/* Room for a segment's name, such as 20261126T140000Z-00000042.pcap.zst */
#define STORE_NAME 48

/**
 * struct store - a directory that is open
 * @dir: it, or -1
 * @lock: the file that its writer has locked
 * @next: number of the next segment
 */
struct store {
	int dir;
	int lock;
	uint64_t next;
};

/**
 * struct store_entry - a segment
 * @name: its file
 * @number: its number; segments are numbered in the order in which they were made
 * @size: bytes
 * @changed_ns: when it was last written, nanoseconds since 1970
 */
struct store_entry {
	char name[STORE_NAME];
	uint64_t number;
	uint64_t size;
	uint64_t changed_ns;
};

/**
 * store_open() - open a directory to write there, make it if it is not there
 * @store: filled in
 * @path: directory
 *
 * Return: 0, -EBUSY where another process writes there, or another errno.
 */
int store_open(struct store *store, const char *path);

/**
 * store_close() - close
 * @store: store
 */
void store_close(struct store *store);

/**
 * store_is_gone() - whether a path does not lead to the directory any more
 * @store: store
 * @path: directory
 *
 * Return: true if it was removed, or another one has its name.
 */
bool store_is_gone(const struct store *store, const char *path);

/**
 * store_writer() - who writes in a directory
 * @path: directory
 *
 * Return: process, 0 where nobody does, or a negative errno.
 */
int store_writer(const char *path);

/**
 * store_name() - name a segment
 * @name: where to, %STORE_NAME
 * @time_ns: when it begins, nanoseconds since 1970
 * @number: its number
 */
void store_name(char *name, uint64_t time_ns, uint64_t number);

/**
 * store_is_segment() - whether a name is that of a segment
 * @name: name of a file, without directories
 * @number: set to its number
 *
 * Return: true if so.
 */
bool store_is_segment(const char *name, uint64_t *number);

/**
 * store_list() - list segments
 * @dir: directory
 * @entries: set to them, in the order of their numbers; to be freed
 *
 * Return: how many, or a negative errno.
 */
int store_list(int dir, struct store_entry **entries);

/**
 * store_look() - list the segments of a directory by its path
 * @path: directory
 * @entries: as for store_list()
 *
 * Return: as store_list().
 */
int store_look(const char *path, struct store_entry **entries);

#endif /* TASKACCT_CMD_STORE_H */
