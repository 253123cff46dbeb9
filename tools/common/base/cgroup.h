/* SPDX-License-Identifier: GPL-2.0-only */
/* Where cgroups v2 are on this machine */
#ifndef TASKACCT_COMMON_CGROUP_H
#define TASKACCT_COMMON_CGROUP_H

/**
 * cgroup_mount() - where cgroups v2 are mounted
 *
 * Return: the directory, valid for ever; the usual one where none is mounted.
 */
const char *cgroup_mount(void);

/**
 * cgroup_path() - a cgroup's path by its directory
 * @directory: the directory; that of another machine is below the usual mount point
 *
 * Return: the part of it behind the mount point, or all of what is no such directory.
 */
const char *cgroup_path(const char *directory);

/**
 * cgroup_open() - open the directory of a cgroup v2
 * @path: its path from the mount point on
 *
 * Return: a descriptor, or -1 where there is no such cgroup v2.
 */
int cgroup_open(const char *path);

#endif /* TASKACCT_COMMON_CGROUP_H */
