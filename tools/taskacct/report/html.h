/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as a page */
#ifndef TASKACCT_CMD_HTML_H
#define TASKACCT_CMD_HTML_H

#include "spans.h"
#include "totals.h"

/**
 * html_write() - write a page that needs nothing but itself
 * @path: file
 * @totals: groups of records
 * @spans: the same records' lives
 * @words: how complete they are
 */
void html_write(const char *path, struct totals *totals, struct spans *spans,
		const char *words);

#endif /* TASKACCT_CMD_HTML_H */
