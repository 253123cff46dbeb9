/* SPDX-License-Identifier: GPL-2.0-only */
/* What the eBPF program and its reader share */
#ifndef BENCH_BPF_H
#define BENCH_BPF_H

#include <linux/types.h>

/* An exit; the names are those of the kernel's own structs. */
struct bench_bpf_exit {
	__u32 pid;
	__u32 tgid;
	__u32 ppid;
	__u32 uid;
	__u32 gid;
	__u32 euid;
	__u32 egid;
	__u32 live;
	__s32 exit_code;
	__u32 policy;
	__s32 static_prio;
	__u32 blkio_count;
	__u32 swapin_count;
	__u32 freepages_count;
	__u32 thrashing_count;
	__u32 reserved;
	char comm[16];
	__u64 cgroup;
	__u64 start;
	__u64 start_boottime;
	__u64 end;
	__u64 utime;
	__u64 stime;
	__u64 gtime;
	__u64 runtime;
	__u64 run_count;
	__u64 run_delay;
	__u64 nvcsw;
	__u64 nivcsw;
	__u64 min_flt;
	__u64 maj_flt;
	__u64 rss_integral;
	__u64 vm_integral;
	__u64 rchar;
	__u64 wchar;
	__u64 syscr;
	__u64 syscw;
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 cancelled_write_bytes;
	__u64 blkio_delay;
	__u64 swapin_delay;
	__u64 freepages_delay;
	__u64 thrashing_delay;
};

/* The program, as clang made it, and how many bytes that is */
extern const char bench_bpf_program[];
extern const __u64 bench_bpf_size;

#endif /* BENCH_BPF_H */
