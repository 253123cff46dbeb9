/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users at one time, for those who read
 */
#ifndef TASKACCT_UID_ROWS_H
#define TASKACCT_UID_ROWS_H

#include <linux/uidgid.h>

#include "uid.h"

struct taskacct_uid_entry;
struct user_namespace;

int taskacct_uid_rows_alloc(struct taskacct_uid_rows *rows, unsigned int room);
int taskacct_uid_rows_add(struct taskacct_uid_rows *rows,
			  struct taskacct_uid_entry *entry,
			  struct user_namespace *ns);
void taskacct_uid_rows_fill(struct taskacct_uid_rows *rows);
int taskacct_uid_rows_read_lines(struct taskacct_uid_rows *rows, kuid_t only,
				 struct user_namespace *ns);

#endif /* TASKACCT_UID_ROWS_H */
