// SPDX-License-Identifier: GPL-2.0-only
/*
 * rings EXITS: so many exits in shared memory, on all CPUs, while four readers come, go, sleep
 * and die.
 *
 * Each reader adds up what it has read and lost, by CPU and lane. In the end that has to be
 * what the kernel says it has made since the reader came, which is looked at without the
 * library. The last line is "rings: passed", or what failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taskacct.h>

#include "acct.h"
#include "sys.h"
#include "work.h"

#define RING_BYTES "/sys/module/taskacct/parameters/ring_bytes"
#define CPUS 64
#define LANES TASKACCT_RING_LANES
#define PROCESSES TASKACCT_RING_PROCESSES
#define THREADS TASKACCT_RING_THREADS

/* Tasks that end together, and threads of a process that is made beside them */
#define BATCH 50
#define TEAM 3

/* Of each lane on each CPU: so small that who sleeps is overtaken */
#define SIZE (2 * TASKACCT_RING_SIZE_MIN)

/* With fewer nobody would be overtaken. */
#define EXITS_MIN 3000

#define LINES 20

enum kind { STEADY, GUEST, SLEEPER, MORTAL, KINDS };

static const char *const names[KINDS] = { "steady", "guest", "sleeper", "mortal" };

/**
 * struct result - how the readers of a kind fared
 * @opened: how often one has come
 * @killed: how many of these were killed, of which nothing else is known
 * @read: exits that the others have read
 * @lost: that they have lost
 * @made: that were made meanwhile
 */
struct result {
	unsigned long opened;
	unsigned long killed;
	unsigned long read;
	unsigned long lost;
	unsigned long made;
};

/**
 * struct shared - what all processes share
 * @stop: all exits have been made
 * @ended: tasks that were made end, by lane
 * @results: by kind of reader
 */
struct shared {
	bool stop;
	unsigned long ended[LANES];
	struct result results[KINDS];
};

/* How many entries each CPU has made, as the kernel says */
struct made {
	uint64_t of[CPUS][LANES];
};

/**
 * struct tally - what a reader knows of a lane on a CPU
 * @base: how many there were before the first that it was told of
 * @last: number of the last one; 0: there was none
 * @read: entries read
 * @lost: entries lost
 */
struct tally {
	uint64_t base;
	uint64_t last;
	uint64_t read;
	uint64_t lost;
};

/**
 * struct reader - a reader
 * @kind: of reader
 * @ring: the library's handle
 * @before: what had been made before it came
 * @after: when it had come
 * @tallies: what it has read and lost
 * @turn: what it does is by luck, and that by this
 */
struct reader {
	enum kind kind;
	struct taskacct_ring *ring;
	struct made before;
	struct made after;
	struct tally tallies[CPUS][LANES];
	unsigned int turn;
};

static struct shared *shared;
static const char *map;
static size_t map_size;

static void fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...)
{
	va_list args;

	printf("rings: failed: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

static void add_to(unsigned long *counter, unsigned long n)
{
	__atomic_add_fetch(counter, n, __ATOMIC_RELAXED);
}

static bool is_over(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE);
}

static void look(struct made *made)
{
	const struct taskacct_ring_header *header = (const void *)map;
	const struct taskacct_ring_lane *lane;
	unsigned int cpu, i;

	memset(made, 0, sizeof(*made));
	for (cpu = 0; cpu < header->rings; cpu++)
		for (i = 0; i < LANES; i++) {
			lane = (const void *)(map + header->ring_offset +
					      cpu * header->ring_stride +
					      i * header->lane_stride);
			made->of[cpu][i] = __atomic_load_n(&lane->made, __ATOMIC_ACQUIRE);
		}
}

static uint64_t sum_made(const struct made *made, unsigned int lane)
{
	uint64_t sum = 0;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		sum += made->of[cpu][lane];
	return sum;
}

static uint64_t sum_all(void)
{
	struct made made;

	look(&made);
	return sum_made(&made, PROCESSES) + sum_made(&made, THREADS);
}

static void come(struct reader *r)
{
	int err;

	memset(r->tallies, 0, sizeof(r->tallies));
	look(&r->before);
	err = taskacct_ring_open(&r->ring, NULL);
	if (err)
		fail("a reader cannot open: %s", strerror(-err));
	look(&r->after);
	add_to(&shared->results[r->kind].opened, 1);
}

static void check_first(const struct reader *r, const struct taskacct_ring_exit *exit,
			uint64_t base)
{
	const uint64_t before = r->before.of[exit->cpu][exit->lane];
	const uint64_t after = r->after.of[exit->cpu][exit->lane];

	if (base < before || base > after)
		fail("%s begins behind number %lu, between %lu and %lu when it came",
		     names[r->kind], base, before, after);
}

static void take(struct reader *r, const struct taskacct_ring_exit *exit)
{
	struct tally *tally;

	if (exit->cpu >= CPUS || exit->lane >= LANES)
		fail("an exit on CPU %u, lane %u", exit->cpu, exit->lane);
	tally = &r->tallies[exit->cpu][exit->lane];
	if (!tally->last) {
		tally->base = exit->number - exit->lost - 1;
		tally->last = tally->base;
		check_first(r, exit, tally->base);
	}
	if (exit->number != tally->last + exit->lost + 1)
		fail("%s: number %lu after %lu, and %lu lost", names[r->kind], exit->number,
		     tally->last, exit->lost);
	tally->last = exit->number;
	tally->read++;
	tally->lost += exit->lost;
}

/* Reads so many exits at most; returns how many there were. */
static unsigned long read_some(struct reader *r, unsigned long most)
{
	struct taskacct_ring_exit exit;
	unsigned long n;

	for (n = 0; n < most && taskacct_ring_next(r->ring, &exit) == 1; n++)
		take(r, &exit);
	return n;
}

static void check_lane(struct reader *r, unsigned int lane)
{
	struct result *result = &shared->results[r->kind];
	const struct tally *tally;
	uint64_t lost = 0;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		tally = &r->tallies[cpu][lane];
		if (tally->read + tally->lost != tally->last - tally->base)
			fail("%s: %lu read, %lu lost, %lu made on CPU %d, lane %u",
			     names[r->kind], tally->read, tally->lost,
			     tally->last - tally->base, cpu, lane);
		lost += tally->lost;
		add_to(&result->read, tally->read);
		add_to(&result->lost, tally->lost);
		add_to(&result->made, tally->last - tally->base);
	}
	if (lost != taskacct_ring_lost(r->ring, lane))
		fail("%s: %lu lost in lane %u, by the library %lu", names[r->kind], lost, lane,
		     taskacct_ring_lost(r->ring, lane));
}

static void go(struct reader *r)
{
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		check_lane(r, lane);
	taskacct_ring_close(r->ring);
}

/* What was made is what it was told of; where that is nothing, nothing was made. */
static void check_all_read(const struct reader *r, const struct made *made)
{
	const uint64_t *now = &made->of[0][0], *after = &r->after.of[0][0];
	const struct tally *tally = &r->tallies[0][0];
	int i;

	for (i = 0; i < CPUS * LANES; i++)
		if (tally[i].last ? tally[i].last != now[i] : now[i] > after[i])
			fail("%s: %lu made on CPU %d, lane %d, the last that was read is %lu",
			     names[r->kind], now[i], i / LANES, i % LANES, tally[i].last);
}

/* Reads all that there is, when tasks end no more, or only now and then. */
static void go_at_last(struct reader *r)
{
	struct made before, after;

	do {
		look(&before);
		read_some(r, -1UL);
		look(&after);
	} while (memcmp(&before, &after, sizeof(before)));
	check_all_read(r, &after);
	go(r);
}

static void stay(struct reader *r)
{
	come(r);
	while (!is_over()) {
		taskacct_ring_wait(r->ring, 64, 500);
		read_some(r, -1UL);
	}
	go_at_last(r);
}

static void visit(struct reader *r)
{
	unsigned long left;

	while (!is_over()) {
		come(r);
		left = 1 + work_luck(r->turn++, r->kind, 5000);
		while (left && !is_over()) {
			taskacct_ring_wait(r->ring, 1 + (unsigned int)left % 200, 500);
			left -= read_some(r, left);
		}
		if (left)
			go_at_last(r);
		else
			go(r);
	}
}

/* Sleeps until more exits were made than there is room for. */
static void sleep_long(void)
{
	const uint64_t room = LANES * (uint64_t)sys_cpus_possible() * SIZE /
			      sizeof(struct taskacct_record);
	const uint64_t since = sum_all();

	while (!is_over() && sum_all() - since <= room)
		usleep(20000);
}

static void oversleep(struct reader *r)
{
	come(r);
	while (!is_over()) {
		sleep_long();
		read_some(r, -1UL);
	}
	go_at_last(r);
}

/* One after the other is killed, and the last one goes by itself. */
static void die(struct reader *r)
{
	pid_t pid;
	int status;

	while (!is_over()) {
		pid = fork();
		if (!pid) {
			stay(r);
			exit(0);
		}
		usleep(20000 + work_luck(r->turn++, r->kind, 500000));
		if (!is_over())
			kill(pid, SIGKILL);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			fail("no reader that can be killed");
		if (status && status != SIGKILL)
			exit(1);
		add_to(&shared->results[r->kind].killed, !!status);
	}
}

static void (*const lives[KINDS])(struct reader *r) = { stay, visit, oversleep, die };

static void end_threads(char *stacks, unsigned int n)
{
	int gone[BATCH];
	unsigned int i;

	for (i = 0; i < n; i++)
		if (work_raw_thread(work_raw_end, NULL, stacks + i * WORK_STACK, &gone[i]) < 0)
			exit(1);
	for (i = 0; i < n; i++)
		work_raw_join(&gone[i]);
}

static void reap(unsigned int n)
{
	int status;

	while (n--)
		if (wait(&status) < 0 || status)
			exit(1);
}

static void end_processes(char *stacks)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++)
		if (work_raw_process(work_raw_end, NULL, stacks + i * WORK_STACK) < 0)
			exit(1);
	reap(BATCH);
}

static void end_team(char *stacks)
{
	pid_t pid = fork();

	if (!pid) {
		end_threads(stacks, TEAM);
		_exit(0);
	}
	if (pid < 0)
		exit(1);
	reap(1);
}

static void end_on(int cpu, unsigned long exits)
{
	const unsigned long threads = BATCH + TEAM, processes = BATCH + 1;
	char *stacks = work_stacks(BATCH);
	unsigned long n;

	work_pin(cpu);
	for (n = 0; n < exits; n += threads + processes) {
		end_threads(stacks, BATCH);
		end_processes(stacks);
		end_team(stacks);
		add_to(&shared->ended[THREADS], threads);
		add_to(&shared->ended[PROCESSES], processes);
	}
}

static void start_reader(enum kind kind)
{
	static struct reader r;

	fflush(stdout);
	if (fork())
		return;
	r.kind = kind;
	lives[kind](&r);
	exit(0);
}

static void start_ends(int cpu, unsigned long exits)
{
	fflush(stdout);
	if (fork())
		return;
	end_on(cpu, exits);
	exit(0);
}

/* Returns whether one of the processes has ended. */
static bool one_has_ended(int options)
{
	int status;
	pid_t pid = waitpid(-1, &status, options);

	if (pid < 0 || (pid > 0 && status))
		fail("a process has failed");
	return pid > 0;
}

static unsigned long all_ended(void)
{
	return __atomic_load_n(&shared->ended[PROCESSES], __ATOMIC_RELAXED) +
	       __atomic_load_n(&shared->ended[THREADS], __ATOMIC_RELAXED);
}

static void tell(void)
{
	const struct result *results = shared->results;

	printf("%10lu ended; %lu times a guest came, %lu were killed\n", all_ended(),
	       results[GUEST].opened, results[MORTAL].killed);
	fflush(stdout);
}

/* Until all have ended that make tasks end */
static void wait_for_ends(int left, unsigned long exits)
{
	unsigned long told = 0;

	while (left) {
		if (one_has_ended(WNOHANG))
			left--;
		else
			usleep(100000);
		if (all_ended() < told + exits / LINES)
			continue;
		told = all_ended();
		tell();
	}
}

static void map_it(void)
{
	const int fd = open(TASKACCT_RING_DEVICE, O_RDONLY | O_CLOEXEC);
	const struct taskacct_ring_sizes sizes = { { SIZE, SIZE } };
	struct taskacct_ring_header header;

	map = fd < 0 || ioctl(fd, TASKACCT_RING_SIZE, &sizes) ? MAP_FAILED :
	      mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fail("%s: %s", TASKACCT_RING_DEVICE, strerror(errno));
	memcpy(&header, map, sizeof(header));
	munmap((void *)map, (size_t)getpagesize());
	map_size = (size_t)header.map_size;
	map = mmap(NULL, map_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED || header.rings > CPUS)
		fail("%u rings cannot be mapped", header.rings);
}

/* What the kernel has made is all that was made to end, and what ended beside it. */
static void check_made(void)
{
	struct made made;
	unsigned int lane;

	look(&made);
	for (lane = 0; lane < LANES; lane++) {
		printf("lane %u: %lu made, of these %lu by tasks that were made to end\n", lane,
		       sum_made(&made, lane), shared->ended[lane]);
		if (sum_made(&made, lane) < shared->ended[lane])
			fail("exits have no number");
	}
}

static void check_results(void)
{
	const struct result *r;
	int i;

	printf("%-8s %8s %8s %10s %10s %10s\n", "reader", "came", "killed", "read", "lost",
	       "made");
	for (i = 0; i < KINDS; i++) {
		r = &shared->results[i];
		printf("%-8s %8lu %8lu %10lu %10lu %10lu\n", names[i], r->opened, r->killed,
		       r->read, r->lost, r->made);
		if (r->read + r->lost != r->made)
			fail("%s does not add up", names[i]);
		/* The last of those that are killed may come when all have ended. */
		if (i != MORTAL && !r->read)
			fail("%s has read nothing", names[i]);
	}
	if (!shared->results[SLEEPER].lost)
		fail("the sleeper has lost nothing");
}

/* Nothing is left when all readers are gone. */
static void check_nothing_left(void)
{
	struct acct_stat st;
	struct acct_sock s;
	char bytes[32];

	munmap((void *)map, map_size);
	if (sys_read(RING_BYTES, bytes, sizeof(bytes)) < 0 || strtoul(bytes, NULL, 10))
		fail("the rings stay");
	if (acct_open(&s) || acct_wait_freed(&s, &st))
		fail("groups or threads are kept");
	acct_close(&s);
}

int main(int argc, char **argv)
{
	const unsigned long exits = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	const int cpus = sys_cpus_online();
	int i;

	if (exits < EXITS_MIN) {
		fprintf(stderr, "usage: rings EXITS, %d and more\n", EXITS_MIN);
		return 1;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("no memory");
	map_it();
	for (i = 0; i < KINDS; i++)
		start_reader((enum kind)i);
	for (i = 0; i < cpus; i++)
		start_ends(i, exits / (unsigned long)cpus);
	wait_for_ends(cpus, exits);
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < KINDS; i++)
		one_has_ended(0);
	check_made();
	check_results();
	check_nothing_left();
	printf("rings: passed: %lu exits\n", all_ended());
	return 0;
}
