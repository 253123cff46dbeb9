/* SPDX-License-Identifier: GPL-2.0-only */
/* Values as people read them */
#ifndef GETDELAYS_UNITS_H
#define GETDELAYS_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "taskacct.h"

/* Longest text that a value becomes, with its NUL */
#define UNITS_SCALED_MAX 32

/**
 * units_scale() - scale a value for people
 * @text: where to, %UNITS_SCALED_MAX bytes
 * @unit: what it is
 * @value: value
 * @width: columns that there are; a count that is too long is scaled
 */
void units_scale(char *text, enum taskacct_unit unit, uint64_t value,
		 int width);

/**
 * units_clean() - make a task's name safe to print
 * @text: where to; what does not fit is left out
 * @size: of @text
 * @from: any bytes
 * @controls: what control characters become, or 0 to keep them
 *
 * What is no UTF-8 becomes U+FFFD.
 */
void units_clean(char *text, size_t size, const char *from, char controls);

/**
 * units_columns() - columns that a text takes
 * @text: UTF-8
 *
 * Return: its number of characters.
 */
int units_columns(const char *text);

#endif /* GETDELAYS_UNITS_H */
