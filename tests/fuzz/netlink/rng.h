/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that a seed and a case's number give again */
#ifndef FUZZ_RNG_H
#define FUZZ_RNG_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct rng - splitmix64
 * @state: where it stands
 */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* One of the numbers from 0 up, less than @n */
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
	return (uint32_t)(rng_next(rng) >> 32) % n;
}

/* True once in @n times */
static inline bool rng_one_in(struct rng *rng, uint32_t n)
{
	return !rng_below(rng, n);
}

/* A case's own, whatever came before it */
static inline void rng_of_case(struct rng *rng, uint64_t seed, uint64_t number)
{
	rng->state = seed;
	rng->state = rng_next(rng) ^ number * 0xd1342543de82ef95;
	rng_next(rng);
}

#endif /* FUZZ_RNG_H */
