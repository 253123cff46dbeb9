// SPDX-License-Identifier: GPL-2.0-only
/*
 * The books that an audit holds tasks against: the kernel's, and the module's
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "books.h"
#include "hotplug.h"

static uint64_t audit_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes the value of a line from a file that has one name and number a line. */
struct line {
	enum audit_line line;
	const char *name;
	int64_t unit;
};

static void read_lines(struct audit_machine *m, const char *path,
		       const struct line *lines, size_t n)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0, length, i;

	if (!file)
		return;
	while (getline(&text, &size, file) >= 0) {
		for (i = 0; i < n; i++) {
			length = strlen(lines[i].name);
			if (strncmp(text, lines[i].name, length) ||
			    text[length] != ' ')
				continue;
			m->v[lines[i].line] =
				strtoll(text + length, NULL, 10) *
				lines[i].unit;
			m->has[lines[i].line] = true;
		}
	}
	free(text);
	fclose(file);
}

/* Of each CPU: seven numbers, of which the last three are reported here */
static void take_cpu(struct audit_machine *m, const char *text)
{
	int64_t time, delay, count;

	if (sscanf(text,
		   "cpu%*d %*d %*d %*d %*d %*d %*d %" SCNd64 " %" SCNd64
		   " %" SCNd64,
		   &time, &delay, &count) != 3)
		return;
	m->v[AUDIT_RQ_CPU_TIME] += time;
	m->v[AUDIT_RQ_RUN_DELAY] += delay;
	m->v[AUDIT_RQ_PCOUNT] += count;
	m->has[AUDIT_RQ_CPU_TIME] = true;
	m->has[AUDIT_RQ_RUN_DELAY] = true;
	m->has[AUDIT_RQ_PCOUNT] = true;
}

static void read_schedstat(struct audit_machine *m)
{
	FILE *file = fopen("/proc/schedstat", "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&text, &size, file) >= 0)
		take_cpu(m, text);
	free(text);
	fclose(file);
}

/* CPUs keep back what they count of pages; this has them add it up. */
static bool refresh_vmstat(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_RDONLY | O_CLOEXEC);
	char text[8];
	bool done;

	if (fd < 0)
		return false;
	done = read(fd, text, sizeof(text)) >= 0;
	close(fd);
	return done;
}

static void read_machine(struct audit_machine *m)
{
	static const struct line stat[] = {
		{ AUDIT_CTXT, "ctxt", 1 },
		{ AUDIT_FORKS, "processes", 1 },
	};
	const struct line vmstat[] = {
		{ AUDIT_PGFAULT, "pgfault", 1 },
		{ AUDIT_PGPGIN, "pgpgin", 1024 },
		{ AUDIT_DIRTIED, "nr_dirtied", sysconf(_SC_PAGESIZE) },
	};
	const bool refreshed = refresh_vmstat();

	memset(m, 0, sizeof(*m));
	m->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	read_lines(m, "/proc/stat", stat, 2);
	read_lines(m, "/proc/vmstat", vmstat, 3);
	m->has[AUDIT_DIRTIED] &= refreshed;
	read_schedstat(m);
}

/*
 * Does the kernel preempt itself? What it was built for is in its version; what was
 * chosen of that, only where debugfs tells: "none (voluntary) full".
 */
static bool kernel_preempts(void)
{
	char text[128] = "";
	struct utsname name;
	FILE *file;

	file = fopen("/sys/kernel/debug/sched/preempt", "re");
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
	}
	if (strchr(text, '('))
		return !strstr(text, "(none)") && !strstr(text, "(voluntary)");
	return uname(&name) || strstr(name.version, "PREEMPT");
}

/* Does the kernel take the time of interrupts from tasks? The module has found out. */
static bool kernel_deducts_irqs(void)
{
	FILE *file = fopen("/proc/taskacct/stat", "re");
	char *line = NULL;
	size_t size = 0;
	bool does = false;

	if (!file)
		return false;
	while (!does && getline(&line, &size, file) >= 0)
		does = !strcmp(line, "irqtime measured\n");
	free(line);
	fclose(file);
	return does;
}

/* Where version 2 is mounted, to be freed, or NULL */
static char *find_hierarchy(void)
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *path = NULL;

	if (!file)
		return NULL;
	while (!path && (entry = getmntent(file)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			path = strdup(entry->mnt_dir);
	endmntent(file);
	return path;
}

struct audit_cgroup *audit_books_cgroup(const struct audit_books *books,
					uint64_t id)
{
	size_t i;

	for (i = 0; i < books->n_cgroups; i++)
		if (books->cgroups[i].id == id)
			return &books->cgroups[i];
	return NULL;
}

static struct audit_cgroup *add_cgroup(struct audit_books *books, uint64_t id,
				       const char *path)
{
	struct audit_cgroup *cgroup = audit_books_cgroup(books, id);

	if (cgroup)
		return cgroup;
	books->cgroups = audit_grow(books->cgroups, books->n_cgroups,
				    &books->room, sizeof(*books->cgroups));
	cgroup = &books->cgroups[books->n_cgroups++];
	memset(cgroup, 0, sizeof(*cgroup));
	cgroup->id = id;
	cgroup->path = strdup(path);
	if (!cgroup->path)
		die(STATUS_REFUSED, "out of memory");
	return cgroup;
}

static bool read_usage(int directory, int64_t *ns)
{
	const char *const word = "usage_usec ";
	char text[1024];
	const char *usage;
	ssize_t n;
	int fd;

	fd = openat(directory, "cpu.stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	usage = strstr(text, word);
	if (!usage)
		return false;
	*ns = strtoll(usage + strlen(word), NULL, 10) * 1000;
	return true;
}

/* That they are there is all that is asked. */
#define NO_READING AUDIT_READINGS

/*
 * A cgroup and those below it. Its path is what @path has from @root on. The root's own
 * file is made of samples, and is no book.
 */
static void read_cgroups(struct audit_books *books, enum audit_when when,
			 char *path, size_t root)
{
	const char *name = path[root] ? path + root : "/";
	const size_t length = strlen(path);
	struct audit_cgroup *cgroup;
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return;
	if (!fstat(dirfd(dir), &st)) {
		cgroup = add_cgroup(books, st.st_ino, name);
		if (when != NO_READING && path[root])
			cgroup->has[when] =
				read_usage(dirfd(dir), &cgroup->ns[when]);
	}
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    length + strlen(entry->d_name) + 2 > PATH_MAX)
			continue;
		sprintf(path + length, "/%s", entry->d_name);
		read_cgroups(books, when, path, root);
		path[length] = '\0';
	}
	closedir(dir);
}

static void read_hierarchy(struct audit_books *books, enum audit_when when)
{
	char path[PATH_MAX], *found = find_hierarchy();

	books->no_cgroups = !found;
	if (!found)
		return;
	snprintf(path, sizeof(path), "%s", found);
	read_cgroups(books, when, path, strlen(path));
	free(found);
}

void audit_books_find_cgroups(struct audit_books *books)
{
	read_hierarchy(books, NO_READING);
}

static void add_usage(struct audit_amounts *to,
		      const struct taskacct_used *used)
{
	const struct taskacct_uid_wait *wait = &used->wait[TASKACCT_WAIT_CPU];
	const struct taskacct_uid_usage *usage = &used->value;

	to->v[AUDIT_CPU] += (int64_t)usage->runtime;
	to->v[AUDIT_RUN_DELAY] += (int64_t)wait->total;
	to->v[AUDIT_RUNS] += (int64_t)wait->count;
	to->v[AUDIT_SWITCHES] += (int64_t)(usage->nvcsw + usage->nivcsw);
	to->v[AUDIT_FAULTS] += (int64_t)(usage->min_flt + usage->maj_flt);
	to->v[AUDIT_READ] += (int64_t)usage->read_bytes;
	to->v[AUDIT_WRITE] += (int64_t)usage->write_bytes;
	to->v[AUDIT_RCHAR] += (int64_t)usage->rchar;
	to->v[AUDIT_WCHAR] += (int64_t)usage->wchar;
}

/* One reading of users, being made */
struct users {
	struct audit_user *v;
	size_t n;
	size_t room;
};

static void take_user(const struct taskacct_user *user, void *arg)
{
	struct users *users = arg;
	struct audit_user *to;

	users->v = audit_grow(users->v, users->n, &users->room,
			      sizeof(*users->v));
	to = &users->v[users->n++];
	memset(to, 0, sizeof(*to));
	to->uid = user->record.flags & TASKACCT_UID_REST ? AUDIT_REST :
							   user->record.uid;
	add_usage(&to->used, &user->foreground);
	add_usage(&to->used, &user->background);
}

/* They are counted only where that was asked for when the module was loaded. */
static int read_users(struct audit_books *books, enum audit_when when)
{
	struct users users = { .n = 0 };
	int err;

	err = taskacct_users(books->ta, take_user, &users);
	books->users[when] = users.v;
	books->n_users[when] = users.n;
	books->has_users = err != -EOPNOTSUPP;
	return books->has_users ? err : 0;
}

static void take_process(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	struct audit_tasks *tasks = arg;
	int i;

	if (taskacct_decode_message(&message, event->nlh))
		return;
	for (i = 0; i < message.n_records; i++)
		audit_tasks_add(tasks, &message.records[i]);
}

static int read_processes(struct audit_books *books, enum audit_when when)
{
	const struct taskacct_filter filter = {
		.has = 1 << TASKACCT_FILTER_ATTR_KINDS,
		.kinds = TASKACCT_KIND_PROCESS,
	};
	struct audit_tasks *tasks = &books->processes[when];
	bool changed;
	int err;

	err = taskacct_dump(books->ta,
			    TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE, &filter,
			    take_process, tasks, &changed);
	audit_tasks_sort(tasks);
	return err;
}

void audit_books_settle(void)
{
	const struct timespec instant = { .tv_nsec = 1 };
	const size_t most = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	const size_t size = CPU_ALLOC_SIZE(most);
	cpu_set_t *all = CPU_ALLOC(most), *one = CPU_ALLOC(most);
	size_t cpu;

	if (!all || !one)
		die(STATUS_REFUSED, "out of memory");
	/* Where it may not run, a task's last tick is all that is known. */
	if (!sched_getaffinity(0, size, all)) {
		for (cpu = 0; cpu < most; cpu++) {
			CPU_ZERO_S(size, one);
			CPU_SET_S(cpu, size, one);
			sched_setaffinity(0, size, one);
		}
		sched_setaffinity(0, size, all);
	}
	/* What itself has run on the last of them is booked when it leaves it. */
	nanosleep(&instant, NULL);
	CPU_FREE(all);
	CPU_FREE(one);
}

/*
 * Of a task that has exited and is not at its end the module tells what was counted when
 * it was last looked at. So it has been looked at shortly before.
 */
static int look_at_users(struct audit_books *books, enum audit_when when)
{
	int err;

	err = read_users(books, when);
	free(books->users[when]);
	books->users[when] = NULL;
	return err;
}

void audit_books_open(struct audit_books *books, struct taskacct *ta)
{
	books->ta = ta;
	books->preempts = kernel_preempts();
	books->deducts_irqs = kernel_deducts_irqs();
}

int audit_books_read(struct audit_books *books, enum audit_when when)
{
	int err;

	err = look_at_users(books, when);
	if (err)
		return err;
	if (when == AUDIT_BEGIN_FROM)
		books->hotplug_runs[0] = audit_hotplug_runs();
	audit_books_settle();
	books->from[when] = audit_now();
	read_machine(&books->machine[when]);
	read_hierarchy(books, when);
	audit_cpus_read(&books->cpu[when]);
	err = read_processes(books, when);
	if (!err)
		err = read_users(books, when);
	books->to[when] = audit_now();
	if (when == AUDIT_END_TO)
		books->hotplug_runs[1] = audit_hotplug_runs();
	return err;
}

bool audit_books_same_cpus(const struct audit_books *books)
{
	return books->hotplug_runs[0] == books->hotplug_runs[1];
}

int64_t audit_books_cpus(const struct audit_books *books)
{
	return audit_books_same_cpus(books) ? books->machine[0].cpus :
					      sysconf(_SC_NPROCESSORS_CONF);
}

void audit_books_forget(struct audit_books *books, enum audit_when when)
{
	size_t i;

	free(books->users[when]);
	books->users[when] = NULL;
	books->n_users[when] = 0;
	books->processes[when].n = 0;
	for (i = 0; i < books->n_cgroups; i++)
		books->cgroups[i].has[when] = false;
}

void audit_books_free(struct audit_books *books)
{
	size_t i;

	for (i = 0; i < AUDIT_READINGS; i++) {
		audit_cpus_free(&books->cpu[i]);
		audit_books_forget(books, i);
		free(books->processes[i].v);
	}
	for (i = 0; i < books->n_cgroups; i++)
		free(books->cgroups[i].path);
	free(books->cgroups);
}
