/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A load that the kernel's ticks do not see
 */
#ifndef SELFTESTS_DODGE_H
#define SELFTESTS_DODGE_H

#include <stdint.h>

void dodge_ticks(int64_t ns);

#endif /* SELFTESTS_DODGE_H */
