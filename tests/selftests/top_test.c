// SPDX-License-Identifier: GPL-2.0-only
/*
 * The screen of taskacct top, in a terminal of tmux: what is on it, keys, other sizes
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cgroup.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* A cgroup, and the name of one in it */
#define OUTER "top_test_outer"
#define INNER "top_test_inner"

#define TMUX "TERM=xterm-256color LC_ALL=C.UTF-8 tmux -L top_test "
#define STATUS "/tmp/top_test.status"

FIXTURE(top) {
	char screen[65536];
};

static void draw(FIXTURE_DATA(top) *self)
{
	FILE *pane = popen(TMUX "capture-pane -p", "r");
	size_t n = fread(self->screen, 1, sizeof(self->screen) - 1, pane);

	self->screen[n] = '\0';
	pclose(pane);
}

/* Whether the screen has these words within its time */
static bool shows(FIXTURE_DATA(top) *self, const char *words)
{
	int ms;

	for (ms = 0; ms < PATIENCE_MS; ms += 100) {
		draw(self);
		if (strstr(self->screen, words))
			return true;
		usleep(100000);
	}
	return false;
}

/* The longest line's columns */
static int width(const FIXTURE_DATA(top) *self)
{
	wchar_t text[sizeof(self->screen)], *line, *rest;
	int most = 0;

	mbstowcs(text, self->screen, ARRAY_SIZE(text));
	for (line = wcstok(text, L"\n", &rest); line; line = wcstok(NULL, L"\n", &rest))
		if (wcswidth(line, wcslen(line)) > most)
			most = wcswidth(line, wcslen(line));
	return most;
}

/* Lines down to the last that has something */
static int height(const FIXTURE_DATA(top) *self)
{
	int lines = 0, n = 1;
	const char *at;

	for (at = self->screen; *at; at++) {
		if (*at != '\n' && *at != ' ')
			lines = n;
		n += *at == '\n';
	}
	return lines;
}

/* Waits for a screen that is so wide and high at least, and no more than it may be. */
static bool fills(FIXTURE_DATA(top) *self, int columns, int lines, int columns_max,
		  int lines_max)
{
	int ms;

	for (ms = 0; ms < PATIENCE_MS; ms += 100) {
		draw(self);
		if (width(self) >= columns && height(self) >= lines)
			return width(self) <= columns_max && height(self) <= lines_max;
		usleep(100000);
	}
	return false;
}

static int tmux(const char *what)
{
	char command[512];

	snprintf(command, sizeof(command), TMUX "%s", what);
	return system(command);
}

static int begin_top_every(int columns, int lines, const char *interval)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "-f /dev/null new-session -d -x %d -y %d 'taskacct top -d %s; echo $? >" STATUS "'",
		 columns, lines, interval);
	return tmux(command);
}

static int begin_top(int columns, int lines)
{
	return begin_top_every(columns, lines, "200ms");
}

FIXTURE_SETUP(top)
{
	NEED_TASKACCT();
	setlocale(LC_CTYPE, "C.UTF-8");
	remove(STATUS);
}

FIXTURE_TEARDOWN(top)
{
	system(TMUX "kill-server 2>/dev/null");
}

/* q ends it as it was asked to, and the terminal with it. */
static void end_top(struct __test_metadata *_metadata)
{
	char status[16] = "";
	int ms;

	EXPECT_EQ(0, tmux("send-keys q"));
	for (ms = 0; ms < PATIENCE_MS && sys_read(STATUS, status, sizeof(status)) <= 0;
	     ms += 100)
		usleep(100000);
	EXPECT_STREQ("0\n", status);
}

/* A filter while it is typed, the help, groups, and the end, on two sizes */
static void use(struct __test_metadata *_metadata, FIXTURE_DATA(top) *self, int columns,
		int lines)
{
	ASSERT_EQ(0, begin_top(columns, lines));
	EXPECT_TRUE(shows(self, "no records lost")) TH_LOG("%s", self->screen);
	EXPECT_TRUE(shows(self, "%W-CPU"));
	EXPECT_TRUE(shows(self, "top_test")) TH_LOG("%s", self->screen);
	EXPECT_TRUE(fills(self, columns / 2, 6, columns, lines));
	EXPECT_EQ(0, tmux("send-keys / comm=nobod y"));
	EXPECT_TRUE(shows(self, "filter: comm=nobody"));
	EXPECT_TRUE(shows(self, " 0 live")) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("send-keys Escape"));
	EXPECT_TRUE(shows(self, "top_test"));
	EXPECT_EQ(0, tmux("send-keys h"));
	EXPECT_TRUE(shows(self, "cgroups as a tree")) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("send-keys x b"));
	EXPECT_TRUE(shows(self, "; by unit")) TH_LOG("%s", self->screen);
	end_top(_metadata);
}

TEST_F_TIMEOUT(top, has_a_screen, 600)
{
	use(_metadata, self, 80, 24);
}

TEST_F_TIMEOUT(top, has_a_large_screen, 600)
{
	use(_metadata, self, 200, 60);
}

/* Keys have their turn also where a screen takes longer than the interval. */
TEST_F_TIMEOUT(top, takes_keys_when_late, 600)
{
	ASSERT_EQ(0, begin_top_every(200, 60, "1ms"));
	EXPECT_TRUE(shows(self, "no records lost")) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("send-keys h"));
	EXPECT_TRUE(shows(self, "cgroups as a tree")) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("send-keys x"));
	end_top(_metadata);
}

/* The row of a cgroup that has these words: from there on, or NULL */
static const char *row_of(const FIXTURE_DATA(top) *self, const char *words)
{
	const char *at = strstr(self->screen, words);

	while (at && at > self->screen && at[-1] != '\n')
		at--;
	return at;
}

/* t: cgroups as a tree, each with all that is below it, further in */
TEST_F_TIMEOUT(top, cgroups_as_a_tree, 600)
{
	const char *outer, *inner;
	struct work w;

	ASSERT_EQ(0, cgroup_make(OUTER));
	ASSERT_EQ(0, cgroup_make(OUTER "/" INNER));
	ASSERT_EQ(0, work_start(&w, work_stand_still, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, cgroup_enter(OUTER "/" INNER, w.pid));
	ASSERT_EQ(0, begin_top(80, 24));
	EXPECT_TRUE(shows(self, "no records lost"));
	EXPECT_EQ(0, tmux("send-keys t"));
	EXPECT_TRUE(shows(self, "; by cgroup")) TH_LOG("%s", self->screen);
	EXPECT_TRUE(shows(self, INNER)) TH_LOG("%s", self->screen);
	outer = row_of(self, OUTER);
	inner = row_of(self, INNER);
	ASSERT_NE(NULL, outer);
	EXPECT_LT(outer, inner) TH_LOG("%s", self->screen);
	EXPECT_LT(strstr(outer, OUTER) - outer, strstr(inner, INNER) - inner)
		TH_LOG("%s", self->screen);
	end_top(_metadata);
	work_wait(&w);
	EXPECT_EQ(0, cgroup_drop(OUTER "/" INNER));
	EXPECT_EQ(0, cgroup_drop(OUTER));
}

/* What is shown goes by the size of the terminal, also while it runs and under the help. */
TEST_F_TIMEOUT(top, goes_with_the_size, 600)
{
	ASSERT_EQ(0, begin_top(80, 24));
	ASSERT_TRUE(fills(self, 70, 24, 80, 24)) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("resize-window -x 200 -y 60"));
	EXPECT_TRUE(fills(self, 120, 40, 200, 60)) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("resize-window -x 40 -y 10"));
	EXPECT_TRUE(fills(self, 30, 10, 40, 10)) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("send-keys h"));
	EXPECT_TRUE(shows(self, "quit")) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("resize-window -x 3 -y 2"));
	EXPECT_TRUE(fills(self, 1, 1, 3, 2)) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("resize-window -x 80 -y 24"));
	EXPECT_TRUE(shows(self, "cgroups as a tree")) TH_LOG("%s", self->screen);
	EXPECT_EQ(0, tmux("send-keys x"));
	EXPECT_TRUE(fills(self, 70, 24, 80, 24)) TH_LOG("%s", self->screen);
	end_top(_metadata);
}

TEST_HARNESS_MAIN
