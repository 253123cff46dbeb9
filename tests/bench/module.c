// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading the module from within a run
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "module.h"
#include "profile.h"
#include "util.h"

static char hook[64];
static const char *parameters = "";

void bench_module_parameters(const char *text)
{
	parameters = text;
}

void bench_module_load(const char *path, const char *more)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char all[256];

	if (fd < 0)
		bench_die("open %s", path);
	snprintf(all, sizeof(all), "%s %s", parameters, more);
	if (syscall(SYS_finit_module, fd, all, 0))
		bench_die("load %s", path);
	close(fd);
	bench_read_line("/sys/module/taskacct/parameters/hook", hook,
			sizeof(hook));
	bench_profile_loaded();
}

void bench_module_unload(void)
{
	if (syscall(SYS_delete_module, "taskacct", O_NONBLOCK))
		bench_die("unload taskacct");
}

const char *bench_module_hook(void)
{
	return hook;
}
