// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals that are read as others read messages
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "message.h"
#include "signals.h"

int signals_catch(int other)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (other)
		sigaddset(&set, other);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die(STATUS_REFUSED, "signalfd: %s", strerror(errno));
	return fd;
}
