/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From which command on the reserved field of a request must be zero
 */
#ifndef TASKACCT_COMPAT_NET_GENETLINK_H
#define TASKACCT_COMPAT_NET_GENETLINK_H

#include <linux/version.h>
#include_next <net/genetlink.h>

/* 6.1 began to check the field, and has a member to say from where on. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define TASKACCT_RESV_START_OP(op) .resv_start_op = (op),
#else
#define TASKACCT_RESV_START_OP(op)
#endif

#endif /* TASKACCT_COMPAT_NET_GENETLINK_H */
