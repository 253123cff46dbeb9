/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent's metrics, of a host that is asked or of an archive */
#ifndef PCP_TASKACCT_SAMPLES_H
#define PCP_TASKACCT_SAMPLES_H

#include <pcp/pmapi.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * samples_is_before() - which of two times is the earlier one
 * @a: time
 * @b: other time
 *
 * Return: true where @a is before @b.
 */
static inline bool samples_is_before(const struct timeval *a, const struct timeval *b)
{
	return a->tv_sec == b->tv_sec ? a->tv_usec < b->tv_usec : a->tv_sec < b->tv_sec;
}

/**
 * samples_open() - find the host or archive, and the metrics in it
 * @options: what pmGetOptions() has read; the first archives are those of one host
 * @users: whether totals of users are wanted, not what has ended
 *
 * Reports an error and ends the program where it cannot be done.
 */
void samples_open(struct pmOptions *options, bool users);

/**
 * samples_host() - whose metrics they are
 *
 * Return: the name of the host.
 */
const char *samples_host(void);

/**
 * samples_next() - take the next sample into sums.h
 * @when: set to its time
 *
 * Of an archive this is the next one in it, as it was recorded. Reports an error and ends the
 * program where there is one.
 *
 * Return: true for a sample, false at the end of the archive or of what was asked of it.
 */
bool samples_next(struct timeval *when);

/**
 * samples_lost() - how many processes ended and are in no total
 *
 * Return: those since the last call. 0 for users, of whom nothing is lost.
 */
uint64_t samples_lost(void);

/**
 * samples_name() - the name of an instance
 * @id: its number
 *
 * Return: the name, which is the caller's to free; NULL without memory.
 */
char *samples_name(int id);

/**
 * samples_fail() - report an error and end the program
 * @what: what could not be done
 * @error: PCP's number for why, below 0
 */
void samples_fail(const char *what, int error) __attribute__((noreturn));

#endif /* PCP_TASKACCT_SAMPLES_H */
