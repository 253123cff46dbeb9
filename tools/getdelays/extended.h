/* SPDX-License-Identifier: GPL-2.0-only */
/* Extended records and gaps, and how they are arranged */
#ifndef GETDELAYS_EXTENDED_H
#define GETDELAYS_EXTENDED_H

#include "out.h"
#include "view.h"

/**
 * extended_print() - print an extended record
 * @out: output
 * @view: what of it
 * @message: message that it is in
 * @record: record
 */
void extended_print(struct out *out, const struct view *view,
		    const struct taskacct_message *message,
		    const struct taskacct_extended *record);

/**
 * extended_gap() - print, for programs, that records were lost
 * @out: output
 * @view: when it was reported
 * @gap: what was lost
 */
void extended_gap(struct out *out, const struct view *view,
		  const struct taskacct_gap *gap);

#endif /* GETDELAYS_EXTENDED_H */
