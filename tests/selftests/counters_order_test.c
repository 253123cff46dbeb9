// SPDX-License-Identifier: GPL-2.0-only
/*
 * In which order the kernel writes counters that are read by mmap: what readers rely
 * on. The module in tests/watch has a breakpoint on the pages, and tells what the
 * words and a value are behind each write.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include <taskacct.h>

#include "foreign_counters.h"
#include "module.h"
#include "test.h"

FIXTURE(order) {
	const struct taskacct_counters_header *header;
	char *map;
	bool able;
};

FIXTURE_SETUP(order)
{
	struct taskacct_counters_header header;
	int fd;

	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	ASSERT_EQ(0, module_run("modprobe", "watch"));
	fd = open(TASKACCT_COUNTERS_DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	self->map = mmap(NULL, sizeof(header), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	memcpy(&header, self->map, sizeof(header));
	munmap(self->map, sizeof(header));
	self->map = mmap(NULL, header.map_size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	self->header = (const void *)self->map;
	close(fd);
}

FIXTURE_TEARDOWN(order)
{
	if (!self->able)
		return;
	EXPECT_EQ(0, module_run("rmmod", "watch"));
	munmap(self->map, self->header->map_size);
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
}

/**
 * struct sight - what was seen behind a write to two words
 * @words: the two
 * @value: a value elsewhere
 */
struct sight {
	unsigned int words[2];
	long long value;
};

static int watch_for(const void *words, const void *value)
{
	char text[64];

	snprintf(text, sizeof(text), "%lx %lx", (long)words, (long)value);
	return sys_write("/sys/module/watch/parameters/at", text);
}

#define WATCH_FOR(words, value) do {					\
	const int watching = watch_for(words, value);			\
									\
	if (watching == -EOPNOTSUPP)					\
		SKIP(return, "a breakpoint tells nothing of what is written here"); \
	ASSERT_EQ(0, watching);						\
} while (0)

/* Returns how many there were, at most n of which are reported */
static size_t get_sights(struct sight *sights, size_t n)
{
	FILE *file = fopen("/sys/module/watch/parameters/seen", "re");
	struct sight sight;
	size_t i;

	if (!file)
		return 0;
	for (i = 0; fscanf(file, "%u %u %lld", &sight.words[0], &sight.words[1],
			   &sight.value) == 3; i++)
		if (i < n)
			sights[i] = sight;
	fclose(file);
	return i;
}

/* R51: gen1 goes up, then the set changes, then gen2 goes up */
TEST_F(order, of_the_set)
{
	const struct taskacct_counters_header *h = self->header;
	uint32_t gen, instances;
	struct sight sights[2];
	char name[48];
	int a;

	NEED_LOADED(self->able);
	gen = h->gen1;
	instances = h->instances;
	snprintf(name, sizeof(name), "count.watched.%u", instances);
	/* The value is cpus and instances, which are beside one another. */
	WATCH_FOR(&h->gen1, &h->cpus);
	a = count_add(name);
	ASSERT_EQ(2, get_sights(sights, 2));
	ASSERT_EQ(0, watch_for(NULL, NULL));
	EXPECT_EQ((int)instances, a);
	EXPECT_EQ(gen + 1, sights[0].words[0]);
	EXPECT_EQ(gen, sights[0].words[1]);
	EXPECT_EQ(instances, (uint64_t)sights[0].value >> 32);
	EXPECT_EQ(gen + 1, sights[1].words[0]);
	EXPECT_EQ(gen + 1, sights[1].words[1]);
	EXPECT_EQ(instances + 1, (uint64_t)sights[1].value >> 32);
	EXPECT_EQ(0, count_del(a));
}

/* R51, R61: the values of one that comes back begin at 0 in between */
TEST_F(order, of_values)
{
	const struct taskacct_counters_header *h = self->header;
	struct sight sights[2];
	const char *place;
	uint32_t gen;
	int a;

	NEED_LOADED(self->able);
	ASSERT_EQ(0, work_pin(0));
	a = count_add("count.back");
	ASSERT_LE(0, a);
	ASSERT_EQ(0, count_adjust(a, 5));
	ASSERT_EQ(0, count_del(a));
	gen = h->gen1;
	place = self->map + h->cpu_offset + h->value_offset +
		a * h->value_stride;
	ASSERT_EQ(5, *(const volatile int64_t *)place);
	WATCH_FOR(&h->gen1, place);
	ASSERT_EQ(a, count_add("count.back"));
	ASSERT_EQ(2, get_sights(sights, 2));
	ASSERT_EQ(0, watch_for(NULL, NULL));
	EXPECT_EQ(gen + 1, sights[0].words[0]);
	EXPECT_EQ(gen, sights[0].words[1]);
	EXPECT_EQ(5, sights[0].value);
	EXPECT_EQ(gen + 1, sights[1].words[1]);
	EXPECT_EQ(0, sights[1].value);
	work_pin_any();
	EXPECT_EQ(0, count_del(a));
}

/* R56, R58: an update says so before it changes the value, and until it has */
TEST_F(order, of_an_update)
{
	const struct taskacct_counters_header *h = self->header;
	struct sight sights[64];
	const char *words;
	size_t i, n;
	int a;

	NEED_LOADED(self->able);
	ASSERT_EQ(0, work_pin(0));
	a = count_add("count.ordered");
	ASSERT_LE(0, a);
	words = self->map + h->cpu_offset;
	WATCH_FOR(words, words + h->value_offset +
		  a * h->value_stride);
	ASSERT_EQ(0, count_adjust(a, 5));
	n = get_sights(sights, 64);
	ASSERT_EQ(0, watch_for(NULL, NULL));
	for (i = 0; i < n && !sights[i].value; i++)
		;
	ASSERT_GT(n, i);
	ASSERT_LT(0, (int)i);
	EXPECT_LT(0, (int)sights[i - 1].words[0]);
	EXPECT_LT(0, (int)sights[i].words[0]);
	EXPECT_EQ(sights[i - 1].words[1] + 1, sights[i].words[1]);
	EXPECT_EQ(0, sights[n - 1].words[0]);
	work_pin_any();
	EXPECT_EQ(0, count_del(a));
}

TEST_HARNESS_MAIN
