// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names, each looked up once
 *
 * What a cgroup's path names is derived by rules: a kind, a regular expression, and the
 * name, in which \1 is what the first brackets matched. The first rule of a kind that
 * matches counts.
 */
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/pattern.h"
#include "names.h"

#define BUCKETS 4096
#define GROUPS_MAX 5

/* A text in a table, and what was found for it */
struct entry {
	struct entry *next;
	size_t length;
	bool known[NAME_KINDS];
	const char *names[NAME_KINDS];
	char text[];
};

/* A rule; those of a file come before those built in */
struct rule {
	struct rule *next;
	enum name_kind kind;
	bool said;
	struct pattern *pattern;
	const char *name;
};

#define HEX12 "([0-9a-f]{12})[0-9a-f]{52}"
#define UNIT "[^/]+\\.(service|scope|socket|mount|swap|timer|path|target)"

/* The first unit that is no slice, or else the innermost slice */
static const char *const built_in[][3] = {
	{ "unit", "^(/[^/]+\\.slice)*/(" UNIT ")(/.*)?$", "\\2" },
	{ "unit", "^.*/([^/]+\\.slice)$", "\\1" },
	{ "unit", "^/init\\.scope$", "init.scope" },
	{ "user_unit",
	  "/user@[0-9]+\\.service(/[^/]+\\.slice)*/(" UNIT ")(/|$)", "\\2" },
	{ "container", "/docker-" HEX12 "\\.scope(/|$)", "docker:\\1" },
	{ "container", "/docker/" HEX12 "(/|$)", "docker:\\1" },
	{ "container", "/libpod-(conmon-)?" HEX12 "\\.scope(/|$)",
	  "podman:\\2" },
	{ "container", "/libpod-" HEX12 "(/|$)", "podman:\\1" },
	{ "container", "/kubepods.*/cri-containerd-" HEX12 "\\.scope(/|$)",
	  "k8s:\\1" },
	{ "container", "/kubepods.*/crio-(conmon-)?" HEX12 "(\\.scope)?(/|$)",
	  "k8s:\\2" },
	{ "container", "/kubepods.*/" HEX12 "(/|$)", "k8s:\\1" },
	{ "container", "/(cri-containerd|nerdctl)-" HEX12 "\\.scope(/|$)",
	  "containerd:\\2" },
	{ "container", "/(default|k8s\\.io|moby)/" HEX12 "(/|$)",
	  "containerd:\\2" },
	{ "container", "/machine\\.slice/machine-([^/]+)\\.scope(/|$)",
	  "machine:\\1" },
	{ "container", "/lxc(\\.payload)?[./]([^/]+)(/|$)", "lxc:\\2" },
};

static const char *const kinds[NAME_KINDS] = {
	[NAME_UNIT] = "unit",
	[NAME_USER_UNIT] = "user_unit",
	[NAME_CONTAINER] = "container",
};

/* Texts, by their hash; the table grows with them */
struct table {
	struct entry **buckets;
	size_t size;
	size_t n;
};

static struct table texts;
static struct table cgroups;
static struct rule *rules;
static struct rule **rules_end = &rules;
static bool built_in_added;
static bool numeric;

/* FNV-1a */
static uint32_t hash(const char *text, size_t length)
{
	uint32_t h = 2166136261;

	while (length--)
		h = (h ^ (unsigned char)*text++) * 16777619;
	return h;
}

static void enlarge(struct table *table)
{
	struct entry **old = table->buckets, *e, *next, **bucket;
	const size_t size = table->size;
	size_t i;

	table->size = size ? 2 * size : BUCKETS;
	table->buckets = alloc(table->size, sizeof(*table->buckets));
	for (i = 0; i < size; i++) {
		for (e = old[i]; e; e = next) {
			next = e->next;
			bucket = &table->buckets[hash(e->text, e->length) %
						 table->size];
			e->next = *bucket;
			*bucket = e;
		}
	}
	free(old);
}

static struct entry *find(struct table *table, const char *text, size_t length)
{
	struct entry **bucket, *e;

	if (table->n >= table->size)
		enlarge(table);
	bucket = &table->buckets[hash(text, length) % table->size];
	for (e = *bucket; e; e = e->next)
		if (e->length == length && !memcmp(e->text, text, length))
			return e;
	e = alloc(1, sizeof(*e) + length + 1);
	memcpy(e->text, text, length);
	e->length = length;
	e->next = *bucket;
	*bucket = e;
	table->n++;
	return e;
}

const char *names_intern(const char *text, size_t length)
{
	return find(&texts, text, length)->text;
}

void names_numeric(void)
{
	numeric = true;
}

/* Users and groups that were looked up, by the low bits of their numbers */
struct person {
	struct person *next;
	uint32_t id;
	const char *name;
};

static const char *person_name(uint32_t id, bool group)
{
	const struct passwd *user = NULL;
	const struct group *its = NULL;
	char digits[16];

	if (!numeric && group)
		its = getgrgid(id);
	else if (!numeric)
		user = getpwuid(id);
	if (its)
		return names_intern(its->gr_name, strlen(its->gr_name));
	if (user)
		return names_intern(user->pw_name, strlen(user->pw_name));
	snprintf(digits, sizeof(digits), "%" PRIu32, id);
	return names_intern(digits, strlen(digits));
}

static const char *person(struct person **table, uint32_t id, bool group)
{
	struct person **bucket = &table[id % BUCKETS], *p;

	for (p = *bucket; p; p = p->next)
		if (p->id == id)
			return p->name;
	p = alloc(1, sizeof(*p));
	p->id = id;
	p->name = person_name(id, group);
	p->next = *bucket;
	*bucket = p;
	return p->name;
}

const char *names_user(uint32_t uid)
{
	static struct person *users[BUCKETS];

	return person(users, uid, false);
}

const char *names_group(uint32_t gid)
{
	static struct person *groups[BUCKETS];

	return person(groups, gid, true);
}

static const char *add_rule(const char *kind, const char *expression,
			    const char *name)
{
	struct rule *rule = alloc(1, sizeof(*rule));
	static char why[256];

	while (rule->kind < NAME_KINDS && strcmp(kinds[rule->kind], kind))
		rule->kind++;
	if (rule->kind == NAME_KINDS) {
		free(rule);
		return "a rule begins with unit, user_unit or container";
	}
	rule->pattern = pattern_new(expression, why, sizeof(why));
	if (!rule->pattern) {
		free(rule);
		return why;
	}
	rule->name = names_intern(name, strlen(name));
	*rules_end = rule;
	rules_end = &rule->next;
	return NULL;
}

bool names_read_rules(const char *path, char *why, size_t size)
{
	FILE *file = fopen(path, "re");
	char kind[16], expression[512], name[256], line[1024];
	const char *wrong = NULL;
	int number = 0, n;

	*why = '\0';
	while (file && !wrong && fgets(line, sizeof(line), file)) {
		number++;
		n = sscanf(line, "%15s %511s %255s", kind, expression, name);
		if (n < 1 || *kind == '#')
			continue;
		wrong = n < 3 ? "a rule is: KIND EXPRESSION NAME" :
				add_rule(kind, expression, name);
	}
	if (wrong)
		snprintf(why, size, "%s:%d: %s", path, number, wrong);
	if (file)
		fclose(file);
	return !wrong;
}

static void add_built_in(void)
{
	size_t i;

	built_in_added = true;
	for (i = 0; i < sizeof(built_in) / sizeof(*built_in); i++)
		add_rule(built_in[i][0], built_in[i][1], built_in[i][2]);
}

static const char *substitute(const struct rule *rule, const char *text,
			      const struct part *parts)
{
	const struct part *part;
	const char *from;
	char name[512];
	size_t n = 0, length;

	for (from = rule->name; *from && n < sizeof(name); from++) {
		if (from[0] != '\\' || from[1] < '0' ||
		    from[1] >= '0' + GROUPS_MAX) {
			name[n++] = *from;
			continue;
		}
		part = &parts[*++from - '0'];
		length = part->length;
		if (length > sizeof(name) - n)
			length = sizeof(name) - n;
		memcpy(name + n, text + part->from, length);
		n += length;
	}
	return names_intern(name, n);
}

static bool applies(struct rule *rule, const char *text, struct part *parts)
{
	enum answer answer =
		pattern_match(rule->pattern, text, parts, GROUPS_MAX);

	if (answer == ANSWER_UNDECIDED && !rule->said) {
		message("the rule for '%.60s' takes too long for %.200s and others: it is not applied to them",
			rule->name, text);
		rule->said = true;
	}
	return answer == ANSWER_YES;
}

static const char *apply_rules(const char *text, enum name_kind kind)
{
	struct part parts[GROUPS_MAX];
	struct rule *rule;

	if (!built_in_added)
		add_built_in();
	for (rule = rules; rule; rule = rule->next)
		if (rule->kind == kind && applies(rule, text, parts))
			return substitute(rule, text, parts);
	return NULL;
}

const char *names_of_cgroup(const char *path, size_t length,
			    enum name_kind kind)
{
	struct entry *e = find(&cgroups, path, length);

	if (!e->known[kind])
		e->names[kind] = apply_rules(e->text, kind);
	e->known[kind] = true;
	return e->names[kind];
}
