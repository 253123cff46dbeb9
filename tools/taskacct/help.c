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

static void print_fields(const struct options *opt)
{
	static const struct out_column columns[] = {
		{ "name", "NAME", UNIT_TEXT, 20 },
		{ "alias", "ALIAS", UNIT_TEXT, 10 },
		{ "doc", "WHAT IT IS", UNIT_TEXT, 40 },
	};
	struct value row[3];
	const struct field *f;
	struct out *out;
	size_t i;

	out = out_open(stdout, "fields", &opt->style, columns, 3);
	for (i = 0; i < field_count(); i++) {
		f = field_at(i);
		row[0] = text(f->name);
		row[1] = text(f->alias);
		row[2] = text(f->doc);
		out_row(out, row, NULL, NULL);
	}
	out_close(out);
}

enum status help_run(struct options *opt)
{
	if (!opt->n)
		print_verbs();
	else if (!strcmp(opt->words[0], "fields"))
		print_fields(opt);
	else
		options_help(stdout, verb_find(opt->words[0]));
	return STATUS_DONE;
}
