/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user: over the family, and as Android's files have them.
 */
#ifndef SELFTESTS_UID_H
#define SELFTESTS_UID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "extended.h"

#define UID_STATS "/proc/uid_io/stats"
#define UID_SET "/proc/uid_procstat/set"
#define UID_CPU "/proc/uid_cputime/show_uid_stat"
#define UID_REMOVE "/proc/uid_cputime/remove_uid_range"

/**
 * struct uid_usage - what was used
 * @wait: what was waited for, by kind
 *
 * The others are named as in struct taskacct_uid_usage, and stand in its order.
 */
struct uid_usage {
	uint64_t utime;
	uint64_t stime;
	uint64_t runtime;
	uint64_t user;
	uint64_t system;
	uint64_t min_flt;
	uint64_t maj_flt;
	uint64_t nvcsw;
	uint64_t nivcsw;
	uint64_t rchar;
	uint64_t wchar;
	uint64_t syscr;
	uint64_t syscw;
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t cancelled_write_bytes;
	uint64_t written;
	uint64_t fsync;
	uint64_t migrations;
	struct {
		uint64_t count;
		uint64_t total;
	} wait[TASKACCT_WAITS];
};

_Static_assert(offsetof(struct uid_usage, wait) ==
		       sizeof(struct taskacct_uid_usage),
	       "the totals of a user have grown");

/**
 * struct uid_total - a user, as the family tells
 * @uid: the attribute
 * @record: who it is
 * @usage: what was used, by state
 * @told: which states the answer has
 */
struct uid_total {
	uint32_t uid;
	struct taskacct_uid_record record;
	struct uid_usage usage[2];
	bool told[2];
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
	struct uid_usage usage;
	uint64_t ended;
	uint64_t tasks;
};

int uid_get(struct acct_sock *s, uint32_t uid, struct uid_total *total);
int uid_dump(struct acct_sock *s, struct uid_total *totals, int max);
const struct uid_total *uid_of(const struct uid_total *totals, int n,
			       uint32_t uid);
void uid_add_record(struct uid_usage *sum,
		    const struct ext_message *m);
int uid_of_task(struct acct_sock *s, pid_t tid, struct uid_usage *used);
void uid_sum(struct uid_usage *sum, const struct uid_total *total);
const char *uid_all_differ(struct acct_sock *s, struct acct_sock *listener,
			   struct uid_sum *ends, unsigned int *exact);
const char *uid_differs(const struct uid_usage *a,
			const struct uid_usage *b);
const char *uid_smaller(const struct uid_usage *now,
			const struct uid_usage *before);
int uid_read_lines(struct uid_line *lines, int max);
int uid_read_times(struct uid_times *times, int max);
int uid_read_line(uint32_t uid, struct uid_line *line);
ssize_t uid_write(const char *path, const void *text, size_t size);

#endif /* SELFTESTS_UID_H */
