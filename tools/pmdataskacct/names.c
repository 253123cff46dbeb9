// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of instances: UNIT::COMMAND::OUTCOME
 *
 * PCP ends a name at its first space, and prints it as it is: other bytes than printable
 * ones are written as systemd writes them in units, "\x20".
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent.h"

/* Longer cgroups are cut off, so that a command and an outcome fit behind them. */
#define UNIT_MAX 160

#define SEPARATOR "::"

static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '\\' && c != '"';
}

/* Appends text as far as it fits; no byte is written in part. */
static size_t append(char *to, size_t at, size_t size, const char *text, size_t length)
{
	size_t i, n;

	for (i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		n = is_plain(c) ? 1 : 4;
		if (at + n >= size)
			break;
		if (n == 1)
			to[at] = (char)c;
		else
			snprintf(to + at, n + 1, "\\x%02x", c);
		at += n;
	}
	to[at] = 0;
	return at;
}

/* The last part of a path, which is the unit where systemd made it */
static struct taskacct_name last_part(struct taskacct_name path)
{
	const char *slash = memrchr(path.text, '/', path.length);

	if (slash && path.length > 1) {
		path.length -= (size_t)(slash + 1 - path.text);
		path.text = slash + 1;
	}
	return path;
}

/*
 * Sessions and transient units have a number that never comes again: all of a kind are one
 * unit here.
 */
static size_t append_unit(char *name, struct taskacct_name unit)
{
	static const char *const kinds[] = { "session-", "run-" };
	size_t i, n;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *dot = memrchr(unit.text, '.', unit.length);

		n = strlen(kinds[i]);
		if (unit.length < n || memcmp(unit.text, kinds[i], n) || !dot)
			continue;
		n = append(name, 0, UNIT_MAX, kinds[i], n);
		n = append(name, n, UNIT_MAX, "N", 1);
		return append(name, n, UNIT_MAX, dot,
			      unit.length - (size_t)(dot - unit.text));
	}
	return append(name, 0, UNIT_MAX, unit.text, unit.length);
}

static size_t append_cgroup(char *name, const struct taskacct_extended *record,
			    const struct taskacct_name *cgroup)
{
	if (record->r.flags & TASKACCT_RECORD_KTHREAD)
		return append(name, 0, UNIT_MAX, "kernel", 6);
	if (!cgroup->text)
		return append(name, 0, UNIT_MAX, "-", 1);
	if (config.by_cgroup)
		return append(name, 0, UNIT_MAX, cgroup->text, cgroup->length);
	return append_unit(name, last_part(*cgroup));
}

/* Of the kernel's workers without the CPU and number, which are other ones each time */
static size_t command_length(const struct taskacct_record *r)
{
	if (r->flags & TASKACCT_RECORD_KTHREAD)
		return strcspn(r->comm, "/");
	return strlen(r->comm);
}

enum ended_stream name_outcome(const struct taskacct_extended *record)
{
	const struct taskacct_record *r = &record->r;

	if (taskacct_validity(record, TASKACCT_R_EXIT_CODE) != TASKACCT_VALID)
		return ENDED_UNKNOWN;
	if (r->flags & TASKACCT_RECORD_OOM && r->exit_code & 0x7f)
		return ENDED_OOM;
	if (r->exit_code & 0x80)
		return ENDED_CORE;
	if (r->exit_code & 0x7f)
		return ENDED_KILLED;
	return r->exit_code ? ENDED_FAILED : ENDED_OK;
}

const char *name_of_outcome(enum ended_stream outcome)
{
	static const char *const words[] = {
		[ENDED_OK] = "ok",	   [ENDED_FAILED] = "failed",
		[ENDED_KILLED] = "killed", [ENDED_CORE] = "core",
		[ENDED_OOM] = "oom",	   [ENDED_UNKNOWN] = "unknown",
	};

	return words[outcome];
}

void name_make(char name[NAME_MAX_LENGTH], const struct taskacct_extended *record,
	       const struct taskacct_name *cgroup)
{
	const char *outcome = name_of_outcome(name_outcome(record));
	size_t at = append_cgroup(name, record, cgroup);

	at = append(name, at, NAME_MAX_LENGTH, SEPARATOR, strlen(SEPARATOR));
	at = append(name, at, NAME_MAX_LENGTH, record->r.comm, command_length(&record->r));
	at = append(name, at, NAME_MAX_LENGTH, SEPARATOR, strlen(SEPARATOR));
	append(name, at, NAME_MAX_LENGTH, outcome, strlen(outcome));
}

/* For JSON, which has backslashes of its own */
static void escape(char to[2 * NAME_MAX_LENGTH], const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] == '\\')
			*to++ = '\\';
		*to++ = text[i];
	}
	*to = 0;
}

static int add_label(pmLabelSet **labels, const char *name, const char *text, size_t length)
{
	char value[2 * NAME_MAX_LENGTH];

	escape(value, text, length);
	return pmdaAddLabels(labels, "{\"%s\":\"%s\"}", name, value);
}

/* A container's cgroup is such as docker-ID.scope, with an ID of 64 hexadecimal digits. */
static int add_container(pmLabelSet **labels, const char *unit, size_t length)
{
	static const char suffix[] = ".scope";
	const size_t end = length - (sizeof(suffix) - 1);
	size_t i;

	if (length < 64 + sizeof(suffix) ||
	    memcmp(unit + end, suffix, sizeof(suffix) - 1) || unit[end - 65] != '-')
		return 0;
	for (i = end - 64; i < end; i++)
		if (!isxdigit((unsigned char)unit[i]))
			return 0;
	return add_label(labels, "container", unit + end - 64, 64);
}

int name_labels(const char *name, pmLabelSet **labels)
{
	const char *outcome = name + strlen(name), *command = strstr(name, SEPARATOR);
	const size_t n = strlen(SEPARATOR);
	int err;

	if (!command)
		return 0;
	while (strncmp(outcome, SEPARATOR, n))
		outcome--;
	err = add_container(labels, name, (size_t)(command - name));
	if (err >= 0)
		err = add_label(labels, config.by_cgroup ? "cgroup" : "unit", name,
				(size_t)(command - name));
	if (err >= 0)
		err = add_label(labels, "command", command + n,
				(size_t)(outcome - command) - n);
	if (err >= 0)
		err = add_label(labels, "outcome", outcome + n, strlen(outcome + n));
	return err;
}
