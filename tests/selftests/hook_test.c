// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every hook gives the same records: what other programs test with the best hook of
 * this kernel (tgid_test, race_test, protocol_test), they test with the others here.
 * What a hook that comes late cannot know has to be 0 there (D4).
 *
 * On debug and kcsan the load here is that of make check: with the whole one, which
 * they have under the best hook, they took 39 minutes on debug.
 */
#include <libgen.h>
#include <limits.h>

#include "test.h"

/* Kernels from this factor on take half an hour for the whole load. */
#define SLOW 4

FIXTURE(hook) {
	char directory[PATH_MAX];
	bool loaded;
	bool best;
};

FIXTURE_VARIANT(hook) {
	const char *word;
};

FIXTURE_VARIANT_ADD(hook, ftrace) {
	.word = "ftrace",
};

FIXTURE_VARIANT_ADD(hook, kprobe) {
	.word = "kprobe",
};

FIXTURE_VARIANT_ADD(hook, tracepoint) {
	.word = "tracepoint",
};

static bool in_force(const char *word)
{
	char hook[64] = "";

	sys_read("/sys/module/taskacct/parameters/hook", hook, sizeof(hook));
	return !strncmp(hook, word, strlen(word)) && hook[strlen(word)] == ':';
}

#define NEED_OTHER_HOOK() do {						\
	NEED_LOADED(self->loaded);					\
	NEED_HOOK(variant->word);					\
	if (self->best)							\
		SKIP(return, "the best hook here: all others test it");	\
} while (0)

FIXTURE_SETUP(hook)
{
	char param[32];
	ssize_t n;

	n = readlink("/proc/self/exe", self->directory, sizeof(self->directory) - 1);
	ASSERT_LT(0, n);
	self->directory[n] = '\0';
	dirname(self->directory);
	self->loaded = sys_in_vm() && sys_module_loaded();
	if (!self->loaded)
		return;
	self->best = in_force(variant->word);
	snprintf(param, sizeof(param), "hook=%s",
		 sys_has_hook(variant->word) ? variant->word : "auto");
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_module_load(param));
}

FIXTURE_TEARDOWN(hook)
{
	if (!self->loaded)
		return;
	if (sys_module_loaded()) {
		EXPECT_EQ(0, sys_module_unload());
	}
	EXPECT_EQ(0, sys_module_load(NULL));
}

/* Runs a test program to its end; its lines are comments in our own output. On a
 * slow kernel its load is the best hook's alone.
 */
static int run_program(const char *directory, const char *name)
{
	char command[PATH_MAX + 80];
	char line[512];
	FILE *out;

	snprintf(command, sizeof(command), "%s%s/%s 2>&1",
		 sys_slow() < SLOW ? "" : "VM_QUICK=16 ", directory, name);
	out = popen(command, "r");
	if (!out)
		return -1;
	while (fgets(line, sizeof(line), out))
		if (!strncmp(line, "not ok", 6) || strstr(line, "_test.c:") ||
		    strstr(line, "Totals"))
			printf("# %s: %s", name, line);
	fflush(stdout);
	return pclose(out);
}

static void expect_passed(struct __test_metadata *_metadata,
			  const FIXTURE_DATA(hook) *self,
			  const FIXTURE_VARIANT(hook) *variant,
			  const char *program)
{
	EXPECT_TRUE(in_force(variant->word));
	EXPECT_EQ(0, run_program(self->directory, program));
}

/* In seconds, for a whole program, each of whose tests has a limit of its own */
#define TIMEOUT 1800

/* R8 R13 R25 R27: totals of processes */
TEST_F_TIMEOUT(hook, totals, TIMEOUT)
{
	NEED_OTHER_HOOK();
	expect_passed(_metadata, self, variant, "tgid_test");
}

/* R12 R13 R25 R26 R27: of 1,000 processes of 64 threads each has one record, the last
 * of its messages, with every thread in it; queries meanwhile never go backwards
 */
TEST_F_TIMEOUT(hook, races, TIMEOUT)
{
	NEED_OTHER_HOOK();
	expect_passed(_metadata, self, variant, "race_test");
}

/* R1 R7 R23: messages, byte by byte */
TEST_F_TIMEOUT(hook, messages, TIMEOUT)
{
	NEED_OTHER_HOOK();
	expect_passed(_metadata, self, variant, "protocol_test");
}

TEST_HARNESS_MAIN
