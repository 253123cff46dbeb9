// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of fields
 */
#include <string.h>

#include "field.h"
#include "field_get.h"

/* clang-format off */

/* A value of the record, which has its name from libtaskacct's table */
#define M(its_member, its_alias, heading, its_unit, its_sum, columns, text) \
	{								\
		.alias = its_alias,					\
		.head = heading,					\
		.unit = UNIT_##its_unit,				\
		.sum = SUM_##its_sum,					\
		.width = columns,					\
		.member = TASKACCT_R_##its_member,			\
		.doc = text,						\
	}

/* A value that is made of others */
#define D(its_name, its_alias, heading, its_unit, its_sum, columns, text) \
	{								\
		.name = #its_name,					\
		.alias = its_alias,					\
		.head = heading,					\
		.unit = UNIT_##its_unit,				\
		.sum = SUM_##its_sum,					\
		.width = columns,					\
		.get = field_get_##its_name,				\
		.doc = text,						\
	}

/* A value that adds up: all of it stands in <linux/taskacct_values.h>, but the width. */
#define S(number, its_member, name, its_unit, group, after, its_alias, heading, text) \
	M(its_member, its_alias, heading, its_unit, TOTAL, 0, text),

/* What it waited for: four values */
#define W(KIND, its_alias, HEAD, what)					\
	M(WAIT_##KIND##_TOTAL, "wait_" #its_alias, "W-" HEAD, NS, TOTAL, 6, \
	  "Time spent waiting for " what "."),				\
	M(WAIT_##KIND##_COUNT, "waits_" #its_alias, "N-" HEAD, COUNT, TOTAL, 5, \
	  "How often it waited for " what "."),				\
	M(WAIT_##KIND##_MAX, NULL, "MAX-" HEAD, NS, MAX, 6,		\
	  "The longest single wait for " what "."),			\
	M(WAIT_##KIND##_MIN, NULL, "MIN-" HEAD, NS, MIN, 6,		\
	  "The shortest single wait for " what ".")

static struct field fields[] = {
	D(time, NULL, "TIME", DATE, MAX, 19,
	  "When it ended; of a live one, when it was asked about."),
	D(started, NULL, "STARTED", DATE, FIRST, 19,
	  "When it started."),
	D(day, NULL, "DAY", TEXT, NONE, 10,
	  "The day on which it ended, in local time."),
	D(hour, NULL, "HOUR", TEXT, NONE, 13,
	  "The hour in which it ended, in local time."),
	D(lifetime, "life", "LIFE", NS, TOTAL, 6,
	  "How long it lived: the time from its start to its end."),
	D(kind, NULL, "KIND", TEXT, NONE, 7,
	  "process or task, and cgroup for the sum over a cgroup's live tasks."),
	M(PID, NULL, "PID", ID, NONE, 7,
	  "Number of the task, or of the process's leader."),
	M(TGID, NULL, "TGID", ID, NONE, 7,
	  "Number of its process."),
	M(PPID, NULL, "PPID", ID, NONE, 7,
	  "Number of its parent, when it exited."),
	M(INIT_PID, NULL, "INIT-PID", ID, NONE, 7,
	  "pid in the initial pid namespace."),
	M(INIT_TGID, NULL, "INIT-TGID", ID, NONE, 7,
	  "tgid in the initial pid namespace."),
	M(INIT_PPID, NULL, "INIT-PPID", ID, NONE, 7,
	  "ppid in the initial pid namespace."),
	M(PID_NS, NULL, "PID-NS", ID, NONE, 10,
	  "Inode of its pid namespace."),
	D(comm, "command", "COMMAND", TEXT, NONE, 15,
	  "Its name: 15 characters, mostly of the executable's file name."),
	D(exe, "exe_path", "EXE", TEXT, NONE, 20,
	  "Path of the executable. A filter without a slash compares the file name."),
	D(args, "cmdline", "ARGS", TEXT, NONE, 20,
	  "Its arguments with blanks between; where they are not known its name in brackets."),
	M(UID, NULL, "UID", UID, NONE, 6,
	  "Number of its real user."),
	D(user, NULL, "USER", TEXT, NONE, 8,
	  "Name of its real user."),
	M(GID, NULL, "GID", GID, NONE, 6,
	  "Number of its real group."),
	D(group, NULL, "GROUP", TEXT, NONE, 8,
	  "Name of its real group."),
	M(EUID, NULL, "EUID", UID, NONE, 6,
	  "Number of its effective user."),
	M(EGID, NULL, "EGID", GID, NONE, 6,
	  "Number of its effective group."),
	M(LOGINUID, NULL, "LOGIN", UID, NONE, 6,
	  "Number of the user who logged in, by the audit system."),
	D(unit, NULL, "UNIT", TEXT, NONE, 20,
	  "The systemd unit, by its cgroup's path."),
	D(user_unit, "uunit", "USER-UNIT", TEXT, NONE, 20,
	  "The unit of a user's own manager, by its cgroup's path."),
	D(container, NULL, "CONTAINER", TEXT, NONE, 20,
	  "The container, by its cgroup's path: the engine, a colon, 12 digits of the id."),
	D(cgroup, "cgroup_path", "CGROUP", TEXT, NONE, 25,
	  "Path of its cgroup v2. A filter with = means it and all below it."),
	M(CGROUP, "cgroup_id", "CGROUP-ID", ID, NONE, 9,
	  "Number of its cgroup v2."),
	D(exit, NULL, "EXIT", EXIT, NONE, 7,
	  "How it ended: its status, the signal's name, or oom where the OOM killer chose it."),
	M(EXIT_CODE, NULL, "CODE", ID, NONE, 5,
	  "How it ended, as wait() has it."),
	M(GROUP_EXIT_CODE, NULL, "GROUP-CODE", ID, NONE, 5,
	  "How all its threads were ended at once, or 0."),
	M(SIGNAL, NULL, "SIGNAL", ID, NONE, 6,
	  "Number of the signal that ended it, or 0."),
	D(flags, NULL, "FLAGS", TEXT, NONE, 10,
	  "What happened to it: oom, core, su (it used a superuser's right), noexec, kthread."),
	M(THREADS, NULL, "THREADS", COUNT, TOTAL, 7,
	  "Threads that the process has had in all."),
	M(CPU, "cpu_nr", "CPU#", ID, NONE, 4,
	  "The CPU where it ended or ran last."),
	M(NICE, NULL, "NICE", SIGNED, NONE, 4,
	  "Its nice value."),
	M(POLICY, NULL, "POLICY", ID, NONE, 6,
	  "Its scheduling policy, SCHED_*."),
	D(cpu, "cpu_time", "CPU", NS, TOTAL, 6,
	  "Time on CPUs: on_cpu where that is counted, else runtime, else utime and stime."),
	TASKACCT_RUN_SUMS(S)
	TASKACCT_IO_SUMS(S)
	M(PEAK_RSS, "peak", "PEAK", BYTES, MAX, 6,
	  "The most memory ever resident. Of a group that of its largest process."),
	M(PEAK_VM, NULL, "PEAK-VM", BYTES, MAX, 7,
	  "The most address space ever mapped, likewise."),
	D(rss, NULL, "RSS", BYTES, TOTAL, 6,
	  "Memory resident when it exited or was asked: rss_anon, rss_file and rss_shmem."),
	M(RSS_ANON, "anon", "ANON", BYTES, TOTAL, 6,
	  "Of rss, anonymous memory."),
	M(RSS_FILE, "file", "FILE", BYTES, TOTAL, 6,
	  "Of rss, pages of files."),
	M(RSS_SHMEM, "shmem", "SHMEM", BYTES, TOTAL, 6,
	  "Of rss, shared memory."),
	M(SWAP, NULL, "SWAP", BYTES, TOTAL, 6,
	  "Anonymous memory in swap."),
	TASKACCT_TASK_SUMS(S)
	W(CPU, cpu, "CPU", "a CPU, in a run queue"),
	W(BLKIO, io, "IO", "synchronous block I/O"),
	W(SWAPIN, swap, "SWAP", "pages to come back from swap"),
	W(FREEPAGES, reclaim, "RECL", "direct reclaim of memory"),
	W(THRASHING, thrash, "THRA", "pages that were evicted too early"),
	W(COMPACT, compaction, "COMP", "direct compaction of memory"),
	W(WPCOPY, copy, "COPY", "copies on write"),
	W(IRQ, irqs, "IRQ", "interrupts on its CPU"),
	M(CPU_ACCOUNTING, NULL, "ACCOUNTING", ID, NONE, 4,
	  "How utime and stime are counted: 0 by ticks, 1 and 2 exactly."),
	M(EXE_DEV, NULL, "EXE-DEV", ID, NONE, 7,
	  "Device of its executable, as in st_dev."),
	M(EXE_INO, NULL, "EXE-INO", ID, NONE, 8,
	  "Inode of its executable."),
	M(START, "start_boot", "START", BOOT, FIRST, 7,
	  "When it started, since the machine was booted."),
	M(END, "end_boot", "END", BOOT, MAX, 7,
	  "When it ended, since the machine was booted."),
	M(REAL_END, NULL, "REAL-END", EPOCH, MAX, 19,
	  "As time. Programs get nanoseconds since 1970."),
};

/* clang-format on */

#define FIELDS (sizeof(fields) / sizeof(*fields))

/* People call a cgroup's path what is its number's name, and CPU time its CPU's. */
static const char *member_name(enum taskacct_member member)
{
	switch (member) {
	case TASKACCT_R_CGROUP:
		return "cgroup_id";
	case TASKACCT_R_CPU:
		return "cpu_nr";
	default:
		return taskacct_member_info(member)->name;
	}
}

/* A heading may be longer than the values of a unit. */
static int width_of(const struct field *f)
{
	const int values = f->unit == UNIT_KIB_US ? 8 :
			   f->unit == UNIT_COUNT  ? 5 : 6;
	const int heading = strlen(f->head);

	return heading > values ? heading : values;
}

static void complete_fields(void)
{
	struct field *f;

	for (f = fields; f < fields + FIELDS; f++) {
		if (!f->width)
			f->width = width_of(f);
		if (!f->name)
			f->name = member_name(f->member);
	}
}

size_t field_count(void)
{
	return FIELDS;
}

const struct field *field_at(size_t i)
{
	if (!fields[FIELDS - 1].name)
		complete_fields();
	return &fields[i];
}

static bool is_name(const char *name, size_t length, const char *its)
{
	size_t i;

	if (!its || strlen(its) != length)
		return false;
	for (i = 0; i < length; i++)
		if ((name[i] == '-' ? '_' : name[i]) != its[i])
			return false;
	return true;
}

const struct field *field_find(const char *name, size_t length)
{
	const struct field *f;
	size_t i;

	for (i = 0; i < FIELDS; i++) {
		f = field_at(i);
		if (is_name(name, length, f->name) ||
		    is_name(name, length, f->alias))
			return f;
	}
	return NULL;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

#define WORD_MAX 32

unsigned int field_distance(const char *a, size_t n, const char *b)
{
	unsigned int d[WORD_MAX + 1][WORD_MAX + 1];
	size_t m = strlen(b), i, j;

	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (i = 0; i <= n; i++) {
		for (j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = (unsigned int)(i + j);
				continue;
			}
			d[i][j] =
				min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				     d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && d[i - 2][j - 2] < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[n][m];
}

const char *field_nearest(const char *name, size_t length)
{
	const char *names[2], *nearest = NULL;
	unsigned int best = length > 4 ? 3 : 2, distance;
	size_t i, j;

	for (i = 0; i < FIELDS; i++) {
		names[0] = field_at(i)->name;
		names[1] = field_at(i)->alias;
		for (j = 0; j < 2 && names[j]; j++) {
			distance = field_distance(name, length, names[j]);
			if (distance < best) {
				best = distance;
				nearest = names[j];
			}
		}
	}
	return nearest;
}

void field_get(const struct field *field, const struct rec *rec,
	       struct value *value)
{
	value->state = TASKACCT_VALID;
	value->n = 0;
	value->s = NULL;
	value->length = 0;
	if (field->get)
		field->get(rec, value);
	else
		value->state = rec_member(rec, field->member, &value->n);
}

uint32_t field_flag_bit(const char *word, size_t length)
{
	const struct field_flag *flag;

	for (flag = field_flags; flag->word; flag++)
		if (is_name(word, length, flag->word))
			return flag->bit;
	return 0;
}
