/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sections, and the interrupts and softirqs that come in between
 */
#ifndef LATENCY_SECTIONS_H
#define LATENCY_SECTIONS_H

#include <linux/module.h>
#include <linux/types.h>

/**
 * struct begin - the begin of a section
 * @at: when
 * @level: how many interrupts and softirqs are under way
 * @above: what those took that came at this level, until then
 */
struct begin {
	u64 at;
	unsigned int level;
	u64 above;
};

void sections_watch(struct module *mod);
unsigned int sections_measured(void);
int sections_measure(unsigned int sections);
void sections_call_begins(struct begin *begin);
u64 sections_call_ends(const struct begin *begin);
bool sections_see_here(void);
int sections_init(void);
void sections_exit(void);

#endif /* LATENCY_SECTIONS_H */
