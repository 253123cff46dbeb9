/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users and tasks had read and written at one instant, in debug mode
 *
 * A user's line and those of its tasks have to be of one instant, but no lock can
 * be held for as long as it takes to copy all. So the reader begins a view, which
 * is a number, and whoever changes an entry or a task afterwards for the first
 * time puts its values aside before. The reader takes those put aside in its
 * view, and of what has not changed those that are there.
 *
 * An entry and its tasks change under the entry's lock, where the number is read
 * once for all that changes together: so both are from before it, or both from
 * after it.
 */
#ifndef TASKACCT_UID_VIEW_H
#define TASKACCT_UID_VIEW_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "entry.h"
#include "task.h"

void taskacct_uid_view_io(struct taskacct_uid_io *io,
			  const struct taskacct_uid_used *usage);
void taskacct_uid_view_keep_entry(struct taskacct_uid_entry *entry,
				  unsigned int view);
void taskacct_uid_view_keep_task(struct taskacct_uid_task *task,
				 unsigned int view);
const struct taskacct_uid_io *
taskacct_uid_view_of_task(const struct taskacct_uid_task *task, kuid_t *uid);

#endif /* TASKACCT_UID_VIEW_H */
