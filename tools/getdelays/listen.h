/* SPDX-License-Identifier: GPL-2.0-only */
/* Hearing of exits */
#ifndef GETDELAYS_LISTEN_H
#define GETDELAYS_LISTEN_H

#include "message.h"
#include "options.h"
#include "sink.h"

/**
 * listen_run() - hear of exits until interrupted, or until -c's command ends
 * @opt: command line
 * @sink: where the messages go
 *
 * Return: how it went; what went wrong has been said.
 */
enum exit_status listen_run(const struct options *opt, struct sink *sink);

#endif /* GETDELAYS_LISTEN_H */
