/* SPDX-License-Identifier: GPL-2.0-only */
/* What a service tells its manager, by the protocol of sd_notify(3) */
#ifndef TASKACCT_CMD_NOTIFY_H
#define TASKACCT_CMD_NOTIFY_H

#include <stddef.h>

/**
 * notify() - tell the service manager, if there is one
 * @state: assignments such as "READY=1", with line ends between them
 */
void notify(const char *state);

/**
 * notify_alive() - tell it that the program goes on, if it wants to know
 */
void notify_alive(void);

/**
 * notify_store() - have it keep a descriptor, also when this process has ended
 * @fd: descriptor
 * @name: name with which notify_stored() gives it back to a later process
 */
void notify_store(int fd, const char *name);

/**
 * notify_stored() - take the descriptor that an earlier process has given it
 * @name: where its name goes
 * @size: room for that
 *
 * Return: descriptor, or -1 where there is none.
 */
int notify_stored(char *name, size_t size);

/**
 * notify_discard() - have it close the descriptors that it keeps under a name
 * @name: name
 */
void notify_discard(const char *name);

#endif /* TASKACCT_CMD_NOTIFY_H */
