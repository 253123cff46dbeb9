// SPDX-License-Identifier: GPL-2.0-only
/*
 * The expression of --filter: conditions with commas between them, all of
 * which a task has to meet
 *
 *	uid=1000-1999,cgroup=/user.slice,lifetime>=10s,failed
 *
 * What the kernel tells of a filter is written in the same words.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <mntent.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "filter.h"

#define CGROUP2_MAGIC 0x63677270

#define CONDITION(what) (UINT32_C(1) << TASKACCT_FILTER_ATTR_##what)

/* A filter in the making, and what is wrong with it */
struct parser {
	struct taskacct_filter *filter;
	const char *word;
	char *why;
	size_t size;
};

static bool __attribute__((format(printf, 2, 3)))
wrong(const struct parser *p, const char *fmt, ...)
{
	va_list args;
	int n;

	n = snprintf(p->why, p->size, "'%s': ", p->word);
	if (n < 0 || (size_t)n >= p->size)
		return false;
	va_start(args, fmt);
	vsnprintf(p->why + n, p->size - (size_t)n, fmt, args);
	va_end(args);
	return false;
}

/* Digits only; moves behind them */
static bool take_u64(const char **text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

static bool take_u32(const char **text, uint32_t *value)
{
	uint64_t wide;

	if (!take_u64(text, &wide) || wide > UINT32_MAX)
		return false;
	*value = (uint32_t)wide;
	return true;
}

static bool set_uid_name(const struct parser *p, const char *name)
{
	const struct passwd *user = getpwnam(name);

	if (!user)
		return wrong(p, "no user '%s'", name);
	p->filter->uid_min = user->pw_uid;
	p->filter->uid_max = user->pw_uid;
	return true;
}

static bool set_uid_range(const struct parser *p, const char *text)
{
	struct taskacct_filter *f = p->filter;
	const char *at = text;

	if (!take_u32(&at, &f->uid_min))
		return wrong(p, "'%s' is no user", text);
	f->uid_max = f->uid_min;
	if (*at == '-') {
		at++;
		/* Without an end it has none. */
		f->uid_max = UINT32_MAX;
		if (*at && !take_u32(&at, &f->uid_max))
			return wrong(p, "'%s' is no range of users", text);
	}
	if (*at)
		return wrong(p, "'%s' is no user, nor a range", text);
	if (f->uid_min > f->uid_max)
		return wrong(p, "nobody is in it");
	return true;
}

static bool set_uid(struct parser *p, const char *text)
{
	p->filter->has |= CONDITION(UID_MIN) | CONDITION(UID_MAX);
	return isdigit((unsigned char)*text) ? set_uid_range(p, text) :
					       set_uid_name(p, text);
}

static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0)
		return -1;
	if (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_MAGIC)
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* Where cgroups v2 are mounted; false if nowhere */
static bool find_mount(char *dir, size_t size)
{
	FILE *file = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry = NULL;

	while (file && (entry = getmntent(file)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			break;
	if (entry)
		snprintf(dir, size, "%s", entry->mnt_dir);
	if (file)
		endmntent(file);
	return entry;
}

/* By its directory, or as /proc/PID/cgroup has it: from the mount point on */
static bool set_cgroup_path(const struct parser *p, const char *path)
{
	char dir[PATH_MAX], full[2 * PATH_MAX];
	int fd = *path == '/' ? open_cgroup(path) : -1;

	if (fd < 0 && find_mount(dir, sizeof(dir))) {
		snprintf(full, sizeof(full), "%s/%s", dir, path);
		fd = open_cgroup(full);
	} else if (fd < 0) {
		return wrong(p, "no cgroup v2 is mounted");
	}
	if (fd < 0)
		return wrong(p, "no cgroup v2 '%s': %s", path, strerror(errno));
	p->filter->has |= CONDITION(CGROUP_FD);
	p->filter->cgroup_fd = fd;
	return true;
}

static bool set_cgroup(struct parser *p, const char *text)
{
	const char *at = text;

	if (!*text)
		return wrong(p, "neither a path nor an id");
	if (take_u64(&at, &p->filter->cgroup_id) && !*at) {
		p->filter->has |= CONDITION(CGROUP_ID);
		return true;
	}
	return set_cgroup_path(p, text);
}

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", UINT64_C(60) * 1000000000 },
	{ "h", UINT64_C(3600) * 1000000000 },
	{ "d", UINT64_C(86400) * 1000000000 },
};

static uint64_t unit_ns(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(name, units[i].name))
			return units[i].ns;
	return 0;
}

static bool set_time(const struct parser *p, const char *text, uint64_t *ns)
{
	uint64_t whole, part = 0, unit, digit;
	const char *fraction = NULL;
	const char *at = text;

	if (!take_u64(&at, &whole))
		return wrong(p, "'%s' is no time, such as 1.5s", text);
	if (*at == '.') {
		fraction = ++at;
		at += strspn(at, "0123456789");
		if (at == fraction)
			return wrong(p, "'%s' is no time, such as 1.5s", text);
	}
	unit = unit_ns(at);
	if (!unit)
		return wrong(p,
			     "'%s' is no unit; allowed: ns, us, ms, s, m, h, d",
			     at);
	for (digit = unit; fraction && fraction < at; fraction++) {
		/* A tenth, a hundredth of the unit; finer than ns is nothing */
		part += (uint64_t)(*fraction - '0') * digit / 10;
		digit /= 10;
	}
	if (__builtin_mul_overflow(whole, unit, ns) ||
	    __builtin_add_overflow(*ns, part, ns))
		return wrong(p, "that is more than 500 years");
	return true;
}

bool filter_time(uint64_t *ns, const char *text, char *why, size_t size)
{
	const struct parser p = { .word = text, .why = why, .size = size };

	return set_time(&p, text, ns);
}

static bool set_lifetime(struct parser *p, const char *text)
{
	p->filter->has |= CONDITION(MIN_LIFETIME);
	return set_time(p, text, &p->filter->min_lifetime);
}

static bool set_cpu(struct parser *p, const char *text)
{
	p->filter->has |= CONDITION(MIN_CPU_TIME);
	return set_time(p, text, &p->filter->min_cpu_time);
}

static bool set_one_in(struct parser *p, const char *text)
{
	const char *at = text;

	p->filter->has |= CONDITION(ONE_IN);
	if (!take_u32(&at, &p->filter->one_in) || *at || !p->filter->one_in)
		return wrong(p, "'%s' is no number from 1 up", text);
	return true;
}

static bool set_failed(struct parser *p, const char *text)
{
	(void)text;
	p->filter->has |= CONDITION(FAILED);
	return true;
}

static bool set_threads(struct parser *p, const char *text)
{
	(void)text;
	p->filter->has |= CONDITION(KINDS);
	p->filter->kinds |= TASKACCT_KIND_TASK;
	return true;
}

static bool set_processes(struct parser *p, const char *text)
{
	(void)text;
	p->filter->has |= CONDITION(KINDS);
	p->filter->kinds |= TASKACCT_KIND_PROCESS;
	return true;
}

/* Those that end with "=" take a value, and there can be one of each. */
static const struct {
	const char *name;
	bool (*set)(struct parser *p, const char *text);
	uint32_t once;
} conditions[] = {
	{ "uid=", set_uid, CONDITION(UID_MIN) },
	{ "cgroup=", set_cgroup, CONDITION(CGROUP_ID) | CONDITION(CGROUP_FD) },
	{ "cpu>=", set_cpu, CONDITION(MIN_CPU_TIME) },
	{ "lifetime>=", set_lifetime, CONDITION(MIN_LIFETIME) },
	{ "one-in=", set_one_in, CONDITION(ONE_IN) },
	{ "failed", set_failed, 0 },
	{ "threads", set_threads, 0 },
	{ "processes", set_processes, 0 },
};

static bool wrong_word(const struct parser *p)
{
	char list[128];
	size_t i, n = 0;

	for (i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? ", " : "", conditions[i].name);
	return wrong(p, "no such condition; allowed: %s", list);
}

static bool parse_word(struct parser *p)
{
	size_t i, length;
	const char *name;

	for (i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		name = conditions[i].name;
		length = strlen(name);
		if (strncmp(p->word, name, length))
			continue;
		if (name[length - 1] != '=' && p->word[length])
			continue;
		if (p->filter->has & conditions[i].once)
			return wrong(p, "there is another %s already", name);
		return conditions[i].set(p, p->word + length);
	}
	return wrong_word(p);
}

/* Copies up to a comma that no backslash stands before; returns where it is */
static const char *next_word(char *word, const char *expr)
{
	while (*expr && *expr != ',') {
		if (*expr == '\\' && expr[1])
			expr++;
		*word++ = *expr++;
	}
	*word = '\0';
	return expr;
}

bool filter_parse(struct taskacct_filter *filter, const char *expr, char *why,
		  size_t size)
{
	struct parser p = { .filter = filter, .why = why, .size = size };
	char *word = malloc(strlen(expr) + 1);
	bool good = word;

	snprintf(why, size, "out of memory");
	for (p.word = word; good; expr++) {
		expr = next_word(word, expr);
		good = parse_word(&p);
		if (!*expr)
			break;
	}
	free(word);
	return good;
}

void filter_close(struct taskacct_filter *filter)
{
	if (filter->has & CONDITION(CGROUP_FD))
		close(filter->cgroup_fd);
	filter->has &= ~CONDITION(CGROUP_FD);
}
