// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells the module of exits: it is told, can be chosen, and is never
 * silently deaf.
 */
#include "test.h"

#define HOOK "/sys/module/taskacct/parameters/hook"
#define FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"

FIXTURE(hook) {
	bool loaded;
};

FIXTURE_SETUP(hook)
{
	self->loaded = sys_in_vm() && sys_module_loaded();
	if (self->loaded) {
		ASSERT_EQ(0, sys_module_unload());
	}
}

FIXTURE_TEARDOWN(hook)
{
	if (!self->loaded)
		return;
	EXPECT_EQ(0, sys_write(FTRACE_ENABLED, "1"));
	if (sys_module_loaded())
		sys_module_unload();
	EXPECT_EQ(0, sys_module_load(NULL));
}

#define NEED_MODULE() do {						\
	NEED_VM();							\
	if (!self->loaded)						\
		SKIP(return, "the module is not loaded");		\
} while (0)

/* An exit is heard, and the parameter and the family name the same hook. */
static void expect_hook(struct __test_metadata *_metadata, const char *name)
{
	char all[32], line[64], told[66];
	struct acct_stat stat;
	struct acct_sock s;
	struct acct_exit e;
	pid_t pid;

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&s, all, 1 << 20));
	pid = work_exit_process(0);
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, acct_wait_exit(&s, pid, &e));
	acct_close(&s);

	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, acct_stat_get(&s, &stat));
	acct_close(&s);
	EXPECT_STREQ(name, stat.hook);
	snprintf(told, sizeof(told), "%s\n", stat.hook);
	ASSERT_LT(0, sys_read(HOOK, line, sizeof(line)));
	EXPECT_STREQ(told, line);
}

/* Own figures: "hooks attached and which" */
TEST_F(hook, best)
{
	NEED_MODULE();
	ASSERT_EQ(0, sys_module_load("hook=auto"));
	expect_hook(_metadata, "ftrace:taskstats_exit");
}

TEST_F(hook, unknown)
{
	NEED_MODULE();
	EXPECT_NE(0, sys_module_load("hook=telepathy"));
	EXPECT_FALSE(sys_module_loaded());
}

/* Where ftrace is switched off no hook would hear anything: loading fails, for
 * each of them and again, and leaves nothing behind.
 */
TEST_F(hook, ftrace_off)
{
	const char *const hooks[] = { "hook=auto", "hook=kprobe", "hook=auto" };
	size_t i;

	NEED_MODULE();
	ASSERT_EQ(0, sys_write(FTRACE_ENABLED, "0"));
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		EXPECT_NE(0, sys_module_load(hooks[i])) TH_LOG("%s", hooks[i]);
		EXPECT_FALSE(sys_module_loaded());
	}
	ASSERT_EQ(0, sys_write(FTRACE_ENABLED, "1"));
	ASSERT_EQ(0, sys_module_load(NULL));
	expect_hook(_metadata, "ftrace:taskstats_exit");
}

/* Nor can it be switched off afterwards. */
TEST_F(hook, ftrace_stays_on)
{
	NEED_MODULE();
	ASSERT_EQ(0, sys_module_load(NULL));
	EXPECT_EQ(-EBUSY, sys_write(FTRACE_ENABLED, "0"));
	expect_hook(_metadata, "ftrace:taskstats_exit");
}

TEST_HARNESS_MAIN
