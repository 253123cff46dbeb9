/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user: over the family, and as Android's files have them.
 */
#ifndef SELFTESTS_UID_H
#define SELFTESTS_UID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "extended.h"

#define UID_STATS "/proc/uid_io/stats"
#define UID_SET "/proc/uid_procstat/set"
#define UID_CPU "/proc/uid_cputime/show_uid_stat"
#define UID_REMOVE "/proc/uid_cputime/remove_uid_range"

/**
 * struct uid_total - a user, as the family tells
 * @uid: the attribute
 * @record: who it is
 * @usage: what was used, by state
 * @reported: which states the answer has
 */
struct uid_total {
	uint32_t uid;
	struct taskacct_uid_record record;
	struct taskacct_uid_usage usage[2];
	bool reported[2];
};

/**
 * struct uid_line - a line of Android's stats
 * @uid: the user
 * @n: its ten numbers
 */
struct uid_line {
	uint32_t uid;
	uint64_t n[10];
};

/**
 * struct uid_times - a line of Android's CPU times
 * @uid: the user
 * @user: in user space, in microseconds
 * @system: in the kernel
 */
struct uid_times {
	uint32_t uid;
	uint64_t user;
	uint64_t system;
};

/**
 * struct uid_sum - what many have used
 * @usage: what they have used
 * @ended: how many tasks have ended
 * @tasks: how many live
 */
struct uid_sum {
	struct taskacct_uid_usage usage;
	uint64_t ended;
	uint64_t tasks;
};

int uid_get(struct acct_sock *s, uint32_t uid, struct uid_total *total);
int uid_dump(struct acct_sock *s, struct uid_total *totals, int max);
const struct uid_total *uid_of(const struct uid_total *totals, int n,
			       uint32_t uid);
void uid_add_record(struct taskacct_uid_usage *sum,
		    const struct taskacct_record *record);
void uid_sum(struct taskacct_uid_usage *sum, const struct uid_total *total);
const char *uid_all_differ(struct acct_sock *s, struct acct_sock *listener,
			   struct uid_sum *ends, unsigned int *exact);
const char *uid_differs(const struct taskacct_uid_usage *a,
			const struct taskacct_uid_usage *b);
const char *uid_smaller(const struct taskacct_uid_usage *now,
			const struct taskacct_uid_usage *before);
int uid_read_lines(struct uid_line *lines, int max);
int uid_read_times(struct uid_times *times, int max);
int uid_read_line(uint32_t uid, struct uid_line *line);
ssize_t uid_write(const char *path, const void *text, size_t size);

#endif /* SELFTESTS_UID_H */
