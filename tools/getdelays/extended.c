// SPDX-License-Identifier: GPL-2.0-only
/*
 * An extended record, part by part
 *
 * As with classic ones the order of calls is that of JSON's keys and of CSV's
 * columns. What is not valid is null or "-", and why is reported beside it.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "extended.h"

/* All names of groups or flags, each with its NUL */
#define LIST_MAX 512

/* As long as the kernel sends names, and a NUL */
#define NAME_MAX_SENT (4096 + 1)

/* Shorter names for those that are many, within this file */
#define SHOW(member, head, width) \
	out_member(out, record, TASKACCT_R_##member, head, width)
#define BLOCK(head) out_if_block(out, head)

static bool is_valid(const struct taskacct_extended *record,
		     enum taskacct_member member)
{
	return taskacct_validity(record, member) == TASKACCT_VALID;
}

static void add_word(char *list, size_t *length, const char *word)
{
	const size_t n = strlen(word) + 1;

	if (*length + n > LIST_MAX)
		return;
	memcpy(list + *length, word, n);
	*length += n;
}

static void show_flags(struct out *out, const struct taskacct_record *r)
{
	static const char *const names[] = {
		"ended", "last", "kthread", "noexec",
		"su",	 "core", "signal",  "oom", "early",
		"ending",
	};
	char list[LIST_MAX] = "";
	size_t i, n = 0;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (r->flags & (1U << i))
			add_word(list, &n, names[i]);
	out_list(out, "flags", BLOCK(""), list, n);
}

static void show_ids(struct out *out, const struct taskacct_extended *record)
{
	const bool all = record->r.kind == TASKACCT_KIND_PROCESS;
	const char *pid = out_if_stream(out, "PID");

	SHOW(PID, all ? NULL : pid, 7);
	if (all)
		out_text(out, NULL, pid, 7, "total");
	SHOW(TGID, out_if_stream(out, "TGID"), 7);
	SHOW(PPID, BLOCK("PPID"), 7);
	SHOW(UID, "UID", 5);
	SHOW(GID, BLOCK("GID"), 5);
	SHOW(EUID, BLOCK("EUID"), 5);
	SHOW(EGID, BLOCK("EGID"), 5);
	SHOW(LOGINUID, NULL, 0);
	out_cell(out, &(struct out_cell){
			      .head = BLOCK("LOGIN"),
			      .width = 5,
			      .unit = TASKACCT_UNIT_NUMBER,
			      .valid = is_valid(record, TASKACCT_R_LOGINUID) &&
				       record->r.loginuid != UINT32_MAX,
			      .value = record->r.loginuid });
}

static const char *policy_name(unsigned int policy)
{
	static const char *const names[] = {
		[SCHED_OTHER] = "other", [SCHED_FIFO] = "fifo",
		[SCHED_RR] = "rr",	 [SCHED_BATCH] = "batch",
		[SCHED_IDLE] = "idle",	 [6] = "deadline",
	};

	return policy < sizeof(names) / sizeof(*names) ? names[policy] : NULL;
}

static const char *accounting_name(unsigned int how)
{
	static const char *const names[] = {
		[TASKACCT_CPU_TICK] = "tick",
		[TASKACCT_CPU_GENERIC] = "generic",
		[TASKACCT_CPU_NATIVE] = "native",
	};

	return how < sizeof(names) / sizeof(*names) ? names[how] : NULL;
}

static void show_schedule(struct out *out,
			  const struct taskacct_extended *record)
{
	SHOW(NICE, BLOCK("NICE"), 4);
	SHOW(POLICY, NULL, 0);
	out_text(out, NULL, BLOCK("POLICY"), 8, policy_name(record->r.policy));
	SHOW(CPU, BLOCK("CPU"), 4);
}

static void show_end(struct out *out,
		     const struct taskacct_extended *record)
{
	view_exit(out, is_valid(record, TASKACCT_R_EXIT_CODE),
		  (int)record->r.exit_code);
	SHOW(EXIT_CODE, NULL, 0);
	SHOW(SIGNAL, NULL, 0);
	SHOW(THREADS, BLOCK("THREADS"), 7);
}

/* When it started, in words, and for how long it lived */
static void show_life(struct out *out, const struct taskacct_extended *record)
{
	const struct taskacct_record *r = &record->r;
	const uint64_t life = r->end - r->start;

	if (!out_is_stream(out)) {
		out_group(out, NULL, 0);
		out_row(out, NULL);
	}
	SHOW(START, NULL, 0);
	SHOW(END, NULL, 0);
	SHOW(REAL_END, NULL, 0);
	out_cell(out, &(struct out_cell){
			      .head = BLOCK("STARTED"),
			      .width = 19,
			      .unit = TASKACCT_UNIT_EPOCH_NS,
			      .valid = is_valid(record, TASKACCT_R_REAL_END),
			      .value = r->real_end - life });
	out_cell(out, &(struct out_cell){
			      .key = "lifetime",
			      .head = out_is_stream(out) ? "LIFE" : "LIFETIME",
			      .width = out_is_stream(out) ? 6 : 8,
			      .unit = TASKACCT_UNIT_NS,
			      .valid = is_valid(record, TASKACCT_R_END),
			      .value = life });
}

static void show_cpu(struct out *out, const struct taskacct_extended *record)
{
	SHOW(UTIME, "USER", 6);
	SHOW(STIME, "SYSTEM", 6);
	SHOW(RUNTIME, BLOCK("RUNTIME"), 7);
	SHOW(ON_CPU, BLOCK("ON-CPU"), 7);
	out_text(out, "cpu_accounting", BLOCK("COUNTED"), 7,
		 accounting_name(record->r.cpu_accounting));
	SHOW(GROUP_EXIT_CODE, BLOCK("GROUP-EXIT"), 10);
}

/* What a line of people's table has beside */
static void show_brief(struct out *out,
		       const struct taskacct_extended *record)
{
	if (!out_is_stream(out))
		return;
	out_cell(out, &(struct out_cell){
			      .head = "RSS",
			      .width = 6,
			      .unit = TASKACCT_UNIT_BYTES,
			      .valid = is_valid(record, TASKACCT_R_PEAK_RSS),
			      .value = record->r.peak_rss });
}

static void print_base(struct out *out, const struct view *view,
		       const struct taskacct_extended *record)
{
	out_group(out, NULL, 0);
	out_row(out, NULL);
	view_time(out, view);
	out_text(out, "family", NULL, 0, view->family);
	SHOW(VERSION, NULL, 0);
	show_ids(out, record);
	show_schedule(out, record);
	show_end(out, record);
	show_life(out, record);
	show_cpu(out, record);
	show_brief(out, record);
	SHOW(COMM, out_if_stream(out, "COMMAND"), -15);
}

static void print_io(struct out *out, const struct taskacct_extended *record)
{
	view_line(out, "IO", "  io");
	SHOW(RCHAR, "RCHAR", 7);
	SHOW(WCHAR, "WCHAR", 7);
	SHOW(SYSCR, "SYSCR", 8);
	SHOW(SYSCW, "SYSCW", 8);
	SHOW(READ_BYTES, "READ", 7);
	SHOW(WRITE_BYTES, "WRITE", 7);
	SHOW(CANCELLED_WRITE_BYTES, "CANCEL", 7);
}

static void print_switches(struct out *out,
			   const struct taskacct_extended *record)
{
	view_line(out, "SWITCHES", "  switches");
	SHOW(NVCSW, "VOLUNTARY", 9);
	SHOW(NIVCSW, "INVOLUNTARY", 11);
}

static void print_memory(struct out *out,
			 const struct taskacct_extended *record)
{
	view_line(out, "FAULTS", NULL);
	SHOW(MIN_FLT, BLOCK("MINOR"), 9);
	SHOW(MAJ_FLT, BLOCK("MAJOR"), 9);
	view_line(out, "MEMORY", NULL);
	SHOW(PEAK_RSS, BLOCK("PEAK"), 6);
	SHOW(PEAK_VM, BLOCK("PEAK-VM"), 7);
	SHOW(RSS_ANON, BLOCK("ANON"), 6);
	SHOW(RSS_FILE, BLOCK("FILE"), 6);
	SHOW(RSS_SHMEM, BLOCK("SHMEM"), 6);
	SHOW(SWAP, BLOCK("SWAP"), 6);
	SHOW(RSS_TIME, BLOCK("RSS-MiB*s"), 9);
	SHOW(VM_TIME, BLOCK("VM-MiB*s"), 9);
}

/* What a task can wait for; the members of a kind follow one another. */
#define WAIT(number, kind, member, group, label, head_of) \
	{ label, head_of, TASKACCT_R_WAIT_##kind##_COUNT },

static const struct {
	const char *name;
	const char *head;
	enum taskacct_member count;
} waits[] = { TASKACCT_EACH_WAIT(WAIT) };

static void show_average(struct out *out,
			 const struct taskacct_extended *record,
			 enum taskacct_member count)
{
	const uint64_t n = taskacct_value(record, count);
	const uint64_t total = taskacct_value(record, count + 1);

	out_cell(out, &(struct out_cell){ .head = BLOCK("AVERAGE"),
					  .width = 7,
					  .unit = TASKACCT_UNIT_NS,
					  .valid = is_valid(record, count),
					  .value = n ? total / n : 0 });
}

static void print_waits(struct out *out, const struct taskacct_extended *record)
{
	const bool stream = out_is_stream(out);
	enum taskacct_member count;
	size_t i;

	out_group(out, stream ? "" : "WAIT", stream ? 10 : 9);
	if (stream)
		out_row(out, "  delay");
	for (i = 0; i < TASKACCT_WAITS; i++) {
		count = waits[i].count;
		if (!stream)
			out_row(out, waits[i].name);
		out_member(out, record, count, BLOCK("COUNT"), 9);
		out_member(out, record, count + 1,
			   stream ? waits[i].head : "TOTAL", 7);
		show_average(out, record, count);
		out_member(out, record, count + 2, BLOCK("MAX"), 7);
		out_member(out, record, count + 3, BLOCK("MIN"), 7);
	}
}

/* Sums that are shown above */
static bool has_place(enum taskacct_member member)
{
	static const enum taskacct_member above[] = {
		TASKACCT_R_UTIME,	TASKACCT_R_STIME,
		TASKACCT_R_RUNTIME,	TASKACCT_R_ON_CPU,
		TASKACCT_R_MIN_FLT,	TASKACCT_R_MAJ_FLT,
		TASKACCT_R_NVCSW,	TASKACCT_R_NIVCSW,
		TASKACCT_R_RCHAR,	TASKACCT_R_WCHAR,
		TASKACCT_R_SYSCR,	TASKACCT_R_SYSCW,
		TASKACCT_R_READ_BYTES,	TASKACCT_R_WRITE_BYTES,
		TASKACCT_R_RSS_TIME,	TASKACCT_R_VM_TIME,
		TASKACCT_R_CANCELLED_WRITE_BYTES,
	};
	size_t i;

	for (i = 0; i < sizeof(above) / sizeof(*above); i++)
		if (above[i] == member)
			return true;
	return false;
}

#define MEMBER_OF(number, name, ...) TASKACCT_R_##name,

/* Others, under their names */
static void print_others(struct out *out,
			 const struct taskacct_extended *record)
{
	static const enum taskacct_member sums[] = {
		TASKACCT_SUMS(MEMBER_OF)
	};
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		if (has_place(sums[i]))
			continue;
		if (!any)
			view_line(out, "OTHERS", NULL);
		any = true;
		out_member(out, record, sums[i],
			   BLOCK(taskacct_member_info(sums[i])->name), 10);
	}
}

static void print_places(struct out *out,
			 const struct taskacct_extended *record)
{
	view_line(out, "PLACE", NULL);
	SHOW(INIT_PID, BLOCK("INIT-PID"), 8);
	SHOW(INIT_TGID, BLOCK("INIT-TGID"), 9);
	SHOW(INIT_PPID, BLOCK("INIT-PPID"), 9);
	SHOW(PID_NS, BLOCK("PID-NS"), 10);
	SHOW(CGROUP, BLOCK("CGROUP"), 6);
	SHOW(EXE_DEV, NULL, 0);
	view_device(out, is_valid(record, TASKACCT_R_EXE_DEV),
		    record->r.exe_dev);
	SHOW(EXE_INO, BLOCK("INODE"), 9);
	view_line(out, "FLAGS", NULL);
	show_flags(out, &record->r);
}

/* A text of the message, which does not end with a NUL */
static void print_name(struct out *out, const char *key, const char *head,
		       const struct taskacct_name *name)
{
	char text[NAME_MAX_SENT];

	snprintf(text, sizeof(text), "%.*s", (int)name->length,
		 name->text ? name->text : "");
	if (name->text) {
		out_group(out, BLOCK(head), 9);
		out_row(out, "");
	}
	out_text(out, key, name->text ? BLOCK("") : NULL, -1,
		 name->text ? text : NULL);
}

static void print_command_line(struct out *out,
			       const struct taskacct_name *name)
{
	char list[NAME_MAX_SENT] = "";
	size_t length = name->length;

	if (!name->text) {
		out_list(out, "cmdline", NULL, NULL, 0);
		return;
	}
	if (length > sizeof(list) - 1)
		length = sizeof(list) - 1;
	memcpy(list, name->text, length);
	/* What was cut off does not end as it should. */
	if (length && list[length - 1])
		length++;
	out_group(out, BLOCK("COMMAND"), 9);
	out_row(out, "");
	out_list(out, "cmdline", BLOCK(""), list, length);
}

/* One reason why values are not valid, and which */
static void print_reason(struct out *out, const struct view *view,
			 const char *reason, uint64_t groups)
{
	const bool shown = view->reasons && groups;
	char list[LIST_MAX] = "";
	unsigned int bit;
	size_t n = 0;

	for (bit = 0; taskacct_group_name(bit); bit++)
		if (groups >> bit & 1)
			add_word(list, &n, taskacct_group_name(bit));
	if (shown) {
		out_group(out, "", 10);
		out_row(out, reason);
	}
	out_list(out, reason, shown ? "" : NULL, list, n);
}

static void print_reasons(struct out *out, const struct view *view,
			  const struct taskacct_record *r)
{
	print_reason(out, view, "absent", r->absent);
	print_reason(out, view, "off", r->off);
	print_reason(out, view, "late", r->late);
	print_reason(out, view, "gone", r->gone);
}

static void show_stream(struct out *out, bool valid,
			const struct taskacct_stream *stream)
{
	const struct {
		const char *key;
		uint64_t value;
	} cells[] = {
		{ "seq", stream->seq },
		{ "lost_queue", stream->lost_queue },
		{ "lost_memory", stream->lost_memory },
		{ "filtered", stream->filtered },
	};
	size_t i;

	for (i = 0; i < sizeof(cells) / sizeof(*cells); i++)
		out_cell(out, &(struct out_cell){ .key = cells[i].key,
						  .unit = TASKACCT_UNIT_COUNT,
						  .valid = valid,
						  .value = cells[i].value });
}

static const char *kind_name(const struct taskacct_record *r)
{
	switch (r->kind) {
	case TASKACCT_KIND_PROCESS:
		return "process";
	case TASKACCT_KIND_CGROUP:
		return "cgroup_total";
	default:
		return "task";
	}
}

static void make_title(char *title, size_t size,
		       const struct taskacct_extended *record)
{
	const struct taskacct_record *r = &record->r;
	char *comm = text_clean(r->comm, strlen(r->comm));

	if (r->kind == TASKACCT_KIND_PROCESS)
		snprintf(title, size, "process %" PRIu32 "  %s", r->tgid, comm);
	else if (r->kind == TASKACCT_KIND_CGROUP)
		snprintf(title, size, "cgroup %" PRIu64 " and below",
			 (uint64_t)r->cgroup);
	else
		snprintf(title, size,
			 "task %" PRIu32 "  %s  (process %" PRIu32 ")", r->pid,
			 comm, r->tgid);
	free(comm);
}

void extended_print(struct out *out, const struct view *view,
		    const struct taskacct_message *message,
		    const struct taskacct_extended *record)
{
	unsigned int sections = view->sections;
	char title[128];

	if (!sections && !out_is_stream(out))
		sections = VIEW_ALL;
	make_title(title, sizeof(title), record);
	out_begin(out, kind_name(&record->r), "extended", title);
	print_base(out, view, record);
	if (sections & VIEW_IO)
		print_io(out, record);
	if (sections & VIEW_SWITCHES)
		print_switches(out, record);
	if (sections == VIEW_ALL) {
		print_memory(out, record);
		print_others(out, record);
		print_places(out, record);
		print_name(out, "exe_path", "EXE", &message->exe);
		print_name(out, "cgroup_path", "CGROUP", &message->cgroup);
		print_command_line(out, &message->cmdline);
	}
	if (sections & VIEW_DELAYS)
		print_waits(out, record);
	print_reasons(out, view, &record->r);
	show_stream(out, message->has_stream, &message->stream);
	out_end(out);
}

void extended_gap(struct out *out, const struct view *view,
		  const struct taskacct_gap *gap)
{
	out_begin(out, "gap", "gaps", NULL);
	view_time(out, view);
	out_text(out, "family", NULL, 0, view->family);
	out_u64(out, "queue", NULL, 0, TASKACCT_UNIT_COUNT, gap->queue);
	out_u64(out, "memory", NULL, 0, TASKACCT_UNIT_COUNT, gap->memory);
	print_name(out, "cpus", "CPUS", &gap->cpus);
	out_u64(out, "since", NULL, 0, TASKACCT_UNIT_BOOT_NS, gap->since_ns);
	show_stream(out, true, &gap->stream);
	out_end(out);
}
