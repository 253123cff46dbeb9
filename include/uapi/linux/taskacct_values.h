/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The table of values: what the module and the library do with each comes from here
 *
 * A list calls a macro for each of its rows, so that a member of a struct, an addition
 * or an entry of an array is made of it. The structs that users see are written out in
 * <linux/taskacct.h>; assertions hold them against this table.
 *
 * The columns:
 *
 *	number	of the value in libtaskacct, TASKACCT_R_NAME. Programs were compiled with it,
 *		so that it stays; a new row has the first that is free
 *	NAME	of the value in capitals
 *	member	of the struct, and the value's name in JSON and CSV
 *	UNIT	as in TASKACCT_UNIT_UNIT
 *	GROUP	as in TASKACCT_HAS_GROUP, or NONE: it is always valid
 *	AFTER	of a sum: KEPT if the kernel keeps it of threads that are gone, with
 *		those of the process, or DROPPED
 *	alias	of a sum: a shorter name for people, or NULL
 *	HEAD	of a sum: what is above its column
 *	text	of a sum: what it is, in a sentence
 */
#ifndef _UAPI_LINUX_TASKACCT_VALUES_H
#define _UAPI_LINUX_TASKACCT_VALUES_H

/* The first number that is free; whoever takes it raises it. */
#define TASKACCT_NEXT_NUMBER	92

/* G(GROUP, name): groups of values, by enum taskacct_values_bit */
#define TASKACCT_GROUPS(G)						\
	G(END, end)							\
	G(CPU_TIME, cpu_time)						\
	G(RUNTIME, runtime)						\
	G(RUN_QUEUE, run_queue)						\
	G(FAULTS, faults)						\
	G(SWITCHES, switches)						\
	G(IO, io)							\
	G(STORAGE, storage)						\
	G(PEAK_RSS, peak_rss)						\
	G(PEAK_VM, peak_vm)						\
	G(MEMORY, memory)						\
	G(INTEGRAL, integral)						\
	G(EXE, exe)							\
	G(LOGINUID, loginuid)						\
	G(CGROUP, cgroup)						\
	G(THREADS, threads)						\
	G(EXTREMES, extremes)						\
	G(BLKIO, blkio)							\
	G(SWAPIN, swapin)						\
	G(FREEPAGES, freepages)						\
	G(THRASHING, thrashing)						\
	G(COMPACT, compact)						\
	G(WPCOPY, wpcopy)						\
	G(IRQ, irq)							\
	G(ON_CPU, on_cpu)						\
	G(MIGRATIONS, migrations)

/* V(number, NAME, member, UNIT, GROUP): what a record has and what does not add up */
#define TASKACCT_SINGLES(V)						\
	V(0, VERSION, version, NUMBER, NONE)				\
	V(1, SIZE, size, BYTES, NONE)					\
	V(2, KIND, kind, NUMBER, NONE)					\
	V(3, CPU_ACCOUNTING, cpu_accounting, NUMBER, NONE)		\
	V(4, POLICY, policy, NUMBER, NONE)				\
	V(5, FLAGS, flags, NUMBER, NONE)				\
	V(6, NICE, nice, SIGNED, NONE)					\
	V(7, VALID, valid, NUMBER, NONE)				\
	V(8, ABSENT, absent, NUMBER, NONE)				\
	V(9, OFF, off, NUMBER, NONE)					\
	V(10, LATE, late, NUMBER, NONE)					\
	V(11, GONE, gone, NUMBER, NONE)					\
	V(12, COMM, comm, TEXT, NONE)					\
	V(13, PID, pid, NUMBER, NONE)					\
	V(14, TGID, tgid, NUMBER, NONE)					\
	V(15, PPID, ppid, NUMBER, NONE)					\
	V(16, INIT_PID, init_pid, NUMBER, NONE)				\
	V(17, INIT_TGID, init_tgid, NUMBER, NONE)			\
	V(18, INIT_PPID, init_ppid, NUMBER, NONE)			\
	V(19, UID, uid, NUMBER, NONE)					\
	V(20, GID, gid, NUMBER, NONE)					\
	V(21, EUID, euid, NUMBER, NONE)					\
	V(22, EGID, egid, NUMBER, NONE)					\
	V(23, LOGINUID, loginuid, NUMBER, LOGINUID)			\
	V(24, CPU, cpu, NUMBER, NONE)					\
	V(25, PID_NS, pid_ns, NUMBER, NONE)				\
	V(26, CGROUP, cgroup, NUMBER, CGROUP)				\
	V(27, EXE_DEV, exe_dev, NUMBER, EXE)				\
	V(28, EXE_INO, exe_ino, NUMBER, EXE)				\
	V(29, START, start, BOOT_NS, NONE)				\
	V(30, END, end, BOOT_NS, NONE)					\
	V(31, REAL_END, real_end, EPOCH_NS, NONE)			\
	V(32, EXIT_CODE, exit_code, NUMBER, END)			\
	V(33, GROUP_EXIT_CODE, group_exit_code, NUMBER, END)		\
	V(34, SIGNAL, signal, NUMBER, END)				\
	V(35, THREADS, threads, COUNT, THREADS)				\
	V(36, PEAK_RSS, peak_rss, BYTES, PEAK_RSS)			\
	V(37, PEAK_VM, peak_vm, BYTES, PEAK_VM)				\
	V(38, RSS_ANON, rss_anon, BYTES, MEMORY)			\
	V(39, RSS_FILE, rss_file, BYTES, MEMORY)			\
	V(40, RSS_SHMEM, rss_shmem, BYTES, MEMORY)			\
	V(41, SWAP, swap, BYTES, MEMORY)

/* S(number, NAME, member, UNIT, GROUP, AFTER, alias, HEAD, text): what was read and written */
#define TASKACCT_IO_SUMS(S)						\
	S(50, RCHAR, rchar, BYTES, IO, DROPPED,				\
	  NULL, "RCHAR", "Bytes that system calls read.")		\
	S(51, WCHAR, wchar, BYTES, IO, DROPPED,				\
	  NULL, "WCHAR", "Bytes that system calls wrote.")		\
	S(52, SYSCR, syscr, COUNT, IO, DROPPED,				\
	  NULL, "SYSCR", "System calls that read.")			\
	S(53, SYSCW, syscw, COUNT, IO, DROPPED,				\
	  NULL, "SYSCW", "System calls that wrote.")			\
	S(54, READ_BYTES, read_bytes, BYTES, STORAGE, DROPPED,		\
	  "read", "READ", "Bytes read from storage.")			\
	S(55, WRITE_BYTES, write_bytes, BYTES, STORAGE, DROPPED,	\
	  "write", "WRITE", "Bytes sent to storage.")			\
	S(56, CANCELLED_WRITE_BYTES, cancelled_write_bytes, BYTES, STORAGE, DROPPED, \
	  "cancelled", "CANCELLED", "Of write_bytes, those that never had to be written.")

/* The same: CPU time, faults and the like */
#define TASKACCT_RUN_SUMS(S)						\
	S(42, UTIME, utime, NS, CPU_TIME, KEPT,				\
	  "user_time", "UTIME",						\
	  "CPU time in user mode, as the kernel's accounting has it.")	\
	S(43, STIME, stime, NS, CPU_TIME, KEPT,				\
	  "sys_time", "STIME", "CPU time in the kernel, likewise.")	\
	S(44, RUNTIME, runtime, NS, RUNTIME, KEPT,			\
	  NULL, "RUNTIME", "CPU time as the scheduler counts it.")	\
	S(45, MIN_FLT, min_flt, COUNT, FAULTS, KEPT,			\
	  "minflt", "MINFLT", "Page faults without I/O.")		\
	S(46, MAJ_FLT, maj_flt, COUNT, FAULTS, KEPT,			\
	  "majflt", "MAJFLT", "Page faults with I/O.")			\
	S(47, NVCSW, nvcsw, COUNT, SWITCHES, KEPT,			\
	  "vcsw", "VCSW", "Voluntary context switches.")		\
	S(48, NIVCSW, nivcsw, COUNT, SWITCHES, KEPT,			\
	  "ivcsw", "IVCSW", "Involuntary context switches.")		\
	S(49, MIGRATIONS, migrations, COUNT, MIGRATIONS, DROPPED,	\
	  NULL, "MIGR", "How often it was moved to another CPU.")

/* The same: what the totals of users do not have */
#define TASKACCT_TASK_SUMS(S)						\
	S(57, RSS_TIME, rss_time, KIB_US, INTEGRAL, DROPPED,		\
	  NULL, "RSS-TIME",						\
	  "Resident memory over CPU time: MiB times s in tables, KiB times us for programs.") \
	S(58, VM_TIME, vm_time, KIB_US, INTEGRAL, DROPPED,		\
	  NULL, "VM-TIME", "Address space over CPU time, likewise.")	\
	S(59, ON_CPU, on_cpu, NS, ON_CPU, DROPPED,			\
	  NULL, "ON-CPU",						\
	  "Time on CPUs without interrupts and stolen time, by taskacct's own accounting.")

/* What adds up over threads and over the tasks of a user */
#define TASKACCT_USER_SUMS(S)						\
	TASKACCT_RUN_SUMS(S)						\
	TASKACCT_IO_SUMS(S)

/* What adds up over threads */
#define TASKACCT_SUMS(S)						\
	TASKACCT_RUN_SUMS(S)						\
	TASKACCT_IO_SUMS(S)						\
	TASKACCT_TASK_SUMS(S)

/* U(member, UNIT, name): what only the totals of users have; the name is for programs */
#define TASKACCT_USER_ONLY(U)						\
	U(user, NS, user)						\
	U(system, NS, system)						\
	U(written, BYTES, written_bytes)				\
	U(fsync, COUNT, fsync)

/*
 * W(number, KIND, kind, GROUP, label, HEAD): what is waited for, by enum taskacct_wait_kind.
 * The number is that of how often, and the next three are those of the total, the longest and
 * the shortest; the last two columns are for people
 */
#define TASKACCT_EACH_WAIT(W)						\
	W(60, CPU, cpu, RUN_QUEUE, "cpu", "CPU")			\
	W(64, BLKIO, blkio, BLKIO, "io", "IO")				\
	W(68, SWAPIN, swapin, SWAPIN, "swap", "SWAP")			\
	W(72, FREEPAGES, freepages, FREEPAGES, "reclaim", "RECLAIM")	\
	W(76, THRASHING, thrashing, THRASHING, "thrashing", "THRASH")	\
	W(80, COMPACT, compact, COMPACT, "compact", "COMPACT")		\
	W(84, WPCOPY, wpcopy, WPCOPY, "wpcopy", "WPCOPY")		\
	W(88, IRQ, irq, IRQ, "irq", "IRQ")

#endif /* _UAPI_LINUX_TASKACCT_VALUES_H */
