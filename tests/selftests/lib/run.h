/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * getdelays and taskacct as a user runs them
 */
#ifndef SELFTESTS_RUN_H
#define SELFTESTS_RUN_H

#include <stdbool.h>
#include <sys/types.h>

/* Their exit statuses */
#define EXIT_DONE 0
#define EXIT_USAGE 1
#define EXIT_REFUSED 2
#define EXIT_LOST 3
#define EXIT_LOG 4

/**
 * struct run - a run of one of them
 * @pid: its process
 * @out_fd: where its standard output goes, a file without a name
 * @err_fd: where its messages go, likewise
 * @status: its exit status, or -1 where it did not exit by itself
 * @out: its standard output, when it has ended
 * @err: its messages, when it has ended
 */
struct run {
	pid_t pid;
	int out_fd;
	int err_fd;
	int status;
	char *out;
	char *err;
};

void run_start(struct run *r, const char *program, ...);
void run_script(struct run *r, const char *script);
bool run_says(const struct run *r, const char *words, int ms);
bool run_ends(struct run *r, int ms);
void run_finish(struct run *r);
void run_stop(struct run *r, int sig);
void run_as(struct run *r, uid_t uid, const char *program, ...);
void run_free(struct run *r);
int run_lines(const char *text);
bool run_tells_holder(const char *device);

/* Arguments of getdelays are strings; the first form waits for its end. */
#define run(r, ...) run_as((r), 0, "getdelays", __VA_ARGS__, (char *)NULL)
#define begin(r, ...) run_start((r), "getdelays", __VA_ARGS__, (char *)NULL)

/* Those of taskacct: a verb, and its own */
#define run_verb(r, ...) run_as((r), 0, "taskacct", __VA_ARGS__, (char *)NULL)
#define begin_verb(r, ...) run_start((r), "taskacct", __VA_ARGS__, (char *)NULL)

#endif /* SELFTESTS_RUN_H */
