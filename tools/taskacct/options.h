/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line: one table of options for all verbs */
#ifndef TASKACCT_CMD_OPTIONS_H
#define TASKACCT_CMD_OPTIONS_H

#include "base/message.h"
#include "filter/filter.h"
#include "out/out.h"

/**
 * enum verb_bit - verbs, as bits of &struct option_info.verbs
 */
enum verb_bit {
	VERB_TOP = 1 << 0,
	VERB_EXITS = 1 << 1,
	VERB_RUN = 1 << 2,
	VERB_SHOW = 1 << 3,
	VERB_REPORT = 1 << 4,
	VERB_LIST = 1 << 5,
	VERB_STATUS = 1 << 6,
	VERB_HELP = 1 << 7,
	VERB_AUDIT = 1 << 8,
	VERB_CPU = 1 << 9,
	VERB_COUNTERS = 1 << 10,
	VERB_RECORD = 1 << 11,
	VERB_USERS = 1 << 12,
};

/**
 * enum arguments - what a verb takes beside options
 * @ARGS_NONE: nothing
 * @ARGS_FILTER: a filter
 * @ARGS_FILTER_FILES: a filter and logs
 * @ARGS_COMMAND: a command with its arguments, which are not looked into
 * @ARGS_WORDS: anything
 */
enum arguments {
	ARGS_NONE,
	ARGS_FILTER,
	ARGS_FILTER_FILES,
	ARGS_COMMAND,
	ARGS_WORDS,
};

/**
 * struct options - what the command line says
 * @columns: -o, or NULL
 * @style: --json, --csv, --no-headings, --color
 * @filter: filter or NULL
 * @since: first moment that counts, nanoseconds since 1970
 * @until: last moment
 * @by: --by, or NULL
 * @sort: --sort, or NULL
 * @reverse: the smallest first
 * @limit: rows at most, 0 for all
 * @tree: --tree
 * @list: --list
 * @kinds: processes, or with --tasks tasks
 * @html: file for a page, or NULL
 * @trace: file for a trace, or NULL
 * @to: file for what is reported of a command, or NULL for standard error
 * @rcvbuf: bytes of the receive buffer, 0 for what is usual
 * @family: generic netlink family
 * @batch: -b of top
 * @rounds: -n of top, cpu and users, 0 for no end
 * @delay_ns: -d of these and of status; 0 for users to tell once what they have used,
 *	and for status to look once
 * @per_cpu: --per-cpu
 * @dir: --dir, or NULL
 * @max_size: --max-size of record
 * @keep_ns: --keep of record
 * @rotate: --rotate of record
 * @netlink: --netlink of record
 * @keyed: --keyed of exits
 * @words: arguments that are no filter
 * @n: how many
 */
struct options {
	const char *columns;
	struct out_style style;
	struct filter *filter;
	uint64_t since;
	uint64_t until;
	const char *by;
	const char *sort;
	bool reverse;
	uint64_t limit;
	bool tree;
	bool list;
	enum rec_kinds kinds;
	const char *html;
	const char *trace;
	const char *to;
	int rcvbuf;
	const char *family;
	bool batch;
	uint64_t rounds;
	uint64_t delay_ns;
	bool per_cpu;
	const char *dir;
	uint64_t max_size;
	uint64_t keep_ns;
	bool rotate;
	bool netlink;
	bool keyed;
	char **words;
	size_t n;
};

/**
 * struct verb - a verb
 * @name: its name
 * @bit: of &enum verb_bit
 * @arguments: what it takes
 * @usage: its arguments, for the help
 * @doc: what it does, in a line
 * @more: examples, NULL for none
 * @run: does it
 */
struct verb {
	const char *name;
	enum verb_bit bit;
	enum arguments arguments;
	const char *usage;
	const char *doc;
	const char *more;
	enum status (*run)(struct options *opt);
};

extern const struct verb verbs[];

/**
 * verb_find() - a verb by its name, or end the program
 * @name: name
 *
 * Return: the verb.
 */
const struct verb *verb_find(const char *name);

/**
 * options_parse() - understand a command line, or end the program
 * @opt: filled in
 * @verb: verb
 * @argc: arguments, the first of which is the verb
 * @argv: them
 */
void options_parse(struct options *opt, const struct verb *verb, int argc,
		   char **argv);

/**
 * options_help() - print a verb's options
 * @file: where to
 * @verb: verb
 */
void options_help(FILE *file, const struct verb *verb);

/**
 * options_words() - print a verb's options, one a line, for completion
 * @file: where to
 * @verb: verb
 */
void options_words(FILE *file, const struct verb *verb);

enum status audit_run(struct options *opt);
enum status counters_run(struct options *opt);
enum status cpu_run(struct options *opt);
enum status exits_run(struct options *opt);
enum status help_run(struct options *opt);
enum status list_run(struct options *opt);
enum status record_run(struct options *opt);
enum status report_run(struct options *opt);
enum status run_run(struct options *opt);
enum status show_run(struct options *opt);
enum status status_run(struct options *opt);
enum status top_run(struct options *opt);
enum status users_run(struct options *opt);

#endif /* TASKACCT_CMD_OPTIONS_H */
