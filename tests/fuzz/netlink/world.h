/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to ask for: tasks and cgroups */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include <stdint.h>

#include "make.h"

/**
 * struct world - what this process knows of itself and of others
 * @pid: its number in the initial pid namespace
 * @netns: inode of its network namespace
 * @asks: what is worth asking for
 */
struct world {
	uint32_t pid;
	uint32_t netns;
	struct make_world asks;
};

extern struct world world;

/**
 * world_cgroup() - have a cgroup for all of this program's processes
 *
 * Before any of them is made. Where no cgroups of version 2 are mounted there
 * is none.
 *
 * Return: 0 or a negative errno.
 */
int world_cgroup(void);

/**
 * world_leave_cgroup() - undo world_cgroup()
 *
 * Return: 0 or a negative errno.
 */
int world_leave_cgroup(void);

/**
 * world_begin() - have tasks to ask for
 * @pid: of this process, as the initial pid namespace numbers it
 *
 * Return: 0 or a negative errno.
 */
int world_begin(uint32_t pid);

#endif /* FUZZ_WORLD_H */
