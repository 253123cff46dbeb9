// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load of known size, for clients to look at
 *
 *	load STEP...
 *
 * does one step after the other:
 *
 *	cpu=MS			use the CPU for so long
 *	busy			use the CPU until there is a line on standard input
 *	read=KIB:DEVICE		read so much of a block device, past the cache,
 *	write=KIB:DEVICE	or write, LOAD_CHUNK at a time
 *	wait			for a line on standard input
 *	say=WORD		print the word
 *	in-thread=STEP		do the step in a thread of its own, which ends
 *	say-waits		print how long it has waited for block I/O, in
 *				clock ticks as the kernel says it, threads that
 *				are gone included
 */
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define LOAD_CHUNK (64 * 1024)

/* One thread at a time, which is waited for */
static long gone_waits;

static void move(const char *arg, int flags)
{
	const char *device = strchr(arg, ':');
	long left = strtol(arg, NULL, 10) * 1024;
	static char *chunk;
	ssize_t done;
	int fd;

	/* Zeroed, so that its pages are there before the first transfer. */
	if (!chunk && posix_memalign((void **)&chunk, 4096, LOAD_CHUNK))
		error(2, ENOMEM, "load");
	memset(chunk, 0, LOAD_CHUNK);
	fd = device ? open(device + 1, flags | O_DIRECT | O_CLOEXEC) : -1;
	if (fd < 0)
		error(2, errno, "%s", arg);
	for (; left > 0; left -= done) {
		done = flags == O_RDONLY ? read(fd, chunk, LOAD_CHUNK) :
					   write(fd, chunk, LOAD_CHUNK);
		if (done <= 0)
			error(2, errno, "%s", device + 1);
	}
	close(fd);
}

static void take_line(void)
{
	while (getchar() != '\n')
		;
}

static void be_busy(void)
{
	struct pollfd line = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!poll(&line, 1, 0))
		;
	take_line();
}

static void step(const char *what);

/* The block I/O delay in /proc/PID/stat, of the thread that calls. */
static long own_waits(void)
{
	FILE *stat = fopen("/proc/thread-self/stat", "re");
	long ticks;
	char line[1024];
	char *field;
	int i;

	if (!stat || !fgets(line, sizeof(line), stat))
		error(2, errno, "/proc/thread-self/stat");
	fclose(stat);
	/* The name may have spaces; field 2, then, and on to field 42. */
	field = strrchr(line, ')');
	for (i = 2; field && i < 42; i++)
		field = strchr(field + 1, ' ');
	if (!field || sscanf(field, "%ld", &ticks) != 1)
		error(2, 0, "no block I/O delay: %s", line);
	return ticks;
}

static void *thread(void *what)
{
	step(what);
	gone_waits += own_waits();
	return NULL;
}

static void in_thread(const char *what)
{
	pthread_t id;
	int err;

	err = pthread_create(&id, NULL, thread, (void *)what);
	if (!err)
		err = pthread_join(id, NULL);
	if (err)
		error(2, err, "thread");
}

/* What follows @name in @what, if that is how it begins */
static const char *after(const char *what, const char *name)
{
	size_t len = strlen(name);

	return strncmp(what, name, len) ? NULL : what + len;
}

static void step(const char *what)
{
	const char *arg;

	if ((arg = after(what, "cpu=")))
		work_burn(strtol(arg, NULL, 10) * 1000000);
	else if ((arg = after(what, "read=")))
		move(arg, O_RDONLY);
	else if ((arg = after(what, "write=")))
		move(arg, O_WRONLY);
	else if ((arg = after(what, "in-thread=")))
		in_thread(arg);
	else if ((arg = after(what, "say=")))
		puts(arg);
	else if (!strcmp(what, "say-waits"))
		printf("%ld\n", gone_waits + own_waits());
	else if (!strcmp(what, "busy"))
		be_busy();
	else if (!strcmp(what, "wait"))
		take_line();
	else
		error(1, 0, "unknown step: %s", what);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		step(argv[i]);
	return 0;
}
