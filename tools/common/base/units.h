/* SPDX-License-Identifier: GPL-2.0-only */
/* Values as people read and write them */
#ifndef TASKACCT_COMMON_UNITS_H
#define TASKACCT_COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum unit - what a value is, which says how it is written and read
 * @UNIT_ID: a code or a number that names something
 * @UNIT_SIGNED: the same, may be negative
 * @UNIT_COUNT: how many
 * @UNIT_NS: a duration in nanoseconds
 * @UNIT_BYTES: bytes
 * @UNIT_DATE: nanoseconds since 1970; programs get RFC 3339
 * @UNIT_EPOCH: the same; programs get the number
 * @UNIT_BOOT: nanoseconds since the machine was started
 * @UNIT_KIB_US: KiB held, times microseconds that they were held
 * @UNIT_PERCENT: thousandths of a percent
 * @UNIT_TEXT: a text
 * @UNIT_EXIT: how a task ended: a text, see exit.h
 * @UNIT_UID: a user's number
 * @UNIT_GID: a group's number
 * @UNIT_BOOL: whether something is so
 */
enum unit {
	UNIT_ID,
	UNIT_SIGNED,
	UNIT_COUNT,
	UNIT_NS,
	UNIT_BYTES,
	UNIT_DATE,
	UNIT_EPOCH,
	UNIT_BOOT,
	UNIT_KIB_US,
	UNIT_PERCENT,
	UNIT_TEXT,
	UNIT_EXIT,
	UNIT_UID,
	UNIT_GID,
	UNIT_BOOL,
};

/* Room for any value as people read it */
#define UNITS_MAX 48

/**
 * units_is_text() - whether values of a unit are texts
 * @unit: unit
 *
 * Return: true for texts, false for numbers.
 */
static inline bool units_is_text(enum unit unit)
{
	return unit == UNIT_TEXT || unit == UNIT_EXIT;
}

/**
 * units_format() - write a number for people
 * @text: where to, %UNITS_MAX
 * @unit: what it is
 * @n: number
 */
void units_format(char *text, enum unit unit, uint64_t n);

/**
 * units_format_raw() - write a number for programs
 * @text: where to, %UNITS_MAX
 * @unit: what it is; a date becomes RFC 3339 in UTC
 * @n: number
 *
 * Return: true where it is a number, false where it is to be quoted.
 */
bool units_format_raw(char *text, enum unit unit, uint64_t n);

/**
 * units_parse() - read a number that a person wrote
 * @n: set to it
 * @unit: what it has to be
 * @text: text, such as "1.5s", "10M", "22:00" or "yesterday"
 * @why: set to what is wrong with it; a constant
 *
 * Return: true if it is one.
 */
bool units_parse(uint64_t *n, enum unit unit, const char *text,
		 const char **why);

/**
 * units_set_now() - say what time it is, for dates such as "22:00"
 * @ns: nanoseconds since 1970
 */
void units_set_now(uint64_t ns);

/**
 * units_now() - what time it is
 *
 * Return: nanoseconds since 1970.
 */
uint64_t units_now(void);

#endif /* TASKACCT_COMMON_UNITS_H */
