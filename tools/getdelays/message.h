/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes to standard error, and how the program ends; beside base/message.h */
#ifndef GETDELAYS_MESSAGE_H
#define GETDELAYS_MESSAGE_H

#include <stdbool.h>

#include "base/message.h"

/**
 * enum exit_status - how it went
 * @EXIT_DONE: as asked
 * @EXIT_USAGE: the command line is wrong
 * @EXIT_REFUSED: the kernel refused
 * @EXIT_LOST: records were lost
 * @EXIT_LOG: a log or the output could not be written, or a log is torn
 */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_USAGE = 1,
	EXIT_REFUSED = 2,
	EXIT_LOST = 3,
	EXIT_LOG = 4,
};

/**
 * message_verbose() - say something that only -v asks for
 * @fmt: what, without a line end
 */
void message_verbose(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/**
 * message_set_verbose() - what message_verbose() says is wanted
 * @wanted: -v was given
 */
void message_set_verbose(bool wanted);

/**
 * message_die() - say why, and end
 * @status: exit status
 * @fmt: why, without a line end
 */
void message_die(enum exit_status status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/**
 * message_failed() - say what failed, and the cure where there is one
 * @err: negative errno
 * @story: the library's words
 */
void message_failed(int err, const char *story);

#endif /* GETDELAYS_MESSAGE_H */
