/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the books close? An interval that is watched, and what came of it */
#ifndef TASKACCT_CMD_AUDIT_WATCH_H
#define TASKACCT_CMD_AUDIT_WATCH_H

#include "rows.h"

/* An audit */
struct audit;

/**
 * struct audit_report - what came of it
 * @rows: lines, in their order
 * @open: how many do not close
 * @lost: records that are missing, so that the books cannot close
 * @ended: tasks that ended
 */
struct audit_report {
	struct audit_rows rows;
	size_t open;
	uint64_t lost;
	int64_t ended;
};

/**
 * audit_new() - make ready for an audit
 * @ta: handle, to ask with
 * @listener: another, to listen with
 *
 * Return: the audit; audit_free() it, and close the handles.
 */
struct audit *audit_new(struct taskacct *ta, struct taskacct *listener);

/**
 * audit_watch() - watch an interval, and hold the tasks against the books
 * @audit: audit
 * @rcvbuf: bytes of the receive buffer, 0 for what is usual
 * @ns: how long; see stop_catch_only() for who ends it before
 *
 * Return: what came of it, or NULL; then it has said why.
 */
const struct audit_report *audit_watch(struct audit *audit, int rcvbuf,
				       uint64_t ns);

/**
 * audit_tell() - say on standard error how it went
 * @audit: audit that was watched
 */
void audit_tell(const struct audit *audit);

/**
 * audit_free() - free it
 * @audit: audit
 */
void audit_free(struct audit *audit);

#endif /* TASKACCT_CMD_AUDIT_WATCH_H */
