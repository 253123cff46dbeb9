// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups v2 and their directories
 */
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cgroup.h"

#define USUAL "/sys/fs/cgroup"
#define CGROUP2_MAGIC 0x63677270

static void find_mount(char *dir, size_t size)
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry = NULL;

	while (file && (entry = getmntent(file)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			break;
	snprintf(dir, size, "%s", entry ? entry->mnt_dir : USUAL);
	if (file)
		endmntent(file);
}

const char *cgroup_mount(void)
{
	static char dir[PATH_MAX];

	if (!*dir)
		find_mount(dir, sizeof(dir));
	return dir;
}

static const char *behind(const char *path, const char *top)
{
	const size_t length = strlen(top);

	if (strncmp(path, top, length) || (path[length] && path[length] != '/'))
		return path;
	return path + length;
}

const char *cgroup_path(const char *directory)
{
	const char *path = behind(directory, cgroup_mount());

	return path == directory ? behind(directory, USUAL) : path;
}

int cgroup_open(const char *path)
{
	char full[2 * PATH_MAX];
	struct statfs fs;
	int fd;

	snprintf(full, sizeof(full), "%s%s", cgroup_mount(), path);
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* Of a hybrid hierarchy v1 can have a directory of the same name. */
	if (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_MAGIC)
		return fd;
	close(fd);
	return -1;
}
