/* SPDX-License-Identifier: GPL-2.0-only */
/* Totals per command, user or cgroup */
#ifndef GETDELAYS_SUMMARY_H
#define GETDELAYS_SUMMARY_H

#include <stdbool.h>

#include "options.h"
#include "out.h"
#include "taskacct.h"

/* Totals per command, user or cgroup */
struct summary;

/**
 * summary_new() - begin to sum up
 * @opt: by what, of which kinds of records, in which order
 *
 * Return: totals of nothing.
 */
struct summary *summary_new(const struct options *opt);

/**
 * summary_add() - add a classic record
 * @summary: totals
 * @record: record
 * @complete: process records are complete, as taskacct's are; else the tasks'
 *	records are summed up
 */
void summary_add(struct summary *summary, const struct taskacct_classic *record,
		 bool complete);

/**
 * summary_add_extended() - add an extended record
 * @summary: totals
 * @message: message that it is in
 * @record: record
 */
void summary_add_extended(struct summary *summary,
			  const struct taskacct_message *message,
			  const struct taskacct_extended *record);

/**
 * summary_print() - print a line per command, user or cgroup
 * @summary: totals
 * @out: output
 */
void summary_print(struct summary *summary, struct out *out);

/**
 * summary_free() - forget
 * @summary: totals or NULL
 */
void summary_free(struct summary *summary);

#endif /* GETDELAYS_SUMMARY_H */
