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
 * The reader of the clock needs taskacct_rmb_at_clock() behind it.
 */
static __always_inline void taskacct_mb_before_clock(void)
{
#ifdef CONFIG_X86
	smp_mb(); /* Pairs with what each caller names. */
#else
	mb(); /* The same. */
#endif
}

/**
 * taskacct_rmb_at_clock() - order reads of memory and reads of a clock
 *
 * To a fence of riscv reading the clock is input from a device, which smp_rmb() and
 * smp_mb() pass over.
 */
static __always_inline void taskacct_rmb_at_clock(void)
{
#ifdef CONFIG_RISCV
	rmb(); /* Pairs with what each caller names. */
#else
	smp_rmb(); /* The same. */
#endif
}

/**
 * taskacct_mb_behind_clock() - a full barrier, also behind a clock that was read
 *
 * See taskacct_rmb_at_clock().
 */
static __always_inline void taskacct_mb_behind_clock(void)
{
#ifdef CONFIG_RISCV
	mb(); /* Pairs with what each caller names. */
#else
	smp_mb(); /* The same. */
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_TIMEKEEPING_H */
