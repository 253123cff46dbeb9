/* SPDX-License-Identifier: GPL-2.0-only */
/* The books that an audit holds tasks against: the kernel's, and the module's */
#ifndef TASKACCT_CMD_AUDIT_BOOKS_H
#define TASKACCT_CMD_AUDIT_BOOKS_H

#include "cpus.h"
#include "store.h"

/**
 * enum audit_when - when a book is read
 * @AUDIT_BEGIN_FROM: just before all tasks are asked for the first time
 * @AUDIT_BEGIN_TO: just after that
 * @AUDIT_END_FROM: just before all tasks are asked for the second time
 * @AUDIT_END_TO: just after that
 * @AUDIT_READINGS: how many there are
 */
enum audit_when {
	AUDIT_BEGIN_FROM,
	AUDIT_BEGIN_TO,
	AUDIT_END_FROM,
	AUDIT_END_TO,
	AUDIT_READINGS,
};

/**
 * enum audit_line - a line of the machine's books
 * @AUDIT_RQ_CPU_TIME: /proc/schedstat, time that CPUs ran tasks, ns
 * @AUDIT_RQ_RUN_DELAY: /proc/schedstat, time that tasks waited for them, ns
 * @AUDIT_RQ_PCOUNT: /proc/schedstat, times that tasks got one
 * @AUDIT_CTXT: /proc/stat, switches
 * @AUDIT_FORKS: /proc/stat, tasks that began
 * @AUDIT_PGFAULT: /proc/vmstat, page faults
 * @AUDIT_PGPGIN: /proc/vmstat, bytes read from block devices
 * @AUDIT_DIRTIED: /proc/vmstat, bytes of pages that were to be written
 * @AUDIT_LINES: how many there are
 */
enum audit_line {
	AUDIT_RQ_CPU_TIME,
	AUDIT_RQ_RUN_DELAY,
	AUDIT_RQ_PCOUNT,
	AUDIT_CTXT,
	AUDIT_FORKS,
	AUDIT_PGFAULT,
	AUDIT_PGPGIN,
	AUDIT_DIRTIED,
	AUDIT_LINES,
};

/**
 * struct audit_machine - the machine's books
 * @v: by &enum audit_line
 * @has: what could be read
 * @cpus: CPUs that are online
 */
struct audit_machine {
	int64_t v[AUDIT_LINES];
	bool has[AUDIT_LINES];
	int64_t cpus;
};

/**
 * struct audit_user - the module's book of a user
 * @uid: who; AUDIT_REST for all that are not kept apart
 * @used: what his tasks have used; AUDIT_TASKS is 0
 */
struct audit_user {
	uint32_t uid;
	struct audit_amounts used;
};

#define AUDIT_REST UINT32_MAX

/**
 * struct audit_cgroup - the kernel's book of a cgroup v2
 * @id: its number
 * @path: from the root of the hierarchy
 * @ns: what it and those below it have run, at each reading
 * @has: it was there
 */
struct audit_cgroup {
	uint64_t id;
	char *path;
	int64_t ns[AUDIT_READINGS];
	bool has[AUDIT_READINGS];
};

/**
 * struct audit_books - all books
 * @ta: handle that asks for the module's
 * @from: when each reading began, by CLOCK_BOOTTIME
 * @to: when it was done
 * @machine: the machine's
 * @cpu: the module's of CPUs
 * @hotplug_runs: audit_hotplug_runs() before the first reading and behind the last
 * @users: users', from the smallest number up
 * @n_users: how many
 * @has_users: the module counts for users
 * @processes: processes', sorted
 * @cgroups: cgroups', in the order in which they were met
 * @n_cgroups: how many
 * @room: for how many there is room
 * @no_cgroups: there is no hierarchy of version 2
 * @preempts: who runs in the kernel may be made to wait there
 * @deducts_irqs: the kernel takes the time of interrupts from tasks
 */
struct audit_books {
	struct taskacct *ta;
	uint64_t from[AUDIT_READINGS];
	uint64_t to[AUDIT_READINGS];
	struct audit_machine machine[AUDIT_READINGS];
	struct audit_cpus cpu[AUDIT_READINGS];
	uint64_t hotplug_runs[2];
	struct audit_user *users[AUDIT_READINGS];
	size_t n_users[AUDIT_READINGS];
	bool has_users;
	struct audit_tasks processes[AUDIT_READINGS];
	struct audit_cgroup *cgroups;
	size_t n_cgroups;
	size_t room;
	bool no_cgroups;
	bool preempts;
	bool deducts_irqs;
};

/**
 * audit_books_same_cpus() - whether no CPU went or came
 * @books: books, read
 *
 * Return: true where all readings, and all that is between them, have the same.
 */
bool audit_books_same_cpus(const struct audit_books *books);

/**
 * audit_books_cpus() - how many CPUs ran tasks
 * @books: books, read
 *
 * Return: those that are online; where any went or came, all that there can be.
 */
int64_t audit_books_cpus(const struct audit_books *books);

/**
 * audit_books_open() - begin with books
 * @books: zeros
 * @ta: handle that asks for the module's
 */
void audit_books_open(struct audit_books *books, struct taskacct *ta);

/**
 * audit_books_read() - read all books
 * @books: books
 * @when: which reading it is
 *
 * Return: 0 or a negative errno; the handle has the story.
 */
int audit_books_read(struct audit_books *books, enum audit_when when);

/**
 * audit_books_cgroup() - the book of a cgroup
 * @books: books
 * @id: its number
 *
 * Return: the cgroup, or NULL where it was not met.
 */
struct audit_cgroup *audit_books_cgroup(const struct audit_books *books,
					uint64_t id);

/**
 * audit_books_find_cgroups() - look which cgroups there are now
 * @books: books
 */
void audit_books_find_cgroups(struct audit_books *books);

/**
 * audit_books_settle() - have the kernel's books brought up to date
 *
 * What a task runs the scheduler books at a tick, and when it leaves its CPU; what a
 * CPU ran, only then. So this runs on each of them once.
 */
void audit_books_settle(void);

/**
 * audit_books_forget() - forget a reading
 * @books: books
 * @when: which reading it is
 */
void audit_books_forget(struct audit_books *books, enum audit_when when);

/**
 * audit_books_free() - free them
 * @books: books
 */
void audit_books_free(struct audit_books *books);

#endif /* TASKACCT_CMD_AUDIT_BOOKS_H */
