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
#define STRAYS		32

/* Of functions, which are kept by name: taskacct may be gone when they are read. */
#define NAME_LEN	64

static const char *const kind_names[KINDS] = {
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
 * @from_name: @from by name, from places_name()
 * @to_name: @to by name, likewise
 */
struct place {
	enum kind kind;
	unsigned long from;
	unsigned long to;
	u64 longest;
	unsigned long times;
	char from_name[NAME_LEN];
	char to_name[NAME_LEN];
};

static struct place places[PLACES];
static char strays[STRAYS][NAME_LEN];
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
	char name[NAME_LEN];
	unsigned long flags;
	unsigned int i;

	snprintf(name, sizeof(name), "%ps", (void *)ip);
	raw_local_irq_save(flags);
	for (i = 0; i < nr_strays && strcmp(strays[i], name); i++)
		;
	if (i == STRAYS)
		full++;
	else if (i == nr_strays)
		strcpy(strays[nr_strays++], name);
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

/**
 * places_name() - find out what functions are called
 *
 * It takes too long for a section, and cannot be done once taskacct is gone.
 *
 * Context: nobody notes any.
 */
void places_name(void)
{
	struct place *place;

	for (place = places; place < places + PLACES; place++) {
		if (!place->times || *place->from_name)
			continue;
		snprintf(place->from_name, NAME_LEN, "%ps", (void *)place->from);
		if (place->to)
			snprintf(place->to_name, NAME_LEN, "%ps", (void *)place->to);
	}
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

	places_name();
	while ((place = next_place(place)))
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%llu %lu %s %s\t%s\n",
			       place->longest, place->times,
			       kind_names[place->kind], place->from_name,
			       place->to_name);
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
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%s\n", strays[i]);
	return n;
}

static const struct kernel_param_ops strayed_ops = { .get = get_strayed };
module_param_cb(strayed, &strayed_ops, NULL, 0400);
MODULE_PARM_DESC(strayed, "functions that ran in no section that is seen");
