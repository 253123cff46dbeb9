// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asking for tasks and processes
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/acct.h>

#include "command.h"
#include "ending.h"
#include "extended.h"
#include "query.h"

static enum exit_status ask(struct taskacct *ta, struct sink *sink,
			    enum taskacct_kind kind, uint32_t id,
			    struct taskacct_classic *record)
{
	const struct taskacct_stats *stats = &record->stats;
	int err = taskacct_query(ta, kind, id, record, sink_answer, sink);

	if (!err) {
		message_verbose("struct taskstats of version %u, %zu bytes",
				(unsigned int)stats->v[TASKACCT_F_VERSION],
				stats->length);
		return EXIT_DONE;
	}
	message_failed(err, taskacct_error(ta));
	return EXIT_REFUSED;
}

static enum exit_status ask_extended(const struct options *opt,
				     struct taskacct *ta, struct sink *sink,
				     enum taskacct_kind kind, uint32_t id)
{
	int err = taskacct_ask(ta, kind, id, options_want(opt, false),
			       sink_show, sink);

	if (!err)
		return EXIT_DONE;
	message_failed(err, taskacct_error(ta));
	return EXIT_REFUSED;
}

static void show(struct sink *sink, const struct taskacct_classic *record)
{
	view_record(sink->out, &sink->view, record);
}

enum exit_status query_ids(const struct options *opt, struct taskacct *ta,
			   struct sink *sink)
{
	enum exit_status status = EXIT_DONE;
	struct taskacct_classic record;
	size_t i;

	for (i = 0; i < opt->n_ids; i++) {
		if (opt->extended) {
			if (ask_extended(opt, ta, sink, opt->ids[i].kind,
					 opt->ids[i].id))
				status = EXIT_REFUSED;
			continue;
		}
		if (ask(ta, sink, opt->ids[i].kind, opt->ids[i].id, &record))
			status = EXIT_REFUSED;
		else
			show(sink, &record);
	}
	return status;
}

/* Only of a process that had several threads a total was kept. */
static bool had_threads(const struct taskacct_classic *process)
{
	return process->stats.v[TASKACCT_F_FLAG] & AGROUP;
}

/* A zombie has no address space any more; its process remembers the peak. */
static void take_peak(struct taskacct_classic *task,
		      const struct taskacct_classic *process)
{
	task->stats.v[TASKACCT_F_HIWATER_RSS] =
		process->stats.v[TASKACCT_F_HIWATER_RSS];
}

static enum exit_status show_ended(struct taskacct *ta, struct sink *sink,
				   uint32_t pid)
{
	struct taskacct_classic task, process;
	enum exit_status status;
	bool several = false;

	status = ask(ta, sink, TASKACCT_PID, pid, &task);
	if (status)
		return status;
	/* The kernel's own has nothing of a process that has ended. */
	if (taskacct_counts_losses(ta)) {
		status = ask(ta, sink, TASKACCT_TGID, pid, &process);
		several = !status && had_threads(&process);
		if (!status && !several)
			take_peak(&task, &process);
	}
	show(sink, &task);
	if (several)
		show(sink, &process);
	return status;
}

/* What it uses until then is its own. */
static void await_end(struct taskacct *ta, pid_t pid)
{
	struct ending ending = { .ta = ta, .pid = pid };
	int ms;

	while ((ms = ending_look(&ending)) >= 0)
		poll(NULL, 0, ms);
}

enum exit_status query_command(const struct options *opt, struct taskacct *ta,
			       struct sink *sink)
{
	enum exit_status status;
	pid_t pid;

	pid = command_start(opt->command);
	command_wait(pid);
	await_end(ta, pid);
	if (opt->extended)
		status = ask_extended(opt, ta, sink, TASKACCT_TGID,
				      (uint32_t)pid);
	else
		status = show_ended(ta, sink, (uint32_t)pid);
	command_reap(pid);
	return status;
}

static void show_cgroup(struct out *out, const char *path,
			const struct taskacct_cgroup *cgroup)
{
	const struct {
		const char *key;
		const char *head;
		uint64_t value;
	} cells[] = {
		{ "running", "RUNNING", cgroup->running },
		{ "sleeping", "SLEEPING", cgroup->sleeping },
		{ "stopped", "STOPPED", cgroup->stopped },
		{ "uninterruptible", "BLOCKED", cgroup->uninterruptible },
		{ "io_wait", "IO-WAIT", cgroup->io_wait },
	};
	size_t i;

	out_begin(out, "cgroup_tasks", "cgroup_tasks", path);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "path", NULL, 0, path);
	for (i = 0; i < sizeof(cells) / sizeof(*cells); i++)
		out_u64(out, cells[i].key, cells[i].head, 9,
			TASKACCT_UNIT_COUNT, cells[i].value);
	out_end(out);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

enum exit_status query_cgroup(const struct options *opt, struct taskacct *ta,
			      struct sink *sink)
{
	const struct taskacct_message no_names = { .n_records = 0 };
	struct taskacct_cgroup cgroup;
	int fd, err;

	fd = open(opt->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		message("%s: %s", opt->cgroup, strerror(errno));
		return EXIT_REFUSED;
	}
	err = taskacct_cgroup(ta, fd, opt->extended, &cgroup);
	close(fd);
	if (err) {
		message("%s: %s", opt->cgroup, taskacct_error(ta));
		return EXIT_REFUSED;
	}
	sink->view.time_ns = now_ns();
	show_cgroup(sink->out, opt->cgroup, &cgroup);
	if (cgroup.has_record)
		extended_print(sink->out, &sink->view, &no_names,
			       &cgroup.record);
	return EXIT_DONE;
}
