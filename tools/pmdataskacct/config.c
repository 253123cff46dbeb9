// SPDX-License-Identifier: GPL-2.0-only
/*
 * The configuration: a line for each setting, "WORD VALUE"; '#' begins a comment
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

struct config config = {
	.family = TASKACCT_GENL_NAME,
	.instances = 2000,
	.records = 4096,
};

/* Where a message is about */
struct place {
	const char *path;
	unsigned int line;
};

/* Says what is wrong, and returns false. */
__attribute__((format(printf, 2, 3))) static bool
complain(const struct place *place, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		pmNotifyErr(LOG_ERR, "%s:%u: %s\n", place->path, place->line, text);
		free(text);
	}
	va_end(args);
	return false;
}

static bool read_number(const struct place *place, const char *value, unsigned int max,
			unsigned int *number)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || !n || n > max)
		return complain(place, "'%s' is no number from 1 to %u", value, max);
	*number = (unsigned int)n;
	return true;
}

static bool read_instances(const struct place *place, const char *value)
{
	return read_number(place, value, INSTANCES_MAX, &config.instances);
}

static bool read_records(const struct place *place, const char *value)
{
	return read_number(place, value, 65536, &config.records);
}

static bool read_group(const struct place *place, const char *value)
{
	config.by_cgroup = !strcmp(value, "cgroup");
	if (config.by_cgroup || !strcmp(value, "unit"))
		return true;
	return complain(place, "'%s': allowed are: unit cgroup", value);
}

static bool read_family(const struct place *place, const char *value)
{
	if (strlen(value) >= sizeof(config.family))
		return complain(place, "'%s' is longer than 15 characters", value);
	strcpy(config.family, value);
	return true;
}

static bool read_user(const struct place *place, const char *value, uid_t *users,
		      unsigned int *n)
{
	const struct passwd *user = getpwnam(value);

	if (!user)
		return complain(place, "no such user: '%s'", value);
	if (*n == CONFIG_USERS_MAX)
		return complain(place, "more than %d users", CONFIG_USERS_MAX);
	users[(*n)++] = user->pw_uid;
	return true;
}

static bool read_totals(const struct place *place, const char *value)
{
	if (!strcmp(value, "*")) {
		config.open = true;
		return true;
	}
	return read_user(place, value, config.totals, &config.n_totals);
}

static bool read_all(const struct place *place, const char *value)
{
	return read_user(place, value, config.all, &config.n_all);
}

static const struct word {
	const char *name;
	bool (*read)(const struct place *place, const char *value);
} words[] = {
	{ "instances", read_instances },
	{ "records", read_records },
	{ "group", read_group },
	{ "family", read_family },
	{ "allow-totals", read_totals },
	{ "allow-records", read_all },
};

#define N_WORDS (sizeof(words) / sizeof(*words))

static bool read_line(const struct place *place, char *line)
{
	const char *name, *value;
	char *rest;
	size_t i;

	line[strcspn(line, "#\n")] = 0;
	name = strtok_r(line, " \t", &rest);
	if (!name)
		return true;
	value = strtok_r(NULL, " \t", &rest);
	for (i = 0; i < N_WORDS && strcmp(words[i].name, name); i++)
		;
	if (i == N_WORDS)
		return complain(place,
				"unknown word '%s'; allowed are: instances records group family allow-totals allow-records",
				name);
	if (!value)
		return complain(place, "'%s' needs a value", name);
	if (strtok_r(NULL, " \t", &rest))
		return complain(place, "'%s' has more than one value", name);
	return words[i].read(place, value);
}

bool config_read(const char *path)
{
	struct place place = { .path = path };
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool ok = true;

	if (!file) {
		pmNotifyErr(LOG_ERR, "%s: %s\n", path, strerror(errno));
		return false;
	}
	while (ok && getline(&line, &size, file) >= 0) {
		place.line++;
		ok = read_line(&place, line);
	}
	if (ferror(file)) {
		pmNotifyErr(LOG_ERR, "%s: %s\n", path, strerror(errno));
		ok = false;
	}
	free(line);
	fclose(file);
	return ok;
}
