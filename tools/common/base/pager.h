/* SPDX-License-Identifier: GPL-2.0-only */
/* Long outputs, shown a screen at a time */
#ifndef TASKACCT_COMMON_PAGER_H
#define TASKACCT_COMMON_PAGER_H

/**
 * pager_start() - pass what goes to a terminal through a pager from now on
 *
 * That is $TASKACCT_PAGER, $PAGER or less; an empty one is none. Standard output
 * that is no terminal stays as it is.
 */
void pager_start(void);

/**
 * pager_end() - wait until it has been read
 */
void pager_end(void);

#endif /* TASKACCT_COMMON_PAGER_H */
