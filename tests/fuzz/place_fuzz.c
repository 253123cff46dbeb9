// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a recorder stood in the shared memory: whatever a note has is a place or none, and
 * one is the same when it was written and read again, also over one with other lanes.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "logs/place.h"
#include "input.h"

static void expect_same(const struct place *a, const struct place *b)
{
	assert(!strcmp(a->ring, b->ring));
	assert(a->n == b->n);
	assert(!memcmp(a->numbers, b->numbers, a->n * sizeof(*a->numbers)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct place place = { .n = 0 }, again = { .n = 0 };
	unsigned int i;
	char *text;

	place_begin(&again, 3);
	/* libFuzzer's copy is of just this size: what reads on behind it is found. */
	if (place_parse(&place, (const char *)data, size)) {
		assert(place.n);
		for (i = 0; i < place.n; i++)
			assert(place.numbers[i]);
		text = place_print(&place);
		assert(place_parse(&again, text, strlen(text)));
		expect_same(&place, &again);
		free(text);
	} else {
		assert(!place.n && !place.numbers);
	}
	place_free(&place);
	place_free(&again);
	return 0;
}
