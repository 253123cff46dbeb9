/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a fuzzer's input is taken apart with: bytes from its front, zeros where
 * there are none left.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Every target is this one function, which libFuzzer calls with its inputs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * struct input - what is left of an input
 * @data: next byte
 * @left: bytes
 */
struct input {
	const uint8_t *data;
	size_t left;
};

/* Returns how many of the bytes were there */
static inline size_t input_take(struct input *in, void *to, size_t size)
{
	size_t n = size < in->left ? size : in->left;

	memset(to, 0, size);
	if (n)
		memcpy(to, in->data, n);
	in->data += n;
	in->left -= n;
	return n;
}

static inline uint8_t input_u8(struct input *in)
{
	uint8_t value;

	input_take(in, &value, sizeof(value));
	return value;
}

static inline uint16_t input_u16(struct input *in)
{
	uint16_t value;

	input_take(in, &value, sizeof(value));
	return value;
}

static inline uint64_t input_u64(struct input *in)
{
	uint64_t value;

	input_take(in, &value, sizeof(value));
	return value;
}

/* A copy on the heap, where ASan sees a step beyond the end; to be freed */
static inline void *input_copy(const void *data, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	return copy;
}

#endif /* FUZZ_INPUT_H */
