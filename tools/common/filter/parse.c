// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of filters
 *
 *	or	= and { ("or" | "||") and }
 *	and	= not { ("and" | "&&" | ",") not }
 *	not	= ("not" | "!") not | "(" or ")" | test
 *	test	= word | field op value { "|" value }
 *	op	= "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
 *	value	= text without blanks and ()|,& | quoted text
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "node.h"

/* Brackets and negations in each other */
#define DEPTH_MAX 100

static const char no_operator[] =
	"this field is compared with nothing: = != < <= > >= ~ or !~ is missing";
static const char no_flag[] =
	"no word that stands alone; failed, oom, core, su, kthread, noexec, signal, last do";

/* A filter being read */
struct parser {
	struct filter *filter;
	const char *text;
	const char *at;
	int depth;
	struct filter_error *error;
};

static struct node *wrong(struct parser *p, const char *from, size_t length,
			  const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static struct node *wrong(struct parser *p, const char *from, size_t length,
			  const char *fmt, ...)
{
	va_list args;

	p->error->at = (size_t)(from - p->text);
	p->error->length = length;
	va_start(args, fmt);
	vsnprintf(p->error->why, sizeof(p->error->why), fmt, args);
	va_end(args);
	return NULL;
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (is_word_char(at[n]))
		n++;
	return n;
}

/* Bytes of a character, so that none is pointed at in its midst */
static size_t character_length(const char *at)
{
	size_t n = !!*at;

	while (n && (at[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static size_t token_length(const char *at)
{
	size_t n = word_length(at);

	return n ? n : character_length(at);
}

static bool is_word(const char *at, size_t length, const char *word)
{
	return length == strlen(word) && !strncasecmp(at, word, length);
}

/* Takes a connective, by its word or its sign */
static bool take(struct parser *p, const char *word, const char *sign)
{
	size_t n;

	skip_blanks(p);
	n = word_length(p->at);
	if (is_word(p->at, n, word)) {
		p->at += n;
		return true;
	}
	if (!strncmp(p->at, sign, strlen(sign))) {
		p->at += strlen(sign);
		return true;
	}
	return false;
}

static enum filter_op take_op(struct parser *p)
{
	static const struct {
		const char *sign;
		enum filter_op op;
	} ops[] = {
		{ "==", OP_EQ },  { "!=", OP_NE },     { "<=", OP_LE },
		{ ">=", OP_GE },  { "!~", OP_UNLIKE }, { "=~", OP_LIKE },
		{ "=", OP_EQ },	  { "<", OP_LT },      { ">", OP_GT },
		{ "~", OP_LIKE },
	};
	size_t i;

	skip_blanks(p);
	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (!strncmp(p->at, ops[i].sign, strlen(ops[i].sign))) {
			p->at += strlen(ops[i].sign);
			return ops[i].op;
		}
	}
	return OP_NONE;
}

/* A value's text, to be freed, or NULL */
static char *take_value(struct parser *p, const char **from, size_t *length,
			bool *quoted)
{
	const char *end;
	char *value;

	skip_blanks(p);
	*from = p->at;
	*quoted = *p->at == '"' || *p->at == '\'';
	if (*quoted) {
		end = strchr(p->at + 1, *p->at);
		if (!end) {
			wrong(p, p->at, 1, "this quote has no end");
			return NULL;
		}
		value = strndup(p->at + 1, (size_t)(end - p->at - 1));
		p->at = end + 1;
	} else {
		*length = strcspn(p->at, " \t\n()|,&");
		if (!*length) {
			wrong(p, p->at, !!*p->at, "a value is missing here");
			return NULL;
		}
		value = strndup(p->at, *length);
		p->at += *length;
	}
	*length = (size_t)(p->at - *from);
	if (!value)
		die(STATUS_REFUSED, "out of memory");
	return value;
}

static struct node *join(struct parser *p, enum node_kind kind,
			 struct node *left, struct node *right)
{
	struct node *node = filter_node(p->filter, kind, NULL);

	node->left = left;
	node->right = right;
	return node;
}

static struct node *parse_value(struct parser *p, const struct field *field,
				enum filter_op op)
{
	struct node *node;
	const char *from;
	size_t length;
	char why[160];
	bool quoted;
	char *value;

	value = take_value(p, &from, &length, &quoted);
	if (!value)
		return NULL;
	node = filter_compare(p->filter, field, op, value, quoted, why,
			      sizeof(why));
	free(value);
	return node ? node : wrong(p, from, length, "%s", why);
}

/* One of several values; with != none of them */
static struct node *parse_values(struct parser *p, const struct field *field,
				 enum filter_op op)
{
	const bool negated = op == OP_NE || op == OP_UNLIKE;
	struct node *all, *next;

	if (negated)
		op = op == OP_NE ? OP_EQ : OP_LIKE;
	all = parse_value(p, field, op);
	while (all && *p->at == '|' && p->at[1] != '|') {
		p->at++;
		next = parse_value(p, field, op);
		all = next ? join(p, NODE_OR, all, next) : NULL;
	}
	/* That what is not known is not so is not known either. */
	if (all && negated) {
		next = filter_node(p->filter, NODE_NOT, field);
		next->left = all;
		return next;
	}
	return all;
}

static struct node *no_field(struct parser *p, const char *word, size_t length)
{
	const char *nearest = field_nearest(word, length);

	if (nearest)
		return wrong(p, word, length, "no field '%.*s'; is %s meant?",
			     (int)(length < 40 ? length : 40), word, nearest);
	return wrong(p, word, length,
		     "no field '%.*s': see taskacct help fields",
		     (int)(length < 40 ? length : 40), word);
}

static struct node *parse_word(struct parser *p, const char *word,
			       size_t length)
{
	const uint32_t flags = field_flag_bit(word, length);
	struct node *node;

	if (is_word(word, length, "failed"))
		return filter_node(p->filter, NODE_FAILED, NULL);
	if (!flags && field_find(word, length))
		return wrong(p, word, length, "%s", no_operator);
	if (!flags)
		return wrong(p, word, length, "%s", no_flag);
	node = filter_node(p->filter, NODE_FLAGS, NULL);
	node->flags = flags;
	return node;
}

static struct node *parse_test(struct parser *p)
{
	const struct field *field;
	const char *word = p->at;
	size_t length = word_length(word);
	enum filter_op op;

	if (!*word)
		return wrong(p, word, 0, "a condition is missing here");
	if (!length)
		return wrong(p, word, character_length(word),
			     "a condition begins with a field");
	p->at += length;
	op = take_op(p);
	field = field_find(word, length);
	if (op == OP_NONE)
		return parse_word(p, word, length);
	if (!field)
		return no_field(p, word, length);
	return parse_values(p, field, op);
}

static struct node *parse_or(struct parser *p);

static struct node *parse_brackets(struct parser *p)
{
	const char *from = p->at++;
	struct node *node = parse_or(p);

	if (!node)
		return NULL;
	skip_blanks(p);
	if (*p->at != ')')
		return wrong(p, from, 1, "this bracket is not closed");
	p->at++;
	return node;
}

static struct node *parse_not(struct parser *p)
{
	struct node *node;

	if (p->depth >= DEPTH_MAX)
		return wrong(p, p->at, !!*p->at,
			     "too many brackets in each other");
	p->depth++;
	if (take(p, "not", "!")) {
		node = parse_not(p);
		if (node)
			node = join(p, NODE_NOT, node, NULL);
	} else if (*p->at == '(') {
		node = parse_brackets(p);
	} else {
		node = parse_test(p);
	}
	p->depth--;
	return node;
}

static struct node *parse_and(struct parser *p)
{
	struct node *node = parse_not(p), *next;

	while (node && (take(p, "and", "&&") || take(p, "and", ","))) {
		next = parse_not(p);
		node = next ? join(p, NODE_AND, node, next) : NULL;
	}
	return node;
}

static struct node *parse_or(struct parser *p)
{
	struct node *node = parse_and(p), *next;

	while (node && take(p, "or", "||")) {
		next = parse_and(p);
		node = next ? join(p, NODE_OR, node, next) : NULL;
	}
	return node;
}

struct filter *filter_parse(const char *text, struct filter_error *error)
{
	struct parser p = { .text = text, .at = text, .error = error };

	p.filter = alloc(1, sizeof(*p.filter));
	p.filter->root = parse_or(&p);
	skip_blanks(&p);
	if (p.filter->root && *p.at)
		p.filter->root = wrong(&p, p.at, token_length(p.at),
				       "'and' or 'or' is missing before this");
	if (p.filter->root)
		return p.filter;
	filter_free(p.filter);
	return NULL;
}

struct node *filter_node(struct filter *filter, enum node_kind kind,
			 const struct field *field)
{
	struct node *node = alloc(1, sizeof(*node));

	node->kind = kind;
	node->field = field;
	node->all = filter->all;
	filter->all = node;
	return node;
}

void filter_free(struct filter *filter)
{
	struct node *node, *next;

	for (node = filter ? filter->all : NULL; node; node = next) {
		next = node->all;
		pattern_free(node->pattern);
		free(node->text);
		free(node);
	}
	free(filter);
}
