/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks used within an interval, by process, user, cgroup, and in all */
#ifndef TASKACCT_CMD_AUDIT_SUM_H
#define TASKACCT_CMD_AUDIT_SUM_H

#include "books.h"
#include "store.h"

/**
 * struct audit_group - what the tasks of a group used
 * @sure: what is certainly theirs
 * @maybe: what may be theirs: of tasks that were not of the group all the time, and of
 *	those that may have used it outside of the interval
 * @ended: tasks that ended
 * @changes: tasks that were not of the group all the time
 */
struct audit_group {
	struct audit_amounts sure;
	struct audit_amounts maybe;
	int64_t ended;
	int64_t changes;
};

/* Cgroups and users that a process's tasks are remembered to have had */
#define AUDIT_HOMES 4

/**
 * struct audit_process - a process's group
 * @tgid: its number; processes that had it one after the other are one
 * @comm: a task's name
 * @group: what its tasks used
 * @homes: cgroups and users that they had
 * @n_homes: how many
 * @vanished: tasks that were there at the beginning and are not heard of any more
 */
struct audit_process {
	uint32_t tgid;
	char comm[16];
	struct audit_group group;
	struct {
		uint64_t cgroup;
		uint32_t uid;
	} homes[AUDIT_HOMES];
	int n_homes;
	int vanished;
};

/**
 * struct audit_user_group - a user's group
 * @uid: who
 * @group: what his tasks used
 */
struct audit_user_group {
	uint32_t uid;
	struct audit_group group;
};

/**
 * struct audit_tasks_seen - tasks as they were seen
 * @begin: all that were there at the beginning
 * @end: all that were there at the end
 * @ended: the records of those that ended
 */
struct audit_tasks_seen {
	struct audit_tasks begin;
	struct audit_tasks end;
	struct audit_tasks ended;
};

/**
 * struct audit_sum - all groups
 * @books: books, which know cgroups and when they were read
 * @seen: tasks
 * @machine: all tasks
 * @all_users: all tasks, as far as their users are told of them
 * @cgroups: by their place in @books, those below them included
 * @parents: places of the cgroups above them, or -1
 * @users: users
 * @n_users: how many
 * @users_room: for how many there is room
 * @processes: a tree of struct audit_process, for twalk()
 * @untracked: tasks of which it is not known how long they were on CPUs
 * @unplaced: tasks of whose cgroup the path is not known
 */
struct audit_sum {
	struct audit_books *books;
	const struct audit_tasks_seen *seen;
	struct audit_group machine;
	struct audit_group all_users;
	struct audit_group *cgroups;
	long *parents;
	struct audit_user_group *users;
	size_t n_users;
	size_t users_room;
	void *processes;
	uint64_t untracked;
	uint64_t unplaced;
};

/**
 * audit_sum_is_whole() - whether all tasks were seen that there were
 * @books: books, read
 * @seen: tasks; they are sorted, and those that had ended before are left out
 *
 * While all tasks are asked, one after the other by their numbers, a thread that executes
 * a program can take over the number of the first, which has been asked already. So it is
 * missing: then they have to be asked again.
 *
 * Return: true if no task of the beginning is missing at the end.
 */
bool audit_sum_is_whole(const struct audit_books *books,
			struct audit_tasks_seen *seen);

/**
 * audit_sum_make() - add up
 * @sum: with @books; else zeros
 * @seen: tasks, as audit_sum_is_whole() has left them
 */
void audit_sum_make(struct audit_sum *sum, struct audit_tasks_seen *seen);

/**
 * audit_sum_user() - a user's group
 * @sum: sums
 * @uid: who
 *
 * Return: the group, which is added where there is none.
 */
struct audit_group *audit_sum_user(struct audit_sum *sum, uint32_t uid);

/**
 * audit_sum_free() - free it
 * @sum: sums
 */
void audit_sum_free(struct audit_sum *sum);

#endif /* TASKACCT_CMD_AUDIT_SUM_H */
