/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flags of ac_flag that not every kernel's headers have
 */
#ifndef TASKACCT_COMPAT_LINUX_ACCT_H
#define TASKACCT_COMPAT_LINUX_ACCT_H

#include_next <linux/acct.h>

/* From 5.19 on. Older clients do not look at the bit. */
#ifndef AGROUP
#define AGROUP 0x20
#endif

#endif /* TASKACCT_COMPAT_LINUX_ACCT_H */
