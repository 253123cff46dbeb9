/* SPDX-License-Identifier: GPL-2.0-only */
/* Exits with keys, for programs that carry lines to another place */
#ifndef TASKACCT_CMD_KEYED_H
#define TASKACCT_CMD_KEYED_H

#include "out/columns.h"
#include "options.h"

/**
 * keyed_run() - print exits with their keys until a signal comes
 * @opt: options
 * @columns: what is printed of each beside its key
 *
 * Return: the command's status: %STATUS_LOST where exits were lost.
 */
enum status keyed_run(const struct options *opt, const struct columns *columns);

#endif /* TASKACCT_CMD_KEYED_H */
