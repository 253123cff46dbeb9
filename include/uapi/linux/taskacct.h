/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * taskacct: task accounting over generic netlink
 *
 * The classic part of the protocol is that of <linux/taskstats.h>, number for
 * number; only the family's name differs. What taskacct adds has numbers from
 * 16 up, in commands and in attributes, and comes only where a request asks
 * for it.
 */
#ifndef _UAPI_LINUX_TASKACCT_H
#define _UAPI_LINUX_TASKACCT_H

#include <linux/taskstats.h>

#define TASKACCT_GENL_NAME	"TASKACCT"
#define TASKACCT_GENL_VERSION	1

/**
 * enum taskacct_cmd - commands of the family
 * @TASKACCT_CMD_GET: query by PID or TGID, or register or deregister a mask of
 *	CPUs; attributes are those of enum taskstats' command attributes
 *	(TASKSTATS_CMD_ATTR_*), exactly one to a request
 * @TASKACCT_CMD_NEW: answer to a query, and the record of an exit. The
 *	nlmsg_seq of exit messages counts per CPU, messages included that were
 *	lost to a listener: to a socket that hears one CPU a gap is a loss
 * @TASKACCT_CMD_STAT_GET: what the module did and found; request without
 *	attributes, answer with enum taskacct_stat_attr; no privilege needed
 * @TASKACCT_CMD_LISTENER_GET: the figures of the asking socket's own
 *	registration; as a dump, those of all listeners. Answers with enum
 *	taskacct_listener_attr
 */
enum taskacct_cmd {
	TASKACCT_CMD_GET = TASKSTATS_CMD_GET,
	TASKACCT_CMD_NEW = TASKSTATS_CMD_NEW,
	TASKACCT_CMD_STAT_GET = 16,
	TASKACCT_CMD_LISTENER_GET = 17,
};

/**
 * enum taskacct_stat_attr - attributes of a TASKACCT_CMD_STAT_GET answer
 * @TASKACCT_STAT_ATTR_UNSPEC: reserved
 * @TASKACCT_STAT_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_STAT_ATTR_HOOK: string; what tells the module of exits, such as
 *	"ftrace:taskstats_exit"
 * @TASKACCT_STAT_ATTR_LISTENERS: u32; sockets that are listeners now
 * @TASKACCT_STAT_ATTR_GROUPS: u32; processes whose dead threads are kept now
 * @TASKACCT_STAT_ATTR_THREADS: u32; dead threads not yet freed by the kernel
 *	that are told apart from live ones now
 * @TASKACCT_STAT_ATTR_EXITS: u64; exits that needed any work: a listener was
 *	there or a process total had to be kept
 * @TASKACCT_STAT_ATTR_MADE: u64; exit messages made, one for each listener
 * @TASKACCT_STAT_ATTR_DELIVERED: u64; of these, put into a listener's queue
 * @TASKACCT_STAT_ATTR_FILTERED: u64; of these, refused by the socket filter
 *	that the listener itself had attached
 * @TASKACCT_STAT_ATTR_LOST_QUEUE: u64; of these, lost for want of room in the
 *	listener's receive buffer
 * @TASKACCT_STAT_ATTR_LOST_MEMORY: u64; of these, lost for want of memory
 * @TASKACCT_STAT_ATTR_GROUP_NOMEM: u64; times that a dead thread could not be
 *	kept for its process's total for want of memory
 * @TASKACCT_STAT_ATTR_QUERIES: u64; queries by PID or TGID answered
 */
enum taskacct_stat_attr {
	TASKACCT_STAT_ATTR_UNSPEC = 15,
	TASKACCT_STAT_ATTR_PAD,
	TASKACCT_STAT_ATTR_HOOK,
	TASKACCT_STAT_ATTR_LISTENERS,
	TASKACCT_STAT_ATTR_GROUPS,
	TASKACCT_STAT_ATTR_THREADS,
	TASKACCT_STAT_ATTR_EXITS,
	TASKACCT_STAT_ATTR_MADE,
	TASKACCT_STAT_ATTR_DELIVERED,
	TASKACCT_STAT_ATTR_FILTERED,
	TASKACCT_STAT_ATTR_LOST_QUEUE,
	TASKACCT_STAT_ATTR_LOST_MEMORY,
	TASKACCT_STAT_ATTR_GROUP_NOMEM,
	TASKACCT_STAT_ATTR_QUERIES,
	__TASKACCT_STAT_ATTR_MAX,
};

#define TASKACCT_STAT_ATTR_MAX (__TASKACCT_STAT_ATTR_MAX - 1)

/**
 * enum taskacct_listener_attr - attributes of a TASKACCT_CMD_LISTENER_GET answer
 * @TASKACCT_LISTENER_ATTR_UNSPEC: reserved
 * @TASKACCT_LISTENER_ATTR_PAD: padding of 64-bit values
 * @TASKACCT_LISTENER_ATTR_PORTID: u32; netlink port of the socket, unique
 *	within its network namespace
 * @TASKACCT_LISTENER_ATTR_NETNS: u32; inode of that network namespace
 * @TASKACCT_LISTENER_ATTR_PID: u32; process that registered, as the initial
 *	pid namespace numbers it
 * @TASKACCT_LISTENER_ATTR_COMM: string; its name at that time
 * @TASKACCT_LISTENER_ATTR_CPUMASK: string; CPUs that it hears, as a list of
 *	ranges; empty after deregistration of all
 * @TASKACCT_LISTENER_ATTR_MADE: u64; messages made for it; the sum of the four
 *	that follow
 * @TASKACCT_LISTENER_ATTR_DELIVERED: u64; put into its queue
 * @TASKACCT_LISTENER_ATTR_FILTERED: u64; refused by its own socket filter
 * @TASKACCT_LISTENER_ATTR_LOST_QUEUE: u64; lost for want of room in its
 *	receive buffer
 * @TASKACCT_LISTENER_ATTR_LOST_MEMORY: u64; lost for want of memory
 */
enum taskacct_listener_attr {
	TASKACCT_LISTENER_ATTR_UNSPEC = 15,
	TASKACCT_LISTENER_ATTR_PAD,
	TASKACCT_LISTENER_ATTR_PORTID,
	TASKACCT_LISTENER_ATTR_NETNS,
	TASKACCT_LISTENER_ATTR_PID,
	TASKACCT_LISTENER_ATTR_COMM,
	TASKACCT_LISTENER_ATTR_CPUMASK,
	TASKACCT_LISTENER_ATTR_MADE,
	TASKACCT_LISTENER_ATTR_DELIVERED,
	TASKACCT_LISTENER_ATTR_FILTERED,
	TASKACCT_LISTENER_ATTR_LOST_QUEUE,
	TASKACCT_LISTENER_ATTR_LOST_MEMORY,
	__TASKACCT_LISTENER_ATTR_MAX,
};

#define TASKACCT_LISTENER_ATTR_MAX (__TASKACCT_LISTENER_ATTR_MAX - 1)

#endif /* _UAPI_LINUX_TASKACCT_H */
