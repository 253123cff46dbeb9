// SPDX-License-Identifier: GPL-2.0-only
/* Can a module tell which CPUs run without ticks? */
#include <linux/tick.h>

static __used bool question(int cpu)
{
#if defined(TASKACCT_TICK_TELLS) /* from 5.11 on: it needs a symbol */
	return tick_nohz_full_cpu(cpu);
#elif defined(TASKACCT_TICK_IS_SILENT)
	return false;
#endif
}
