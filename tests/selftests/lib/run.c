// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of getdelays and taskacct
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "work.h"

#define MAX_ARGS 16

static char *contents(int fd)
{
	struct stat st;
	char *text;

	fstat(fd, &st);
	text = calloc(1, st.st_size + 1);
	if (!text || pread(fd, text, st.st_size, 0) != st.st_size)
		abort();
	return text;
}

/* Opened while it can be: another user need not reach the directory it is in. */
static int open_program(const char *name)
{
	char path[PATH_MAX];
	char *paths, *directory, *rest;
	int fd = -1;

	paths = strdup(getenv("PATH"));
	for (directory = strtok_r(paths, ":", &rest); directory && fd < 0;
	     directory = strtok_r(NULL, ":", &rest)) {
		snprintf(path, sizeof(path), "%s/%s", directory, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	free(paths);
	return fd;
}

static void start_argv(struct run *r, uid_t uid, const char **argv)
{
	int program;

	memset(r, 0, sizeof(*r));
	r->out_fd = memfd_create("out", MFD_CLOEXEC);
	r->err_fd = memfd_create("err", MFD_CLOEXEC);
	r->pid = fork();
	if (r->pid)
		return;
	program = open_program(argv[0]);
	dup2(r->out_fd, 1);
	dup2(r->err_fd, 2);
	if (uid && (setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
		_exit(126);
	fexecve(program, (char **)argv, environ);
	_exit(127);
}

static void take_args(const char **argv, const char *program, va_list args)
{
	const char *arg = program;
	int n = 0;

	for (; arg && n < MAX_ARGS - 1; arg = va_arg(args, const char *))
		argv[n++] = arg;
	argv[n] = NULL;
}

/**
 * run_start() - start a program
 * @r: filled in
 * @program: its name, and its arguments, up to NULL
 */
void run_start(struct run *r, const char *program, ...)
{
	const char *argv[MAX_ARGS];
	va_list args;

	va_start(args, program);
	take_args(argv, program, args);
	va_end(args);
	start_argv(r, 0, argv);
}

/**
 * run_script() - start a script of the shell
 * @r: filled in
 * @script: the script
 */
void run_script(struct run *r, const char *script)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	start_argv(r, 0, argv);
}

/**
 * run_says() - wait for words of a run
 * @r: the run
 * @words: what its messages are to have
 * @ms: how long to wait for them
 *
 * Return: whether they came.
 */
bool run_says(const struct run *r, const char *words, int ms)
{
	bool found;
	char *text;

	for (; ms > 0; ms -= 10) {
		text = contents(r->err_fd);
		found = strstr(text, words);
		free(text);
		if (found)
			return true;
		usleep(10000);
	}
	return false;
}

/**
 * run_ends() - wait for the end of a run, but not for ever
 * @r: the run, which is killed if it does not end; then as run_finish()
 * @ms: how long to wait
 *
 * Return: whether it has ended by itself.
 */
bool run_ends(struct run *r, int ms)
{
	siginfo_t info = { .si_pid = 0 };

	for (; ms > 0 && !info.si_pid; ms -= 10) {
		waitid(P_PID, r->pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (!info.si_pid)
			usleep(10000);
	}
	if (!info.si_pid)
		kill(r->pid, SIGKILL);
	run_finish(r);
	return info.si_pid;
}

/**
 * run_finish() - wait for the end of a run
 * @r: the run; its status and output are filled in
 */
void run_finish(struct run *r)
{
	int status;

	work_reap(r->pid, &status);
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->out = contents(r->out_fd);
	r->err = contents(r->err_fd);
	close(r->out_fd);
	close(r->err_fd);
}

/**
 * run_stop() - end a run by a signal
 * @r: the run
 * @sig: the signal
 */
void run_stop(struct run *r, int sig)
{
	kill(r->pid, sig);
	run_finish(r);
}

/**
 * run_as() - run a program as some user, to its end
 * @r: filled in
 * @uid: the user, and the group
 * @program: as for run_start()
 */
void run_as(struct run *r, uid_t uid, const char *program, ...)
{
	const char *argv[MAX_ARGS];
	va_list args;

	va_start(args, program);
	take_args(argv, program, args);
	va_end(args);
	start_argv(r, uid, argv);
	run_finish(r);
}

/**
 * run_free() - forget a run's output
 * @r: the run, or one that is all zeros
 */
void run_free(struct run *r)
{
	free(r->out);
	free(r->err);
}

/**
 * run_lines() - count lines
 * @text: the text
 *
 * Return: how many there are.
 */
int run_lines(const char *text)
{
	int n = 0;

	while (*text)
		n += *text++ == '\n';
	return n;
}

/**
 * run_tells_holder() - whether taskacct status says that this process has a device
 * @device: path of the device
 *
 * Return: true if so.
 */
bool run_tells_holder(const char *device)
{
	char words[128];
	struct run r;
	bool told;

	run_verb(&r, "status", "--json");
	snprintf(words, sizeof(words), "{\"pid\":%d,", getpid());
	told = strstr(r.out, words);
	snprintf(words, sizeof(words), "\"device\":\"%s\"", device);
	told = told && strstr(r.out, words);
	run_free(&r);
	return told;
}
