// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct help
 */
#include <string.h>

#include "options.h"

static void print_verbs(void)
{
	const struct verb *verb;

	puts("usage: taskacct VERB [OPTION...] [ARGUMENT...]\n");
	for (verb = verbs; verb->name; verb++)
		printf("  %-8s %s\n", verb->name, verb->doc);
	puts("\ntaskacct help VERB says how a verb is used, taskacct help fields\n"
	     "which fields there are to print, sort and filter by.");
}

static struct value text(const char *s)
{
	return (struct value){ .state = s ? TASKACCT_VALID : TASKACCT_ABSENT,
			       .s = s,
			       .length = s ? strlen(s) : 0 };
}

static int max_length(int length, const char *text)
{
	const int its = text ? (int)strlen(text) : 0;

	return its > length ? its : length;
}

static void print_fields(const struct options *opt)
{
	static const struct out_column columns[] = {
		{ "name", "NAME", UNIT_TEXT, 20 },
		{ "alias", "ALIAS", UNIT_TEXT, 10 },
		{ "doc", "WHAT IT IS", UNIT_TEXT, 40 },
	};
	struct out_style style = opt->style;
	struct value row[3];
	int name = 0, alias = 0;
	const struct field *f;
	struct out *out;
	size_t i;

	for (i = 0; i < field_count(); i++) {
		f = field_at(i);
		name = max_length(name, f->name);
		alias = max_length(alias, f->alias);
	}
	style.wrap = name + alias + 2;
	out = out_open(stdout, "fields", &style, columns, 3);
	for (i = 0; i < field_count(); i++) {
		f = field_at(i);
		row[0] = text(f->name);
		row[1] = text(f->alias);
		row[2] = text(f->doc);
		out_row(out, row, NULL, NULL);
	}
	out_close(out);
}

/* For completion: verbs, or a verb's options, or fields */
static void print_words(const char *of)
{
	const struct verb *verb;
	size_t i;

	if (!of) {
		for (verb = verbs; verb->name; verb++)
			puts(verb->name);
	} else if (!strcmp(of, "fields")) {
		for (i = 0; i < field_count(); i++)
			puts(field_at(i)->alias ? field_at(i)->alias :
						  field_at(i)->name);
	} else {
		options_words(stdout, verb_find(of));
	}
}

/* How a unit is called in the manual */
static const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_ID] = "number",	    [UNIT_SIGNED] = "number",
		[UNIT_COUNT] = "count",	    [UNIT_NS] = "duration, ns",
		[UNIT_BYTES] = "bytes",	    [UNIT_DATE] = "time",
		[UNIT_EPOCH] = "time, ns",  [UNIT_BOOT] = "duration, ns",
		[UNIT_KIB_US] = "KiB us",   [UNIT_PERCENT] = "percent",
		[UNIT_TEXT] = "text",	    [UNIT_EXIT] = "exit",
		[UNIT_BOOL] = "true or false",
		[UNIT_UID] = "user number", [UNIT_GID] = "group number",
	};

	return names[unit];
}

static const char *sum_name(enum field_sum sum)
{
	static const char *const names[] = {
		[SUM_NONE] = "shown where it is the same in all",
		[SUM_TOTAL] = "added up",
		[SUM_MAX] = "the largest",
		[SUM_MIN] = "the smallest that is not 0",
		[SUM_FIRST] = "the smallest",
	};

	return names[sum];
}

/* taskacct-fields(7): the table of fields in the macros of mdoc(7) */
static void print_manual(void)
{
	const struct field *f;
	size_t i;

	printf(".\\\" %s-License-Identifier: GPL-2.0-only\n", "SPDX");
	puts(".\\\" Made of the table of fields: taskacct help taskacct-fields.7\n"
	     ".Dd November 26, 2026\n.Dt TASKACCT-FIELDS 7\n.Os\n"
	     ".Sh NAME\n.Nm taskacct-fields\n"
	     ".Nd fields that taskacct prints, sorts and filters by\n"
	     ".Sh DESCRIPTION\n"
	     "Each field has a name, which is its column in CSV and its key in JSON,\n"
	     "and may have a shorter one.\n"
	     "Both mean it in filters, in\n.Fl -output ,\n.Fl -sort\nand\n.Fl -by\n"
	     "of\n.Xr taskacct 1 .\n"
	     "A hyphen is as good as an underscore.\n"
	     "Where records are taken together, a field is what the last words of its\n"
	     "entry say; other statistics are named behind a colon, as\n"
	     ".Ql cpu:p95 .\n"
	     ".Bl -tag -width Ds");
	for (i = 0; i < field_count(); i++) {
		f = field_at(i);
		printf(".It Cm %s", f->name);
		if (f->alias)
			printf(" , Cm %s", f->alias);
		printf("\n%s\n.br\n%s; of a group %s\n", f->doc,
		       unit_name(f->unit), sum_name(f->sum));
	}
	puts(".El\n.Sh SEE ALSO\n.Xr taskacct 1");
}

enum status help_run(struct options *opt)
{
	if (!opt->n)
		print_verbs();
	else if (!strcmp(opt->words[0], "fields"))
		print_fields(opt);
	else if (!strcmp(opt->words[0], "taskacct-fields.7"))
		print_manual();
	else if (!strcmp(opt->words[0], "words"))
		print_words(opt->n > 1 ? opt->words[1] : NULL);
	else
		options_help(stdout, verb_find(opt->words[0]));
	return STATUS_DONE;
}
