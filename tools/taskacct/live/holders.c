// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who keeps the module from being unloaded
 *
 * The kernel only counts them. Which they are, /proc says: a descriptor is a link to
 * the device, and a mapping stays when the descriptor is closed.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "holders.h"

static const char *const devices[] = {
	"/dev/taskacct_exits",
	"/dev/taskacct_counters",
	"/dev/taskacct_names",
};

#define DEVICES (sizeof(devices) / sizeof(*devices))

static void note(bool *has, const char *path)
{
	size_t i;

	for (i = 0; i < DEVICES; i++)
		if (!strcmp(path, devices[i]))
			has[i] = true;
}

static void look_at_files(const char *pid, bool *has)
{
	char name[PATH_MAX], path[PATH_MAX];
	struct dirent *entry;
	ssize_t n;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%s/fd", pid);
	dir = opendir(name);
	while (dir && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, path,
			       sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		note(has, path);
	}
	if (dir)
		closedir(dir);
}

static void look_at_maps(const char *pid, bool *has)
{
	char name[PATH_MAX], *line = NULL, *path;
	size_t room = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%s/maps", pid);
	file = fopen(name, "re");
	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path)
			note(has, path);
	}
	if (file)
		fclose(file);
	free(line);
}

/* A process that has gone meanwhile holds nothing any more. */
static bool read_comm(const char *pid, char *comm, int size)
{
	char name[PATH_MAX];
	FILE *file;
	bool got;

	snprintf(name, sizeof(name), "/proc/%s/comm", pid);
	file = fopen(name, "re");
	got = file && fgets(comm, size, file);
	if (got)
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
	return got;
}

void holders_each(void (*each)(pid_t pid, const char *comm, const char *device,
			       void *arg),
		  void *arg)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	char comm[64];
	size_t i;

	while (dir && (entry = readdir(dir))) {
		bool has[DEVICES] = { false };

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		look_at_files(entry->d_name, has);
		look_at_maps(entry->d_name, has);
		for (i = 0; i < DEVICES; i++)
			if (has[i] &&
			    read_comm(entry->d_name, comm, sizeof(comm)))
				each((pid_t)atoi(entry->d_name), comm,
				     devices[i], arg);
	}
	if (dir)
		closedir(dir);
}
