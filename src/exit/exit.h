/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pipeline of an exit
 */
#ifndef TASKACCT_EXIT_H
#define TASKACCT_EXIT_H

void taskacct_exit(void);
void taskacct_exit_end(void);

#endif /* TASKACCT_EXIT_H */
