/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with a text, with a line that points at it */
#ifndef TASKACCT_COMMON_POINT_H
#define TASKACCT_COMMON_POINT_H

#include <stddef.h>

/**
 * die_at() - print a text, point at a part of it, and end with %STATUS_USAGE
 * @text: the text, as the user wrote it
 * @at: offset of the part
 * @length: bytes of the part; 0 points between two characters
 * @why: what is wrong with it
 */
void die_at(const char *text, size_t at, size_t length, const char *why)
	__attribute__((noreturn));

#endif /* TASKACCT_COMMON_POINT_H */
