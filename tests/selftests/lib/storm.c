// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module goes and comes while CPUs fork and exit, listeners are registered
 * and queries run.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acct.h"
#include "module.h"
#include "storm.h"
#include "sys.h"

#define LISTENERS 3
#define THREADS 4

/* Long enough for anything that is going to happen on a loaded host */
#define PATIENCE_MS 60000

static bool reported_to_end(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) != 0;
}

/* Processes with and without threads, one after the other, on one CPU */
static int exits(int fd, void *arg)
{
	char *stacks = work_stacks(THREADS);
	pid_t pid;
	int i;

	if (work_pin((uintptr_t)arg))
		return 1;
	work_send(fd, 'r');
	while (!reported_to_end(fd)) {
		pid = fork();
		if (pid == 0) {
			for (i = 0; i < THREADS; i++)
				work_raw_thread(work_raw_end, NULL,
						stacks + i * WORK_STACK, NULL);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}

/* Queries, statistics and dumps, whether the family is there or not */
static int queries(int fd, void *arg)
{
	struct acct_listener l[8];
	struct taskstats st;
	struct acct_stat stat;
	struct acct_sock s;
	bool good = false;

	(void)arg;
	work_send(fd, 'r');
	/* At the end the module is there: who had no luck until then has now. */
	while (!good || !reported_to_end(fd)) {
		if (acct_open(&s))
			continue;
		while (!acct_query_tgid(&s, getpid(), &st) &&
		       !acct_query_pid(&s, getppid(), &st) &&
		       !acct_stat_get(&s, &stat) &&
		       acct_listener_dump(&s, l, 8) >= 0) {
			good = true;
			if (reported_to_end(fd))
				break;
		}
		acct_close(&s);
	}
	return 0;
}

/**
 * storm_begin() - start what goes on
 * @storm: filled in
 *
 * Return: what went wrong, or NULL.
 */
const char *storm_begin(struct storm *storm)
{
	uintptr_t cpu;
	int i;

	*storm = (struct storm){ 0 };
	for (i = 0; i < STORM_WORKERS; i++) {
		cpu = i % sys_cpus_online();
		if (work_start(&storm->exits[i], exits, (void *)cpu) ||
		    work_hear(&storm->exits[i]) != 'r' ||
		    work_start(&storm->queries[i], queries, NULL) ||
		    work_hear(&storm->queries[i]) != 'r')
			return "the load does not start";
	}
	/* The load takes what is left: it is not the load that is timed. */
	setpriority(PRIO_PROCESS, 0, -15);
	return NULL;
}

/* Reads on until an error other than that of a loss */
static int error_of(struct acct_sock *l, int timeout_ms)
{
	struct acct_exit e;
	int err;

	do {
		err = acct_next_exit(l, &e, timeout_ms);
	} while (!err || err == -ENOBUFS);
	return err;
}

static const char *listen_all(struct acct_sock *l)
{
	struct acct_exit e;
	char all[32];
	int i;

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	for (i = 0; i < LISTENERS; i++) {
		if (acct_listen(&l[i], all, 1 << 20))
			return "a listener cannot register";
		if (acct_next_exit(&l[i], &e, PATIENCE_MS))
			return "a listener hears nothing";
	}
	return NULL;
}

static const char *unload(struct acct_sock *l)
{
	struct acct_sock s;
	int i;

	if (module_remove())
		return "the module cannot be unloaded";
	if (sys_module_loaded() || module_hooked())
		return "the module or a hook is left";
	if (acct_open(&s) != -ENOENT)
		return "the family is left";
	for (i = 0; i < LISTENERS; i++) {
		/* Once; what was queued before can still be read. */
		if (error_of(&l[i], PATIENCE_MS) != -ENODEV)
			return "a listener is not told";
		if (error_of(&l[i], 1) != -EAGAIN)
			return "a listener is told twice";
	}
	return NULL;
}

static const char *load(struct acct_sock *l)
{
	char buf[64];
	int i;

	if (module_insert(NULL))
		return "the module cannot be loaded";
	/* A listener of the old module is none of the new one. */
	work_exit_process(0);
	for (i = 0; i < LISTENERS; i++) {
		if (acct_recv(l[i].fd, buf, sizeof(buf), 1) != -EAGAIN)
			return "an old listener hears the new module";
		acct_close(&l[i]);
	}
	return NULL;
}

/**
 * storm_round() - have the module go and come, with listeners registered
 * @storm: from storm_begin()
 *
 * Return: what went wrong, or NULL.
 */
const char *storm_round(struct storm *storm)
{
	struct acct_sock l[LISTENERS];
	const char *wrong;

	wrong = listen_all(l);
	if (!wrong)
		wrong = unload(l);
	if (!wrong)
		wrong = load(l);
	storm->round += !wrong;
	return wrong;
}

static const char *settle(void)
{
	struct acct_stat st;
	struct acct_sock s;
	int err;

	if (acct_open(&s))
		return "the family is gone";
	err = acct_wait_freed(&s, &st);
	acct_close(&s);
	return err || st.listeners ?
		       "a group, a thread or a listener is left" : NULL;
}

/**
 * storm_end() - end what goes on, and see that nothing is left of it
 * @storm: from storm_begin()
 *
 * Return: what went wrong, or NULL.
 */
const char *storm_end(struct storm *storm)
{
	const char *wrong = NULL;
	int i;

	for (i = 0; i < STORM_WORKERS; i++)
		if (work_wait(&storm->exits[i]) ||
		    work_wait(&storm->queries[i]))
			wrong = "the load has failed";
	if (!wrong)
		wrong = settle();
	if (!wrong && (module_remove() || module_traces()))
		wrong = "a symbol is left";
	if (!wrong && module_insert(NULL))
		wrong = "the module cannot be loaded";
	return wrong;
}
