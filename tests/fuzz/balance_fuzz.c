// SPDX-License-Identifier: GPL-2.0-only
/*
 * The balance of a segment: whatever a note or a last frame has is one or none, and one
 * is the same when it was written and read again.
 */
#include <assert.h>
#include <string.h>

#include "logs/balance.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[BALANCE_MAX], again[BALANCE_MAX];
	struct balance balance, same;

	/* libFuzzer's copy is of just this size: what reads on behind it is found. */
	if (balance_parse(&balance, (const char *)data, size)) {
		assert(strlen(balance.boot) < sizeof(balance.boot));
		assert(balance.away < WHYS && balance.closed < WHYS);
		balance_print(text, &balance);
		assert(balance_parse(&same, text, strlen(text)));
		balance_print(again, &same);
		assert(!strcmp(text, again));
	}
	return 0;
}
