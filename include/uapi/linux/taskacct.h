/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * taskacct: task accounting over generic netlink
 *
 * The classic part of the protocol is that of <linux/taskstats.h>, number for
 * number; only the family's name differs. What taskacct adds has numbers from
 * 16 up, in commands and in attributes, and comes only with commands that it
 * adds.
 */
#ifndef _UAPI_LINUX_TASKACCT_H
#define _UAPI_LINUX_TASKACCT_H

#include <linux/cgroupstats.h>
#include <linux/taskstats.h>

#define TASKACCT_GENL_NAME	"TASKACCT"
#define TASKACCT_GENL_VERSION	1

/**
 * enum taskacct_cmd - commands of the family
 * @TASKACCT_CMD_GET: query by PID or TGID, or register or deregister a mask of
 *	CPUs; attributes are those of enum taskstats' command attributes
 *	(TASKSTATS_CMD_ATTR_*), exactly one to a request, and unknown ones are
 *	passed over
 * @TASKACCT_CMD_NEW: answer to GET, and the record of an exit for who
 *	registered with it. The nlmsg_seq of exit messages counts per CPU,
 *	messages included that were lost to a listener: to a socket that hears
 *	one CPU a gap is a loss
 * @TASKACCT_CMD_CGROUP_GET: what the tasks of a cgroup are doing, as
 *	CGROUPSTATS_CMD_GET of <linux/cgroupstats.h>, whose attributes it has,
 *	but of cgroups of both versions
 * @TASKACCT_CMD_CGROUP_NEW: answer to it
 * @TASKACCT_CMD_STAT_GET: what the module did and found; request without
 *	attributes, answer with enum taskacct_stat_attr; no privilege needed
 * @TASKACCT_CMD_LISTENER_GET: the statistics of the asking socket's own
 *	registration; as a dump, those of all listeners. Answers with enum
 *	taskacct_listener_attr
 * @TASKACCT_CMD_GAP: never sent to the kernel; tells a listener that asked for
 *	TASKACCT_WANT_STREAM what was lost to it, as soon as there is room
 *	again, with enum taskacct_gap_attr
 * @TASKACCT_CMD_UID_GET: what all tasks of a user have used, dead and alive;
 *	request with TASKACCT_UID_ATTR_UID, or as a dump of all users without
 *	it. Answers with enum taskacct_uid_attr. Only where the module was
 *	loaded with uid=1
 * @TASKACCT_CMD_TASK_GET: what a task, a process or the tasks of a cgroup have
 *	used; request with PID, TGID or CGROUP_FD of enum taskacct_cmd_attr, or
 *	as a dump of those tasks and processes that FILTER means. Answers with
 *	enum taskacct_type
 * @TASKACCT_CMD_SUBSCRIBE: hear of exits from now on, with enum
 *	taskacct_cmd_attr. Takes the place of what the socket was registered for,
 *	CPUs and all, without a gap
 * @TASKACCT_CMD_EXIT: never sent to the kernel; the record of an exit for who
 *	subscribed, with enum taskacct_type
 *
 * Commands from 16 on refuse what they do not know: an attribute, a bit, a
 * condition of a filter.
 */
enum taskacct_cmd {
	TASKACCT_CMD_GET = TASKSTATS_CMD_GET,
	TASKACCT_CMD_NEW = TASKSTATS_CMD_NEW,
	TASKACCT_CMD_CGROUP_GET = CGROUPSTATS_CMD_GET,
	TASKACCT_CMD_CGROUP_NEW = CGROUPSTATS_CMD_NEW,
	TASKACCT_CMD_STAT_GET = 16,
	TASKACCT_CMD_LISTENER_GET = 17,
	TASKACCT_CMD_GAP = 18,
	TASKACCT_CMD_UID_GET = 19,
	TASKACCT_CMD_TASK_GET = 20,
	TASKACCT_CMD_SUBSCRIBE = 21,
	TASKACCT_CMD_EXIT = 22,
};

/*
 * The multicast group of exit messages. Nothing is sent to it: who subscribed
 * gets his own. It is there for clients that listen only after they joined one.
 */
#define TASKACCT_MCGRP_EXITS	"exits"

/**
 * enum taskacct_cmd_attr - attributes of requests for tasks and their exits
 * @TASKACCT_CMD_ATTR_UNSPEC: reserved
 * @TASKACCT_CMD_ATTR_PID: u32; the task that TASK_GET asks for
 * @TASKACCT_CMD_ATTR_TGID: u32; the process
 * @TASKACCT_CMD_ATTR_CPUMASK: string; the CPUs that SUBSCRIBE is about, as a
 *	list such as "0-3,5"; an empty one, alone, ends what was subscribed.
 *	Without it: all
 * @TASKACCT_CMD_ATTR_WANT: u32; what answers and exit messages shall have,
 *	TASKACCT_WANT_*. With TASK_GET or SUBSCRIBE
 * @TASKACCT_CMD_ATTR_FILTER: nest of enum taskacct_filter_attr; which tasks are
 *	meant. With SUBSCRIBE, or with TASK_GET as a dump
 * @TASKACCT_CMD_ATTR_BATCH_BYTES: u32; exit messages wait until a datagram of
 *	this size is full. With SUBSCRIBE; with one of the two the other is
 *	TASKACCT_BATCH_BYTES or TASKACCT_BATCH_MSECS
 * @TASKACCT_CMD_ATTR_BATCH_MSECS: u32; but no longer than so many ms
 * @TASKACCT_CMD_ATTR_CGROUP_FD: u32; the cgroup v2 that TASK_GET asks for, by an
 *	open directory: its tasks, and those below it
 *
 * Those of enum taskacct_type have other numbers: the two are one space.
 */
enum taskacct_cmd_attr {
	TASKACCT_CMD_ATTR_UNSPEC = 15,
	TASKACCT_CMD_ATTR_PID,
	TASKACCT_CMD_ATTR_TGID,
	TASKACCT_CMD_ATTR_CPUMASK,
	TASKACCT_CMD_ATTR_WANT,
	TASKACCT_CMD_ATTR_FILTER,
	TASKACCT_CMD_ATTR_BATCH_BYTES,
	TASKACCT_CMD_ATTR_BATCH_MSECS,
	TASKACCT_CMD_ATTR_CGROUP_FD,
	__TASKACCT_CMD_ATTR_MAX,
};

#define TASKACCT_CMD_ATTR_MAX (__TASKACCT_CMD_ATTR_MAX - 1)

/* With what the kernel adds to them, these take 8 and 16 KiB of memory. */
#define TASKACCT_BATCH_BYTES		7680
#define TASKACCT_BATCH_BYTES_MAX	15360
#define TASKACCT_BATCH_MSECS		100
#define TASKACCT_BATCH_MSECS_MAX	60000

/* What answers and exit messages have beside the classic records, or without */
#define TASKACCT_WANT_RECORD		0x01 /* struct taskacct_record */
#define TASKACCT_WANT_STREAM		0x02 /* struct taskacct_stream, gaps */
#define TASKACCT_WANT_EXE_PATH		0x04 /* path of the executable */
#define TASKACCT_WANT_CGROUP_PATH	0x08 /* path of the cgroup v2 */
#define TASKACCT_WANT_CMDLINE		0x10 /* arguments, NUL between them */
#define TASKACCT_WANT_BARE		0x20 /* no classic records */

/**
 * enum taskacct_filter_attr - which tasks are meant; all conditions together
 * @TASKACCT_FILTER_ATTR_UNSPEC: reserved
 * @TASKACCT_FILTER_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_FILTER_ATTR_KINDS: u32; TASKACCT_KIND_TASK, a record for every
 *	task, and TASKACCT_KIND_PROCESS, one for every process, those that only
 *	ever had one thread included. Without it, as the kernel has it: one for
 *	every task, and one for a process of several threads
 * @TASKACCT_FILTER_ATTR_UID_MIN: u32; real user id of at least so much, as the
 *	asker's user namespace numbers it
 * @TASKACCT_FILTER_ATTR_UID_MAX: u32; of at most so much
 * @TASKACCT_FILTER_ATTR_CGROUP_ID: u64; in this cgroup v2 or below it
 * @TASKACCT_FILTER_ATTR_CGROUP_FD: u32; the same, by an open directory
 * @TASKACCT_FILTER_ATTR_MIN_LIFETIME: u64; lived for at least so many ns
 *	of CLOCK_BOOTTIME
 * @TASKACCT_FILTER_ATTR_MIN_CPU_TIME: u64; utime and stime of at least so many
 *	ns together
 * @TASKACCT_FILTER_ATTR_FAILED: flag; exit code or signal other than 0
 * @TASKACCT_FILTER_ATTR_ONE_IN: u32; of those that meet all other conditions
 *	one in so many
 */
enum taskacct_filter_attr {
	TASKACCT_FILTER_ATTR_UNSPEC,
	TASKACCT_FILTER_ATTR_PAD,
	TASKACCT_FILTER_ATTR_KINDS,
	TASKACCT_FILTER_ATTR_UID_MIN,
	TASKACCT_FILTER_ATTR_UID_MAX,
	TASKACCT_FILTER_ATTR_CGROUP_ID,
	TASKACCT_FILTER_ATTR_CGROUP_FD,
	TASKACCT_FILTER_ATTR_MIN_LIFETIME,
	TASKACCT_FILTER_ATTR_MIN_CPU_TIME,
	TASKACCT_FILTER_ATTR_FAILED,
	TASKACCT_FILTER_ATTR_ONE_IN,
	__TASKACCT_FILTER_ATTR_MAX,
};

#define TASKACCT_FILTER_ATTR_MAX (__TASKACCT_FILTER_ATTR_MAX - 1)

/* Of records, in struct taskacct_record and in filters */
#define TASKACCT_KIND_TASK	0x01
#define TASKACCT_KIND_PROCESS	0x02
#define TASKACCT_KIND_CGROUP	0x04 /* not in filters */

/**
 * enum taskacct_type - attributes of answers to TASK_GET and of EXIT, beside the
 *	classic ones, which they follow
 * @TASKACCT_TYPE_UNSPEC: reserved
 * @TASKACCT_TYPE_PAD: padding of 64-bit values
 * @TASKACCT_TYPE_RECORD: struct taskacct_record, of a task or of a process;
 *	that of the task comes first
 * @TASKACCT_TYPE_STREAM: struct taskacct_stream
 * @TASKACCT_TYPE_EXE_PATH: string; path of the executable as the exiting task sees
 *	it, or who asks; " (deleted)" is behind it where it is unlinked
 * @TASKACCT_TYPE_CGROUP_PATH: string; path of the cgroup v2
 * @TASKACCT_TYPE_CMDLINE: binary; arguments, each ended by NUL, at most 4,096
 *	bytes
 * @TASKACCT_TYPE_CGROUP_STATS: struct cgroupstats; what the tasks of a cgroup
 *	itself are doing
 * @TASKACCT_TYPE_WAITS: nest of enum taskacct_waits_attr; what the task or the process
 *	has waited for whose RECORD it follows
 */
enum taskacct_type {
	TASKACCT_TYPE_UNSPEC = 31,
	TASKACCT_TYPE_PAD,
	TASKACCT_TYPE_RECORD,
	TASKACCT_TYPE_STREAM,
	TASKACCT_TYPE_EXE_PATH,
	TASKACCT_TYPE_CGROUP_PATH,
	TASKACCT_TYPE_CMDLINE,
	TASKACCT_TYPE_CGROUP_STATS,
	TASKACCT_TYPE_WAITS,
	__TASKACCT_TYPE_MAX,
};

#define TASKACCT_TYPE_MAX (__TASKACCT_TYPE_MAX - 1)

#define TASKACCT_RECORD_VERSION	4

/* What happened: taskacct_record.flags */
#define TASKACCT_RECORD_ENDED	0x01 /* it has exited: nothing will change */
#define TASKACCT_RECORD_LAST	0x02 /* it was the last of its process */
#define TASKACCT_RECORD_KTHREAD	0x04 /* it is a kernel thread */
#define TASKACCT_RECORD_NOEXEC	0x08 /* forked, and never called exec() */
#define TASKACCT_RECORD_SU	0x10 /* used a capability of the superuser */
#define TASKACCT_RECORD_CORE	0x20 /* left a core dump */
#define TASKACCT_RECORD_SIGNAL	0x40 /* a signal ended it */
#define TASKACCT_RECORD_OOM	0x80 /* chosen by the out-of-memory killer */
#define TASKACCT_RECORD_EARLY	0x100 /* read at its exit, and not at its end */
#define TASKACCT_RECORD_ENDING	0x200 /* waited for, and not at its end yet */

/**
 * enum taskacct_values_bit - groups of values in struct taskacct_record
 * @TASKACCT_HAS_END: exit_code, group_exit_code, signal
 * @TASKACCT_HAS_CPU_TIME: utime, stime
 * @TASKACCT_HAS_RUNTIME: runtime
 * @TASKACCT_HAS_RUN_QUEUE: waits of the kind TASKACCT_WAIT_CPU
 * @TASKACCT_HAS_FAULTS: min_flt, maj_flt
 * @TASKACCT_HAS_SWITCHES: nvcsw, nivcsw
 * @TASKACCT_HAS_IO: rchar, wchar, syscr, syscw
 * @TASKACCT_HAS_STORAGE: read_bytes, write_bytes, cancelled_write_bytes
 * @TASKACCT_HAS_PEAK_RSS: peak_rss
 * @TASKACCT_HAS_PEAK_VM: peak_vm
 * @TASKACCT_HAS_MEMORY: rss_anon, rss_file, rss_shmem, swap
 * @TASKACCT_HAS_INTEGRAL: rss_time, vm_time
 * @TASKACCT_HAS_EXE: exe_dev, exe_ino
 * @TASKACCT_HAS_LOGINUID: loginuid
 * @TASKACCT_HAS_CGROUP: cgroup
 * @TASKACCT_HAS_THREADS: threads; of a process only
 * @TASKACCT_HAS_EXTREMES: max and min of all waits
 * @TASKACCT_HAS_BLKIO: waits of the kind TASKACCT_WAIT_BLKIO, and so on
 * @TASKACCT_HAS_SWAPIN: see above
 * @TASKACCT_HAS_FREEPAGES: see above
 * @TASKACCT_HAS_THRASHING: see above
 * @TASKACCT_HAS_COMPACT: see above
 * @TASKACCT_HAS_WPCOPY: see above
 * @TASKACCT_HAS_IRQ: see above
 * @TASKACCT_HAS_ON_CPU: on_cpu
 * @TASKACCT_HAS_MIGRATIONS: migrations
 *
 * Bits of valid, absent, off, late and gone. Each bit that the sender knows is set in
 * one of them, and none is that it does not know.
 */
enum taskacct_values_bit {
	TASKACCT_HAS_END,
	TASKACCT_HAS_CPU_TIME,
	TASKACCT_HAS_RUNTIME,
	TASKACCT_HAS_RUN_QUEUE,
	TASKACCT_HAS_FAULTS,
	TASKACCT_HAS_SWITCHES,
	TASKACCT_HAS_IO,
	TASKACCT_HAS_STORAGE,
	TASKACCT_HAS_PEAK_RSS,
	TASKACCT_HAS_PEAK_VM,
	TASKACCT_HAS_MEMORY,
	TASKACCT_HAS_INTEGRAL,
	TASKACCT_HAS_EXE,
	TASKACCT_HAS_LOGINUID,
	TASKACCT_HAS_CGROUP,
	TASKACCT_HAS_THREADS,
	TASKACCT_HAS_EXTREMES,
	TASKACCT_HAS_BLKIO,
	TASKACCT_HAS_SWAPIN,
	TASKACCT_HAS_FREEPAGES,
	TASKACCT_HAS_THRASHING,
	TASKACCT_HAS_COMPACT,
	TASKACCT_HAS_WPCOPY,
	TASKACCT_HAS_IRQ,
	TASKACCT_HAS_ON_CPU,
	TASKACCT_HAS_MIGRATIONS,
	__TASKACCT_HAS_MAX,
};

/**
 * enum taskacct_wait_kind - what a task waits for
 * @TASKACCT_WAIT_CPU: a CPU, in a run queue; counted is how often it got one
 * @TASKACCT_WAIT_BLKIO: synchronous block I/O
 * @TASKACCT_WAIT_SWAPIN: pages to come back from swap
 * @TASKACCT_WAIT_FREEPAGES: direct reclaim of memory
 * @TASKACCT_WAIT_THRASHING: pages that were evicted too early
 * @TASKACCT_WAIT_COMPACT: direct compaction of memory
 * @TASKACCT_WAIT_WPCOPY: copies on write
 * @TASKACCT_WAIT_IRQ: interrupts on its CPU
 * @TASKACCT_WAITS: how many kinds there are
 */
enum taskacct_wait_kind {
	TASKACCT_WAIT_CPU,
	TASKACCT_WAIT_BLKIO,
	TASKACCT_WAIT_SWAPIN,
	TASKACCT_WAIT_FREEPAGES,
	TASKACCT_WAIT_THRASHING,
	TASKACCT_WAIT_COMPACT,
	TASKACCT_WAIT_WPCOPY,
	TASKACCT_WAIT_IRQ,
	TASKACCT_WAITS,
};

/**
 * struct taskacct_wait - waits of one kind; of a process, of all its threads
 * @count: how many ended
 * @total: how long they were together, in ns
 * @max: how long the longest was, in ns
 * @min: how long the shortest was, in ns; 0 where there was none
 */
struct taskacct_wait {
	__u64 count;
	__u64 total;
	__u64 max;
	__u64 min;
};

/**
 * enum taskacct_waits_attr - attributes of a nest of waits, one for each kind
 * @TASKACCT_WAITS_ATTR_UNSPEC: reserved
 * @TASKACCT_WAITS_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_WAITS_ATTR_CPU: struct taskacct_wait, or struct taskacct_uid_wait, of
 *	TASKACCT_WAIT_CPU; others follow by enum taskacct_wait_kind
 * @TASKACCT_WAITS_ATTR_BLKIO: of TASKACCT_WAIT_BLKIO
 * @TASKACCT_WAITS_ATTR_SWAPIN: of TASKACCT_WAIT_SWAPIN
 * @TASKACCT_WAITS_ATTR_FREEPAGES: of TASKACCT_WAIT_FREEPAGES
 * @TASKACCT_WAITS_ATTR_THRASHING: of TASKACCT_WAIT_THRASHING
 * @TASKACCT_WAITS_ATTR_COMPACT: of TASKACCT_WAIT_COMPACT
 * @TASKACCT_WAITS_ATTR_WPCOPY: of TASKACCT_WAIT_WPCOPY
 * @TASKACCT_WAITS_ATTR_IRQ: of TASKACCT_WAIT_IRQ
 *
 * A kind that is not there is not counted by the sender's version. Pass over kinds that
 * are not known, and read of a kind what its attribute's length covers.
 */
enum taskacct_waits_attr {
	TASKACCT_WAITS_ATTR_UNSPEC,
	TASKACCT_WAITS_ATTR_PAD,
	TASKACCT_WAITS_ATTR_CPU,
	TASKACCT_WAITS_ATTR_BLKIO,
	TASKACCT_WAITS_ATTR_SWAPIN,
	TASKACCT_WAITS_ATTR_FREEPAGES,
	TASKACCT_WAITS_ATTR_THRASHING,
	TASKACCT_WAITS_ATTR_COMPACT,
	TASKACCT_WAITS_ATTR_WPCOPY,
	TASKACCT_WAITS_ATTR_IRQ,
	__TASKACCT_WAITS_ATTR_MAX,
};

#define TASKACCT_WAITS_ATTR_MAX (__TASKACCT_WAITS_ATTR_MAX - 1)

/* How CPU time is counted: taskacct_record.cpu_accounting */
enum taskacct_cpu_accounting {
	TASKACCT_CPU_TICK,	/* sampled at every tick */
	TASKACCT_CPU_GENERIC,	/* measured where the kernel is entered and left */
	TASKACCT_CPU_NATIVE,	/* measured by the architecture */
};

/**
 * struct taskacct_record - what a task, or a process, was and used
 * @version: TASKACCT_RECORD_VERSION of the sender
 * @size: of the struct as the sender knows it, in bytes: the length of the attribute
 * @kind: TASKACCT_KIND_TASK or TASKACCT_KIND_PROCESS; TASKACCT_KIND_CGROUP has
 *	the sum over the live tasks of @cgroup and below it, and no identity
 * @cpu_accounting: how its CPU counted CPU time, enum taskacct_cpu_accounting
 * @policy: scheduling policy, SCHED_*
 * @flags: TASKACCT_RECORD_*; of a process, of any of its threads, but for SIGNAL and
 *	NOEXEC
 * @nice: nice value
 * @reserved: 0
 * @valid: values that are right, a bit for each of enum taskacct_values_bit
 * @absent: values that this kernel does not have
 * @off: values whose accounting was switched off for the task
 * @late: values whose accounting began after the task
 * @gone: values that could not be had any more, or not yet (the end)
 * @comm: name, ended by NUL; of a process, its leader's, as all of identity
 * @pid: of the task, as the asker's pid namespace numbers it; 0 if it does not
 * @tgid: of its process
 * @ppid: of its parent
 * @init_pid: the same as the initial pid namespace numbers it; 0 where the asker
 *	may not know it
 * @init_tgid: the same
 * @init_ppid: the same
 * @uid: real user id, as the asker's user namespace numbers it
 * @gid: real group id
 * @euid: effective user id
 * @egid: effective group id
 * @loginuid: user id at login, by the audit system; (__u32)-1 if never set
 * @cpu: where it ended or, alive, ran last
 * @pid_ns: inode of its pid namespace
 * @cgroup: id of its cgroup v2
 * @exe_dev: device of its executable, as in st_dev
 * @exe_ino: inode of its executable
 * @start: when it started, in ns since boot (CLOCK_BOOTTIME); with @init_pid an
 *	id that is never used again before the machine is started anew
 * @end: when it exited or, alive, was asked about, in ns since boot
 * @real_end: the same, in ns since 1970 (CLOCK_REALTIME)
 * @exit_code: as wait() has it; of a process, what its parent gets
 * @group_exit_code: the same of the exit of all threads at once, or 0
 * @signal: number of the signal that ended it, or 0
 * @threads: that the process has had in all; of a cgroup, its live tasks
 * @utime: CPU time in user mode, in ns, as the kernel's accounting has it
 * @stime: CPU time in the kernel, in ns, likewise
 * @runtime: CPU time as the scheduler counts it, in ns; exact, whatever
 *	@cpu_accounting is
 * @min_flt: page faults without I/O
 * @maj_flt: page faults with I/O
 * @nvcsw: voluntary context switches
 * @nivcsw: involuntary context switches
 * @rchar: bytes that system calls read
 * @wchar: bytes that system calls wrote
 * @syscr: reading system calls
 * @syscw: writing system calls
 * @read_bytes: bytes read from storage
 * @write_bytes: bytes sent to storage
 * @cancelled_write_bytes: of these, bytes that never had to be written
 * @peak_rss: most memory ever resident, in bytes
 * @peak_vm: most address space ever mapped, in bytes
 * @rss_anon: anonymous memory resident, in bytes
 * @rss_file: pages of files resident, in bytes
 * @rss_shmem: shared memory resident, in bytes
 * @swap: anonymous memory in swap, in bytes
 * @rss_time: resident memory over CPU time, in KiB * us
 * @vm_time: address space over CPU time, in KiB * us
 * @on_cpu: time on CPUs, without interrupts and stolen time, in ns; exact, by
 *	taskacct's own accounting, while the module's parameter cputime is not off
 * @migrations: how often it was moved to another CPU; since version 4
 *
 * Values that are not valid are 0, but for sums that are late or, of some
 * threads, off: those have what is known of them.
 *
 * Members up to @threads are in every version. Values are only ever added, at the end:
 * read what @size covers, take the rest for 0, and believe a value where its bit is in
 * @valid. What was waited for is in an attribute of its own.
 */
struct taskacct_record {
	__u16 version;
	__u16 size;
	__u16 kind;
	__u8 cpu_accounting;
	__u8 policy;
	__u32 flags;
	__s8 nice;
	__u8 reserved[3];
	__u64 valid;
	__u64 absent;
	__u64 off;
	__u64 late;
	__u64 gone;

	char comm[16];
	__u32 pid;
	__u32 tgid;
	__u32 ppid;
	__u32 init_pid;
	__u32 init_tgid;
	__u32 init_ppid;
	__u32 uid;
	__u32 gid;
	__u32 euid;
	__u32 egid;
	__u32 loginuid;
	__u32 cpu;
	__u64 pid_ns;
	__u64 cgroup;
	__u64 exe_dev;
	__u64 exe_ino;
	__u64 start;
	__u64 end;
	__u64 real_end;
	__u32 exit_code;
	__u32 group_exit_code;
	__u32 signal;
	__u32 threads;

	__u64 utime;
	__u64 stime;
	__u64 runtime;
	__u64 min_flt;
	__u64 maj_flt;
	__u64 nvcsw;
	__u64 nivcsw;
	__u64 rchar;
	__u64 wchar;
	__u64 syscr;
	__u64 syscw;
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 cancelled_write_bytes;
	__u64 peak_rss;
	__u64 peak_vm;
	__u64 rss_anon;
	__u64 rss_file;
	__u64 rss_shmem;
	__u64 swap;
	__u64 rss_time;
	__u64 vm_time;
	__u64 on_cpu;
	__u64 migrations;
};

/**
 * struct taskacct_stream - how a listener fared up to this message
 * @seq: number of the message among those made for this listener, from 1 on;
 *	lost ones are numbered too
 * @lost_queue: messages lost to it for want of room in its receive buffer
 * @lost_memory: messages lost to it for want of memory
 * @filtered: messages refused by its own socket filter
 */
struct taskacct_stream {
	__u64 seq;
	__u64 lost_queue;
	__u64 lost_memory;
	__u64 filtered;
};

/**
 * enum taskacct_gap_attr - attributes of a TASKACCT_CMD_GAP message
 * @TASKACCT_GAP_ATTR_UNSPEC: reserved
 * @TASKACCT_GAP_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_GAP_ATTR_QUEUE: u64; messages lost since the last gap message for
 *	want of room in the receive buffer
 * @TASKACCT_GAP_ATTR_MEMORY: u64; for want of memory
 * @TASKACCT_GAP_ATTR_CPUMASK: string; CPUs that they came from, as a list
 * @TASKACCT_GAP_ATTR_SINCE: u64; time of the first, in ns since boot
 * @TASKACCT_GAP_ATTR_STREAM: struct taskacct_stream; the state after them. The
 *	gap message itself has no number
 */
enum taskacct_gap_attr {
	TASKACCT_GAP_ATTR_UNSPEC = 15,
	TASKACCT_GAP_ATTR_PAD,
	TASKACCT_GAP_ATTR_QUEUE,
	TASKACCT_GAP_ATTR_MEMORY,
	TASKACCT_GAP_ATTR_CPUMASK,
	TASKACCT_GAP_ATTR_SINCE,
	TASKACCT_GAP_ATTR_STREAM,
	__TASKACCT_GAP_ATTR_MAX,
};

#define TASKACCT_GAP_ATTR_MAX (__TASKACCT_GAP_ATTR_MAX - 1)

/**
 * enum taskacct_stat_attr - attributes of a TASKACCT_CMD_STAT_GET answer
 * @TASKACCT_STAT_ATTR_UNSPEC: reserved
 * @TASKACCT_STAT_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_STAT_ATTR_HOOK: string; what tells the module of exits, such as
 *	"ftrace:taskstats_exit"
 * @TASKACCT_STAT_ATTR_LISTENERS: u32; sockets that are listeners now
 * @TASKACCT_STAT_ATTR_GROUPS: u32; processes whose dead threads are kept now
 * @TASKACCT_STAT_ATTR_THREADS: u32; dead threads not yet freed by the kernel
 *	that are told apart from live ones now
 * @TASKACCT_STAT_ATTR_EXITS: u64; exits that needed any work: a listener may
 *	have wanted them or a process total had to be kept
 * @TASKACCT_STAT_ATTR_MADE: u64; exit messages made, one for each listener
 * @TASKACCT_STAT_ATTR_DELIVERED: u64; of these, put into a listener's queue
 * @TASKACCT_STAT_ATTR_FILTERED: u64; of these, refused by the socket filter
 *	that the listener itself had attached
 * @TASKACCT_STAT_ATTR_LOST_QUEUE: u64; of these, lost for want of room in the
 *	listener's receive buffer
 * @TASKACCT_STAT_ATTR_LOST_MEMORY: u64; of these, lost for want of memory
 * @TASKACCT_STAT_ATTR_GROUP_NOMEM: u64; times that what a dead thread's record or its
 *	process's total needs could not be kept for want of memory
 * @TASKACCT_STAT_ATTR_QUERIES: u64; queries by PID or TGID answered
 * @TASKACCT_STAT_ATTR_UIDS: u32; users that are kept apart now, with uid=1
 * @TASKACCT_STAT_ATTR_UID_TASKS: u32; tasks of which it is kept now what has
 *	been counted
 * @TASKACCT_STAT_ATTR_UID_REST: u64; tasks that were counted for the rest when
 *	they ended: uid_max= users were there, or no memory was for another
 * @TASKACCT_STAT_ATTR_UID_NOMEM: u64; tasks of which it could not be kept, for
 *	want of memory, what had been counted: totals may be wrong by these
 * @TASKACCT_STAT_ATTR_UID_HOOK: string; what tells of a task that changes its
 *	user id, such as "ftrace:commit_creds", or "none"
 * @TASKACCT_STAT_ATTR_FSYNC_HOOK: string; what tells of calls of fsync() and its
 *	like, such as "ftrace:vfs_fsync_range", or "none": they are not counted
 * @TASKACCT_STAT_ATTR_EXITS_MISSED: u64; exits that the hook was not called for:
 *	totals lack them. Of a kprobe alone, which can be silenced
 * @TASKACCT_STAT_ATTR_END_HOOK: string; what tells of tasks at their end, such as
 *	"ftrace:exit_task_stack_account", or "none": records have
 *	TASKACCT_RECORD_EARLY
 */
enum taskacct_stat_attr {
	TASKACCT_STAT_ATTR_UNSPEC = 15,
	TASKACCT_STAT_ATTR_PAD,
	TASKACCT_STAT_ATTR_HOOK,
	TASKACCT_STAT_ATTR_LISTENERS,
	TASKACCT_STAT_ATTR_GROUPS,
	TASKACCT_STAT_ATTR_THREADS,
	TASKACCT_STAT_ATTR_EXITS,
	TASKACCT_STAT_ATTR_MADE,
	TASKACCT_STAT_ATTR_DELIVERED,
	TASKACCT_STAT_ATTR_FILTERED,
	TASKACCT_STAT_ATTR_LOST_QUEUE,
	TASKACCT_STAT_ATTR_LOST_MEMORY,
	TASKACCT_STAT_ATTR_GROUP_NOMEM,
	TASKACCT_STAT_ATTR_QUERIES,
	TASKACCT_STAT_ATTR_UIDS,
	TASKACCT_STAT_ATTR_UID_TASKS,
	TASKACCT_STAT_ATTR_UID_REST,
	TASKACCT_STAT_ATTR_UID_NOMEM,
	TASKACCT_STAT_ATTR_UID_HOOK,
	TASKACCT_STAT_ATTR_FSYNC_HOOK,
	TASKACCT_STAT_ATTR_EXITS_MISSED,
	TASKACCT_STAT_ATTR_END_HOOK,
	__TASKACCT_STAT_ATTR_MAX,
};

#define TASKACCT_STAT_ATTR_MAX (__TASKACCT_STAT_ATTR_MAX - 1)

/**
 * enum taskacct_listener_attr - attributes of a TASKACCT_CMD_LISTENER_GET answer
 * @TASKACCT_LISTENER_ATTR_UNSPEC: reserved
 * @TASKACCT_LISTENER_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_LISTENER_ATTR_PORTID: u32; netlink port of the socket, unique
 *	within its network namespace
 * @TASKACCT_LISTENER_ATTR_NETNS: u32; inode of that network namespace
 * @TASKACCT_LISTENER_ATTR_PID: u32; process that registered, as the initial
 *	pid namespace numbers it; for an asker who may not know that, as its
 *	own does
 * @TASKACCT_LISTENER_ATTR_COMM: string; its name at that time
 * @TASKACCT_LISTENER_ATTR_CPUMASK: string; CPUs that it hears, as a list of
 *	ranges; empty after deregistration of all
 * @TASKACCT_LISTENER_ATTR_MADE: u64; messages made for it; the sum of the four
 *	that follow
 * @TASKACCT_LISTENER_ATTR_DELIVERED: u64; put into its queue
 * @TASKACCT_LISTENER_ATTR_FILTERED: u64; refused by its own socket filter
 * @TASKACCT_LISTENER_ATTR_LOST_QUEUE: u64; lost for want of room in its
 *	receive buffer
 * @TASKACCT_LISTENER_ATTR_LOST_MEMORY: u64; lost for want of memory
 * @TASKACCT_LISTENER_ATTR_WANT: u32; TASKACCT_WANT_*, there if it subscribed
 * @TASKACCT_LISTENER_ATTR_FILTER: nest of enum taskacct_filter_attr, likewise;
 *	a cgroup by its id
 * @TASKACCT_LISTENER_ATTR_WAITING: u64, likewise; messages that wait for a
 *	datagram to be full: also part of MADE's sum
 */
enum taskacct_listener_attr {
	TASKACCT_LISTENER_ATTR_UNSPEC = 15,
	TASKACCT_LISTENER_ATTR_PAD,
	TASKACCT_LISTENER_ATTR_PORTID,
	TASKACCT_LISTENER_ATTR_NETNS,
	TASKACCT_LISTENER_ATTR_PID,
	TASKACCT_LISTENER_ATTR_COMM,
	TASKACCT_LISTENER_ATTR_CPUMASK,
	TASKACCT_LISTENER_ATTR_MADE,
	TASKACCT_LISTENER_ATTR_DELIVERED,
	TASKACCT_LISTENER_ATTR_FILTERED,
	TASKACCT_LISTENER_ATTR_LOST_QUEUE,
	TASKACCT_LISTENER_ATTR_LOST_MEMORY,
	TASKACCT_LISTENER_ATTR_WANT,
	TASKACCT_LISTENER_ATTR_FILTER,
	TASKACCT_LISTENER_ATTR_WAITING,
	__TASKACCT_LISTENER_ATTR_MAX,
};

#define TASKACCT_LISTENER_ATTR_MAX (__TASKACCT_LISTENER_ATTR_MAX - 1)

/**
 * enum taskacct_uid_attr - attributes of TASKACCT_CMD_UID_GET, both ways
 * @TASKACCT_UID_ATTR_UNSPEC: reserved
 * @TASKACCT_UID_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_UID_ATTR_UID: u32; real user id, as the asker's user namespace
 *	numbers it
 * @TASKACCT_UID_ATTR_RECORD: struct taskacct_uid_record
 * @TASKACCT_UID_ATTR_FOREGROUND: struct taskacct_uid_usage; what was used while
 *	the user was in the foreground
 * @TASKACCT_UID_ATTR_BACKGROUND: the same, in the background; left out as long
 *	as no user has ever been there
 * @TASKACCT_UID_ATTR_FOREGROUND_WAITS: nest of enum taskacct_waits_attr; what they have
 *	waited for meanwhile, each a struct taskacct_uid_wait
 * @TASKACCT_UID_ATTR_BACKGROUND_WAITS: the same, in the background
 */
enum taskacct_uid_attr {
	TASKACCT_UID_ATTR_UNSPEC = 15,
	TASKACCT_UID_ATTR_PAD,
	TASKACCT_UID_ATTR_UID,
	TASKACCT_UID_ATTR_RECORD,
	TASKACCT_UID_ATTR_FOREGROUND,
	TASKACCT_UID_ATTR_BACKGROUND,
	TASKACCT_UID_ATTR_FOREGROUND_WAITS,
	TASKACCT_UID_ATTR_BACKGROUND_WAITS,
	__TASKACCT_UID_ATTR_MAX,
};

#define TASKACCT_UID_ATTR_MAX (__TASKACCT_UID_ATTR_MAX - 1)

#define TASKACCT_UID_RECORD_VERSION	4

/* taskacct_uid_record.flags */
#define TASKACCT_UID_REST	0x01 /* of all users beyond uid_max= */
#define TASKACCT_UID_NO_FSYNC	0x02 /* fsync is not counted, and is 0 */

/* taskacct_uid_record.state */
#define TASKACCT_UID_FOREGROUND	0
#define TASKACCT_UID_BACKGROUND	1

/**
 * struct taskacct_uid_record - a user
 * @version: TASKACCT_UID_RECORD_VERSION of the sender. Members are only ever
 *	added, at the end, here and in struct taskacct_uid_usage: read those
 *	that the length of the attribute covers
 * @size: of the struct as the sender knows it, in bytes: the length of the attribute
 * @state: TASKACCT_UID_FOREGROUND or TASKACCT_UID_BACKGROUND, now
 * @reserved: 0
 * @flags: TASKACCT_UID_*
 * @uid: real user id, as the asker's user namespace numbers it; (__u32)-1 of
 *	the rest
 * @absent: values that this kernel does not have, a bit for each of enum
 *	taskacct_values_bit
 * @tasks: live tasks now
 * @ended: tasks that were counted when they ended
 * @first: when a task was first seen, in ns since boot
 * @last: when one was last seen, alive or at its end; to a tick
 */
struct taskacct_uid_record {
	__u16 version;
	__u16 size;
	__u16 state;
	__u16 reserved;
	__u32 flags;
	__u32 uid;
	__u64 absent;
	__u64 tasks;
	__u64 ended;
	__u64 first;
	__u64 last;
};

/**
 * struct taskacct_uid_wait - waits of one kind
 * @count: how many ended
 * @total: how long they were together, in ns
 */
struct taskacct_uid_wait {
	__u64 count;
	__u64 total;
};

/**
 * struct taskacct_uid_usage - what the tasks of a user have used
 * @utime: CPU time in user mode, in ns, as in struct taskacct_record
 * @stime: CPU time in the kernel, in ns, likewise
 * @runtime: CPU time as the scheduler counts it, in ns
 * @user: of @runtime, in user mode as /proc/PID/stat estimates it, in ns
 * @system: of @runtime, in the kernel, likewise
 * @min_flt: page faults without I/O
 * @maj_flt: page faults with I/O
 * @nvcsw: voluntary context switches
 * @nivcsw: involuntary context switches
 * @rchar: bytes that system calls read
 * @wchar: bytes that system calls wrote
 * @syscr: reading system calls
 * @syscw: writing system calls
 * @read_bytes: bytes read from storage
 * @write_bytes: bytes sent to storage
 * @cancelled_write_bytes: of these, bytes that never had to be written
 * @written: of each task the former less the latter where that is positive, as
 *	found when it was asked about and at its end
 * @fsync: calls that had a whole file written to storage, such as fsync()
 * @migrations: how often they were moved to another CPU; since version 4
 */
struct taskacct_uid_usage {
	__u64 utime;
	__u64 stime;
	__u64 runtime;
	__u64 user;
	__u64 system;
	__u64 min_flt;
	__u64 maj_flt;
	__u64 nvcsw;
	__u64 nivcsw;
	__u64 rchar;
	__u64 wchar;
	__u64 syscr;
	__u64 syscw;
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 cancelled_write_bytes;
	__u64 written;
	__u64 fsync;
	__u64 migrations;
};

#endif /* _UAPI_LINUX_TASKACCT_H */
