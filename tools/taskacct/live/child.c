// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command: started, told of signals, reaped
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "child.h"

#define CANNOT_RUN 126
#define NOT_FOUND 127

static const int caught[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP };

static int catch_signals(sigset_t *before)
{
	sigset_t set;
	size_t i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaddset(&set, caught[i]);
	sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die(STATUS_REFUSED, "signalfd: %s", strerror(errno));
	return fd;
}

/* In the child: the pipe closes with exec, or brings the reason why not. */
static void __attribute__((noreturn))
execute(char **argv, int report, const sigset_t *mask)
{
	int err;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(CANNOT_RUN);
	_exit(NOT_FOUND);
}

void child_start(struct child *child, char **argv)
{
	int report[2], err;
	sigset_t mask;
	ssize_t n;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	*child = (struct child){ .signals = catch_signals(&mask) };
	if (pipe2(report, O_CLOEXEC))
		die(STATUS_REFUSED, "pipe: %s", strerror(errno));
	child->pid = fork();
	if (child->pid < 0)
		die(STATUS_REFUSED, "fork: %s", strerror(errno));
	if (!child->pid)
		execute(argv, report[1], &mask);
	close(report[1]);
	do {
		n = read(report[0], &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(err))
		return;
	message("cannot run %s: %s", argv[0], strerror(err));
	exit(err == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

/* What a terminal sends, it sends to the command too. */
static void take_signals(const struct child *child)
{
	struct signalfd_siginfo info;

	while (read(child->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= SI_USER &&
		    !child->ended)
			kill(child->pid, (int)info.ssi_signo);
}

static void note_end(struct child *child, const siginfo_t *info)
{
	child->ended = true;
	child->status = info->si_code == CLD_EXITED ? info->si_status << 8 :
						      info->si_status;
}

void child_look(struct child *child)
{
	siginfo_t info;

	take_signals(child);
	/* The command stays a zombie, so that it can be asked about. */
	info.si_pid = 0;
	if (!child->ended &&
	    !waitid(P_PID, (id_t)child->pid, &info,
		    WEXITED | WNOHANG | WNOWAIT) &&
	    info.si_pid)
		note_end(child, &info);
	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    !info.si_pid || info.si_pid == child->pid)
			return;
		waitpid(info.si_pid, NULL, 0);
	}
}

void child_end(struct child *child)
{
	const struct rlimit none = { 0, 0 };
	const int signal_number = child->status & 0x7f;
	sigset_t set;

	waitpid(child->pid, NULL, 0);
	if (!signal_number)
		exit(child->status >> 8);
	/* One dump of it is enough. */
	setrlimit(RLIMIT_CORE, &none);
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	exit(128 + signal_number);
}
