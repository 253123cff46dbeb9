/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module itself: loaded many times a minute, and looked into.
 */
#ifndef SELFTESTS_MODULE_H
#define SELFTESTS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

bool module_read(void);
int module_insert(const char *params);
int module_remove(void);
const char *module_best_hook(void);
bool module_hooked(void);
bool module_traces(void);
const char *module_needs(size_t i);
int module_run(const char *command, const char *name);

#endif /* SELFTESTS_MODULE_H */
