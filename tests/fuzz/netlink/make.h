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

/**
 * make_datagram() - make one, of one to six messages
 * @rng: where all of it comes from
 * @rules: rules
 * @tasks: ids worth asking for
 * @n_tasks: how many
 * @seq: number of the first message; then of the next
 * @data: %DATAGRAM_MAX bytes, aligned
 *
 * Return: its length.
 */
size_t make_datagram(struct rng *rng, const struct model_rules *rules,
		     const uint32_t *tasks, unsigned int n_tasks, uint32_t *seq,
		     void *data);

#endif /* FUZZ_MAKE_H */
