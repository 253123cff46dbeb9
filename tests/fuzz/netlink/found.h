/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of an answer that may stand in any order, once each, from 16 up */
#ifndef FUZZ_FOUND_H
#define FUZZ_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#define FOUND_MAX 32

/**
 * struct found - payloads by type less 16
 * @data: payload
 * @size: bytes
 * @seen: a bit for each that is there, but for padding
 */
struct found {
	const void *data[FOUND_MAX];
	size_t size[FOUND_MAX];
	uint32_t seen;
};

/**
 * found_take() - take a message apart
 * @found: receives its attributes
 * @nlh: message, complete
 *
 * Return: true, or false if there is any that cannot be.
 */
bool found_take(struct found *found, const struct nlmsghdr *nlh);

/**
 * found_has() - whether there is an attribute
 * @found: attributes
 * @type: which
 */
bool found_has(const struct found *found, unsigned int type);

/**
 * found_number() - a number; 0 where there is none
 * @found: attributes
 * @type: which
 */
uint64_t found_number(const struct found *found, unsigned int type);

/**
 * found_text() - a string that ends; else NULL
 * @found: attributes
 * @type: which
 */
const char *found_text(const struct found *found, unsigned int type);

/**
 * found_all_of() - the bits of the attributes from one to another
 * @from: the first
 * @to: the last
 */
uint32_t found_all_of(unsigned int from, unsigned int to);

#endif /* FUZZ_FOUND_H */
