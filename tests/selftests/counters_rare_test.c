// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are read by mmap, where there is no memory or no number left for
 * another one. taskacct is loaded anew, with tests/fail beside it.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include <taskacct.h>

#include "count.h"
#include "fail.h"
#include "module.h"
#include "test.h"

FIXTURE(scarce) {
	const struct taskacct_counters_header *header;
	long page;
	bool able;
};

/* The module comes anew: there are more counters than others should have. */
FIXTURE_SETUP(scarce)
{
	int fd;

	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_EQ(0, fail_begin());
	ASSERT_EQ(0, module_insert(NULL));
	ASSERT_EQ(0, module_run("modprobe", "count"));
	fd = open(TASKACCT_COUNTERS_DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	self->header = mmap(NULL, self->page, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, self->header);
	close(fd);
}

FIXTURE_TEARDOWN(scarce)
{
	if (!self->able)
		return;
	munmap((void *)self->header, self->page);
	EXPECT_EQ(0, module_run("rmmod", "count"));
	EXPECT_EQ(0, fail_end());
}

static int add_numbered(const char *what, unsigned int n)
{
	char name[48];

	snprintf(name, sizeof(name), "%s.%u", what, n);
	return count_add(name);
}

/* Adds until the next one needs a page of each CPU. */
static void fill_pages(struct __test_metadata *_metadata,
		       const struct taskacct_counters_header *h)
{
	while (h->value_offset + (uint64_t)h->instances * h->value_stride <
	       (uint64_t)h->cpu_pages * h->page_size) {
		ASSERT_LE(0, add_numbered("count.fill", h->instances));
	}
}

/* R52: each call for memory fails when a counter is added: it is not, nobody sees
 * anything of it, and then it can be
 */
TEST_F(scarce, no_memory)
{
	const struct taskacct_counters_header *h = self->header;
	const struct fail_function *f;
	unsigned int calls[64] = { 0 };
	unsigned int failures = 0, nth;
	uint32_t instances;
	size_t i;
	int err;

	NEED_LOADED(self->able);
	fill_pages(_metadata, h);
	ASSERT_EQ(0, fail_none(getpid()));
	ASSERT_LE(0, count_add("count.counts.calls"));
	for (i = 0; fail_function(i); i++)
		calls[i] = fail_calls(fail_function(i)).calls;
	for (i = 0; (f = fail_function(i)); i++) {
		if (!calls[i])
			continue;
		fill_pages(_metadata, h);
		instances = h->instances;
		for (nth = 1; nth <= calls[i]; nth++) {
			ASSERT_EQ(0, fail_nth(f, nth, getpid()));
			err = add_numbered("count.scarce", i);
			EXPECT_EQ(1, fail_calls(f).failed);
			EXPECT_EQ(-ENOMEM, err)
				TH_LOG("%s, call %u", f->name, nth);
			EXPECT_EQ(instances, h->instances);
			EXPECT_EQ(h->gen1, h->gen2);
			failures++;
		}
		ASSERT_EQ(0, fail_none(getpid()));
		EXPECT_EQ((int)instances, add_numbered("count.scarce", i));
	}
	TH_LOG("%u calls failed", failures);
	/* The counter itself, and a page of each CPU */
	EXPECT_EQ(1 + h->cpus, failures);
}

/* R61: counters are added until there is no number left: those that are there stay, and
 * a name that was deleted has its number still.
 */
TEST_F(scarce, no_number)
{
	const struct taskacct_counters_header *h = self->header;
	uint64_t most = (h->cpu_pages_max * (uint64_t)h->page_size -
			 h->value_offset) / h->value_stride;
	int err, last = -1;

	NEED_LOADED(self->able);
	while ((err = add_numbered("count.fill", h->instances)) >= 0)
		last = err;
	EXPECT_EQ(-ENOSPC, err);
	EXPECT_EQ(most, h->instances);
	EXPECT_EQ((int)most - 1, last);
	EXPECT_EQ(0, count_del(last));
	EXPECT_EQ(-ENOSPC, count_add("count.another"));
	EXPECT_EQ(last, add_numbered("count.fill", last));
}

TEST_HARNESS_MAIN
