// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU: what is kept of each CPU, and how it is accounted
 */

#include "cpu.h"
#include "cputime.h"

DEFINE_PER_CPU(struct taskacct_cpu, taskacct_cpus);

/* These change under cputime_mutex of mode.c. */
enum taskacct_cputime_mode taskacct_cputime_in_force = TASKACCT_CPUTIME_OFF;
bool taskacct_cputime_on;
bool taskacct_cputime_sees_user_mode;
u64 taskacct_cputime_began;
