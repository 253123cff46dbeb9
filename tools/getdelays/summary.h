/* SPDX-License-Identifier: GPL-2.0-only */
/* Totals per command */
#ifndef GETDELAYS_SUMMARY_H
#define GETDELAYS_SUMMARY_H

#include <stdbool.h>

#include "out.h"
#include "taskacct.h"

/* Totals per command */
struct summary;

/**
 * summary_new() - begin to sum up
 *
 * Return: totals of nothing.
 */
struct summary *summary_new(void);

/**
 * summary_add() - add a record
 * @summary: totals
 * @record: record
 * @complete: process records are complete, as taskacct's are; else the tasks'
 *	records are summed up
 */
void summary_add(struct summary *summary, const struct taskacct_classic *record,
		 bool complete);

/**
 * summary_print() - print a line per command, those that used most CPU first
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
