/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking for tasks and processes */
#ifndef GETDELAYS_QUERY_H
#define GETDELAYS_QUERY_H

#include "message.h"
#include "options.h"
#include "sink.h"

/**
 * query_ids() - ask for what -p and -t name
 * @opt: command line
 * @ta: handle
 * @sink: where the answers go
 *
 * Return: how it went; what could not be had has been said.
 */
enum exit_status query_ids(const struct options *opt, struct taskacct *ta,
			   struct sink *sink);

/**
 * query_command() - run a command, and ask for it when it has ended
 * @opt: command line
 * @ta: handle
 * @sink: where the answer goes
 *
 * It is asked for when it is at its end, and nothing is added to what it used.
 *
 * Return: how it went; what could not be had has been said.
 */
enum exit_status query_command(const struct options *opt, struct taskacct *ta,
			       struct sink *sink);

/**
 * query_cgroup() - ask what the tasks of a cgroup are doing
 * @opt: command line
 * @ta: handle
 * @sink: where the answer goes
 *
 * Return: how it went; what could not be had has been said.
 */
enum exit_status query_cgroup(const struct options *opt, struct taskacct *ta,
			      struct sink *sink);

#endif /* GETDELAYS_QUERY_H */
