/* SPDX-License-Identifier: GPL-2.0-only */
/* Regular expressions that end in bounded time */
#ifndef TASKACCT_COMMON_PATTERN_H
#define TASKACCT_COMMON_PATTERN_H

#include <stddef.h>

/* A compiled expression */
struct pattern;

/**
 * enum answer - whether something is met
 * @ANSWER_NO: it is not
 * @ANSWER_YES: it is
 * @ANSWER_UNDECIDED: to find out would take too long
 */
enum answer {
	ANSWER_NO,
	ANSWER_YES,
	ANSWER_UNDECIDED,
};

/**
 * struct part - where a part of an expression matched
 * @from: offset of its first byte
 * @length: its bytes; 0 also if it took no part in the match
 */
struct part {
	size_t from;
	size_t length;
};

/**
 * pattern_new() - compile a regular expression
 * @expression: as pcre2pattern(3) has it
 * @why: what is wrong with it
 * @size: of @why
 *
 * Return: the pattern, or NULL and @why.
 */
struct pattern *pattern_new(const char *expression, char *why, size_t size);

/**
 * pattern_match() - whether a text matches
 * @pattern: pattern
 * @text: text
 * @parts: where the whole, and what is in brackets, matched; or NULL
 * @n: number of @parts
 *
 * What an expression asks for can take time that doubles with each byte of the text
 * ("(a*)*b"). It is not searched for longer than some 10 ms.
 *
 * Return: the answer. @parts are valid with %ANSWER_YES.
 */
enum answer pattern_match(const struct pattern *pattern, const char *text,
			  struct part *parts, size_t n);

/**
 * pattern_free() - free a pattern
 * @pattern: pattern or NULL
 */
void pattern_free(struct pattern *pattern);

#endif /* TASKACCT_COMMON_PATTERN_H */
