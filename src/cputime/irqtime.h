/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the kernel measures the time of interrupts
 */
#ifndef TASKACCT_IRQTIME_H
#define TASKACCT_IRQTIME_H

#include <linux/compiler.h>
#include <linux/types.h>

extern bool taskacct_irqtime_on;

void taskacct_irqtime_look(void);

/**
 * taskacct_irqtime_is_measured() - whether the kernel measures interrupts
 *
 * Context: any.
 * Return: what taskacct_irqtime_look() found last.
 */
static inline bool taskacct_irqtime_is_measured(void)
{
	return READ_ONCE(taskacct_irqtime_on);
}

#endif /* TASKACCT_IRQTIME_H */
