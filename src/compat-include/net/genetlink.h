/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From which command on the reserved field of a request must be zero, where the
 * attributes of a dump's request are, and what stands before a value of 64 bits
 */
#ifndef TASKACCT_COMPAT_NET_GENETLINK_H
#define TASKACCT_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>

#include <taskacct_answers.h>

/* 6.1 began to check the field, and has a member to say from where on. */
#ifdef TASKACCT_GENL_RESV_START_OP
#define TASKACCT_RESV_START_OP(op) .resv_start_op = (op),
#else
#define TASKACCT_RESV_START_OP(op)
#endif

/* Attributes of padding before one of 64 bits: one, where the CPU has it be aligned */
#define TASKACCT_NLA_PADDING	(!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS))

/**
 * taskacct_genl_dump_attrs() - attributes of a dump's request
 * @cb: the request's
 *
 * From 6.6 on they are where those of other requests are.
 *
 * Return: an array by type, as in struct genl_info.
 */
static inline struct nlattr **
taskacct_genl_dump_attrs(struct netlink_callback *cb)
{
#ifdef TASKACCT_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* TASKACCT_COMPAT_NET_GENETLINK_H */
