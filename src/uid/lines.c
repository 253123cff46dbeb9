// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of tasks, in debug mode
 *
 * They are of the same instant as those of their users, see uid/view.h. A task
 * that the kernel has freed since has no line.
 */

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "lines.h"
#include "live.h"
#include "uid.h"
#include "walk.h"

/**
 * taskacct_uid_lines_alloc() - make room for lines
 * @rows: where
 * @room: for how many
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM; taskacct_uid_rows_free() frees it.
 */
int taskacct_uid_lines_alloc(struct taskacct_uid_rows *rows, unsigned int room)
{
	rows->lines_room = room;
	rows->lines = kvmalloc_array(room, sizeof(*rows->lines),
				     GFP_KERNEL_ACCOUNT);
	rows->order = kvmalloc_array(room, 2 * sizeof(*rows->order),
				     GFP_KERNEL_ACCOUNT);
	return rows->lines && rows->order ? 0 : -ENOMEM;
}

/**
 * struct collect - a walk that makes lines
 * @walk: the walk
 * @rows: where
 * @only: of one user, or INVALID_UID
 * @ns: whose numbers to use
 * @round: its number, by which a task that comes again is known
 */
struct collect {
	struct taskacct_uid_walk walk;
	struct taskacct_uid_rows *rows;
	kuid_t only;
	struct user_namespace *ns;
	unsigned int round;
};

static void add_line(struct collect *collect, struct task_struct *t)
{
	struct taskacct_uid_rows *rows = collect->rows;
	struct taskacct_uid_line *line = &rows->lines[rows->nr_lines];
	kuid_t uid;

	if (!taskacct_uid_tell_io(t, collect->round, &uid, line->io) ||
	    (uid_valid(collect->only) && !uid_eq(uid, collect->only)))
		return;
	line->uid = from_kuid_munged(collect->ns, uid);
	line->pid = task_pid_vnr(t);
	/* A name that changes meanwhile may be half of each. */
	data_race(strscpy_pad(line->comm, t->comm, sizeof(line->comm)));
	rows->order[rows->nr_lines].uid = line->uid;
	rows->order[rows->nr_lines].line = line;
	rows->nr_lines++;
}

static bool visit(struct taskacct_uid_walk *walk, struct task_struct *t)
{
	struct collect *collect = container_of(walk, struct collect, walk);

	if (collect->rows->nr_lines == collect->rows->lines_room)
		return false;
	add_line(collect, t);
	return true;
}

static int no_room(void)
{
	return -ENOSPC;
}

/**
 * taskacct_uid_lines_read() - add the tasks
 * @rows: to these
 * @only: of one user, or INVALID_UID
 * @ns: whose numbers to use
 * @round: a number that no walk had
 *
 * Context: the only reader, after taskacct_uid_rows_fill(); may sleep.
 * Return: 0, -ENOSPC if there is no room, or -EINTR if we were killed.
 */
int taskacct_uid_lines_read(struct taskacct_uid_rows *rows, kuid_t only,
			    struct user_namespace *ns, unsigned int round)
{
	struct collect collect = {
		.walk = { .visit = visit, .refill = no_room },
		.rows = rows,
		.only = only,
		.ns = ns,
		.round = round,
	};
	int err;

	err = taskacct_uid_walk(&collect.walk);
	if (!err)
		rows->by_user = taskacct_uid_rows_sort(rows->order,
						       rows->nr_lines,
						       rows->lines_room);
	return err;
}

static unsigned int first_line_of(const struct taskacct_uid_rows *rows, u32 uid)
{
	unsigned int low = 0, high = rows->nr_lines, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (rows->by_user[middle].uid < uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void show_io(struct seq_file *m, const struct taskacct_uid_io *io)
{
	seq_printf(m, ",%llu,%llu,%llu,%llu", io->rchar, io->wchar,
		   io->read_bytes, io->written);
}

/*
 * With commas, since names may have spaces in them. What would end the name, or
 * its line, and all control characters are put as in /proc/PID/mounts: \012.
 */
static void show_line(struct seq_file *m, const struct taskacct_uid_line *line)
{
	static const char escaped[] =
		"\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017"
		"\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037"
		"\177\\,";
	const struct taskacct_uid_io *io = line->io;

	seq_puts(m, "task,");
	seq_escape(m, line->comm, escaped);
	seq_printf(m, ",%u", line->pid);
	show_io(m, &io[TASKACCT_UID_FOREGROUND]);
	show_io(m, &io[TASKACCT_UID_BACKGROUND]);
	seq_printf(m, ",%llu,%llu\n", io[TASKACCT_UID_FOREGROUND].fsync,
		   io[TASKACCT_UID_BACKGROUND].fsync);
}

/**
 * taskacct_uid_lines_show() - write the lines of a user's tasks
 * @m: where
 * @rows: the users
 * @uid: the user, as the reader's user namespace numbers it
 *
 * Context: task context.
 */
void taskacct_uid_lines_show(struct seq_file *m,
			     const struct taskacct_uid_rows *rows, u32 uid)
{
	unsigned int i;

	for (i = first_line_of(rows, uid); i < rows->nr_lines; i++) {
		if (rows->by_user[i].uid != uid)
			break;
		show_line(m, rows->by_user[i].line);
	}
}
