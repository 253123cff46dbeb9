// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups: made, entered, asked for their number, and removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "sys.h"

#define ROOT "/sys/fs/cgroup"

static const char *path_of(const char *name, const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), ROOT "/%s%s%s", name, *file ? "/" : "",
		 file);
	return path;
}

/**
 * cgroup_make() - make a cgroup; one that is left over will do
 * @name: its name
 *
 * Return: 0 or a negative errno; -ENOENT where no hierarchy is mounted.
 */
int cgroup_make(const char *name)
{
	if (access(ROOT "/cgroup.procs", F_OK))
		return -ENOENT;
	return mkdir(path_of(name, ""), 0755) && errno != EEXIST ? -errno : 0;
}

/**
 * cgroup_drop() - remove a cgroup
 * @name: its name
 *
 * Waits for tasks that are reaped and not gone yet.
 *
 * Return: 0 or a negative errno.
 */
int cgroup_drop(const char *name)
{
	int i;

	for (i = 0; i < 1000; i++) {
		if (!rmdir(path_of(name, "")))
			return 0;
		if (errno != EBUSY)
			break;
		usleep(10000);
	}
	return -errno;
}

/**
 * cgroup_set() - write into a file of a cgroup
 * @name: the cgroup
 * @file: the file
 * @value: what to write
 *
 * Return: 0 or a negative errno.
 */
int cgroup_set(const char *name, const char *file, const char *value)
{
	return sys_write(path_of(name, file), value);
}

/**
 * cgroup_get() - read a file of a cgroup
 * @name: the cgroup
 * @file: the file
 * @text: receives what is in it
 * @size: room there
 *
 * Return: its length or a negative errno.
 */
int cgroup_get(const char *name, const char *file, char *text, size_t size)
{
	return sys_read(path_of(name, file), text, size);
}

/**
 * cgroup_enter() - move a process
 * @name: the cgroup
 * @pid: the process, 0 for the caller
 *
 * Return: 0 or a negative errno.
 */
int cgroup_enter(const char *name, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return cgroup_set(name, "cgroup.procs", text);
}

/**
 * cgroup_number() - id of a cgroup, which is its directory's inode
 * @name: the cgroup
 *
 * Return: the id, 0 where there is no such cgroup.
 */
uint64_t cgroup_number(const char *name)
{
	struct stat st;

	return stat(path_of(name, ""), &st) ? 0 : st.st_ino;
}

/**
 * cgroup_open() - open a cgroup's directory
 * @name: the cgroup
 *
 * Return: a descriptor or a negative errno.
 */
int cgroup_open(const char *name)
{
	int fd = open(path_of(name, ""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
