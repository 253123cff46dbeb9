/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user, dead and live
 */
#ifndef TASKACCT_UID_H
#define TASKACCT_UID_H

#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/taskacct.h>

#include "fill.h"
#include "uid_task.h"

struct taskacct_uid_entry;
struct user_namespace;

/**
 * enum taskacct_uid_kind - what a reader wants to be told of each user
 * @TASKACCT_UID_RECORDS: all, as struct taskacct_uid_row
 * @TASKACCT_UID_IO: I/O, as struct taskacct_uid_io_row
 * @TASKACCT_UID_TIMES: CPU times, as struct taskacct_uid_times_row
 */
enum taskacct_uid_kind {
	TASKACCT_UID_RECORDS,
	TASKACCT_UID_IO,
	TASKACCT_UID_TIMES,
};

/**
 * struct taskacct_uid_row - a user, at one time
 * @record: who it is
 * @usage: what its tasks used, by TASKACCT_UID_FOREGROUND and _BACKGROUND; of
 *	the latter only if the rows say so
 */
struct taskacct_uid_row {
	struct taskacct_uid_record record;
	struct taskacct_uid_usage usage[];
};

/**
 * struct taskacct_uid_io_row - what a user read and wrote
 * @uid: as the reader's user namespace numbers it
 * @io: by state
 */
struct taskacct_uid_io_row {
	u32 uid;
	struct taskacct_uid_io io[TASKACCT_UID_STATES];
};

/**
 * struct taskacct_uid_times_row - how long a user's tasks ran
 * @uid: as the reader's user namespace numbers it
 * @user: in user space, in ns
 * @system: in the kernel
 */
struct taskacct_uid_times_row {
	u32 uid;
	u64 user;
	u64 system;
};

/**
 * struct taskacct_uid_line - a live task, in debug mode
 * @uid: as the reader's user namespace numbers it
 * @pid: as the reader's pid namespace numbers it
 * @comm: its name
 * @io: what it read and wrote, by state
 */
struct taskacct_uid_line {
	u32 uid;
	u32 pid;
	char comm[TASK_COMM_LEN];
	struct taskacct_uid_io io[TASKACCT_UID_STATES];
};

/**
 * struct taskacct_uid_name - a user, and as what it is told of
 * @uid: as the reader's user namespace numbers it; (u32)-1: the rest
 * @entry: the user; one of several that have that number
 */
struct taskacct_uid_name {
	u32 uid;
	struct taskacct_uid_entry *entry;
};

/**
 * struct taskacct_uid_rows - users at one time, from the smallest id up
 * @kind: what is told of each
 * @states: how many states are told apart; without the background where nobody
 *	has ever been in it
 * @room: for how many there is room in @names and in @rows
 * @names: what @rows is made of; only while it is made. There is as much room
 *	behind it, to put it in order
 * @nr_names: how many
 * @rows: the users, for taskacct_uid_row_at()
 * @size: of each of them, in bytes
 * @nr: how many
 * @lines: tasks, by user, in debug mode
 * @nr_lines: how many
 */
struct taskacct_uid_rows {
	enum taskacct_uid_kind kind;
	unsigned int states;
	unsigned int room;
	struct taskacct_uid_name *names;
	unsigned int nr_names;
	void *rows;
	size_t size;
	unsigned int nr;
	struct taskacct_uid_line *lines;
	unsigned int nr_lines;
};

DECLARE_STATIC_KEY_FALSE(taskacct_uid_on);

int taskacct_uid_init(unsigned int max, bool debug);
void taskacct_uid_start(void);
void taskacct_uid_exit(void);

void taskacct_uid_add(void);
void taskacct_uid_add_values(struct taskacct_values *values, bool told);
void taskacct_uid_change(kuid_t uid);

int taskacct_uid_read(struct taskacct_uid_rows *rows,
		      enum taskacct_uid_kind kind, kuid_t only,
		      struct user_namespace *ns);
void taskacct_uid_rows_free(struct taskacct_uid_rows *rows);
int taskacct_uid_set(kuid_t uid, unsigned int state);
void taskacct_uid_remove(struct user_namespace *ns, u32 from, u32 to);

/**
 * taskacct_uid_row_at() - one of several users
 * @rows: from taskacct_uid_read()
 * @i: the first is 0
 *
 * Return: its row, of the type that the kind says.
 */
static inline void *taskacct_uid_row_at(const struct taskacct_uid_rows *rows,
					unsigned int i)
{
	return rows->rows + i * rows->size;
}

/**
 * taskacct_uid_note() - count an exiting task for its user
 *
 * Context: the exit hook, for current, where nobody else wants its values.
 */
static inline void taskacct_uid_note(void)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_add();
}

/**
 * taskacct_uid_note_values() - read an exiting task's values, and count them
 * @values: receives them
 * @told: as for taskacct_fill_values_of_current()
 *
 * What is counted for the user is what others are told: nothing is read twice.
 *
 * Context: the exit hook, for current.
 */
static inline void taskacct_uid_note_values(struct taskacct_values *values,
					    bool told)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_add_values(values, told);
	else
		taskacct_fill_values_of_current(values, told);
}

/**
 * taskacct_uid_forget() - forget a task
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI.
 */
static inline void taskacct_uid_forget(const struct task_struct *t)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_task_free(t);
}

#endif /* TASKACCT_UID_H */
