/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that has ended for its parent, and may not be at its end */
#ifndef GETDELAYS_ENDING_H
#define GETDELAYS_ENDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "taskacct.h"

/**
 * struct ending - a process that can be waited for, and whose last record may be yet
 *	to come
 * @ta: handle
 * @pid: its number; it is a zombie and stays one
 * @due_ns: when to give up, of CLOCK_MONOTONIC; 0 before ending_look()
 * @ms: how long to wait the next time
 * @given_up: that it came to its end was not seen
 */
struct ending {
	struct taskacct *ta;
	pid_t pid;
	uint64_t due_ns;
	int ms;
	bool given_up;
};

/**
 * ending_look() - ask whether it is at its end
 * @ending: the process; @ta and @pid set, the others 0
 *
 * The kernel answers when it is, or 2 ms later. Where the process is not at its end
 * after ten seconds that is said.
 *
 * Return: how many ms to wait before the next call; negative: it is at its end, or
 * that cannot be known, or it was given up.
 */
int ending_look(struct ending *ending);

/**
 * ending_await_others() - wait for the ends of tasks that others have waited for
 * @ending: the process, as ending_look() has left it; of no effect if it was given up
 *
 * Some ten milliseconds. A task that a preemptible kernel has taken the CPU from on the
 * last steps to its end is not waited for.
 */
void ending_await_others(const struct ending *ending);

#endif /* GETDELAYS_ENDING_H */
