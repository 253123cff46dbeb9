/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module goes and comes while everything that it does is going on.
 */
#ifndef SELFTESTS_STORM_H
#define SELFTESTS_STORM_H

#include "work.h"

#define STORM_WORKERS 2

/**
 * struct storm - what goes on meanwhile
 * @exits: processes and threads, on a CPU each
 * @queries: queries, statistics and dumps
 * @round: times that the module went and came
 */
struct storm {
	struct work exits[STORM_WORKERS];
	struct work queries[STORM_WORKERS];
	unsigned int round;
};

const char *storm_begin(struct storm *storm);
const char *storm_round(struct storm *storm);
const char *storm_end(struct storm *storm);

#endif /* SELFTESTS_STORM_H */
