// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, asked for and compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "uid.h"

#define MAX_USERS 4096

/* Exits are reported by then. */
#define LATE_MS 300

#define NUMBER(name) { #name, offsetof(struct uid_usage, name) }

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	NUMBER(utime), NUMBER(stime), NUMBER(runtime), NUMBER(min_flt),
	NUMBER(maj_flt), NUMBER(nvcsw), NUMBER(nivcsw), NUMBER(rchar),
	NUMBER(wchar), NUMBER(syscr), NUMBER(syscw), NUMBER(read_bytes),
	NUMBER(write_bytes), NUMBER(cancelled_write_bytes),
	NUMBER(wait[0].count), NUMBER(wait[0].total), NUMBER(wait[1].count),
	NUMBER(wait[1].total), NUMBER(wait[2].count), NUMBER(wait[2].total),
	NUMBER(wait[3].count), NUMBER(wait[3].total), NUMBER(wait[4].count),
	NUMBER(wait[4].total), NUMBER(wait[5].count), NUMBER(wait[5].total),
	NUMBER(wait[6].count), NUMBER(wait[6].total), NUMBER(wait[7].count),
	NUMBER(wait[7].total), NUMBER(migrations),
	/* Of these a record of a task says nothing. */
	NUMBER(user), NUMBER(system), NUMBER(written), NUMBER(fsync),
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

/* What a record of a task tells, too */
#define OF_TASKS (NUMBERS - 4)

static uint64_t number_of(const struct uid_usage *usage, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)usage + numbers[i].offset, sizeof(value));
	return value;
}

/* Answers to one request */
struct answers {
	struct uid_total *totals;
	int max;
	int n;
};

static void copy(void *to, size_t size, const struct nlattr *attr)
{
	size_t len = (size_t)nla_len(attr);

	memcpy(to, nla_data(attr), len < size ? len : size);
}

static void take_usage(struct uid_total *total, int state,
		       const struct nlattr *attr)
{
	copy(&total->usage[state], offsetof(struct uid_usage, wait), attr);
	total->reported[state] = true;
}

static void take_waits(struct uid_usage *usage, struct nlattr *nest)
{
	struct nlattr *attr;
	int kind, left;

	nla_for_each_nested(attr, nest, left) {
		kind = nla_type(attr) - TASKACCT_WAITS_ATTR_CPU;
		if (kind >= 0 && kind < TASKACCT_WAITS)
			copy(&usage->wait[kind], sizeof(usage->wait[kind]),
			     attr);
	}
}

static void take_total(struct nlmsghdr *nlh, void *arg)
{
	struct answers *answers = arg;
	struct uid_total *total;
	struct nlattr *attr;
	int left;

	if (answers->n == answers->max)
		return;
	total = &answers->totals[answers->n++];
	memset(total, 0, sizeof(*total));
	attr = nlmsg_attrdata(nlh, GENL_HDRLEN);
	left = nlmsg_attrlen(nlh, GENL_HDRLEN);
	for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
		switch (nla_type(attr)) {
		case TASKACCT_UID_ATTR_UID:
			total->uid = nla_get_u32(attr);
			break;
		case TASKACCT_UID_ATTR_RECORD:
			copy(&total->record, sizeof(total->record), attr);
			break;
		case TASKACCT_UID_ATTR_FOREGROUND:
			take_usage(total, 0, attr);
			break;
		case TASKACCT_UID_ATTR_BACKGROUND:
			take_usage(total, 1, attr);
			break;
		case TASKACCT_UID_ATTR_FOREGROUND_WAITS:
			take_waits(&total->usage[0], attr);
			break;
		case TASKACCT_UID_ATTR_BACKGROUND_WAITS:
			take_waits(&total->usage[1], attr);
			break;
		}
	}
}

/**
 * uid_get() - ask for one user
 * @s: the socket
 * @uid: the user
 * @total: filled in
 *
 * Return: 0 or the kernel's negative errno.
 */
int uid_get(struct acct_sock *s, uint32_t uid, struct uid_total *total)
{
	struct answers answers = { .totals = total, .max = 1 };
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_UID_GET, 0);

	nla_put_u32(msg, TASKACCT_UID_ATTR_UID, uid);
	return acct_transact(s, msg, take_total, &answers);
}

/**
 * uid_dump() - ask for all users
 * @s: the socket
 * @totals: filled in
 * @max: at most so many
 *
 * Return: how many, or the kernel's negative errno.
 */
int uid_dump(struct acct_sock *s, struct uid_total *totals, int max)
{
	struct answers answers = { .totals = totals, .max = max };
	int err;

	err = acct_transact(s, acct_request(s, TASKACCT_CMD_UID_GET,
					    NLM_F_DUMP),
			    take_total, &answers);
	return err ? err : answers.n;
}

/**
 * uid_of() - find a user in a dump
 * @totals: from uid_dump()
 * @n: how many
 * @uid: the user
 *
 * Return: it, or NULL.
 */
const struct uid_total *uid_of(const struct uid_total *totals, int n,
			       uint32_t uid)
{
	int i;

	for (i = 0; i < n; i++)
		if (totals[i].uid == uid)
			return &totals[i];
	return NULL;
}

/**
 * uid_add_record() - add what a task used
 * @sum: to add to
 * @m: has the record of the task
 */
void uid_add_record(struct uid_usage *sum,
		    const struct ext_message *m)
{
	const struct taskacct_record *record = &m->task;
	int i;

	sum->utime += record->utime;
	sum->stime += record->stime;
	sum->runtime += record->runtime;
	sum->min_flt += record->min_flt;
	sum->maj_flt += record->maj_flt;
	sum->nvcsw += record->nvcsw;
	sum->nivcsw += record->nivcsw;
	sum->rchar += record->rchar;
	sum->wchar += record->wchar;
	sum->syscr += record->syscr;
	sum->syscw += record->syscw;
	sum->read_bytes += record->read_bytes;
	sum->write_bytes += record->write_bytes;
	sum->cancelled_write_bytes += record->cancelled_write_bytes;
	sum->migrations += record->migrations;
	for (i = 0; i < TASKACCT_WAITS; i++) {
		sum->wait[i].count += m->task_waits[i].count;
		sum->wait[i].total += m->task_waits[i].total;
	}
}

/**
 * uid_of_task() - ask what a task has used
 * @s: the socket
 * @tid: the task
 * @used: filled in
 *
 * Return: 0 or the kernel's negative errno.
 */
int uid_of_task(struct acct_sock *s, pid_t tid, struct uid_usage *used)
{
	static struct ext_message m;
	int err = ext_query(s, TASKSTATS_CMD_ATTR_PID, tid, EXT_BARE, &m);

	memset(used, 0, sizeof(*used));
	if (!err)
		uid_add_record(used, &m);
	return err;
}

/**
 * uid_sum() - add foreground and background
 * @sum: to add to
 * @total: of a user
 */
void uid_sum(struct uid_usage *sum, const struct uid_total *total)
{
	const uint64_t *from;
	uint64_t *to = (uint64_t *)sum;
	size_t i, s;

	for (s = 0; s < 2; s++) {
		from = (const uint64_t *)&total->usage[s];
		for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
			to[i] += from[i];
	}
}

/**
 * uid_differs() - compare what records of tasks tell too
 * @a: one sum
 * @b: the other
 *
 * Return: name of the first member that is not the same, or NULL.
 */
const char *uid_differs(const struct uid_usage *a,
			const struct uid_usage *b)
{
	size_t i;

	for (i = 0; i < OF_TASKS; i++)
		if (number_of(a, i) != number_of(b, i))
			return numbers[i].name;
	return NULL;
}

static const char *smaller(const struct uid_usage *now,
			   const struct uid_usage *before, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (number_of(now, i) < number_of(before, i))
			return numbers[i].name;
	return NULL;
}

/**
 * uid_smaller() - look for a sum that went back
 * @now: the later one
 * @before: the earlier one
 *
 * Return: name of the first member that is smaller, or NULL.
 */
const char *uid_smaller(const struct uid_usage *now,
			const struct uid_usage *before)
{
	return smaller(now, before, NUMBERS);
}

static int sum_users(struct acct_sock *s, struct uid_sum *sum)
{
	static struct uid_total totals[MAX_USERS];
	int i, n = uid_dump(s, totals, MAX_USERS);

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < n; i++) {
		uid_sum(&sum->usage, &totals[i]);
		sum->ended += totals[i].record.ended;
		sum->tasks += totals[i].record.tasks;
	}
	return n < 0 ? n : 0;
}

/* Those that have ended were received, or had ended before. */
static void add_living(const struct ext_message *m, void *arg)
{
	struct uid_sum *sum = arg;

	if (!m->has_task || m->task.flags & TASKACCT_RECORD_ENDED)
		return;
	uid_add_record(&sum->usage, m);
	sum->tasks++;
}

/* Returns "ended" or "tasks" where some came or ended meanwhile. */
static const char *compare_all(struct acct_sock *s, const struct uid_sum *ends,
			       unsigned int *exact)
{
	struct uid_sum before, all = *ends, after;
	const char *name;
	size_t i;

	*exact = 0;
	if (sum_users(s, &before) ||
	    ext_dump(s, EXT_BARE, NULL, add_living, &all) ||
	    sum_users(s, &after))
		return "no answer";
	if (before.ended != ends->ended || after.ended != ends->ended)
		return "ended";
	if (before.tasks != all.tasks || after.tasks != all.tasks)
		return "tasks";
	for (i = 0; i < OF_TASKS; i++)
		*exact += number_of(&before.usage, i) ==
			  number_of(&after.usage, i);
	name = smaller(&all.usage, &before.usage, OF_TASKS);
	return name ? name : smaller(&after.usage, &all.usage, OF_TASKS);
}

static int take_ends(struct acct_sock *listener, struct uid_sum *ends)
{
	static struct ext_message m;
	int err;

	while (!(err = ext_next(listener, &m, LATE_MS))) {
		if (!m.has_task)
			continue;
		uid_add_record(&ends->usage, &m);
		ends->ended++;
	}
	return err == -EAGAIN ? 0 : err;
}

/**
 * uid_all_differ() - compare what all users have used with what all tasks have
 * @s: the socket
 * @listener: one that has received all exits since the module was loaded
 * @ends: what these tasks had used; those are added that are received now
 * @exact: receives how many numbers nobody added to meanwhile
 *
 * Kernel threads run all the time, and so does who asks: users are asked for
 * before and after the tasks, and what these have used has to be between. Where
 * tasks come or end meanwhile it is tried again.
 *
 * Return: what differs, or NULL.
 */
const char *uid_all_differ(struct acct_sock *s, struct acct_sock *listener,
			   struct uid_sum *ends, unsigned int *exact)
{
	const char *name;
	int tries = 20;

	do {
		if (take_ends(listener, ends))
			return "exits lost";
		name = compare_all(s, ends, exact);
	} while (name && (!strcmp(name, "ended") || !strcmp(name, "tasks")) &&
		 --tries);
	return name;
}

static int parse_line(const char *text, struct uid_line *line)
{
	uint64_t *n = line->n;
	int end = 0;

	if (sscanf(text,
		   "%u %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu%n", &line->uid,
		   &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7],
		   &n[8], &n[9], &end) != 11 || strcmp(text + end, "\n"))
		return -EBADMSG;
	return 0;
}

/**
 * uid_read_lines() - read Android's stats
 * @lines: filled in
 * @max: at most so many
 *
 * Return: how many, -EBADMSG where one is not as it has to be, or another
 * negative errno.
 */
int uid_read_lines(struct uid_line *lines, int max)
{
	FILE *file = fopen(UID_STATS, "re");
	char text[512];
	int n = 0, err = 0;

	if (!file)
		return -errno;
	while (!err && n < max && fgets(text, sizeof(text), file))
		if (strncmp(text, "task,", 5))
			err = parse_line(text, &lines[n++]);
	fclose(file);
	return err ? err : n;
}

static int parse_times(const char *text, struct uid_times *times)
{
	int end = 0;

	if (sscanf(text, "%u: %lu %lu%n", &times->uid, &times->user,
		   &times->system, &end) != 3 || strcmp(text + end, "\n"))
		return -EBADMSG;
	return 0;
}

/**
 * uid_read_times() - read Android's CPU times
 * @times: filled in
 * @max: at most so many
 *
 * Return: how many, -EBADMSG where one is not as it has to be, or another
 * negative errno.
 */
int uid_read_times(struct uid_times *times, int max)
{
	FILE *file = fopen(UID_CPU, "re");
	char text[128];
	int n = 0, err = 0;

	if (!file)
		return -errno;
	while (!err && n < max && fgets(text, sizeof(text), file))
		err = parse_times(text, &times[n++]);
	fclose(file);
	return err ? err : n;
}

/**
 * uid_read_line() - read one user's line
 * @uid: the user
 * @line: filled in
 *
 * Return: 0, -ENOENT, or another negative errno.
 */
int uid_read_line(uint32_t uid, struct uid_line *line)
{
	static struct uid_line lines[4096];
	int n = uid_read_lines(lines, 4096);
	int i;

	for (i = 0; i < n; i++) {
		if (lines[i].uid == uid) {
			*line = lines[i];
			return 0;
		}
	}
	return n < 0 ? n : -ENOENT;
}

/**
 * uid_write() - write to a file in one call
 * @path: the file
 * @text: what is written
 * @size: how long it is
 *
 * Return: what write() returned, or a negative errno.
 */
ssize_t uid_write(const char *path, const void *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, size);
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}
