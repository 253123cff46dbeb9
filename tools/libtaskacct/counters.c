// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters that are read by mmap
 *
 * <linux/taskacct_counters.h> has the rules, and the names of the barriers that
 * those here pair with.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "taskacct.h"

/* A set that is not being changed for good; a CPU that gets its updates done */
#define PATIENCE_NS	1000000000LL
#define PAUSE_NS	100000L

/* Tries between two looks at the clock */
#define TRIES		1024

/**
 * struct taskacct_counters - the handle
 * @map: the whole map
 * @cpus: where the pages of CPU 0 begin
 * @gen: generation of what follows
 * @header: as it was then
 * @fd: of the map
 * @names_fd: of the names
 * @counters: their names
 * @n_counters: how many
 * @cpu_time: number of the first class of a CPU's time, or -ENOENT
 * @clock: 0 where @clock_offset is known, else an error
 * @clock_offset: how far CLOCK_MONOTONIC is ahead of the kernel's, in ns
 */
struct taskacct_counters {
	const char *map;
	const char *cpus;
	uint32_t gen;
	struct taskacct_counters_header header;
	int fd;
	int names_fd;
	struct taskacct_counter *counters;
	size_t n_counters;
	int cpu_time;
	int clock;
	int64_t clock_offset;
};

/* Counters that follow those of a CPU's classes, by their numbers */
enum {
	SINCE = TASKACCT_CPU_CLASSES,
	CLASS,
	SHARE,
	OWED,
	CPU_VALUES,
};

#define SHARE_ALL 65536

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Loads before it are done before loads behind it. */
static void read_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* The clock is read before loads behind it. To a fence of riscv that is input. */
static void clock_barrier(void)
{
#ifdef __riscv
	__asm__ volatile("fence iorw, iorw" : : : "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static const struct taskacct_counters_header *
header_of(const struct taskacct_counters *c)
{
	return (const void *)c->map;
}

/* The set as it is, or -EAGAIN while it is being changed for too long */
static int wait_for_set(const struct taskacct_counters *c, uint32_t *gen)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const struct taskacct_counters_header *header = header_of(c);
	long long waited;

	for (waited = 0; waited < PATIENCE_NS; waited += PAUSE_NS) {
		*gen = load(&header->gen1);
		if (*gen == load(&header->gen2)) {
			/* Pairs with W2. */
			read_barrier();
			return 0;
		}
		nanosleep(&pause, NULL);
	}
	return -EAGAIN;
}

static bool is_same_set(const struct taskacct_counters *c, uint32_t gen)
{
	/* Pairs with W1. */
	read_barrier();
	return load(&header_of(c)->gen1) == gen;
}

/* The whole file as a string */
static char *read_names(int fd)
{
	size_t size = 0, room = 4096;
	char *text = malloc(room);
	char *more;
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET))
		goto err;
	while (text) {
		n = read(fd, text + size, room - size - 1);
		if (n < 0)
			goto err;
		if (!n)
			break;
		size += (size_t)n;
		if (size + 1 < room)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			goto err;
		text = more;
	}
	if (text)
		text[size] = '\0';
	return text;
err:
	free(text);
	return NULL;
}

static bool parse_line(struct taskacct_counter *counter, const char *line)
{
	char kind[16];

	_Static_assert(sizeof(counter->name) == 256, "the length below");
	if (sscanf(line, "%u %255s %15s %15s", &counter->instance,
		   counter->name, kind, counter->unit) != 4)
		return false;
	counter->gauge = !strcmp(kind, "gauge");
	return true;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static int parse_names(struct taskacct_counters *c, const char *text)
{
	const size_t n = count_lines(text);
	struct taskacct_counter *counters = calloc(n + 1, sizeof(*counters));
	size_t i;

	if (!counters)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (!parse_line(&counters[i], text)) {
			free(counters);
			return -EBADMSG;
		}
		text = strchr(text, '\n') + 1;
	}
	free(c->counters);
	c->counters = counters;
	c->n_counters = n;
	return 0;
}

static int learn(struct taskacct_counters *c)
{
	struct taskacct_counters_header header;
	uint32_t gen;
	const int64_t end = monotonic_ns() + PATIENCE_NS;
	char *text;
	int err;

	do {
		err = monotonic_ns() < end ? wait_for_set(c, &gen) : -EAGAIN;
		if (err)
			return err;
		memcpy(&header, c->map, sizeof(header));
		text = read_names(c->names_fd);
		err = text ? parse_names(c, text) : -EIO;
		free(text);
		if (err)
			return err;
	} while (!is_same_set(c, gen));
	c->header = header;
	c->gen = gen;
	c->cpu_time = taskacct_counters_find(c, "cpu.user");
	if (taskacct_counters_find(c, "cpu.owed") != c->cpu_time + OWED)
		c->cpu_time = -ENOENT;
	return 0;
}

int taskacct_counters_refresh(struct taskacct_counters *c)
{
	int err;

	if (is_same_set(c, c->gen))
		return 0;
	err = learn(c);
	return err ? err : 1;
}

/* First the page that tells how long it is, then all of it */
static int map_all(struct taskacct_counters *c)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct taskacct_counters_header header;
	void *map;

	map = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, c->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	memcpy(&header, map, sizeof(header));
	munmap(map, (size_t)page);
	if (header.compatible > TASKACCT_COUNTERS_VERSION ||
	    header.header_size < sizeof(header) ||
	    header.map_size > SIZE_MAX)
		return -EPROTONOSUPPORT;
	map = mmap(NULL, (size_t)header.map_size, PROT_READ, MAP_SHARED, c->fd,
		   0);
	if (map == MAP_FAILED)
		return -errno;
	c->map = map;
	c->cpus = c->map + header.cpu_offset;
	c->header = header;
	return 0;
}

static int set_up(struct taskacct_counters *c)
{
	int err;

	c->fd = open(TASKACCT_COUNTERS_DEVICE, O_RDONLY | O_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	c->names_fd = open(TASKACCT_NAMES_DEVICE, O_RDONLY | O_CLOEXEC);
	if (c->names_fd < 0)
		return -errno;
	err = map_all(c);
	return err ? err : learn(c);
}

int taskacct_counters_open(struct taskacct_counters **counters)
{
	struct taskacct_counters *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->fd = -1;
	c->names_fd = -1;
	c->clock = ta_clock_offset(&c->clock_offset);
	err = set_up(c);
	if (err) {
		taskacct_counters_close(c);
		c = NULL;
	}
	*counters = c;
	return err;
}

void taskacct_counters_close(struct taskacct_counters *c)
{
	if (!c)
		return;
	if (c->map)
		munmap((void *)c->map, (size_t)c->header.map_size);
	if (c->fd >= 0)
		close(c->fd);
	if (c->names_fd >= 0)
		close(c->names_fd);
	free(c->counters);
	free(c);
}

int taskacct_counters_fd(const struct taskacct_counters *c)
{
	return c->names_fd;
}

unsigned int taskacct_counters_cpus(const struct taskacct_counters *c)
{
	return c->header.cpus;
}

const struct taskacct_counter *
taskacct_counters_at(const struct taskacct_counters *c, size_t i)
{
	return i < c->n_counters ? &c->counters[i] : NULL;
}

int taskacct_counters_find(const struct taskacct_counters *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->n_counters; i++)
		if (!strcmp(c->counters[i].name, name))
			return (int)c->counters[i].instance;
	return -ENOENT;
}

static const struct taskacct_counters_cpu *
cpu_of(const struct taskacct_counters *c, unsigned int cpu)
{
	return (const void *)(c->cpus + cpu * c->header.cpu_stride);
}

static bool is_there(const struct taskacct_counters *c, unsigned int cpu,
		     unsigned int first, unsigned int n)
{
	return cpu < c->header.cpus && first < c->header.instances &&
	       n <= c->header.instances - first;
}

#if UINTPTR_MAX > UINT32_MAX
/* Both words in one load, which is all of the first two or the last two steps */
typedef uint64_t __attribute__((may_alias)) two_words;

static uint64_t load_words(const struct taskacct_counters_cpu *cpu)
{
	return __atomic_load_n((const two_words *)cpu, __ATOMIC_RELAXED);
}

static bool is_updating(uint64_t words)
{
	const union {
		uint64_t words;
		struct taskacct_counters_cpu cpu;
	} both = { .words = words };

	return both.cpu.updating;
}

/* Returns whether no update is in progress; receives how many there have been */
static bool begin_copy(const struct taskacct_counters_cpu *cpu, uint64_t *words)
{
	*words = load_words(cpu);
	/* Pairs with U2. */
	read_barrier();
	return !is_updating(*words);
}

static bool is_torn(const struct taskacct_counters_cpu *cpu, uint64_t words)
{
	/* Pairs with U1. */
	read_barrier();
	return load_words(cpu) != words;
}
#else
static bool begin_copy(const struct taskacct_counters_cpu *cpu,
		       uint64_t *updates)
{
	bool busy;

	*updates = load(&cpu->updates);
	/* Pairs with U1. */
	read_barrier();
	busy = load(&cpu->updating);
	/* Pairs with U2. */
	read_barrier();
	return !busy;
}

static bool is_torn(const struct taskacct_counters_cpu *cpu, uint64_t updates)
{
	uint32_t busy;

	/* Pairs with U1. */
	read_barrier();
	busy = load(&cpu->updating);
	/* Pairs with U2. */
	read_barrier();
	return busy || load(&cpu->updates) != updates;
}
#endif

static const volatile int64_t *
value_at(const struct taskacct_counters *c,
	 const struct taskacct_counters_cpu *cpu, unsigned int instance)
{
	return (const void *)((const char *)cpu + c->header.value_offset +
			      (size_t)instance * c->header.value_stride);
}

/* One try; returns whether the values are of one moment */
static inline __attribute__((always_inline)) bool
copy_once(const struct taskacct_counters *c,
	  const struct taskacct_counters_cpu *cpu, unsigned int first,
	  unsigned int n, int64_t *values)
{
	uint64_t updates;

	if (!begin_copy(cpu, &updates))
		return false;
	while (n--)
		*values++ = *value_at(c, cpu, first++);
	return !is_torn(cpu, updates);
}

/**
 * struct patience - for how long a reader has tried
 * @tries: how often
 * @since: since when, by CLOCK_MONOTONIC, in ns; 0: it has not looked yet
 */
struct patience {
	unsigned int tries;
	int64_t since;
};

/* Whether to try again, behind a try that failed */
static bool try_again(struct patience *patience)
{
	int64_t now;

	if (++patience->tries % TRIES)
		return true;
	now = monotonic_ns();
	if (!patience->since)
		patience->since = now;
	return now - patience->since < PATIENCE_NS;
}

/* Whether the places of counters were those that the handle knows */
static inline int check_set(const struct taskacct_counters *c)
{
	return is_same_set(c, c->gen) ? 0 : -ESTALE;
}

/* All that is to be done if the first try failed, which nearly never is */
static __attribute__((noinline)) int
read_again(const struct taskacct_counters *c,
	   const struct taskacct_counters_cpu *cpu, unsigned int first,
	   unsigned int n, int64_t *values)
{
	struct patience patience = { 0 };

	while (try_again(&patience))
		if (copy_once(c, cpu, first, n, values))
			return check_set(c);
	return -EAGAIN;
}

int taskacct_counters_read_some(const struct taskacct_counters *c,
				unsigned int cpu, unsigned int first,
				unsigned int n, int64_t *values)
{
	const struct taskacct_counters_cpu *from;

	if (!is_there(c, cpu, first, n))
		return -EINVAL;
	from = cpu_of(c, cpu);
	if (!copy_once(c, from, first, n, values))
		return read_again(c, from, first, n, values);
	return check_set(c);
}

int taskacct_counters_read(const struct taskacct_counters *c, unsigned int cpu,
			   unsigned int instance, int64_t *value)
{
	const struct taskacct_counters_cpu *from;

	if (cpu >= c->header.cpus || instance >= c->header.instances)
		return -EINVAL;
	from = cpu_of(c, cpu);
	if (!copy_once(c, from, instance, 1, value))
		return read_again(c, from, instance, 1, value);
	return check_set(c);
}

int taskacct_counters_sum(const struct taskacct_counters *c,
			  unsigned int instance, int64_t *sum)
{
	unsigned int cpu;
	int64_t value;
	int err;

	*sum = 0;
	for (cpu = 0; cpu < c->header.cpus; cpu++) {
		err = taskacct_counters_read(c, cpu, instance, &value);
		if (err)
			return err;
		*sum += value;
	}
	return 0;
}

/* As the kernel has it */
static uint64_t now_ns(const struct taskacct_counters *c)
{
	return (uint64_t)(monotonic_ns() - c->clock_offset);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Adds what has passed to where it goes, as the module will when it has ended. */
static void add_pending(const int64_t *values, uint64_t now, uint64_t *ns)
{
	const uint64_t class = (uint64_t)values[CLASS];
	uint64_t passed, part;

	if (!values[SINCE] || now <= (uint64_t)values[SINCE] ||
	    class >= TASKACCT_CPU_STEAL)
		return;
	passed = now - (uint64_t)values[SINCE];
	part = smaller(passed, (uint64_t)values[OWED]);
	ns[TASKACCT_CPU_STEAL] += part;
	passed -= part;
	part = passed;
	if (class <= TASKACCT_CPU_NICE) {
		/* In two steps, for it may be days. */
		part = passed / SHARE_ALL * (uint64_t)values[SHARE] +
		       passed % SHARE_ALL * (uint64_t)values[SHARE] /
			       SHARE_ALL;
		ns[TASKACCT_CPU_SYSTEM] += passed - part;
	}
	ns[class] += part;
}

int taskacct_counters_cpu_time(const struct taskacct_counters *c,
			       unsigned int cpu, uint64_t *ns)
{
	const struct taskacct_counters_cpu *from;
	struct patience patience = { 0 };
	int64_t values[CPU_VALUES];
	uint64_t now;
	bool whole;
	unsigned int i;

	if (c->cpu_time < 0)
		return -ENOENT;
	if (!is_there(c, cpu, (unsigned int)c->cpu_time, CPU_VALUES))
		return -EINVAL;
	if (c->clock)
		return c->clock;
	from = cpu_of(c, cpu);
	do {
		/*
		 * First: what passes now had not ended then. Not in between,
		 * for it may be a system call, and that an update.
		 */
		now = now_ns(c);
		clock_barrier();
		whole = copy_once(c, from, (unsigned int)c->cpu_time,
				  CPU_VALUES, values);
	} while (!whole && try_again(&patience));
	if (!whole)
		return -EAGAIN;
	for (i = 0; i < TASKACCT_CPU_CLASSES; i++)
		ns[i] = (uint64_t)values[i];
	add_pending(values, now, ns);
	return check_set(c);
}
