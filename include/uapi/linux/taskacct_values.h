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
 *	NAME	of the value in capitals, as in TASKACCT_R_NAME
 *	member	of the struct, and the value's name in JSON and CSV
 *	UNIT	as in TASKACCT_UNIT_UNIT
 *	GROUP	as in TASKACCT_HAS_GROUP, or NONE: it is always valid
 *	AFTER	of a sum: KEPT if the kernel keeps it of threads that are gone, with
 *		those of the process, or DROPPED
 */
#ifndef _UAPI_LINUX_TASKACCT_VALUES_H
#define _UAPI_LINUX_TASKACCT_VALUES_H

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

/* V(NAME, member, UNIT, GROUP): what a record has and what does not add up */
#define TASKACCT_SINGLES(V)						\
	V(VERSION, version, NUMBER, NONE)				\
	V(SIZE, size, BYTES, NONE)					\
	V(KIND, kind, NUMBER, NONE)					\
	V(CPU_ACCOUNTING, cpu_accounting, NUMBER, NONE)			\
	V(POLICY, policy, NUMBER, NONE)					\
	V(FLAGS, flags, NUMBER, NONE)					\
	V(NICE, nice, SIGNED, NONE)					\
	V(VALID, valid, NUMBER, NONE)					\
	V(ABSENT, absent, NUMBER, NONE)					\
	V(OFF, off, NUMBER, NONE)					\
	V(LATE, late, NUMBER, NONE)					\
	V(GONE, gone, NUMBER, NONE)					\
	V(COMM, comm, TEXT, NONE)					\
	V(PID, pid, NUMBER, NONE)					\
	V(TGID, tgid, NUMBER, NONE)					\
	V(PPID, ppid, NUMBER, NONE)					\
	V(INIT_PID, init_pid, NUMBER, NONE)				\
	V(INIT_TGID, init_tgid, NUMBER, NONE)				\
	V(INIT_PPID, init_ppid, NUMBER, NONE)				\
	V(UID, uid, NUMBER, NONE)					\
	V(GID, gid, NUMBER, NONE)					\
	V(EUID, euid, NUMBER, NONE)					\
	V(EGID, egid, NUMBER, NONE)					\
	V(LOGINUID, loginuid, NUMBER, LOGINUID)				\
	V(CPU, cpu, NUMBER, NONE)					\
	V(PID_NS, pid_ns, NUMBER, NONE)					\
	V(CGROUP, cgroup, NUMBER, CGROUP)				\
	V(EXE_DEV, exe_dev, NUMBER, EXE)				\
	V(EXE_INO, exe_ino, NUMBER, EXE)				\
	V(START, start, BOOT_NS, NONE)					\
	V(END, end, BOOT_NS, NONE)					\
	V(REAL_END, real_end, EPOCH_NS, NONE)				\
	V(EXIT_CODE, exit_code, NUMBER, END)				\
	V(GROUP_EXIT_CODE, group_exit_code, NUMBER, END)		\
	V(SIGNAL, signal, NUMBER, END)					\
	V(THREADS, threads, COUNT, THREADS)				\
	V(PEAK_RSS, peak_rss, BYTES, PEAK_RSS)				\
	V(PEAK_VM, peak_vm, BYTES, PEAK_VM)				\
	V(RSS_ANON, rss_anon, BYTES, MEMORY)				\
	V(RSS_FILE, rss_file, BYTES, MEMORY)				\
	V(RSS_SHMEM, rss_shmem, BYTES, MEMORY)				\
	V(SWAP, swap, BYTES, MEMORY)

/* S(NAME, member, UNIT, GROUP, AFTER): what was read and written */
#define TASKACCT_IO_SUMS(S)						\
	S(RCHAR, rchar, BYTES, IO, DROPPED)				\
	S(WCHAR, wchar, BYTES, IO, DROPPED)				\
	S(SYSCR, syscr, COUNT, IO, DROPPED)				\
	S(SYSCW, syscw, COUNT, IO, DROPPED)				\
	S(READ_BYTES, read_bytes, BYTES, STORAGE, DROPPED)		\
	S(WRITE_BYTES, write_bytes, BYTES, STORAGE, DROPPED)		\
	S(CANCELLED_WRITE_BYTES, cancelled_write_bytes, BYTES, STORAGE,	\
	  DROPPED)

/* The same: CPU time, faults and the like */
#define TASKACCT_RUN_SUMS(S)						\
	S(UTIME, utime, NS, CPU_TIME, KEPT)				\
	S(STIME, stime, NS, CPU_TIME, KEPT)				\
	S(RUNTIME, runtime, NS, RUNTIME, KEPT)				\
	S(MIN_FLT, min_flt, COUNT, FAULTS, KEPT)			\
	S(MAJ_FLT, maj_flt, COUNT, FAULTS, KEPT)			\
	S(NVCSW, nvcsw, COUNT, SWITCHES, KEPT)				\
	S(NIVCSW, nivcsw, COUNT, SWITCHES, KEPT)			\
	S(MIGRATIONS, migrations, COUNT, MIGRATIONS, DROPPED)

/* The same: what the totals of users do not have */
#define TASKACCT_TASK_SUMS(S)						\
	S(RSS_TIME, rss_time, KIB_US, INTEGRAL, DROPPED)		\
	S(VM_TIME, vm_time, KIB_US, INTEGRAL, DROPPED)			\
	S(ON_CPU, on_cpu, NS, ON_CPU, DROPPED)

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
 * W(KIND, kind, GROUP, label, HEAD): what is waited for, by enum taskacct_wait_kind; the
 * last two are for people
 */
#define TASKACCT_EACH_WAIT(W)						\
	W(CPU, cpu, RUN_QUEUE, "cpu", "CPU")				\
	W(BLKIO, blkio, BLKIO, "io", "IO")				\
	W(SWAPIN, swapin, SWAPIN, "swap", "SWAP")			\
	W(FREEPAGES, freepages, FREEPAGES, "reclaim", "RECLAIM")	\
	W(THRASHING, thrashing, THRASHING, "thrashing", "THRASH")	\
	W(COMPACT, compact, COMPACT, "compact", "COMPACT")		\
	W(WPCOPY, wpcopy, WPCOPY, "wpcopy", "WPCOPY")			\
	W(IRQ, irq, IRQ, "irq", "IRQ")

#endif /* _UAPI_LINUX_TASKACCT_VALUES_H */
