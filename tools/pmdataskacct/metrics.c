// SPDX-License-Identifier: GPL-2.0-only
/*
 * All metrics: names, meanings, help, and where their values come from
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

/* What a value is measured in */
enum unit { NO_UNIT, NS, COUNT, BYTES };

static const pmUnits units_of[] = {
	[NO_UNIT] = PMDA_PMUNITS(0, 0, 0, 0, 0, 0),
	[NS] = PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_NSEC, 0),
	[COUNT] = PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE),
	[BYTES] = PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0),
};

/* Serial numbers of instance domains. They are in archives, too. */
enum { CPU_INDOM, USER_INDOM, ENDED_INDOM, INDOMS };

#define NO_INDOM (-1)

static pmdaIndom indoms[INDOMS] = {
	[CPU_INDOM] = { .it_indom = CPU_INDOM },
	[USER_INDOM] = { .it_indom = USER_INDOM },
	[ENDED_INDOM] = { .it_indom = ENDED_INDOM },
};

static const char *const indom_help[INDOMS] = {
	[CPU_INDOM] = "CPUs that can ever be there",
	[USER_INDOM] = "Users, by their numbers",
	[ENDED_INDOM] = "What has ended: UNIT::COMMAND::OUTCOME\n"
			"The unit is the last part of the path of the cgroup, or all of it with\n"
			"\"group cgroup\" in the configuration; \"kernel\" for the kernel's own tasks.\n"
			"Outcomes are ok, failed (another exit status than 0), killed (by a signal),\n"
			"core (the same, with a core dump), oom (by the out-of-memory killer), and\n"
			"unknown. Where there are as many instances as the configuration allows,\n"
			"further ones are counted in \"other\".",
};

/* A metric, whose name has "taskacct." before it */
struct metric {
	enum cluster cluster;
	unsigned int item;
	const char *name;
	int type;
	int indom;
	int semantics;
	enum unit unit;
	/* One line, and further ones where that does not say all */
	const char *help;
};

#define COUNTER(cluster, item, name, indom, units, help) \
	{ cluster, item, name, PM_TYPE_U64, indom, PM_SEM_COUNTER, units, help }
#define GAUGE(cluster, item, name, indom, units, help) \
	{ cluster, item, name, PM_TYPE_U64, indom, PM_SEM_INSTANT, units, help }
#define CPU(class, name, help) \
	COUNTER(CLUSTER_CPU, TASKACCT_CPU_##class, "cpu." name, CPU_INDOM, NS, help)
#define USER(value, name, units, help) \
	COUNTER(CLUSTER_USER, USER_##value, "user." name, USER_INDOM, units, help)
#define ENDED(value, name, units, help) \
	COUNTER(CLUSTER_ENDED, ENDED_##value, "ended." name, ENDED_INDOM, units, help)
#define STREAM(value, name, help) \
	COUNTER(CLUSTER_STREAM, ENDED_##value, "ended." name, NO_INDOM, COUNT, help)
#define MODULE(value, name, help) \
	COUNTER(CLUSTER_MODULE, MODULE_##value, "module." name, NO_INDOM, COUNT, help)
#define MODULE_NOW(value, name, help) \
	GAUGE(CLUSTER_MODULE, MODULE_##value, "module." name, NO_INDOM, COUNT, help)
#define PARAM(value, name, type, units, help) \
	{ CLUSTER_PARAM, EVENT_##value, "exit.param." name, type, NO_INDOM, PM_SEM_INSTANT, \
	  units, help }

/* Likewise: new ones come at the end. */
enum module_value {
	MODULE_EXITS,
	MODULE_EXITS_MISSED,
	MODULE_MADE,
	MODULE_DELIVERED,
	MODULE_FILTERED,
	MODULE_LOST_QUEUE,
	MODULE_LOST_MEMORY,
	MODULE_GROUP_NOMEM,
	MODULE_QUERIES,
	MODULE_UID_REST,
	MODULE_UID_NOMEM,
	MODULE_LISTENERS,
	MODULE_GROUPS,
	MODULE_THREADS,
	MODULE_UIDS,
};

static const struct metric metrics[] = {
	CPU(USER, "user", "Time in user mode, guests included"),
	CPU(NICE, "nice", "Time in user mode at a nice value above 0, guests included"),
	CPU(SYSTEM, "system", "Time of tasks in the kernel, and of kernel threads"),
	CPU(IDLE, "idle", "Time with nothing to do"),
	CPU(IOWAIT, "iowait", "Time with nothing to do while I/O was waited for"),
	CPU(IRQ, "irq", "Time in handlers of interrupts"),
	CPU(SOFTIRQ, "softirq", "Time in handlers of softirqs"),
	CPU(STEAL, "steal", "Time taken by the hypervisor"),
	CPU(GUEST, "guest", "Of taskacct.cpu.user, time of guests"),
	CPU(GUEST_NICE, "guest_nice", "Of taskacct.cpu.nice, time of guests"),

	GAUGE(CLUSTER_USER, USER_TASKS, "user.tasks", USER_INDOM, COUNT, "Tasks that are there"),
	USER(ENDED, "ended", COUNT, "Tasks that have ended"),
	USER(UTIME, "utime", NS, "CPU time in user mode"),
	USER(STIME, "stime", NS, "CPU time in the kernel"),
	USER(RUNTIME, "runtime", NS, "CPU time as the scheduler counts it"),
	USER(WAIT_CPU, "wait.cpu", NS, "Time that tasks waited for a CPU"),
	USER(WAIT_BLKIO, "wait.blkio", NS, "Time that tasks waited for block I/O"),
	USER(RCHAR, "rchar", BYTES, "Bytes that system calls read"),
	USER(WCHAR, "wchar", BYTES, "Bytes that system calls wrote"),
	USER(SYSCR, "syscr", COUNT, "Reading system calls"),
	USER(SYSCW, "syscw", COUNT, "Writing system calls"),
	USER(READ_BYTES, "read_bytes", BYTES, "Bytes read from storage"),
	USER(WRITE_BYTES, "write_bytes", BYTES, "Bytes sent to storage"),
	USER(FSYNC, "fsync", COUNT, "Calls of fsync() and its like"),
	USER(MIN_FLT, "min_flt", COUNT, "Page faults without I/O"),
	USER(MAJ_FLT, "maj_flt", COUNT, "Page faults with I/O"),
	USER(NVCSW, "nvcsw", COUNT, "Voluntary context switches"),
	USER(NIVCSW, "nivcsw", COUNT, "Involuntary context switches"),

	MODULE(EXITS, "exits", "Exits that needed any work"),
	MODULE(EXITS_MISSED, "exits_missed", "Exits that the hook was not called for"),
	MODULE(MADE, "made", "Messages made for listeners, one for each listener"),
	MODULE(DELIVERED, "delivered", "Of taskacct.module.made, queued"),
	MODULE(FILTERED, "filtered",
	       "Of taskacct.module.made, refused by a listener's own socket filter"),
	MODULE(LOST_QUEUE, "lost.queue",
	       "Of taskacct.module.made, lost for want of room in a receive buffer"),
	MODULE(LOST_MEMORY, "lost.memory", "Of taskacct.module.made, lost for want of memory"),
	MODULE(GROUP_NOMEM, "lost.group",
	       "Threads of which something could not be kept for want of memory"),
	MODULE(QUERIES, "queries", "Queries answered"),
	MODULE(UID_REST, "user.rest", "Tasks that ended and were counted for no user of their own"),
	MODULE(UID_NOMEM, "user.nomem",
	       "Tasks of which it could not be kept what was counted for their user"),
	MODULE_NOW(LISTENERS, "listeners", "Listeners that there are"),
	MODULE_NOW(GROUPS, "groups", "Processes whose dead threads are kept"),
	MODULE_NOW(THREADS, "threads", "Dead threads that are kept one by one"),
	MODULE_NOW(UIDS, "users", "Users that are kept apart"),

	ENDED(COUNT, "count", COUNT, "Processes that ended"),
	ENDED(THREADS, "threads", COUNT, "Threads that these processes had in all"),
	ENDED(LIFETIME, "lifetime.total", NS, "How long these processes lived together"),
	ENDED(TO_1MS, "lifetime.to_1ms", COUNT, "Of these, those that lived less than 1 ms"),
	ENDED(TO_10MS, "lifetime.to_10ms", COUNT, "Likewise, from 1 ms to less than 10 ms"),
	ENDED(TO_100MS, "lifetime.to_100ms", COUNT, "Likewise, from 10 ms to less than 100 ms"),
	ENDED(TO_1S, "lifetime.to_1s", COUNT, "Likewise, from 100 ms to less than 1 s"),
	ENDED(TO_10S, "lifetime.to_10s", COUNT, "Likewise, from 1 s to less than 10 s"),
	ENDED(TO_100S, "lifetime.to_100s", COUNT, "Likewise, from 10 s to less than 100 s"),
	ENDED(TO_1000S, "lifetime.to_1000s", COUNT, "Likewise, from 100 s to less than 1000 s"),
	ENDED(LONGER, "lifetime.longer", COUNT, "Likewise, 1000 s and more"),
	ENDED(UTIME, "utime", NS, "CPU time in user mode"),
	ENDED(STIME, "stime", NS, "CPU time in the kernel"),
	ENDED(RUNTIME, "runtime", NS, "CPU time as the scheduler counts it"),
	ENDED(WAIT_CPU, "wait.cpu", NS, "Time that they waited for a CPU"),
	ENDED(WAIT_BLKIO, "wait.blkio", NS, "Time that they waited for block I/O"),
	ENDED(WAIT_SWAPIN, "wait.swapin", NS, "Time that they waited for pages swapped out"),
	ENDED(WAIT_FREEPAGES, "wait.freepages", NS, "Time that they reclaimed memory"),
	ENDED(WAIT_THRASHING, "wait.thrashing", NS,
	      "Time that they waited for pages thrown out just before"),
	ENDED(WAIT_COMPACT, "wait.compact", NS, "Time that they compacted memory"),
	ENDED(WAIT_WPCOPY, "wait.wpcopy", NS, "Time that they copied pages on writing"),
	ENDED(WAIT_IRQ, "wait.irq", NS, "Time that interrupts took from them"),
	ENDED(RCHAR, "rchar", BYTES, "Bytes that system calls read"),
	ENDED(WCHAR, "wchar", BYTES, "Bytes that system calls wrote"),
	ENDED(SYSCR, "syscr", COUNT, "Reading system calls"),
	ENDED(SYSCW, "syscw", COUNT, "Writing system calls"),
	ENDED(READ_BYTES, "read_bytes", BYTES, "Bytes read from storage"),
	ENDED(WRITE_BYTES, "write_bytes", BYTES, "Bytes sent to storage"),
	ENDED(MIN_FLT, "min_flt", COUNT, "Page faults without I/O"),
	ENDED(MAJ_FLT, "maj_flt", COUNT, "Page faults with I/O"),
	ENDED(NVCSW, "nvcsw", COUNT, "Voluntary context switches"),
	ENDED(NIVCSW, "nivcsw", COUNT, "Involuntary context switches"),
	GAUGE(CLUSTER_ENDED, ENDED_PEAK_RSS, "ended.peak_rss", ENDED_INDOM, BYTES,
	      "Most memory that one of them had at a time"),

	STREAM(READ, "read", "Processes that ended and are in taskacct.ended.count"),
	STREAM(LOST, "lost",
	       "Processes that ended and are in no total, lost before the agent read them"),
	STREAM(OK, "outcome.ok", "Of taskacct.ended.read, those that ended with status 0"),
	STREAM(FAILED, "outcome.failed", "Likewise, with another status"),
	STREAM(KILLED, "outcome.killed", "Likewise, by a signal"),
	STREAM(CORE, "outcome.core", "Likewise, with a core dump"),
	STREAM(OOM, "outcome.oom", "Likewise, by the out-of-memory killer"),
	STREAM(UNKNOWN, "outcome.unknown", "Likewise, it is not known how"),
	GAUGE(CLUSTER_STREAM, ENDED_INSTANCES, "ended.instances", NO_INDOM, COUNT,
	      "Instances that there are, but for \"other\""),

	{ CLUSTER_EXIT, 0, "exit.records", PM_TYPE_EVENT, NO_INDOM, PM_SEM_INSTANT, NO_UNIT,
	  "Records of processes that ended since the client asked last\n"
	  "What the client did not get is told as a missed record. Only root and users\n"
	  "named in the configuration get records of other users." },
	PARAM(COMMAND, "command", PM_TYPE_STRING, NO_UNIT, "Name of the command"),
	PARAM(CGROUP, "cgroup", PM_TYPE_STRING, NO_UNIT, "Path of the cgroup"),
	PARAM(OUTCOME, "outcome", PM_TYPE_STRING, NO_UNIT,
	      "How it ended: ok, failed, killed, core, oom or unknown"),
	PARAM(PID, "pid", PM_TYPE_U32, NO_UNIT, "Number of the process"),
	PARAM(PPID, "ppid", PM_TYPE_U32, NO_UNIT, "Number of its parent"),
	PARAM(UID, "uid", PM_TYPE_U32, NO_UNIT, "Number of its real user"),
	PARAM(GID, "gid", PM_TYPE_U32, NO_UNIT, "Number of its real group"),
	PARAM(EXIT_CODE, "exit_code", PM_TYPE_U32, NO_UNIT, "Exit code as wait() has it"),
	PARAM(THREADS, "threads", PM_TYPE_U32, COUNT, "Threads that it had in all"),
	PARAM(START, "start", PM_TYPE_U64, NS, "When it began, since boot"),
	PARAM(END, "end", PM_TYPE_U64, NS, "When it ended, since boot"),
	PARAM(UTIME, "utime", PM_TYPE_U64, NS, "CPU time in user mode"),
	PARAM(STIME, "stime", PM_TYPE_U64, NS, "CPU time in the kernel"),
	PARAM(RUNTIME, "runtime", PM_TYPE_U64, NS, "CPU time as the scheduler counts it"),
	PARAM(WAIT_CPU, "wait.cpu", PM_TYPE_U64, NS, "Time that it waited for a CPU"),
	PARAM(WAIT_BLKIO, "wait.blkio", PM_TYPE_U64, NS, "Time that it waited for block I/O"),
	PARAM(READ_BYTES, "read_bytes", PM_TYPE_U64, BYTES, "Bytes read from storage"),
	PARAM(WRITE_BYTES, "write_bytes", PM_TYPE_U64, BYTES, "Bytes sent to storage"),
	PARAM(PEAK_RSS, "peak_rss", PM_TYPE_U64, BYTES, "Most memory that it had at a time"),
};

#define N_METRICS (sizeof(metrics) / sizeof(*metrics))

static pmdaMetric table[N_METRICS];
static pmdaNameSpace *names;
static int domain;
static pmdaInstid *cpus;
static struct taskacct_status status;
/* Of each cluster: whether its values could be read for the present answer */
static int errors[CLUSTERS];

pmID metrics_pmid(enum cluster cluster, unsigned int item)
{
	return pmID_build((unsigned int)domain, cluster, item);
}

void metrics_list(void)
{
	size_t i;

	for (i = 0; i < N_METRICS; i++)
		printf("taskacct.%s\n", metrics[i].name);
}

/* Instances are there once their counters are. */
static void find_cpus(void)
{
	const unsigned int n = module_cpus();
	unsigned int i;

	if (cpus || !n)
		return;
	cpus = calloc(n, sizeof(*cpus));
	for (i = 0; cpus && i < n; i++) {
		cpus[i].i_inst = (int)i;
		if (asprintf(&cpus[i].i_name, "cpu%u", i) < 0)
			break;
	}
	indoms[CPU_INDOM].it_set = cpus;
	indoms[CPU_INDOM].it_numinst = (int)i;
}

static void refresh_indoms(void)
{
	module_connect();
	exits_take();
	find_cpus();
	ended_indom(&indoms[ENDED_INDOM]);
}

/* Time of CPUs to the nanosecond and what others have done are not for everybody. */
static int may_see_totals(void)
{
	return access_of() >= ACCESS_TOTALS ? 0 : PM_ERR_PERMISSION;
}

static int read_cluster(enum cluster cluster)
{
	int err = 0;

	switch (cluster) {
	case CLUSTER_CPU:
		err = may_see_totals();
		return err ? err : module_read_cpus();
	case CLUSTER_USER:
		return users_read();
	case CLUSTER_MODULE:
		return module_status(&status);
	case CLUSTER_ENDED:
		return may_see_totals();
	case CLUSTER_STREAM:
	case CLUSTER_EXIT:
		return module_ring() || cluster == CLUSTER_STREAM ? 0 : PM_ERR_AGAIN;
	default:
		return 0;
	}
}

static int fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	unsigned int cluster, wanted = 0;
	int i;

	refresh_indoms();
	for (i = 0; i < n; i++)
		wanted |= 1U << (pmID_cluster(pmids[i]) & 31);
	for (cluster = 0; cluster < CLUSTERS; cluster++)
		if (wanted >> cluster & 1)
			errors[cluster] = read_cluster(cluster);
	return pmdaFetch(n, pmids, result, ext);
}

static uint64_t module_value(enum module_value value)
{
	const uint64_t values[] = {
		[MODULE_EXITS] = status.exits,
		[MODULE_EXITS_MISSED] = status.exits_missed,
		[MODULE_MADE] = status.made,
		[MODULE_DELIVERED] = status.delivered,
		[MODULE_FILTERED] = status.filtered,
		[MODULE_LOST_QUEUE] = status.lost_queue,
		[MODULE_LOST_MEMORY] = status.lost_memory,
		[MODULE_GROUP_NOMEM] = status.group_nomem,
		[MODULE_QUERIES] = status.queries,
		[MODULE_UID_REST] = status.uid_rest,
		[MODULE_UID_NOMEM] = status.uid_nomem,
		[MODULE_LISTENERS] = status.listeners,
		[MODULE_GROUPS] = status.groups,
		[MODULE_THREADS] = status.threads,
		[MODULE_UIDS] = status.uids,
	};

	return values[value];
}

/* Called for each instance of each metric that is asked for. */
static int get(pmdaMetric *entry, unsigned int instance, pmAtomValue *atom)
{
	const struct metric *metric = entry->m_user;
	uint64_t value = 0;
	bool there = true;
	int err = errors[metric->cluster];

	if (err)
		return err;
	switch (metric->cluster) {
	case CLUSTER_CPU:
		err = module_cpu_time(instance, metric->item, &value);
		break;
	case CLUSTER_USER:
		there = users_get(instance, metric->item, &value);
		break;
	case CLUSTER_MODULE:
		value = module_value(metric->item);
		break;
	case CLUSTER_ENDED:
		there = ended_get(instance, metric->item, &value);
		break;
	case CLUSTER_STREAM:
		value = ended_get_stream(metric->item);
		break;
	case CLUSTER_EXIT:
		return events_fetch(atom);
	default:
		/* Parameters have values in records only. */
		return PMDA_FETCH_NOVALUES;
	}
	atom->ull = value;
	if (err)
		return err;
	return there ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
}

/* Which commands others have run is among what is not for everybody. */
static void hide_ended(void)
{
	if (may_see_totals())
		indoms[ENDED_INDOM].it_numinst = 0;
}

static int list_instances(pmInDom indom, int instance, char *name, pmInResult **result,
			  pmdaExt *ext)
{
	refresh_indoms();
	hide_ended();
	if (pmInDom_serial(indom) == USER_INDOM)
		users_read();
	return pmdaInstance(indom, instance, name, result, ext);
}

/* Returns a line of help, or all of it. */
static int say(const char *help, int type, char **text)
{
	static char line[256];

	if (type & PM_TEXT_ONELINE)
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(help, "\n"), help);
	*text = type & PM_TEXT_ONELINE ? line : (char *)help;
	return 0;
}

static int help(int ident, int type, char **text, pmdaExt *ext)
{
	size_t i;

	(void)ext;
	if (type & PM_TEXT_INDOM) {
		i = pmInDom_serial((pmInDom)ident);
		return i < INDOMS ? say(indom_help[i], type, text) : PM_ERR_TEXT;
	}
	for (i = 0; i < N_METRICS; i++)
		if (table[i].m_desc.pmid == (pmID)ident)
			return say(metrics[i].help, type, text);
	return PM_ERR_TEXT;
}

/* Which boot counters are of; pmcd knows the machine. */
static int add_boot(pmLabelSet **labels)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char boot[40] = "";

	if (!file)
		return -errno;
	if (fscanf(file, "%39[0-9a-f-]", boot) != 1)
		*boot = 0;
	fclose(file);
	return pmdaAddLabels(labels, "{\"boot\":\"%s\"}", boot);
}

static int label(int ident, int type, pmLabelSet **labels, pmdaExt *ext)
{
	int err;

	if (type == PM_LABEL_DOMAIN) {
		err = add_boot(labels);
		if (err < 0)
			return err;
	}
	refresh_indoms();
	hide_ended();
	return pmdaLabel(ident, type, labels, ext);
}

static int label_instance(pmInDom indom, unsigned int instance, pmLabelSet **labels)
{
	const char *name;

	switch (pmInDom_serial(indom)) {
	case CPU_INDOM:
		return pmdaAddLabels(labels, "{\"cpu\":%u}", instance);
	case USER_INDOM:
		return users_labels(instance, labels);
	default:
		name = ended_name(instance);
		return name ? name_labels(name, labels) : 0;
	}
}

static int find_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	(void)ext;
	return pmdaTreePMID(names, name, pmid);
}

static int find_name(pmID pmid, char ***set, pmdaExt *ext)
{
	(void)ext;
	return pmdaTreeName(names, pmid, set);
}

static int find_children(const char *name, int traverse, char ***children, int **kinds,
			 pmdaExt *ext)
{
	(void)ext;
	return pmdaTreeChildren(names, name, traverse, children, kinds);
}

static bool add_metric(size_t i)
{
	const struct metric *metric = &metrics[i];
	pmDesc *desc = &table[i].m_desc;
	char name[64];

	table[i].m_user = (void *)metric;
	desc->pmid = PMDA_PMID(metric->cluster, metric->item);
	desc->type = metric->type;
	desc->indom = metric->indom == NO_INDOM ? PM_INDOM_NULL : (pmInDom)metric->indom;
	desc->sem = metric->semantics;
	desc->units = units_of[metric->unit];
	snprintf(name, sizeof(name), "taskacct.%s", metric->name);
	return pmdaTreeInsert(names, metrics_pmid(metric->cluster, metric->item), name) >= 0;
}

bool metrics_init(pmdaInterface *dispatch)
{
	size_t i;

	domain = dispatch->domain;
	access_init(dispatch->version.any.ext);
	if (pmdaTreeCreate(&names) < 0)
		return false;
	for (i = 0; i < N_METRICS; i++)
		if (!add_metric(i))
			return false;
	pmdaTreeRebuildHash(names, N_METRICS);
	dispatch->version.seven.fetch = fetch;
	dispatch->version.seven.instance = list_instances;
	dispatch->version.seven.text = help;
	dispatch->version.seven.label = label;
	dispatch->version.seven.pmid = find_pmid;
	dispatch->version.seven.name = find_name;
	dispatch->version.seven.children = find_children;
	dispatch->version.seven.attribute = access_set;
	pmdaSetFetchCallBack(dispatch, get);
	pmdaSetLabelCallBack(dispatch, label_instance);
	pmdaSetEndContextCallBack(dispatch, access_end);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, indoms, INDOMS, table, N_METRICS);
	users_open(indoms[USER_INDOM].it_indom);
	return true;
}
