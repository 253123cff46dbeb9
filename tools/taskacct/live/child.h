/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that is run and waited for */
#ifndef TASKACCT_CMD_CHILD_H
#define TASKACCT_CMD_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a command
 * @pid: its process
 * @signals: descriptor with the signals that concern it
 * @ended: it has ended, and is not reaped
 * @status: how, as wait() has it
 */
struct child {
	pid_t pid;
	int signals;
	bool ended;
	int status;
};

/**
 * child_start() - start a command
 * @child: filled in
 * @argv: command
 *
 * This process becomes a subreaper. Where the command cannot be run, the
 * program ends with 127, or 126, as a shell does.
 */
void child_start(struct child *child, char **argv);

/**
 * child_look() - take signals and reap orphans
 * @child: command; @child->ended is set where it has ended
 *
 * Signals that kill sends go on to the command.
 */
void child_look(struct child *child);

/**
 * child_end() - reap it, and end as it has ended
 * @child: command that has ended
 */
void child_end(struct child *child) __attribute__((noreturn));

#endif /* TASKACCT_CMD_CHILD_H */
