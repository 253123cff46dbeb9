/* SPDX-License-Identifier: GPL-2.0-only */
/* Values with their names, one below the other */
#ifndef TASKACCT_CMD_PAIRS_H
#define TASKACCT_CMD_PAIRS_H

#include "out.h"

/**
 * struct pair - a value with its name
 * @name: name
 * @unit: what it is
 * @value: value
 * @doc: what it says, for people, or NULL
 */
struct pair {
	const char *name;
	enum unit unit;
	struct value value;
	const char *doc;
};

/**
 * pair_number() - make one of a number
 * @name: name
 * @unit: what it is
 * @n: number
 * @doc: what it says, or NULL
 *
 * Return: the pair.
 */
struct pair pair_number(const char *name, enum unit unit, uint64_t n,
			const char *doc);

/**
 * pair_text() - make one of a text
 * @name: name
 * @s: text, or NULL where there is none
 * @doc: what it says, or NULL
 *
 * Return: the pair.
 */
struct pair pair_text(const char *name, const char *s, const char *doc);

/**
 * pairs_print() - print some
 * @file: where to
 * @style: a table has a line for each; JSON and CSV one for all
 * @title: name of all; in JSON the key of the object
 * @pairs: they
 * @n: how many
 */
void pairs_print(FILE *file, const struct out_style *style, const char *title,
		 const struct pair *pairs, size_t n);

#endif /* TASKACCT_CMD_PAIRS_H */
