// SPDX-License-Identifier: GPL-2.0-only
/*
 * The controls of module fail (tests/fail) and of the kernel's own fault
 * injection.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "module.h"
#include "sys.h"

#define PARAMETERS "/sys/module/fail/parameters/"

/* Under all names that they have on the kernels that are tested */
static const struct fail_function known[] = {
	{ "__kmalloc", FAIL_MEMORY, 0 },
	{ "__kmalloc_noprof", FAIL_MEMORY, 0 },
	{ "__kmalloc_node", FAIL_MEMORY, 0 },
	{ "__kmalloc_node_noprof", FAIL_MEMORY, 0 },
	{ "kmalloc_trace", FAIL_MEMORY, 0 },
	{ "kmem_cache_alloc_trace", FAIL_MEMORY, 0 },
	{ "kmem_cache_alloc_node_trace", FAIL_MEMORY, 0 },
	{ "__kmalloc_cache_noprof", FAIL_MEMORY, 0 },
	{ "__kmalloc_cache_node_noprof", FAIL_MEMORY, 0 },
	{ "kmem_cache_alloc", FAIL_MEMORY, 0 },
	{ "kmem_cache_alloc_noprof", FAIL_MEMORY, 0 },
	{ "kvmalloc_node", FAIL_MEMORY, 0 },
	{ "__kvmalloc_node_noprof", FAIL_MEMORY, 0 },
	{ "bitmap_zalloc", FAIL_MEMORY, 0 },
	{ "get_zeroed_page", FAIL_MEMORY, 0 },
	{ "get_zeroed_page_noprof", FAIL_MEMORY, 0 },
	{ "__alloc_pages_nodemask", FAIL_MEMORY, 0 },
	{ "__alloc_pages", FAIL_MEMORY, 0 },
	{ "__alloc_pages_noprof", FAIL_MEMORY, 0 },
	{ "alloc_pages_node_noprof", FAIL_MEMORY, 0 },
	{ "proc_mkdir", FAIL_MEMORY, 0 },
	{ "proc_create_single_data", FAIL_MEMORY, 0 },
	{ "alloc_cpumask_var_node", FAIL_MEMORY, 0 },
	{ "alloc_cpumask_var", FAIL_MEMORY, 0 },
	{ "zalloc_cpumask_var", FAIL_MEMORY, 0 },
	{ "__alloc_percpu", FAIL_MEMORY, 0 },
	{ "__alloc_percpu_gfp", FAIL_MEMORY, 0 },
	{ "vmap", FAIL_MEMORY, 0 },
	{ "pcpu_alloc_noprof", FAIL_MEMORY, 0 },
	{ "kasprintf", FAIL_MEMORY, 0 },
	{ "nla_strdup", FAIL_MEMORY, 0 },
	{ "kstrdup", FAIL_MEMORY, 0 },
	{ "kstrdup_noprof", FAIL_MEMORY, 0 },
	{ "mempool_create", FAIL_MEMORY, 0 },
	{ "mempool_create_node", FAIL_MEMORY, 0 },
	{ "mempool_create_node_noprof", FAIL_MEMORY, 0 },
	{ "kmem_cache_create", FAIL_MEMORY, 0 },
	{ "__kmem_cache_create_args", FAIL_MEMORY, 0 },
	{ "proc_create", FAIL_MEMORY, 0 },
	{ "seq_open", FAIL_OTHER, -ENOMEM },
	{ "llist_del_first", FAIL_SPARE, 0 },
	{ "mempool_alloc", FAIL_POOL, 0 },
	{ "mempool_alloc_noprof", FAIL_POOL, 0 },
	{ "__alloc_skb", FAIL_SKB, 0 },
	{ "skb_clone", FAIL_CLONE, 0 },
	{ "skb_copy", FAIL_CLONE, 0 },
	{ "sock_queue_rcv_skb", FAIL_QUEUE, -ENOMEM },
	{ "sock_queue_rcv_skb_reason", FAIL_QUEUE, -ENOMEM },
	{ "ftrace_set_filter", FAIL_OTHER, -EINVAL },
	{ "ftrace_set_filter_ip", FAIL_OTHER, -EINVAL },
	{ "register_ftrace_function", FAIL_OTHER, -ENOMEM },
	{ "register_kprobe", FAIL_OTHER, -EINVAL },
	{ "register_kretprobe", FAIL_OTHER, -EINVAL },
	{ "tracepoint_probe_register", FAIL_OTHER, -ENOMEM },
	{ "tracepoint_probe_register_prio", FAIL_OTHER, -ENOMEM },
	{ "netlink_register_notifier", FAIL_OTHER, -ENOMEM },
	{ "genl_register_family", FAIL_OTHER, -ENOMEM },
	{ "register_module_notifier", FAIL_OTHER, -ENOMEM },
	{ "register_pm_notifier", FAIL_OTHER, -ENOMEM },
	{ "misc_register", FAIL_OTHER, -ENOMEM },
	{ "task_work_add", FAIL_OTHER, -ESRCH },
	{ "__cpuhp_setup_state", FAIL_OTHER, -ENOMEM },
};

/*
 * What can fail is called so, and what is called so and cannot, or is not called
 * by the module: a pool calls what it is given to get its memory.
 */
static const char *const suspects[] = {
	"alloc", "vmap", "create", "register", "clone", "dup", "printf", "set_filter",
	"rcv_skb", "attach", "copy",
};

static const char *const innocent[] = {
	"unregister", "deregister", "free", "asan_", "kmalloc_caches", "mempool_kmalloc",
	"mempool_alloc_slab",
	"snprintf", "scnprintf", "seq_printf", "copy_from", "copy_to", "memcpy", "strscpy",
	"usercopy", "user_return_notifier", "devmap",
};

static const struct fail_function *used[FAIL_FUNCTIONS];
static size_t nr_used;

static bool has_any(const char *name, const char *const *words, size_t n)
{
	while (n--)
		if (strstr(name, words[n]))
			return true;
	return false;
}

#define HAS_ANY(name, words) \
	has_any(name, words, sizeof(words) / sizeof((words)[0]))

static const struct fail_function *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return &known[i];
	return NULL;
}

static void find_used(void)
{
	const struct fail_function *f;
	const char *name;
	size_t i;

	for (i = 0; (name = module_needs(i)) && nr_used < FAIL_FUNCTIONS; i++) {
		f = find_known(name);
		if (f)
			used[nr_used++] = f;
	}
}

/**
 * fail_function() - the functions that the module uses and that can fail
 * @i: from 0
 *
 * Return: one of them, NULL after the last.
 */
const struct fail_function *fail_function(size_t i)
{
	if (!nr_used)
		find_used();
	return i < nr_used ? used[i] : NULL;
}

/**
 * fail_unknown() - look for one that the table of these functions lacks
 *
 * Return: the name of a function that by its name can fail; NULL if there is
 * none.
 */
const char *fail_unknown(void)
{
	const char *name;
	size_t i;

	for (i = 0; (name = module_needs(i)); i++)
		if (HAS_ANY(name, suspects) && !HAS_ANY(name, innocent) &&
		    !find_known(name))
			return name;
	return NULL;
}

/**
 * fail_error() - what the module's caller should see when a function fails
 * @f: the function
 *
 * Return: a negative errno.
 */
int fail_error(const struct fail_function *f)
{
	return f->value ? f->value : -ENOMEM;
}

/* None of them has a probe where one is refused, so each is tried alone. */
static void say_refused(void)
{
	const struct fail_function *f;
	size_t i;
	int err;

	for (i = 0; (f = fail_function(i)); i++) {
		err = sys_write(PARAMETERS "functions", f->name);
		if (err)
			fprintf(stderr, "# no probe in %s: %s\n", f->name,
				strerror(-err));
	}
}

static int set_functions(void)
{
	char names[FAIL_FUNCTIONS * 64] = "";
	const struct fail_function *f;
	size_t i;
	int err;

	for (i = 0; (f = fail_function(i)); i++) {
		strcat(names, f->name);
		strcat(names, " ");
	}
	err = i ? sys_write(PARAMETERS "functions", names) : -ENOENT;
	if (err)
		say_refused();
	return err;
}

/**
 * fail_begin() - load module fail, and take taskacct away
 *
 * It has to be there when taskacct comes.
 *
 * Return: 0 or a negative errno.
 */
int fail_begin(void)
{
	const char *const argv[] = { "modprobe", "fail", NULL };

	if (sys_module_loaded() && module_remove())
		return -EBUSY;
	if (sys_run(argv))
		return -ENOENT;
	return set_functions();
}

/**
 * fail_end() - let everything be as it was before fail_begin()
 *
 * Return: 0 or a negative errno.
 */
int fail_end(void)
{
	const char *const argv[] = { "rmmod", "fail", NULL };

	if (sys_module_loaded() && module_remove())
		return -EBUSY;
	if (sys_run(argv))
		return -EBUSY;
	return module_insert(NULL);
}

static int write_number(const char *path, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return sys_write(path, text);
}

/**
 * fail_plan() - say which calls fail
 * @plan: as tests/fail/fail.c has it; counters begin at 0 again
 *
 * Return: 0 or a negative errno.
 */
int fail_plan(const char *plan)
{
	return sys_write(PARAMETERS "plan", plan);
}

/**
 * fail_nth() - make one call fail
 * @f: of which function
 * @nth: which call, from 1
 * @task: of those in this task or process, 0: of all
 *
 * Return: 0 or a negative errno.
 */
int fail_nth(const struct fail_function *f, unsigned int nth, pid_t task)
{
	char plan[128];
	int err = fail_none(task);

	snprintf(plan, sizeof(plan), "%s %u %ld", f->name, nth, f->value);
	return err ? err : fail_plan(plan);
}

/**
 * fail_none() - make no call fail, but count them, from 0
 * @task: those in this task or process, 0: all
 *
 * Return: 0 or a negative errno.
 */
int fail_none(pid_t task)
{
	int err = write_number(PARAMETERS "task", task);

	return err ? err : fail_plan(" ");
}

/**
 * fail_watch() - see calls of other functions than those from fail_begin()
 * @name: a function that taskacct calls, also one of its own
 *
 * Return: 0 or a negative errno.
 */
int fail_watch(const char *name)
{
	return sys_write(PARAMETERS "functions", name);
}

/**
 * fail_hold() - make each call of a function wait for the next plan
 * @name: the function, from fail_begin() or fail_watch()
 * @ms: for how long, at most. The call's CPU does nothing else meanwhile
 * @task: those in this task or process, 0: all
 *
 * Return: 0 or a negative errno.
 */
int fail_hold(const char *name, unsigned int ms, pid_t task)
{
	char plan[128];
	int err = write_number(PARAMETERS "task", task);

	snprintf(plan, sizeof(plan), "%s 1/1 ~%u", name, ms);
	return err ? err : fail_plan(plan);
}

/**
 * fail_init_nth() - make an allocation within the module's init fail
 * @nth: which, from 1; 0 for none
 *
 * Return: 0 or a negative errno.
 */
int fail_init_nth(unsigned int nth)
{
	return write_number(PARAMETERS "init_nth", nth);
}

/**
 * fail_calls() - how often a function was called
 * @f: the function
 *
 * Return: the numbers.
 */
struct fail_calls fail_calls(const struct fail_function *f)
{
	struct fail_calls c = { 0 };
	char buf[4096], *line;
	size_t length = strlen(f->name);

	if (sys_read(PARAMETERS "calls", buf, sizeof(buf)) < 0)
		return c;
	for (line = strtok(buf, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, f->name, length) && line[length] == ' ')
			sscanf(line + length, "%u %u", &c.calls, &c.failed);
	return c;
}

/**
 * fail_slab_begin() - prepare the kernel's own fault injection
 *
 * Return: false on a kernel that has none.
 */
bool fail_slab_begin(void)
{
	static const char *const settings[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "failslab/task-filter", "Y" },
		{ "failslab/times", "-1" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_page_alloc/task-filter", "Y" },
	};
	char path[128];
	size_t i;

	if (access("/proc/self/fail-nth", F_OK))
		return false;
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s",
			 settings[i][0]);
		if (sys_write(path, settings[i][1]))
			return false;
	}
	return true;
}

/**
 * fail_slab_open() - open the switch of a task
 * @pid: its process
 * @tid: the task
 *
 * Return: a file descriptor or a negative errno.
 */
int fail_slab_open(pid_t pid, pid_t tid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/fail-nth", pid, tid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/**
 * fail_slab_set() - make one of a task's allocations fail
 * @fd: from fail_slab_open()
 * @nth: which, from 1; 0 for none
 *
 * Return: 0 or a negative errno.
 */
int fail_slab_set(int fd, unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fd, text, length, 0) == length ? 0 : -errno;
}

/**
 * fail_slab_left() - how many allocations there were to the one that fails
 * @fd: from fail_slab_open(); also of a task that has exited and is not reaped
 *
 * Return: their number; 0: one has failed.
 */
unsigned int fail_slab_left(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	return atoi(text);
}

/**
 * fail_slab_probability() - make allocations fail at random
 * @percent: how many, of tasks that have 1 in their /proc/self/make-it-fail,
 *	and of those that they fork
 *
 * Return: 0 or a negative errno.
 */
int fail_slab_probability(unsigned int percent)
{
	return write_number("/sys/kernel/debug/failslab/probability", percent);
}

/**
 * fail_hush() - keep the kernel's warnings off the console, or not
 * @on: which
 *
 * Where vmalloc() has no memory the kernel writes a warning with a trace, which
 * would count as a fault that was found. What is worse than a warning is still
 * written; a WARN() shows in the kernel's taint, a report of lockdep in
 * fail_locks_right().
 *
 * Return: 0 or a negative errno.
 */
int fail_hush(bool on)
{
	return sys_write("/proc/sys/kernel/printk", on ? "4" : "7");
}

/**
 * fail_locks_right() - ask lockdep, which ends its work with its first report
 *
 * Return: false where it has made one.
 */
bool fail_locks_right(void)
{
	static char buf[16384];
	const char *line;

	if (sys_read("/proc/lockdep_stats", buf, sizeof(buf)) < 0)
		return true;
	line = strstr(buf, "debug_locks:");
	return line && atoi(line + strlen("debug_locks:")) == 1;
}
