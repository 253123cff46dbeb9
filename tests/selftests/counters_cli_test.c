// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct counters: counters by their names, of all CPUs and of each.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "foreign_counters.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

#define NOBODY 65534

#define PAGES "/dev/taskacct_counters"
#define NAMES "/dev/taskacct_names"

/* As the source system has them: a device's */
#define DEVICE "/devices/pci0000:00/0000:00:1f.2/host0"

FIXTURE(counters_cli) {
	struct run r;
	struct lines l;
	int instance;
	bool able;
};

FIXTURE_SETUP(counters_cli)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	self->instance = count_add(DEVICE);
	ASSERT_LE(0, self->instance);
}

FIXTURE_TEARDOWN(counters_cli)
{
	run_free(&self->r);
	forget(&self->l);
	if (!self->able)
		return;
	EXPECT_EQ(0, count_del(self->instance));
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
}

/* Counts 5 on CPU 0 and, where there is one, -12 on CPU 1; returns their sum. */
static int64_t count_some(struct __test_metadata *_metadata, int instance)
{
	const bool several = sys_cpus_online() > 1;

	ASSERT_EQ(0, work_pin(0));
	ASSERT_EQ(0, count_adjust(instance, 5));
	if (several) {
		ASSERT_EQ(0, work_pin(1));
		ASSERT_EQ(0, count_adjust(instance, -12));
	}
	work_pin_any();
	return several ? -7 : 5;
}

/* R54 R66 R104: the sum over all CPUs, and by --per-cpu the value on each */
TEST_F(counters_cli, by_name)
{
	int64_t sum, rest = 0;
	int i;

	NEED_LOADED(self->able);
	sum = count_some(_metadata, self->instance);
	run_verb(&self->r, "counters", DEVICE, "--per-cpu", "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_LE(1 + sys_cpus_possible(), self->l.n);
	for (i = 0; i < self->l.n; i++) {
		EXPECT_STREQ(DEVICE, word(self->l.v[i], "name"));
		EXPECT_STREQ("count", word(self->l.v[i], "unit"));
		EXPECT_EQ(0, number(self->l.v[i], "gauge"));
	}
	EXPECT_TRUE(is_null(self->l.v[0], "cpu"));
	EXPECT_EQ(sum, number(self->l.v[0], "value"));
	for (i = 1; i < self->l.n; i++) {
		EXPECT_EQ(i - 1, number(self->l.v[i], "cpu"));
		rest += number(self->l.v[i], "value");
	}
	EXPECT_EQ(5, number(self->l.v[1], "value"));
	EXPECT_EQ(sum, rest);
}

/* R41, R50: without a name, all that there are, in the order of their numbers */
TEST_F(counters_cli, all)
{
	char names[8192];
	int n;

	NEED_LOADED(self->able);
	n = sys_read("/dev/taskacct_names", names, sizeof(names));
	ASSERT_LT(0, n);
	run_verb(&self->r, "counters", "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_EQ(run_lines(names), self->l.n);
	EXPECT_STREQ("cpu.user", word(self->l.v[0], "name"));
	EXPECT_STREQ("ns", word(self->l.v[0], "unit"));
	EXPECT_STREQ(DEVICE, word(self->l.v[self->l.n - 1], "name"));
}

/* Each form: a table that fits a terminal, CSV with a head */
TEST_F(counters_cli, forms)
{
	char line[128];
	int64_t sum;

	NEED_LOADED(self->able);
	sum = count_some(_metadata, self->instance);
	run_verb(&self->r, "counters", "cpu.user", DEVICE);
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(3, run_lines(self->r.out));
	EXPECT_EQ(0, strncmp(self->r.out, "COUNTER ", 8));
	EXPECT_NE(NULL, strstr(self->r.out, "\n" DEVICE " "));
	run_free(&self->r);
	run_verb(&self->r, "counters");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_LT(longest_line(self->r.out), 90);
	run_free(&self->r);
	run_verb(&self->r, "counters", "--csv", DEVICE);
	expect_status(_metadata, &self->r, EXIT_DONE);
	snprintf(line, sizeof(line),
		 "name,cpu,value,unit,gauge\r\n" DEVICE
		 ",,%lld,count,false\r\n", (long long)sum);
	EXPECT_STREQ(line, self->r.out);
}

/* A name that is not there, no privilege: status 2, and the cure; options that do not
 * go with it: status 1
 */
TEST_F(counters_cli, refused)
{
	NEED_LOADED(self->able);
	run_verb(&self->r, "counters", "no.such.counter", "queries", "--json");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "no.such.counter");
	EXPECT_EQ(1, run_lines(self->r.out));
	run_free(&self->r);
	run_as(&self->r, NOBODY, "taskacct", "counters", NULL);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "counters_group");
	run_free(&self->r);
	run_verb(&self->r, "counters", "--by", "cpu");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	run_free(&self->r);
	run_verb(&self->r, "cpu", "--per-cpu");
	expect_status(_metadata, &self->r, EXIT_USAGE);
}

/* Behind "--" there are names only, and what begins with "-" is one. */
TEST_F(counters_cli, names_only)
{
	NEED_LOADED(self->able);
	run_verb(&self->r, "counters", "--csv", "cpu.user", "--", DEVICE, "queries");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(4, run_lines(self->r.out));
	run_free(&self->r);
	run_verb(&self->r, "counters", "--", "cpu.user", "--json");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "--json");
}

/* R57: an update that never ends is reported, and not waited for */
TEST_F(counters_cli, never_ends)
{
	NEED_LOADED(self->able);
	ASSERT_EQ(0, work_pin(0));
	ASSERT_EQ(0, count_hold(true));
	run_verb(&self->r, "counters", DEVICE);
	ASSERT_EQ(0, count_hold(false));
	work_pin_any();
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "CPU 0 ");
	EXPECT_STREQ("", self->r.out);
}

/* taskacct status names who has either device, open or mapped alone, and who has it no
 * more is not named
 */
TEST_F(counters_cli, holders)
{
	const size_t page = (size_t)getpagesize();
	int pages, names;
	void *p;

	NEED_LOADED(self->able);
	EXPECT_FALSE(run_tells_holder(PAGES));
	pages = open(PAGES, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, pages);
	EXPECT_TRUE(run_tells_holder(PAGES));
	EXPECT_FALSE(run_tells_holder(NAMES));
	p = mmap(NULL, page, PROT_READ, MAP_SHARED, pages, 0);
	ASSERT_NE(MAP_FAILED, p);
	close(pages);
	EXPECT_TRUE(run_tells_holder(PAGES));
	munmap(p, page);
	EXPECT_FALSE(run_tells_holder(PAGES));

	names = open(NAMES, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, names);
	EXPECT_TRUE(run_tells_holder(NAMES));
	EXPECT_FALSE(run_tells_holder(PAGES));
	close(names);
	EXPECT_FALSE(run_tells_holder(NAMES));
}

/* The module not loaded: how to load it */
TEST_F(counters_cli, not_loaded)
{
	int loaded;

	NEED_LOADED(self->able);
	EXPECT_EQ(0, count_del(self->instance));
	ASSERT_EQ(0, module_run("rmmod", "foreign_counters"));
	ASSERT_EQ(0, sys_module_unload());
	run_verb(&self->r, "counters");
	loaded = sys_module_load(NULL);
	ASSERT_EQ(0, loaded);
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	self->instance = count_add(DEVICE);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "modprobe taskacct");
}

TEST_HARNESS_MAIN
