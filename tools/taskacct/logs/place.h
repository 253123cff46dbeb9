/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a record stands in the module's shared memory, so that another recorder can go on */
#ifndef TASKACCT_CMD_PLACE_H
#define TASKACCT_CMD_PLACE_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the name of a ring: of an opening of the device, from one recorder to the next */
#define PLACE_RING 32

/**
 * struct place - up to where exits were taken
 * @ring: name of the ring
 * @numbers: of the next exit, by lane, as taskacct_ring_numbers() has them
 * @n: how many lanes there are
 * @cpus: the possible CPUs in their order, each with %TASKACCT_RING_LANES lanes
 * @n_cpus: how many there are
 */
struct place {
	char ring[PLACE_RING];
	uint64_t *numbers;
	unsigned int n;
	unsigned int *cpus;
	unsigned int n_cpus;
};

/**
 * place_name() - make a name for a ring that was opened just now
 * @ring: where to, %PLACE_RING
 */
void place_name(char *ring);

/**
 * place_begin() - make a place of so many lanes, at 0 in each
 * @p: filled in
 * @n: how many lanes there are
 */
void place_begin(struct place *p, unsigned int n);

/**
 * place_copy() - copy where one stands
 * @to: what was there is freed
 * @from: place
 */
void place_copy(struct place *to, const struct place *from);

/**
 * place_free() - free what a place has
 * @p: place; all zeros then
 */
void place_free(struct place *p);

/**
 * place_sum() - how many exits were taken since the rings were made
 * @p: place
 *
 * Return: their number, and one for each lane.
 */
uint64_t place_sum(const struct place *p);

/**
 * place_pass() - take an exit
 * @p: place; stays where it is for a message that is no exit, or is behind it
 * @nlh: message of the ring
 */
void place_pass(struct place *p, const struct nlmsghdr *nlh);

/**
 * place_print() - write a place as an object of JSON
 * @p: place
 *
 * Return: text, to be freed.
 */
char *place_print(const struct place *p);

/**
 * place_parse() - read a place
 * @p: a place, or all zeros; filled in where it is one
 * @text: what may be one
 * @length: its bytes
 *
 * Return: true if it is one.
 */
bool place_parse(struct place *p, const char *text, size_t length);

#endif /* TASKACCT_CMD_PLACE_H */
