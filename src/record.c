// SPDX-License-Identifier: GPL-2.0-only
/*
 * The extended record: everything, and what is not known
 *
 * Values come from the same places as those of the classic record (fill.c),
 * but exact. Each group of them has one bit that tells whether it can be
 * relied on and, if not, why not.
 */

#include <linux/audit.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>
#include <linux/vtime.h>

#include <linux/taskacct.h>

#include "fill.h"
#include "record.h"
#include "tgid.h"

#define HAS(group)	BIT(TASKACCT_HAS_##group)
#define ALL_GROUPS	(BIT(__TASKACCT_HAS_MAX) - 1)

/* The groups that need the kernel's delay accounting */
#define WAITS	(HAS(BLKIO) | HAS(SWAPIN) | HAS(FREEPAGES) | HAS(THRASHING) | \
		 HAS(COMPACT) | HAS(WPCOPY) | HAS(IRQ) | HAS(EXTREMES))

/* Those that the kernel drops with a thread, or adds to another's */
#define DROPPED	(WAITS | HAS(RUN_QUEUE) | HAS(INTEGRAL) | HAS(IO) | \
		 HAS(STORAGE) | HAS(THREADS))

/* Those that an address space tells */
#define FROM_MM	(HAS(PEAK) | HAS(MEMORY) | HAS(EXE))

static u32 absent(void)
{
	u32 groups = 0;

	if (!IS_ENABLED(CONFIG_SCHED_INFO))
		groups |= HAS(RUN_QUEUE);
	if (!IS_ENABLED(CONFIG_TASK_XACCT))
		groups |= HAS(IO) | HAS(INTEGRAL);
	if (!IS_ENABLED(CONFIG_TASK_IO_ACCOUNTING))
		groups |= HAS(STORAGE);
	if (!IS_ENABLED(CONFIG_AUDIT))
		groups |= HAS(LOGINUID);
	if (!IS_ENABLED(CONFIG_CGROUPS))
		groups |= HAS(CGROUP);
	if (!IS_ENABLED(CONFIG_TASK_DELAY_ACCT))
		groups |= WAITS;
	/* The only source of these waits */
	if (!IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING))
		groups |= HAS(IRQ);
	if (!TASKACCT_HAVE_DELAY_COMPACT)
		groups |= HAS(COMPACT);
	if (!TASKACCT_HAVE_DELAY_WPCOPY)
		groups |= HAS(WPCOPY);
	if (!TASKACCT_HAVE_DELAY_EXTREMES)
		groups |= HAS(EXTREMES);
	return groups;
}

/*
 * Of several reasons the one that lasts longest is told: what the kernel does
 * not have need not be switched on.
 */
static void put_validity(struct taskacct_record *record,
			 const struct taskacct_values *values, u32 gone)
{
	record->absent |= absent();
	if (values->flags & TASKACCT_FLAG_WAITS_OFF)
		record->off = WAITS & ~record->absent;
	if (values->flags & TASKACCT_FLAG_WAITS_LATE)
		record->late |= WAITS;
	if (values->flags & TASKACCT_FLAG_OTHERS_LATE)
		record->late |= DROPPED;
	record->late &= ~(record->absent | record->off);
	record->gone = gone & ~(record->absent | record->off | record->late);
	record->valid = ALL_GROUPS & ~(record->absent | record->off |
				       record->late | record->gone);
}

static void put_ids(struct taskacct_record *record, struct task_struct *t,
		    const struct taskacct_view *view)
{
	const struct task_struct *parent;
	const struct pid_namespace *ns;
	const struct cred *cred;

	record->pid = task_pid_nr_ns(t, view->pid_ns);
	record->tgid = task_tgid_nr_ns(t, view->pid_ns);
	record->init_pid = task_pid_nr(t);
	record->init_tgid = task_tgid_nr(t);

	rcu_read_lock();
	if (pid_alive(t)) {
		parent = rcu_dereference(t->real_parent);
		record->ppid = task_tgid_nr_ns((struct task_struct *)parent,
					       view->pid_ns);
		record->init_ppid = task_tgid_nr((struct task_struct *)parent);
	}
	ns = task_active_pid_ns(t);
	record->pid_ns = ns ? ns->ns.inum : 0;

	cred = __task_cred(t);
	record->uid = from_kuid_munged(view->user_ns, cred->uid);
	record->gid = from_kgid_munged(view->user_ns, cred->gid);
	record->euid = from_kuid_munged(view->user_ns, cred->euid);
	record->egid = from_kgid_munged(view->user_ns, cred->egid);
	record->loginuid = from_kuid(view->user_ns, audit_get_loginuid(t));
#ifdef CONFIG_CGROUPS
	record->cgroup = cgroup_id(task_dfl_cgroup(t));
#endif
	rcu_read_unlock();
}

static u8 cpu_accounting(unsigned int cpu)
{
	if (IS_ENABLED(CONFIG_VIRT_CPU_ACCOUNTING_NATIVE))
		return TASKACCT_CPU_NATIVE;
	return taskacct_vtime_accounting_cpu(cpu) ? TASKACCT_CPU_GENERIC :
						    TASKACCT_CPU_TICK;
}

static void put_identity(struct taskacct_record *record, struct task_struct *t,
			 const struct taskacct_view *view, u64 until)
{
	const unsigned int cpu = task_cpu(t);

	record->version = TASKACCT_RECORD_VERSION;
	record->cpu_accounting = cpu_accounting(cpu);
	record->policy = READ_ONCE(t->policy);
	record->nice = task_nice(t);
	record->cpu = cpu;
	strscpy_pad(record->comm, t->comm, sizeof(record->comm));
	put_ids(record, t, view);
	record->start = t->start_boottime;
	record->end = ktime_to_ns(ktime_mono_to_any(until, TK_OFFS_BOOT));
	record->real_end = ktime_to_ns(ktime_mono_to_any(until, TK_OFFS_REAL));
}

static void put_wait(struct taskacct_wait *wait,
		     const struct taskacct_delay *delay)
{
	wait->count = delay->count;
	wait->total = delay->total;
	wait->max = delay->max;
	wait->min = delay->min;
}

static void put_usage(struct taskacct_record *record,
		      const struct taskacct_usage *usage)
{
	unsigned int i;

	record->utime = usage->utime;
	record->stime = usage->stime;
	record->runtime = usage->runtime;
	record->run_count = usage->run_count;
	record->run_delay = usage->run_delay;
	record->min_flt = usage->min_flt;
	record->maj_flt = usage->maj_flt;
	record->nvcsw = usage->nvcsw;
	record->nivcsw = usage->nivcsw;
	record->rchar = usage->rchar;
	record->wchar = usage->wchar;
	record->syscr = usage->syscr;
	record->syscw = usage->syscw;
	record->read_bytes = usage->read_bytes;
	record->write_bytes = usage->write_bytes;
	record->cancelled_write_bytes = usage->cancelled_write_bytes;
	record->rss_time = taskacct_fill_kib_usecs(usage->rss_time);
	record->vm_time = taskacct_fill_kib_usecs(usage->vm_time);
	BUILD_BUG_ON(TASKACCT_DELAYS != (int)TASKACCT_WAITS);
	for (i = 0; i < TASKACCT_WAITS; i++)
		put_wait(&record->wait[i], &usage->delay[i]);
}

static void put_memory(struct taskacct_record *record, struct mm_struct *mm)
{
	record->rss_anon = (u64)get_mm_counter(mm, MM_ANONPAGES) << PAGE_SHIFT;
	record->rss_file = (u64)get_mm_counter(mm, MM_FILEPAGES) << PAGE_SHIFT;
	record->rss_shmem = (u64)get_mm_counter(mm, MM_SHMEMPAGES)
			    << PAGE_SHIFT;
	record->swap = (u64)get_mm_counter(mm, MM_SWAPENTS) << PAGE_SHIFT;
}

/* Returns the groups that could not be had */
static u32 put_mm(struct taskacct_record *record,
		  const struct taskacct_mm *values, struct mm_struct *mm,
		  bool kthread)
{
	u32 gone = 0;

	/* A kernel thread has none: these are its values. */
	if (kthread)
		return 0;
	if (mm)
		put_memory(record, mm);
	else
		gone |= HAS(MEMORY);
	if (!values->hiwater_vm)
		return gone | FROM_MM;
	record->peak_rss = values->hiwater_rss << 10;
	record->peak_vm = values->hiwater_vm << 10;
	record->exe_dev = values->exe_dev;
	record->exe_ino = values->exe_ino;
	if (!values->exe_ino)
		gone |= HAS(EXE);
	return gone;
}

static u32 flags_of(const struct taskacct_values *values,
		    struct task_struct *t)
{
	static const struct {
		u32 from;
		u32 to;
	} map[] = {
		{ AFORK, TASKACCT_RECORD_NOEXEC },
		{ ASU, TASKACCT_RECORD_SU },
		{ ACORE, TASKACCT_RECORD_CORE },
		{ AXSIG, TASKACCT_RECORD_SIGNAL },
	};
	u32 flags = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(map); i++)
		if (values->flags & map[i].from)
			flags |= map[i].to;
	if (READ_ONCE(t->flags) & PF_KTHREAD)
		flags |= TASKACCT_RECORD_KTHREAD;
	if (tsk_is_oom_victim(t))
		flags |= TASKACCT_RECORD_OOM;
	return flags;
}
