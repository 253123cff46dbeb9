/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What getdelays and taskacct have in common, and what they do for it: each
 * says things in its own name.
 */
#ifndef TASKACCT_COMMON_COMMON_H
#define TASKACCT_COMMON_COMMON_H

/**
 * common_say() - say something on standard error
 * @fmt: what, without a line end
 */
void common_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * common_failed() - say what failed, and the cure where there is one
 * @err: negative errno
 * @story: the library's words
 */
void common_failed(int err, const char *story);

/**
 * common_die() - say why, and end the program as where the kernel refuses
 * @why: why
 */
void common_die(const char *why) __attribute__((noreturn));

#endif /* TASKACCT_COMMON_COMMON_H */
