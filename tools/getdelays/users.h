/* SPDX-License-Identifier: GPL-2.0-only */
/* --uid and --uids: totals per user */
#ifndef GETDELAYS_USERS_H
#define GETDELAYS_USERS_H

#include "message.h"
#include "options.h"
#include "out.h"

/**
 * users_run() - tell what users have used
 * @opt: command line
 * @out: output
 *
 * Return: exit status.
 */
enum exit_status users_run(const struct options *opt, struct out *out);

#endif /* GETDELAYS_USERS_H */
