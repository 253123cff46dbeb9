/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running system: what /proc and /sys say, modules, CPUs, settings.
 */
#ifndef SELFTESTS_SYS_H
#define SELFTESTS_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct sys_task - what /proc says of a task or a process
 * @state: letter of its state
 * @ppid: parent
 * @nice: nice value
 * @policy: scheduling policy
 * @ticks: user and system time together, in clock ticks
 * @minflt: minor faults
 * @majflt: major faults
 * @rchar: bytes read
 * @wchar: bytes written
 * @syscr: read system calls
 * @syscw: write system calls
 * @read_bytes: bytes read from storage
 * @write_bytes: bytes written to storage
 * @cancelled: of these, never written after all
 * @run_ns: time on a CPU
 * @wait_ns: time on a run queue
 * @runs: times on a CPU
 * @nvcsw: voluntary context switches
 * @nivcsw: involuntary ones
 * @hwm_kb: peak resident set
 * @hwm_least_kb: the same without what CPUs hold back from the counters; later
 *	kernels' status adds it up, the task's own records do not
 * @peak_kb: peak of the address space
 */
struct sys_task {
	char state;
	uint64_t ppid;
	int64_t nice;
	uint64_t policy;
	uint64_t ticks;
	uint64_t minflt;
	uint64_t majflt;
	uint64_t rchar;
	uint64_t wchar;
	uint64_t syscr;
	uint64_t syscw;
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t cancelled;
	uint64_t run_ns;
	uint64_t wait_ns;
	uint64_t runs;
	uint64_t nvcsw;
	uint64_t nivcsw;
	uint64_t hwm_kb;
	uint64_t hwm_least_kb;
	uint64_t peak_kb;
};

/* Threads of a process that are looked at one by one */
#define SYS_TIDS_MAX 2048

/* There with CONFIG_FUNCTION_TRACER only */
#define SYS_FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"

bool sys_in_vm(void);
int sys_slow(void);
int sys_quick(int n);
int sys_fewer(int n);
int sys_briefly(int n);
int64_t sys_now_ns(void);
uint64_t sys_boot_ns(void);
uint64_t sys_process_cpu_ns(pid_t pid);
int sys_read(const char *path, char *buf, size_t size);
int sys_write(const char *path, const char *text);
bool sys_file_has(const char *path, const char *word);
int sys_run(const char *const argv[]);

int sys_proc_task(pid_t pid, struct sys_task *t);
int sys_proc_thread(pid_t pid, pid_t tid, struct sys_task *t);
int sys_pids(pid_t *pids, int max);
int sys_tids(pid_t pid, pid_t *tids, int max);
int sys_proc_sum(pid_t pid, struct sys_task *sum);
char sys_state(pid_t pid, pid_t tid);
uint64_t sys_number(const char *path, const char *name);
long sys_meminfo_kb(const char *name);

bool sys_kernel_is(int major, int minor);
bool sys_rss_by_cpu(void);
int sys_cpus_online(void);
int sys_cpus_possible(void);
bool sys_cpu_is_online(int cpu);
int sys_cpu_set(int cpu, bool online);

int sys_delayacct(bool on);
bool sys_counts(void);
bool sys_traces_functions(void);
bool sys_has_kprobes(void);
bool sys_measures_cpu_time(void);
bool sys_has_hook(const char *params);
bool sys_exit_has_mm(void);
bool sys_deducts_irqs(void);
bool sys_module_loaded(void);
int sys_module_load(const char *param);
int sys_module_unload(void);

#endif /* SELFTESTS_SYS_H */
