/* SPDX-License-Identifier: GPL-2.0-only */
/* All tasks or processes that there are */
#ifndef GETDELAYS_ALL_H
#define GETDELAYS_ALL_H

#include "message.h"
#include "options.h"
#include "sink.h"

/**
 * all_run() - ask for all tasks or processes, and show them
 * @opt: command line
 * @sink: where the answers go
 *
 * Return: how it went; what could not be had has been said.
 */
enum exit_status all_run(const struct options *opt, struct sink *sink);

#endif /* GETDELAYS_ALL_H */
