// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays as its users run it: options, output, messages, exit statuses.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "asked.h"
#include "lines.h"

#define NOBODY 65534

/* Where logs go: a small file system of the test's own */
#define DIR "/run/cli-test"
#define LOG DIR "/log"

FIXTURE(cli) {
	struct acct_sock s;
	struct work w;
	char pid[16];
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(cli)
{
	asked_start(_metadata, &self->s, &self->w, self->pid, sizeof(self->pid));
}

FIXTURE_TEARDOWN(cli)
{
	run_free(&self->r);
	forget(&self->l);
	work_wait(&self->w);
	acct_close(&self->s);
}

static void expect_fields(struct __test_metadata *_metadata,
			  struct json_object *o, const struct taskstats *st)
{
	const struct field *f;
	int64_t value;

	for_each_field(f) {
		if (f->size > 8 || !strcmp(f->name, "version"))
			continue;
		if (!record_has(f, st)) {
			EXPECT_TRUE(is_null(o, f->name)) TH_LOG("%s", f->name);
			continue;
		}
		value = record_get(f, st);
		if (!strcmp(f->name, "ac_nice"))
			value = (int8_t)value;
		if (f->kind == FIELD_CLOCK) {
			EXPECT_LT(0, number(o, f->name))
				TH_LOG("%s", f->name);
			EXPECT_LE(number(o, f->name), value)
				TH_LOG("%s", f->name);
			continue;
		}
		EXPECT_EQ(value, number(o, f->name)) TH_LOG("%s", f->name);
	}
	EXPECT_STREQ(st->ac_comm, word(o, "ac_comm"));
}

/* --json: an object to a line; every field under its own name, as the kernel
 * has it; by pid and by tgid, in short and in long
 */
TEST_F(cli, json)
{
	const char *const options[][2] = { { "-p", "pid" }, { "-t", "tgid" },
					   { "--pid", "pid" },
					   { "--tgid", "tgid" } };
	struct taskstats st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		run_free(&self->r);
		forget(&self->l);
		run(&self->r, "--json", options[i][0], self->pid);
		expect_status(_metadata, &self->r, EXIT_DONE);
		EXPECT_STREQ("", self->r.err);
		parse(_metadata, self->r.out, &self->l);
		ASSERT_EQ(1, self->l.n);
		EXPECT_STREQ(options[i][1], word(self->l.v[0], "kind"));
		EXPECT_EQ(self->w.pid, number(self->l.v[0], "pid"));
		EXPECT_STREQ(acct_family_name(), word(self->l.v[0], "family"));
		ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
		EXPECT_EQ(st.version, number(self->l.v[0], "version"));
		expect_fields(_metadata, self->l.v[0], &st);
	}
}

static int split(char *line, char **cells, int max)
{
	int n = 0;

	for (; n < max; line++) {
		cells[n++] = line;
		line = strpbrk(line, ",\n");
		if (!line || *line == '\n')
			break;
		*line = '\0';
	}
	if (line && *line == '\n')
		*line = '\0';
	return n;
}

/* --csv: a line of names, a line of values, the same as in JSON */
TEST_F(cli, csv)
{
	char *names[128];
	char *values[128];
	struct run csv;
	char *second;
	int found = 0;
	int n;
	int i;

	run(&self->r, "--json", "-p", self->pid);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	run(&csv, "--csv", "-p", self->pid);
	expect_status(_metadata, &csv, EXIT_DONE);
	second = strchr(csv.out, '\n');
	ASSERT_NE(NULL, second);
	second++;
	n = split(second, values, 128);
	second[-1] = '\n';
	ASSERT_EQ(n, split(csv.out, names, 128));
	ASSERT_GT(n, 40);
	for (i = 0; i < n; i++) {
		found += !strncmp(names[i], "ac_", 3);
		if (!strcmp(names[i], "delay_accounting"))
			continue;
		/* It may have passed meanwhile. */
		if (strstr(names[i], "time")) {
			EXPECT_TRUE(has(self->l.v[0], names[i]))
				TH_LOG("%s", names[i]);
			EXPECT_LE(number(self->l.v[0], names[i]),
				  atoll(values[i])) TH_LOG("%s", names[i]);
			continue;
		}
		EXPECT_STREQ(word(self->l.v[0], names[i]), values[i])
			TH_LOG("%s", names[i]);
	}
	EXPECT_GE(found, 15);
	run_free(&csv);
}

/* Several ids in one go, in the order given */
TEST_F(cli, several_ids)
{
	run(&self->r, "--json", "-p", self->pid, "-t", "1", "-t", self->pid);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(3, self->l.n);
	EXPECT_STREQ("pid", word(self->l.v[0], "kind"));
	EXPECT_EQ(self->w.pid, number(self->l.v[0], "pid"));
	EXPECT_EQ(1, number(self->l.v[1], "pid"));
	EXPECT_STREQ("tgid", word(self->l.v[2], "kind"));
}

/* -d, -i, -q show their part and no other; tables stay below 80 columns, and
 * have no colour where there is no terminal
 */
TEST_F(cli, parts)
{
	const char *const parts[][4] = {
		{ "-d", "DELAY", "RCHAR", "VOLUNTARY" },
		{ "-i", "RCHAR", "DELAY", "VOLUNTARY" },
		{ "-q", "VOLUNTARY", "DELAY", "RCHAR" },
		{ "--delays", "DELAY", "RCHAR", "VOLUNTARY" },
		{ "--io", "RCHAR", "DELAY", "VOLUNTARY" },
		{ "--switches", "VOLUNTARY", "DELAY", "RCHAR" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		run_free(&self->r);
		run(&self->r, parts[i][0], "-p", self->pid);
		expect_status(_metadata, &self->r, EXIT_DONE);
		EXPECT_NE(NULL, strstr(self->r.out, parts[i][1]));
		EXPECT_EQ(NULL, strstr(self->r.out, parts[i][2]));
		EXPECT_EQ(NULL, strstr(self->r.out, parts[i][3]));
		EXPECT_LT(longest_line(self->r.out), 80);
		EXPECT_EQ(NULL, strchr(self->r.out, '\033'));
	}
	run_free(&self->r);
	run(&self->r, "-p", self->pid);
	EXPECT_LT(longest_line(self->r.out), 80);
	EXPECT_NE(NULL, strstr(self->r.out, "cli_test"));
}

/* --help fits a screen; --version answers */
TEST_F(cli, help)
{
	const char *p;
	int lines = 0;

	run(&self->r, "--help");
	expect_status(_metadata, &self->r, EXIT_DONE);
	for (p = self->r.out; *p; p++)
		lines += *p == '\n';
	EXPECT_LE(lines, 25);
	EXPECT_LE(longest_line(self->r.out), 80);
	EXPECT_NE(NULL, strstr(self->r.out, "xamples"));
	run_free(&self->r);
	run(&self->r, "--version");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_NE(NULL, strstr(self->r.out, "getdelays"));
}

/* Wrong usage: status 1, a message, and nothing on standard output */
TEST_F(cli, wrong_usage)
{
	const char *const wrong[][4] = {
		{ "--no-such-option" }, { "-p" }, { "-p", "x" }, { "-p", "-1" },
		{ "-t", "0" }, { "-t", "1x" }, { "--json", "--csv", "-p", "1" },
		{ "-p", "1", "more" }, { "-r", "much", "-l" },
		{ "--family", "SIXTEEN_LETTERS_", "-l" }, { "-v" },
		{ "-R", "/dev/null", "-l" },
		{ "-c" }, { "-l", "--per-cpu", "-m", "one" },
		/* 1024 more than 2 to the power of 64 */
		{ "-l", "-r", "18014398509481985K" },
		{ "-l", "-r", "17592186044417M" }, { "-l", "-r", "1024M" },
		{ "-R", "/dev/null", "--family", "TASKSTATS" },
		{ "-R", "/dev/null", "-r", "1M" }, { "-p", "1", "-r", "1M" },
		{ "-c", "--" }, { "-R", "/dev/null", "-R", "/dev/null" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		run_free(&self->r);
		run(&self->r, wrong[i][0], wrong[i][1], wrong[i][2],
		    wrong[i][3]);
		EXPECT_EQ(EXIT_USAGE, self->r.status ?: -1)
			TH_LOG("%s: %d %s", wrong[i][0], self->r.status,
			       self->r.err);
		EXPECT_STREQ("", self->r.out);
		EXPECT_STRNE("", self->r.err);
	}
	/* That it is given twice is what is wrong, not what the later says. */
	run_free(&self->r);
	run(&self->r, "-l", "-m", "0", "--cpumask=1");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "--cpumask is given twice");
	/* What only the kernel can judge is its refusal, in its words. */
	run_free(&self->r);
	run(&self->r, "-l", "-m", "one");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "one");

	/* It is the wrong option that is reported, not the one before it. */
	run_free(&self->r);
	run(&self->r, "--verbose", "-lZ");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "no such option: -Z;");

	/* An unknown word lists the words allowed. */
	run_free(&self->r);
	run(&self->r, "--colour");
	expect_words(_metadata, &self->r, "there are: --pid");
}

/* No such task: status 2, and which */
TEST_F(cli, no_such_task)
{
	const char *const options[] = { "-p", "-t" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		run_free(&self->r);
		run(&self->r, options[i], "4194303");
		expect_status(_metadata, &self->r, EXIT_REFUSED);
		expect_words(_metadata, &self->r, "no such");
		expect_words(_metadata, &self->r, "4194303");
		EXPECT_STREQ("", self->r.out);
	}
}

/* No privilege: status 2, and what is needed, to ask about others and to listen */
TEST_F(cli, no_privilege)
{
	NEED_VM();
	NEED_TASKACCT();
	run_as(&self->r, NOBODY, "getdelays", "-p", "1", NULL);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "CAP_NET_ADMIN");
	run_free(&self->r);
	run_as(&self->r, NOBODY, "getdelays", "-l", NULL);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "CAP_NET_ADMIN");
	expect_words(_metadata, &self->r, "unprivileged=1");
	run_free(&self->r);
	ASSERT_EQ(0, LET_USERS_ASK(true));
	run_as(&self->r, NOBODY, "getdelays", "-c", "true", NULL);
	EXPECT_EQ(0, LET_USERS_ASK(false));
	expect_status(_metadata, &self->r, EXIT_DONE);
}

/* The module not loaded: status 2, and how to load it */
TEST_F(cli, module_not_loaded)
{
	NEED_VM();
	NEED_TASKACCT();
	acct_close(&self->s);
	ASSERT_EQ(0, sys_module_unload());
	run(&self->r, "-p", "1");
	EXPECT_EQ(0, sys_module_load(NULL));
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "modprobe taskacct");
}

/* Delay accounting off: said where delays are asked for, and how to switch it
 * on; JSON says so as well
 */
TEST_F(cli, delay_accounting_off)
{
	if (sys_delayacct(false) == -ENOENT)
		SKIP(return, "this kernel cannot switch delay accounting");
	ASSERT_EQ(0, sys_delayacct(false));
	run(&self->r, "-d", "-p", "1");
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "sysctl kernel.task_delayacct=1");
	ASSERT_EQ(0, sys_delayacct(true));
	run_free(&self->r);
	run(&self->r, "-d", "-p", "1");
	EXPECT_EQ(NULL, strstr(self->r.err, "task_delayacct"));
}

/* --family TASKSTATS: the same tool, and the same keys, on the kernel's own */
TEST_F(cli, family_of_the_kernel)
{
	struct taskstats st;
	struct acct_sock s;

	NEED_COUNTS();
	run(&self->r, "--family", "TASKSTATS", "--json", "-p", self->pid);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_STREQ("TASKSTATS", word(self->l.v[0], "family"));
	ASSERT_EQ(0, acct_open_family(&s, TASKSTATS_GENL_NAME, 0));
	ASSERT_EQ(0, acct_query_pid(&s, self->w.pid, &st));
	/* In-tree works it out anew each time, rounded. */
	st.ac_btime = number(self->l.v[0], "ac_btime");
	st.ac_btime64 = number(self->l.v[0], "ac_btime64");
	expect_fields(_metadata, self->l.v[0], &st);
	acct_close(&s);
	run_free(&self->r);
	run(&self->r, "--family", "NOT_THERE", "-p", "1");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "NOT_THERE");
}

/* -c: the command runs, its output is its own, and its record is printed */
TEST_F(cli, command)
{
	char *record;

	run(&self->r, "--json", "-c", "sh", "-c", "echo from the command");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(0, strncmp(self->r.out, "from the command\n", 17));
	record = strchr(self->r.out, '\n') + 1;
	parse(_metadata, record, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_STREQ("sh", word(self->l.v[0], "ac_comm"));
	EXPECT_GT(number(self->l.v[0], "ac_minflt"), 0);
	EXPECT_EQ(sys_counts(), number(self->l.v[0], "write_syscalls") > 0);
	/* Only taskacct knows how much memory a zombie had. */
	if (strcmp(acct_family_name(), "TASKSTATS")) {
		EXPECT_GT(number(self->l.v[0], "hiwater_rss"), 0);
	}
	run_free(&self->r);
	run(&self->r, "-c", "/no/such/command");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "/no/such/command");
}

/* What the module says of itself; there is nobody who listens */
static struct json_object *ask_status(struct __test_metadata *_metadata,
				      FIXTURE_DATA(cli) *self)
{
	struct json_object *o = NULL;

	run_verb(&self->r, "status", "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	ASSERT_TRUE(json_object_object_get_ex(self->l.v[0], "status", &o));
	return o;
}

/* taskacct status: the module's statistics, as the module tells them */
TEST_F(cli, status)
{
	struct json_object *o;
	struct acct_stat st;

	NEED_TASKACCT();
	o = ask_status(_metadata, self);
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ(st.hook, word(o, "hook"));
	EXPECT_STREQ(st.end_hook, word(o, "end_hook"));
	EXPECT_EQ(st.queries, (uint64_t)number(o, "queries"));
	EXPECT_EQ(0, number(o, "listeners"));
	EXPECT_EQ(st.made, (uint64_t)number(o, "made"));
}

/* What the module says it lost while taskacct status looked; -1 where it did not look */
static int64_t lost_now(struct __test_metadata *_metadata,
			FIXTURE_DATA(cli) *self)
{
	struct json_object *o = NULL;

	forget(&self->l);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_LE(1, self->l.n);
	ASSERT_TRUE(json_object_object_get_ex(self->l.v[0], "status", &o));
	return is_null(o, "lost_now") ? -1 : number(o, "lost_now");
}

/* taskacct status: what was lost before is reported and is no failure now; what is lost
 * while it looks is one
 */
TEST_F(cli, status_of_losses)
{
	struct acct_listener info = { .lost_queue = 0 };
	struct acct_sock full;
	struct work w;
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listen(&full, "0", 8192));
	for (i = 0; i < 1000 && !info.lost_queue; i++) {
		ASSERT_LT(0, work_exit_on(0));
		ASSERT_EQ(0, acct_listener_of(&self->s, full.port, &info));
	}
	ASSERT_LT(0, info.lost_queue);
	run_verb(&self->r, "status", "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(-1, lost_now(_metadata, self));
	run_free(&self->r);

	ASSERT_EQ(0, work_pin(0));
	ASSERT_EQ(0, work_start(&w, work_exits, NULL));
	work_pin_any();
	ASSERT_EQ('r', work_hear(&w));
	run_verb(&self->r, "status", "--json", "-d", "2s");
	expect_status(_metadata, &self->r, EXIT_LOST);
	EXPECT_LT(0, lost_now(_metadata, self));
	run_free(&self->r);
	work_wait(&w);

	acct_close(&full);
	run_verb(&self->r, "status", "--json", "-d", "100ms");
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(0, lost_now(_metadata, self));
}

/* A kernel has one of these places, or the end is not seen. */
static bool is_end_hook(const char *name, const char *by)
{
	const size_t length = strlen(by);

	if (!strcmp(name, "none"))
		return true;
	return !strncmp(name, by, length) && name[length] == ':' &&
	       (!strcmp(name + length + 1, "exit_task_stack_account") ||
		!strcmp(name + length + 1, "proc_exit_connector"));
}

/* It tells by what exits and ends are seen, for people too, and the records
 * of those whose end is not seen say so: with each hook
 */
TEST_F(cli, status_of_each_hook)
{
	static const char *const hooks[] = { "ftrace", "kprobe", "tracepoint" };
	struct json_object *o;
	const char *end;
	char param[32];
	struct run of;
	size_t i;

	NEED_VM();
	NEED_TASKACCT();
	acct_close(&self->s);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!sys_has_hook(hooks[i]))
			continue;
		snprintf(param, sizeof(param), "hook=%s", hooks[i]);
		ASSERT_EQ(0, sys_module_unload());
		ASSERT_EQ(0, sys_module_load(param));
		run_free(&self->r);
		forget(&self->l);
		o = ask_status(_metadata, self);
		end = word(o, "end_hook");
		EXPECT_TRUE(is_end_hook(end, hooks[i])) TH_LOG("%s", end);
		if (!strcmp(hooks[i], "tracepoint")) {
			EXPECT_STREQ("none", end);
		}
		if (!strcmp(hooks[i], "ftrace") && sys_kernel_is(5, 17)) {
			EXPECT_STRNE("none", end);
		}
		run_verb(&of, "status");
		EXPECT_NE(NULL, strstr(of.out, word(o, "hook")));
		EXPECT_NE(NULL, strstr(of.out, end));
		EXPECT_GT(80, longest_line(of.out)) TH_LOG("%s", of.out);
		run_free(&of);
		run(&of, "-l", "--json", "--extended", "-c", "true");
		expect_status(_metadata, &of, EXIT_DONE);
		EXPECT_LE(1, run_lines(of.out));
		EXPECT_EQ(!strcmp(end, "none"), !!strstr(of.out, "\"early\""))
			TH_LOG("%s", of.out);
		run_free(&of);
	}
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_module_load(NULL));
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE(listen) {
	struct acct_sock s;
	struct run r;
	struct lines l;
	bool mounted;
};

FIXTURE_SETUP(listen)
{
	ASSERT_EQ(0, acct_open(&self->s));
	mkdir(DIR, 0700);
	self->mounted = !mount("none", DIR, "tmpfs", 0, "size=256k");
	ASSERT_TRUE(self->mounted);
}

FIXTURE_TEARDOWN(listen)
{
	run_free(&self->r);
	forget(&self->l);
	acct_close(&self->s);
	if (self->mounted)
		umount(DIR);
	rmdir(DIR);
}

/* How many records there are of a task */
static int times(const struct lines *l, const char *kind, pid_t pid)
{
	int n = 0;
	int i;

	for (i = 0; i < l->n; i++)
		n += !strcmp(word(l->v[i], "kind"), kind) &&
		     number(l->v[i], "pid") == pid;
	return n;
}

/* R9 R12 R14: -l: every exit is reported once, a process's total too; SIGINT ends
 * it with a summary
 */
TEST_F(listen, every_exit_once)
{
	char summary[64];
	pid_t pids[50];
	pid_t pair;
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	for (i = 0; i < 50; i++)
		pids[i] = work_exit_on(i % sys_cpus_online());
	pair = acct_exit_pair();
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(1, times(&self->l, "pid", pids[i]));
		EXPECT_EQ(0, times(&self->l, "tgid", pids[i]));
	}
	EXPECT_EQ(1, times(&self->l, "pid", pair));
	EXPECT_EQ(1, times(&self->l, "tgid", pair));
	/* A total comes in the message of the last of its tasks. */
	snprintf(summary, sizeof(summary), "received: %d, lost: 0",
		 self->l.n - 1);
	expect_words(_metadata, &self->r, summary);
}

/* SIGTERM ends it as cleanly */
TEST_F(listen, sigterm)
{
	NEED_TASKACCT();
	begin(&self->r, "--listen");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	work_exit_process(0);
	run_stop(&self->r, SIGTERM);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "received: 1, lost: 0");
	EXPECT_LT(longest_line(self->r.out), 80);
}

static void expect_masks(struct __test_metadata *_metadata,
			 struct acct_sock *s, const char *a, const char *b)
{
	struct acct_listener l[4];
	int n = acct_listener_dump(s, l, 4);

	ASSERT_EQ(b ? 2 : 1, n);
	if (b && strcmp(l[0].cpumask, a)) {
		EXPECT_STREQ(b, l[0].cpumask);
		EXPECT_STREQ(a, l[1].cpumask);
		return;
	}
	EXPECT_STREQ(a, l[0].cpumask);
	if (b) {
		EXPECT_STREQ(b, l[1].cpumask);
	}
}

/* R9 R14: -m names the CPUs; "all", and none, are all of them */
TEST_F(listen, cpumask)
{
	pid_t received;
	pid_t not;

	NEED_TASKACCT();
	NEED_CPUS(2);
	begin(&self->r, "-l", "-m", "1", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	expect_masks(_metadata, &self->s, "1", NULL);
	not = work_exit_on(0);
	received = work_exit_on(1);
	run_stop(&self->r, SIGINT);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_EQ(0, times(&self->l, "pid", not));
	EXPECT_EQ(1, times(&self->l, "pid", received));
	run_free(&self->r);

	begin(&self->r, "-m", "all");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	expect_masks(_metadata, &self->s, "0-1", NULL);
	run_stop(&self->r, SIGINT);
	run_free(&self->r);

	begin(&self->r, "-l");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	expect_masks(_metadata, &self->s, "0-1", NULL);
	run_stop(&self->r, SIGINT);
}

static bool all_pinned(pid_t pid, int cpus)
{
	pid_t tids[16];
	bool seen[8] = { false };
	char path[64];
	char buf[4096];
	char *p;
	int n;

	for (n = sys_tids(pid, tids, 16); n-- > 0;) {
		if (tids[n] == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid,
			 tids[n]);
		sys_read(path, buf, sizeof(buf));
		p = strstr(buf, "Cpus_allowed_list:\t");
		if (p && p[20] == '\n')
			seen[(p[19] - '0') & 7] = true;
	}
	while (cpus-- > 0)
		if (!seen[cpus])
			return false;
	return true;
}

/* R34 R35: --per-cpu: a listener for each CPU, on that CPU */
TEST_F(listen, per_cpu)
{
	pid_t pids[20];
	int i;

	NEED_TASKACCT();
	NEED_CPUS(2);
	begin(&self->r, "-l", "--per-cpu", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 2));
	expect_masks(_metadata, &self->s, "0", "1");
	for (i = 0; i < 6000 && !all_pinned(self->r.pid, 2); i++)
		usleep(10000);
	EXPECT_TRUE(all_pinned(self->r.pid, 2));
	for (i = 0; i < 20; i++)
		pids[i] = work_exit_on(i % 2);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(1, times(&self->l, "pid", pids[i]));
	}
}

/* R33 R36: what is lost is reported, and is in the exit status; received and lost
 * together are what was made
 */
TEST_F(listen, losses)
{
	unsigned long received;
	unsigned long lost;
	struct acct_listener l;
	char *summary;
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "-r", "4K", "--json");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	kill(self->r.pid, SIGSTOP);
	for (i = 0; i < 100; i++)
		work_exit_process(0);
	ASSERT_EQ(1, acct_listener_dump(&self->s, &l, 1));
	EXPECT_GT(l.lost_queue, 50);
	kill(self->r.pid, SIGCONT);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_LOST);
	expect_words(_metadata, &self->r, "-r");
	summary = strstr(self->r.err, "received: ");
	ASSERT_NE(NULL, summary);
	ASSERT_EQ(2, sscanf(summary, "received: %lu, lost: %lu", &received,
			    &lost));
	EXPECT_EQ(l.made, received + lost);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_EQ(received, (unsigned long)self->l.n);
}

static int end_now(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

/* R33: the buffer as it is holds a burst of 10,000 exits */
TEST_F(listen, burst_of_ten_thousand)
{
	char *stacks = work_stacks(100);
	unsigned long received;
	unsigned long lost;
	struct acct_stat before;
	struct acct_stat after;
	struct acct_listener l;
	char *summary;
	int i;
	int j;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_stat_get(&self->s, &before));
	begin(&self->r, "-l", "--csv");
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	kill(self->r.pid, SIGSTOP);
	for (i = 0; i < 100; i++) {
		for (j = 0; j < 100; j++) {
			ASSERT_GT(work_raw_process(end_now, NULL,
						   stacks + j * WORK_STACK), 0);
		}
		for (j = 0; j < 100; j++) {
			ASSERT_GT(waitpid(-1, NULL, 0), 0);
		}
	}
	ASSERT_EQ(1, acct_listener_dump(&self->s, &l, 1));
	EXPECT_EQ(0, l.lost_queue);
	EXPECT_GE(l.delivered, 10000);
	kill(self->r.pid, SIGCONT);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_DONE);
	summary = strstr(self->r.err, "received: ");
	ASSERT_NE(NULL, summary);
	ASSERT_EQ(2, sscanf(summary, "received: %lu, lost: %lu", &received,
			    &lost));
	/* Others may have exited since that figure was had. */
	EXPECT_LE(l.made, received);
	ASSERT_EQ(0, acct_stat_get(&self->s, &after));
	EXPECT_EQ(after.made - before.made, received);
	EXPECT_EQ(0, lost);
}

/* Whether delay accounting is on now is not known of the time of the log. */
static void blank_setting(char *text)
{
	static const char key[] = "\"delay_accounting\":";
	char *p = text;

	while ((p = strstr(p, key))) {
		p += sizeof(key) - 1;
		memcpy(p, "null", 4);
	}
}

/* How many messages were received: that of a process is in its last thread's. */
static int messages_of(struct __test_metadata *_metadata, const struct run *r)
{
	struct lines l = { 0 };
	int n = 0;
	int i;

	parse(_metadata, r->out, &l);
	for (i = 0; i < l.n; i++)
		n += !strcmp(word(l.v[i], "kind"), "pid");
	forget(&l);
	return n;
}

/* -w and -R: what is read from the log is what was printed when it was received, to
 * the letter; a second run goes on with the log. Others may exit, too.
 */
TEST_F(listen, log_and_read_back)
{
	struct run live[2];
	pid_t pids[2][11];
	char written[32];
	struct run csv;
	char *both;
	int i;
	int j;
	int n;

	NEED_TASKACCT();
	for (i = 0; i < 2; i++) {
		begin(&live[i], "-l", "--json", "-w", LOG);
		ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
		for (j = 0; j < 10; j++)
			pids[i][j] = work_exit_process(j);
		pids[i][10] = acct_exit_pair();
		run_stop(&live[i], SIGINT);
		expect_status(_metadata, &live[i], EXIT_DONE);
		n = messages_of(_metadata, &live[i]);
		EXPECT_LE(12, n);
		EXPECT_LT(n, run_lines(live[i].out));
		snprintf(written, sizeof(written), "written: %d\n", n);
		expect_words(_metadata, &live[i], written);
	}
	run(&self->r, "-R", LOG, "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	ASSERT_LT(0, asprintf(&both, "%s%s", live[0].out, live[1].out));
	blank_setting(both);
	EXPECT_EQ(0, strcmp(both, self->r.out));
	parse(_metadata, both, &self->l);
	for (i = 0; i < 2; i++) {
		for (j = 0; j < 11; j++) {
			EXPECT_EQ(1, times(&self->l, "pid", pids[i][j]));
			EXPECT_EQ(j == 10,
				  times(&self->l, "tgid", pids[i][j]));
		}
	}

	/* Any other form comes from the same records. */
	run(&csv, "--read", LOG, "--csv");
	expect_status(_metadata, &csv, EXIT_DONE);
	EXPECT_EQ(run_lines(both) + 1, run_lines(csv.out));
	run_free(&csv);
	run_verb(&csv, "report", LOG);
	EXPECT_NE(NULL, strstr(csv.out, "cli_test"));
	run_free(&csv);
	free(both);
	run_free(&live[0]);
	run_free(&live[1]);
}

/* Answers that are logged are no ends, and add nothing to totals */
TEST_F(listen, totals_of_what_ended)
{
	int64_t cpu = 0;
	struct work w;
	struct run live;
	char pid[16];
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, work_start(&w, work_stand_still, NULL));
	ASSERT_EQ('r', work_hear(&w));
	snprintf(pid, sizeof(pid), "%d", w.pid);
	for (i = 0; i < 4; i++) {
		run_free(&self->r);
		run(&self->r, i & 1 ? "-p" : "-t", pid, "-w", LOG);
		expect_status(_metadata, &self->r, EXIT_DONE);
	}
	begin(&live, "-l", "--json", "-w", LOG);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	work_wait(&w);
	run_stop(&live, SIGINT);
	expect_status(_metadata, &live, EXIT_DONE);
	expect_words(_metadata, &live, "received: 1, lost: 0");
	parse(_metadata, live.out, &self->l);
	run_free(&live);
	ASSERT_EQ(1, self->l.n);
	cpu = number(self->l.v[0], "ac_utime") +
	      number(self->l.v[0], "ac_stime");
	forget(&self->l);
	run_free(&self->r);
	run(&self->r, "-R", LOG);
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "read: 5 messages, 5 records");
	run_free(&self->r);
	run_verb(&self->r, "report", "-o", "count,utime,stime", "--json", LOG);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	/* And the total */
	ASSERT_EQ(2, self->l.n);
	EXPECT_EQ(cpu * 1000, number(self->l.v[0], "utime") +
				      number(self->l.v[0], "stime"));
	EXPECT_EQ(1, number(self->l.v[0], "count"));
}

/* A torn tail, as a crash leaves it, is recognised; what is before is there */
TEST_F(listen, torn_log)
{
	struct stat st;
	struct run live;
	struct run whole;
	pid_t pids[4];
	int i;
	int n;

	NEED_TASKACCT();
	begin(&live, "-l", "-w", LOG);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	for (i = 0; i < 3; i++)
		pids[i] = work_exit_process(0);
	run_stop(&live, SIGINT);
	run_free(&live);
	run(&whole, "-R", LOG, "--json");
	n = run_lines(whole.out);
	parse(_metadata, whole.out, &self->l);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1, times(&self->l, "pid", pids[i]));
	forget(&self->l);
	ASSERT_EQ(0, stat(LOG, &st));
	ASSERT_EQ(0, truncate(LOG, st.st_size - 7));
	run(&self->r, "-R", LOG, "--json");
	expect_status(_metadata, &self->r, EXIT_LOG);
	EXPECT_STRNE("", self->r.err);
	EXPECT_EQ(n - 1, run_lines(self->r.out));
	EXPECT_EQ(0, strncmp(whole.out, self->r.out, strlen(self->r.out)));
	run_free(&whole);

	/* A new run mends the tail and goes on. */
	begin(&live, "-l", "-w", LOG);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	pids[3] = work_exit_process(0);
	run_stop(&live, SIGINT);
	run_free(&live);
	run(&whole, "-R", LOG, "--json");
	expect_status(_metadata, &whole, EXIT_DONE);
	parse(_metadata, whole.out, &self->l);
	EXPECT_EQ(1, times(&self->l, "pid", pids[0]));
	EXPECT_EQ(1, times(&self->l, "pid", pids[1]));
	EXPECT_EQ(1, times(&self->l, "pid", pids[3]));
	EXPECT_EQ(0, strncmp(whole.out, self->r.out, strlen(self->r.out)));
	EXPECT_LE(n, run_lines(whole.out));
	run_free(&whole);
}

/* A disk that is full: a clear error, a status of its own, and what was written
 * before stays readable
 */
TEST_F(listen, disk_full)
{
	siginfo_t info = { 0 };
	struct run back;
	int i;

	NEED_TASKACCT();
	begin(&self->r, "-l", "-w", LOG);
	ASSERT_EQ(0, acct_wait_listeners(&self->s, 1));
	for (i = 0; i < 2000 && !info.si_pid; i++) {
		work_exit_process(0);
		waitid(P_PID, self->r.pid, &info, WEXITED | WNOHANG | WNOWAIT);
	}
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, EXIT_LOG);
	expect_words(_metadata, &self->r, "No space left");
	expect_words(_metadata, &self->r, LOG);
	run(&back, "-R", LOG, "--json");
	EXPECT_GT(run_lines(back.out), 100);
	parse(_metadata, back.out, &self->l);
	run_free(&back);
}

/* A directory that is read-only: a clear error, before any listening */
TEST_F(listen, read_only)
{
	ASSERT_EQ(0, mount("none", DIR, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	run(&self->r, "-l", "-w", LOG);
	expect_status(_metadata, &self->r, EXIT_LOG);
	expect_words(_metadata, &self->r, "Read-only file system");
	expect_words(_metadata, &self->r, LOG);
}

/* A file that is no log is neither read as one nor added to */
TEST_F(listen, not_a_log)
{
	struct stat st;
	int fd;

	fd = open(LOG, O_WRONLY | O_CREAT, 0600);
	ASSERT_EQ(26, write(fd, "this is a text, not a log\n", 26));
	close(fd);
	run(&self->r, "-R", LOG);
	EXPECT_NE(EXIT_DONE, self->r.status);
	EXPECT_STRNE("", self->r.err);
	EXPECT_STREQ("", self->r.out);
	run_free(&self->r);
	run(&self->r, "-l", "-w", LOG);
	expect_status(_metadata, &self->r, EXIT_LOG);
	ASSERT_EQ(0, stat(LOG, &st));
	EXPECT_EQ(26, st.st_size);
	run_free(&self->r);
	run(&self->r, "-R", DIR "/nothing-here");
	EXPECT_NE(EXIT_DONE, self->r.status);
	expect_words(_metadata, &self->r, "No such file");
}

TEST_HARNESS_MAIN
