// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether records meet a filter
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "node.h"

/* A value's text is compared up to here; arguments are shorter. */
#define TEXT_MAX 8192

static const char *text_of(const struct node *node, const struct value *value,
			   char *text)
{
	size_t length = value->length < TEXT_MAX - 1 ? value->length :
						       TEXT_MAX - 1;
	const char *base;

	memcpy(text, value->s, length);
	text[length] = '\0';
	base = node->base ? strrchr(text, '/') : NULL;
	return base ? base + 1 : text;
}

static bool is_below(const char *path, const char *top)
{
	const size_t length = strlen(top);

	return !strncmp(path, top, length) &&
	       (!path[length] || path[length] == '/');
}

/* See filter_undecided() */
static uint64_t undecided;

static enum answer match_text(const struct node *node, const struct value *value)
{
	char buffer[TEXT_MAX];
	const char *text;

	if (!value->s)
		return ANSWER_NO;
	text = text_of(node, value, buffer);
	switch (node->kind) {
	case NODE_TEXT:
		return !strcmp(text, node->text);
	case NODE_GLOB:
		return !fnmatch(node->text, text, 0);
	case NODE_REGEX:
		return pattern_match(node->pattern, text, NULL, 0);
	default:
		return is_below(text, node->text);
	}
}

static bool match_range(const struct node *node, uint64_t n)
{
	if (node->field->unit == UNIT_SIGNED)
		return (int64_t)n >= (int64_t)node->low &&
		       (int64_t)n <= (int64_t)node->high;
	return n >= node->low && n <= node->high;
}

static enum answer match_value(const struct node *node, const struct rec *rec)
{
	struct value value;

	field_get(node->field, rec, &value);
	if (value.state != TASKACCT_VALID)
		return ANSWER_NO;
	if (node->kind == NODE_RANGE)
		return match_range(node, value.n);
	if (node->kind == NODE_EXIT_RANGE)
		return !(value.n & 0x7f) &&
		       match_range(node, (value.n >> 8) & 0xff);
	return match_text(node, &value);
}

/* With != : what is not known is not other than anything. */
static bool is_known(const struct field *field, const struct rec *rec)
{
	struct value value;

	field_get(field, rec, &value);
	return value.state == TASKACCT_VALID;
}

static enum answer match(const struct node *node, const struct rec *rec);

/* Both, or one of both: of two answers either can be enough, which is @enough. */
static enum answer match_two(const struct node *node, const struct rec *rec,
			     enum answer enough)
{
	enum answer left = match(node->left, rec), right;

	if (left == enough)
		return left;
	right = match(node->right, rec);
	return right == enough || left != ANSWER_UNDECIDED ? right : left;
}

static enum answer match_not(const struct node *node, const struct rec *rec)
{
	enum answer opposite = match(node->left, rec);

	if (opposite == ANSWER_UNDECIDED)
		return opposite;
	return opposite == ANSWER_NO &&
	       (!node->field || is_known(node->field, rec));
}

static enum answer match(const struct node *node, const struct rec *rec)
{
	switch (node->kind) {
	case NODE_AND:
		return match_two(node, rec, ANSWER_NO);
	case NODE_OR:
		return match_two(node, rec, ANSWER_YES);
	case NODE_NOT:
		return match_not(node, rec);
	case NODE_FLAGS:
		return !!(rec_flags(rec) & node->flags);
	case NODE_FAILED:
		return rec_has_failed(rec);
	default:
		return match_value(node, rec);
	}
}

bool filter_match(const struct filter *filter, const struct rec *rec)
{
	enum answer answer = filter ? match(filter->root, rec) : ANSWER_YES;

	undecided += answer == ANSWER_UNDECIDED;
	return answer == ANSWER_YES;
}

uint64_t filter_undecided(void)
{
	return undecided;
}

bool filter_tell_undecided(void)
{
	static const char text[] =
		"a regular expression takes too long for some, which are left out";

	if (undecided)
		message("%s: %" PRIu64, text, undecided);
	return undecided;
}

bool filter_uses(const struct filter *filter, const char *name)
{
	const struct node *node;

	for (node = filter ? filter->all : NULL; node; node = node->all)
		if (node->field && !strcmp(node->field->name, name))
			return true;
	return false;
}

bool filter_uses_only(const struct filter *filter,
		      bool (*is_one)(const char *name))
{
	const struct node *node;

	for (node = filter ? filter->all : NULL; node; node = node->all)
		if (node->kind == NODE_FLAGS || node->kind == NODE_FAILED ||
		    (node->field && !is_one(node->field->name)))
			return false;
	return true;
}
