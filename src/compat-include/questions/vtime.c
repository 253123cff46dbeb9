// SPDX-License-Identifier: GPL-2.0-only
/* Can a module tell which CPUs measure CPU time at the kernel's boundaries? */
#include <linux/vtime.h>

static __used bool question(int cpu)
{
#if defined(TASKACCT_VTIME_TELLS) /* from 5.11 on: it needs symbols */
#ifdef CONFIG_VIRT_CPU_ACCOUNTING_GEN
	return vtime_accounting_enabled_cpu(cpu);
#else
	return false;
#endif
#elif defined(TASKACCT_VTIME_IS_SILENT)
	return false;
#endif
}
