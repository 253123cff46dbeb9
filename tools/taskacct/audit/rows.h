/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of an audit: what tasks used, what a book says, and how far they are apart */
#ifndef TASKACCT_CMD_AUDIT_ROWS_H
#define TASKACCT_CMD_AUDIT_ROWS_H

#include "base/units.h"
#include "sum.h"

/* No bound on this side: what a book counts beyond, or does not count */
#define AUDIT_UNBOUND INT64_MAX

/**
 * enum audit_scope - what a line is of
 * @AUDIT_OF_MACHINE: all tasks
 * @AUDIT_OF_CGROUP: the tasks of a cgroup, and below it
 * @AUDIT_OF_CPU: a CPU
 * @AUDIT_OF_USER: a user's tasks
 * @AUDIT_OF_PROCESS: a process's tasks
 */
enum audit_scope {
	AUDIT_OF_MACHINE,
	AUDIT_OF_CGROUP,
	AUDIT_OF_CPU,
	AUDIT_OF_USER,
	AUDIT_OF_PROCESS,
};

/**
 * struct audit_range - an amount that is known to lie within bounds
 * @min: the least that it can be
 * @max: the most that it can be
 */
struct audit_range {
	int64_t min;
	int64_t max;
};

/**
 * struct audit_row - a line
 * @scope: what it is of
 * @name: path of the cgroup, name of a task of the process
 * @id: the CPU, the user, or the process
 * @item: what is compared
 * @book: what with
 * @weight: CPU time of the group, by which lines are sorted
 * @used: by its tasks
 * @ended: tasks of it that ended
 * @booked: by the book
 * @below: how much less than booked may be known to be used
 * @above: how much more
 * @residual: how much more is known to be used than booked; negative: less
 * @closes: it is within the bounds
 */
struct audit_row {
	enum audit_scope scope;
	const char *name;
	uint32_t id;
	enum audit_item item;
	const char *book;
	int64_t weight;
	struct audit_range used;
	int64_t ended;
	struct audit_range booked;
	int64_t below;
	int64_t above;
	int64_t residual;
	bool closes;
};

/**
 * struct audit_rows - all of them
 * @v: lines; those of processes only where they do not close
 * @n: how many
 * @room: for how many there is room
 * @compared: how many there were of all
 */
struct audit_rows {
	struct audit_row *v;
	size_t n;
	size_t room;
	size_t compared;
};

/**
 * audit_rows_make() - hold sums against books
 * @rows: zeros
 * @sum: sums
 * @processes: the last records of processes that ended, sorted
 */
void audit_rows_make(struct audit_rows *rows, struct audit_sum *sum,
		     const struct audit_tasks *processes);

/**
 * audit_rows_sort() - the machine's first, then those with the most CPU time
 * @rows: lines
 */
void audit_rows_sort(struct audit_rows *rows);

/**
 * audit_rows_open() - how many do not close
 * @rows: lines
 *
 * Return: their number.
 */
size_t audit_rows_open(const struct audit_rows *rows);

/**
 * audit_row_is_reported() - whether there is something, or should be
 * @row: line
 *
 * Return: false for a line of zeros that closes.
 */
bool audit_row_is_reported(const struct audit_row *row);

/**
 * struct audit_item_info - an item, as programs and as people have it
 * @key: for programs
 * @name: for people
 * @unit: what it is
 */
struct audit_item_info {
	const char *key;
	const char *name;
	enum unit unit;
};

extern const struct audit_item_info audit_items[AUDIT_ITEMS];

/* Names of enum audit_scope */
extern const char *const audit_scopes[];

/**
 * audit_row_bound() - how far a line may be off
 * @row: line
 *
 * On the side on which it is off; where it is not, the one that there is.
 *
 * Return: the bound, or %AUDIT_UNBOUND.
 */
int64_t audit_row_bound(const struct audit_row *row);

#endif /* TASKACCT_CMD_AUDIT_ROWS_H */
