/* SPDX-License-Identifier: GPL-2.0-only */
/* What a field of a record has */
#ifndef TASKACCT_COMMON_VALUE_H
#define TASKACCT_COMMON_VALUE_H

#include "rec.h"

/**
 * struct value - a field's value in a record
 * @state: %TASKACCT_VALID, or why there is none
 * @n: number
 * @s: text, where the field has one
 * @length: its length
 */
struct value {
	enum taskacct_validity state;
	uint64_t n;
	const char *s;
	size_t length;
};

#endif /* TASKACCT_COMMON_VALUE_H */
