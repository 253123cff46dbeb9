/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspends, as far as the kernel's own test of them (pm_test) goes.
 */
#ifndef SELFTESTS_SUSPEND_H
#define SELFTESTS_SUSPEND_H

#include <stdint.h>

/* Time that has to have passed in one */
#define SUSPEND_LEAST_NS 1000000000LL

/* In a VM, with tests/suspend */
#define NEED_SUSPEND() do {						\
	if (access("/sys/power/pm_test", F_OK) ||			\
	    !sys_file_has("/sys/power/mem_sleep", "deep"))		\
		SKIP_NOW("this kernel cannot be suspended for a test"); \
} while (0)

int suspend_briefly(int64_t *slept);

#endif /* SELFTESTS_SUSPEND_H */
