/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes to standard error, and how the program ends */
#ifndef TASKACCT_COMMON_MESSAGE_H
#define TASKACCT_COMMON_MESSAGE_H

#include <stddef.h>
#include <stdio.h>

/**
 * enum status - the exit status, the same numbers as getdelays has
 * @STATUS_DONE: as asked
 * @STATUS_USAGE: the command line is wrong
 * @STATUS_REFUSED: the kernel refused, or a file cannot be read
 * @STATUS_LOST: done, but records are missing, and it was said which
 * @STATUS_OUTPUT: the output could not be written
 * @STATUS_OPEN: what tasks used is not what has been booked
 */
enum status {
	STATUS_DONE = 0,
	STATUS_USAGE = 1,
	STATUS_REFUSED = 2,
	STATUS_LOST = 3,
	STATUS_OUTPUT = 4,
	STATUS_OPEN = 5,
};

/**
 * message_set_program() - whose messages they are
 * @name: what stands before each; "taskacct" where nobody says so
 */
void message_set_program(const char *name);

/**
 * message_program() - whose messages they are
 *
 * Return: the name.
 */
const char *message_program(void);

/**
 * message() - print a line to standard error
 * @fmt: what, without a line end
 */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * die() - print a line to standard error and end
 * @status: exit status
 * @fmt: why, without a line end
 */
void die(enum status status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/**
 * die_output() - say that the output could not be written, and end
 * @name: which output
 * @err: errno
 */
void die_output(const char *name, int err) __attribute__((noreturn));

/**
 * alloc() - allocate zeroed memory or end
 * @n: how many
 * @size: bytes of one
 *
 * Return: the memory, never NULL.
 */
void *alloc(size_t n, size_t size) __attribute__((returns_nonnull));

/**
 * grow() - make room for one more element of an array, or end
 * @array: the array or NULL
 * @n: elements that it has; room is doubled where @n is a power of two
 * @size: bytes of an element
 *
 * Return: the array, which may have moved.
 */
void *grow(void *array, size_t n, size_t size) __attribute__((returns_nonnull));

/**
 * copy() - copy a string or end
 * @s: the string
 *
 * Return: the copy, never NULL.
 */
char *copy(const char *s) __attribute__((returns_nonnull));

#endif /* TASKACCT_COMMON_MESSAGE_H */
