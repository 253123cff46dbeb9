/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGINT and SIGTERM as an end, for what goes on until interrupted */
#ifndef TASKACCT_COMMON_STOP_H
#define TASKACCT_COMMON_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/**
 * stop_catch() - take SIGINT and SIGTERM for an end from now on
 *
 * What is being printed is printed to its end. Where nobody takes it, the
 * program exits a second later, with status 0.
 */
void stop_catch(void);

/**
 * stop_catch_only() - the same, for who has something to do after that
 *
 * It takes as long as it does. A second signal ends nothing either.
 */
void stop_catch_only(void);

/**
 * stop_reported() - whether one of them has come
 *
 * Return: true if so.
 */
bool stop_reported(void);

/**
 * stop_sleep() - sleep until some time after another, or until told to stop
 * @due: the one, of CLOCK_MONOTONIC; set to the other
 * @ns: how long after it
 *
 * Return: as stop_reported(); what came before it was called counts too.
 */
bool stop_sleep(struct timespec *due, uint64_t ns);

#endif /* TASKACCT_COMMON_STOP_H */
