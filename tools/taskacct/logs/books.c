// SPDX-License-Identifier: GPL-2.0-only
/*
 * How complete records are, and what is missing
 */
#include <inttypes.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "logs.h"

/* Losses that are this near to each other are reported as one. */
#define NEAR_NS UINT64_C(1000000000)

static void add_span(struct loss **spans, size_t *n, const struct loss *loss)
{
	struct loss *last = *n ? &(*spans)[*n - 1] : NULL;

	if (last && loss->from_ns >= last->from_ns &&
	    loss->from_ns <= last->to_ns + NEAR_NS) {
		last->count += loss->count;
		if (loss->to_ns > last->to_ns)
			last->to_ns = loss->to_ns;
		return;
	}
	*spans = grow(*spans, *n, sizeof(*loss));
	(*spans)[(*n)++] = *loss;
}

static void note_loss(struct books *books, const struct loss *loss)
{
	books->lost += loss->count;
	add_span(&books->losses, &books->n, loss);
}

static void take_gap(struct books *books, const struct taskacct_event *event,
		     const struct taker *taker)
{
	struct loss loss = { .to_ns = event->time_ns };
	struct taskacct_gap gap;

	if (taskacct_decode_gap(&gap, event->nlh)) {
		books->damaged++;
		return;
	}
	loss.count = gap.queue + gap.memory;
	if (!loss.count)
		return;
	loss.from_ns = books->offset_ns ? books->offset_ns + gap.since_ns :
					  loss.to_ns;
	if (loss.from_ns > loss.to_ns)
		loss.from_ns = loss.to_ns;
	note_loss(books, &loss);
	if (taker->gap)
		taker->gap(&loss, taker->arg);
}

/* Nothing had ended where somebody asked for a task or a process. */
static bool is_answer(const struct taskacct_event *event)
{
	return event->nlh->nlmsg_pid;
}

void books_event(struct books *books, const struct taskacct_event *event,
		 const struct taker *taker)
{
	struct rec rec;
	int got;

	if (event->type == TASKACCT_EVENT_GAP) {
		take_gap(books, event, taker);
		return;
	}
	got = rec_take(&rec, event, taker->kinds);
	if (got < 0)
		books->damaged++;
	if (got <= 0 || is_answer(event))
		return;
	books->records++;
	if (rec.classic)
		books->unsure++;
	if (rec.classic && rec_is_process(&rec) && !*rec_comm(&rec))
		books->nameless++;
	if (!rec.classic)
		books->offset_ns = rec.x.r.real_end - rec.x.r.end;
	taker->rec(&rec, taker->arg);
}

void books_sums(struct books *books, const struct sums_row *row,
		const struct taker *taker)
{
	const struct loss span = { row->from_ns, row->to_ns, row->count };
	enum sums_answer answer = SUMS_MISSING;

	if (taker->kinds == REC_PROCESSES ? !row->process : !row->task)
		return;
	if (taker->sums)
		answer = taker->sums(row, taker->arg);
	if (answer == SUMS_COUNTED)
		books->totals += row->count;
	if (answer == SUMS_MISSING)
		add_span(&books->untold, &books->n_untold, &span);
}

/* Of losses that no message tells of it is known in which segment they were. */
void books_balance(struct books *books, const struct balance *b, uint64_t reported)
{
	const struct loss loss = { b->from_ns < b->to_ns ? b->from_ns : b->to_ns,
				   b->to_ns, balance_lost(b) - reported };

	if (balance_lost(b) > reported)
		note_loss(books, &loss);
	if (b->away == WHY_NONE)
		return;
	books->pauses = grow(books->pauses, books->n_pauses, sizeof(*books->pauses));
	books->pauses[books->n_pauses++] =
		(struct pause){ b->away_from_ns, b->away_to_ns, b->away };
}

/* The time that is looked at, nanoseconds since 1970 */
struct books_time {
	uint64_t since;
	uint64_t until;
};

/* A loss may have begun before the time that is looked at, or gone on behind. */
static bool is_within(const struct loss *loss, uint64_t since, uint64_t until)
{
	return loss->to_ns >= since && loss->from_ns <= until;
}

static bool any_within(const struct loss *losses, size_t n, uint64_t since,
		       uint64_t until)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_within(&losses[i], since, until))
			return true;
	return false;
}

static bool is_paused_within(const struct books *books, uint64_t since,
			     uint64_t until)
{
	size_t i;

	for (i = 0; i < books->n_pauses; i++)
		if (books->pauses[i].to_ns >= since &&
		    books->pauses[i].from_ns <= until)
			return true;
	return false;
}

static const char *why_paused(enum balance_why why)
{
	switch (why) {
	case WHY_CRASHED:
		return "the recorder had not ended as it should";
	case WHY_MODULE:
		return "the module was not loaded";
	default:
		return "the recorder did not run";
	}
}

static void print_pauses(FILE *file, const struct books *books, uint64_t since,
			 uint64_t until)
{
	char from[UNITS_MAX], to[UNITS_MAX];
	const struct pause *pause;
	size_t i;

	for (i = 0; i < books->n_pauses; i++) {
		pause = &books->pauses[i];
		if (pause->to_ns < since || pause->from_ns > until)
			continue;
		units_format(from, UNIT_DATE, pause->from_ns);
		units_format(to, UNIT_DATE, pause->to_ns);
		fprintf(file, "nothing was recorded between %s and %s: %s; ",
			from, to, why_paused(pause->why));
	}
}

static void print_count(FILE *file, uint64_t n, const char *one,
			const char *many)
{
	if (n)
		fprintf(file, "%" PRIu64 " %s; ", n, n == 1 ? one : many);
}

static void print_spans(FILE *file, const struct loss *losses, size_t n,
			const struct books_time *time, const char *what)
{
	char from[UNITS_MAX], to[UNITS_MAX];
	const struct loss *loss;
	size_t i;

	for (i = 0; i < n; i++) {
		loss = &losses[i];
		if (!is_within(loss, time->since, time->until))
			continue;
		units_format(from, UNIT_DATE, loss->from_ns);
		units_format(to, UNIT_DATE, loss->to_ns);
		fprintf(file, "%" PRIu64 " records %s between %s and %s; ",
			loss->count, what, from, to);
	}
}

char *books_tell(const struct books *books, uint64_t since, uint64_t until)
{
	const struct books_time time = { since, until };
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		die(STATUS_REFUSED, "out of memory");
	print_spans(file, books->losses, books->n, &time, "lost");
	print_spans(file, books->untold, books->n_untold, &time,
		    "known from totals only, and not told of here,");
	print_count(file, books->totals, "record is known from totals only",
		    "records are known from totals only");
	print_pauses(file, books, since, until);
	print_count(file, books->damaged, "record is damaged",
		    "records are damaged");
	print_count(file, books->torn, "log ends in the midst of a record",
		    "logs end in the midst of a record");
	print_count(file, books->failed, "log cannot be read",
		    "logs cannot be read");
	if (books->unsure)
		fprintf(file, "whether records were lost is not in the log; ");
	if (books->nameless)
		fprintf(file,
			"processes have neither names nor I/O in taskstats' own logs, tasks have: --tasks; ");
	if (fclose(file))
		die(STATUS_REFUSED, "out of memory");
	if (!size) {
		free(text);
		return copy("complete");
	}
	text[size - 2] = '\0';
	return text;
}

enum status books_status(const struct books *books, uint64_t since,
			 uint64_t until)
{
	if (books->failed)
		return STATUS_REFUSED;
	if (books->damaged || books->torn ||
	    any_within(books->losses, books->n, since, until) ||
	    any_within(books->untold, books->n_untold, since, until) ||
	    is_paused_within(books, since, until))
		return STATUS_LOST;
	return STATUS_DONE;
}
