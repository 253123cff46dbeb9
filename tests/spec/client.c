// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program of who knows nothing of taskacct but its specification: what it calls is
 * made by the kernel's ynl_gen_c.py. Prints a line for each answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ynl.h>

#include "TASKACCT-user.h"

#define RECORDS (TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE)

static void die(struct ynl_sock *ys, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, ys->err.msg);
	exit(1);
}

static void ask_for_task(struct ynl_sock *ys)
{
	struct taskacct_task_get_req *req = taskacct_task_get_req_alloc();
	struct taskacct_task_get_rsp *rsp;

	taskacct_task_get_req_set_pid(req, getpid());
	taskacct_task_get_req_set_want(req, RECORDS | TASKACCT_WANT_EXE_PATH);
	rsp = taskacct_task_get(ys, req);
	if (!rsp)
		die(ys, "task-get");
	printf("task %d: %u record of %u, %.16s, %s\n", getpid(),
	       rsp->_count.record, rsp->record->pid, rsp->record->comm,
	       rsp->exe_path);
	taskacct_task_get_rsp_free(rsp);
	taskacct_task_get_req_free(req);
}

static void ask_for_all(struct ynl_sock *ys)
{
	struct taskacct_task_get_req_dump *req =
		taskacct_task_get_req_dump_alloc();
	struct taskacct_task_get_list *list;
	unsigned int n = 0, own = 0;

	taskacct_task_get_req_dump_set_want(req, RECORDS);
	taskacct_task_get_req_dump_set_filter_kinds(req, TASKACCT_KIND_PROCESS);
	list = taskacct_task_get_dump(ys, req);
	if (!list)
		die(ys, "dump of task-get");
	ynl_dump_foreach(list, answer) {
		n++;
		own += answer->record->pid == (unsigned int)getpid();
	}
	printf("processes: %s, own %u\n", n > 3 ? "several" : "too few", own);
	taskacct_task_get_list_free(list);
	taskacct_task_get_req_dump_free(req);
}

static void ask_for_statistics(struct ynl_sock *ys)
{
	struct taskacct_stat_get_rsp *rsp = taskacct_stat_get(ys);

	if (!rsp)
		die(ys, "stat-get");
	printf("hook: %s\n", rsp->_len.hook ? rsp->hook : "none");
	taskacct_stat_get_rsp_free(rsp);
}

static void ask_for_too_much(struct ynl_sock *ys)
{
	struct taskacct_subscribe_req *req = taskacct_subscribe_req_alloc();

	taskacct_subscribe_req_set_want(req, 1U << 31);
	printf("unknown bit: %s\n",
	       taskacct_subscribe(ys, req) ? "refused" : "taken");
	taskacct_subscribe_req_free(req);
}

int main(void)
{
	struct ynl_family family = ynl_taskacct_family;
	struct ynl_error error;
	struct ynl_sock *ys;

	/* It is in small letters there, whatever the specification says. */
	family.name = TASKACCT_GENL_NAME;
	ys = ynl_sock_create(&family, &error);
	if (!ys) {
		fprintf(stderr, "no family: %s\n", error.msg);
		return 1;
	}
	ask_for_task(ys);
	ask_for_all(ys);
	ask_for_statistics(ys);
	ask_for_too_much(ys);
	ynl_sock_destroy(ys);
	return 0;
}
