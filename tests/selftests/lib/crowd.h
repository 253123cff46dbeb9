/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * More threads than anything is prepared for, of one user or of many.
 */
#ifndef SELFTESTS_CROWD_H
#define SELFTESTS_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#define CROWD_MAX 1200

/**
 * struct crowd - threads of one process
 * @n: how many, at most CROWD_MAX
 * @uid: the user of all of them
 * @apart: of the first one only: each has a user of its own, one number on
 */
struct crowd {
	int n;
	uint32_t uid;
	bool apart;
};

int crowd_lead(int fd, void *arg);

#endif /* SELFTESTS_CROWD_H */
