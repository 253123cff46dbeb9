// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct show: all that is known of one process, user, unit or cgroup
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "out/pairs.h"
#include "live.h"
#include "options.h"
#include "user.h"

/* A cgroup is nobody: it has sums, and what is largest. */
static bool is_of_cgroup(const struct field *field, const struct value *value)
{
	return value->state == TASKACCT_VALID &&
	       strcmp(field->name, "lifetime") &&
	       (field->sum == SUM_TOTAL || field->sum == SUM_MAX) &&
	       (field->unit == UNIT_NS || field->unit == UNIT_BYTES ||
		field->unit == UNIT_COUNT);
}

static void print_rec(const struct options *opt, const struct rec *rec,
		      struct pair *pairs, size_t n)
{
	const bool cgroup = !rec->classic &&
			    rec->x.r.kind == TASKACCT_KIND_CGROUP;
	const struct field *field;
	struct value value;
	size_t i;

	for (i = 0; i < field_count(); i++) {
		field = field_at(i);
		field_get(field, rec, &value);
		if (cgroup && !is_of_cgroup(field, &value))
			continue;
		/* A text's room is used again for the next one. */
		if (value.s)
			value.s = strndup(value.s, value.length);
		pairs[n++] = (struct pair){ field->name, field->unit, value,
					    field->doc };
	}
	pairs_print(stdout, &opt->style, "show", pairs, n);
}

static void take_rec(const struct taskacct_event *event, void *arg)
{
	const struct options *opt = arg;
	struct pair *pairs = alloc(field_count(), sizeof(*pairs));
	struct rec rec;

	if (rec_take(&rec, event, opt->kinds) == 1)
		print_rec(opt, &rec, pairs, 0);
	free(pairs);
}

static void show_task(struct options *opt, struct taskacct *ta,
		      const char *word)
{
	char *end;
	unsigned long id = strtoul(word, &end, 10);
	int err;

	if (*end || end == word || id > UINT32_MAX)
		die(STATUS_USAGE,
		    "show what? PID, user:NAME, unit:NAME or cgroup:PATH, not '%s'",
		    word);
	err = taskacct_ask(ta, TASKACCT_TGID, (uint32_t)id, LIVE_WANT, take_rec,
			   opt);
	if (err)
		live_die(ta, err);
}

#define STATE(member, text) \
	pair_number(#member, UNIT_COUNT, cgroup.member, text)

/* A cgroup of v1 is named by its directory, one of v2 by its path, too. */
static int open_cgroup(const char *path, const char *directory)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	char *full;
	int fd;

	if (asprintf(&full, "%s%s", cgroup_mount(), path) < 0)
		die(STATUS_REFUSED, "out of memory");
	fd = open(full, flags);
	if (fd < 0)
		fd = open(directory, flags);
	if (fd < 0)
		die(STATUS_REFUSED, "no cgroup %s: %s", full, strerror(errno));
	free(full);
	return fd;
}

static void show_cgroup(const struct options *opt, struct taskacct *ta,
			const char *path, const char *directory)
{
	struct pair *pairs = alloc(field_count() + 6, sizeof(*pairs));
	struct taskacct_cgroup cgroup;
	struct rec rec = { .cgroup = { path, strlen(path) } };
	const int fd = open_cgroup(path, directory);
	int err;

	err = taskacct_cgroup(ta, fd, true, &cgroup);
	if (err)
		live_die(ta, err);
	pairs[0] = STATE(running, "tasks that run or wait for a CPU");
	pairs[1] = STATE(sleeping, "tasks that sleep");
	pairs[2] = STATE(uninterruptible, "tasks that no signal can wake");
	pairs[3] = STATE(io_wait, "of these, those that wait for I/O");
	pairs[4] = STATE(stopped, "tasks that are stopped");
	rec.x = cgroup.record;
	if (cgroup.has_record)
		print_rec(opt, &rec, pairs, 5);
	else
		pairs_print(stdout, &opt->style, "show", pairs, 5);
	close(fd);
	free(pairs);
}

/* The unit that is looked for, and where it was found */
static const char *wanted;
static char *found;

static int look(const char *path, const struct stat *st, int type,
		struct FTW *ftw)
{
	const char *base = path + ftw->base;
	const size_t n = strlen(wanted);

	(void)st;
	if (type != FTW_D || strncmp(base, wanted, n) ||
	    (base[n] && strcmp(base + n, ".service")))
		return 0;
	found = copy(cgroup_path(path));
	return 1;
}

static void show_unit(const struct options *opt, struct taskacct *ta,
		      const char *unit)
{
	wanted = unit;
	nftw(cgroup_mount(), look, 16, FTW_PHYS);
	if (!found)
		die(STATUS_REFUSED, "no unit %s has a cgroup below %s", unit,
		    cgroup_mount());
	show_cgroup(opt, ta, found, found);
	free(found);
}

static void show_user(const struct options *opt, struct taskacct *ta,
		      const char *name)
{
	const struct passwd *entry = getpwnam(name);
	struct taskacct_user user;
	struct pair *pairs;
	const char *why;
	uint64_t uid;
	size_t n;
	int err;

	if (entry)
		uid = entry->pw_uid;
	else if (!units_parse(&uid, UNIT_ID, name, &why) || uid > UINT32_MAX)
		die(STATUS_USAGE, "no user '%s'", name);
	err = taskacct_get_user(ta, (uint32_t)uid, &user);
	if (err == -EOPNOTSUPP)
		die(STATUS_REFUSED, "%s: modprobe taskacct uid=1",
		    taskacct_error(ta));
	if (err == -ENOENT)
		die(STATUS_REFUSED, "no task of user %s was ever seen", name);
	if (err)
		live_die(ta, err);
	n = user_pairs(&pairs, &user, opt->style.form == OUT_TABLE);
	pairs_print(stdout, &opt->style, "show", pairs, n);
	free(pairs);
}

static const char *behind(const char *word, const char *prefix)
{
	const size_t n = strlen(prefix);

	return strncmp(word, prefix, n) ? NULL : word + n;
}

/* From the root of cgroups on, or with where they are mounted before it */
static void show_path(const struct options *opt, struct taskacct *ta,
		      const char *path)
{
	show_cgroup(opt, ta, cgroup_path(path), path);
}

enum status show_run(struct options *opt)
{
	static const struct {
		const char *prefix;
		void (*show)(const struct options *opt, struct taskacct *ta,
			     const char *name);
	} kinds[] = {
		{ "user:", show_user },
		{ "unit:", show_unit },
		{ "cgroup:", show_path },
	};
	const size_t n = sizeof(kinds) / sizeof(*kinds);
	struct taskacct *ta;
	const char *word;
	size_t i;

	if (opt->n != 1)
		die(STATUS_USAGE,
		    "show one of: PID, user:NAME, unit:NAME, cgroup:PATH");
	word = opt->words[0];
	ta = live_open(opt->family);
	for (i = 0; i < n && !behind(word, kinds[i].prefix); i++)
		;
	if (i < n)
		kinds[i].show(opt, ta, behind(word, kinds[i].prefix));
	else
		show_task(opt, ta, word);
	taskacct_close(ta);
	return STATUS_DONE;
}
