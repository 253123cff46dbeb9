/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a record: what can be printed, sorted by, grouped by and
 * filtered. Each is documented in the table, which taskacct-fields(7) is
 * made of.
 */
#ifndef TASKACCT_COMMON_FIELD_H
#define TASKACCT_COMMON_FIELD_H

#include "base/units.h"
#include "value.h"

/**
 * enum field_sum - what becomes of a field where records are taken together
 * @SUM_NONE: it is reported where it is the same in all of them
 * @SUM_TOTAL: they are added up
 * @SUM_MAX: the largest
 * @SUM_MIN: the smallest that is not 0
 * @SUM_FIRST: the smallest
 */
enum field_sum {
	SUM_NONE,
	SUM_TOTAL,
	SUM_MAX,
	SUM_MIN,
	SUM_FIRST,
};

/**
 * struct field - a field
 * @name: what programs call it; that of struct taskacct_record if it is there
 * @alias: shorter name, or NULL
 * @head: heading of a table's column
 * @unit: what its values are
 * @sum: how records are taken together
 * @width: usual width of the column
 * @member: value of the record that it is, without @get
 * @get: what makes it of others; a text is valid until the next call
 * @doc: what it is, in a sentence or two
 */
struct field {
	const char *name;
	const char *alias;
	const char *head;
	enum unit unit;
	enum field_sum sum;
	int width;
	enum taskacct_member member;
	void (*get)(const struct rec *rec, struct value *value);
	const char *doc;
};

/**
 * field_count() - how many fields there are
 *
 * Return: they are numbered from 0 to one less.
 */
size_t field_count(void);

/**
 * field_at() - a field by its number
 * @i: number
 *
 * Return: the field.
 */
const struct field *field_at(size_t i);

/**
 * field_find() - a field by its name or alias
 * @name: name; '-' and '_' are the same
 * @length: its length
 *
 * Return: the field or NULL.
 */
const struct field *field_find(const char *name, size_t length);

/**
 * field_nearest() - the field whose name is most like a text
 * @name: text
 * @length: its length
 *
 * Return: its name or NULL where none is like it.
 */
const char *field_nearest(const char *name, size_t length);

/**
 * field_get() - a field's value
 * @field: field
 * @rec: record
 * @value: set
 */
void field_get(const struct field *field, const struct rec *rec,
	       struct value *value);

/**
 * field_flag_bit() - what a word about a record asks for
 * @word: "oom", "core", "su", "kthread", "noexec", "last" or "signal"
 * @length: its length
 *
 * Return: TASKACCT_RECORD_* or 0 where it is no such word.
 */
uint32_t field_flag_bit(const char *word, size_t length);

/**
 * field_distance() - how many changes make one word of another
 * @a: word
 * @n: its length
 * @b: other
 *
 * Return: characters to insert, remove, replace or swap.
 */
unsigned int field_distance(const char *a, size_t n, const char *b);

#endif /* TASKACCT_COMMON_FIELD_H */
