/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Very many processes, each of which has lost a thread: groups.
 */
#ifndef SELFTESTS_MULTITUDE_H
#define SELFTESTS_MULTITUDE_H

#include <stdint.h>

/**
 * struct multitude - such processes
 * @processes: how many
 * @users: how many users they have, by turns
 * @uid: the first of these
 */
struct multitude {
	unsigned int processes;
	unsigned int users;
	uint32_t uid;
};

int multitude_lead(int fd, void *arg);

#endif /* SELFTESTS_MULTITUDE_H */
