/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where each field of struct taskstats lies, in each version */
#ifndef TASKACCT_FIELDS_H
#define TASKACCT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "taskacct.h"

/**
 * struct field_place - a field and its place
 * @info: what is known of it
 * @offset: where it is in every version that has it, but in the layout of 15
 * @size: bytes
 * @offset15: where it is in the layout of version 15, or negative
 */
struct field_place {
	struct taskacct_field_info info;
	uint16_t offset;
	uint16_t size;
	int16_t offset15;
};

extern const struct field_place taskacct_field_offsets[TASKACCT_FIELDS];

/**
 * ta_layout_of_15() - whether a struct taskstats is laid out as version 15 is
 * @version: its version
 * @length: its length
 *
 * Return: true if so.
 */
bool ta_layout_of_15(unsigned int version, size_t length);

#endif /* TASKACCT_FIELDS_H */
