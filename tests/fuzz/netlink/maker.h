/* SPDX-License-Identifier: GPL-2.0-only */
/* A datagram in the making, for those who make its parts */
#ifndef FUZZ_MAKER_H
#define FUZZ_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "make.h"
#include "rng.h"

/**
 * struct maker - a datagram in the making
 * @rng: chance
 * @rules: rules
 * @world: what is worth asking for
 * @data: datagram
 * @len: its length
 * @nlh: the message at hand
 */
struct maker {
	struct rng *rng;
	const struct model_rules *rules;
	const struct make_world *world;
	char *data;
	size_t len;
	struct nlmsghdr *nlh;
};

/**
 * maker_put() - append an attribute
 * @m: datagram
 * @type: of the attribute, flags and all
 * @data: payload; NULL for noise
 * @size: bytes of it
 *
 * Return: the attribute, whose length a nest has yet to get.
 */
struct nlattr *maker_put(struct maker *m, unsigned int type, const void *data,
			 size_t size);

/**
 * maker_close() - let an attribute reach up to here
 * @m: datagram
 * @nest: the attribute
 */
void maker_close(const struct maker *m, struct nlattr *nest);

/**
 * maker_put_want() - append what is wanted
 * @m: datagram
 */
void maker_put_want(struct maker *m);

/**
 * maker_put_filter() - append a filter
 * @m: datagram
 */
void maker_put_filter(struct maker *m);

/**
 * maker_put_batch() - append one or both numbers of a batch
 * @m: datagram
 */
void maker_put_batch(struct maker *m);

/**
 * maker_put_cgroup() - append the directory of a cgroup, or of none
 * @m: datagram
 * @type: of the attribute
 */
void maker_put_cgroup(struct maker *m, unsigned int type);

#endif /* FUZZ_MAKER_H */
