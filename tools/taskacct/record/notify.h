/* SPDX-License-Identifier: GPL-2.0-only */
/* What a service tells its manager, by the protocol of sd_notify(3) */
#ifndef TASKACCT_CMD_NOTIFY_H
#define TASKACCT_CMD_NOTIFY_H

/**
 * notify() - tell the service manager, if there is one
 * @state: assignments such as "READY=1", with line ends between them
 */
void notify(const char *state);

/**
 * notify_alive() - tell it that the program goes on, if it wants to know
 */
void notify_alive(void);

#endif /* TASKACCT_CMD_NOTIFY_H */
