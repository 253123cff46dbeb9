/* SPDX-License-Identifier: GPL-2.0-only */
/* What a filter is made of */
#ifndef TASKACCT_COMMON_FILTER_NODE_H
#define TASKACCT_COMMON_FILTER_NODE_H

#include "base/pattern.h"
#include "filter.h"

/**
 * enum node_kind - how a part of a filter is decided
 * @NODE_AND: both parts
 * @NODE_OR: one of both
 * @NODE_NOT: the left part is not met
 * @NODE_RANGE: the number is in a range
 * @NODE_EXIT_RANGE: it ended by itself, with a status in a range
 * @NODE_TEXT: the text is one
 * @NODE_GLOB: the text is like a pattern of the shell
 * @NODE_REGEX: the text is like a regular expression
 * @NODE_TREE: the cgroup is one, or below it
 * @NODE_FLAGS: one of some things happened to it
 * @NODE_FAILED: it ended with another status than 0, or by a signal
 */
enum node_kind {
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_RANGE,
	NODE_EXIT_RANGE,
	NODE_TEXT,
	NODE_GLOB,
	NODE_REGEX,
	NODE_TREE,
	NODE_FLAGS,
	NODE_FAILED,
};

/**
 * struct node - a part of a filter
 * @all: the next of all parts of the filter, to free them
 * @kind: how it is decided
 * @left: part
 * @right: part
 * @field: what is compared
 * @low: smallest number that meets it
 * @high: largest
 * @flags: TASKACCT_RECORD_*
 * @text: text or pattern
 * @base: only the part of a path behind the last slash is compared
 * @pattern: compiled, with %NODE_REGEX; else NULL
 */
struct node {
	struct node *all;
	enum node_kind kind;
	struct node *left;
	struct node *right;
	const struct field *field;
	uint64_t low;
	uint64_t high;
	uint32_t flags;
	char *text;
	bool base;
	struct pattern *pattern;
};

/**
 * struct filter - see filter.h
 * @root: the whole
 * @all: all parts
 */
struct filter {
	struct node *root;
	struct node *all;
};

/**
 * enum filter_op - a comparison
 * @OP_NONE: no operator
 * @OP_EQ: =
 * @OP_NE: !=
 * @OP_LT: <
 * @OP_LE: <=
 * @OP_GT: >
 * @OP_GE: >=
 * @OP_LIKE: ~
 * @OP_UNLIKE: !~
 */
enum filter_op {
	OP_NONE,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_LIKE,
	OP_UNLIKE,
};

/**
 * filter_node() - make a part of a filter
 * @filter: filter
 * @kind: how it is decided
 * @field: what is compared, or NULL
 *
 * Return: the part.
 */
struct node *filter_node(struct filter *filter, enum node_kind kind,
			 const struct field *field);

/**
 * filter_compare() - make a comparison with one value
 * @filter: filter
 * @field: field
 * @op: %OP_EQ, %OP_LT, %OP_LE, %OP_GT, %OP_GE or %OP_LIKE
 * @value: value, as the user wrote it
 * @quoted: it was in quotes
 * @why: where to say what is wrong with it
 * @size: of @why
 *
 * Return: the part, or NULL and @why.
 */
struct node *filter_compare(struct filter *filter, const struct field *field,
			    enum filter_op op, const char *value, bool quoted,
			    char *why, size_t size);

#endif /* TASKACCT_COMMON_FILTER_NODE_H */
