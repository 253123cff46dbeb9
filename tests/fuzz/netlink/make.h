/* SPDX-License-Identifier: GPL-2.0-only */
/* What is sent */
#ifndef FUZZ_MAKE_H
#define FUZZ_MAKE_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "rng.h"

/* Longest datagram */
#define DATAGRAM_MAX (80 << 10)

/* Descriptors, and ids, that are worth asking for */
#define MAKE_FDS 4
#define MAKE_TASKS 6

/**
 * struct make_world - what is worth asking for
 * @tasks: ids
 * @fds: descriptors of cgroups and of others
 * @cgroups: ids of cgroups
 */
struct make_world {
	uint32_t tasks[MAKE_TASKS];
	int fds[MAKE_FDS];
	struct model_cgroups cgroups;
};

/**
 * make_datagram() - make one, of one to six messages
 * @rng: where all of it comes from
 * @rules: rules
 * @world: what is worth asking for
 * @seq: number of the first message; then of the next
 * @data: %DATAGRAM_MAX bytes, aligned
 *
 * Return: its length.
 */
size_t make_datagram(struct rng *rng, const struct model_rules *rules,
		     const struct make_world *world, uint32_t *seq, void *data);

#endif /* FUZZ_MAKE_H */
