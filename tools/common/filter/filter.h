/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter language
 *
 *	user=www-data and cpu>1s and (exit!=0 or oom) and not comm~"^ld"
 *
 * Both commands have it; it is described in taskacct(1).
 */
#ifndef TASKACCT_COMMON_FILTER_H
#define TASKACCT_COMMON_FILTER_H

#include "fields/field.h"

/* A condition that records meet or not */
struct filter;

/**
 * struct filter_error - what is wrong with a filter
 * @at: offset of the part that is
 * @length: bytes of it; 0 at the end
 * @why: in words
 */
struct filter_error {
	size_t at;
	size_t length;
	char why[200];
};

/**
 * filter_parse() - understand a filter
 * @text: as the user wrote it
 * @error: what is wrong with it
 *
 * Return: the filter, or NULL and @error.
 */
struct filter *filter_parse(const char *text, struct filter_error *error);

/**
 * filter_match() - whether a record meets a filter
 * @filter: filter, or NULL which all meet
 * @rec: record
 *
 * A comparison with a value that the record does not have is false. A record for which it
 * would take too long to find out is left out and counted, whether it is asked for or for
 * its opposite.
 *
 * Return: true if it does.
 */
bool filter_match(const struct filter *filter, const struct rec *rec);

/**
 * filter_undecided() - for how many records it was not found out
 *
 * Return: records that no filter took for that reason, since the program began.
 */
uint64_t filter_undecided(void);

/**
 * filter_tell_undecided() - report for how many records it was not found out
 *
 * Return: true if there were any: they are as good as lost.
 */
bool filter_tell_undecided(void);

/**
 * filter_uses() - whether a filter compares a field
 * @filter: filter or NULL
 * @name: the field's name
 *
 * Return: true if it does.
 */
bool filter_uses(const struct filter *filter, const char *name);

/**
 * filter_uses_only() - whether a filter compares nothing but some fields
 * @filter: filter or NULL
 * @is_one: whether a field, by its name, is one of these
 *
 * Return: true if so; false where it asks how a task ended, too.
 */
bool filter_uses_only(const struct filter *filter,
		      bool (*is_one)(const char *name));

/**
 * filter_kernel() - what of a filter the kernel can do by itself
 * @filter: filter or NULL
 * @kernel: conditions are added. All that meet @filter meet them. Where there
 *	is a condition on cgroup_fd, that is to be closed
 *
 * Return: true where only those that meet @filter meet them, too.
 */
bool filter_kernel(const struct filter *filter, struct taskacct_filter *kernel);

/**
 * filter_free() - free a filter
 * @filter: filter or NULL
 */
void filter_free(struct filter *filter);

#endif /* TASKACCT_COMMON_FILTER_H */
