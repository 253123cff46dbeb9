// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays: what tasks used, and what they waited for
 *
 * The order of things, and nothing else.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "command.h"
#include "handle.h"
#include "listen.h"
#include "message.h"
#include "options.h"
#include "query.h"
#include "read.h"
#include "sink.h"

/* What is worse, of two things that went wrong */
static enum exit_status worse(enum exit_status a, enum exit_status b)
{
	static const int rank[] = {
		[EXIT_DONE] = 0,    [EXIT_LOST] = 1,  [EXIT_LOG] = 2,
		[EXIT_REFUSED] = 3, [EXIT_USAGE] = 4,
	};

	return rank[a] > rank[b] ? a : b;
}

static enum exit_status ask(const struct options *opt, struct sink *sink,
			    bool listens)
{
	enum exit_status status = EXIT_LOG;
	struct taskacct *ta;

	ta = handle_open(opt->family);
	if (!ta)
		return EXIT_REFUSED;
	if (!sink_begin(sink, ta))
		status = query_ids(opt, ta, sink);
	if (status != EXIT_LOG && opt->cgroup)
		status = worse(status, query_cgroup(opt, ta, sink));
	if (status != EXIT_LOG && opt->command && !listens)
		status = worse(status, query_command(opt, ta, sink));
	taskacct_close(ta);
	return status;
}

static enum exit_status run(const struct options *opt, struct sink *sink)
{
	const bool listens = opt->listen || opt->cpus;
	enum exit_status status = EXIT_DONE;

	if (opt->read)
		return read_run(opt, sink);
	if (opt->n_ids || opt->cgroup || (opt->command && !listens))
		status = ask(opt, sink, listens);
	if (listens)
		status = worse(status, listen_run(opt, sink));
	return status;
}

/* Zeros that nobody counted look like no delay at all. */
static void warn_delays(const struct options *opt)
{
	const bool blocks = opt->n_ids || (opt->command && !opt->listen);

	if (opt->read || view_delay_accounting())
		return;
	if ((opt->sections & VIEW_DELAYS) ||
	    (blocks && !opt->sections && opt->form == OUT_TABLE))
		message("delay accounting is off; for new tasks: %s",
			"sysctl kernel.task_delayacct=1");
}

/*
 * What is opened later must not take the place of standard output, or of
 * standard error: messages would go into the log. Nothing can be written here
 * either.
 */
static void fill_standard_fds(void)
{
	int fd;

	for (fd = 0; fd >= 0 && fd <= STDERR_FILENO;)
		fd = open("/", O_PATH | O_CLOEXEC);
	close(fd);
}

int main(int argc, char **argv)
{
	enum exit_status status;
	struct options opt;
	struct sink sink;

	message_set_program("getdelays");
	fill_standard_fds();
	/* For the widths of characters alone: names are printed as they are. */
	setlocale(LC_CTYPE, "C.UTF-8");
	/* A reader that goes away ends it as an interrupt does. */
	signal(SIGPIPE, SIG_IGN);
	/* The end of a command is not for whoever started this to ignore. */
	signal(SIGCHLD, SIG_DFL);
	options_parse(&opt, argc, argv);
	message_set_verbose(opt.verbose);
	warn_delays(&opt);
	status = sink_open(&sink, &opt);
	if (!status)
		status = run(&opt, &sink);
	status = worse(status,
		       sink_judge(&sink, opt.read ? opt.read : opt.family));
	sink_tell_left_out(&sink);
	if (filter_tell_undecided())
		status = worse(status, EXIT_LOST);
	if (sink_close(&sink))
		status = worse(status, EXIT_LOG);
	options_free(&opt);
	/* Where all went well, it ends as the command did. */
	return status ? (int)status : command_status();
}
