// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmdataskacct: task accounting as metrics of Performance Co-Pilot
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#define DOMAIN 498

/* Exits are taken when there are so many, and once a second. */
#define EXITS_AT_ONCE 64
#define WAIT_MS 1000

static volatile sig_atomic_t stopped;

static const char *config_path;
static bool list_only;

static pmLongOptions long_options[] = {
	PMDA_OPTIONS_HEADER("Options"),
	{ "config", 1, 'c', "FILE", "configuration" },
	{ "list", 0, 'L', NULL, "print the names of all metrics, and end" },
	PMDAOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_LOGFILE,
	PMOPT_HELP,
	PMDA_OPTIONS_END,
};

static pmdaOptions options = {
	.short_options = "c:D:d:Ll:?",
	.long_options = long_options,
};

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = stop };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGHUP, SIG_IGN);
}

static bool read_options(int argc, char **argv, pmdaInterface *dispatch)
{
	int c;

	while ((c = pmdaGetOptions(argc, argv, &options, dispatch)) != EOF) {
		if (c == 'c')
			config_path = options.optarg;
		else if (c == 'L')
			list_only = true;
	}
	if (!options.errors && options.optind == argc)
		return true;
	pmdaUsageMessage(&options);
	return false;
}

/* Who starts it by hand would wait in vain for it to say something. */
static bool is_started_by_pmcd(void)
{
	if (!isatty(STDIN_FILENO))
		return true;
	fprintf(stderr,
		"%s: this is an agent, which pmcd starts: cd %s/taskacct && ./Install\n",
		pmGetProgname(), pmGetConfig("PCP_PMDAS_DIR"));
	return false;
}

/* Until pmcd is gone, or ends it */
static void serve(pmdaInterface *dispatch)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct taskacct_ring *ring;

	fds[0].fd = __pmdaInFd(dispatch);
	while (!stopped) {
		module_connect();
		exits_take();
		ring = module_ring();
		fds[1].fd = ring ? taskacct_ring_fd(ring) : -1;
		/* This only says when the descriptor is to be ready. */
		if (ring)
			taskacct_ring_wait(ring, EXITS_AT_ONCE, 0);
		if (poll(fds, 2, WAIT_MS) < 0 && errno != EINTR)
			break;
		if (!stopped && fds[0].revents && __pmdaMainPDU(dispatch) < 0)
			break;
		fds[0].revents = 0;
	}
	exits_take();
}

int main(int argc, char **argv)
{
	static pmdaInterface dispatch;
	char default_config[MAXPATHLEN], default_log[MAXPATHLEN];

	pmSetProgname(argv[0]);
	snprintf(default_config, sizeof(default_config), "%s/taskacct/taskacct.conf",
		 pmGetConfig("PCP_SYSCONF_DIR"));
	config_path = default_config;
	snprintf(default_log, sizeof(default_log), "%s/pmcd/taskacct.log",
		 pmGetConfig("PCP_LOG_DIR"));
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), DOMAIN, default_log, NULL);
	if (!read_options(argc, argv, &dispatch))
		return 1;
	if (list_only) {
		metrics_list();
		return 0;
	}
	if (!is_started_by_pmcd())
		return 1;
	pmdaOpenLog(&dispatch);
	pmdaSetCommFlags(&dispatch, PMDA_FLAG_AUTHORIZE);
	if (!config_read(config_path) || !ended_open() || !events_open() ||
	    !metrics_init(&dispatch))
		return 1;
	catch_signals();
	pmdaConnect(&dispatch);
	if (dispatch.status)
		return 1;
	serve(&dispatch);
	ended_close();
	module_disconnect();
	return 0;
}
