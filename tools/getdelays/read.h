/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a log back */
#ifndef GETDELAYS_READ_H
#define GETDELAYS_READ_H

#include "message.h"
#include "options.h"
#include "sink.h"

/**
 * read_run() - print a log
 * @opt: command line
 * @sink: where its messages go
 *
 * Return: how it went; what was wrong with it has been said.
 */
enum exit_status read_run(const struct options *opt, struct sink *sink);

#endif /* GETDELAYS_READ_H */
