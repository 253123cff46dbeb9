/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of an audit: what tasks used, what a book says, and how far they are apart */
#ifndef GETDELAYS_AUDIT_ROWS_H
#define GETDELAYS_AUDIT_ROWS_H

#include "audit_sum.h"
#include "out.h"

/* No bound on this side: what a book counts beyond, or does not count */
#define AUDIT_UNBOUND INT64_MAX

/**
 * enum audit_scope - what a line is of
 * @AUDIT_OF_MACHINE: all tasks
 * @AUDIT_OF_CGROUP: the tasks of a cgroup, and below it
 * @AUDIT_OF_USER: a user's tasks
 * @AUDIT_OF_PROCESS: a process's tasks
 */
enum audit_scope {
	AUDIT_OF_MACHINE,
	AUDIT_OF_CGROUP,
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
 * @id: the user, or the process
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
 * audit_rows_print() - print them
 * @rows: lines
 * @out: output
 *
 * Return: how many do not close.
 */
size_t audit_rows_print(struct audit_rows *rows, struct out *out);

#endif /* GETDELAYS_AUDIT_ROWS_H */
