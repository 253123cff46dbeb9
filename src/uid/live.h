/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user: live tasks
 */
#ifndef TASKACCT_UID_LIVE_H
#define TASKACCT_UID_LIVE_H

#include "task.h"
#include "uid.h"

struct user_namespace;

bool taskacct_uid_add_live(struct task_struct *t, unsigned int round, bool io);
bool taskacct_uid_tell_io(struct task_struct *t, unsigned int round,
			  kuid_t *uid, struct taskacct_uid_io *io);
bool taskacct_uid_is_within(struct user_namespace *ns, kuid_t uid, u32 from,
			    u32 to);
void taskacct_uid_count_again(struct task_struct *t, struct user_namespace *ns,
			      u32 from, u32 to);

#endif /* TASKACCT_UID_LIVE_H */
