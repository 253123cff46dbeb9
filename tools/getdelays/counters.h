/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters that are read by mmap */
#ifndef GETDELAYS_COUNTERS_H
#define GETDELAYS_COUNTERS_H

#include "message.h"
#include "options.h"

/**
 * counters_run() - tell the values of counters
 * @opt: command line
 * @out: output
 *
 * Return: exit status.
 */
enum exit_status counters_run(const struct options *opt, struct out *out);

#endif /* GETDELAYS_COUNTERS_H */
