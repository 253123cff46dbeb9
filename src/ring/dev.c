// SPDX-License-Identifier: GPL-2.0-only
/*
 * The misc device: rings to be mapped
 *
 * An open device holds the module, and so does a map, by way of its file. The rings are
 * there from the first opening until nobody has it open or mapped any more.
 */

#include <linux/compat.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>
#include <linux/uaccess.h>

#include <linux/taskacct.h>
#include <linux/taskacct_ring.h>

#include "privilege/privilege.h"

#include "memory.h"
#include "ring.h"
#include "wake.h"

static int ring_group = -1;
module_param(ring_group, int, 0644);
MODULE_PARM_DESC(ring_group, "gid whose members may read all exits from /dev/taskacct_exits beside root; -1 (default): only root may");

static unsigned int ring_process_kib = 256;
module_param(ring_process_kib, uint, 0644);
MODULE_PARM_DESC(ring_process_kib, "memory for exits of processes on each CPU, in KiB, at the next first opening (default: 256)");

static unsigned int ring_thread_kib = 512;
module_param(ring_thread_kib, uint, 0644);
MODULE_PARM_DESC(ring_thread_kib, "the same for exits of threads (default: 512)");

#define WANTS	(TASKACCT_RING_KEPT | TASKACCT_RING_WAITS | TASKACCT_WANT_CGROUP_PATH)

/**
 * struct reader - an open device
 * @node: in readers
 * @want: what it asked for beside records
 * @wake_at: how many exits poll() waits for
 */
struct reader {
	struct list_head node;
	u32 want;
	u64 wake_at;
};

/*
 * Protects readers, their want, mapped and changes of taskacct_ring_memory. Taken within
 * mmap_lock.
 */
static DEFINE_MUTEX(ring_mutex);
static LIST_HEAD(readers);

/* The rings were mapped since they were made. */
static bool mapped;

static struct taskacct_ring_memory *the_memory(void)
{
	return rcu_dereference_protected(taskacct_ring_memory,
					 lockdep_is_held(&ring_mutex));
}

static int get_bytes(char *buffer, const struct kernel_param *kp)
{
	const struct taskacct_ring_memory *memory;
	u64 bytes;

	mutex_lock(&ring_mutex);
	memory = the_memory();
	bytes = memory ? memory->header->map_size : 0;
	mutex_unlock(&ring_mutex);
	return sysfs_emit(buffer, "%llu\n", bytes);
}

static const struct kernel_param_ops bytes_ops = {
	.get = get_bytes,
};

module_param_cb(ring_bytes, &bytes_ops, NULL, 0444);
MODULE_PARM_DESC(ring_bytes, "memory that the rings of exits take now, in bytes (cannot be set)");

/* Nobody writes or reads the old ones any more when it returns. */
static void replace(struct taskacct_ring_memory *memory)
{
	struct taskacct_ring_memory *old = the_memory();

	rcu_assign_pointer(taskacct_ring_memory, memory);
	if (!old)
		return;
	synchronize_rcu();
	taskacct_ring_memory_free(old);
	mapped = false;
}

static void add_up_wants(struct taskacct_ring_memory *memory)
{
	struct reader *reader;
	u32 want = 0;

	list_for_each_entry(reader, &readers, node)
		want |= reader->want;
	WRITE_ONCE(taskacct_ring_want, want);
	WRITE_ONCE(memory->header->want, want);
}

static u64 lane_size(unsigned int kib)
{
	return roundup_pow_of_two(clamp_t(u64, (u64)kib << 10, TASKACCT_RING_SIZE_MIN,
					  TASKACCT_RING_MAP_MAX));
}

/* As the parameters have it; less where that is too much for so many CPUs */
static struct taskacct_ring_sizes usual_sizes(void)
{
	struct taskacct_ring_sizes sizes = { {
		lane_size(READ_ONCE(ring_process_kib)),
		lane_size(READ_ONCE(ring_thread_kib)),
	} };
	u64 *larger;

	while (taskacct_ring_memory_size(&sizes) > TASKACCT_RING_MAP_MAX) {
		larger = &sizes.size[sizes.size[1] >= sizes.size[0]];
		if (*larger == TASKACCT_RING_SIZE_MIN)
			break;
		*larger /= 2;
	}
	return sizes;
}

static int have_memory(void)
{
	struct taskacct_ring_memory *memory;
	struct taskacct_ring_sizes sizes;

	if (the_memory())
		return 0;
	sizes = usual_sizes();
	memory = taskacct_ring_memory_alloc(&sizes);
	if (IS_ERR(memory))
		return PTR_ERR(memory);
	replace(memory);
	return 0;
}

/* Records are in the numbers and times of the initial namespaces. */
static int check_ring_open(const struct file *file)
{
	if (task_active_pid_ns(current) != &init_pid_ns || taskacct_boot_offset())
		return -EACCES;
	return taskacct_privilege_check_open(file, READ_ONCE(ring_group));
}

static int open_ring(struct inode *inode, struct file *file)
{
	struct reader *reader;
	int err;

	err = check_ring_open(file);
	if (err)
		return err;
	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return -ENOMEM;
	mutex_lock(&ring_mutex);
	err = have_memory();
	if (!err) {
		list_add(&reader->node, &readers);
		reader->wake_at = taskacct_ring_wake_made() + 1;
	}
	mutex_unlock(&ring_mutex);
	if (err)
		kfree(reader);
	else
		file->private_data = reader;
	return err;
}

static int release_ring(struct inode *inode, struct file *file)
{
	struct reader *reader = file->private_data;

	mutex_lock(&ring_mutex);
	list_del(&reader->node);
	add_up_wants(the_memory());
	if (list_empty(&readers))
		replace(NULL);
	mutex_unlock(&ring_mutex);
	kfree(reader);
	return 0;
}

static vm_fault_t on_ring_fault(struct vm_fault *vmf)
{
	const struct taskacct_ring_memory *memory = vmf->vma->vm_private_data;

	if (vmf->pgoff >= memory->n_pages)
		return VM_FAULT_SIGBUS;
	vmf->page = memory->pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct vm_ops = {
	.fault = on_ring_fault,
};

static bool is_within(struct vm_area_struct *vma,
		      const struct taskacct_ring_memory *memory)
{
	return vma->vm_pgoff < memory->n_pages &&
	       vma_pages(vma) <= memory->n_pages - vma->vm_pgoff;
}

static int map_ring(struct file *file, struct vm_area_struct *vma)
{
	struct taskacct_ring_memory *memory;
	int err = 0;

	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	mutex_lock(&ring_mutex);
	memory = the_memory();
	if (is_within(vma, memory))
		mapped = true;
	else
		err = -EINVAL;
	mutex_unlock(&ring_mutex);
	if (err)
		return err;
	/* Neither mprotect() nor a debugger shall make it writable later. */
	taskacct_vm_flags_clear(vma, VM_MAYWRITE);
	taskacct_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = memory;
	vma->vm_ops = &vm_ops;
	return 0;
}

static __poll_t poll_ring(struct file *file, poll_table *wait)
{
	const struct reader *reader = file->private_data;

	poll_wait(file, &taskacct_ring_sleepers, wait);
	return taskacct_ring_wake_when(READ_ONCE(reader->wake_at)) ?
		       EPOLLIN | EPOLLRDNORM : 0;
}

static int set_want(struct reader *reader, const void __user *argument)
{
	u32 want;

	if (copy_from_user(&want, argument, sizeof(want)))
		return -EFAULT;
	if (want & ~WANTS)
		return -EINVAL;
	mutex_lock(&ring_mutex);
	reader->want = want;
	add_up_wants(the_memory());
	mutex_unlock(&ring_mutex);
	return 0;
}

static int check_ring_sizes(const struct taskacct_ring_sizes *sizes)
{
	unsigned int i;

	for (i = 0; i < TASKACCT_RING_LANES; i++) {
		if (!is_power_of_2(sizes->size[i]) ||
		    sizes->size[i] < TASKACCT_RING_SIZE_MIN)
			return -EINVAL;
		if (sizes->size[i] > TASKACCT_RING_MAP_MAX)
			return -E2BIG;
	}
	return taskacct_ring_memory_size(sizes) > TASKACCT_RING_MAP_MAX ? -E2BIG : 0;
}

/* Under cpus_read_lock() and ring_mutex */
static int resize(const struct taskacct_ring_sizes *sizes)
{
	struct taskacct_ring_memory *memory;

	if (mapped || !list_is_singular(&readers))
		return -EBUSY;
	memory = taskacct_ring_memory_alloc(sizes);
	if (IS_ERR(memory))
		return PTR_ERR(memory);
	taskacct_ring_exchange(the_memory(), memory);
	taskacct_ring_memory_free(memory);
	add_up_wants(the_memory());
	/* Who sleeps has counted with the old ones. */
	wake_up_all(&taskacct_ring_sleepers);
	return 0;
}

static int set_sizes(const void __user *argument)
{
	struct taskacct_ring_sizes sizes;
	int err;

	if (!taskacct_privilege_of_current(TASKACCT_PRIVILEGE_SIZES))
		return -EPERM;
	if (copy_from_user(&sizes, argument, sizeof(sizes)))
		return -EFAULT;
	err = check_ring_sizes(&sizes);
	if (err)
		return err;
	/* It is not taken within ring_mutex, for that is within mmap_lock. */
	cpus_read_lock();
	mutex_lock(&ring_mutex);
	err = resize(&sizes);
	mutex_unlock(&ring_mutex);
	cpus_read_unlock();
	return err;
}

static int set_wake(struct reader *reader, const void __user *argument)
{
	u64 at;

	if (copy_from_user(&at, argument, sizeof(at)))
		return -EFAULT;
	WRITE_ONCE(reader->wake_at, at);
	return 0;
}

static long control_ring(struct file *file, unsigned int command, unsigned long argument)
{
	const void __user *from = (const void __user *)argument;
	struct reader *reader = file->private_data;

	switch (command) {
	case TASKACCT_RING_WANT:
		return set_want(reader, from);
	case TASKACCT_RING_SIZE:
		return set_sizes(from);
	case TASKACCT_RING_WAKE:
		return set_wake(reader, from);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations ring_ops = {
	.owner = THIS_MODULE,
	.open = open_ring,
	.release = release_ring,
	.mmap = map_ring,
	.poll = poll_ring,
	.unlocked_ioctl = control_ring,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice ring_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "taskacct_exits",
	.fops = &ring_ops,
	.mode = 0444,
};

/**
 * taskacct_ring_init() - make the device
 *
 * Context: task context, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_ring_init(void)
{
	int err;

	err = taskacct_ring_wake_init();
	if (err)
		return err;
	err = misc_register(&ring_device);
	if (err)
		taskacct_ring_wake_exit();
	return err;
}

/**
 * taskacct_ring_exit() - take the device away
 *
 * Context: task context, may sleep; the module is not in use.
 */
void taskacct_ring_exit(void)
{
	misc_deregister(&ring_device);
	taskacct_ring_wake_exit();
}
