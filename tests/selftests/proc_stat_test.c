// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/taskacct/stat: all lines of /proc/stat, so that programs that read that one
 * read it, and what others than root are told.
 */
#include <ctype.h>
#include <fcntl.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>

#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"

#define USER 4301
#define THEIRS "/proc/stat"
#define TEXT_MAX (1 << 20)

/* What the kernel's file has behind the times of CPUs */
static const char *const words[] = {
	"intr", "ctxt", "btime", "processes", "procs_running", "procs_blocked",
	"softirq",
};

#define WORDS (sizeof(words) / sizeof(*words))

FIXTURE(proc_stat) {
	bool able;
	char *text;
};

FIXTURE_SETUP(proc_stat)
{
	self->able = sys_in_vm() && sys_module_loaded();
	self->text = malloc(TEXT_MAX);
	if (self->able)
		ASSERT_EQ(0, set_mode("switch"));
}

FIXTURE_TEARDOWN(proc_stat)
{
	free(self->text);
	if (self->able)
		EXPECT_EQ(0, set_mode("off"));
}

#define NEED_STAT() NEED_LOADED(self->able)

/* In pieces of so many bytes */
static bool read_by(int fd, char *text, size_t piece)
{
	size_t length = 0;
	ssize_t n;

	while ((n = read(fd, text + length, piece)) > 0) {
		length += n;
		if (length + piece >= TEXT_MAX)
			return false;
	}
	text[length] = '\0';
	return !n && length;
}

static bool read_all(const char *path, char *text)
{
	int fd = open(path, O_RDONLY);
	bool done = fd >= 0 && read_by(fd, text, 65536);

	close(fd);
	return done;
}

static bool matches(const char *line, const char *pattern)
{
	regex_t regex;
	bool found;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB))
		abort();
	found = !regexec(&regex, line, 0, NULL, 0);
	regfree(&regex);
	return found;
}

/* Takes the next line off a text; NULL behind the last one */
static char *next_line(char **text)
{
	return **text ? strsep(text, "\n") : NULL;
}

#define TEN "( [0-9]+){10}$"

static void expect_cpus(struct __test_metadata *_metadata, char **rest,
			const char *name, int n)
{
	char pattern[96];
	int cpu;

	for (cpu = 0; cpu < n; cpu++) {
		snprintf(pattern, sizeof(pattern), "^%s%d" TEN, name, cpu);
		EXPECT_TRUE(matches(next_line(rest), pattern))
			TH_LOG("%s", pattern);
	}
}

/* R92 R102 R107: each line, its form, and nothing else */
TEST_F(proc_stat, lines)
{
	const int cpus = sys_cpus_online();
	char *rest = self->text;
	char pattern[96];
	int cpu;

	NEED_STAT();
	ASSERT_TRUE(read_all(STAT, self->text));
	EXPECT_TRUE(matches(next_line(&rest), "^cpu " TEN));
	expect_cpus(_metadata, &rest, "cpu", cpus);
	EXPECT_TRUE(matches(next_line(&rest), "^intr [0-9]+( [0-9]+)+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^ctxt [0-9]+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^btime [0-9]+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^processes [0-9]+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^procs_running [0-9]+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^procs_blocked [0-9]+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^softirq( [0-9]+){11}$"));
	EXPECT_TRUE(matches(next_line(&rest), "^switches [0-9]+$"));
	EXPECT_TRUE(matches(next_line(&rest), "^mode switch$"));
	EXPECT_TRUE(matches(next_line(&rest), "^irqtime (sampled|measured)$"));
	for (cpu = 0; cpu < cpus; cpu++) {
		snprintf(pattern, sizeof(pattern), "^ns%d" TEN, cpu);
		EXPECT_TRUE(matches(next_line(&rest), pattern));
		snprintf(pattern, sizeof(pattern),
			 "^kernel%d (tick|generic|native) (periodic|nohz|nohz_full)$",
			 cpu);
		EXPECT_TRUE(matches(next_line(&rest), pattern));
	}
	EXPECT_EQ(NULL, next_line(&rest));
}

/* Numbers behind a word, each between those that were read before and after */
static int count_between(const char *before, const char *now, const char *after)
{
	uint64_t least, value, most;
	char *a, *b, *c;
	int n = 0;

	for (;; n++, before = a, now = b, after = c) {
		least = strtoull(before, &a, 10);
		value = strtoull(now, &b, 10);
		most = strtoull(after, &c, 10);
		if (b == now)
			return a == before && c == after ? n : -1;
		if (value < least || value > most)
			return -1;
	}
}

/* R92 R107: the kernel's own lines: its figures, as they are now */
TEST_F(proc_stat, of_the_kernel)
{
	static char before[65536], now[65536], after[65536];
	size_t i;
	int n;

	NEED_STAT();
	for (i = 0; i < WORDS; i++) {
		/* What runs, and what waits, comes and goes. */
		if (!strncmp(words[i], "procs_", 6))
			continue;
		ASSERT_EQ(0, file_line(THEIRS, words[i], before, sizeof(before)));
		work_exit_process(0);
		ASSERT_EQ(0, file_line(STAT, words[i], now, sizeof(now)));
		work_exit_process(0);
		ASSERT_EQ(0, file_line(THEIRS, words[i], after, sizeof(after)));
		n = strlen(words[i]);
		EXPECT_LT(0, count_between(before + n, now + n, after + n))
			TH_LOG("%s", now);
	}
}

/* R92: ticks are the ns, by CPU and in all; nothing passes while it is off. */
TEST_F(proc_stat, ticks)
{
	uint64_t ns[CLASSES], ticks[CLASSES], sum[CLASSES] = { 0 };
	char line[512];
	int cpu, i;

	NEED_STAT();
	ASSERT_EQ(sys_cpus_possible(), sys_cpus_online());
	work_burn(100000000);
	ASSERT_EQ(0, set_mode("off"));
	for (cpu = 0; cpu < sys_cpus_online(); cpu++) {
		ASSERT_EQ(0, stat_ns(cpu, ns));
		ASSERT_EQ(0, stat_ticks(cpu, ticks));
		for (i = 0; i < CLASSES; i++) {
			EXPECT_EQ(ns[i] / 10000000, ticks[i]);
			sum[i] += ns[i];
		}
	}
	ASSERT_EQ(0, stat_line("cpu", line, sizeof(line)));
	ASSERT_EQ(CLASSES, numbers(line, ticks));
	for (i = 0; i < CLASSES; i++)
		EXPECT_EQ(sum[i] / 10000000, ticks[i]);
	EXPECT_LT(0, ticks[TASKACCT_CPU_USER]);
}

static uint64_t number_of(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

/* R92: in small pieces one text; from the beginning on a new one, as top reads it */
TEST_F(proc_stat, reads)
{
	uint64_t then;
	char byte;
	int fd;

	NEED_STAT();
	fd = open(STAT, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(read_by(fd, self->text, 7));
	EXPECT_TRUE(matches(self->text, "^softirq( [0-9]+){11}$"));
	then = number_of(self->text, "\nprocesses ");
	EXPECT_LT(0, then);
	work_exit_process(0);
	ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
	ASSERT_TRUE(read_by(fd, self->text, 65536));
	EXPECT_LT(then, number_of(self->text, "\nprocesses "));
	close(fd);
	/* The kernel's lines are there also where reading begins behind them. */
	fd = open(STAT, O_RDONLY);
	ASSERT_EQ(1, pread(fd, &byte, 1, 1));
	EXPECT_EQ('p', byte);
	ASSERT_TRUE(read_by(fd, self->text, 65536));
	EXPECT_NE(NULL, strstr(self->text, "\nsoftirq "));
	close(fd);
}

/* Reads what a user gets: as who opens it, and as who reads it */
static int read_as(uid_t opener, uid_t reader, char *text)
{
	bool done;
	int fd;

	if (seteuid(opener))
		return -1;
	fd = open(STAT, O_RDONLY);
	if (seteuid(0) || seteuid(reader))
		return -1;
	done = read_by(fd, text, 65536);
	close(fd);
	return seteuid(0) || !done ? -1 : 0;
}

/* Others have the kernel's lines and ticks, and nothing in ns; the opener decides. */
TEST_F(proc_stat, others)
{
	NEED_STAT();
	ASSERT_EQ(0, read_as(USER, USER, self->text));
	EXPECT_EQ(NULL, strstr(self->text, "\nns"));
	EXPECT_TRUE(matches(self->text, "^cpu "));
	EXPECT_LT(0, number_of(self->text, "\nctxt "));
	EXPECT_NE(NULL, strstr(self->text, "\nkernel0 "));
	ASSERT_EQ(0, read_as(USER, 0, self->text));
	EXPECT_EQ(NULL, strstr(self->text, "\nns"));
	ASSERT_EQ(0, read_as(0, USER, self->text));
	EXPECT_NE(NULL, strstr(self->text, "\nns0 "));
}

static uint64_t idle_of(const char *text)
{
	uint64_t ticks[CLASSES];
	const char *line = strstr(text, "\ncpu1 ");

	return line && numbers(line + 1, ticks) ? ticks[TASKACCT_CPU_IDLE] : 0;
}

/*
 * An idle CPU has no ticks, or few. What it does meanwhile root sees; others do not,
 * until it does something else: they are behind what root has read before them. How
 * long a CPU is idle is up to the kernel, so this goes on until it was long enough.
 */
TEST_F(proc_stat, no_running_interval)
{
	uint64_t then, now, exact;

	NEED_STAT();
	NEED_CPUS(2);
	work_pin(0);
	do {
		ASSERT_EQ(0, read_as(USER, USER, self->text));
		then = idle_of(self->text);
		usleep(30000);
		ASSERT_EQ(0, read_as(0, 0, self->text));
		exact = idle_of(self->text);
		EXPECT_LE(then, exact);
		ASSERT_EQ(0, read_as(USER, USER, self->text));
		now = idle_of(self->text);
		EXPECT_LE(then, now);
	} while (now >= exact);
	work_pin_any();
}

/* Our file in the place of the kernel's, for this process and its children */
static bool is_mounted_over(void)
{
	return !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount(STAT, THEIRS, NULL, MS_BIND, NULL);
}

/* A number in front of words, as vmstat -s has them */
static uint64_t told_of(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	while (at && at > text && at[-1] != '\n')
		at--;
	return at ? strtoull(at, NULL, 10) : 0;
}

/* R92 R107: vmstat reads it: everything that it tells of */
TEST_F(proc_stat, vmstat)
{
	static char line[65536];
	uint64_t ctxt, forks;
	struct run r;

	NEED_STAT();
	ASSERT_TRUE(is_mounted_over());
	EXPECT_TRUE(sys_file_has(THEIRS, "switches"));
	work_burn(100000000);
	ASSERT_EQ(0, stat_line("ctxt", line, sizeof(line)));
	ctxt = strtoull(line + 5, NULL, 10);
	ASSERT_EQ(0, stat_line("processes", line, sizeof(line)));
	forks = strtoull(line + 10, NULL, 10);
	run_script(&r, "vmstat -s && vmstat 1 2");
	run_finish(&r);
	EXPECT_EQ(0, r.status) TH_LOG("%s", r.err);
	EXPECT_LT(0, told_of(r.out, " non-nice user cpu ticks"));
	EXPECT_LT(0, told_of(r.out, " interrupts"));
	EXPECT_LE(ctxt, told_of(r.out, " CPU context switches"));
	EXPECT_LE(forks, told_of(r.out, " forks"));
	ASSERT_EQ(0, stat_line("btime", line, sizeof(line)));
	EXPECT_EQ(strtoull(line + 6, NULL, 10), told_of(r.out, " boot time"));
	run_free(&r);
}

/* R92 R107: so does top: shares of a CPU's time, which together are all of it */
TEST_F(proc_stat, top)
{
	static const char pattern[] =
		"%%Cpu(s): %lf us, %lf sy, %lf ni, %lf id, %lf wa, %lf hi, %lf si, %lf st";
	double at[8] = { 0 }, sum = 0;
	const char *line, *last = NULL;
	struct run r;
	int i;

	NEED_STAT();
	ASSERT_TRUE(is_mounted_over());
	run_script(&r, "top -b -n 2 -d 1 -w 200");
	run_finish(&r);
	EXPECT_EQ(0, r.status) TH_LOG("%s", r.err);
	/* The second one is of the second in between. */
	for (line = r.out; (line = strstr(line, "%Cpu(s)")); line++)
		last = line;
	ASSERT_NE(NULL, last);
	ASSERT_EQ(8, sscanf(last, pattern, &at[0], &at[1], &at[2], &at[3],
			    &at[4], &at[5], &at[6], &at[7]));
	for (i = 0; i < 8; i++)
		sum += at[i];
	EXPECT_LT(99, sum);
	EXPECT_GT(101, sum);
	EXPECT_LT(0, at[3]);
	run_free(&r);
}

TEST_HARNESS_MAIN
