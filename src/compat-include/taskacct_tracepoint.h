/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callbacks of tracepoints, which the kernel takes as pointers to anything
 */
#ifndef TASKACCT_TRACEPOINT_H
#define TASKACCT_TRACEPOINT_H

#include <linux/tracepoint.h>

/*
 * A tracepoint's callback, as a constant. Where it does not take what tracepoint @name
 * tells it does not compile: the kernel's own check has the compiler say what does.
 */
#define TASKACCT_CALLBACK(name, callback)				\
	__builtin_choose_expr(						\
		sizeof((check_trace_callback_type_##name(callback), 0)), \
		callback, NULL)

#endif /* TASKACCT_TRACEPOINT_H */
