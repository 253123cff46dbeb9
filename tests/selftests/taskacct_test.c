// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct where it asks the module: run, exits, list, show, status, audit, cpu, counters,
 * and top without a screen
 */
#include <signal.h>
#include <sys/stat.h>

#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

/* A command that ends at once, under a name of its own */
#define SHORT "/tmp/tk_short"

#define ELSEWHERE "/tmp/tk_cgroups"

#define SAID "/tmp/taskacct_test.json"

FIXTURE(live) {
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(live)
{
	NEED_TASKACCT();
	sys_delayacct(true);
	ASSERT_EQ(0, system("cp /bin/true " SHORT));
}

FIXTURE_TEARDOWN(live)
{
	run_free(&self->r);
	forget(&self->l);
}

static void script(struct run *r, const char *text)
{
	run_script(r, text);
	run_finish(r);
}

static char *contents_of(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	if (!file || getdelim(&text, &size, '\0', file) < 0)
		text = strdup("");
	if (file)
		fclose(file);
	return text;
}

static void parse_file(struct __test_metadata *_metadata, const char *path,
		       struct lines *l)
{
	char *text = contents_of(path);

	parse(_metadata, text, l);
	free(text);
}

/* The line of a command's name, or NULL */
static struct json_object *line_of(const struct lines *l, const char *comm)
{
	struct json_object *value;
	int i;

	for (i = 0; i < l->n; i++)
		if (json_object_object_get_ex(l->v[i], "comm", &value) &&
		    !strcmp(json_object_get_string(value), comm))
			return l->v[i];
	return NULL;
}

static struct json_object *part(const struct lines *l, const char *key)
{
	struct json_object *value;
	int i;

	for (i = 0; i < l->n; i++)
		if (json_object_object_get_ex(l->v[i], key, &value))
			return value;
	return NULL;
}

/* Its status is the command's, and so is its signal. */
TEST_F(live, run_ends_as_its_command)
{
	script(&self->r, "taskacct run -- sh -c 'exit 5'");
	expect_status(_metadata, &self->r, 5);
	expect_words(_metadata, &self->r, "(total)");
	run_free(&self->r);
	script(&self->r, "exec taskacct run -- sh -c 'kill -TERM $$'");
	expect_status(_metadata, &self->r, -1);
	run_free(&self->r);
	script(&self->r, "taskacct run -- /tmp/there-is-no-such-command");
	expect_status(_metadata, &self->r, 127);
	run_free(&self->r);
	script(&self->r, "taskacct run -- /etc/passwd");
	expect_status(_metadata, &self->r, 126);
}

/* Options behind the command are the command's. */
TEST_F(live, run_leaves_options_to_its_command)
{
	script(&self->r, "taskacct run --to /dev/null echo --json -x");
	expect_status(_metadata, &self->r, 0);
	EXPECT_STREQ("--json -x\n", self->r.out);
	run_free(&self->r);
	script(&self->r, "taskacct run --to /dev/null -- echo -- --to");
	EXPECT_STREQ("-- --to\n", self->r.out);
}

/* All that descend from the command, however deep, and nobody else */
TEST_F(live, run_counts_descendants)
{
	struct json_object *all;

	script(&self->r,
	       "(for i in $(seq 50); do /tmp/tk_short; done) & taskacct run --json --limit 100 --to /tmp/taskacct_test.json -- sh -c 'for i in $(seq 20); do /tmp/tk_short; done; (sh -c \"/tmp/tk_short; /tmp/tk_short; exit 3\"); exit 4'; s=$?; wait; exit $s");
	expect_status(_metadata, &self->r, 4);
	parse_file(_metadata, SAID, &self->l);
	ASSERT_NE(NULL, line_of(&self->l, "tk_short"));
	EXPECT_EQ(22, number(line_of(&self->l, "tk_short"), "count"));
	all = part(&self->l, "run");
	ASSERT_NE(NULL, all);
	EXPECT_EQ(0, number(all, "lost"));
	EXPECT_LE(24, number(all, "count"));
	EXPECT_LT(0, number(all, "cpu"));
	EXPECT_LT(0, number(all, "peak_rss"));
}

/* Those too whose parents ended before them, and who left their session */
TEST_F(live, run_counts_orphans)
{
	script(&self->r,
	       "taskacct run --json --limit 100 --to /tmp/taskacct_test.json -- sh -c '(setsid sh -c \"sleep 0.3; /tmp/tk_short; /tmp/tk_short; echo >/tmp/orphan_done\" &); until [ -e /tmp/orphan_done ]; do sleep 0.1; done'");
	expect_status(_metadata, &self->r, 0);
	parse_file(_metadata, SAID, &self->l);
	ASSERT_NE(NULL, line_of(&self->l, "tk_short"));
	EXPECT_EQ(2, number(line_of(&self->l, "tk_short"), "count"));
}

/* Who outlives the command is reported, and left alone. */
TEST_F(live, run_tells_of_the_living)
{
	script(&self->r, "taskacct run -- sh -c 'sleep 100 & exit 0'");
	expect_status(_metadata, &self->r, 0);
	expect_words(_metadata, &self->r, "1 descendants still run");
	EXPECT_EQ(0, system("pkill -x sleep"));
}

static void start_exits(struct __test_metadata *_metadata, struct run *r,
			const char *text)
{
	struct run ready;

	run_script(r, text);
	script(&ready,
	       "for i in $(seq 100); do taskacct status --json | grep -q '\"listeners\":1,' && exit 0; sleep 0.1; done; exit 1");
	EXPECT_EQ(0, ready.status);
	run_free(&ready);
}

/* As they come, and only those that meet the filter */
TEST_F(live, exits)
{
	start_exits(_metadata, &self->r,
		    "exec taskacct exits --json -o comm,exit,args,user 'failed and comm=sh'");
	EXPECT_EQ(0, system("sh -c 'exit 7' one; " SHORT "; sh -c 'kill -KILL $$'; true"));
	usleep(300000);
	run_stop(&self->r, SIGINT);
	expect_status(_metadata, &self->r, 0);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	EXPECT_STREQ("7", json_object_get_string(json_object_object_get(self->l.v[0], "exit")));
	EXPECT_STREQ(sys_exit_has_mm() ? "sh -c exit 7 one" : "[sh]",
		     json_object_get_string(json_object_object_get(self->l.v[0], "args")));
	EXPECT_STREQ("SIGKILL",
		     json_object_get_string(json_object_object_get(self->l.v[1], "exit")));
	EXPECT_STREQ("root",
		     json_object_get_string(json_object_object_get(self->l.v[1], "user")));
}

TEST_F(live, list_and_show)
{
	char text[200];

	script(&self->r, "taskacct list --json -o pid,comm comm=taskacct_test");
	expect_status(_metadata, &self->r, 0);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_NE(NULL, line_with(&self->l, "pid", getpid()));
	run_free(&self->r);
	forget(&self->l);
	snprintf(text, sizeof(text), "taskacct show --json %d", getpid());
	script(&self->r, text);
	expect_status(_metadata, &self->r, 0);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_EQ(getpid(), number(part(&self->l, "show"), "pid"));
	EXPECT_LT(0, number(part(&self->l, "show"), "rss"));
	run_free(&self->r);
	script(&self->r, "taskacct show 4194304");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	run_free(&self->r);
	script(&self->r, "taskacct show nothing");
	expect_status(_metadata, &self->r, EXIT_USAGE);
}

/* Cgroups v2 are found where they are mounted, as where v1 has the usual place. */
TEST_F(live, cgroups_elsewhere)
{
	static const char *const ways[] = {
		"show --json cgroup:/tk_elsewhere",
		"show --json cgroup:" ELSEWHERE "/tk_elsewhere",
		"show --json unit:tk_elsewhere",
		"list --json -o pid cgroup=/tk_elsewhere",
		"list --json -o pid cgroup=" ELSEWHERE "/tk_elsewhere",
	};
	static const char mount[] =
		"d=" ELSEWHERE "; mkdir -p $d; mount -t cgroup2 none $d; umount -l /sys/fs/cgroup";
	static const char enter[] =
		"mkdir -p $d/tk_elsewhere; echo $$ >$d/tk_elsewhere/cgroup.procs";
	static const char leave[] =
		"s=$?; echo $$ >$d/cgroup.procs; rmdir $d/tk_elsewhere; exit $s";
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		snprintf(text, sizeof(text), "unshare -m sh -c '%s; %s; taskacct %s; %s'",
			 mount, enter, ways[i], leave);
		script(&self->r, text);
		expect_status(_metadata, &self->r, 0);
		/* The shell and the command are in it. */
		EXPECT_LE(1, run_lines(self->r.out)) TH_LOG("%s", ways[i]);
		run_free(&self->r);
	}
	script(&self->r, "taskacct show cgroup:/no/such");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "no cgroup /sys/fs/cgroup/no/such");
}

TEST_F(live, status)
{
	script(&self->r, "taskacct status --json");
	parse(_metadata, self->r.out, &self->l);
	ASSERT_LE(1, self->l.n);
	EXPECT_NE(NULL, json_object_object_get(part(&self->l, "status"), "hook"));
	EXPECT_LE(0, number(part(&self->l, "status"), "exits"));
}

/* What ended between two looks is one line with its number. However long it takes: it
 * begins when the first screen is there, and meanwhile there is no second look.
 */
TEST_F(live, top_shows_the_ended)
{
	static const char shorts[] =
		"until [ -s " SAID " ]; do sleep 0.1; done; kill -STOP $!; "
		"for i in $(seq 30); do " SHORT "; done; kill -CONT $!";
	char text[512];

	snprintf(text, sizeof(text),
		 "rm -f " SAID "; taskacct top -b -n 2 -d %ds >" SAID " & %s; "
		 "wait $!; s=$?; cat " SAID "; exit $s",
		 4 * sys_slow(), shorts);
	script(&self->r, text);
	expect_status(_metadata, &self->r, 0);
	EXPECT_NE(NULL, strstr(self->r.out, "tk_short \u00d730"))
		TH_LOG("it said: %s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.out, "taskacct_test"));
}

/* All that is used is in the books, and there are some. */
TEST_F(live, audit)
{
	const bool has_schedstat = !access("/proc/schedstat", F_OK);
	int i;

	script(&self->r, "taskacct audit --json 300ms");
	expect_status(_metadata, &self->r, 0);
	expect_words(_metadata, &self->r, "0 do not close");
	parse(_metadata, self->r.out, &self->l);
	EXPECT_LT(has_schedstat ? 5 : 0, self->l.n);
	for (i = 0; i < self->l.n; i++) {
		EXPECT_STREQ("true", json_of(self->l.v[i], "closes"));
		EXPECT_TRUE(has(self->l.v[i], "bound"));
		EXPECT_LE(number(self->l.v[i], "used_min"),
			  number(self->l.v[i], "used_max"));
	}
	run_free(&self->r);
	script(&self->r, "taskacct audit 0.2");
	expect_status(_metadata, &self->r, 0);
	EXPECT_EQ(self->r.out, strstr(self->r.out, "BOOK "));
	EXPECT_EQ(has_schedstat, !!strstr(self->r.out, "schedstat "));
}

TEST_F(live, audit_refuses)
{
	script(&self->r, "taskacct audit soon");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "soon");
	run_free(&self->r);
	script(&self->r, "taskacct audit 1s --family TASKSTATS");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	run_free(&self->r);
	script(&self->r, "setpriv --reuid 65534 --clear-groups taskacct audit 1s");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
}

/* A line of each CPU and source in each interval; the interval's time is in it. */
TEST_F(live, cpu)
{
	int64_t sum;
	int i, c;
	static const char *const classes[] = {
		"user", "nice", "system", "idle", "iowait", "irq", "softirq",
		"steal", "guest", "guest_nice",
	};

	script(&self->r,
	       "echo switch >/sys/module/taskacct/parameters/cputime && taskacct cpu -d 500ms -n 2 --json");
	expect_status(_metadata, &self->r, 0);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2 * 2 * sysconf(_SC_NPROCESSORS_ONLN), self->l.n);
	for (i = 0; i < self->l.n; i++) {
		for (sum = 0, c = 0; c < 10; c++)
			sum += number(self->l.v[i], classes[c]);
		if (strcmp(word(self->l.v[i], "by"), "taskacct"))
			continue;
		EXPECT_LT(400000000, sum);
		EXPECT_GT(2000000000, sum);
	}
	run_free(&self->r);
	script(&self->r, "taskacct cpu");
	expect_status(_metadata, &self->r, 0);
	EXPECT_EQ(self->r.out, strstr(self->r.out, "CPU BY "));
	EXPECT_GE(80, longest_line(self->r.out));
	run_free(&self->r);
	script(&self->r,
	       "echo off >/sys/module/taskacct/parameters/cputime && taskacct cpu");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "echo switch");
}

TEST_F(live, counters)
{
	const int n = sysconf(_SC_NPROCESSORS_CONF);

	script(&self->r, "taskacct counters --json --per-cpu cpu.user");
	expect_status(_metadata, &self->r, 0);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_LT(n, self->l.n);
	EXPECT_TRUE(is_null(self->l.v[0], "cpu"));
	EXPECT_STREQ("cpu.user", word(self->l.v[0], "name"));
	EXPECT_STREQ("ns", word(self->l.v[0], "unit"));
	EXPECT_STREQ("false", json_of(self->l.v[0], "gauge"));
	EXPECT_EQ(0, number(self->l.v[1], "cpu"));
	run_free(&self->r);
	script(&self->r, "taskacct counters");
	expect_status(_metadata, &self->r, 0);
	EXPECT_EQ(self->r.out, strstr(self->r.out, "COUNTER "));
	run_free(&self->r);
	script(&self->r, "taskacct counters none.such");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "none.such");
}

/* Without a terminal it is said what to do. */
TEST_F(live, top_needs_a_terminal)
{
	script(&self->r, "taskacct top </dev/null");
	expect_status(_metadata, &self->r, EXIT_USAGE);
	expect_words(_metadata, &self->r, "-b");
}

TEST_F(live, no_module)
{
	script(&self->r, "taskacct list --family NONESUCH");
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "modprobe taskacct");
}

TEST_HARNESS_MAIN
