/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values that add up, and where each comes from
 *
 * Their names, groups and units are in <linux/taskacct_values.h>. Lists of both are
 * expanded in place, since each exit adds all of them up.
 */
#ifndef TASKACCT_VALUES_H
#define TASKACCT_VALUES_H

#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/task_io_accounting.h>
#include <linux/tsacct_kern.h>
#include <linux/types.h>

#include <linux/taskacct_values.h>

/*
 * C(member, of a task, of threads that are gone): what adds up over the tasks of a user,
 * with @t, @runtime and @sig where it is expanded. Of threads that were released the
 * kernel keeps it in their signal_struct.
 */
#define TASKACCT_SOURCES(C)						\
	C(utime, READ_ONCE(t->utime), READ_ONCE(sig->utime))		\
	C(stime, READ_ONCE(t->stime), READ_ONCE(sig->stime))		\
	C(runtime, runtime, READ_ONCE(sig->sum_sched_runtime))		\
	C(min_flt, READ_ONCE(t->min_flt), READ_ONCE(sig->min_flt))	\
	C(maj_flt, READ_ONCE(t->maj_flt), READ_ONCE(sig->maj_flt))	\
	C(nvcsw, READ_ONCE(t->nvcsw), READ_ONCE(sig->nvcsw))		\
	C(nivcsw, READ_ONCE(t->nivcsw), READ_ONCE(sig->nivcsw))		\
	C(migrations, READ_ONCE(t->se.nr_migrations), 0)		\
	C(rchar, TASKACCT_IO(t, rchar), TASKACCT_IO(sig, rchar))	\
	C(wchar, TASKACCT_IO(t, wchar), TASKACCT_IO(sig, wchar))	\
	C(syscr, TASKACCT_IO(t, syscr), TASKACCT_IO(sig, syscr))	\
	C(syscw, TASKACCT_IO(t, syscw), TASKACCT_IO(sig, syscw))	\
	C(read_bytes, TASKACCT_STORAGE(t, read_bytes),			\
	  TASKACCT_STORAGE(sig, read_bytes))				\
	C(write_bytes, TASKACCT_STORAGE(t, write_bytes),		\
	  TASKACCT_STORAGE(sig, write_bytes))				\
	C(cancelled_write_bytes, TASKACCT_STORAGE(t, cancelled_write_bytes), \
	  TASKACCT_STORAGE(sig, cancelled_write_bytes))

/* Parts of functions, for these lists: @sum, @to and @from are theirs. */
#define TASKACCT_ADD_OF_TASK(member, of_task, of_gone)	sum->member += of_task;
#define TASKACCT_ADD_OF_GONE(member, of_task, of_gone)	sum->member += of_gone;
#define TASKACCT_ADD(name, member, ...)			to->member += from->member;
#define TASKACCT_COPY(name, member, ...)		to->member = from->member;
#define TASKACCT_U64(name, member, ...)			u64 member;
#define TASKACCT_ONE(...)				+ 1

#endif /* TASKACCT_VALUES_H */
