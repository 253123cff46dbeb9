/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_WAY_H
#define BENCH_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "results.h"

/* What each of them may keep of unread exits, in bytes */
#define BENCH_WAY_BUFFER	(16 << 20)

/* Never woken by it: more than there will be */
#define BENCH_FAR		(1U << 30)

/**
 * struct bench_ask - what a reader asks for
 * @family: number of the netlink family
 * @tells: the family can be asked what was lost
 * @want: TASKACCT_RING_*, from shared memory
 * @records: how many unread ones are to wake it
 * @large: keep BENCH_WAY_BUFFER of unread ones, not what is usual
 */
struct bench_ask {
	int family;
	bool tells;
	uint32_t want;
	unsigned int records;
	bool large;
};

/**
 * struct bench_read - what a reader has read, and what it knows of its losses
 * @exits: exits, of tasks of any process
 * @processes: records of processes that had several threads
 * @told: it knows what it lost
 * @lost: exits that it lost
 * @lost_processes: those of them that ended a process
 * @bytes: the most that an entry takes, where there are entries
 */
struct bench_read {
	uint64_t exits;
	uint64_t processes;
	bool told;
	uint64_t lost;
	uint64_t lost_processes;
	uint32_t bytes[BENCH_ENTRIES];
};

/**
 * struct bench_way - a way by which exits are read; one reader to a process
 * @missing: says why it is not there; NULL if it is
 * @open: hears of all exits from now on
 * @wait: sleeps until as many are unread as was asked for, or a signal came
 * @read: reads all that there are
 * @lose: asks what was lost up to now
 * @close: ends it
 */
struct bench_way {
	const char *(*missing)(void);
	void (*open)(const struct bench_ask *ask);
	void (*wait)(void);
	void (*read)(struct bench_read *sum);
	void (*lose)(struct bench_read *sum);
	void (*close)(void);
};

extern const struct bench_way bench_way_netlink;
extern const struct bench_way bench_way_ring;
/* The peer, see exit.bpf.c */
extern const struct bench_way bench_way_bpf;

#endif /* BENCH_WAY_H */
