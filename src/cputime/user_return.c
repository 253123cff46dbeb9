// SPDX-License-Identifier: GPL-2.0-only
/*
 * The return to user mode, by the notifier that KVM uses, too: behind signals, task
 * work and the scheduler, and from exceptions and interrupts as well as from system
 * calls. A CPU's list of notifiers goes with whatever task it runs.
 */

#include <linux/percpu.h>
#include <linux/user-return-notifier.h>

#include "user_return.h"

static DEFINE_PER_CPU(struct user_return_notifier, notifiers);

/* Whether it is registered; the kernel does not tell. */
static DEFINE_PER_CPU(bool, is_registered);

/**
 * taskacct_user_return_tell() - be told of returns to user mode on this CPU, or not
 * @wanted: whether
 * @on_return: what is called
 *
 * Context: interrupts off. When it returns no handler runs here that is not wanted.
 */
void taskacct_user_return_tell(bool wanted,
			       void (*on_return)(struct user_return_notifier *))
{
	struct user_return_notifier *notifier = this_cpu_ptr(&notifiers);

	if (wanted == this_cpu_read(is_registered))
		return;
	this_cpu_write(is_registered, wanted);
	/* Set here, for what a module has per CPU is not relocated. */
	notifier->on_user_return = on_return;
	if (wanted)
		user_return_notifier_register(notifier);
	else
		user_return_notifier_unregister(notifier);
}
