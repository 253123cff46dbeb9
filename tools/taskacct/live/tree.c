// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descendants
 *
 * A record says who was the parent when the process exited. The parent's own
 * record may come later, and while the parent lives /proc says whose child it
 * is. Numbers are used again, so that a parent is known by its number and by
 * the time that it lived.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "tree.h"

#define BUCKETS 1024

/* A clock tick is no longer than this. */
#define TICK_NS UINT64_C(10000000)

/* A descendant */
struct member {
	struct member *next;
	uint32_t pid;
	uint64_t start;
	uint64_t end;
};

/* A record of which the parent is not known */
struct pending {
	struct pending *next;
	struct rec rec;
	char *texts;
};

struct tree {
	struct member *members[BUCKETS];
	struct pending *pending[BUCKETS];
	void (*member)(const struct rec *rec, void *arg);
	void *arg;
};

static uint64_t number(const struct rec *rec, enum taskacct_member member)
{
	uint64_t n;

	rec_member(rec, member, &n);
	return n;
}

static uint32_t pid_of(const struct rec *rec)
{
	return (uint32_t)number(rec, TASKACCT_R_TGID);
}

static uint32_t parent_of(const struct rec *rec)
{
	return (uint32_t)number(rec, TASKACCT_R_PPID);
}

static struct member *find(const struct tree *tree, uint32_t pid,
			   uint64_t start)
{
	struct member *m;

	for (m = tree->members[pid % BUCKETS]; m; m = m->next)
		if (m->pid == pid && m->start <= start && m->end >= start)
			return m;
	return NULL;
}

static void add(struct tree *tree, uint32_t pid, uint64_t start, uint64_t end)
{
	struct member *m = alloc(1, sizeof(*m));

	m->pid = pid;
	m->start = start;
	m->end = end;
	m->next = tree->members[pid % BUCKETS];
	tree->members[pid % BUCKETS] = m;
}

struct tree *tree_new(void (*member)(const struct rec *rec, void *arg),
		      void *arg)
{
	struct tree *tree = alloc(1, sizeof(*tree));

	tree->member = member;
	tree->arg = arg;
	add(tree, (uint32_t)getpid(), 0, UINT64_MAX);
	return tree;
}

/* Its parent, and when it began; 0 where it is not there */
static uint32_t look_up(uint32_t pid, uint64_t *start)
{
	unsigned long long ticks = 0;
	unsigned int parent = 0;
	char path[32], line[1024];
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* The name may have brackets and blanks: the last bracket ends it. */
	at = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (!at ||
	    sscanf(at,
		   ") %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &parent, &ticks) != 2)
		parent = 0;
	fclose(file);
	*start =
		ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
	return parent;
}

/* Whether it descends from this process */
enum answer {
	NO,
	YES,
	UNKNOWN,
};

/* A process that lives: as long as none of the line ends, /proc is right. */
static enum answer ask_proc(struct tree *tree, uint32_t pid, uint64_t end)
{
	uint32_t parent, at = pid;
	uint64_t start;

	for (; at > 1; at = parent) {
		if (at != pid && find(tree, at, end))
			break;
		parent = look_up(at, &start);
		if (!parent && at != 2)
			return UNKNOWN;
		/* It began when the child had ended: not the one. */
		if (at == pid && start > end + TICK_NS)
			return UNKNOWN;
	}
	if (at <= 1)
		return NO;
	add(tree, pid, 0, UINT64_MAX);
	return YES;
}

static struct taskacct_name keep(struct taskacct_name name, char **to)
{
	struct taskacct_name kept = { NULL, name.length };

	if (!name.text)
		return kept;
	kept.text = memcpy(*to, name.text, name.length);
	*to += name.length;
	return kept;
}

static void put_off(struct tree *tree, const struct rec *rec)
{
	const uint32_t parent = parent_of(rec);
	struct pending *p = alloc(1, sizeof(*p));
	size_t length = rec->exe.length + rec->cgroup.length;
	char *to;

	length += rec->cmdline.length;
	p->rec = *rec;
	p->texts = alloc(length, 1);
	to = p->texts;
	p->rec.exe = keep(rec->exe, &to);
	p->rec.cgroup = keep(rec->cgroup, &to);
	p->rec.cmdline = keep(rec->cmdline, &to);
	p->next = tree->pending[parent % BUCKETS];
	tree->pending[parent % BUCKETS] = p;
}

static void take_member(struct tree *tree, const struct rec *rec);

/* What waits for a process: its children, and whoever's it was not */
static void take_children(struct tree *tree, uint32_t pid, uint64_t start,
			  uint64_t end, bool is_member)
{
	struct pending **at = &tree->pending[pid % BUCKETS], *p, *taken = NULL;
	uint64_t its_start;

	while ((p = *at)) {
		its_start = number(&p->rec, TASKACCT_R_START);
		if (parent_of(&p->rec) != pid || its_start < start ||
		    its_start > end) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->next = taken;
		taken = p;
	}
	while ((p = taken)) {
		taken = p->next;
		if (is_member)
			take_member(tree, &p->rec);
		else
			take_children(tree, pid_of(&p->rec),
				      number(&p->rec, TASKACCT_R_START),
				      number(&p->rec, TASKACCT_R_END), false);
		free(p->texts);
		free(p);
	}
}

static void take_member(struct tree *tree, const struct rec *rec)
{
	const uint64_t start = number(rec, TASKACCT_R_START);
	const uint64_t end = number(rec, TASKACCT_R_END);
	const uint32_t pid = pid_of(rec);
	struct member *m = find(tree, pid, start);

	if (m) {
		m->start = start;
		m->end = end;
	} else {
		add(tree, pid, start, end);
	}
	tree->member(rec, tree->arg);
	take_children(tree, pid, start, end, true);
}

void tree_take(struct tree *tree, const struct rec *rec)
{
	const uint64_t start = number(rec, TASKACCT_R_START);
	const uint64_t end = number(rec, TASKACCT_R_END);
	const uint32_t parent = parent_of(rec), pid = pid_of(rec);
	enum answer answer = YES;

	if (!find(tree, parent, start) && !find(tree, pid, start))
		answer = parent > 1 ? ask_proc(tree, parent, end) : NO;
	if (answer == YES)
		take_member(tree, rec);
	else if (answer == NO)
		take_children(tree, pid, start, end, false);
	else
		put_off(tree, rec);
}

bool tree_has_ended(const struct tree *tree, uint32_t pid)
{
	const struct member *m;

	for (m = tree->members[pid % BUCKETS]; m; m = m->next)
		if (m->pid == pid && m->end != UINT64_MAX)
			return true;
	return false;
}

static bool descends(uint32_t pid)
{
	const uint32_t us = (uint32_t)getpid();
	uint64_t start;

	while (pid > 1) {
		pid = look_up(pid, &start);
		if (pid == us)
			return true;
	}
	return false;
}

unsigned int tree_alive(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int n = 0;
	unsigned long pid;

	while (proc && (entry = readdir(proc))) {
		pid = strtoul(entry->d_name, NULL, 10);
		n += pid && descends((uint32_t)pid);
	}
	if (proc)
		closedir(proc);
	return n;
}

unsigned int tree_free(struct tree *tree)
{
	struct pending *p, *next;
	struct member *m, *rest;
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		for (p = tree->pending[i]; p; p = next, n++) {
			next = p->next;
			free(p->texts);
			free(p);
		}
		for (m = tree->members[i]; m; m = rest) {
			rest = m->next;
			free(m);
		}
	}
	free(tree);
	return n;
}
