// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a CPU went or came
 *
 * The kernel counts that nowhere. But each CPU has a thread that runs what is to be done
 * then, cpuhp/N, which sleeps all other time, and which stays when its CPU has gone.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hotplug.h"

#define KTHREADD "2"

/* Reads a file of process @pid; returns false where there is none. */
static bool read_file(int proc, const char *pid, const char *name, char *text,
		      size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", pid, name) >=
	    (int)sizeof(path))
		return false;
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Others may have such a name, and another parent. */
static bool is_of_hotplug(int proc, const char *pid)
{
	static const char name[] = " (cpuhp/";
	char text[512], parent[8];

	return read_file(proc, pid, "stat", text, sizeof(text)) &&
	       !strncmp(text + strcspn(text, " "), name, strlen(name)) &&
	       sscanf(strrchr(text, ')') ?: "", ") %*c %7s", parent) == 1 &&
	       !strcmp(parent, KTHREADD);
}

/* It sleeps behind each run. Runs themselves are counted where the kernel has
 * CONFIG_SCHED_INFO only.
 */
static uint64_t runs_of(int proc, const char *pid)
{
	static const char name[] = "\nvoluntary_ctxt_switches:";
	char text[8192]; /* Lists of thousands of CPUs come before it. */
	const char *at;

	if (!read_file(proc, pid, "status", text, sizeof(text)))
		return 0;
	at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

uint64_t audit_hotplug_runs(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	uint64_t runs = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    is_of_hotplug(dirfd(dir), entry->d_name))
			runs += runs_of(dirfd(dir), entry->d_name);
	closedir(dir);
	return runs;
}
