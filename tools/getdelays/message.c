// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages: what goes to standard error, each with its cure
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static bool verbose;

void message_set_verbose(bool wanted)
{
	verbose = wanted;
}

void message_verbose(const char *fmt, ...)
{
	char line[1024];
	va_list args;

	if (!verbose)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	message("%s", line);
}

void message_die(enum exit_status status, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	message("%s", line);
	exit(status);
}

static const char *cure(int err, const char *story)
{
	switch (err) {
	case -EPERM:
		if (strstr(story, "unprivileged=1"))
			return "run it as root, or see unprivileged= in install.rst";
		if (strstr(story, "CAP_"))
			return "run it as root";
		return strstr(story, "initial pid namespace") ?
			       "run it outside of the container" :
			       "needs CAP_NET_ADMIN: run it as root";
	case -ENODEV:
		return "the module was unloaded";
	case -ENOBUFS:
		return "the receive buffer is too small: see -r";
	default:
		return NULL;
	}
}

void message_failed(int err, const char *story)
{
	const char *hint = cure(err, story);

	if (hint)
		message("%s (%s)", story, hint);
	else
		message("%s", story);
}
