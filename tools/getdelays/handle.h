/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a handle, with the cure where that fails */
#ifndef GETDELAYS_HANDLE_H
#define GETDELAYS_HANDLE_H

#include "taskacct.h"

/**
 * handle_open() - open a handle
 * @family: name of the family
 *
 * Return: the handle, or NULL, and why has been said.
 */
struct taskacct *handle_open(const char *family);

#endif /* GETDELAYS_HANDLE_H */
