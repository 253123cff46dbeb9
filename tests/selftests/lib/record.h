/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct taskstats as a table, so that a test can say "every additive field".
 */
#ifndef SELFTESTS_RECORD_H
#define SELFTESTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/taskstats.h>

/**
 * enum field_kind - how a field of a process comes from those of its tasks
 * @FIELD_COUNT: sum, exact
 * @FIELD_USEC: sum of nanoseconds, rounded down to microseconds
 * @FIELD_KIB: sum of bytes, rounded down to whole KiB
 * @FIELD_MBUSEC: sum of page-nanoseconds, rounded down to MB-microseconds
 * @FIELD_PEAK: the highest of them
 * @FIELD_CLOCK: time that passes for a sleeping task as well
 * @FIELD_IDENTITY: who it is; no amount
 */
enum field_kind {
	FIELD_COUNT,
	FIELD_USEC,
	FIELD_KIB,
	FIELD_MBUSEC,
	FIELD_PEAK,
	FIELD_CLOCK,
	FIELD_IDENTITY,
};

/**
 * struct field - one field of struct taskstats
 * @name: its name
 * @offset: where it is
 * @size: 1, 2, 4 or 8 bytes; other sizes are text
 * @kind: how it adds up
 */
struct field {
	const char *name;
	size_t offset;
	size_t size;
	enum field_kind kind;
};

/* Kinds of waits in struct record_tail, in their order there */
#define RECORD_WAITS 8

/**
 * struct record_tail - what versions 14 to 17 added to struct taskstats
 * @irq_count: interrupts
 * @irq_delay_total: time that they took
 * @wait: the longest and the shortest wait of each kind, from version 16 on
 * @max_ts: when the longest was, from version 17 on
 *
 * The headers that we are built with may be older than the kernel.
 */
struct record_tail {
	uint64_t irq_count;
	uint64_t irq_delay_total;
	struct {
		uint64_t max;
		uint64_t min;
	} wait[RECORD_WAITS];
	struct {
		int64_t sec;
		int64_t nsec;
	} max_ts[RECORD_WAITS];
};

/* Where it begins: what the oldest version that has it had before */
#define RECORD_TAIL_AT 416

extern const struct field record_fields[];
extern const size_t record_n_fields;

#define for_each_field(f) \
	for ((f) = record_fields; (f) < record_fields + record_n_fields; (f)++)

const struct field *record_field(const char *name);
uint64_t record_get(const struct field *f, const struct taskstats *st);
bool record_has(const struct field *f, const struct taskstats *st);
uint64_t record_or(const char *name, const struct taskstats *st,
		   uint64_t otherwise);
bool record_is_of(const struct taskstats *st, pid_t tgid);
void record_put(const struct field *f, struct taskstats *st, uint64_t value);
bool record_additive(const struct field *f);
uint64_t record_grain(const struct field *f);
void record_forget_mm(struct taskstats *st);
const struct field *record_smaller(const struct taskstats *now,
				   const struct taskstats *before);
void record_add(struct taskstats *sum, const struct taskstats *st);
const struct field *record_not_sum(const struct taskstats *total,
				   const struct taskstats *sum, unsigned int n);

#endif /* SELFTESTS_RECORD_H */
