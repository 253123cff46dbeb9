/* SPDX-License-Identifier: GPL-2.0-only */
/* How large a regular expression becomes when it is compiled */
#ifndef TASKACCT_CMD_REGEX_SIZE_H
#define TASKACCT_CMD_REGEX_SIZE_H

#include <stdbool.h>

/**
 * regex_is_small() - whether an extended regular expression may be compiled
 * @expression: the expression
 *
 * The C library writes what is repeated as often as it says: a++++ has 16 of it,
 * and each further + doubles that.
 *
 * Return: false for one that would need very much memory.
 */
bool regex_is_small(const char *expression);

#endif /* TASKACCT_CMD_REGEX_SIZE_H */
