// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct record: keeps every exit, in bounded space
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"
#include "logs/kept.h"
#include "logs/store.h"
#include "keeper.h"
#include "notify.h"
#include "options.h"
#include "source.h"

/*
 * Batches wait in the kernel for a tenth of a second: with it, nothing is older than a
 * second when it is written.
 */
#define TICK_MS 800

/* How long --rotate waits for the recorder */
#define ROTATE_MS 10000

/**
 * struct stored - a device that the service manager keeps open
 * @name: of its ring; an empty string: it keeps none
 * @fd: the device, as long as it is not known whether it is gone on with; else -1
 * @standing: where the recorder stood that had it
 */
struct stored {
	char name[PLACE_RING];
	int fd;
	struct standing standing;
};

struct recorder {
	const struct options *opt;
	const char *dir;
	struct keeper *keeper;
	struct source *source;
	int signals;
	int64_t due_ms;
	bool waits;
	bool stop;
	struct stored stored;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void take(const struct taskacct_event *event, void *arg)
{
	struct recorder *r = arg;

	keeper_take(r->keeper, event);
}

static void take_sums(const struct sums *sums, void *arg)
{
	struct recorder *r = arg;

	keeper_take_sums(r->keeper, sums);
}

/* Once, until it has come */
static void wait_for_family(struct recorder *r)
{
	if (!r->waits)
		message("no family %s: modprobe taskacct; waiting for it",
			r->opt->family);
	r->waits = true;
}

static void close_source(struct recorder *r, enum balance_why why)
{
	keeper_cease(r->keeper, why);
	source_close(r->source);
	r->source = NULL;
}

static void die_source(const struct recorder *r, int err)
{
	if (err == -EOPNOTSUPP)
		die(STATUS_REFUSED,
		    "the family %s has no extended records: only taskacct's own can be recorded",
		    r->opt->family);
	die(STATUS_REFUSED, "%s%s", source_error(r->source),
	    err == -EPERM ? " (as root)" : "");
}

static void tell_start(const struct recorder *r)
{
	const int err = source_why_not(r->source);

	if (r->waits)
		message("the family %s is there: recording", r->opt->family);
	if (source_way(r->source) == BALANCE_RING)
		message("records come from " TASKACCT_RING_DEVICE);
	else if (err)
		message("records come from the family %s; " TASKACCT_RING_DEVICE
			": %s", r->opt->family, strerror(-err));
	else
		message("records come from the family %s", r->opt->family);
}

/* What is not gone on with would keep the module, and tell of nothing. */
static void leave_stored(struct recorder *r)
{
	struct stored *stored = &r->stored;

	if (stored->fd >= 0)
		close(stored->fd);
	stored->fd = -1;
	place_free(&stored->standing.place);
	if (r->source && source_goes_on(r->source))
		return;
	if (*stored->name)
		notify_discard(stored->name);
	*stored->name = '\0';
}

static void take_stored(struct recorder *r)
{
	struct stored *stored = &r->stored;

	stored->fd = notify_stored(stored->name, sizeof(stored->name));
	if (stored->fd < 0)
		return;
	if (r->opt->netlink) {
		leave_stored(r);
	} else if (!keeper_stands(r->keeper, stored->name, &stored->standing)) {
		message("no segment says where the recorder before it stood; what has ended since then is not recorded");
		leave_stored(r);
	}
}

/* From then on another recorder can go on where this one stands. */
static void store(struct recorder *r)
{
	struct stored *stored = &r->stored;

	if (*stored->name || !keeper_has_place(r->keeper))
		return;
	snprintf(stored->name, sizeof(stored->name), "%s",
		 source_place(r->source)->ring);
	notify_store(source_device(r->source), stored->name);
}

static void go_on(struct recorder *r)
{
	if (source_goes_on(r->source)) {
		keeper_go_on(r->keeper, &r->stored.standing);
		message("it goes on where the recorder before it stood");
	} else if (r->stored.fd >= 0) {
		message("the newest segment does not fit the shared memory that was kept open; what has ended since then is not recorded");
	}
}

/* The keeper knows of it before the first message comes. */
static void start_source(struct recorder *r)
{
	int err;

	keeper_begin(r->keeper, r->source);
	err = source_start(r->source);
	if (err && err != -ENOENT && err != -ENODEV)
		die_source(r, err);
	if (err) {
		close_source(r, WHY_MODULE);
		wait_for_family(r);
		return;
	}
	tell_start(r);
	go_on(r);
	r->waits = false;
}

static void open_source(struct recorder *r)
{
	const struct source_options options = {
		.family = r->opt->family,
		.netlink = r->opt->netlink,
		.buffer = r->opt->rcvbuf,
		.from = r->stored.fd >= 0 ? &r->stored.standing.place : NULL,
		.fd = r->stored.fd,
		.handler = take,
		.take_sums = take_sums,
		.arg = r,
	};
	const int err = source_open(&r->source, &options);

	if (err && err != -ENOENT)
		die_source(r, err);
	if (!err) {
		start_source(r);
		return;
	}
	source_close(r->source);
	r->source = NULL;
	wait_for_family(r);
}

static void receive(struct recorder *r)
{
	const int got = source_next(r->source);

	if (got >= 0)
		return;
	if (got != -ENODEV)
		die(STATUS_REFUSED, "%s", source_error(r->source));
	message("the module was unloaded; waiting for it");
	r->waits = true;
	close_source(r, WHY_MODULE);
}

static void take_signal(struct recorder *r)
{
	struct signalfd_siginfo info;

	if (read(r->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGHUP) {
		r->stop = true;
		return;
	}
	/* What has ended before it is in the segment that it closes. */
	if (r->source)
		receive(r);
	keeper_rotate(r->keeper, WHY_ROTATED);
}

static void tick(struct recorder *r)
{
	if (r->source)
		receive(r);
	else
		open_source(r);
	keeper_tick(r->keeper);
	if (r->source)
		store(r);
	notify_alive();
	r->due_ms = now_ms() + TICK_MS;
}

static void record_until_signal(struct recorder *r)
{
	struct pollfd fds[2] = { { .fd = r->signals, .events = POLLIN },
				 { .events = POLLIN } };
	int64_t left;

	while (!r->stop) {
		left = r->due_ms - now_ms();
		if (left <= 0) {
			tick(r);
			continue;
		}
		fds[1].fd = r->source ? source_fd(r->source) : -1;
		if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
			die(STATUS_REFUSED, "poll: %s", strerror(errno));
		if (fds[1].revents)
			receive(r);
		if (fds[0].revents)
			take_signal(r);
	}
}

static enum status finish(struct recorder *r)
{
	struct balance total;

	notify("STOPPING=1");
	if (r->source) {
		source_finish(r->source);
		close_source(r, WHY_STOPPED);
	}
	keeper_close(r->keeper, &total);
	message("made %" PRIu64 ", kept %" PRIu64 ", in totals %" PRIu64
		", lost %" PRIu64,
		total.made, total.kept, total.totals, balance_lost(&total));
	return balance_lost(&total) ? STATUS_LOST : STATUS_DONE;
}

/* The recorder of a directory, or end the program */
static pid_t find_recorder(const char *dir)
{
	const int pid = store_writer(dir);

	if (pid < 0 && pid != -ENOENT)
		die(STATUS_REFUSED, "%s: %s", dir, strerror(-pid));
	if (pid <= 0)
		die(STATUS_REFUSED, "%s: nobody records there", dir);
	return pid;
}

/* The newest segment of a directory that is being written, or 0 */
static uint64_t open_segment(const char *dir)
{
	struct store_entry *entries;
	uint64_t number = 0;
	char *path;
	int n;

	n = store_look(dir, &entries);
	if (n > 0 &&
	    asprintf(&path, "%s/%s", dir, entries[n - 1].name) > 0) {
		if (kept_is_written(path))
			number = entries[n - 1].number;
		free(path);
	}
	free(entries);
	return number;
}

/* Closed when it returns, for what comes after it to move it away */
static enum status rotate(const char *dir)
{
	const pid_t pid = find_recorder(dir);
	const uint64_t number = open_segment(dir);
	int ms;

	if (kill(pid, SIGHUP))
		die(STATUS_REFUSED, "process %d, which records in %s: %s", pid,
		    dir, strerror(errno));
	for (ms = 0; number && open_segment(dir) == number; ms += 10) {
		if (ms >= ROTATE_MS)
			die(STATUS_REFUSED,
			    "%s: process %d does not close its segment", dir,
			    pid);
		usleep(10000);
	}
	return STATUS_DONE;
}

static void open_keeper(struct recorder *r, const struct options *opt)
{
	const int err = keeper_open(&r->keeper, r->dir, opt->max_size,
				    opt->keep_ns);

	if (err == -EBUSY)
		die(STATUS_REFUSED, "%s: process %d records there already",
		    r->dir, store_writer(r->dir));
	if (err)
		die(STATUS_REFUSED, "%s: %s", r->dir, strerror(-err));
}

enum status record_run(struct options *opt)
{
	struct recorder r = { .opt = opt,
			      .dir = opt->dir ? opt->dir : KEPT_DIR };

	if (opt->rotate)
		return rotate(r.dir);
	r.signals = signals_catch(SIGHUP);
	open_keeper(&r, opt);
	take_stored(&r);
	open_source(&r);
	leave_stored(&r);
	notify("READY=1");
	r.due_ms = now_ms() + TICK_MS;
	record_until_signal(&r);
	return finish(&r);
}
