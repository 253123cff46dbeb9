/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where page faults have tracepoints: with x86 at first, for all architectures by 7.2
 */
#ifndef TASKACCT_COMPAT_TRACE_EVENTS_EXCEPTIONS_H
#define TASKACCT_COMPAT_TRACE_EVENTS_EXCEPTIONS_H

#include <taskacct_answers.h>

#if defined(TASKACCT_PAGE_FAULTS_OF_ALL)
#include_next <trace/events/exceptions.h>
#elif defined(TASKACCT_PAGE_FAULTS_OF_X86)
#include <asm/trace/exceptions.h>
#endif

#endif /* TASKACCT_COMPAT_TRACE_EVENTS_EXCEPTIONS_H */
