// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module in tests/foreign_counters is told.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "foreign_counters.h"
#include "sys.h"

/* Writes to a parameter and reads what came of it. */
static int ask_count(const char *parameter, const char *text)
{
	char path[64], answer[32];
	int err;

	snprintf(path, sizeof(path), COUNT_PARAMETERS "%s", parameter);
	err = sys_write(path, text);
	if (err)
		return err;
	if (sys_read(path, answer, sizeof(answer)) < 0)
		return -EIO;
	return atoi(answer);
}

/**
 * count_add() - add a counter
 * @name: its name
 *
 * Return: its number or a negative errno.
 */
int count_add(const char *name)
{
	return ask_count("add", name);
}

/**
 * count_add_kind() - add a counter of some kind
 * @text: its name, the number of the kind, and the unit, with spaces between
 *
 * Return: its number or a negative errno.
 */
int count_add_kind(const char *text)
{
	return ask_count("add_kind", text);
}

/**
 * count_del() - delete a counter
 * @instance: its number
 *
 * Return: 0 or a negative errno.
 */
int count_del(int instance)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", instance);
	return ask_count("del", text);
}

/**
 * count_adjust() - add to a counter on the CPU of the caller
 * @instance: its number
 * @delta: how much
 *
 * Return: 0 or a negative errno.
 */
int count_adjust(int instance, long long delta)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %lld", instance, delta);
	return sys_write(COUNT_PARAMETERS "adjust", text);
}

/**
 * count_beat() - have two counters move all the time, as one, on all CPUs
 * @to: number of the counter that is added to
 * @from: number of the one that it is taken from
 * @delta: how much each time; all three 0 to end it
 *
 * Return: 0 or a negative errno.
 */
int count_beat(int to, int from, long long delta)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %d %lld", to, from, delta);
	return sys_write(COUNT_PARAMETERS "beat", text);
}

/**
 * count_hold() - keep the counters of the caller's CPU in the midst of an update
 * @on: begin it; false, on the same CPU: end it
 *
 * Return: 0 or a negative errno.
 */
int count_hold(bool on)
{
	return sys_write(COUNT_PARAMETERS "hold", on ? "1" : "0");
}
