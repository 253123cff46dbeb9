/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of a task that have no fixed size
 */
#ifndef TASKACCT_NAMES_H
#define TASKACCT_NAMES_H

#include <linux/gfp.h>
#include <linux/types.h>

struct mm_struct;
struct task_struct;
struct taskacct_kept;
struct taskacct_view;

/* Most of a command line that is told, in bytes */
#define TASKACCT_CMDLINE_MAX	4096

/* Of TASKACCT_WANT_*, those that are names */
#define TASKACCT_WANT_NAMES	(TASKACCT_WANT_EXE_PATH | \
				 TASKACCT_WANT_CGROUP_PATH | \
				 TASKACCT_WANT_CMDLINE)

/**
 * struct taskacct_names - names of a task
 * @exe: path of its executable, or NULL: there is none, or it was not asked for
 *	or could not be had; likewise the others
 * @cgroup: path of its cgroup v2
 * @cmdline: its arguments, each ended by NUL
 * @exe_length: of @exe without the NUL
 * @cgroup_length: of @cgroup without the NUL
 * @cmdline_length: of @cmdline
 * @buffers: what they stand in
 */
struct taskacct_names {
	const char *exe;
	const char *cgroup;
	const char *cmdline;
	size_t exe_length;
	size_t cgroup_length;
	size_t cmdline_length;
	char *buffers[3];
};

void taskacct_names_get(struct taskacct_names *names, u32 want,
			struct task_struct *t, struct mm_struct *mm,
			const struct taskacct_view *view, gfp_t gfp);
void taskacct_names_get_kept(struct taskacct_names *names, u32 want,
			     const struct taskacct_kept *kept,
			     const struct taskacct_view *view, gfp_t gfp);
void taskacct_names_put(struct taskacct_names *names);

#endif /* TASKACCT_NAMES_H */
