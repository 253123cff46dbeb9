// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU that only a hypervisor, or one that is a hypervisor, has: what
 * is stolen, and what guests take. tests/foreign_counters pretends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <taskacct.h>

#include "foreign_counters.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"
#include "lines.h"

FIXTURE(hypervisor) {
	struct taskacct_counters *c;
	bool able;
};

FIXTURE_SETUP(hypervisor)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, taskacct_counters_open(&self->c));
}

FIXTURE_TEARDOWN(hypervisor)
{
	if (!self->able)
		return;
	taskacct_counters_close(self->c);
	EXPECT_EQ(0, set_mode("off"));
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
}

FIXTURE_VARIANT(hypervisor) {
	const char *word;
	enum taskacct_cpu_class class;
	/* Where what is counted there is counted too */
	enum taskacct_cpu_class within;
	work_fn load;
};

FIXTURE_VARIANT_ADD(hypervisor, steal) {
	.word = "steal",
	.class = TASKACCT_CPU_STEAL,
	.within = TASKACCT_CPU_STEAL,
	.load = spin,
};

FIXTURE_VARIANT_ADD(hypervisor, guest) {
	.word = "guest",
	.class = TASKACCT_CPU_GUEST,
	.within = TASKACCT_CPU_USER,
	.load = spin,
};

FIXTURE_VARIANT_ADD(hypervisor, guest_nice) {
	.word = "guest_nice",
	.class = TASKACCT_CPU_GUEST_NICE,
	.within = TASKACCT_CPU_NICE,
	.load = spin_nice,
};

/* As if the kernel had been told so */
static int pretend(const char *word, long long ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %s %lld", CPU, word, ns);
	return sys_write(COUNT_PARAMETERS "invent", text);
}

/* More than passes by itself before the test looks, less than is waited for */
#define INVENTED (SECOND / 2)
#define MORE 1000000

/* Waits until a class has so much more than it had; the time, or an error. */
static int64_t wait_for_class(struct taskacct_counters *c, int class,
			      const struct reading *then, int64_t ns,
			      struct reading *now)
{
	const int64_t end = sys_now_ns() + PATIENCE_MS * 1000000LL;
	int err;

	do {
		usleep(20000);
		err = read_by_file(c, CPU, now);
		if (err)
			return err;
	} while ((int64_t)(now->ns[class] - then->ns[class]) < ns &&
		 sys_now_ns() < end);
	return now->ns[class] - then->ns[class];
}

/* Where the architecture measures, some time is stolen in truth: 0.1 ms were seen. */
static int64_t stolen_at_most(int class)
{
	return class == TASKACCT_CPU_STEAL && sys_measures_cpu_time() ? SECOND / 10 : 0;
}

static void expect_invented(struct __test_metadata *_metadata,
			    struct taskacct_counters *c, int class,
			    const struct reading *then, int64_t ns,
			    struct reading *now)
{
	const int64_t counted = wait_for_class(c, class, then, ns, now);

	EXPECT_LE(ns, counted);
	EXPECT_GE(ns + stolen_at_most(class), counted);
}

/*
 * R85, R88, R90, R100: what the hypervisor tells is counted to the ns, in time
 * that has passed and not besides it; and where its figure goes back, ours does
 * not.
 */
TEST_F(hypervisor, statistics)
{
	const int class = variant->class;
	struct reading then, now, later;
	struct work w;

	NEED_LOADED(self->able);
	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, variant->load, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, read_by_file(self->c, CPU, &then));
	ASSERT_EQ(0, pretend(variant->word, INVENTED));
	expect_invented(_metadata, self->c, class, &then, INVENTED, &now);
	EXPECT_LE(INVENTED, now.ns[variant->within] - then.ns[variant->within]);
	expect_forwards(_metadata, CPU, &then, &now);
	expect_complete(_metadata, &then, &now);

	/* It goes back, and on again to where it was: there is nothing new. */
	ASSERT_EQ(0, pretend(variant->word, -INVENTED / 2));
	usleep(100000);
	ASSERT_EQ(0, read_by_file(self->c, CPU, &later));
	expect_forwards(_metadata, CPU, &now, &later);
	ASSERT_EQ(0, pretend(variant->word, INVENTED / 2 + MORE));
	expect_invented(_metadata, self->c, class, &then, INVENTED + MORE, &later);
	expect_complete(_metadata, &then, &later);
	kill(w.pid, SIGKILL);
	work_wait(&w);
}

static int64_t sum_of_line(struct json_object *o)
{
	static const char *const keys[CLASSES] = {
		"user", "nice", "system", "idle", "iowait", "irq", "softirq",
		"steal", "guest", "guest_nice",
	};
	int64_t sum = 0;
	int i;

	for (i = 0; i < CLASSES; i++)
		sum += number(o, keys[i]);
	return sum;
}

#define INTERVALS "3"

/* What was reported in all intervals of one second, of which the first is over when
 * there is something new of the class
 */
static int64_t reported(struct __test_metadata *_metadata, const char *class)
{
	const int64_t began = sys_now_ns();
	struct lines l = { 0 };
	struct json_object *o;
	int64_t ours = 0;
	struct stat st = { 0 };
	struct run r;
	int cpu, i;

	begin_verb(&r, "cpu", "-n", INTERVALS, "--json");
	for (i = 0; i < PATIENCE_MS / 10 && !st.st_size; i++) {
		usleep(10000);
		ASSERT_EQ(0, fstat(r.out_fd, &st));
	}
	EXPECT_EQ(0, pretend(class, INVENTED));
	run_finish(&r);
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	EXPECT_EQ(atoi(INTERVALS) * 2 * sys_cpus_online(), l.n);
	for (i = 0; i < l.n; i++) {
		o = l.v[i];
		cpu = i / 2 % sys_cpus_online();
		EXPECT_EQ(cpu, number(o, "cpu"));
		EXPECT_STREQ(i % 2 ? "kernel" : "taskacct", word(o, "by"));
		if (i % 2)
			continue;
		EXPECT_LE(SECOND, sum_of_line(o));
		EXPECT_GE(sys_now_ns() - began, sum_of_line(o));
		if (cpu == CPU)
			ours += number(o, class);
	}
	forget(&l);
	run_free(&r);
	return ours;
}

/* R93: taskacct cpu --json: both counts of each CPU, guests but once (D6) */
TEST_F(hypervisor, reported_once)
{
	int64_t ours = 0;
	struct work w;
	int try;

	NEED_LOADED(self->able);
	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, variant->load, NULL));
	ASSERT_EQ('r', work_hear(&w));
	/* On a busy host the last may be over before that is seen. */
	for (try = 0; try < 5 && ours != INVENTED; try++)
		ours = reported(_metadata, variant->word);
	EXPECT_EQ(INVENTED, ours);
	kill(w.pid, SIGKILL);
	work_wait(&w);
}

TEST_HARNESS_MAIN
