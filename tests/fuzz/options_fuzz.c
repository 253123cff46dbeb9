// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of getdelays: what is taken, what is refused, and how.
 *
 * The input is the arguments, each with a NUL behind it. options.c is built
 * with an exit() of ours; so are the messages, which end a wrong command line, and
 * memory.
 */
#include <assert.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <getopt.h>

#include "base/point.h"
#include "input.h"
#include "message.h"
#include "options.h"
#include "view.h"

#define ARGS_MAX 64

static jmp_buf ended;
static char words[2048];
static int messages;

void fuzz_exit(int status) __attribute__((noreturn));

void fuzz_exit(int status)
{
	longjmp(ended, status + 1);
}

static void say(const char *fmt, va_list args)
{
	assert(vsnprintf(words, sizeof(words), fmt, args) > 0);
	messages++;
}

void message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void message_die(enum exit_status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	fuzz_exit(status);
}

void die(enum status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	fuzz_exit((int)status);
}

/* What is pointed at is in the text. */
void die_at(const char *text, size_t at, size_t length, const char *why)
{
	assert(*why && at + length <= strlen(text));
	message("%s", why);
	fuzz_exit(EXIT_USAGE);
}

void *alloc(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	assert(memory);
	return memory;
}

char *copy(const char *s)
{
	char *memory = strdup(s);

	assert(memory);
	return memory;
}

static void check_numbers(const struct options *opt)
{
	size_t i;

	for (i = 0; i < opt->n_ids; i++) {
		assert(opt->ids[i].id && opt->ids[i].id <= INT_MAX);
		assert(opt->ids[i].kind == TASKACCT_PID ||
		       opt->ids[i].kind == TASKACCT_TGID);
	}
	assert(opt->rcvbuf >= 0 && opt->rcvbuf <= INT_MAX / 2);
	assert(opt->family && *opt->family && strlen(opt->family) < 16);
	assert(opt->form == OUT_TABLE || opt->form == OUT_JSON ||
	       opt->form == OUT_CSV);
	assert(!(opt->sections & ~(unsigned int)VIEW_ALL));
}

/* What is taken is something that can be done, and one thing at a time. */
static void check_sense(const struct options *opt)
{
	const bool listens = opt->listen || opt->cpus;
	const bool asks = opt->n_ids || opt->command || opt->cgroup;

	assert(listens || asks || opt->read);
	if (opt->read)
		assert(!listens && !asks && !opt->log);
	if (opt->per_cpu)
		assert(opt->listen);
	if (opt->command)
		assert(opt->command[0]);
	if (opt->meant)
		assert(listens || opt->read);
	if (opt->filter.has & 1U << TASKACCT_FILTER_ATTR_ONE_IN)
		assert(listens && opt->filter.one_in);
}

static const char *find_last(const char *text, const char *what)
{
	const char *found = NULL;

	while ((text = strstr(text, what)))
		found = text++;
	return found;
}

/*
 * An option that there is cannot be one that there is not. One with a space in
 * it is none, even if two that there are look like it.
 */
static void check_words(void)
{
	static const char unknown[] = "no such option: --";
	const char *name = words + strlen(unknown) - 2;
	const char *list = find_last(words, "; there are:");
	char copy[64];

	if (strncmp(words, unknown, strlen(unknown)) || !list ||
	    memchr(name, ' ', list - name))
		return;
	snprintf(copy, sizeof(copy), " %.*s ", (int)(list - name), name);
	assert(!strstr(list, copy));
}

static int parse(struct options *opt, int argc, char **argv)
{
	int status;

	messages = 0;
	words[0] = '\0';
	optind = 0; /* anew: glibc's word for it */
	status = setjmp(ended);
	if (!status)
		options_parse(opt, argc, argv);
	return status;
}

static int split(char *text, size_t size, char **argv)
{
	static char name[] = "getdelays";
	char *end = text + size;
	int argc = 1;

	argv[0] = name;
	for (; text < end && argc < ARGS_MAX; text += strlen(text) + 1)
		argv[argc++] = text;
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct options opt, again;
	char *argv[ARGS_MAX + 1];
	int argc, status;
	char *text;

	text = malloc(size + 1);
	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	argc = split(text, size, argv);

	status = parse(&opt, argc, argv);
	if (!status) {
		assert(!messages);
		check_numbers(&opt);
		check_sense(&opt);
	} else if (status == 1 + EXIT_DONE) {
		assert(!messages); /* help or version */
	} else {
		assert(status == 1 + EXIT_USAGE && messages == 1 && *words);
		check_words();
	}
	/* What is read twice is read the same way; "-cls" became "ls". */
	argc = split(text, size, argv);
	assert(parse(&again, argc, argv) == status);
	if (!status)
		assert(again.n_ids == opt.n_ids && again.cpus == opt.cpus &&
		       again.rcvbuf == opt.rcvbuf);
	options_free(&opt);
	options_free(&again);
	free(text);
	return 0;
}
