// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is wrong with a text, with a line that points at it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "point.h"
#include "text.h"

static void repeat(char c, int n)
{
	while (n-- > 0)
		fputc(c, stderr);
}

static void point(const char *text, size_t at, size_t length, const char *why)
{
	char *before = text_clean(text, at);
	char *part = text_clean(text + at, length);
	char *behind =
		text_clean(text + at + length, strlen(text + at + length));
	int columns = text_columns(part);

	fprintf(stderr, "%s: %s\n  %s%s%s\n  ", message_program(), why, before,
		part, behind);
	repeat(' ', text_columns(before));
	repeat('^', columns ? columns : 1);
	fputc('\n', stderr);
	free(before);
	free(part);
	free(behind);
}

void die_at(const char *text, size_t at, size_t length, const char *why)
{
	point(text, at, length, why);
	exit(STATUS_USAGE);
}
