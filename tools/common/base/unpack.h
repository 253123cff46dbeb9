/* SPDX-License-Identifier: GPL-2.0-only */
/* Logs that may be compressed, or come through a pipe */
#ifndef TASKACCT_COMMON_UNPACK_H
#define TASKACCT_COMMON_UNPACK_H

#include <stdbool.h>

/* Bytes by which it is known what a file is compressed with */
#define UNPACK_MIN 4

/* A file that is being decompressed by a thread */
struct unpack;

/**
 * unpack_needed() - whether a file has to be unpacked
 * @fd: file, at its beginning, where it stays
 *
 * Return: true for zstd and gzip, and for what cannot be looked into.
 */
bool unpack_needed(int fd);

/**
 * unpack_start() - begin to unpack
 * @fd: file; it is closed in the end
 *
 * Return: what is being unpacked; ends the program on failure.
 */
struct unpack *unpack_start(int fd);

/**
 * unpack_path() - where to read what is unpacked
 * @unpack: what is being unpacked
 *
 * Return: a path.
 */
const char *unpack_path(const struct unpack *unpack);

/**
 * unpack_end() - wait for the end, free
 * @unpack: what is being unpacked
 *
 * Return: NULL, or what was wrong with the file.
 */
const char *unpack_end(struct unpack *unpack);

#endif /* TASKACCT_COMMON_UNPACK_H */
