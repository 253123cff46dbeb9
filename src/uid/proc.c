// SPDX-License-Identifier: GPL-2.0-only
/*
 * Android's files
 *
 * What is read is as it was when the file was opened, however it is read.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/namei.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "access/access.h"
#include "privilege/privilege.h"

#include "lines.h"
#include "snapshot.h"
#include "totals.h"
#include "uid.h"

/* Longest text that is taken, with its end */
#define INPUT_SIZE	128

/* Longest line: eleven numbers, as long as they get, and what stands between */
#define LINE_SIZE	232

static int access_of_file(kuid_t *only, const struct file *file)
{
	return taskacct_access_users(only,
				     taskacct_privilege_of_file(file,
								TASKACCT_PRIVILEGE_USERS),
				     NULL);
}

static int open_rows(struct file *file, enum taskacct_uid_kind kind,
		     const struct seq_operations *ops)
{
	struct taskacct_uid_snapshot *snapshot;
	kuid_t only;
	int err;

	err = access_of_file(&only, file);
	if (err)
		return err;
	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL_ACCOUNT);
	if (!snapshot)
		return -ENOMEM;
	err = taskacct_uid_totals_read(snapshot, kind, only, file->f_cred->user_ns);
	if (err)
		goto err_read;
	err = seq_open(file, ops);
	if (err)
		goto err_open;
	((struct seq_file *)file->private_data)->private = snapshot;
	return 0;

err_open:
	taskacct_uid_snapshot_free(snapshot);
err_read:
	kfree(snapshot);
	return err;
}

static int release_rows(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	taskacct_uid_snapshot_free(m->private);
	kfree(m->private);
	return seq_release(inode, file);
}

static void *row_at(struct seq_file *m, loff_t *pos)
{
	struct taskacct_uid_snapshot *snapshot = m->private;

	return *pos < snapshot->nr ? taskacct_uid_snapshot_at(snapshot, *pos) : NULL;
}

static void *next_row(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return row_at(m, pos);
}

static void stop_rows(struct seq_file *m, void *v)
{
}

/*
 * A line is made from its end to its start. seq_put_decimal_ull() takes a hundred
 * instructions a number, and most numbers of most users are 0.
 */
static char *put_number(char *to, u64 number)
{
	u32 digit;

	while (number > 9) {
		number = div_u64_rem(number, 10, &digit);
		*--to = '0' + digit;
	}
	*--to = '0' + number;
	return to;
}

static char *put_io(char *to, const struct taskacct_uid_io *io)
{
	to = put_number(to, io->written);
	*--to = ' ';
	to = put_number(to, io->read_bytes);
	*--to = ' ';
	to = put_number(to, io->wchar);
	*--to = ' ';
	to = put_number(to, io->rchar);
	*--to = ' ';
	return to;
}

static int show_user_io(struct seq_file *m, void *v)
{
	const struct taskacct_uid_io_row *row = v;
	const struct taskacct_uid_io *fg = &row->io[TASKACCT_UID_FOREGROUND];
	const struct taskacct_uid_io *bg = &row->io[TASKACCT_UID_BACKGROUND];
	char text[LINE_SIZE], *to = text + sizeof(text);

	*--to = '\n';
	to = put_number(to, bg->fsync);
	*--to = ' ';
	to = put_number(to, fg->fsync);
	*--to = ' ';
	to = put_io(to, bg);
	to = put_io(to, fg);
	to = put_number(to, row->uid);
	seq_write(m, to, text + sizeof(text) - to);
	taskacct_uid_lines_show(m, m->private, row->uid);
	return 0;
}

static const struct seq_operations io_rows = {
	.start = row_at,
	.next = next_row,
	.stop = stop_rows,
	.show = show_user_io,
};

static int open_io(struct inode *inode, struct file *file)
{
	return open_rows(file, TASKACCT_UID_IO, &io_rows);
}

static const struct proc_ops io_ops = {
	.proc_open = open_io,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = release_rows,
};

static int show_cputime(struct seq_file *m, void *v)
{
	const struct taskacct_uid_times_row *row = v;
	char text[LINE_SIZE], *to = text + sizeof(text);

	*--to = '\n';
	to = put_number(to, div_u64(row->system, NSEC_PER_USEC));
	*--to = ' ';
	to = put_number(to, div_u64(row->user, NSEC_PER_USEC));
	*--to = ' ';
	*--to = ':';
	to = put_number(to, row->uid);
	seq_write(m, to, text + sizeof(text) - to);
	return 0;
}

static const struct seq_operations cputime_rows = {
	.start = row_at,
	.next = next_row,
	.stop = stop_rows,
	.show = show_cputime,
};

static int open_cputime(struct inode *inode, struct file *file)
{
	return open_rows(file, TASKACCT_UID_TIMES, &cputime_rows);
}

static const struct proc_ops cputime_ops = {
	.proc_open = open_cputime,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = release_rows,
};

/* A container's root has the file, too. */
static int open_for_writing(struct inode *inode, struct file *file)
{
	kuid_t only;
	int err = access_of_file(&only, file);

	if (!err && uid_valid(only))
		err = -EPERM;
	return err;
}

static int get_input(char *input, const char __user *buffer, size_t count)
{
	if (count >= INPUT_SIZE)
		return -EINVAL;
	if (copy_from_user(input, buffer, count))
		return -EFAULT;
	input[count] = '\0';
	return 0;
}

/* Of a number that is too large sscanf() would take the lower bits. */
static int get_number(const char *text, u32 *number)
{
	if (text[strspn(text, "0123456789")] || kstrtou32(text, 10, number))
		return -EINVAL;
	return 0;
}

static int get_two_numbers(char *input, const char *between, u32 *one,
			   u32 *other)
{
	char *rest = strim(input), *first = strsep(&rest, between);

	if (!rest || get_number(first, one) ||
	    get_number(skip_spaces(rest), other))
		return -EINVAL;
	return 0;
}

static ssize_t write_set(struct file *file, const char __user *buffer,
			 size_t count, loff_t *pos)
{
	char input[INPUT_SIZE];
	u32 id, state;
	kuid_t uid;
	int err;

	err = get_input(input, buffer, count);
	if (!err)
		err = get_two_numbers(input, " \t\n\v\f\r", &id, &state);
	if (err)
		return err;
	if (state != TASKACCT_UID_FOREGROUND &&
	    state != TASKACCT_UID_BACKGROUND)
		return -EINVAL;
	uid = make_kuid(file->f_cred->user_ns, id);
	if (!uid_valid(uid))
		return -EINVAL;
	return taskacct_uid_totals_set(uid, state) ?: count;
}

static const struct proc_ops set_ops = {
	.proc_open = open_for_writing,
	.proc_write = write_set,
};

static ssize_t write_remove(struct file *file, const char __user *buffer,
			    size_t count, loff_t *pos)
{
	char input[INPUT_SIZE];
	u32 from, to;
	int err;

	err = get_input(input, buffer, count);
	if (!err)
		err = get_two_numbers(input, "-", &from, &to);
	if (err)
		return err;
	return taskacct_uid_totals_remove(file->f_cred->user_ns, from, to) ?:
	       count;
}

static const struct proc_ops remove_ops = {
	.proc_open = open_for_writing,
	.proc_write = write_remove,
};

/**
 * struct one_file - a file of ours
 * @dir: in which directory
 * @name: its name
 * @written: it is for writing
 * @ops: what it does
 */
struct one_file {
	enum taskacct_uid_dir dir;
	const char *name;
	bool written;
	const struct proc_ops *ops;
};

static const struct one_file files[] = {
	{ TASKACCT_UID_DIR_IO, "stats", false, &io_ops },
	{ TASKACCT_UID_DIR_PROCSTAT, "set", true, &set_ops },
	{ TASKACCT_UID_DIR_CPUTIME, "show_uid_stat", false, &cputime_ops },
	{ TASKACCT_UID_DIR_CPUTIME, "remove_uid_range", true, &remove_ops },
};

static struct proc_dir_entry *dirs[TASKACCT_UID_DIRS];

static umode_t mode_of(const struct one_file *file)
{
	if (!file->written)
		return 0444;
	return taskacct_access_all_users ? 0222 : 0200;
}

/* Returns 0 if there is such a directory, or an error */
static int look_for(const char *name)
{
	struct path path;
	char *full;
	int err;

	full = kasprintf(GFP_KERNEL, "/proc/%s", name);
	if (!full)
		return -ENOMEM;
	err = kern_path(full, 0, &path);
	kfree(full);
	if (!err)
		path_put(&path);
	return err;
}

static int make_dir(enum taskacct_uid_dir dir, const char *name)
{
	const struct one_file *file;
	int err;

	if (!*name)
		return 0;
	if (*name == '.' || strchr(name, '/')) {
		pr_err("uid_dirs: %s is no name of a directory\n", name);
		return -EINVAL;
	}
	/* A second one of the same name would be, and be warned of. */
	err = look_for(name);
	if (err == -ENOMEM)
		return err;
	if (!err) {
		pr_notice("there is a /proc/%s already: going on without ours\n",
			  name);
		return 0;
	}
	dirs[dir] = proc_mkdir(name, NULL);
	if (!dirs[dir])
		return -ENOMEM;
	for (file = files; file < files + ARRAY_SIZE(files); file++)
		if (file->dir == dir &&
		    !proc_create(file->name, mode_of(file), dirs[dir],
				 file->ops))
			return -ENOMEM;
	return 0;
}

/**
 * taskacct_uid_proc_init() - make Android's files
 * @names: of the directories, by enum taskacct_uid_dir; "": without it
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, or -EINVAL if one is no name.
 */
int taskacct_uid_proc_init(char *const *names)
{
	unsigned int i;
	int err;

	for (i = 0; i < TASKACCT_UID_DIRS; i++) {
		err = make_dir(i, names[i]);
		if (err) {
			taskacct_uid_proc_exit();
			return err;
		}
	}
	return 0;
}

/**
 * taskacct_uid_proc_exit() - remove Android's files
 *
 * Waits for those who are reading or writing.
 *
 * Context: task context, may sleep.
 */
void taskacct_uid_proc_exit(void)
{
	unsigned int i;

	for (i = 0; i < TASKACCT_UID_DIRS; i++) {
		proc_remove(dirs[i]);
		dirs[i] = NULL;
	}
}
