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
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>

#include <taskacct_features.h>

#include <linux/taskacct.h>

#include "cputime/cputime.h"
#include "task/task.h"

#include "record.h"

#define HAS(group)	BIT_ULL(TASKACCT_HAS_##group)
#define ALL_GROUPS	(BIT_ULL(__TASKACCT_HAS_MAX) - 1)

#define WAITS	taskacct_features_waits()

/* The group of a sum if the kernel drops it with a thread, or adds it to another's */
#define IS_DROPPED	~0ULL
#define IS_KEPT		0ULL
#define DROPPED_OF(number, name, member, unit, group, after, ...) (HAS(group) & IS_##after) |
#define SUMMED_OF(number, name, member, unit, group, ...) HAS(group) |

/* Those that the kernel drops with a thread, or adds to another's */
#define DROPPED	(TASKACCT_SUMS(DROPPED_OF) WAITS | HAS(RUN_QUEUE) | HAS(THREADS))

/* Those that are a sum over the threads of a process */
#define SUMMED	(TASKACCT_SUMS(SUMMED_OF) DROPPED)

/* Those that an address space tells, of the past too */
#define FROM_MM	(HAS(PEAK_RSS) | HAS(PEAK_VM) | HAS(EXE))

#define LATE_FLAGS	(TASKACCT_FLAG_ON_CPU_LATE | TASKACCT_FLAG_WAITS_LATE | \
			 TASKACCT_FLAG_OTHERS_LATE | TASKACCT_FLAG_OTHERS_LOST)

static u64 late_of(u32 flags)
{
	u64 late = 0;

	if (flags & TASKACCT_FLAG_ON_CPU_LATE)
		late |= HAS(ON_CPU);
	if (flags & TASKACCT_FLAG_WAITS_LATE)
		late |= WAITS;
	if (flags & TASKACCT_FLAG_OTHERS_LATE)
		late |= DROPPED;
	if (flags & TASKACCT_FLAG_OTHERS_LOST)
		late |= SUMMED;
	return late;
}

/**
 * taskacct_record_absent() - the groups of values that no record has here
 *
 * Return: bits of enum taskacct_values_bit.
 */
u64 taskacct_record_absent(void)
{
	u64 absent = taskacct_features_absent();

	/* Whether interrupts are measured is no question where waits for them are absent. */
	if (!(absent & HAS(IRQ)) && !taskacct_irqtime_is_measured())
		absent |= HAS(IRQ);
	return absent;
}

/*
 * Of several reasons the one that lasts longest is reported: what the kernel does
 * not have need not be switched on.
 */
static __always_inline void put_validity(struct taskacct_record *record,
					 const struct taskacct_values *values,
					 u64 gone)
{
	const u64 absent = record->absent | taskacct_record_absent();
	const u32 flags = values->flags;
	u64 late = 0, off = 0;

	if (flags & TASKACCT_FLAG_WAITS_OFF)
		off = WAITS;
	if (flags & TASKACCT_FLAG_ON_CPU_OFF)
		off |= HAS(ON_CPU);
	if (flags & TASKACCT_FLAG_ON_CPU_GONE) {
		gone |= HAS(ON_CPU);
		record->on_cpu = 0;
	}
	if (unlikely(flags & LATE_FLAGS))
		late = late_of(flags);
	off &= ~absent;
	late &= ~(absent | off);
	gone &= ~(absent | off | late);
	record->absent = absent;
	record->off = off;
	record->late = late;
	record->gone = gone;
	record->valid = ALL_GROUPS & ~(absent | off | late | gone);
}

static u32 loginuid_of(struct task_struct *t, const struct taskacct_view *view)
{
	const kuid_t login = audit_get_loginuid(t);

	return likely(view->user_ns == &init_user_ns) ?
		       __kuid_val(login) :
		       from_kuid(view->user_ns, login);
}

static u32 inum_of(struct pid *pid)
{
	const struct pid_namespace *ns = ns_of_pid(pid);

	return ns ? ns->ns.inum : 0;
}

/* Of a live task: what one at its end has was kept. */
static void put_parent(struct taskacct_record *record, struct task_struct *t,
		       const struct taskacct_view *view)
{
	struct task_struct *parent = rcu_dereference(t->real_parent);

	record->ppid = taskacct_view_tgid(view, parent);
	if (view->init_ids)
		record->init_ppid = task_tgid_nr(parent);
}

static void put_kept(struct taskacct_record *record,
		     const struct taskacct_kept *kept,
		     const struct taskacct_view *view)
{
	record->ppid = taskacct_kept_ppid(kept, view);
	if (view->init_ids)
		record->init_ppid = kept->ppid;
	if (kept->extended)
		record->pid_ns = kept->pid_ns;
}

static void put_ids(struct taskacct_record *record, struct task_struct *t,
		    const struct taskacct_kept *kept,
		    const struct taskacct_view *view)
{
	const struct cred *cred;

	record->pid = taskacct_kept_pid(kept, view, t);
	record->tgid = taskacct_kept_tgid(kept, view, t);
	if (view->init_ids) {
		record->init_pid = taskacct_kept_init_pid(kept, t);
		record->init_tgid = task_tgid_nr(t);
	}

	rcu_read_lock();
	if (kept) {
		put_kept(record, kept, view);
	} else {
		if (!taskacct_was_released(t))
			put_parent(record, t, view);
		record->pid_ns = inum_of(READ_ONCE(t->thread_pid));
	}

	cred = __task_cred(t);
	record->uid = taskacct_view_uid(view, cred->uid);
	record->gid = taskacct_view_gid(view, cred->gid);
	record->euid = taskacct_view_uid(view, cred->euid);
	record->egid = taskacct_view_gid(view, cred->egid);
	if (!(taskacct_features_absent() & HAS(LOGINUID)))
		record->loginuid = loginuid_of(t, view);
	record->cgroup = taskacct_cgroup_id(t);
	rcu_read_unlock();
}

static void put_until(struct taskacct_record *record,
		      const struct taskacct_moment *until, u64 boot_offset)
{
	record->end = until->boot + boot_offset;
	record->real_end = until->real;
}

static void put_identity(struct taskacct_record *record, struct task_struct *t,
			 const struct taskacct_view *view,
			 const struct taskacct_values *values)
{
	const unsigned int cpu = task_cpu(t);

	record->cpu_accounting = taskacct_features_cpu_accounting(cpu);
	record->policy = READ_ONCE(t->policy);
	record->nice = PRIO_TO_NICE(READ_ONCE(t->static_prio));
	record->cpu = cpu;
	/* A name that changes meanwhile may be half of each. */
	data_race(memcpy(record->comm, t->comm, sizeof(record->comm)));
	record->comm[sizeof(record->comm) - 1] = '\0';
	put_ids(record, t, values->kept, view);
	record->start = READ_ONCE(t->start_boottime) + view->boot_offset;
	put_until(record, &values->until, view->boot_offset);
}

/* From the kernel's pages * ns / 1024 */
static u64 kib_usecs(u64 integral)
{
	return mul_u64_u32_div(integral, PAGE_SIZE, 1000);
}

static void put_wait(struct taskacct_wait *wait,
		     const struct taskacct_delay *delay)
{
	wait->count = delay->count;
	wait->total = delay->total;
	taskacct_delay_extremes(delay, &wait->max, &wait->min);
}

#define WAIT_SIZE	(sizeof(struct nlattr) + sizeof(struct taskacct_wait))
#define NO_WAIT(number, KIND, ...) [TASKACCT_WAIT_##KIND] = {		\
	.before = { NLA_HDRLEN, TASKACCT_WAITS_ATTR_PAD },		\
	.attr = { WAIT_SIZE, TASKACCT_WAITS_ATTR_##KIND },		\
},

/* Of a task that has waited for nothing */
static const struct {
	struct taskacct_record_wait of[TASKACCT_WAITS];
} no_waits = { .of = { TASKACCT_EACH_WAIT(NO_WAIT) } };

/**
 * taskacct_record_fill_waits() - say what was waited for
 * @waits: receives it: the attribute WAITS
 * @values: whose waits
 */
void taskacct_record_fill_waits(struct taskacct_record_wait *waits,
				const struct taskacct_values *values)
{
	const struct taskacct_delay *delays = values->usage.delay;
	const unsigned int kinds = taskacct_fill_kinds(values);
	unsigned int i;

	/* The kinds are the kernel's, in this order. */
	BUILD_BUG_ON((int)TASKACCT_DELAYS != (int)TASKACCT_WAITS);
	BUILD_BUG_ON((int)TASKACCT_DELAY_IRQ != (int)TASKACCT_WAIT_IRQ);
	memcpy(waits, &no_waits, sizeof(no_waits));
	for (i = 0; i < kinds; i++)
		if (delays[i].count)
			put_wait(&waits[i].wait, &delays[i]);
	waits->before = (struct nlattr){ sizeof(no_waits),
					 TASKACCT_TYPE_WAITS | NLA_F_NESTED };
}

static void put_usage(struct taskacct_record *to,
		      const struct taskacct_usage *from)
{
	TASKACCT_SUMS(TASKACCT_COPY)
	to->rss_time = kib_usecs(from->rss_time);
	to->vm_time = kib_usecs(from->vm_time);
}

static void put_memory_of(struct taskacct_record *record,
			  const struct taskacct_memory *memory)
{
	record->rss_anon = memory->anon;
	record->rss_file = memory->file;
	record->rss_shmem = memory->shmem;
	record->swap = memory->swap;
}

/* Returns the groups that could not be had */
static u64 put_mm(struct taskacct_record *record,
		  const struct taskacct_mm *values,
		  const struct taskacct_memory *memory, bool kthread)
{
	u64 gone = 0;

	/* A kernel thread has none: these are its values. */
	if (kthread)
		return 0;
	if (memory)
		put_memory_of(record, memory);
	else
		gone |= HAS(MEMORY);
	if (!values->hiwater_vm)
		return gone | FROM_MM;
	/* Who wants extended records came after the exit. */
	if (unlikely(!values->hiwater_rss))
		gone |= HAS(PEAK_RSS);
	record->peak_rss = values->hiwater_rss << 10;
	record->peak_vm = values->hiwater_vm << 10;
	record->exe_dev = values->exe_dev;
	record->exe_ino = values->exe_ino;
	if (!values->exe_ino)
		gone |= HAS(EXE);
	return gone;
}

static u32 record_flags(const struct taskacct_values *values,
			struct task_struct *t)
{
	u32 flags = values->flags >> TASKACCT_FLAG_RECORD_SHIFT;

	if (READ_ONCE(t->flags) & PF_KTHREAD)
		flags |= TASKACCT_RECORD_KTHREAD;
	if (tsk_is_oom_victim(t))
		flags |= TASKACCT_RECORD_OOM;
	return flags;
}

static void put_end(struct taskacct_record *record,
		    const struct signal_struct *sig, u32 exit_code)
{
	if (READ_ONCE(sig->flags) & SIGNAL_GROUP_EXIT)
		record->group_exit_code = READ_ONCE(sig->group_exit_code);
	if (!READ_ONCE(taskacct_fill_sees_ends))
		record->flags |= TASKACCT_RECORD_EARLY;
	record->exit_code = exit_code;
	record->signal = exit_code & 0x7f;
	record->flags |= TASKACCT_RECORD_ENDED;
	if (exit_code & 0x80)
		record->flags |= TASKACCT_RECORD_CORE;
}

/* What is common to both kinds; returns the groups that could not be had */
static u64 put_common(struct taskacct_record *record, struct task_struct *t,
		      const struct taskacct_values *values,
		      const struct taskacct_memory *memory,
		      const struct taskacct_view *view)
{
	/* Where there is no padding before the waits, there is none in the middle. */
	BUILD_BUG_ON(sizeof(*record) % sizeof(u64));
	*record = (struct taskacct_record){
		.version = TASKACCT_RECORD_VERSION,
		.size = sizeof(*record),
		.flags = record_flags(values, t),
	};
	put_identity(record, t, view, values);
	put_usage(record, &values->usage);
	return put_mm(record, &values->mm, memory,
		      record->flags & TASKACCT_RECORD_KTHREAD);
}

/**
 * taskacct_record_ended() - whether a process has ended
 * @leader: its leader
 * @total: of the process
 *
 * There is a total of the dead only of a process that has had several threads.
 *
 * Return: true if all its threads have exited.
 */
bool taskacct_record_ended(struct task_struct *leader,
			   const struct taskacct_total *total)
{
	return total->ended ||
	       (READ_ONCE(leader->exit_state) && thread_group_empty(leader));
}

/**
 * taskacct_record_fill_task() - say everything about a task but what it waited for
 * @record: receives it
 * @t: the task, current at its end
 * @values: of the task
 * @memory: what is in memory of its address space; NULL if it has none
 * @view: whose ids to use
 * @ended: it is current at its end: its exit code stands
 */
void taskacct_record_fill_task(struct taskacct_record *record,
			       struct task_struct *t,
			       const struct taskacct_values *values,
			       const struct taskacct_memory *memory,
			       const struct taskacct_view *view, bool ended)
{
	u64 gone = put_common(record, t, values, memory, view);

	record->kind = TASKACCT_KIND_TASK;
	record->absent = HAS(THREADS);
	if (ended || READ_ONCE(t->exit_state))
		put_end(record, t->signal, READ_ONCE(t->exit_code));
	else
		gone |= HAS(END);
	put_validity(record, values, gone);
}

/**
 * taskacct_record_fill_process() - say everything about a process but what it waited for
 * @record: receives it
 * @leader: its leader, dead or alive
 * @total: of the process
 * @memory: what is in memory of its address space; NULL if it has none
 * @view: whose ids to use
 */
void taskacct_record_fill_process(struct taskacct_record *record,
				  struct task_struct *leader,
				  const struct taskacct_total *total,
				  const struct taskacct_memory *memory,
				  const struct taskacct_view *view)
{
	const struct signal_struct *sig = leader->signal;
	u64 maxrss = (u64)READ_ONCE(sig->maxrss) << PAGE_SHIFT;
	u64 gone = put_common(record, leader, &total->values, memory, view);

	record->kind = TASKACCT_KIND_PROCESS;
	/*
	 * A thread that executes a program takes the number of its leader, which gets the
	 * thread's. Who had exited before keeps that leader, and its end may come last.
	 */
	record->pid = record->tgid;
	record->init_pid = record->init_tgid;
	record->threads = total->values.usage.threads;
	if (maxrss) {
		/* That of all programs that it executed */
		record->peak_rss = max(record->peak_rss, maxrss);
		gone &= ~HAS(PEAK_RSS);
	}
	if (taskacct_record_ended(leader, total))
		put_end(record, sig, taskacct_fill_exit_code(leader));
	else
		gone |= HAS(END);
	/* Of threads: that a signal ended them all is no news. */
	record->flags &= ~(TASKACCT_RECORD_SIGNAL | TASKACCT_RECORD_NOEXEC);
	if (record->signal)
		record->flags |= TASKACCT_RECORD_SIGNAL;
	/* Its leader before execve() had not, if another thread did it. */
	if (READ_ONCE(leader->flags) & PF_FORKNOEXEC)
		record->flags |= TASKACCT_RECORD_NOEXEC;
	put_validity(record, &total->values, gone);
}

/**
 * taskacct_record_fill_cgroup() - say what the tasks of a cgroup have used
 * @full: receives it
 * @id: of the cgroup
 * @values: of all its live tasks together
 */
void taskacct_record_fill_cgroup(struct taskacct_full_record *full, u64 id,
				 const struct taskacct_values *values)
{
	struct taskacct_record *record = &full->record;

	*record = (struct taskacct_record){
		.version = TASKACCT_RECORD_VERSION,
		.size = sizeof(*record),
		.kind = TASKACCT_KIND_CGROUP,
		.absent = FROM_MM | HAS(MEMORY) | HAS(LOGINUID) | HAS(END),
		.cgroup = id,
		.threads = values->usage.threads,
	};
	/* Only who is in the initial namespaces sees cgroups. */
	put_until(record, &values->until, 0);
	put_usage(record, &values->usage);
	taskacct_record_fill_waits(full->waits, values);
	put_validity(record, values, 0);
}
