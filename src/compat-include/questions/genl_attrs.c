// SPDX-License-Identifier: GPL-2.0-only
/* Where are the attributes of a generic netlink dump's request? */
#include <net/genetlink.h>

static __used struct nlattr **question(struct netlink_callback *cb)
{
#if defined(TASKACCT_GENL_INFO_DUMP) /* from 6.6 on */
	return genl_info_dump(cb)->attrs;
#elif defined(TASKACCT_GENL_DUMPIT_INFO)
	return genl_dumpit_info(cb)->attrs;
#endif
}
