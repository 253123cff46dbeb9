// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asking for tasks and processes
 */
#include "command.h"
#include "query.h"

static enum exit_status ask(struct taskacct *ta, struct sink *sink,
			    enum taskacct_kind kind, uint32_t id,
			    struct taskacct_record *record)
{
	int err = taskacct_query(ta, kind, id, record, sink_answer, sink);

	if (!err)
		return EXIT_DONE;
	message_failed(err, taskacct_error(ta));
	return EXIT_REFUSED;
}

static void show(struct sink *sink, const struct taskacct_record *record)
{
	view_record(sink->out, &sink->view, record);
}

enum exit_status query_ids(const struct options *opt, struct taskacct *ta,
			   struct sink *sink)
{
	enum exit_status status = EXIT_DONE;
	struct taskacct_record record;
	size_t i;

	for (i = 0; i < opt->n_ids; i++) {
		if (ask(ta, sink, opt->ids[i].kind, opt->ids[i].id, &record))
			status = EXIT_REFUSED;
		else
			show(sink, &record);
	}
	return status;
}

/* Its first thread ran as often as all of them: it was the only one. */
static bool is_all(const struct taskacct_record *task,
		   const struct taskacct_record *process)
{
	return task->stats.v[TASKACCT_F_CPU_COUNT] ==
	       process->stats.v[TASKACCT_F_CPU_COUNT];
}

enum exit_status query_command(const struct options *opt, struct taskacct *ta,
			       struct sink *sink)
{
	struct taskacct_record task, process;
	enum exit_status status;
	pid_t pid;

	pid = command_start(opt->command);
	command_wait(pid);
	status = ask(ta, sink, TASKACCT_PID, (uint32_t)pid, &task);
	if (!status)
		show(sink, &task);
	/* The kernel's own has nothing of a process that has ended. */
	if (!status && taskacct_counts_losses(ta)) {
		status = ask(ta, sink, TASKACCT_TGID, (uint32_t)pid, &process);
		if (!status && !is_all(&task, &process))
			show(sink, &process);
	}
	command_reap(pid);
	return status;
}
