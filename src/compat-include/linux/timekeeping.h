/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A barrier between memory and the clock
 */
#ifndef TASKACCT_COMPAT_LINUX_TIMEKEEPING_H
#define TASKACCT_COMPAT_LINUX_TIMEKEEPING_H

#include_next <linux/timekeeping.h>
#include <asm/barrier.h>

/**
 * taskacct_mb_before_clock() - a full barrier, also before a clock that is read next
 *
 * The clock is a register of the CPU. smp_mb() orders accesses to memory alone: on arm64
 * the register may be read while a store before it can not be seen yet. mb() waits until
 * it can. On x86 smp_mb() does, with the fence that reading the clock begins with.
 *
 * The reader of the clock needs no more than smp_rmb() behind it: the kernel sees to it
 * that loads stay behind.
 */
static __always_inline void taskacct_mb_before_clock(void)
{
#ifdef CONFIG_X86
	smp_mb(); /* Pairs with what each caller names. */
#else
	mb(); /* The same. */
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_TIMEKEEPING_H */
