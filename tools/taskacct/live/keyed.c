// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct exits --keyed: lines for programs that carry them to another place
 *
 * The key of an exit is where it stood in the module's shared memory: host, boot, CPU, lane
 * and number. Who gets a line twice knows it by its key. The numbers of a lane have no holes:
 * a line says with which number the lane begins, one which numbers were lost, and one with
 * which it ends. So whoever has the lines can tell what is missing, and how much was made.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"
#include "keyed.h"
#include "live.h"

/* Lines come when so many exits have gathered, or after so long */
#define WAKE 32
#define WAIT_MS 500

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_MAX 64

/* Where a lane of a CPU is; @begun: it has had a line */
struct place {
	bool begun;
	uint64_t last;
};

/**
 * struct keyed - what is printed
 * @opt: options
 * @columns: beside the key
 * @ring: the shared memory
 * @host: this machine
 * @boot: its boot
 * @places: of each CPU its lanes
 * @cpus: how many have been seen
 * @lost: exits that were lost, of the lanes that are printed
 */
struct keyed {
	const struct options *opt;
	const struct columns *columns;
	struct taskacct_ring *ring;
	char host[256];
	char boot[BOOT_ID_MAX];
	struct place (*places)[TASKACCT_RING_LANES];
	unsigned int cpus;
	uint64_t lost;
};

static void read_boot_id(struct keyed *k)
{
	FILE *file = fopen(BOOT_ID, "re");

	if (!file || !fgets(k->boot, sizeof(k->boot), file))
		die(STATUS_REFUSED, BOOT_ID ": %s", strerror(errno));
	k->boot[strcspn(k->boot, "\n")] = '\0';
	fclose(file);
}

static void print_text(const char *text)
{
	const struct value value = { .state = TASKACCT_VALID,
				     .s = text,
				     .length = strlen(text) };

	out_json_value(stdout, UNIT_TEXT, &value, false);
}

/* A number as the form of JSON wants it */
static void print_number(const struct keyed *k, const char *name, uint64_t n)
{
	const struct value value = { .state = TASKACCT_VALID, .n = n };

	printf(",\"%s\":", name);
	out_json_value(stdout, UNIT_COUNT, &value, k->opt->style.exact);
}

/* The start of a line: the key but for the number */
static void print_place(const struct keyed *k, unsigned int cpu, unsigned int lane)
{
	printf("{\"host\":");
	print_text(k->host);
	printf(",\"boot\":");
	print_text(k->boot);
	print_number(k, "ring_cpu", cpu);
	printf(",\"lane\":\"%s\"",
	       lane == TASKACCT_RING_PROCESSES ? "process" : "thread");
}

static struct place *find_place(struct keyed *k, unsigned int cpu, unsigned int lane)
{
	while (cpu >= k->cpus) {
		k->places = grow(k->places, k->cpus, sizeof(*k->places));
		memset(k->places[k->cpus++], 0, sizeof(*k->places));
	}
	return &k->places[cpu][lane];
}

/* What of the lane no line has been printed of */
static void print_before(struct keyed *k, const struct taskacct_ring_exit *exit,
			 struct place *place)
{
	if (!place->begun) {
		print_place(k, exit->cpu, exit->lane);
		print_number(k, "begin", exit->number - exit->lost);
		puts("}");
		place->last = exit->number - exit->lost - 1;
		place->begun = true;
	}
	if (exit->number == place->last + 1)
		return;
	print_place(k, exit->cpu, exit->lane);
	print_number(k, "lost", exit->number - place->last - 1);
	print_number(k, "from", place->last + 1);
	print_number(k, "to", exit->number - 1);
	puts("}");
	k->lost += exit->number - place->last - 1;
}

static void print_columns(const struct keyed *k, const struct rec *rec)
{
	const struct column *column;
	struct value value;
	size_t i;

	for (i = 0; i < k->columns->n; i++) {
		column = &k->columns->v[i];
		field_get(column->field, rec, &value);
		printf(",\"%s\":", column->out.name);
		out_json_value(stdout, column->out.unit, &value, k->opt->style.exact);
	}
}

/* An entry without a record that can be read has its line all the same. */
static void print_exit(struct keyed *k, const struct taskacct_ring_exit *exit)
{
	const struct taskacct_event event = { .type = TASKACCT_EVENT_RECORDS,
					      .nlh = exit->nlh };
	struct rec rec;

	print_place(k, exit->cpu, exit->lane);
	print_number(k, "number", exit->number);
	if (rec_take(&rec, &event, k->opt->kinds) == 1)
		print_columns(k, &rec);
	puts("}");
}

static bool is_wanted(const struct keyed *k, unsigned int lane)
{
	return lane == TASKACCT_RING_PROCESSES || k->opt->kinds == REC_TASKS;
}

static void take(struct keyed *k, const struct taskacct_ring_exit *exit)
{
	struct place *place;

	if (!is_wanted(k, exit->lane))
		return;
	place = find_place(k, exit->cpu, exit->lane);
	print_before(k, exit, place);
	print_exit(k, exit);
	place->last = exit->number;
}

/* All that is there, or what ended before @until, in ns since boot */
static void take_all(struct keyed *k, uint64_t until)
{
	struct taskacct_ring_exit exit;
	int got;

	while ((got = taskacct_ring_next(k->ring, &exit)) == 1) {
		take(k, &exit);
		if (exit.time_ns > until)
			break;
	}
	if (got < 0)
		die(STATUS_REFUSED, "/dev/taskacct_exits: %s", strerror(-got));
	out_flush(stdout);
}

static void print_ends(const struct keyed *k)
{
	unsigned int cpu, lane;

	for (cpu = 0; cpu < k->cpus; cpu++) {
		for (lane = 0; lane < TASKACCT_RING_LANES; lane++) {
			if (!k->places[cpu][lane].begun)
				continue;
			print_place(k, cpu, lane);
			print_number(k, "end", k->places[cpu][lane].last);
			puts("}");
		}
	}
	out_flush(stdout);
}

static uint64_t since_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void open_ring(struct keyed *k, const struct taskacct *family)
{
	const struct taskacct_ring_options options = {
		.want = LIVE_RING_WANT,
		.oldest = true,
		/* So all that follow an exit that is too late are too late as well. */
		.in_order = true,
		.family = family,
	};
	int err = taskacct_ring_open(&k->ring, &options);

	if (err)
		die(STATUS_REFUSED, "--keyed: /dev/taskacct_exits: %s%s", strerror(-err),
		    err == -EACCES ? " (needs root, or ring_group= of the module)" : "");
}

static void print_until_signal(struct keyed *k)
{
	struct pollfd fds[] = {
		{ .fd = taskacct_ring_fd(k->ring), .events = POLLIN },
		{ .fd = signals_catch(0), .events = POLLIN },
	};

	while (!fds[1].revents) {
		take_all(k, UINT64_MAX);
		taskacct_ring_wait(k->ring, WAKE, 0);
		if (poll(fds, 2, WAIT_MS) < 0 && errno != EINTR)
			die(STATUS_REFUSED, "poll: %s", strerror(errno));
	}
	take_all(k, since_boot());
	print_ends(k);
}

enum status keyed_run(const struct options *opt, const struct columns *columns)
{
	struct keyed k = { .opt = opt, .columns = columns };
	struct taskacct *family;

	if (opt->filter || opt->n)
		die(STATUS_USAGE,
		    "--keyed takes neither FILTER nor FILE: the numbers would have holes");
	if (opt->style.form == OUT_JSON_ARRAY)
		die(STATUS_USAGE, "--keyed prints an object a line: no --json=array");
	family = live_open(opt->family);
	if (gethostname(k.host, sizeof(k.host) - 1))
		die(STATUS_REFUSED, "host name: %s", strerror(errno));
	read_boot_id(&k);
	open_ring(&k, family);
	print_until_signal(&k);
	taskacct_ring_close(k.ring);
	taskacct_close(family);
	free(k.places);
	return k.lost ? STATUS_LOST : STATUS_DONE;
}
