/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the books close? What tasks used against what others have booked */
#ifndef GETDELAYS_AUDIT_H
#define GETDELAYS_AUDIT_H

#include "message.h"
#include "options.h"
#include "out.h"

/**
 * audit_run() - audit an interval
 * @opt: command line
 * @out: output
 *
 * Return: how it went; %EXIT_OPEN where a book does not close.
 */
enum exit_status audit_run(const struct options *opt, struct out *out);

#endif /* GETDELAYS_AUDIT_H */
