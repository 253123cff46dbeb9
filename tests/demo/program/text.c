// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "demo.h"

long demo_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	long lines = 0;
	int c;

	if (!file)
		return -1;
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}
