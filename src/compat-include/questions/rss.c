// SPDX-License-Identifier: GPL-2.0-only
/* How does an address space count its pages? */
#include <linux/mm.h>
#include <linux/percpu_counter.h>

static __used u64 question(struct mm_struct *mm)
{
#if defined(TASKACCT_RSS_PER_CPU) /* from 6.2 on */
	return percpu_counter_sum_positive(&mm->rss_stat[MM_FILEPAGES]);
#elif defined(TASKACCT_RSS_IN_STEPS)
	return atomic_long_read(&mm->rss_stat.count[MM_FILEPAGES]);
#endif
}
