// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of fields, and what can be done with any of them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"
#include "sys.h"

#define FIELD(field, what) {						\
	.name = #field,							\
	.offset = offsetof(struct taskstats, field),			\
	.size = sizeof(((struct taskstats *)0)->field),			\
	.kind = FIELD_##what,						\
}

const struct field record_fields[] = {
	FIELD(version, IDENTITY),
	FIELD(ac_exitcode, IDENTITY),
	FIELD(ac_flag, IDENTITY),
	FIELD(ac_nice, IDENTITY),
	FIELD(cpu_count, COUNT),
	FIELD(cpu_delay_total, COUNT),
	FIELD(blkio_count, COUNT),
	FIELD(blkio_delay_total, COUNT),
	FIELD(swapin_count, COUNT),
	FIELD(swapin_delay_total, COUNT),
	FIELD(cpu_run_real_total, COUNT),
	FIELD(cpu_run_virtual_total, COUNT),
	FIELD(ac_comm, IDENTITY),
	FIELD(ac_sched, IDENTITY),
	FIELD(ac_uid, IDENTITY),
	FIELD(ac_gid, IDENTITY),
	FIELD(ac_pid, IDENTITY),
	FIELD(ac_ppid, IDENTITY),
	FIELD(ac_btime, IDENTITY),
	FIELD(ac_etime, CLOCK),
	FIELD(ac_utime, USEC),
	FIELD(ac_stime, USEC),
	FIELD(ac_minflt, COUNT),
	FIELD(ac_majflt, COUNT),
	FIELD(coremem, MBUSEC),
	FIELD(virtmem, MBUSEC),
	FIELD(hiwater_rss, PEAK),
	FIELD(hiwater_vm, PEAK),
	FIELD(read_char, KIB),
	FIELD(write_char, KIB),
	FIELD(read_syscalls, COUNT),
	FIELD(write_syscalls, COUNT),
	FIELD(read_bytes, KIB),
	FIELD(write_bytes, KIB),
	FIELD(cancelled_write_bytes, KIB),
	FIELD(nvcsw, COUNT),
	FIELD(nivcsw, COUNT),
	FIELD(ac_utimescaled, USEC),
	FIELD(ac_stimescaled, USEC),
	FIELD(cpu_scaled_run_real_total, COUNT),
	FIELD(freepages_count, COUNT),
	FIELD(freepages_delay_total, COUNT),
	FIELD(thrashing_count, COUNT),
	FIELD(thrashing_delay_total, COUNT),
	FIELD(ac_btime64, IDENTITY),
	FIELD(compact_count, COUNT),
	FIELD(compact_delay_total, COUNT),
	FIELD(ac_tgid, IDENTITY),
	FIELD(ac_tgetime, CLOCK),
	FIELD(ac_exe_dev, IDENTITY),
	FIELD(ac_exe_inode, IDENTITY),
	FIELD(wpcopy_count, COUNT),
	FIELD(wpcopy_delay_total, COUNT),
};

const size_t record_n_fields = sizeof(record_fields) / sizeof(record_fields[0]);

/**
 * record_field() - find a field by name
 * @name: its name, one that is in the table
 *
 * Return: the field.
 */
const struct field *record_field(const char *name)
{
	const struct field *f;

	for_each_field(f)
		if (!strcmp(f->name, name))
			return f;
	abort();
}

/**
 * record_get() - a field's value
 * @f: the field
 * @st: the record
 *
 * Return: the value; for text, whether there is any.
 */
uint64_t record_get(const struct field *f, const struct taskstats *st)
{
	const char *p = (const char *)st + f->offset;
	uint64_t value = 0;

	if (f->size > sizeof(value))
		return *p != '\0';
	switch (f->size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)p;
	case 4:
		return *(const uint32_t *)p;
	}
	memcpy(&value, p, f->size);
	return value;
}

/**
 * record_has() - tell whether a record has a field
 * @f: the field
 * @st: the record; its version tells
 *
 * Return: true where it has.
 */
bool record_has(const struct field *f, const struct taskstats *st)
{
	size_t size = sizeof(*st);

	if (st->version < 11)
		size = offsetof(struct taskstats, compact_count);
	else if (st->version < 12)
		size = offsetof(struct taskstats, ac_tgid);
	else if (st->version < 13)
		size = offsetof(struct taskstats, wpcopy_count);
	return f->offset < size;
}

/**
 * record_or() - a field's value, if the record has it
 * @name: the field's name
 * @st: the record
 * @otherwise: the answer where it has not
 *
 * Return: the value.
 */
uint64_t record_or(const char *name, const struct taskstats *st,
		   uint64_t otherwise)
{
	const struct field *f = record_field(name);

	return record_has(f, st) ? record_get(f, st) : otherwise;
}

/**
 * record_is_of() - tell whether a record is of a thread of a process
 * @st: the record
 * @tgid: the process, a child of the caller
 *
 * Before version 12 a record does not name its process. There those of all
 * children of the caller are taken for its.
 *
 * Return: true where it is.
 */
bool record_is_of(const struct taskstats *st, pid_t tgid)
{
	bool child = st->ac_ppid == (uint32_t)getpid();

	return record_or("ac_tgid", st, child ? tgid : 0) == (uint64_t)tgid;
}

/**
 * record_put() - set a field of 8 bytes
 * @f: the field
 * @st: the record
 * @value: its new value
 */
void record_put(const struct field *f, struct taskstats *st, uint64_t value)
{
	if (f->size != sizeof(value))
		abort();
	memcpy((char *)st + f->offset, &value, sizeof(value));
}

/**
 * record_additive() - tell whether a process's value is a sum
 * @f: the field
 *
 * Return: true where it is.
 */
bool record_additive(const struct field *f)
{
	return f->kind <= FIELD_MBUSEC;
}

/**
 * record_grain() - what a single value may have lost by rounding
 * @f: the field
 *
 * Return: the unit that it is rounded to, 0 where it is exact.
 */
uint64_t record_grain(const struct field *f)
{
	if (f->kind == FIELD_KIB)
		return 1024;
	return f->kind == FIELD_USEC || f->kind == FIELD_MBUSEC;
}

/*
 * Threads hold back up to 64 pages each from the resident set that others see,
 * and a peak that shows for the moment in which they are settled is never
 * written down. /proc's VmHWM steps back by as much.
 */
#define RSS_JITTER_KIB 1024

static uint64_t jitter(const struct field *f)
{
	return f->offset == offsetof(struct taskstats, hiwater_rss) ?
	       RSS_JITTER_KIB : 0;
}

/**
 * record_smaller() - compare two answers about the same thing
 * @now: the later one
 * @before: the earlier one
 *
 * Return: the first field of @now that went backwards, or NULL.
 */
const struct field *record_smaller(const struct taskstats *now,
				   const struct taskstats *before)
{
	const struct field *f;

	for_each_field(f)
		if (f->kind != FIELD_IDENTITY &&
		    record_get(f, now) + jitter(f) < record_get(f, before))
			return f;
	return NULL;
}

/**
 * record_forget_mm() - take away what an ended process's record may lack
 * @st: of a process that was alive
 *
 * The peak of its address space is not known any more where the hook is late.
 */
void record_forget_mm(struct taskstats *st)
{
	if (!sys_exit_has_mm())
		st->hiwater_vm = 0;
}

/**
 * record_add() - add a record to a sum, every additive field
 * @sum: the sum
 * @st: the record
 */
void record_add(struct taskstats *sum, const struct taskstats *st)
{
	const struct field *f;

	for_each_field(f)
		if (record_additive(f))
			record_put(f, sum, record_get(f, sum) +
				   record_get(f, st));
}

/**
 * record_not_sum() - compare a process's record with the sum of its tasks'
 * @total: the process
 * @sum: the sum
 * @n: how many records were added up
 *
 * A rounded field of the process is made from exact values and rounded once,
 * so it may exceed the sum by less than one unit for each of the records.
 *
 * Return: the first field that is not the sum, or NULL.
 */
const struct field *record_not_sum(const struct taskstats *total,
				   const struct taskstats *sum, unsigned int n)
{
	const struct field *f;
	uint64_t t;
	uint64_t s;

	for_each_field(f) {
		if (!record_additive(f))
			continue;
		t = record_get(f, total);
		s = record_get(f, sum);
		if (t < s || t - s > n * record_grain(f))
			return f;
	}
	return NULL;
}
