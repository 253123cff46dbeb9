// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pager, as git has one: less leaves what fits on a screen as it is
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pager.h"

/* Not every system has one. */
static const char or_none[] =
	"if command -v less >/dev/null; then exec less; else exec cat; fi";

static pid_t pager;

static const char *command(void)
{
	const char *own = getenv("TASKACCT_PAGER");
	const char *usual = getenv("PAGER");

	if (own)
		return own;
	return usual ? usual : or_none;
}

void pager_start(void)
{
	const char *line = command();
	int fds[2];

	if (!*line || !isatty(STDOUT_FILENO) || pipe2(fds, O_CLOEXEC))
		return;
	fflush(stdout);
	pager = fork();
	if (!pager) {
		dup2(fds[0], STDIN_FILENO);
		/* Quit where it fits, pass colours, leave the screen. */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	if (pager > 0)
		dup2(fds[1], STDOUT_FILENO);
	close(fds[0]);
	close(fds[1]);
	if (pager < 0)
		pager = 0;
	/* What is meant for the reader reaches the pager alone. */
	signal(SIGINT, SIG_IGN);
}

void pager_end(void)
{
	if (!pager)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
