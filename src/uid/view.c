// SPDX-License-Identifier: GPL-2.0-only
/*
 * What users and tasks had read and written at one instant, in debug mode
 */

#include <linux/lockdep.h>

#include "view.h"

/**
 * taskacct_uid_view_io() - what debug mode shows of a usage
 * @io: receives it
 * @usage: the usage
 *
 * Context: under the lock of the entry.
 */
void taskacct_uid_view_io(struct taskacct_uid_io *io,
			  const struct taskacct_uid_used *usage)
{
	*io = (struct taskacct_uid_io){
		.rchar = usage->value.rchar,
		.wchar = usage->value.wchar,
		.read_bytes = usage->value.read_bytes,
		.written = usage->value.written,
		.fsync = usage->value.fsync,
	};
}

/**
 * taskacct_uid_view_keep_entry() - an entry is about to change
 * @entry: the entry
 * @view: taskacct_uid_view, as it was read for all that changes together
 *
 * Context: under the entry's lock.
 */
void taskacct_uid_view_keep_entry(struct taskacct_uid_entry *entry,
				  unsigned int view)
{
	unsigned int i;

	lockdep_assert_held(&entry->lock);
	if (entry->view == view)
		return;
	for (i = 0; i < TASKACCT_UID_STATES; i++)
		taskacct_uid_view_io(&entry->then[i], &entry->usage[i]);
	entry->view = view;
}

/**
 * taskacct_uid_view_keep_task() - what is kept of a task is about to change
 * @task: the task
 * @view: as above
 *
 * Context: under the lock of the entry of its user.
 */
void taskacct_uid_view_keep_task(struct taskacct_uid_task *task,
				 unsigned int view)
{
	struct taskacct_uid_reported *reported = task->reported;

	if (reported->view == view)
		return;
	reported->whose = task->dead ? INVALID_UID : task->uid;
	memcpy(reported->then, reported->io, sizeof(reported->then));
	reported->view = view;
}

/**
 * taskacct_uid_view_of_task() - what a task had read and written, and for whom
 * @task: the task
 * @uid: receives the user; INVALID_UID if it was dead then, or not there yet
 *
 * Context: the only reader, since it began the view; under the lock of the entry
 *	where the task is now.
 * Return: it, by state.
 */
const struct taskacct_uid_io *
taskacct_uid_view_of_task(const struct taskacct_uid_task *task, kuid_t *uid)
{
	const struct taskacct_uid_reported *reported = task->reported;

	if (reported->view == taskacct_uid_view) {
		*uid = reported->whose;
		return reported->then;
	}
	*uid = task->dead ? INVALID_UID : task->uid;
	return reported->io;
}
