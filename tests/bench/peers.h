/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

/* What else tells of exits, without a reader that could sleep */
enum bench_peer {
	BENCH_NO_PEER,
	BENCH_CONNECTOR,	/* process events of the netlink connector */
	BENCH_ACCT,		/* acct(2), into a file in memory */
};

/**
 * bench_peer_open() - have it tell of exits
 * @peer: which
 */
void bench_peer_open(enum bench_peer peer);

/**
 * bench_peer_close() - have it tell no more
 * @peer: which
 *
 * Return: how many exits it told of. acct(2) tells of processes alone.
 */
uint64_t bench_peer_close(enum bench_peer peer);

#endif /* BENCH_PEERS_H */
