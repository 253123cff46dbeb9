/* SPDX-License-Identifier: GPL-2.0-only */
/* What an audit knows of tasks: what they had used, and when */
#ifndef TASKACCT_CMD_AUDIT_STORE_H
#define TASKACCT_CMD_AUDIT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "taskacct.h"

/**
 * enum audit_item - what is audited
 * @AUDIT_CPU: CPU time, ns
 * @AUDIT_RUN_DELAY: time waited for a CPU, ns
 * @AUDIT_RUNS: times that a CPU was got
 * @AUDIT_SWITCHES: times that a CPU was left
 * @AUDIT_FAULTS: page faults
 * @AUDIT_READ: bytes fetched from storage
 * @AUDIT_WRITE: bytes sent to storage, or meant to be
 * @AUDIT_RCHAR: bytes that read() and its like returned
 * @AUDIT_WCHAR: bytes that write() and its like took
 * @AUDIT_TASKS: tasks that began
 * @AUDIT_ON_CPU: time on CPUs as the module measures it, without interrupts, ns
 * @AUDIT_WALL: time that passed on a CPU, ns; no task has any
 * @AUDIT_ITEMS: how many there are
 */
enum audit_item {
	AUDIT_CPU,
	AUDIT_RUN_DELAY,
	AUDIT_RUNS,
	AUDIT_SWITCHES,
	AUDIT_FAULTS,
	AUDIT_READ,
	AUDIT_WRITE,
	AUDIT_RCHAR,
	AUDIT_WCHAR,
	AUDIT_TASKS,
	AUDIT_ON_CPU,
	AUDIT_WALL,
	AUDIT_ITEMS,
};

/**
 * struct audit_amounts - an amount of each
 * @v: by &enum audit_item; of AUDIT_TASKS of a task 1, of a process its threads
 */
struct audit_amounts {
	int64_t v[AUDIT_ITEMS];
};

/**
 * struct audit_task - a task, or a process, at an instant or at its end
 * @pid: its number in the initial pid namespace; with @start it tells which it is
 * @tgid: its process's
 * @ppid: its parent's
 * @uid: its real user id
 * @cgroup: id of its cgroup v2
 * @start: when it began, by CLOCK_BOOTTIME
 * @end: when it ended, or was looked at, likewise
 * @ended: it was at its end
 * @ending: it had exited and was not at its end
 * @early: what it used after its exit is missing
 * @tracked: AUDIT_ON_CPU is known
 * @comm: its name
 * @used: what it had used
 */
struct audit_task {
	uint32_t pid;
	uint32_t tgid;
	uint32_t ppid;
	uint32_t uid;
	uint64_t cgroup;
	uint64_t start;
	uint64_t end;
	bool ended;
	bool ending;
	bool early;
	bool tracked;
	char comm[16];
	struct audit_amounts used;
};

/**
 * struct audit_tasks - many of them
 * @v: tasks
 * @n: how many
 * @room: for how many there is room
 */
struct audit_tasks {
	struct audit_task *v;
	size_t n;
	size_t room;
};

/**
 * audit_grow() - make room for one more of an array
 * @v: array, or NULL
 * @n: how many there are
 * @room: for how many there is room
 * @size: of one
 *
 * Return: the array; there is no failure to handle, for it ends the program.
 */
void *audit_grow(void *v, size_t n, size_t *room, size_t size);

/**
 * audit_tasks_add() - add a task or a process
 * @tasks: those that there are
 * @record: its record
 */
void audit_tasks_add(struct audit_tasks *tasks,
		     const struct taskacct_extended *record);

/**
 * audit_tasks_sort() - sort by number, begin and end
 * @tasks: tasks
 */
void audit_tasks_sort(struct audit_tasks *tasks);

/**
 * audit_tasks_find() - find a task
 * @tasks: sorted
 * @task: with its number and begin
 *
 * Return: the first of those that are this task, or NULL.
 */
const struct audit_task *audit_tasks_find(const struct audit_tasks *tasks,
					  const struct audit_task *task);

/**
 * audit_is_same() - whether two are the same task
 * @a: one
 * @b: the other
 *
 * Who executes a program as a thread that is not the first becomes the first.
 *
 * Return: true if they have number and begin in common.
 */
bool audit_is_same(const struct audit_task *a, const struct audit_task *b);

/**
 * audit_add() - add amounts
 * @to: to these
 * @what: those
 * @times: so often, such as -1
 */
void audit_add(struct audit_amounts *to, const struct audit_amounts *what,
	       int64_t times);

#endif /* TASKACCT_CMD_AUDIT_STORE_H */
