// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers of /proc and /sys, and the few settings that tests change.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys.h"

#define MODULE "taskacct"

/**
 * sys_in_vm() - tell whether this is the guest of tests/vm/run
 *
 * Return: true where it is.
 */
bool sys_in_vm(void)
{
	return getenv("VM_OUT");
}

/**
 * sys_slow() - by how much time limits are stretched on this kernel
 *
 * Return: a factor, from scripts/kernels.tab; 1 outside the guest.
 */
int sys_slow(void)
{
	const char *slow = getenv("VM_SLOW");

	return slow ? atoi(slow) : 1;
}

static int at_least_twice(int n)
{
	return n < 2 ? 2 : n;
}

/* What the load is divided by where all runs together have to be done soon, else 1 */
static int haste(void)
{
	const char *quick = getenv("VM_QUICK");

	return quick && atoi(quick) > 1 ? atoi(quick) : 1;
}

/**
 * sys_quick() - how often something is done: less often where a run has to be quick, as
 * those of make check
 * @n: how often where there is time, on any kernel
 *
 * Return: how often, at least twice.
 */
int sys_quick(int n)
{
	return at_least_twice(n / haste());
}

/**
 * sys_fewer() - how often something is done: less often on a slow kernel, too
 * @n: how often on a fast one, where there is time
 *
 * Return: how often, at least twice.
 */
int sys_fewer(int n)
{
	const int slow = sys_slow();

	if (slow < 4)
		return sys_quick(n);
	return at_least_twice(n / (haste() > 1 ? 2 * slow : slow));
}

/**
 * sys_briefly() - for how long something goes on: a quarter where a run has to be quick,
 * the same on a slow kernel, which gets less done in that time anyway
 * @n: how long where there is time, in any unit
 *
 * Return: how long.
 */
int sys_briefly(int n)
{
	return haste() > 1 ? n / 4 : n;
}

/**
 * sys_now_ns() - the monotonic clock
 *
 * Return: its time in nanoseconds.
 */
int64_t sys_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/**
 * sys_boot_ns() - time since boot, suspends included: the clock of extended records
 *
 * Return: in nanoseconds.
 */
uint64_t sys_boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * sys_process_cpu_ns() - what the kernel has of a process's CPU time, by its clock
 * @pid: the process, also one that has ended and was not waited for
 *
 * Return: in ns; 0 if there is no such process.
 */
uint64_t sys_process_cpu_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * sys_read() - read a whole small file
 * @path: the file
 * @buf: where the text goes, with a NUL after it
 * @size: room there
 *
 * Return: length of the text or a negative errno.
 */
int sys_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, buf + len, size - 1 - len);
		if (n > 0)
			len += n;
	} while (n > 0);
	n = n < 0 ? -errno : (ssize_t)len;
	buf[len] = '\0';
	close(fd);
	return n;
}

/**
 * sys_write() - write a word into a file of /proc or /sys
 * @path: the file
 * @text: the word
 *
 * Return: 0 or a negative errno.
 */
int sys_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/**
 * sys_file_has() - look for a word in a file of any length
 * @path: the file
 * @word: the word
 *
 * Return: true where a line of it has the word.
 */
bool sys_file_has(const char *path, const char *word)
{
	bool found = false;
	char line[1024];
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, word);
	fclose(f);
	return found;
}

/**
 * sys_run() - run a program to its end, its output thrown away
 * @argv: its arguments, the first of them the program, looked for in PATH
 *
 * Return: its exit status, or -1 where it did not exit by itself.
 */
int sys_run(const char *const argv[])
{
	int status;
	pid_t pid;
	int null;

	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The number after "name" and white space or a colon at a line's beginning. */
static uint64_t number_of(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *line;

	for (line = text; line; line = strchr(line, '\n')) {
		while (*line == '\n')
			line++;
		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		return strtoull(line + len + 1, NULL, 10);
	}
	return 0;
}

static int read_stat(const char *dir, struct sys_task *t)
{
	unsigned long long utime;
	unsigned long long pages;
	unsigned long long stime;
	char path[128];
	char buf[1024];
	long long nice;
	char *p;
	int n;

	snprintf(path, sizeof(path), "%s/stat", dir);
	n = sys_read(path, buf, sizeof(buf));
	if (n < 0)
		return n;
	p = strrchr(buf, ')');
	if (!p)
		return -EPROTO;
	n = sscanf(p + 2, "%c %lu %*d %*d %*d %*d %*u %lu %*u %lu %*u %llu %llu %*d %*d %*d %lld %*d %*d %*u %*u %llu",
		   &t->state, &t->ppid, &t->minflt, &t->majflt, &utime, &stime,
		   &nice, &pages);
	if (n != 8)
		return -EPROTO;
	t->ticks = utime + stime;
	t->hwm_least_kb = pages * sysconf(_SC_PAGESIZE) / 1024;
	t->nice = nice;
	for (n = 0; n < 39 && p; n++)
		p = strchr(p + 1, ' ');
	if (p)
		t->policy = strtoull(p, NULL, 10);
	return 0;
}

static int read_io(const char *dir, struct sys_task *t)
{
	char path[128];
	char buf[1024];
	int n;

	snprintf(path, sizeof(path), "%s/io", dir);
	n = sys_read(path, buf, sizeof(buf));
	if (n == -ENOENT && !sys_counts())
		return 0;
	if (n < 0)
		return n;
	t->rchar = number_of(buf, "rchar");
	t->wchar = number_of(buf, "wchar");
	t->syscr = number_of(buf, "syscr");
	t->syscw = number_of(buf, "syscw");
	t->read_bytes = number_of(buf, "read_bytes");
	t->write_bytes = number_of(buf, "write_bytes");
	t->cancelled = number_of(buf, "cancelled_write_bytes");
	return 0;
}

/* Needs CONFIG_SCHED_INFO, which what builds on CONFIG_TASKSTATS brings along. */
static int read_schedstat(const char *dir, struct sys_task *t)
{
	char path[128];
	char buf[128];
	int n;

	snprintf(path, sizeof(path), "%s/schedstat", dir);
	n = sys_read(path, buf, sizeof(buf));
	if (n == -ENOENT && access("/proc/self/schedstat", F_OK))
		return 0;
	if (n < 0)
		return n;
	if (sscanf(buf, "%lu %lu %lu", &t->run_ns, &t->wait_ns, &t->runs) != 3)
		return -EPROTO;
	return 0;
}

static int read_status(const char *dir, struct sys_task *t)
{
	char path[128];
	char buf[4096];
	int n;

	snprintf(path, sizeof(path), "%s/status", dir);
	n = sys_read(path, buf, sizeof(buf));
	if (n < 0)
		return n;
	t->nvcsw = number_of(buf, "voluntary_ctxt_switches");
	t->nivcsw = number_of(buf, "nonvoluntary_ctxt_switches");
	t->hwm_kb = number_of(buf, "VmHWM");
	/* What is resident now counts only where that is the peak. */
	if (t->hwm_kb != number_of(buf, "VmRSS"))
		t->hwm_least_kb = t->hwm_kb;
	t->peak_kb = number_of(buf, "VmPeak");
	return 0;
}

static int read_task(const char *dir, struct sys_task *t)
{
	int err;

	memset(t, 0, sizeof(*t));
	err = read_stat(dir, t);
	if (!err)
		err = read_io(dir, t);
	if (!err)
		err = read_schedstat(dir, t);
	if (!err)
		err = read_status(dir, t);
	return err;
}

/**
 * sys_proc_task() - read /proc/PID
 * @pid: a process; stat and io are those of all its threads, the rest is the
 *	leader's alone
 * @t: filled in; 0 what the kernel does not count at all
 *
 * Return: 0 or a negative errno.
 */
int sys_proc_task(pid_t pid, struct sys_task *t)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/proc/%d", pid);
	return read_task(dir, t);
}

/**
 * sys_proc_thread() - read /proc/PID/task/TID
 * @pid: the process
 * @tid: the thread
 * @t: filled in; 0 what the kernel does not count at all
 *
 * Return: 0 or a negative errno.
 */
int sys_proc_thread(pid_t pid, pid_t tid, struct sys_task *t)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/proc/%d/task/%d", pid, tid);
	return read_task(dir, t);
}

static int list_numbers(const char *path, pid_t *numbers, int max)
{
	struct dirent *d;
	int n = 0;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		if (!isdigit(d->d_name[0]))
			continue;
		if (n < max)
			numbers[n] = atoi(d->d_name);
		n++;
	}
	closedir(dir);
	return n;
}

/**
 * sys_pids() - list all processes
 * @pids: filled in
 * @max: room there
 *
 * Return: how many there are or a negative errno.
 */
int sys_pids(pid_t *pids, int max)
{
	return list_numbers("/proc", pids, max);
}

/**
 * sys_tids() - list the threads of a process
 * @pid: the process
 * @tids: filled in
 * @max: room there
 *
 * Return: how many there are, which may be more, or a negative errno.
 */
int sys_tids(pid_t pid, pid_t *tids, int max)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return list_numbers(path, tids, max);
}

/**
 * sys_proc_sum() - what /proc says of a whole process
 * @pid: the process
 * @sum: filled in: what /proc sums up itself, and of the rest the sum over
 *	the threads alive
 *
 * Return: 0 or a negative errno.
 */
int sys_proc_sum(pid_t pid, struct sys_task *sum)
{
	struct sys_task t;
	pid_t tids[SYS_TIDS_MAX];
	int err;
	int n;

	err = sys_proc_task(pid, sum);
	n = sys_tids(pid, tids, SYS_TIDS_MAX);
	if (n > SYS_TIDS_MAX)
		n = -E2BIG;
	if (err || n < 0)
		return err ? err : n;
	sum->run_ns = 0;
	sum->wait_ns = 0;
	sum->runs = 0;
	sum->nvcsw = 0;
	sum->nivcsw = 0;
	while (n-- > 0) {
		err = sys_proc_thread(pid, tids[n], &t);
		if (err)
			return err;
		sum->run_ns += t.run_ns;
		sum->wait_ns += t.wait_ns;
		sum->runs += t.runs;
		sum->nvcsw += t.nvcsw;
		sum->nivcsw += t.nivcsw;
	}
	return 0;
}

/**
 * sys_state() - state of a thread
 * @pid: the process
 * @tid: the thread
 *
 * Return: the letter, or 0 where there is no such thread.
 */
char sys_state(pid_t pid, pid_t tid)
{
	struct sys_task t = { 0 };
	char dir[64];

	snprintf(dir, sizeof(dir), "/proc/%d/task/%d", pid, tid);
	return read_stat(dir, &t) ? 0 : t.state;
}

/**
 * sys_number() - a number in a file of /proc
 * @path: the file
 * @name: what stands before it and a colon
 *
 * Return: the number, 0 where it is not there.
 */
uint64_t sys_number(const char *path, const char *name)
{
	char buf[8192];

	return sys_read(path, buf, sizeof(buf)) < 0 ? 0 : number_of(buf, name);
}

/**
 * sys_meminfo_kb() - a line of /proc/meminfo
 * @name: its name
 *
 * Return: its value in KiB.
 */
long sys_meminfo_kb(const char *name)
{
	char buf[8192];

	if (sys_read("/proc/meminfo", buf, sizeof(buf)) < 0)
		return -1;
	return number_of(buf, name);
}

/**
 * sys_kernel_is() - whether the running kernel is new enough
 * @major: of the version
 * @minor: of the version
 *
 * Return: whether it is of this version, or later.
 */
bool sys_kernel_is(int major, int minor)
{
	struct utsname name;
	int has[2];

	return !uname(&name) &&
	       sscanf(name.release, "%d.%d", &has[0], &has[1]) == 2 &&
	       (has[0] > major || (has[0] == major && has[1] >= minor));
}

/**
 * sys_rss_by_cpu() - how the kernel counts the pages of an address space
 *
 * Return: whether by CPU, as since 6.2, and not by thread.
 */
bool sys_rss_by_cpu(void)
{
	return sys_kernel_is(6, 2);
}

/**
 * sys_cpus_online() - how many CPUs are online
 *
 * Return: their number.
 */
int sys_cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/**
 * sys_cpus_possible() - the kernel's nr_cpu_ids
 *
 * Return: the number of the last possible CPU, plus one.
 */
int sys_cpus_possible(void)
{
	char buf[256];
	char *p;

	if (sys_read("/sys/devices/system/cpu/possible", buf, sizeof(buf)) < 0)
		return 1;
	p = buf + strcspn(buf, "\n");
	while (p > buf && isdigit(p[-1]))
		p--;
	return atoi(p) + 1;
}

/**
 * sys_cpu_is_online() - tell whether a CPU is online
 * @cpu: its number
 *
 * Return: true where it is; a CPU that cannot be switched off is.
 */
bool sys_cpu_is_online(int cpu)
{
	char path[64];
	char buf[8];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return sys_read(path, buf, sizeof(buf)) <= 0 || buf[0] == '1';
}

/**
 * sys_cpu_set() - switch a CPU on or off
 * @cpu: its number
 * @online: which
 *
 * Return: 0 or a negative errno.
 */
int sys_cpu_set(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return sys_write(path, online ? "1" : "0");
}

/**
 * sys_delayacct() - switch delay accounting of tasks yet to be forked
 * @on: on or off
 *
 * Return: 0 or a negative errno; -ENOENT before 5.14, where it is always on.
 */
int sys_delayacct(bool on)
{
	return sys_write("/proc/sys/kernel/task_delayacct", on ? "1" : "0");
}

/**
 * sys_counts() - tell whether the kernel has CONFIG_TASKSTATS
 *
 * Without it there is nothing that builds on it: no I/O, no delays, no memory
 * integrals, no family TASKSTATS and no /proc/PID/io.
 *
 * Return: true where it has.
 */
bool sys_counts(void)
{
	return access("/proc/self/io", F_OK) == 0;
}

/**
 * sys_traces_functions() - tell whether the kernel has a function tracer
 *
 * Without it there is neither hook=ftrace nor hook=kprobe, and a task that changes its
 * user is seen late.
 *
 * Return: true where it has.
 */
bool sys_traces_functions(void)
{
	return access(SYS_FTRACE_ENABLED, F_OK) == 0;
}

/**
 * sys_has_kprobes() - tell whether kprobes can be the module's hooks
 *
 * They can where they go through ftrace, which they do on these architectures.
 *
 * Return: true where they can.
 */
bool sys_has_kprobes(void)
{
	struct utsname u;

	if (uname(&u) || (strcmp(u.machine, "x86_64") && strcmp(u.machine, "s390x")))
		return false;
	return sys_traces_functions();
}

/**
 * sys_measures_cpu_time() - tell whether the architecture measures user and system time
 *
 * Elsewhere they are the runtime, divided as samples were.
 *
 * Return: true where it does, on s390x.
 */
bool sys_measures_cpu_time(void)
{
	return sys_file_has("/proc/cpuinfo", "IBM/S390");
}

/**
 * sys_has_hook() - tell whether the kernel has the hook that is asked for
 * @params: parameters of the module, or a hook's name
 *
 * Return: true where it has, or none is asked for.
 */
bool sys_has_hook(const char *params)
{
	if (strstr(params, "kprobe"))
		return sys_has_kprobes();
	return !strstr(params, "ftrace") || sys_traces_functions();
}

/**
 * sys_exit_has_mm() - tell whether tasks exit with their address space
 *
 * The tracepoint comes after it is gone, but on kernels that tell it group_dead
 * as well. On PREEMPT_RT accounting is put off where the hook may not sleep.
 *
 * Return: true where the hook in force sees it.
 */
bool sys_exit_has_mm(void)
{
	char hook[64] = "", realtime[8] = "0";

	sys_read("/sys/module/" MODULE "/parameters/hook", hook, sizeof(hook));
	sys_read("/sys/kernel/realtime", realtime, sizeof(realtime));
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	if (!strncmp(hook, "tracepoint:", 11))
		return sys_file_has("/sys/kernel/tracing/events/sched/sched_process_exit/format",
				    "group_dead");
	return *realtime != '1' || !!strncmp(hook, "kprobe:", 7);
}

/**
 * sys_deducts_irqs() - tell whether the kernel takes the time of interrupts from tasks
 *
 * What a task has run is then known as of the last tick: how much the kernel has taken since
 * is told nowhere to the ns.
 *
 * Return: true if the module, which is loaded, says so.
 */
bool sys_deducts_irqs(void)
{
	return sys_file_has("/proc/taskacct/stat", "irqtime measured");
}

/**
 * sys_module_loaded() - tell whether the module is there
 *
 * Return: true where it is.
 */
bool sys_module_loaded(void)
{
	return access("/sys/module/" MODULE, F_OK) == 0;
}

/**
 * sys_module_load() - load the module
 * @param: a parameter as "name=value", or NULL
 *
 * Return: 0, or modprobe's exit status.
 */
int sys_module_load(const char *param)
{
	const char *const argv[] = { "modprobe", MODULE, param, NULL };

	return sys_run(argv);
}

/**
 * sys_module_unload() - unload the module
 *
 * Return: 0, or rmmod's exit status.
 */
int sys_module_unload(void)
{
	const char *const argv[] = { "rmmod", MODULE, NULL };

	return sys_run(argv);
}
