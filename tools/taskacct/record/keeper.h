/* SPDX-License-Identifier: GPL-2.0-only */
/* Who keeps messages in segments, within bounds, and says what became of them */
#ifndef TASKACCT_CMD_KEEPER_H
#define TASKACCT_CMD_KEEPER_H

#include "logs/balance.h"
#include "logs/kept.h"
#include "source.h"

/* The least that segments may take together */
#define KEEPER_MIN_SIZE (UINT64_C(1) << 20)

/* A record that is being written */
struct keeper;

/**
 * keeper_open() - begin to keep
 * @keeper: set, or NULL on failure
 * @path: directory; it is made if it is not there
 * @max_size: bytes that all segments may have, %KEEPER_MIN_SIZE at least
 * @keep_ns: how long segments are kept
 *
 * Return: 0, -EBUSY where another process writes there, or another errno.
 */
int keeper_open(struct keeper **keeper, const char *path, uint64_t max_size,
		uint64_t keep_ns);

/**
 * keeper_begin() - say where messages come from now
 * @k: keeper
 * @source: source, which was opened
 */
void keeper_begin(struct keeper *k, const struct source *source);

/**
 * keeper_stands() - how far the recorder before this one had come with a ring
 * @k: keeper
 * @ring: name of the ring
 * @standing: filled in, its place is to be freed
 *
 * Return: true if the newest segment that can be read says so.
 */
bool keeper_stands(const struct keeper *k, const char *ring,
		   struct standing *standing);

/**
 * keeper_go_on() - say that the source goes on from there
 * @k: keeper that was told of a source, and has taken no message
 * @standing: where that recorder stood
 */
void keeper_go_on(struct keeper *k, const struct standing *standing);

/**
 * keeper_has_place() - whether another recorder can go on from here
 * @k: keeper
 *
 * Return: true when where the source stands has been written.
 */
bool keeper_has_place(const struct keeper *k);

/**
 * keeper_cease() - say that no more come from there
 * @k: keeper
 * @why: why not
 *
 * The segment is closed.
 */
void keeper_cease(struct keeper *k, enum balance_why why);

/**
 * keeper_take() - keep a message
 * @k: keeper that was told of a source
 * @event: message
 */
void keeper_take(struct keeper *k, const struct taskacct_event *event);

/**
 * keeper_take_sums() - keep totals of messages that could not be kept one by one
 * @k: keeper that was told of a source
 * @sums: totals
 *
 * They are written at the next tick, or at the end of the segment.
 */
void keeper_take_sums(struct keeper *k, const struct sums *sums);

/**
 * keeper_tick() - write what there is, look after the rest; about once a second
 * @k: keeper
 */
void keeper_tick(struct keeper *k);

/**
 * keeper_rotate() - close the segment
 * @k: keeper
 * @why: why
 */
void keeper_rotate(struct keeper *k, enum balance_why why);

/**
 * keeper_close() - close
 * @k: keeper
 * @total: set to the balance of all that it did; times are those of the last
 */
void keeper_close(struct keeper *k, struct balance *total);

#endif /* TASKACCT_CMD_KEEPER_H */
