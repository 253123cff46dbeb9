// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record, part by part
 *
 * The order of calls is the order of JSON's keys and of CSV's columns, and
 * both are a promise; headings, widths and rows are not. Every heading is
 * given for a stream's lines or for a block's rows, or for both.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>

#include "base/text.h"
#include "view.h"

#define SYSCTL "/proc/sys/kernel/task_delayacct"

/* What a task can wait for */
struct delay {
	const char *name;
	const char *head;
	enum taskacct_field count;
	enum taskacct_field total;
	enum taskacct_field max;
	enum taskacct_field min;
	enum taskacct_field max_ts;
};

/* clang-format off */
#define DELAY(label, heading, kind)					\
	{								\
		.name = label,						\
		.head = heading,					\
		.count = TASKACCT_F_##kind##_COUNT,			\
		.total = TASKACCT_F_##kind##_TOTAL,			\
		.max = TASKACCT_F_##kind##_MAX,				\
		.min = TASKACCT_F_##kind##_MIN,				\
		.max_ts = TASKACCT_F_##kind##_MAX_TS,			\
	}
/* clang-format on */

static const struct delay delays[] = {
	DELAY("cpu", "CPU", CPU),
	DELAY("io", "IO", BLKIO),
	DELAY("swap", "SWAP", SWAPIN),
	DELAY("reclaim", "RECLAIM", FREEPAGES),
	DELAY("thrashing", "THRASH", THRASHING),
	DELAY("compact", "COMPACT", COMPACT),
	DELAY("wpcopy", "WPCOPY", WPCOPY),
	DELAY("irq", "IRQ", IRQ),
};

void view_time(struct out *out, const struct view *view)
{
	time_t when = (time_t)(view->time_ns / 1000000000);
	char text[16] = "-";
	struct tm tm;

	out_u64(out, "time_ns", NULL, 0, TASKACCT_UNIT_EPOCH_NS, view->time_ns);
	if (!out_is_stream(out))
		return;
	if (localtime_r(&when, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	out_text(out, NULL, "TIME", 8, text);
}

/* A process's record has no one task's number to show. */
static void show_ids(struct out *out, const struct taskacct_classic *record)
{
	const struct taskacct_stats *stats = &record->stats;
	const bool all = record->kind == TASKACCT_TGID;

	out_field(out, stats, TASKACCT_F_PID,
		  all ? NULL : out_if_stream(out, "PID"), 7);
	if (all)
		out_text(out, NULL, out_if_stream(out, "PID"), 7, "total");
	out_field(out, stats, TASKACCT_F_TGID,
		  all ? NULL : out_if_stream(out, "TGID"), 7);
	if (all)
		out_u64(out, NULL, out_if_stream(out, "TGID"), 7,
			TASKACCT_UNIT_NUMBER, record->id);
	out_field(out, stats, TASKACCT_F_PPID, out_if_block(out, "PPID"), 8);
	out_field(out, stats, TASKACCT_F_UID, "UID", 5);
	out_field(out, stats, TASKACCT_F_GID, out_if_block(out, "GID"), 5);
	out_field(out, stats, TASKACCT_F_NICE, out_if_block(out, "NICE"), 4);
	out_field(out, stats, TASKACCT_F_SCHED, out_if_block(out, "SCHED"), 5);
	out_field(out, stats, TASKACCT_F_FLAG, out_if_block(out, "FLAGS"), 5);
}

void view_exit(struct out *out, bool valid, int status)
{
	int sig = WTERMSIG(status);
	const char *name = sig ? sigabbrev_np(sig) : NULL;
	char text[8];

	if (name)
		snprintf(text, sizeof(text), "%.4s", name);
	else if (sig)
		snprintf(text, sizeof(text), "s%d", sig);
	else
		snprintf(text, sizeof(text), "%d", WEXITSTATUS(status));
	out_cell(out, &(struct out_cell){ .head = "EXIT",
					  .width = 4,
					  .unit = TASKACCT_UNIT_TEXT,
					  .valid = valid,
					  .alarm = status,
					  .text = text });
}

/* As wait() has it, under the names that extended records have for it, too */
static void show_exit(struct out *out, const struct taskacct_stats *stats)
{
	int status = (int)stats->v[TASKACCT_F_EXITCODE];
	bool valid = taskacct_has(stats, TASKACCT_F_EXITCODE);
	int sig = WTERMSIG(status);

	view_exit(out, valid, status);
	out_field(out, stats, TASKACCT_F_EXITCODE, NULL, 0);
	out_cell(out, &(struct out_cell){ .key = "exit_code",
					  .valid = valid,
					  .value = (uint64_t)status });
	out_cell(out, &(struct out_cell){ .key = "signal",
					  .valid = valid,
					  .value = (uint64_t)sig });
}

static void show_times(struct out *out, const struct taskacct_stats *stats)
{
	bool wide = taskacct_has(stats, TASKACCT_F_BTIME64);

	out_field(out, stats, TASKACCT_F_BTIME,
		  wide ? NULL : out_if_block(out, "STARTED"), 20);
	out_field(out, stats, TASKACCT_F_BTIME64,
		  wide ? out_if_block(out, "STARTED") : NULL, 20);
	if (!out_is_stream(out)) {
		out_group(out, NULL, 0);
		out_row(out, NULL);
	}
	out_field(out, stats, TASKACCT_F_ETIME,
		  out_is_stream(out) ? "ETIME" : "ELAPSED",
		  out_is_stream(out) ? 6 : 7);
	out_field(out, stats, TASKACCT_F_TGETIME, out_if_block(out, "PROCESS"),
		  8);
	out_field(out, stats, TASKACCT_F_UTIME,
		  out_is_stream(out) ? "UTIME" : "USER", 6);
	out_field(out, stats, TASKACCT_F_STIME,
		  out_is_stream(out) ? "STIME" : "SYSTEM", 6);
	out_field(out, stats, TASKACCT_F_HIWATER_RSS,
		  out_is_stream(out) ? "RSS" : "PEAK-RSS",
		  out_is_stream(out) ? 6 : 8);
}

/* Of a task not every version of the struct has it. */
static void show_tgid(struct out *out, const struct taskacct_classic *record)
{
	const struct taskacct_stats *stats = &record->stats;
	const bool process = record->kind == TASKACCT_TGID;

	out_cell(out, &(struct out_cell){
			      .key = "tgid",
			      .valid = process ||
				       taskacct_has(stats, TASKACCT_F_TGID),
			      .value = process ? record->id :
						 stats->v[TASKACCT_F_TGID] });
}

static void view_base(struct out *out, const struct view *view,
		      const struct taskacct_classic *record)
{
	const struct taskacct_stats *stats = &record->stats;

	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_u64(out, "pid", NULL, 0, TASKACCT_UNIT_NUMBER, record->id);
	show_tgid(out, record);
	view_time(out, view);
	out_text(out, "family", NULL, 0, view->family);
	out_field(out, stats, TASKACCT_F_VERSION, NULL, 0);
	out_cell(out,
		 &(struct out_cell){ .key = "delay_accounting",
				     .flag = true,
				     .valid = view->delay_accounting >= 0,
				     .value = view->delay_accounting > 0 });
	show_ids(out, record);
	show_exit(out, stats);
	show_times(out, stats);
	out_field(out, stats, TASKACCT_F_COMM, out_if_stream(out, "COMMAND"),
		  -15);
}

static void show_average(struct out *out, const struct taskacct_stats *stats,
			 const struct delay *delay)
{
	uint64_t count = stats->v[delay->count];

	out_cell(out,
		 &(struct out_cell){
			 .head = out_if_block(out, "AVERAGE"),
			 .width = 7,
			 .unit = TASKACCT_UNIT_NS,
			 .valid = taskacct_has(stats, delay->total),
			 .value = count ? stats->v[delay->total] / count : 0 });
}

static void view_delays(struct out *out, const struct taskacct_stats *stats)
{
	const bool stream = out_is_stream(out);
	const struct delay *d;

	out_group(out, stream ? "" : "DELAY", stream ? 10 : 9);
	if (stream)
		out_row(out, "  delay");
	for (d = delays; d < delays + sizeof(delays) / sizeof(*delays); d++) {
		if (!stream)
			out_row(out, d->name);
		out_field(out, stats, d->count, stream ? NULL : "COUNT", 9);
		out_field(out, stats, d->total, stream ? d->head : "TOTAL", 7);
		show_average(out, stats, d);
		out_field(out, stats, d->max, stream ? NULL : "MAX", 7);
		out_field(out, stats, d->min, stream ? NULL : "MIN", 7);
		out_field(out, stats, d->max_ts, stream ? NULL : "MAX-AT", 19);
	}
	if (!stream) {
		out_group(out, "CPU", 9);
		out_row(out, "time");
	}
	out_field(out, stats, TASKACCT_F_RUN_REAL, out_if_block(out, "REAL"),
		  9);
	out_field(out, stats, TASKACCT_F_RUN_VIRTUAL,
		  out_if_block(out, "VIRTUAL"), 7);
	out_field(out, stats, TASKACCT_F_RUN_SCALED,
		  out_if_block(out, "SCALED"), 7);
}

void view_line(struct out *out, const char *head, const char *name)
{
	const bool stream = out_is_stream(out);

	out_group(out, stream ? "" : head, stream ? 10 : 9);
	out_row(out, stream ? name : "");
}

static void view_io(struct out *out, const struct taskacct_stats *stats)
{
	view_line(out, "IO", "  io");
	out_field(out, stats, TASKACCT_F_READ_CHAR, "RCHAR", 7);
	out_field(out, stats, TASKACCT_F_WRITE_CHAR, "WCHAR", 7);
	out_field(out, stats, TASKACCT_F_READ_SYSCALLS, "SYSCR", 8);
	out_field(out, stats, TASKACCT_F_WRITE_SYSCALLS, "SYSCW", 8);
	out_field(out, stats, TASKACCT_F_READ_BYTES, "READ", 7);
	out_field(out, stats, TASKACCT_F_WRITE_BYTES, "WRITE", 7);
	out_field(out, stats, TASKACCT_F_CANCELLED_WRITE_BYTES, "CANCEL", 7);
}

static void view_switches(struct out *out, const struct taskacct_stats *stats)
{
	view_line(out, "SWITCHES", "  switches");
	out_field(out, stats, TASKACCT_F_NVCSW, "VOLUNTARY", 9);
	out_field(out, stats, TASKACCT_F_NIVCSW, "INVOLUNTARY", 11);
}

void view_device(struct out *out, bool valid, uint64_t device)
{
	const dev_t dev = (dev_t)device;
	char text[24];

	snprintf(text, sizeof(text), "%u:%u", major(dev), minor(dev));
	out_text(out, NULL, out_if_block(out, "EXE-DEV"), 8,
		 valid ? text : NULL);
}

static void view_rest(struct out *out, const struct taskacct_stats *stats)
{
	view_line(out, "MEMORY", NULL);
	out_field(out, stats, TASKACCT_F_MINFLT, out_if_block(out, "MINFLT"),
		  9);
	out_field(out, stats, TASKACCT_F_MAJFLT, out_if_block(out, "MAJFLT"),
		  7);
	out_field(out, stats, TASKACCT_F_HIWATER_VM,
		  out_if_block(out, "PEAK-VM"), 8);
	out_field(out, stats, TASKACCT_F_COREMEM,
		  out_if_block(out, "RSS-MiB*s"), 9);
	out_field(out, stats, TASKACCT_F_VIRTMEM, out_if_block(out, "VM-MiB*s"),
		  9);
	out_field(out, stats, TASKACCT_F_UTIMESCALED, NULL, 0);
	out_field(out, stats, TASKACCT_F_STIMESCALED, NULL, 0);
	out_field(out, stats, TASKACCT_F_EXE_DEV, NULL, 0);
	view_device(out, taskacct_has(stats, TASKACCT_F_EXE_DEV),
		    stats->v[TASKACCT_F_EXE_DEV]);
	out_field(out, stats, TASKACCT_F_EXE_INODE, out_if_block(out, "INODE"),
		  10);
}

static void view_title(char *title, size_t size,
		       const struct taskacct_classic *record)
{
	const char *name = record->stats.comm;
	char *comm = text_clean(name, strlen(name));

	if (record->kind == TASKACCT_TGID)
		snprintf(title, size, "tgid %" PRIu32 "  %s", record->id, comm);
	else if (taskacct_has(&record->stats, TASKACCT_F_TGID))
		snprintf(title, size, "pid %" PRIu32 "  %s  (tgid %" PRIu64 ")",
			 record->id, comm, record->stats.v[TASKACCT_F_TGID]);
	else
		snprintf(title, size, "pid %" PRIu32 "  %s", record->id, comm);
	free(comm);
}

void view_record(struct out *out, const struct view *view,
		 const struct taskacct_classic *record)
{
	unsigned int sections = view->sections;
	char title[160];

	/* A line has what is usual; whoever wants all of it asks. */
	if (!sections && !out_is_stream(out))
		sections = VIEW_ALL;

	view_title(title, sizeof(title), record);
	out_begin(out, record->kind == TASKACCT_TGID ? "tgid" : "pid",
		  "records", title);
	view_base(out, view, record);
	if (sections & VIEW_IO)
		view_io(out, &record->stats);
	if (sections & VIEW_SWITCHES)
		view_switches(out, &record->stats);
	if (sections == VIEW_ALL)
		view_rest(out, &record->stats);
	if (sections & VIEW_DELAYS)
		view_delays(out, &record->stats);
	out_end(out);
}

int view_delay_accounting(void)
{
	FILE *file = fopen(SYSCTL, "re");
	int on = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &on) != 1)
		on = -1;
	fclose(file);
	return on < 0 ? -1 : !!on;
}
