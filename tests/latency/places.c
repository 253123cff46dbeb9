// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where sections begin and end, and how long they were
 *
 * Changed with interrupts off, on the one CPU of a VM that counts instructions.
 */
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/string.h>

#include "places.h"

#define PLACES_BITS	9
#define PLACES		BIT(PLACES_BITS)
#define STRAYS		64

static const char * const kind_names[KINDS] = {
	[PREEMPT] = "preempt",
	[IRQS] = "irqs",
	[CALL] = "call",
};

/**
 * struct place - sections that begin at one place and end at one
 * @kind: what is off, or that it is a call
 * @from: who began it; the function that is called
 * @to: who ended it; 0 for a call
 * @longest: instructions of the longest
 * @times: how many there were; 0: the place is free
 */
struct place {
	enum kind kind;
	unsigned long from;
	unsigned long to;
	u64 longest;
	unsigned long times;
};

static struct place places[PLACES];
static unsigned long strays[STRAYS];
static unsigned int nr_strays;

static unsigned int full;
module_param(full, uint, 0444);
MODULE_PARM_DESC(full, "sections and functions that there was no room to note");

static void count(struct place *place, u64 took)
{
	place->times++;
	if (took > place->longest)
		place->longest = took;
}

/**
 * places_note() - note that a section has ended
 * @kind: what was off
 * @from: who began it, or the function that was called
 * @to: who ended it, or 0
 * @took: instructions
 *
 * Context: any but NMI.
 */
void places_note(enum kind kind, unsigned long from, unsigned long to, u64 took)
{
	unsigned int i = hash_long(from ^ to ^ kind, PLACES_BITS), n;
	struct place *place;
	unsigned long flags;

	raw_local_irq_save(flags);
	for (n = 0; n < PLACES; n++, i = (i + 1) % PLACES) {
		place = &places[i];
		if (!place->times)
			*place = (struct place){ kind, from, to };
		if (place->kind == kind && place->from == from && place->to == to) {
			count(place, took);
			break;
		}
	}
	if (n == PLACES)
		full++;
	raw_local_irq_restore(flags);
}

/**
 * places_note_stray() - note a function that runs in no section that is seen
 * @ip: where it begins
 *
 * Context: any but NMI.
 */
void places_note_stray(unsigned long ip)
{
	unsigned long flags;
	unsigned int i;

	raw_local_irq_save(flags);
	for (i = 0; i < nr_strays && strays[i] != ip; i++)
		;
	if (i == STRAYS)
		full++;
	else if (i == nr_strays)
		strays[nr_strays++] = ip;
	raw_local_irq_restore(flags);
}

/**
 * places_forget() - forget all sections
 *
 * Context: nobody notes any.
 */
void places_forget(void)
{
	memset(places, 0, sizeof(places));
	full = 0;
}

/* The longest that is shorter than @last, or as long and behind it */
static const struct place *next_place(const struct place *last)
{
	const struct place *place, *next = NULL;

	for (place = places; place < places + PLACES; place++) {
		if (!place->times ||
		    (last && (place->longest > last->longest ||
			      (place->longest == last->longest && place <= last))))
			continue;
		if (!next || place->longest > next->longest)
			next = place;
	}
	return next;
}

static int get_worst(char *buffer, const struct kernel_param *kp)
{
	const struct place *place = NULL;
	int n = 0;

	while ((place = next_place(place)))
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%llu %lu %s %ps\t%ps\n",
			       place->longest, place->times,
			       kind_names[place->kind], (void *)place->from,
			       (void *)place->to);
	return n;
}

static const struct kernel_param_ops worst_ops = { .get = get_worst };
module_param_cb(worst, &worst_ops, NULL, 0400);
MODULE_PARM_DESC(worst, "INSTRUCTIONS TIMES KIND BEGIN END");

static int get_strayed(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < nr_strays; i++)
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%ps\n",
			       (void *)strays[i]);
	return n;
}

static const struct kernel_param_ops strayed_ops = { .get = get_strayed };
module_param_cb(strayed, &strayed_ops, NULL, 0400);
MODULE_PARM_DESC(strayed, "functions that ran in no section that is seen");
