/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs run without ticks: what tells is not exported before 5.11
 */
#ifndef TASKACCT_COMPAT_LINUX_TICK_H
#define TASKACCT_COMPAT_LINUX_TICK_H

#include_next <linux/tick.h>

#include <taskacct_answers.h>

#ifdef TASKACCT_TICK_TELLS
#define TASKACCT_NOHZ_FULL(cpu) tick_nohz_full_cpu(cpu)
#else
#define TASKACCT_NOHZ_FULL(cpu) false
#endif

#endif /* TASKACCT_COMPAT_LINUX_TICK_H */
