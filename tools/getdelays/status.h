/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module did, and who listens */
#ifndef GETDELAYS_STATUS_H
#define GETDELAYS_STATUS_H

#include "message.h"
#include "options.h"
#include "out.h"

/**
 * status_run() - print the module's statistics, or only the listeners
 * @opt: command line
 * @out: output
 *
 * Return: how it went; what could not be had has been said.
 */
enum exit_status status_run(const struct options *opt, struct out *out);

#endif /* GETDELAYS_STATUS_H */
