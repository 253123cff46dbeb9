/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line */
#ifndef GETDELAYS_OPTIONS_H
#define GETDELAYS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "out.h"
#include "taskacct.h"

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
 * enum options_ring - whether exits are read from shared memory
 * @OPTIONS_RING_MAY: where all that is asked for is there, and it may be opened
 * @OPTIONS_RING_ONLY: they are, or it is said why they cannot be (--ring)
 * @OPTIONS_RING_NOT: a listener hears of them (--netlink)
 */
enum options_ring {
	OPTIONS_RING_MAY,
	OPTIONS_RING_ONLY,
	OPTIONS_RING_NOT,
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
 * @extended: extended records
 * @filter: which tasks are meant, and which kinds of records
 * @ring: whether exits are read from shared memory; settled by options_parse()
 * @batches: messages may wait for others
 * @batch: for how long
 * @cgroup: directory of a cgroup, or NULL (-C)
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
	bool extended;
	struct taskacct_filter filter;
	enum options_ring ring;
	bool batches;
	struct taskacct_batch batch;
	const char *cgroup;
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
