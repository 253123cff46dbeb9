// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer: exits as an eBPF program sees them, into a ring buffer
 *
 * A record has what an extended record of taskacct's has without memory and waits. What is
 * declared of the kernel's types here is found by name in the kernel's own description when
 * the program is loaded, so that one program fits all kernels.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf.h"

#define BUFFER_SIZE	(16 << 20)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct cred {
	struct {
		unsigned int val;
	} uid, gid, euid, egid;
};

struct signal_struct {
	struct {
		int counter;
	} live;
};

struct task_delay_info {
	__u64 blkio_delay;
	__u64 swapin_delay;
	__u64 freepages_delay;
	__u64 thrashing_delay;
	__u32 blkio_count;
	__u32 swapin_count;
	__u32 freepages_count;
	__u32 thrashing_count;
};

struct task_struct {
	int pid;
	int tgid;
	int exit_code;
	unsigned int policy;
	int static_prio;
	__u64 start_time;
	__u64 start_boottime;
	__u64 utime;
	__u64 stime;
	__u64 gtime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long min_flt;
	unsigned long maj_flt;
	__u64 acct_rss_mem1;
	__u64 acct_vm_mem1;
	struct task_struct *real_parent;
	const struct cred *cred;
	struct signal_struct *signal;
	struct task_delay_info *delays;
	struct {
		__u64 sum_exec_runtime;
	} se;
	struct {
		unsigned long pcount;
		unsigned long long run_delay;
	} sched_info;
	struct {
		__u64 rchar;
		__u64 wchar;
		__u64 syscr;
		__u64 syscw;
		__u64 read_bytes;
		__u64 write_bytes;
		__u64 cancelled_write_bytes;
	} ioac;
};

#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, BUFFER_SIZE);
} exits SEC(".maps");

/* Set before it is loaded */
const volatile __u64 wake_bytes;

__u64 lost;

static void who(struct bench_bpf_exit *to, const struct task_struct *task)
{
	const struct cred *cred = task->cred;

	to->pid = task->pid;
	to->tgid = task->tgid;
	to->ppid = task->real_parent->tgid;
	to->uid = cred->uid.val;
	to->gid = cred->gid.val;
	to->euid = cred->euid.val;
	to->egid = cred->egid.val;
	to->live = task->signal->live.counter;
	to->exit_code = task->exit_code;
	to->policy = task->policy;
	to->static_prio = task->static_prio;
	to->cgroup = bpf_get_current_cgroup_id();
	bpf_get_current_comm(to->comm, sizeof(to->comm));
}

static void used(struct bench_bpf_exit *to, const struct task_struct *task)
{
	to->start = task->start_time;
	to->start_boottime = task->start_boottime;
	to->end = bpf_ktime_get_boot_ns();
	to->utime = task->utime;
	to->stime = task->stime;
	to->gtime = task->gtime;
	to->runtime = task->se.sum_exec_runtime;
	to->run_count = task->sched_info.pcount;
	to->run_delay = task->sched_info.run_delay;
	to->nvcsw = task->nvcsw;
	to->nivcsw = task->nivcsw;
	to->min_flt = task->min_flt;
	to->maj_flt = task->maj_flt;
	to->rss_integral = task->acct_rss_mem1;
	to->vm_integral = task->acct_vm_mem1;
	to->rchar = task->ioac.rchar;
	to->wchar = task->ioac.wchar;
	to->syscr = task->ioac.syscr;
	to->syscw = task->ioac.syscw;
	to->read_bytes = task->ioac.read_bytes;
	to->write_bytes = task->ioac.write_bytes;
	to->cancelled_write_bytes = task->ioac.cancelled_write_bytes;
}

/* Of a task without them, because delay accounting is off, all are 0. */
static void waited(struct bench_bpf_exit *to, const struct task_struct *task)
{
	const struct task_delay_info *delays = task->delays;

	to->blkio_delay = delays->blkio_delay;
	to->swapin_delay = delays->swapin_delay;
	to->freepages_delay = delays->freepages_delay;
	to->thrashing_delay = delays->thrashing_delay;
	to->blkio_count = delays->blkio_count;
	to->swapin_count = delays->swapin_count;
	to->freepages_count = delays->freepages_count;
	to->thrashing_count = delays->thrashing_count;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct bench_bpf_exit *to = bpf_ringbuf_reserve(&exits, sizeof(*to), 0);
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (!to) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	who(to, task);
	used(to, task);
	waited(to, task);
	if (bpf_ringbuf_query(&exits, BPF_RB_AVAIL_DATA) >= wake_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
	bpf_ringbuf_submit(to, flags);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
