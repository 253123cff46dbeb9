// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the requests of one datagram may take
 *
 * A datagram may have thousands of requests. Generic netlink holds its cb_lock
 * over all of them, and asks nobody whether the sender was killed meanwhile. So
 * the requests of a datagram have a time together, whatever they are: after it
 * the next one is refused, and the datagram ends with it. To refuse all others takes
 * too long as well: the kernel writes 300,000 errors for as many requests.
 */

#include <linux/bug.h>
#include <linux/delayacct.h>
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <net/netlink.h>

#include "access.h"

/* In ns; a request that has begun within it may end after it. */
#define DATAGRAM_MAX (500 * (u64)NSEC_PER_MSEC)

/*
 * When the first of the datagram's requests began, by time_of_current(); 0: none
 * has. It lies behind what netlink has in the control block of the datagram, which
 * is zeroed when that is made and belongs to those who handle it.
 */
static u64 *began_at(const struct sk_buff *request)
{
	const size_t offset = round_up(sizeof(struct netlink_skb_parms),
				       sizeof(u64));

	BUILD_BUG_ON(offset + sizeof(u64) > sizeof(request->cb));
	return (u64 *)(request->cb + offset);
}

/*
 * Time that the sender ran or slept, in ns, from some point on: not that for
 * which others had its CPU. Never 0.
 */
static u64 time_of_current(void)
{
	u64 now = ktime_get_ns();

	now -= taskacct_run_delay(current);
	return now ?: 1;
}

/* The datagram begins with the request that is served: netlink drops those before. */
static bool is_last(const struct sk_buff *request)
{
	return NLMSG_ALIGN(nlmsg_hdr(request)->nlmsg_len) >= request->len;
}

/* netlink goes through a datagram by its length. */
static void drop_others_behind(struct sk_buff *request)
{
	skb_trim(request, NLMSG_ALIGN(nlmsg_hdr(request)->nlmsg_len));
}

/**
 * taskacct_budget_check() - whether a request may begin
 * @request: the datagram that it is in
 * @extack: told why not
 *
 * Gives way to other tasks, but for one that is alone in its datagram.
 *
 * Context: the request's task, may sleep; where netlink has it served, before
 *	anything is done for it.
 * Return: 0; -EINTR if the sender is killed and the request is not alone; -EBUSY if
 *	other requests of the same datagram have used up their time. With an error
 *	those behind it in the datagram are dropped.
 */
int taskacct_budget_check(struct sk_buff *request,
			  struct netlink_ext_ack *extack)
{
	u64 *began = began_at(request);

	/* Nearly all are alone. */
	if (likely(!*began) && is_last(request))
		return 0;
	cond_resched();
	if (fatal_signal_pending(current)) {
		drop_others_behind(request);
		return -EINTR;
	}
	if (!*began) {
		*began = time_of_current();
		return 0;
	}
	/* The wait for a CPU is told by another clock: this may go back a little. */
	if (likely((s64)(time_of_current() - *began) < (s64)DATAGRAM_MAX))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "the requests before it in this datagram took too long: send it, and all behind it, in another");
	drop_others_behind(request);
	return -EBUSY;
}
