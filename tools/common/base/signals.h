/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that are read as others read messages */
#ifndef TASKACCT_COMMON_SIGNALS_H
#define TASKACCT_COMMON_SIGNALS_H

/**
 * signals_catch() - have SIGINT, SIGTERM and another signal read, or end the program
 * @other: the other one, or 0
 *
 * Return: descriptor, to poll, from which struct signalfd_siginfo is read.
 */
int signals_catch(int other);

#endif /* TASKACCT_COMMON_SIGNALS_H */
