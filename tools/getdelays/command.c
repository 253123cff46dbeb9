// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command of -c: started, awaited as a zombie, reaped
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "message.h"

/* As wait() has it; 0 before that */
static int ended_with;

/* In the child: the pipe closes with exec, or brings the reason why not. */
static void __attribute__((noreturn)) run(char **argv, int report)
{
	sigset_t none;
	int err;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(127);
	_exit(126);
}

pid_t command_start(char **argv)
{
	int report[2], err;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		message_die(EXIT_REFUSED, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		message_die(EXIT_REFUSED, "fork: %s", strerror(errno));
	if (!pid)
		run(argv, report[1]);

	close(report[1]);
	do {
		n = read(report[0], &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == sizeof(err))
		message_die(EXIT_USAGE, "cannot run %s: %s", argv[0],
			    strerror(err));
	return pid;
}

void command_wait(pid_t pid)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	siginfo_t info;

	sigaction(SIGINT, &ignore, &old);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) &&
	       errno == EINTR)
		;
	sigaction(SIGINT, &old, NULL);
}

bool command_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid;
}

void command_reap(pid_t pid)
{
	while (waitpid(pid, &ended_with, 0) < 0 && errno == EINTR)
		;
}

int command_status(void)
{
	return WIFSIGNALED(ended_with) ? 128 + WTERMSIG(ended_with) :
					 WEXITSTATUS(ended_with);
}
