// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: its family, its counters and its ring of exits
 *
 * They are opened when the module is there, and stay open: it cannot be unloaded then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent.h"

static struct taskacct *family;
static struct taskacct_counters *counters;
static struct taskacct_ring *ring;

/* Of each CPU, the time of each class; or an error */
struct cpu_time {
	int err;
	uint64_t ns[TASKACCT_CPU_CLASSES];
};

static struct cpu_time *times;

/* What cannot be opened, and why: so that the log says so once */
struct failure {
	const char *what;
	int err;
};

static struct failure no_family = { .what = "the family" };
static struct failure no_counters = { .what = "/dev/taskacct_counters" };
static struct failure no_ring = { .what = TASKACCT_RING_DEVICE };

static const char *cure_of(int err)
{
	if (err == -ENOENT)
		return "; is the module loaded? modprobe taskacct";
	if (err == -EACCES || err == -EPERM)
		return "; the agent has to run as root, in the initial namespaces";
	if (err == -EPROTONOSUPPORT)
		return "; the module is newer than libtaskacct";
	return "";
}

static void note(struct failure *failure, int err)
{
	if (err && err != failure->err)
		pmNotifyErr(LOG_ERR, "%s: %s%s\n", failure->what, taskacct_strerror(err),
			    cure_of(err));
	if (!err && failure->err)
		pmNotifyErr(LOG_INFO, "%s: is there now\n", failure->what);
	failure->err = err;
}

static int open_family(void)
{
	const int err = taskacct_open(&family, config.family);

	if (!err && taskacct_counts_losses(family))
		return 0;
	taskacct_close(family);
	family = NULL;
	return err ? err : -EOPNOTSUPP;
}

static int open_counters(void)
{
	int err = taskacct_counters_open(&counters);

	if (err)
		return err;
	times = calloc(taskacct_counters_cpus(counters), sizeof(*times));
	if (times)
		return 0;
	taskacct_counters_close(counters);
	counters = NULL;
	return -ENOMEM;
}

static int open_ring(void)
{
	static const struct taskacct_ring_options options = {
		.want = TASKACCT_RING_MEMORY | TASKACCT_RING_WAITS |
			TASKACCT_WANT_CGROUP_PATH,
		.in_order = true,
	};

	return taskacct_ring_open(&ring, &options);
}

void module_connect(void)
{
	static time_t tried;
	struct timespec now;

	if (family && counters && ring)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == tried)
		return;
	tried = now.tv_sec;
	if (!family)
		note(&no_family, open_family());
	if (!counters)
		note(&no_counters, open_counters());
	if (!ring)
		note(&no_ring, open_ring());
}

void module_disconnect(void)
{
	taskacct_close(family);
	taskacct_counters_close(counters);
	taskacct_ring_close(ring);
	free(times);
	family = NULL;
	counters = NULL;
	ring = NULL;
	times = NULL;
}

struct taskacct_ring *module_ring(void)
{
	return ring;
}

unsigned int module_cpus(void)
{
	return counters ? taskacct_counters_cpus(counters) : 0;
}

/* What PCP says of an errno of the library */
static int pcp_error(int err)
{
	if (err == -EPERM || err == -EACCES)
		return PM_ERR_PERMISSION;
	if (err == -ENOENT || err == -EOPNOTSUPP)
		return PM_ERR_APPVERSION;
	return err ? PM_ERR_AGAIN : 0;
}

int module_read_cpus(void)
{
	unsigned int cpu;
	int err;

	if (!counters)
		return PM_ERR_AGAIN;
	/* A failure shows where the values are read. */
	taskacct_counters_refresh(counters);
	for (cpu = 0; cpu < taskacct_counters_cpus(counters); cpu++) {
		err = taskacct_counters_cpu_time(counters, cpu, times[cpu].ns);
		times[cpu].err = pcp_error(err);
	}
	return 0;
}

int module_cpu_time(unsigned int cpu, unsigned int class, uint64_t *ns)
{
	if (cpu >= module_cpus())
		return PM_ERR_INST;
	if (times[cpu].err)
		return times[cpu].err;
	*ns = times[cpu].ns[class];
	return 0;
}

/* The family goes when the module does, and is another one when it comes back. */
static int check(int err)
{
	if (err == -ENOENT || err == -ENODEV || err == -ECONNREFUSED) {
		taskacct_close(family);
		family = NULL;
		return PM_ERR_AGAIN;
	}
	return pcp_error(err);
}

int module_status(struct taskacct_status *status)
{
	return family ? check(taskacct_status(family, status)) : PM_ERR_AGAIN;
}

int module_users(void (*each)(const struct taskacct_user *user, void *arg))
{
	return family ? check(taskacct_users(family, each, NULL)) : PM_ERR_AGAIN;
}
