/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line */
#ifndef GETDELAYS_OPTIONS_H
#define GETDELAYS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "out.h"
#include "sort.h"
#include "taskacct.h"

/**
 * enum summary_key - what totals are made by
 * @SUMMARY_NONE: none are made
 * @SUMMARY_COMM: commands
 * @SUMMARY_UID: users
 * @SUMMARY_CGROUP: cgroups v2
 */
enum summary_key {
	SUMMARY_NONE,
	SUMMARY_COMM,
	SUMMARY_UID,
	SUMMARY_CGROUP,
};

/**
 * struct options_id - a task or process to ask for
 * @kind: which of the two
 * @id: its number
 */
struct options_id {
	enum taskacct_kind kind;
	uint32_t id;
};

/**
 * struct options - what the command line says
 * @sections: parts of a record, &enum view_section
 * @ids: tasks and processes to ask for
 * @n_ids: how many
 * @listen: go on until interrupted (-l)
 * @cpus: list of CPUs to hear, "all", or NULL (-m)
 * @per_cpu: a listener for each CPU
 * @command: command to run, or NULL (-c)
 * @log: file to log to, or NULL (-w)
 * @read: file to read, or NULL (-R)
 * @rcvbuf: bytes of receive buffer, or 0 (-r)
 * @family: name of the family
 * @form: table, JSON or CSV
 * @summary: what totals at the end are made by
 * @sort: what the table is sorted by
 * @status: the module's statistics
 * @listeners: who listens
 * @all: all tasks that there are
 * @extended: extended records
 * @filter: which tasks are meant, and which kinds of records
 * @batches: messages may wait for others
 * @batch: for how long
 * @cgroup: directory of a cgroup, or NULL (-C)
 * @one_user: totals of one user
 * @uid: which
 * @users: totals of all users
 * @interval_ns: what users use in each interval of so many ns, 0: once
 * @verbose: say more (-v)
 */
struct options {
	unsigned int sections;
	struct options_id *ids;
	size_t n_ids;
	bool listen;
	const char *cpus;
	bool per_cpu;
	char **command;
	const char *log;
	const char *read;
	int rcvbuf;
	const char *family;
	enum out_form form;
	enum summary_key summary;
	enum sort_key sort;
	bool status;
	bool listeners;
	bool all;
	bool extended;
	struct taskacct_filter filter;
	bool batches;
	struct taskacct_batch batch;
	const char *cgroup;
	bool one_user;
	uint32_t uid;
	bool users;
	uint64_t interval_ns;
	bool verbose;
};

/**
 * options_parse() - read the command line
 * @opt: what it says
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Does not return where it is wrong, or asks for help.
 */
void options_parse(struct options *opt, int argc, char **argv);

/**
 * options_want() - what messages shall have
 * @opt: command line
 * @listens: they are exit messages
 *
 * Return: TASKACCT_WANT_*, 0 for what the kernel's own have.
 */
uint32_t options_want(const struct options *opt, bool listens);

/**
 * options_free() - free what the command line took
 * @opt: command line
 */
void options_free(struct options *opt);

#endif /* GETDELAYS_OPTIONS_H */
