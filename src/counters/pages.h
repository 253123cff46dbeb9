/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counter pages: the header's and those of each CPU
 */
#ifndef TASKACCT_COUNTERS_PAGES_H
#define TASKACCT_COUNTERS_PAGES_H

#include <linux/mm.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local64.h>

#include "counters.h"

struct page;
struct seq_file;

/* Of each CPU, at most; what is not used is nothing but addresses. */
#define TASKACCT_COUNTERS_PAGES_MAX	16
#define TASKACCT_COUNTERS_MAX						\
	((TASKACCT_COUNTERS_PAGES_MAX * PAGE_SIZE -			\
	  TASKACCT_COUNTERS_VALUES) / sizeof(s64))

/**
 * struct taskacct_counters_row - the pages of a CPU
 * @page: their addresses, NULL where there is none yet
 */
struct taskacct_counters_row {
	void *page[TASKACCT_COUNTERS_PAGES_MAX];
};

/* Of all CPU numbers up to the largest, whether there is such a CPU or not */
extern struct taskacct_counters_row *taskacct_counters_rows;

/* The first page of the map. Changed under counters_mutex of counters.c. */
extern struct taskacct_counters_header *taskacct_counters_head;

struct page *taskacct_counters_page(unsigned long n);
unsigned long taskacct_counters_pages(void);
int taskacct_counters_pages_init(void);
void taskacct_counters_pages_exit(void);
int taskacct_counters_grow(unsigned int pages);

/**
 * taskacct_counters_place() - where a counter's value is
 * @instance: the counter's number
 *
 * Return: how far from the start of a CPU's pages.
 */
static inline size_t taskacct_counters_place(unsigned int instance)
{
	return TASKACCT_COUNTERS_VALUES + instance * sizeof(s64);
}

/**
 * taskacct_counters_value() - a counter's value on a CPU
 * @cpu: the CPU
 * @instance: the counter's number; its page is there
 *
 * Context: any.
 * Return: where it is.
 */
static inline local64_t *taskacct_counters_value(unsigned int cpu,
						 unsigned int instance)
{
	const size_t place = taskacct_counters_place(instance);

	return taskacct_counters_rows[cpu].page[place / PAGE_SIZE] +
	       place % PAGE_SIZE;
}

/* In counters.c, for the devices */
extern struct wait_queue_head taskacct_counters_changed;

u32 taskacct_counters_generation(void);
void taskacct_counters_show_names(struct seq_file *m);

#endif /* TASKACCT_COUNTERS_PAGES_H */
