/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities and user namespaces of a process
 */
#ifndef SELFTESTS_RIGHTS_H
#define SELFTESTS_RIGHTS_H

#include <stdint.h>
#include <sys/types.h>

int rights_set_caps(uint64_t permitted, uint64_t effective);
int rights_map_root(uid_t uid);

#endif /* SELFTESTS_RIGHTS_H */
