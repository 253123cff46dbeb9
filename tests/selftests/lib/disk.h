/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Disks in memory (null_blk), and what is read from them and written to them.
 */
#ifndef SELFTESTS_DISK_H
#define SELFTESTS_DISK_H

#include <stdbool.h>
#include <stddef.h>

#define DISK_NAME(n) "/dev/nullb" #n

/* Where disk_mount() mounts one */
#define DISK_MOUNTED "/mnt"

bool disk_have(unsigned int n);
bool disk_end(unsigned int n);
bool disk_mount(const char *name);
bool disk_write(const char *path, size_t len);
bool disk_sync(const char *path);
void disk_use(const char *path);

#endif /* SELFTESTS_DISK_H */
