/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user, for those who ask
 */
#ifndef TASKACCT_UID_TOTALS_H
#define TASKACCT_UID_TOTALS_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "rows.h"

struct user_namespace;

int taskacct_uid_totals_read(struct taskacct_uid_rows *rows,
			     enum taskacct_uid_kind kind, kuid_t only,
			     struct user_namespace *ns);
int taskacct_uid_totals_set(kuid_t uid, unsigned int state);
int taskacct_uid_totals_remove(struct user_namespace *ns, u32 from, u32 to);

#endif /* TASKACCT_UID_TOTALS_H */
