// SPDX-License-Identifier: GPL-2.0-only
/*
 * What users have used
 *
 * An instance is named by the user's number. libpcp_pmda keeps which number of an instance
 * it has, over restarts of the agent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

/* A user: its totals as they were read last */
struct user {
	uint32_t uid;
	uint64_t v[USER_VALUES];
};

static pmInDom users;

void users_open(pmInDom indom)
{
	users = indom;
	pmdaCacheOp(users, PMDA_CACHE_LOAD);
	pmdaCacheOp(users, PMDA_CACHE_INACTIVE);
}

/* What was used in one state of the user, the foreground or the background */
static void add_used(struct user *user, const struct taskacct_used *used)
{
	const struct taskacct_uid_usage *value = &used->value;

	user->v[USER_UTIME] += value->utime;
	user->v[USER_STIME] += value->stime;
	user->v[USER_RUNTIME] += value->runtime;
	user->v[USER_WAIT_CPU] += used->wait[TASKACCT_WAIT_CPU].total;
	user->v[USER_WAIT_BLKIO] += used->wait[TASKACCT_WAIT_BLKIO].total;
	user->v[USER_RCHAR] += value->rchar;
	user->v[USER_WCHAR] += value->wchar;
	user->v[USER_SYSCR] += value->syscr;
	user->v[USER_SYSCW] += value->syscw;
	user->v[USER_READ_BYTES] += value->read_bytes;
	user->v[USER_WRITE_BYTES] += value->write_bytes;
	user->v[USER_FSYNC] += value->fsync;
	user->v[USER_MIN_FLT] += value->min_flt;
	user->v[USER_MAJ_FLT] += value->maj_flt;
	user->v[USER_NVCSW] += value->nvcsw;
	user->v[USER_NIVCSW] += value->nivcsw;
}

static void take_user(const struct taskacct_user *from, void *arg)
{
	struct user *user = NULL;
	char name[16];
	int instance;

	(void)arg;
	snprintf(name, sizeof(name), "%u", (unsigned int)from->record.uid);
	pmdaCacheLookupName(users, name, &instance, (void **)&user);
	if (!user)
		user = malloc(sizeof(*user));
	if (!user)
		return;
	memset(user, 0, sizeof(*user));
	user->uid = from->record.uid;
	user->v[USER_TASKS] = from->record.tasks;
	user->v[USER_ENDED] = from->record.ended;
	add_used(user, &from->foreground);
	add_used(user, &from->background);
	pmdaCacheStore(users, PMDA_CACHE_ADD, name, user);
}

int users_read(void)
{
	int err;

	pmdaCacheOp(users, PMDA_CACHE_INACTIVE);
	err = module_users(take_user);
	pmdaCacheOp(users, PMDA_CACHE_SAVE);
	return err;
}

static const struct user *find_user(unsigned int instance)
{
	struct user *user = NULL;

	if (pmdaCacheLookup(users, (int)instance, NULL, (void **)&user) != PMDA_CACHE_ACTIVE)
		return NULL;
	return user;
}

bool users_get(unsigned int instance, enum user_value value, uint64_t *total)
{
	const struct user *user = find_user(instance);

	if (!user || (access_of() < ACCESS_TOTALS && !access_is_user(user->uid)))
		return false;
	*total = user->v[value];
	return true;
}

int users_labels(unsigned int instance, pmLabelSet **labels)
{
	const struct user *user = find_user(instance);

	return user ? pmdaAddLabels(labels, "{\"userid\":%u}", (unsigned int)user->uid) : 0;
}
