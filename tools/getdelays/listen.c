// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hearing of exits: registers one listener, or one for each CPU, and waits
 * for a signal, for the command's end or for a listener that gives up
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "command.h"
#include "ending.h"
#include "handle.h"
#include "listen.h"
#include "losses.h"
#include "worker.h"

/*
 * A message is charged 1,280 or 2,304 bytes, and the kernel doubles what it
 * is told: twice this holds a burst of 10,000 exits of the larger kind.
 */
#define CHARGE 2304
#define BURST 10000
#define RCVBUF (12 * 1024 * 1024)

/* Extended records beside classic ones, or names, make it twice as much. */
#define CHARGE_EXTENDED (2 * CHARGE)

/* A log is on the disk after so long; that a disk is gone, only that tells. */
#define SYNC_MS 5000

/* All listeners, and what ends them */
struct listen {
	const struct options *opt;
	struct sink *sink;
	uint32_t want;
	struct losses losses;
	struct worker *workers;
	int n;
	int started;
	int stop_fd;
	int done_fd;
	int lost_fd;
	int signal_fd;
	pid_t command;
};

static void block_signals(struct listen *l)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup it goes on. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	l->stop_fd = eventfd(0, EFD_CLOEXEC);
	l->done_fd = eventfd(0, EFD_CLOEXEC);
	l->lost_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->signal_fd < 0 || l->stop_fd < 0 || l->done_fd < 0 ||
	    l->lost_fd < 0)
		message_die(EXIT_REFUSED, "signalfd or eventfd: %s",
			    strerror(errno));
}

static char *all_cpus(const struct options *opt)
{
	char *cpus;

	if (opt->cpus && strcmp(opt->cpus, "all"))
		cpus = strdup(opt->cpus);
	else
		cpus = taskacct_possible_cpus();
	if (!cpus)
		message_die(EXIT_REFUSED, "list of CPUs: %s", strerror(errno));
	return cpus;
}

static void init_worker(struct listen *l, struct worker *worker, char *cpus,
			int cpu)
{
	worker->cpus = cpus;
	worker->cpu = cpu;
	worker->sink = l->sink;
	worker->limit = l->opt->listen || l->opt->command ? 0 : 1;
	worker->want = l->want;
	worker->filter = &l->opt->filter;
	worker->batch = l->opt->batches ? &l->opt->batch : NULL;
	worker->use_ring = l->opt->ring;
	worker->stop_fd = l->stop_fd;
	worker->done_fd = l->done_fd;
	worker->lost_fd = l->lost_fd;
}

static void make_workers(struct listen *l, char *cpus)
{
	unsigned int *list = NULL;
	char *one;
	int i;

	l->n = l->opt->per_cpu ? taskacct_parse_cpus(cpus, &list) : 1;
	if (l->n < 0)
		message_die(EXIT_USAGE,
			    "'%s' is no list of CPUs, such as 0-3,5", cpus);
	l->workers = calloc((size_t)l->n, sizeof(*l->workers));
	if (!l->workers)
		message_die(EXIT_REFUSED, "out of memory");
	for (i = 0; list && i < l->n; i++) {
		if (asprintf(&one, "%u", list[i]) < 0)
			message_die(EXIT_REFUSED, "out of memory");
		init_worker(l, &l->workers[i], one, (int)list[i]);
	}
	if (list)
		free(cpus);
	else
		init_worker(l, &l->workers[0], cpus, -1);
	free(list);
}

static int charge(const struct listen *l)
{
	return l->want ? CHARGE_EXTENDED : CHARGE;
}

static int buffer_size(const struct listen *l)
{
	if (l->opt->rcvbuf)
		return l->opt->rcvbuf;
	return RCVBUF / CHARGE * charge(l);
}

static void check_buffer(const struct listen *l, int got)
{
	const int size = buffer_size(l);

	if (l->opt->rcvbuf ? got < 2 * size : got < BURST * charge(l))
		message("receive buffer holds %d exits only: sysctl net.core.rmem_max=%d",
			got / charge(l), size);
	else
		message_verbose("receive buffer holds %d exits",
				got / charge(l));
}

static int open_workers(struct listen *l)
{
	const int rcvbuf = buffer_size(l);
	struct worker *w;
	int got = 0, err;

	for (w = l->workers; w < l->workers + l->n; w++) {
		w->ta = handle_open(l->opt->family);
		if (!w->ta)
			return -ENOENT;
		/* A log begins with what the family is. */
		if (w == l->workers && sink_begin(l->sink, w->ta))
			return -EIO;
		err = worker_open(w, rcvbuf, &got);
		if (err)
			return err;
	}
	if (!l->workers->ring)
		check_buffer(l, got);
	err = losses_open(&l->losses, l->workers, l->n, l->opt->family);
	l->losses.quiet = l->want & TASKACCT_WANT_STREAM;
	return err;
}

static int start_workers(struct listen *l)
{
	int err = 0;

	for (; l->started < l->n && !err; l->started += !err)
		err = worker_start(&l->workers[l->started]);
	if (err)
		message("thread: %s", strerror(-err));
	return err;
}

/*
 * Returns true when it is time to end. Several of SIGCHLD can be one, and a
 * child that another program has left behind sends it too: the command itself
 * is looked at.
 */
static bool take_signal(struct listen *l)
{
	struct signalfd_siginfo info;

	if (read(l->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (!l->command)
		return info.ssi_signo != SIGCHLD;
	/* What a terminal sends goes to the command too; what kill sends not. */
	if (info.ssi_signo != SIGCHLD && info.ssi_code == SI_USER)
		kill(l->command, (int)info.ssi_signo);
	return command_ended(l->command);
}

/*
 * Its last record is made when it is at its end, and that may be after it has ended
 * for us. An interrupt is for it no more: it ends the listening.
 */
static void await_records(const struct listen *l)
{
	struct pollfd fd = { .fd = l->signal_fd, .events = POLLIN };
	struct ending ending = { .ta = l->losses.ta, .pid = l->command };
	struct signalfd_siginfo info;
	int ms;

	while ((ms = ending_look(&ending)) >= 0) {
		if (poll(&fd, 1, ms) <= 0)
			continue;
		if (read(fd.fd, &info, sizeof(info)) == sizeof(info) &&
		    info.ssi_signo != SIGCHLD) {
			message("interrupted: the last record of process %d may be missing",
				(int)l->command);
			return;
		}
	}
	/* Those that it waited for itself, while it ran */
	ending_await_others(&ending);
}

/* Whatever has ended the listening, signals still go to the command. */
static void end_command(struct listen *l)
{
	if (!l->command)
		return;
	while (!command_ended(l->command))
		take_signal(l);
	command_reap(l->command);
}

static void take_loss(struct listen *l)
{
	uint64_t times;

	/* How often matters to none: what was lost is asked for. */
	if (read(l->lost_fd, &times, sizeof(times)) == sizeof(times))
		losses_note(&l->losses);
}

/* Returns true when it is time to end */
static bool is_over(struct listen *l, const struct pollfd *signals,
		    const struct pollfd *done)
{
	if (done->revents)
		return true;
	if (!signals->revents || !take_signal(l))
		return false;
	if (l->command)
		await_records(l);
	return true;
}

static void wait_for_end(struct listen *l)
{
	struct pollfd fds[] = {
		{ .fd = l->signal_fd, .events = POLLIN },
		{ .fd = l->done_fd, .events = POLLIN },
		{ .fd = l->lost_fd, .events = POLLIN },
	};
	int n, wait;

	for (;;) {
		wait = losses_tell(&l->losses, false);
		if (wait < 0 && l->opt->log)
			wait = SYNC_MS;
		n = poll(fds, 3, wait);
		if (n > 0 && fds[2].revents)
			take_loss(l);
		if (n > 0 && is_over(l, &fds[0], &fds[1]))
			return;
		if (!n && sink_sync(l->sink))
			return;
	}
}

static void stop_workers(struct listen *l)
{
	const uint64_t one = 1;
	int i;

	for (i = 0; i < l->started; i++)
		worker_stop(&l->workers[i]);
	if (write(l->stop_fd, &one, sizeof(one)) != sizeof(one))
		message_die(EXIT_REFUSED, "eventfd: %s", strerror(errno));
	for (i = 0; i < l->started; i++)
		worker_join(&l->workers[i]);
}

/* All listeners' statistics together */
struct total {
	unsigned long long received;
	unsigned long long lost;
	unsigned long long queue;
	unsigned long long memory;
	unsigned long long missing;
	unsigned long long overflows;
	bool exact;
	int err;
};

static void add_up(const struct listen *l, struct total *total)
{
	const struct worker *w;

	*total = (struct total){ .exact = l->losses.counts };
	for (w = l->workers; w < l->workers + l->n; w++) {
		total->received += w->received;
		total->queue += w->statistics.lost_queue;
		total->memory += w->statistics.lost_memory;
		total->overflows += w->overflows;
		total->exact &= w->exact;
		if (w->exact && !w->limit && w->statistics.delivered > w->received)
			total->missing += w->statistics.delivered - w->received;
		if (w->err) {
			total->err = w->err;
			message_failed(w->err, taskacct_error(w->ta));
		}
	}
	total->lost = total->exact ? total->queue + total->memory :
				     l->losses.queue + l->losses.memory;
}

static void sum_up(const struct listen *l, const struct total *total)
{
	char lost[120], written[40] = "", gaps[40] = "";

	if (total->exact)
		snprintf(lost, sizeof(lost), "%llu (queue %llu, memory %llu)",
			 total->lost, total->queue, total->memory);
	else if (l->losses.counts)
		snprintf(lost, sizeof(lost), "at least %llu", total->lost);
	else
		snprintf(lost, sizeof(lost), "unknown (%llu overflows)",
			 total->overflows);
	if (l->sink->log)
		snprintf(written, sizeof(written), ", written: %llu",
			 (unsigned long long)sink_written(l->sink));
	if (l->losses.quiet)
		snprintf(gaps, sizeof(gaps), ", gaps: %llu",
			 (unsigned long long)l->sink->gaps);
	message("received: %llu, lost: %s%s%s", total->received, lost, gaps,
		written);
	if (total->missing)
		message("%llu messages were delivered and did not arrive",
			total->missing);
}

static enum exit_status report(struct listen *l)
{
	struct total total;

	sink_sync(l->sink);
	take_loss(l);
	losses_tell(&l->losses, true);
	add_up(l, &total);
	sum_up(l, &total);
	if (total.err)
		return EXIT_REFUSED;
	if (total.lost || total.missing ||
	    (!l->losses.counts && total.overflows))
		return EXIT_LOST;
	return EXIT_DONE;
}

static enum exit_status listen_and_report(struct listen *l)
{
	enum exit_status status = EXIT_REFUSED;
	int err;

	err = open_workers(l);
	if (!err)
		err = start_workers(l);
	if (!err) {
		if (l->opt->command)
			l->command = command_start(l->opt->command);
		else
			message("listening");
		wait_for_end(l);
	}
	stop_workers(l);
	if (!err)
		status = report(l);
	else if (l->sink->err)
		status = EXIT_LOG;
	end_command(l);
	return status;
}

enum exit_status listen_run(const struct options *opt, struct sink *sink)
{
	struct listen l = { .opt = opt,
			    .sink = sink,
			    .want = options_want(opt, true) };
	enum exit_status status;
	char *cpus = all_cpus(opt);
	int i;

	out_stream(sink->out);
	block_signals(&l);
	make_workers(&l, cpus);
	status = listen_and_report(&l);
	for (i = 0; i < l.n; i++)
		worker_close(&l.workers[i]);
	free(l.workers);
	close(l.signal_fd);
	close(l.stop_fd);
	close(l.done_fd);
	close(l.lost_fd);
	losses_close(&l.losses);
	return status;
}
