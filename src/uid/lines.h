/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of tasks, in debug mode
 */
#ifndef TASKACCT_UID_LINES_H
#define TASKACCT_UID_LINES_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "rows.h"

struct seq_file;
struct user_namespace;

int taskacct_uid_lines_alloc(struct taskacct_uid_rows *rows, unsigned int room);
int taskacct_uid_lines_read(struct taskacct_uid_rows *rows, kuid_t only,
			    struct user_namespace *ns, unsigned int round);
void taskacct_uid_lines_show(struct seq_file *m,
			     const struct taskacct_uid_rows *rows, u32 uid);

#endif /* TASKACCT_UID_LINES_H */
