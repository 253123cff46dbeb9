// SPDX-License-Identifier: GPL-2.0-only
/*
 * The misc devices: counter pages to be mapped, and their names
 *
 * An open device holds the module, and so does a map, by way of its file: no
 * page is freed that a map shows.
 */

#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/wait.h>

#include "privilege/privilege.h"

#include "counters.h"
#include "pages.h"

static int counters_group = -1;
module_param(counters_group, int, 0644);
MODULE_PARM_DESC(counters_group, "gid whose members may open the counters beside root; -1 (default): only root may");

/* The pages tell, to the ns, what each CPU does. */
static int check_counters_open(struct file *file)
{
	return taskacct_privilege_check_open(file, READ_ONCE(counters_group));
}

static int open_counters(struct inode *inode, struct file *file)
{
	return check_counters_open(file);
}

static vm_fault_t on_counters_fault(struct vm_fault *vmf)
{
	struct page *page = taskacct_counters_page(vmf->pgoff);

	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct vm_ops = {
	.fault = on_counters_fault,
};

static int map_counters(struct file *file, struct vm_area_struct *vma)
{
	const unsigned long end = taskacct_counters_pages();

	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	if (vma->vm_pgoff >= end || vma_pages(vma) > end - vma->vm_pgoff)
		return -EINVAL;
	/* mprotect() shall not make it writable later. */
	taskacct_vm_flags_clear(vma, VM_MAYWRITE);
	vma->vm_ops = &vm_ops;
	return 0;
}

static const struct file_operations counters_ops = {
	.owner = THIS_MODULE,
	.open = open_counters,
	.mmap = map_counters,
	.llseek = noop_llseek,
};

static int show_names(struct seq_file *m, void *unused)
{
	taskacct_counters_show_names(m);
	return 0;
}

static int open_names(struct inode *inode, struct file *file)
{
	struct seq_file *m;
	int err;

	err = check_counters_open(file);
	if (err)
		return err;
	/* It has the misc device, where a seq_file wants to be. */
	file->private_data = NULL;
	err = single_open(file, show_names, NULL);
	if (err)
		return err;
	/* Other than any: there is something to be read. */
	m = file->private_data;
	m->poll_event = taskacct_counters_generation() - 1;
	return 0;
}

static __poll_t poll_names(struct file *file, poll_table *wait)
{
	const struct seq_file *m = file->private_data;

	poll_wait(file, &taskacct_counters_changed, wait);
	if ((u32)READ_ONCE(m->poll_event) != taskacct_counters_generation())
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

static const struct file_operations names_ops = {
	.owner = THIS_MODULE,
	.open = open_names,
	.read = seq_read,
	.llseek = seq_lseek,
	.poll = poll_names,
	.release = single_release,
};

static struct miscdevice counters_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "taskacct_counters",
	.fops = &counters_ops,
	.mode = 0444,
};

static struct miscdevice names_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "taskacct_names",
	.fops = &names_ops,
	.mode = 0444,
};

/**
 * taskacct_dev_init() - make the devices
 *
 * Context: task context, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_dev_init(void)
{
	int err;

	err = misc_register(&counters_device);
	if (err)
		return err;
	err = misc_register(&names_device);
	if (err)
		misc_deregister(&counters_device);
	return err;
}

/**
 * taskacct_dev_exit() - take the devices away
 *
 * Context: task context, may sleep.
 */
void taskacct_dev_exit(void)
{
	misc_deregister(&names_device);
	misc_deregister(&counters_device);
}
