// SPDX-License-Identifier: GPL-2.0-only
/*
 * The results, for people and for programs
 */
#include <math.h>
#include <stdio.h>

#include "statistics.h"
#include "report.h"

#define MAX_CONDITIONS	16

/**
 * struct condition - something that the results depend on
 * @key: its name in bench.json
 * @text: its name in the table
 * @value: its value
 */
struct condition {
	const char *key;
	const char *text;
	const char *value;
};

static struct condition conditions[MAX_CONDITIONS];
static unsigned int nr_conditions;

static const char *const verdicts[] = {
	[BENCH_MET] = "met",
	[BENCH_MISSED] = "missed",
	[BENCH_VOID] = "void",
};

static const char *const conclusions[] = {
	[BENCH_MET] = "every target that was measured was met",
	[BENCH_MISSED] = "a target was missed",
	[BENCH_VOID] = "void: off again differs from off",
};

static const char not_measured[] =
	"Not measured: more than one CPU, and contention; cache misses and time\n"
	"(instructions are counted, and a repeated string instruction counts as often as\n"
	"it repeats); memory that the kernel frees more than 20 ms later; address spaces\n"
	"(the processes that exit share the benchmark's).\n";

void bench_report_condition(const char *key, const char *text,
			    const char *value)
{
	if (nr_conditions == MAX_CONDITIONS)
		bench_die("too many conditions");
	conditions[nr_conditions++] = (struct condition){ key, text, value };
}

static double control(const struct bench_results *results, int kind)
{
	return bench_difference(results, bench_controls[kind].one,
				bench_controls[kind].other);
}

enum bench_status bench_report_judge(const struct bench_results *results)
{
	enum bench_status status = BENCH_MET;
	const struct bench_figure *statistic;
	int kind;

	for (kind = 0; kind < BENCH_KINDS; kind++)
		if (fabs(control(results, kind)) > BENCH_VOID_ABOVE)
			return BENCH_VOID;
	for (statistic = bench_statistics; statistic->text; statistic++)
		if (!bench_figure_met(results, statistic))
			status = BENCH_MISSED;
	return status;
}

static void print_conditions(void)
{
	unsigned int i;

	for (i = 0; i < nr_conditions; i++)
		printf("%-10s %s\n", conditions[i].text, conditions[i].value);
	putchar('\n');
}

static bool is_judged(const struct bench_results *results,
		      const struct bench_figure *statistic)
{
	return statistic->target != BENCH_NO_TARGET &&
	       bench_figure_has(results, statistic, BENCH_TASKACCT);
}

static void print_value(const struct bench_results *results,
			const struct bench_figure *statistic,
			enum bench_family family)
{
	if (bench_figure_has(results, statistic, family))
		printf(" %8.0f", bench_figure_value(results, statistic, family));
	else
		printf(" %8s", "-");
}

static void print_figure(const struct bench_results *results,
			 const struct bench_figure *statistic)
{
	if (!statistic->key) {
		puts(statistic->text);
		return;
	}
	printf("  %-40s", statistic->text);
	print_value(results, statistic, BENCH_TASKSTATS);
	print_value(results, statistic, BENCH_TASKACCT);
	if (!is_judged(results, statistic))
		putchar('\n');
	else
		printf(" %7.0f  %s\n", bench_figure_limit(results, statistic),
		       bench_figure_met(results, statistic) ? "met" : "MISSED");
}

static void print_controls(const struct bench_results *results)
{
	double burst;
	int kind;

	puts("Control: off again less off; above 50 one by one, the run is void");
	for (kind = 0; kind < BENCH_KINDS; kind++) {
		burst = bench_difference(results,
					 BENCH_BURST(BENCH_OFF_AGAIN, kind),
					 BENCH_BURST(BENCH_OFF, kind));
		printf("  %-8s one by one %6.1f   in a burst %6.1f\n",
		       bench_kinds[kind], control(results, kind), burst);
	}
}

static void print_messages(const struct bench_results *results)
{
	const struct bench_messages *messages;
	int family;

	puts("Messages: sent = received + reported lost");
	for (family = 0; family < BENCH_FAMILIES; family++) {
		messages = &results->messages[family];
		printf("  %-8s %9llu = %9llu + %llu\n", bench_families[family],
		       (unsigned long long)messages->sent,
		       (unsigned long long)messages->received,
		       (unsigned long long)messages->lost);
	}
}

void bench_report_table(const struct bench_results *results,
			enum bench_status status)
{
	const struct bench_figure *statistic;

	print_conditions();
	printf("%-42s %8s %8s %7s\n", "guest instructions; other: in-tree if not said",
	       "other", "taskacct", "at most");
	for (statistic = bench_statistics; statistic->text; statistic++)
		print_figure(results, statistic);
	putchar('\n');
	print_controls(results);
	print_messages(results);
	fputs(not_measured, stdout);
	printf("\nbench: %s\n", conclusions[status]);
}

/* Conditions come from the system: quotes and the like are unlikely. */
static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		if ((unsigned char)*text >= ' ')
			fputc(*text, file);
	}
	fputc('"', file);
}

static void write_conditions(FILE *file)
{
	unsigned int i;

	fputs("  \"conditions\": {", file);
	for (i = 0; i < nr_conditions; i++) {
		fprintf(file, "%s\n    \"%s\": ", i ? "," : "",
			conditions[i].key);
		write_string(file, conditions[i].value);
	}
	fputs("\n  },\n", file);
}

static void write_value(FILE *file, const struct bench_results *results,
			const struct bench_figure *statistic,
			enum bench_family family, const char *name)
{
	fprintf(file, ", \"%s\": ", name);
	if (bench_figure_has(results, statistic, family))
		fprintf(file, "%.1f",
			bench_figure_value(results, statistic, family));
	else
		fputs("null", file);
}

static void write_figure(FILE *file, const struct bench_results *results,
			 const struct bench_figure *statistic)
{
	fprintf(file, "{\"key\": \"%s\"", statistic->key);
	write_value(file, results, statistic, BENCH_TASKSTATS,
		    statistic->other ? statistic->other : bench_families[BENCH_TASKSTATS]);
	write_value(file, results, statistic, BENCH_TASKACCT, bench_families[BENCH_TASKACCT]);
	if (bench_figure_has(results, statistic, BENCH_TASKACCT))
		fprintf(file, ", \"spread\": %.1f",
			bench_figure_spread(results, statistic));
	if (!is_judged(results, statistic))
		fputs(", \"limit\": null, \"met\": null}", file);
	else
		fprintf(file, ", \"limit\": %.1f, \"met\": %s}",
			bench_figure_limit(results, statistic),
			bench_figure_met(results, statistic) ? "true" : "false");
}

static void write_statistics(FILE *file, const struct bench_results *results)
{
	const struct bench_figure *statistic;
	const char *separator = "";

	fputs("  \"figures\": [", file);
	for (statistic = bench_statistics; statistic->text; statistic++) {
		if (!statistic->key)
			continue;
		fprintf(file, "%s\n    ", separator);
		write_figure(file, results, statistic);
		separator = ",";
	}
	fputs("\n  ],\n", file);
}

static void write_controls(FILE *file, const struct bench_results *results)
{
	int kind;

	fputs("  \"controls\": {", file);
	for (kind = 0; kind < BENCH_KINDS; kind++)
		fprintf(file, "%s\"%s\": %.1f", kind ? ", " : "", bench_kinds[kind],
			control(results, kind));
	fputs("},\n", file);
}

static void write_messages(FILE *file, const struct bench_results *results)
{
	const struct bench_messages *messages;
	int family;

	fputs("  \"messages\": {", file);
	for (family = 0; family < BENCH_FAMILIES; family++) {
		messages = &results->messages[family];
		fprintf(file,
			"%s\n    \"%s\": {\"sent\": %llu, \"received\": %llu, \"lost\": %llu}",
			family ? "," : "", bench_families[family],
			(unsigned long long)messages->sent,
			(unsigned long long)messages->received,
			(unsigned long long)messages->lost);
	}
	fputs("\n  },\n", file);
}

static void write_series(FILE *file, const struct bench_results *results)
{
	const struct bench_series *series = results->series;
	const char *separator = "";
	unsigned int i, round;
	char name[64];

	fputs("  \"series\": {", file);
	for (i = 0; i < BENCH_SERIES; i++) {
		if (!series[i].n)
			continue;
		bench_name(i, name, sizeof(name));
		fprintf(file, "%s\n    \"%s\": [", separator, name);
		for (round = 0; round < series[i].n; round++)
			fprintf(file, "%s%.1f", round ? ", " : "",
				series[i].at[round]);
		fputc(']', file);
		separator = ",";
	}
	fputs("\n  }\n", file);
}

void bench_report_json(const struct bench_results *results,
		       enum bench_status status, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		bench_die("create %s", path);
	fprintf(file, "{\n  \"format\": 1,\n  \"verdict\": \"%s\",\n",
		verdicts[status]);
	write_conditions(file);
	write_statistics(file, results);
	write_controls(file, results);
	write_messages(file, results);
	write_series(file, results);
	fputs("}\n", file);
	if (ferror(file) | fclose(file))
		bench_die("write %s", path);
}
