/* SPDX-License-Identifier: GPL-2.0-only */
/* What instances of the agent's metrics have used within an interval */
#ifndef PCP_TASKACCT_SUMS_H
#define PCP_TASKACCT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of an instance; sums.c has the rest of what they are. */
enum value {
	VALUE_COUNT,
	VALUE_RUNTIME,
	VALUE_WAIT_CPU,
	VALUE_WAIT_BLKIO,
	VALUE_READ,
	VALUE_WRITE,
	VALUES,
};

/**
 * struct used - what was used within an interval
 * @n: values, in the units of the metrics: ns, bytes, numbers
 * @valid: whether the instance had this value
 */
struct used {
	uint64_t n[VALUES];
	bool valid[VALUES];
};

/**
 * sums_begin() - take a sample for the first one, from which others are counted
 * @is_first: true for the first sample of all, whose values are no use of the interval
 */
void sums_begin(bool is_first);

/**
 * sums_add() - add what an instance used since its value was last seen
 * @id: number of the instance
 * @value: which value
 * @n: the counter now. Where it is less than before, the agent has begun anew, from 0.
 *
 * Return: 0, -ENOMEM.
 */
int sums_add(int id, enum value value, uint64_t n);

/**
 * sums_each() - look at each instance that was ever seen
 * @look: called with its number and what it used since sums_clear()
 * @data: handed on
 */
void sums_each(void (*look)(int id, const struct used *used, void *data),
	       void *data);

/**
 * sums_clear() - begin the next interval
 */
void sums_clear(void);

#endif /* PCP_TASKACCT_SUMS_H */
