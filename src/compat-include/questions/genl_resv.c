// SPDX-License-Identifier: GPL-2.0-only
/* Does a generic netlink family say from which command on a reserved field is checked? */
#include <net/genetlink.h>

static __used u8 question(struct genl_family *family)
{
#if defined(TASKACCT_GENL_RESV_START_OP) /* from 6.1 on */
	return family->resv_start_op;
#elif defined(TASKACCT_GENL_RESV_UNCHECKED)
	return 0;
#endif
}
