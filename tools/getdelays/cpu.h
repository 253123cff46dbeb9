/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time of CPUs goes */
#ifndef GETDELAYS_CPU_H
#define GETDELAYS_CPU_H

#include "message.h"
#include "options.h"

/**
 * cpu_run() - tell where the time of CPUs goes, by taskacct and by the kernel
 * @opt: command line
 * @out: output
 *
 * Return: exit status.
 */
enum exit_status cpu_run(const struct options *opt, struct out *out);

#endif /* GETDELAYS_CPU_H */
