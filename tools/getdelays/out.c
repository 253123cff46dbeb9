// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output: the part that all forms share
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "out_forms.h"

/* Flushed at quiet moments, so a burst goes out in few writes */
#define BUFFER_SIZE (256 * 1024)

void out_append(struct out_text *text, const char *fmt, ...)
{
	va_list args;
	size_t need;

	va_start(args, fmt);
	need = (size_t)vsnprintf(NULL, 0, fmt, args) + 1;
	va_end(args);
	if (text->len + need > text->size) {
		text->size = 2 * (text->len + need);
		text->s = realloc(text->s, text->size);
		if (!text->s)
			message_die(EXIT_REFUSED, "out of memory");
	}
	va_start(args, fmt);
	vsnprintf(text->s + text->len, need, fmt, args);
	va_end(args);
	text->len += need - 1;
}

void out_reset(struct out_text *text)
{
	text->len = 0;
	if (text->s)
		text->s[0] = '\0';
}

void out_puts(struct out *out, const char *s)
{
	if (s && fputs(s, out->file) == EOF && !out->err)
		out->err = -errno;
}

static bool wants_color(FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(file)) && (!no_color || !*no_color) &&
	       !(term && !strcmp(term, "dumb"));
}

struct out *out_open(enum out_form form)
{
	static const struct out_ops *const forms[] = {
		[OUT_TABLE] = &out_table_ops,
		[OUT_JSON] = &out_json_ops,
		[OUT_CSV] = &out_csv_ops,
	};
	struct out *out = calloc(1, sizeof(*out));

	if (!out)
		message_die(EXIT_REFUSED, "out of memory");
	out->ops = forms[form];
	out->file = stdout;
	out->color = wants_color(stdout);
	setvbuf(stdout, NULL, _IOFBF, BUFFER_SIZE);
	return out;
}

int out_flush(struct out *out)
{
	if (fflush(out->file) && !out->err)
		out->err = -errno;
	return out->err;
}

int out_close(struct out *out)
{
	int err = out_flush(out);

	free(out->head.s);
	free(out->line.s);
	free(out->heads.s);
	free(out->body.s);
	free(out);
	return err;
}

int out_failed(const struct out *out)
{
	return out->err;
}

bool out_is_stream(const struct out *out)
{
	return out->stream;
}

void out_stream(struct out *out)
{
	/* Programs get the same keys in any case. */
	out->stream = out->ops == &out_table_ops;
}

void out_begin(struct out *out, const char *kind, const char *table,
	       const char *title)
{
	out->fresh = !out->table || strcmp(out->table, table);
	out->table = table;
	out->ops->begin(out, kind, title);
}

void out_group(struct out *out, const char *head, int width)
{
	if (out->ops->group)
		out->ops->group(out, head, width);
}

void out_row(struct out *out, const char *name)
{
	if (out->ops->row)
		out->ops->row(out, name);
}

void out_cell(struct out *out, const struct out_cell *cell)
{
	out->ops->cell(out, cell);
}

void out_end(struct out *out)
{
	out->ops->end(out);
	out->any = true;
}

void out_u64(struct out *out, const char *key, const char *head, int width,
	     enum taskacct_unit unit, uint64_t value)
{
	out_cell(out, &(struct out_cell){ .key = key,
					  .head = head,
					  .width = width,
					  .unit = unit,
					  .valid = true,
					  .value = value });
}

void out_text(struct out *out, const char *key, const char *head, int width,
	      const char *text)
{
	out_cell(out, &(struct out_cell){ .key = key,
					  .head = head,
					  .width = width,
					  .unit = TASKACCT_UNIT_TEXT,
					  .valid = text,
					  .text = text });
}

void out_field(struct out *out, const struct taskacct_stats *stats,
	       enum taskacct_field field, const char *head, int width)
{
	const struct taskacct_field_info *info = taskacct_field_info(field);

	out_cell(out, &(struct out_cell){ .key = info->name,
					  .head = head,
					  .width = width,
					  .unit = info->unit,
					  .valid = taskacct_has(stats, field),
					  .value = stats->v[field],
					  .text = stats->comm });
}

void out_list(struct out *out, const char *key, const char *head,
	      const char *list, size_t length)
{
	out_cell(out, &(struct out_cell){ .key = key,
					  .head = head,
					  .width = -1,
					  .unit = TASKACCT_UNIT_TEXT,
					  .valid = list,
					  .list = list,
					  .list_length = length });
}

void out_member(struct out *out, const struct taskacct_extended *record,
		enum taskacct_member member, const char *head, int width)
{
	const struct taskacct_member_info *info = taskacct_member_info(member);
	const bool valid = taskacct_validity(record, member) == TASKACCT_VALID;

	out_cell(out,
		 &(struct out_cell){ .key = info->name,
				     .head = head,
				     .width = width,
				     .unit = info->unit,
				     .valid = valid,
				     .value = taskacct_value(record, member),
				     .text = record->r.comm });
}

char *out_cell_text(const struct out_cell *cell,
		    char *(*clean)(const char *s, size_t length))
{
	struct out_text all = {};
	const char *from;
	size_t at, n;
	char *one;

	if (!cell->list)
		return clean(cell->text, strlen(cell->text));
	out_append(&all, "%s", "");
	for (at = 0; at < cell->list_length; at += n + 1) {
		from = cell->list + at;
		n = strlen(from);
		one = clean(from, n);
		out_append(&all, "%s%s", at ? " " : "", one);
		free(one);
	}
	return all.s;
}
