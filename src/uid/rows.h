/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users at one time, for those who read
 */
#ifndef TASKACCT_UID_ROWS_H
#define TASKACCT_UID_ROWS_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/taskacct.h>

#include "task.h"

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
	struct taskacct_uid_used usage[];
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
 * struct taskacct_uid_name - a user, and what is told of it
 * @uid: as the reader's user namespace numbers it; (u32)-1: the rest
 * @entry: the user; one of several that have that number
 * @line: or a line of one of its tasks
 */
struct taskacct_uid_name {
	u32 uid;
	union {
		struct taskacct_uid_entry *entry;
		const struct taskacct_uid_line *line;
	};
};

/**
 * struct taskacct_uid_rows - users at one time, from the smallest id up
 * @kind: what is told of each
 * @with_lines: of their tasks as well, in debug mode
 * @states: how many states are told apart; without the background where nobody
 *	has ever been in it
 * @room: for how many there is room in @names and in @rows
 * @names: what @rows is made of; only while it is made. There is as much room
 *	behind it, to put it in order
 * @nr_names: how many
 * @rows: the users, for taskacct_uid_rows_at()
 * @size: of each of them, in bytes
 * @nr: how many
 * @flags: of each record, but TASKACCT_UID_REST
 * @absent: of each record
 * @lines_room: for how many there is room in @lines, and twice in @by_user
 * @lines: tasks, as they came
 * @by_user: the same by user, somewhere in @order
 * @order: room for @by_user
 * @nr_lines: how many
 */
struct taskacct_uid_rows {
	enum taskacct_uid_kind kind;
	bool with_lines;
	unsigned int states;
	unsigned int room;
	struct taskacct_uid_name *names;
	unsigned int nr_names;
	void *rows;
	size_t size;
	unsigned int nr;
	u32 flags;
	u64 absent;
	unsigned int lines_room;
	struct taskacct_uid_line *lines;
	const struct taskacct_uid_name *by_user;
	struct taskacct_uid_name *order;
	unsigned int nr_lines;
};

int taskacct_uid_rows_alloc(struct taskacct_uid_rows *rows, unsigned int room);
void taskacct_uid_rows_free(struct taskacct_uid_rows *rows);
int taskacct_uid_rows_add(struct taskacct_uid_rows *rows,
			  struct taskacct_uid_entry *entry,
			  struct user_namespace *ns);
int taskacct_uid_rows_fill(struct taskacct_uid_rows *rows);
struct taskacct_uid_name *
taskacct_uid_rows_sort(struct taskacct_uid_name *names, unsigned int nr,
		       unsigned int room);

/**
 * taskacct_uid_rows_at() - one of several users
 * @rows: from taskacct_uid_totals_read()
 * @i: the first is 0
 *
 * Context: any.
 * Return: its row, of the type that the kind says.
 */
static inline void *taskacct_uid_rows_at(const struct taskacct_uid_rows *rows,
					 unsigned int i)
{
	return rows->rows + i * rows->size;
}

#endif /* TASKACCT_UID_ROWS_H */
