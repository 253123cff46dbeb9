// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays: what tasks used, and what they waited for
 *
 * The order of things, and nothing else.
 */
#include "listen.h"
#include "message.h"
#include "options.h"
#include "query.h"
#include "sink.h"

/* What is worse, of two things that went wrong */
static enum exit_status worse(enum exit_status a, enum exit_status b)
{
	static const int rank[] = {
		[EXIT_DONE] = 0, [EXIT_LOST] = 1, [EXIT_LOG] = 2,
		[EXIT_REFUSED] = 3, [EXIT_USAGE] = 4,
	};

	return rank[a] > rank[b] ? a : b;
}

static enum exit_status ask(const struct options *opt, struct sink *sink,
			    bool listens)
{
	enum exit_status status = EXIT_REFUSED;
	struct taskacct *ta;
	int err;

	err = taskacct_open(&ta, opt->family);
	if (err) {
		message_failed(err, ta ? taskacct_error(ta) : "out of memory");
		taskacct_close(ta);
		return status;
	}
	status = query_ids(opt, ta, sink);
	if (opt->command && !listens)
		status = worse(status, query_command(opt, ta, sink));
	taskacct_close(ta);
	return status;
}

static enum exit_status run(const struct options *opt, struct sink *sink)
{
	const bool listens = opt->listen || opt->cpus;
	enum exit_status status = EXIT_DONE;

	if (opt->n_ids || (opt->command && !listens))
		status = ask(opt, sink, listens);
	if (listens)
		status = worse(status, listen_run(opt, sink));
	return status;
}

int main(int argc, char **argv)
{
	enum exit_status status;
	struct options opt;
	struct sink sink;

	options_parse(&opt, argc, argv);
	sink_open(&sink, &opt);
	status = run(&opt, &sink);
	if (sink_close(&sink))
		status = worse(status, EXIT_LOG);
	return (int)status;
}
