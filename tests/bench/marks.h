/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_MARKS_H
#define BENCH_MARKS_H

/*
 * Instructions that do nothing, by which QEMU's plugin knows where it is measured. They are
 * the one that reads an address that it does not read, "nopl", with these addresses.
 */
#define BENCH_MARK_TURN		0x54414301	/* measuring begins, or ends */
#define BENCH_MARK_ADDED	0x54414302	/* what was measured since the last is a series' */

static inline void bench_mark_turn(void)
{
	__asm__ volatile("nopl %c0(%%rax)" : : "i"(BENCH_MARK_TURN));
}

static inline void bench_mark_added(void)
{
	__asm__ volatile("nopl %c0(%%rax)" : : "i"(BENCH_MARK_ADDED));
}

#endif /* BENCH_MARKS_H */
