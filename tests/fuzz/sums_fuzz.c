// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals in a segment: whatever a note has is a row or none, and one is the same when it
 * was written and read again.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "logs/sums.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* libFuzzer's copy is of just this size: what reads on behind it is found. */
	struct sums_row *row = sums_parse((const char *)data, size), *same;
	char *text, *again;

	if (!row)
		return 0;
	assert(row->count && row->from_ns <= row->to_ns);
	assert(strlen(row->comm) < sizeof(row->comm));
	text = sums_print(row);
	same = sums_parse(text, strlen(text));
	assert(same);
	again = sums_print(same);
	assert(!strcmp(text, again));
	free(text);
	free(again);
	sums_row_free(row);
	sums_row_free(same);
	return 0;
}
