/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cgroups (version 2) for tests to put tasks into. A name is a path below the
 * root of the hierarchy; an empty one is the root.
 */
#ifndef SELFTESTS_CGROUP_H
#define SELFTESTS_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int cgroup_make(const char *name);
int cgroup_drop(const char *name);
int cgroup_enter(const char *name, pid_t pid);
int cgroup_get(const char *name, const char *file, char *text, size_t size);
int cgroup_set(const char *name, const char *file, const char *value);
uint64_t cgroup_number(const char *name);
int cgroup_open(const char *name);

#endif /* SELFTESTS_CGROUP_H */
