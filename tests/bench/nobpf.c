// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where there is no clang or no libbpf to make the eBPF peer with
 */
#include <stddef.h>

#include "way.h"

static const char *missing(void)
{
	return "built without clang or libbpf";
}

const struct bench_way bench_way_bpf = {
	.missing = missing,
};
