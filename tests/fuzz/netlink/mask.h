/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of CPUs as the kernel reads them: a second opinion */
#ifndef FUZZ_MASK_H
#define FUZZ_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mask_rules - what this kernel knows
 * @cpus: CPUs of a mask, at most 64
 * @possible: those that are possible
 * @length_max: bytes that a list may have
 * @knows_last: "N" is the last of them
 * @knows_all: "all" is all of them
 */
struct mask_rules {
	unsigned int cpus;
	uint64_t possible;
	size_t length_max;
	bool knows_last;
	bool knows_all;
};

/**
 * mask_parse() - what a list of CPUs means
 * @rules: the kernel's
 * @list: the attribute's payload; a NUL ends it
 * @length: bytes
 * @mask: the CPUs
 *
 * Return: 0; -E2BIG, -EINVAL, or -ERANGE, which stands for any error that the
 * kernel's parser has.
 */
int mask_parse(const struct mask_rules *rules, const char *list, size_t length,
	       uint64_t *mask);

/**
 * mask_print() - a list of CPUs as the kernel prints it
 * @text: where to
 * @size: room there
 * @mask: CPUs
 */
void mask_print(char *text, size_t size, uint64_t mask);

#endif /* FUZZ_MASK_H */
