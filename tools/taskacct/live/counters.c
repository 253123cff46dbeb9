// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct counters: totals, and what they are on each CPU
 */
#include <string.h>

#include "out/pairs.h"
#include "counters_reading.h"
#include "options.h"

static const struct out_column for_people[] = {
	{ "name", "COUNTER", UNIT_TEXT, 32 },
	{ "cpu", "CPU", UNIT_ID, 5 },
	{ "value", "VALUE", UNIT_TEXT, 12 },
	{ "unit", "UNIT", UNIT_TEXT, 10 },
};

static const struct out_column for_programs[] = {
	{ "name", "COUNTER", UNIT_TEXT, 32 },
	{ "cpu", "CPU", UNIT_ID, 5 },
	{ "value", "VALUE", UNIT_SIGNED, 12 },
	{ "unit", "UNIT", UNIT_TEXT, 10 },
	{ "gauge", "GAUGE", UNIT_BOOL, 5 },
};

#define N(columns) (sizeof(columns) / sizeof(*(columns)))

/* What is printed, and where to */
struct counters {
	const struct options *opt;
	struct counters_reading reading;
	struct out *out;
};

/* For people, who read 12ms with more ease than 12345678 */
static enum unit unit_of(const struct taskacct_counter *counter, int64_t value)
{
	if (value < 0 || counter->gauge)
		return UNIT_SIGNED;
	if (!strcmp(counter->unit, "ns"))
		return UNIT_NS;
	return strcmp(counter->unit, "byte") ? UNIT_SIGNED : UNIT_BYTES;
}

/* Of one CPU, or, where that is negative, of all */
static void print_value(struct counters *c,
			const struct taskacct_counter *counter, int64_t cpu,
			int64_t value)
{
	struct value values[N(for_programs)] = {
		pair_text(NULL, counter->name, NULL).value,
		{ .state = cpu < 0 ? TASKACCT_ABSENT : TASKACCT_VALID,
		  .n = (uint64_t)cpu },
		{ .n = (uint64_t)value },
		pair_text(NULL, counter->unit, NULL).value,
		{ .n = counter->gauge },
	};
	char text[UNITS_MAX];

	if (c->opt->style.form == OUT_TABLE) {
		units_format(text, unit_of(counter, value), (uint64_t)value);
		values[2] = pair_text(NULL, text, NULL).value;
	}
	out_row(c->out, values, NULL, NULL);
}

static void print_counter(struct counters *c,
			  const struct taskacct_counter *counter)
{
	const unsigned int instance = counter->instance;
	unsigned int cpu;

	print_value(c, counter, -1,
		    counters_reading_total(&c->reading, instance));
	for (cpu = 0; c->opt->per_cpu && cpu < c->reading.cpus; cpu++)
		print_value(c, counter, cpu,
			    counters_reading_on(&c->reading, cpu, instance));
}

static enum status print_named(struct counters *c, const char *name)
{
	const struct taskacct_counter *counter =
		counters_reading_find(&c->reading, name);

	if (counter) {
		print_counter(c, counter);
		return STATUS_DONE;
	}
	message("no counter %s; taskacct counters has all that there are",
		name);
	return STATUS_REFUSED;
}

/* Those that were named, as they were, or all */
static enum status print_all(struct counters *c)
{
	const struct options *opt = c->opt;
	const bool people = opt->style.form == OUT_TABLE;
	const struct taskacct_counter *counter;
	enum status status = STATUS_DONE;
	size_t i;

	c->out = out_open(stdout, "counters", &opt->style,
			  people ? for_people : for_programs,
			  people ? N(for_people) : N(for_programs));
	for (i = 0; !opt->n &&
		    (counter = taskacct_counters_at(c->reading.c, i)); i++)
		print_counter(c, counter);
	for (i = 0; i < opt->n; i++)
		if (print_named(c, opt->words[i]))
			status = STATUS_REFUSED;
	out_close(c->out);
	return status;
}

enum status counters_run(struct options *opt)
{
	struct counters c = { .opt = opt };
	enum status status = STATUS_REFUSED;

	if (!counters_reading_take(&c.reading))
		status = print_all(&c);
	counters_reading_free(&c.reading);
	return status;
}
