// SPDX-License-Identifier: GPL-2.0-only
/*
 * A comparison with one value, by what the field is
 */
#include <ctype.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cgroup.h"
#include "base/message.h"
#include "base/pattern.h"
#include "fields/field_get.h"
#include "node.h"

/* Of a name the kernel keeps so much. */
#define COMM_MAX 15

/* A comparison being made, and what is wrong with it */
struct maker {
	struct filter *filter;
	const struct field *field;
	enum filter_op op;
	const char *value;
	bool quoted;
	char *why;
	size_t size;
};

static struct node *wrong(const struct maker *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static struct node *wrong(const struct maker *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(m->why, m->size, fmt, args);
	va_end(args);
	return NULL;
}

static struct node *make_range(const struct maker *m, enum node_kind kind,
			       uint64_t low, uint64_t high)
{
	struct node *node = filter_node(m->filter, kind, m->field);

	node->low = low;
	node->high = high;
	return node;
}

/* What is less than nothing, or more than all, is nowhere: low > high. */
static struct node *make_number(const struct maker *m, enum node_kind kind,
				uint64_t n)
{
	const bool is_signed = m->field->unit == UNIT_SIGNED;
	const uint64_t least = is_signed ? (uint64_t)INT64_MIN : 0;
	const uint64_t most = is_signed ? INT64_MAX : UINT64_MAX;

	switch (m->op) {
	case OP_LT:
		return n == least ? make_range(m, kind, 1, 0) :
				    make_range(m, kind, least, n - 1);
	case OP_LE:
		return make_range(m, kind, least, n);
	case OP_GT:
		return n == most ? make_range(m, kind, 1, 0) :
				   make_range(m, kind, n + 1, most);
	case OP_GE:
		return make_range(m, kind, n, most);
	default:
		return make_range(m, kind, n, n);
	}
}

static bool user_number(const struct maker *m, const char *name, uint64_t *n)
{
	const bool group = m->field->unit == UNIT_GID ||
			   !strcmp(m->field->name, "group");
	const struct passwd *user = group ? NULL : getpwnam(name);
	const struct group *its = group ? getgrnam(name) : NULL;

	if (!user && !its)
		return wrong(m, "no %s '%.60s'", group ? "group" : "user",
			     name);
	*n = user ? user->pw_uid : its->gr_gid;
	return true;
}

static bool is_plain(enum unit unit)
{
	return unit == UNIT_ID || unit == UNIT_UID || unit == UNIT_GID ||
	       unit == UNIT_COUNT || unit == UNIT_EXIT;
}

static bool take_number(const char **text, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*n = strtoull(*text, &end, 10);
	*text = end;
	return true;
}

/* "1000-1999", and "1000-" which has no end */
static bool parse_range(const char *text, uint64_t *low, uint64_t *high)
{
	if (!take_number(&text, low) || *text++ != '-')
		return false;
	*high = UINT64_MAX;
	if (*text && !take_number(&text, high))
		return false;
	return !*text;
}

static struct node *compare_number(const struct maker *m, enum node_kind kind)
{
	const enum unit unit = m->field->unit;
	uint64_t n, high;
	const char *why;

	if (m->op == OP_LIKE)
		return wrong(m, "%s is a number: = != < <= > and >= compare it",
			     m->field->name);
	if (m->op == OP_EQ && is_plain(unit) &&
	    parse_range(m->value, &n, &high))
		return n <= high ? make_range(m, kind, n, high) :
				   wrong(m, "nothing is in this range");
	if ((unit == UNIT_UID || unit == UNIT_GID) &&
	    !isdigit((unsigned char)*m->value))
		return user_number(m, m->value, &n) ? make_number(m, kind, n) :
						      NULL;
	if (!units_parse(&n, unit, m->value, &why))
		return wrong(m, "'%.60s' is %s", m->value, why);
	return make_number(m, kind, n);
}

static struct node *make_regex(const struct maker *m)
{
	struct node *node = filter_node(m->filter, NODE_TEXT, m->field);
	char why[120];

	node->pattern = pattern_new(m->value, why, sizeof(why));
	if (!node->pattern)
		return wrong(m, "no regular expression: %s", why);
	node->kind = NODE_REGEX;
	return node;
}

static struct node *make_text(const struct maker *m, enum node_kind kind,
			      const char *text)
{
	struct node *node = filter_node(m->filter, kind, m->field);

	node->text = copy(text);
	return node;
}

static bool is_glob(const struct maker *m)
{
	return !m->quoted && strpbrk(m->value, "*?[");
}

/* "nginx" is nginx.service, as for systemctl. */
static struct node *make_unit(const struct maker *m)
{
	struct node *both = filter_node(m->filter, NODE_OR, NULL);
	char *name;

	if (asprintf(&name, "%s.service", m->value) < 0)
		die(STATUS_REFUSED, "out of memory");
	both->left = make_text(m, NODE_TEXT, m->value);
	both->right = make_text(m, NODE_TEXT, name);
	free(name);
	return both;
}

static struct node *make_cgroup(const struct maker *m)
{
	const char *path = cgroup_path(m->value);
	struct node *node;
	size_t length;

	if (*path && *path != '/')
		return wrong(m, "a cgroup's path begins with /");
	node = make_text(m, NODE_TREE, path);
	length = strlen(node->text);
	while (length && node->text[length - 1] == '/')
		node->text[--length] = '\0';
	return node;
}

static struct node *make_same(const struct maker *m)
{
	struct node *node = make_text(m, NODE_TEXT, m->value);

	if (!strcmp(m->field->name, "comm") && strlen(node->text) > COMM_MAX)
		node->text[COMM_MAX] = '\0';
	return node;
}

static bool is_person(const char *name)
{
	return !strcmp(name, "user") || !strcmp(name, "group");
}

/* By number, which a name has here, whatever it was where the log is from */
static struct node *compare_person(const struct maker *m)
{
	uint64_t n;

	if (isdigit((unsigned char)*m->value))
		return compare_number(m, NODE_RANGE);
	return user_number(m, m->value, &n) ? make_number(m, NODE_RANGE, n) :
					      NULL;
}

static struct node *compare_text(const struct maker *m)
{
	const char *name = m->field->name;
	struct node *node;

	if (m->op == OP_LIKE)
		return make_regex(m);
	if (m->op != OP_EQ)
		return wrong(m, "%s is a text: = != ~ and !~ compare it", name);
	if (!is_glob(m) && is_person(name))
		return compare_person(m);
	if (!is_glob(m) && strstr(name, "unit") && !strchr(m->value, '.'))
		return make_unit(m);
	if (!is_glob(m) && !strcmp(name, "cgroup"))
		return make_cgroup(m);
	node = is_glob(m) ? make_text(m, NODE_GLOB, m->value) : make_same(m);
	node->base = !strcmp(name, "exe") && !strchr(m->value, '/');
	return node;
}

/* With or without SIG, in any letters; 0 for none */
static unsigned int signal_number(const char *name)
{
	const char *its;
	unsigned int n;

	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (n = 1; n < NSIG; n++) {
		its = sigabbrev_np((int)n);
		if (its && !strcasecmp(its, name))
			return n;
	}
	return 0;
}

/* A signal is no number: what compares numbers is about a status. */
static struct node *compare_exit(const struct maker *m)
{
	struct node *node;
	unsigned int n;

	if (m->op == OP_LIKE)
		return make_regex(m);
	if (isdigit((unsigned char)*m->value))
		return compare_number(m, NODE_EXIT_RANGE);
	if (m->op != OP_EQ)
		return wrong(m, "only a status can be larger or smaller");
	n = signal_number(m->value);
	if (n)
		return make_text(m, NODE_TEXT, field_signal_name(n));
	if (strcasecmp(m->value, "oom") && strcasecmp(m->value, "signal"))
		return wrong(m,
			     "'%.60s' is neither a status nor a signal nor oom",
			     m->value);
	node = filter_node(m->filter, NODE_FLAGS, NULL);
	node->flags = strcasecmp(m->value, "oom") ? TASKACCT_RECORD_SIGNAL :
						    TASKACCT_RECORD_OOM;
	return node;
}

struct node *filter_compare(struct filter *filter, const struct field *field,
			    enum filter_op op, const char *value, bool quoted,
			    char *why, size_t size)
{
	const struct maker m = { .filter = filter,
				 .field = field,
				 .op = op,
				 .value = value,
				 .quoted = quoted,
				 .why = why,
				 .size = size };

	switch (field->unit) {
	case UNIT_TEXT:
		return compare_text(&m);
	case UNIT_EXIT:
		return compare_exit(&m);
	default:
		return compare_number(&m, NODE_RANGE);
	}
}
