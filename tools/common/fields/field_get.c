// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fields that are made of a record's values
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "field_get.h"
#include "names.h"

#define NS_PER_S UINT64_C(1000000000)

/* Arguments have 4,096 bytes at most. */
#define ARGS_MAX 4200

const struct field_flag field_flags[] = {
	{ "oom", TASKACCT_RECORD_OOM, true },
	{ "core", TASKACCT_RECORD_CORE, true },
	{ "su", TASKACCT_RECORD_SU, true },
	{ "noexec", TASKACCT_RECORD_NOEXEC, true },
	{ "kthread", TASKACCT_RECORD_KTHREAD, true },
	{ "signal", TASKACCT_RECORD_SIGNAL, false },
	{ "last", TASKACCT_RECORD_LAST, false },
	{ NULL, 0, false },
};

static void set_text(struct value *value, const char *s, size_t length)
{
	value->s = s;
	value->length = length;
	if (!s)
		value->state = TASKACCT_ABSENT;
}

static void set_string(struct value *value, const char *s)
{
	set_text(value, s, s ? strlen(s) : 0);
}

void field_get_time(const struct rec *rec, struct value *value)
{
	value->n = rec_end(rec);
}

void field_get_started(const struct rec *rec, struct value *value)
{
	value->n = rec_end(rec) - rec_lifetime(rec);
}

#define CALENDAR_MAX 32

static void set_calendar(const struct rec *rec, struct value *value, char *text,
			 const char *form)
{
	const time_t when = (time_t)(rec_end(rec) / NS_PER_S);
	struct tm tm;

	set_text(value, text,
		 localtime_r(&when, &tm) ?
			 strftime(text, CALENDAR_MAX, form, &tm) :
			 0);
}

void field_get_day(const struct rec *rec, struct value *value)
{
	static char text[CALENDAR_MAX];

	set_calendar(rec, value, text, "%Y-%m-%d");
}

void field_get_hour(const struct rec *rec, struct value *value)
{
	static char text[CALENDAR_MAX];

	set_calendar(rec, value, text, "%Y-%m-%d %H");
}

void field_get_lifetime(const struct rec *rec, struct value *value)
{
	value->n = rec_lifetime(rec);
}

void field_get_kind(const struct rec *rec, struct value *value)
{
	const bool cgroup = !rec->classic &&
			    rec->x.r.kind == TASKACCT_KIND_CGROUP;

	set_string(value, cgroup	      ? "cgroup" :
			  rec_is_process(rec) ? "process" :
						"task");
}

void field_get_comm(const struct rec *rec, struct value *value)
{
	set_string(value, rec_comm(rec));
}

void field_get_exe(const struct rec *rec, struct value *value)
{
	set_text(value, rec->exe.text, rec->exe.length);
}

static void set_bracketed(struct value *value, char *text, const char *name)
{
	set_text(value, text, (size_t)snprintf(text, ARGS_MAX, "[%s]", name));
}

void field_get_args(const struct rec *rec, struct value *value)
{
	static char text[ARGS_MAX];
	size_t length = rec->cmdline.length, i;

	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	while (length && !rec->cmdline.text[length - 1])
		length--;
	if (!length) {
		set_bracketed(value, text, rec_comm(rec));
		return;
	}
	for (i = 0; i < length; i++)
		text[i] = rec->cmdline.text[i] ? rec->cmdline.text[i] : ' ';
	set_text(value, text, length);
}

void field_get_user(const struct rec *rec, struct value *value)
{
	value->state = rec_member(rec, TASKACCT_R_UID, &value->n);
	set_string(value, names_user((uint32_t)value->n));
}

void field_get_group(const struct rec *rec, struct value *value)
{
	value->state = rec_member(rec, TASKACCT_R_GID, &value->n);
	set_string(value, names_group((uint32_t)value->n));
}

static void set_name(const struct rec *rec, struct value *value,
		     enum name_kind kind)
{
	set_string(value, rec->cgroup.text ?
				  names_of_cgroup(rec->cgroup.text,
						  rec->cgroup.length, kind) :
				  NULL);
}

void field_get_unit(const struct rec *rec, struct value *value)
{
	set_name(rec, value, NAME_UNIT);
}

void field_get_user_unit(const struct rec *rec, struct value *value)
{
	set_name(rec, value, NAME_USER_UNIT);
}

void field_get_container(const struct rec *rec, struct value *value)
{
	set_name(rec, value, NAME_CONTAINER);
}

void field_get_cgroup(const struct rec *rec, struct value *value)
{
	set_text(value, rec->cgroup.text, rec->cgroup.length);
}

const char *field_signal_name(unsigned int number)
{
	const char *name = sigabbrev_np((int)number);
	static char text[32];

	if (name)
		snprintf(text, sizeof(text), "SIG%s", name);
	else if ((int)number >= SIGRTMIN && (int)number <= SIGRTMAX)
		snprintf(text, sizeof(text), "SIGRTMIN+%d",
			 (int)number - SIGRTMIN);
	else
		snprintf(text, sizeof(text), "SIG%u", number);
	return text;
}

/* A process that exits with its last thread's death has that one's signal. */
void field_get_exit(const struct rec *rec, struct value *value)
{
	static char text[32];
	unsigned int signal;

	value->state = rec_member(rec, TASKACCT_R_EXIT_CODE, &value->n);
	if (value->state != TASKACCT_VALID)
		return;
	signal = value->n & 0x7f;
	if (signal && (rec_flags(rec) & TASKACCT_RECORD_OOM))
		snprintf(text, sizeof(text), "oom");
	else if (signal)
		snprintf(text, sizeof(text), "%s", field_signal_name(signal));
	else
		snprintf(text, sizeof(text), "%u",
			 (unsigned int)(value->n >> 8) & 0xff);
	set_string(value, text);
}

void field_get_flags(const struct rec *rec, struct value *value)
{
	const uint32_t flags = rec_flags(rec);
	const struct field_flag *flag;
	static char text[64];
	size_t n = 0;

	for (flag = field_flags; flag->word; flag++)
		if (flag->shown && (flags & flag->bit))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%s", n ? "," : "", flag->word);
	set_text(value, text, n);
}

void field_get_cpu(const struct rec *rec, struct value *value)
{
	uint64_t system;

	value->state = rec_member(rec, TASKACCT_R_ON_CPU, &value->n);
	if (value->state == TASKACCT_VALID)
		return;
	value->state = rec_member(rec, TASKACCT_R_RUNTIME, &value->n);
	if (value->state == TASKACCT_VALID)
		return;
	value->state = rec_member(rec, TASKACCT_R_UTIME, &value->n);
	rec_member(rec, TASKACCT_R_STIME, &system);
	value->n += system;
}

void field_get_rss(const struct rec *rec, struct value *value)
{
	uint64_t file, shmem;

	value->state = rec_member(rec, TASKACCT_R_RSS_ANON, &value->n);
	rec_member(rec, TASKACCT_R_RSS_FILE, &file);
	rec_member(rec, TASKACCT_R_RSS_SHMEM, &shmem);
	value->n += file + shmem;
}
