// SPDX-License-Identifier: GPL-2.0-only
/*
 * See suspend.h.
 */
#include "module.h"
#include "suspend.h"
#include "sys.h"

static int sleep_deeply(void)
{
	int err = sys_write("/sys/power/pm_test", "core");

	if (!err)
		err = sys_write("/sys/module/suspend/parameters/pm_test_delay",
				"3");
	if (!err)
		err = sys_write("/sys/power/mem_sleep", "deep");
	if (!err)
		err = sys_write("/sys/power/state", "mem");
	sys_write("/sys/power/pm_test", "none");
	return err;
}

/* What of the time since boot was spent in suspends */
static int64_t in_suspend(void)
{
	return (int64_t)sys_boot_ns() - sys_now_ns();
}

/**
 * suspend_briefly() - suspend the machine for some three seconds
 * @slept: receives for how long it was by the kernel's clocks, in ns
 *
 * Return: 0 or a negative errno; the exit status of modprobe or rmmod if one failed.
 */
int suspend_briefly(int64_t *slept)
{
	const int64_t before = in_suspend();
	int err = module_run("modprobe", "suspendable");

	if (err)
		return err;
	err = sleep_deeply();
	*slept = in_suspend() - before;
	return module_run("rmmod", "suspendable") ?: err;
}
