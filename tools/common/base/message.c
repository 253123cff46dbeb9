// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages and memory: what ends the program
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static const char *program = "taskacct";

void message_set_program(const char *name)
{
	program = name;
}

const char *message_program(void)
{
	return program;
}

static void say(const char *fmt, va_list args)
{
	char line[2048];

	vsnprintf(line, sizeof(line), fmt, args);
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", program, line);
}

void message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void die(enum status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	exit(status);
}

void die_output(const char *name, int err)
{
	fprintf(stderr, "%s: %s: %s\n", program, name, strerror(err));
	/* What is still buffered cannot be written either. */
	_Exit(STATUS_OUTPUT);
}

void *alloc(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);

	if (!memory)
		die(STATUS_REFUSED, "out of memory");
	return memory;
}

void *grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	array = reallocarray(array, n ? 2 * n : 1, size);
	if (!array)
		die(STATUS_REFUSED, "out of memory");
	return array;
}

char *copy(const char *s)
{
	char *memory = strdup(s);

	if (!memory)
		die(STATUS_REFUSED, "out of memory");
	return memory;
}
