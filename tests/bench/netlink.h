/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_NETLINK_H
#define BENCH_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct bench_count - what was read from a listener's socket
 * @own: exit messages of this process's threads and of its children
 * @foreign: those of other tasks
 * @processes: own ones with the record of a process of several threads
 * @overruns: times that the socket said ENOBUFS
 */
struct bench_count {
	uint64_t own;
	uint64_t foreign;
	uint64_t processes;
	uint64_t overruns;
};

/**
 * struct bench_statistics - what taskacct says about a listener
 * @made: messages made for it
 * @delivered: of these, put into its queue
 * @lost: of these, lost for whatever reason
 */
struct bench_statistics {
	uint64_t made;
	uint64_t delivered;
	uint64_t lost;
};

/**
 * bench_netlink_open() - open a generic netlink socket
 * @buffer: size of its receive buffer in bytes, as setsockopt() takes it
 *
 * Return: the socket.
 */
int bench_netlink_open(int buffer);

/**
 * bench_netlink_family() - look up a family
 * @fd: a socket
 * @name: its name
 *
 * Return: its number, or 0 if there is none of that name.
 */
int bench_netlink_family(int fd, const char *name);

/**
 * bench_netlink_number() - look up a family, with a socket of its own
 * @name: its name
 *
 * Return: its number; ends the program if there is none of that name.
 */
int bench_netlink_number(const char *name);

/**
 * bench_netlink_register() - let a socket hear CPU 0
 * @fd: the socket
 * @family: number of TASKSTATS or TASKACCT
 */
void bench_netlink_register(int fd, int family);

/**
 * struct bench_subscription - what a listener asks for
 * @want: TASKACCT_WANT_*
 * @failed: hear of failures only
 * @batched: get several messages in a datagram, as many as usual
 */
struct bench_subscription {
	uint32_t want;
	bool failed;
	bool batched;
};

/**
 * bench_netlink_subscribe() - let a socket hear CPU 0, and ask for more
 * @fd: the socket
 * @family: number of TASKACCT
 * @ask: what for
 */
void bench_netlink_subscribe(int fd, int family,
			     const struct bench_subscription *ask);

/**
 * bench_netlink_deregister() - let a socket hear nothing more
 * @fd: the socket
 * @family: number of TASKSTATS or TASKACCT
 *
 * A refusal is noticed by bench_netlink_drain().
 */
void bench_netlink_deregister(int fd, int family);

/**
 * bench_netlink_check() - prove that a query is answered as it should be
 * @fd: a socket
 * @family: number of TASKSTATS or TASKACCT
 * @attr: TASKSTATS_CMD_ATTR_PID or ..._TGID
 * @id: of the task
 */
void bench_netlink_check(int fd, int family, int attr, pid_t id);

/**
 * bench_netlink_query() - measure queries, one after the other
 * @fd: a socket
 * @family: number of TASKSTATS or TASKACCT
 * @attr: TASKSTATS_CMD_ATTR_PID or ..._TGID
 * @id: of the task
 * @n: how many
 *
 * Return: instructions for all of them.
 */
uint64_t bench_netlink_query(int fd, int family, int attr, pid_t id,
			     unsigned int n);

/**
 * bench_netlink_many() - measure queries, several to a datagram
 * @fd: a socket
 * @family: number of TASKSTATS or TASKACCT
 * @id: of the task
 * @n: how many, a multiple of BENCH_PER_DATAGRAM
 *
 * Return: instructions for all of them.
 */
uint64_t bench_netlink_many(int fd, int family, pid_t id, unsigned int n);

#define BENCH_PER_DATAGRAM 32

/**
 * bench_netlink_dump() - measure a dump of the extended records of all tasks
 * @fd: a socket
 * @family: number of TASKACCT
 * @tasks: receives how many there were
 *
 * Return: instructions for all of it.
 */
uint64_t bench_netlink_dump(int fd, int family, unsigned int *tasks);

/**
 * bench_netlink_users() - measure a dump of the totals of all users
 * @fd: a socket
 * @family: number of TASKACCT, with uid=1
 * @users: receives how many there were
 *
 * Return: instructions for all of it.
 */
uint64_t bench_netlink_users(int fd, int family, unsigned int *users);

/**
 * bench_netlink_empty() - measure requests that generic netlink itself
 *	acknowledges, without any family
 * @fd: a socket
 * @n: how many
 *
 * Return: instructions for all of them.
 */
uint64_t bench_netlink_empty(int fd, unsigned int n);

/**
 * bench_netlink_drain() - read a listener's socket until it is empty
 * @fd: the socket
 * @family: number of TASKSTATS or TASKACCT
 * @count: what there was is added to it
 */
void bench_netlink_drain(int fd, int family, struct bench_count *count);

/**
 * bench_netlink_statistics() - ask taskacct about the socket's own registration
 * @fd: a socket that has registered
 * @family: number of TASKACCT
 * @statistics: receives them
 */
void bench_netlink_statistics(int fd, int family, struct bench_statistics *statistics);

/**
 * bench_netlink_kept() - ask taskacct what it keeps of dead threads
 * @fd: a socket
 * @family: number of TASKACCT
 * @groups: receives of how many processes
 * @threads: receives of how many threads
 */
void bench_netlink_kept(int fd, int family, unsigned int *groups,
			unsigned int *threads);

/**
 * bench_netlink_orphan() - take the error that ends all registrations
 * @fd: a socket that had registered with a module that is gone now
 */
void bench_netlink_orphan(int fd);

#endif /* BENCH_NETLINK_H */
