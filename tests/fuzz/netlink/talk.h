/* SPDX-License-Identifier: GPL-2.0-only */
/* A case: what one user does with a few sockets, from opening to closing */
#ifndef FUZZ_TALK_H
#define FUZZ_TALK_H

#include <stdbool.h>
#include <stdint.h>

#include "judge.h"
#include "model.h"

/**
 * struct talker - a process that talks
 * @rules: rules
 * @user: which of the users
 * @seed: seed of the run
 * @tally: what was done
 * @verbose: tell of everything
 */
struct talker {
	const struct model_rules *rules;
	unsigned int user;
	uint64_t seed;
	struct tally *tally;
	bool verbose;
};

/**
 * talk_case() - go through a case
 * @talker: who
 * @number: which
 *
 * Return: 0, or 1 where an answer was wrong, which was said.
 */
int talk_case(const struct talker *talker, uint64_t number);

#endif /* FUZZ_TALK_H */
