// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct top: what is used now, by those that live and those that ended
 */
#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "top.h"

/* What fits into 80 columns, and what into more */
#define NARROW "pid,user,cpu,wait_cpu,wait_io,read,write,rss,comm"
#define WIDE "pid,user,unit,cpu,wait_cpu,wait_io,read,write,rss,exit,args"
#define WIDE_COLUMNS 120

#define FILTER_MAX 256
#define ESCAPE 27

/* Rates of less time than this are no rates. */
#define SOON_MS 500

/* What comes in is taken so often. */
#define TAKE_MS 500

/* However long a screen takes to make, keys have so much time behind it. */
#define KEYS_MS 50

enum color {
	COLOR_ENDED = 1,
	COLOR_LOSS,
	COLOR_HEAD,
};

/* The screen and what its user does; wide: it has room for more columns */
struct ui {
	struct top top;
	bool wide;
	size_t first;
	bool paused;
	bool typing;
	bool helping;
	bool done;
	char typed[FILTER_MAX];
	char why[FILTER_MAX];
};

static const char *const help[] = {
	"q           quit",
	"h ?         this help",
	"< > , .     sort by the column to the left, to the right",
	"r           the smallest first",
	"/           type a filter; enter keeps it, escape drops it",
	"b           processes; by unit, container, user, comm, cgroup",
	"t           cgroups as a tree, each with what is below it",
	"space       stop and go on",
	"+ -         look less often, more often",
	"up down     scroll, also by page; home",
	"",
	"CPU and waits are in percent of the time: 100 is one task all the time.",
	"What has ended since the last look is there too: cc1 \u00d7412 was 412 of them.",
};

static void put_free(int y, int attributes, char *text)
{
	text_clip(text, COLS);
	move(y, 0);
	clrtoeol();
	attron(attributes);
	addstr(text);
	attroff(attributes);
	free(text);
}

static void draw_head(const struct ui *ui)
{
	const int loss = ui->top.books.lost ? COLOR_PAIR(COLOR_LOSS) | A_BOLD :
					      0;
	int from = 0, length = 0, i;

	for (i = 0; i < TOP_HEAD; i++)
		put_free(i, i == 1 ? loss : 0, top_head(&ui->top, i));
	if (ui->typing || *ui->typed) {
		move(1, 0);
		clrtoeol();
		printw("filter: %s", ui->typed);
		if (*ui->why) {
			attron(COLOR_PAIR(COLOR_LOSS));
			printw("   %s", ui->why);
			attroff(COLOR_PAIR(COLOR_LOSS));
		}
	}
	put_free(TOP_HEAD, A_REVERSE, top_headings(&ui->top, &from, &length));
	mvchgat(TOP_HEAD, from, length, A_REVERSE | A_BOLD | A_UNDERLINE, 0,
		NULL);
}

static void draw_help(void)
{
	size_t i;

	for (i = 0; i < sizeof(help) / sizeof(*help); i++)
		put_free(TOP_HEAD + 1 + (int)i, 0, copy(help[i]));
}

static void draw(struct ui *ui)
{
	const struct top *top = &ui->top;
	const struct top_row *row;
	int y, attributes;
	size_t i;

	erase();
	draw_head(ui);
	if (ui->first >= top->shown.n)
		ui->first = top->shown.n ? top->shown.n - 1 : 0;
	if (ui->helping)
		draw_help();
	for (y = TOP_HEAD + 1, i = ui->first;
	     !ui->helping && y < LINES && i < top->shown.n; y++, i++) {
		row = top->shown.rows[i];
		attributes = row->live ? 0 : COLOR_PAIR(COLOR_ENDED);
		put_free(y, attributes, top_line(top, row));
	}
	if (ui->typing)
		move(1, (int)strlen("filter: ") + (int)strlen(ui->typed));
	refresh();
}

/* As far as it is typed, if that is a filter */
static void take_filter(struct ui *ui)
{
	struct filter_error error;
	struct filter *filter;

	*ui->why = '\0';
	top_restart(&ui->top);
	if (!*ui->typed) {
		filter_free(ui->top.filter);
		ui->top.filter = NULL;
		return;
	}
	filter = filter_parse(ui->typed, &error);
	if (!filter) {
		snprintf(ui->why, sizeof(ui->why), "%s", error.why);
		return;
	}
	filter_free(ui->top.filter);
	ui->top.filter = filter;
}

/* Returns true where what is shown is another thing */
static bool type_key(struct ui *ui, int key)
{
	const size_t n = strlen(ui->typed);

	if (key == ESCAPE)
		*ui->typed = '\0';
	else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && n)
		ui->typed[n - 1] = '\0';
	else if (key >= ' ' && key < 127 && n + 1 < sizeof(ui->typed))
		ui->typed[n] = (char)key;
	if (key == ESCAPE || key == '\n' || key == KEY_ENTER)
		ui->typing = false;
	else if (key >= ' ' && key < 127 && n + 1 < sizeof(ui->typed))
		ui->typed[n + 1] = '\0';
	take_filter(ui);
	return true;
}

static void next_group(struct top *top)
{
	static const char *const ways[] = { NULL,   "unit", "container",
					    "user", "comm", "cgroup" };
	size_t i = 0;

	while (i < 6 &&
	       !(ways[i] == top->by_name ||
		 (ways[i] && top->by_name && !strcmp(ways[i], top->by_name))))
		i++;
	top->tree = false;
	top_group(top, i < 5 ? ways[i + 1] : NULL);
}

static void switch_tree(struct top *top)
{
	top->tree = !top->tree;
	top_group(top, top->tree ? "cgroup" : NULL);
}

static void move_sort(struct top *top, int by)
{
	const size_t n = top->columns.n;

	do {
		top->sort = (top->sort + (size_t)(by + (int)n)) % n;
	} while (!top_has_column(top, top->sort));
	top_sort(top);
}

static void change_delay(struct options *opt, bool longer)
{
	opt->delay_ns = longer ? opt->delay_ns * 2 : opt->delay_ns / 2;
	if (opt->delay_ns < 100000000)
		opt->delay_ns = 100000000;
}

static void scroll_by(struct ui *ui, int lines)
{
	if (lines < 0 && ui->first < (size_t)-lines)
		ui->first = 0;
	else
		ui->first += (size_t)lines;
}

/* Returns true where the next look is due now */
static bool press_other(struct ui *ui, int key)
{
	switch (key) {
	case '/':
		ui->typing = true;
		break;
	case 'b':
		next_group(&ui->top);
		return true;
	case 't':
		switch_tree(&ui->top);
		return true;
	case '+':
	case '-':
		change_delay((struct options *)ui->top.opt, key == '+');
		break;
	case KEY_UP:
	case KEY_DOWN:
		scroll_by(ui, key == KEY_UP ? -1 : 1);
		break;
	case KEY_PPAGE:
	case KEY_NPAGE:
		scroll_by(ui, key == KEY_PPAGE ? 4 - LINES : LINES - 4);
		break;
	case KEY_HOME:
		ui->first = 0;
		break;
	default:
		break;
	}
	return false;
}

static size_t find_sort(struct top *top, const char *name)
{
	struct column wanted;
	size_t i;

	columns_parse_one(&wanted, name, strlen(name), name, false);
	for (i = 0; i < top->columns.n; i++)
		if (top->columns.v[i].field == wanted.field)
			return i;
	/* What is sorted by is worth a column. */
	top->columns.v = grow(top->columns.v, top->columns.n, sizeof(wanted));
	memmove(top->columns.v + 1, top->columns.v,
		top->columns.n++ * sizeof(wanted));
	top->columns.v[0] = wanted;
	return 0;
}

static void choose_columns(struct ui *ui, int width, const char *sort)
{
	struct top *top = &ui->top;

	ui->wide = width >= WIDE_COLUMNS;
	columns_parse(&top->columns, top->opt->columns, ui->wide ? WIDE : NARROW,
		      false);
	top->sort = find_sort(top, sort);
}

/* The terminal has another size. */
static void resize(struct ui *ui)
{
	struct top *top = &ui->top;
	const char *sort = top->columns.v[top->sort].field->name;
	const bool wide = COLS >= WIDE_COLUMNS;

	if (wide == ui->wide)
		return;
	top_drop_columns(top);
	choose_columns(ui, COLS, sort);
	top_take_columns(top);
}

static bool press(struct ui *ui, int key)
{
	if (key == KEY_RESIZE) {
		resize(ui);
		return false;
	}
	if (ui->typing)
		return type_key(ui, key);
	if (ui->helping) {
		ui->helping = false;
		return false;
	}
	switch (key) {
	case 'q':
		ui->done = true;
		return false;
	case 'h':
	case '?':
		ui->helping = true;
		return false;
	case ' ':
		ui->paused = !ui->paused;
		return false;
	case '<':
	case ',':
	case '>':
	case '.':
		move_sort(&ui->top, key == '<' || key == ',' ? -1 : 1);
		return false;
	case 'r':
		ui->top.reverse = !ui->top.reverse;
		top_sort(&ui->top);
		return false;
	default:
		return press_other(ui, key);
	}
}

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Not for long, for exits come in too */
static int poll_ms(uint64_t due, uint64_t now)
{
	return now < due && due - now < TAKE_MS ? (int)(due - now) : TAKE_MS;
}

/* Keys are taken until the next look is due. */
static void wait_for_keys(struct ui *ui, uint64_t due)
{
	const uint64_t soon = now_ms() + SOON_MS;
	bool again = false;
	uint64_t now;
	int key;

	while (!ui->done && !stopped) {
		now = now_ms();
		if (now >= (again ? soon : due) && (!ui->paused || again))
			return;
		timeout(poll_ms(again ? soon : due, now));
		key = getch();
		/* Meanwhile exits are taken, or they would be lost. */
		live_receive(ui->top.hears);
		if (key == ERR)
			continue;
		again |= press(ui, key);
		/* Lines are as they were found until the next look. */
		if (!again || ui->typing)
			draw(ui);
	}
}

static void run_screen(struct ui *ui)
{
	uint64_t due, drawn;

	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	initscr();
	set_escdelay(25);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	if (ui->top.opt->style.color && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(COLOR_ENDED, COLOR_CYAN, -1);
		init_pair(COLOR_LOSS, COLOR_RED, -1);
	}
	while (!ui->done && !stopped) {
		due = now_ms() + ui->top.opt->delay_ns / 1000000;
		draw(ui);
		drawn = now_ms();
		if (due < drawn + KEYS_MS)
			due = drawn + KEYS_MS;
		wait_for_keys(ui, due);
		top_look(&ui->top);
	}
	endwin();
}

static void print_screen(const struct top *top, uint64_t limit)
{
	int from, length, i;
	size_t row;
	char *text;

	for (i = 0; i <= TOP_HEAD; i++) {
		text = i < TOP_HEAD ? top_head(top, i) :
				      top_headings(top, &from, &length);
		puts(text);
		free(text);
	}
	for (row = 0; row < top->shown.n && (!limit || row < limit); row++) {
		text = top_line(top, top->shown.rows[row]);
		puts(text);
		free(text);
	}
	out_flush(stdout);
}

static void pause_for(uint64_t ns)
{
	const struct timespec delay = { (time_t)(ns / 1000000000),
					(long)(ns % 1000000000) };

	nanosleep(&delay, NULL);
}

static void run_batch(struct ui *ui)
{
	const struct options *opt = ui->top.opt;
	uint64_t round;

	for (round = 0; !opt->rounds || round < opt->rounds; round++) {
		if (round) {
			pause_for(opt->delay_ns);
			top_look(&ui->top);
			putchar('\n');
		}
		print_screen(&ui->top, opt->limit);
	}
}

enum status top_run(struct options *opt)
{
	struct ui ui = { .top = { .opt = opt, .filter = opt->filter } };
	struct top *top = &ui.top;

	if (!opt->batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		die(STATUS_USAGE, "no terminal: -b prints without one");
	choose_columns(&ui, out_terminal_columns(), opt->sort ? opt->sort : "cpu");
	top->tree = opt->tree;
	top_group(top, opt->tree ? "cgroup" : opt->by);
	top_open(top);
	/* The first screen is of a second, not of all time. */
	pause_for(opt->delay_ns < 1000000000 ? opt->delay_ns : 1000000000);
	top_look(top);
	if (opt->batch)
		run_batch(&ui);
	else
		run_screen(&ui);
	opt->filter = top->filter;
	top_close(top);
	return top->books.lost ? STATUS_LOST : STATUS_DONE;
}
