/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmdataskacct: what its files share, a section for each
 *
 * The agent has one thread. All is done in the loop of main.c: exits are taken when the
 * ring says that there are some, and PDUs of pmcd are answered.
 */
#ifndef PMDATASKACCT_AGENT_H
#define PMDATASKACCT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include <taskacct.h>

/* config.c: the configuration */

/* Users that may see more than their own can be named in the configuration. */
#define CONFIG_USERS_MAX 16

/* The most instances that taskacct.ended can have beside "other" */
#define INSTANCES_MAX 2000

/**
 * struct config - what the configuration says
 * @family: name of the module's family
 * @instances: of taskacct.ended, but for "other"
 * @records: exits that are kept for taskacct.exit.records
 * @by_cgroup: instances are of whole cgroups; else of units
 * @totals: users that see totals as root does
 * @n_totals: how many
 * @open: everybody sees totals, also clients whose user is not known
 * @all: users that see totals and records as root does
 * @n_all: how many
 */
struct config {
	char family[16];
	unsigned int instances;
	unsigned int records;
	bool by_cgroup;
	uid_t totals[CONFIG_USERS_MAX];
	unsigned int n_totals;
	bool open;
	uid_t all[CONFIG_USERS_MAX];
	unsigned int n_all;
};

extern struct config config;

/**
 * config_read() - read the configuration
 * @path: its file
 *
 * Return: false if it cannot be read or has an error, which was reported with its line.
 */
bool config_read(const char *path);

/* access.c: who asks */

/* What a client may see, each more than the one before */
enum access {
	ACCESS_OWN,
	ACCESS_TOTALS,
	ACCESS_ALL,
};

/**
 * struct client - a client of pmcd
 * @has_uid: its user is known
 * @uid: its user
 * @has_read: it has asked for events before
 * @next: number of the event that it gets next
 * @lost: of the events that were lost before they came here, how many it was told of
 */
struct client {
	bool has_uid;
	uid_t uid;
	bool has_read;
	uint64_t next;
	uint64_t lost;
};

/**
 * access_init() - say whose requests they are
 * @ext: the agent
 */
void access_init(const struct pmdaExt *ext);

/**
 * access_set() - learn of an attribute of a client, as pmdaInterface.version.seven.attribute
 * @context: number of the client
 * @attribute: PMDA_ATTR_*
 * @value: as text
 * @length: of @value
 * @ext: the agent
 *
 * Return: 0, or -ENOMEM.
 */
int access_set(int context, int attribute, const char *value, int length, pmdaExt *ext);

/**
 * access_end() - forget a client, whose number another one gets
 * @context: its number
 */
void access_end(int context);

/**
 * access_client() - the client that is being answered
 *
 * Return: what is kept of it until the next call, or NULL if there is no memory.
 */
struct client *access_client(void);

/**
 * access_of() - what the client that is being answered may see
 *
 * Return: ACCESS_OWN for one whose user is not known.
 */
enum access access_of(void);

/**
 * access_is_user() - whether the client that is being answered is a user's
 * @uid: the user
 *
 * Return: true if it is.
 */
bool access_is_user(uid_t uid);

/* module.c: the module, as the library has it */

/**
 * module_connect() - open what is not open yet, once a second at most
 *
 * The reason why something cannot be opened is written to the log, once.
 */
void module_connect(void);

/**
 * module_disconnect() - close everything
 */
void module_disconnect(void);

/**
 * module_ring() - the exits
 *
 * Return: the ring, or NULL where it is not open.
 */
struct taskacct_ring *module_ring(void);

/**
 * module_cpus() - how many CPUs there are
 *
 * Return: 0 where counters are not open.
 */
unsigned int module_cpus(void);

/**
 * module_read_cpus() - read where the time of all CPUs went
 *
 * Return: 0 or an error of PCP.
 */
int module_read_cpus(void);

/**
 * module_cpu_time() - what module_read_cpus() found
 * @cpu: the CPU
 * @class: enum taskacct_cpu_class
 * @ns: receives it
 *
 * Return: 0 or an error of PCP.
 */
int module_cpu_time(unsigned int cpu, unsigned int class, uint64_t *ns);

/**
 * module_status() - ask for the module's statistics
 * @status: receives them
 *
 * Return: 0 or an error of PCP.
 */
int module_status(struct taskacct_status *status);

/**
 * module_users() - ask for all users
 * @each: called with each
 *
 * Return: 0 or an error of PCP.
 */
int module_users(void (*each)(const struct taskacct_user *user, void *arg));

/* ended.c: totals of what has ended, which outlive the agent */

/* Totals of an instance. New ones are added at the end: the numbers are in archives. */
enum ended_value {
	ENDED_COUNT,
	ENDED_THREADS,
	ENDED_LIFETIME,
	ENDED_UTIME,
	ENDED_STIME,
	ENDED_RUNTIME,
	ENDED_WAIT_CPU,
	ENDED_WAIT_BLKIO,
	ENDED_WAIT_SWAPIN,
	ENDED_WAIT_FREEPAGES,
	ENDED_WAIT_THRASHING,
	ENDED_WAIT_COMPACT,
	ENDED_WAIT_WPCOPY,
	ENDED_WAIT_IRQ,
	ENDED_RCHAR,
	ENDED_WCHAR,
	ENDED_SYSCR,
	ENDED_SYSCW,
	ENDED_READ_BYTES,
	ENDED_WRITE_BYTES,
	ENDED_MIN_FLT,
	ENDED_MAJ_FLT,
	ENDED_NVCSW,
	ENDED_NIVCSW,
	ENDED_PEAK_RSS,
	ENDED_TO_1MS,
	ENDED_TO_10MS,
	ENDED_TO_100MS,
	ENDED_TO_1S,
	ENDED_TO_10S,
	ENDED_TO_100S,
	ENDED_TO_1000S,
	ENDED_LONGER,
	ENDED_VALUES,
};

/* What is known of the whole stream of exits. Likewise. */
enum ended_stream {
	ENDED_READ,
	ENDED_LOST,
	ENDED_INSTANCES,
	ENDED_OK,
	ENDED_FAILED,
	ENDED_KILLED,
	ENDED_CORE,
	ENDED_OOM,
	ENDED_UNKNOWN,
	ENDED_STREAM,
};

/**
 * ended_open() - have the totals of all earlier runs
 *
 * Return: false if that is not possible, which was reported.
 */
bool ended_open(void);

/**
 * ended_close() - let go of them
 */
void ended_close(void);

/**
 * ended_indom() - the instances that there are
 * @indom: is made to have them
 */
void ended_indom(pmdaIndom *indom);

/**
 * ended_add() - add a process that has ended
 * @record: its record
 * @cgroup: its cgroup
 */
void ended_add(const struct taskacct_extended *record, const struct taskacct_name *cgroup);

/**
 * ended_count() - count exits that were read and lost
 * @read: how many were read
 * @lost: how many were lost
 */
void ended_count(uint64_t read, uint64_t lost);

/**
 * ended_get() - a total
 * @instance: its number
 * @value: which
 * @total: receives it
 *
 * Return: false where no such value was ever valid.
 */
bool ended_get(unsigned int instance, enum ended_value value, uint64_t *total);

/**
 * ended_get_stream() - what is known of the whole stream
 * @value: which
 *
 * Return: the value.
 */
uint64_t ended_get_stream(enum ended_stream value);

/**
 * ended_name() - an instance's name
 * @instance: its number
 *
 * Return: "UNIT::COMMAND::OUTCOME", "other", or NULL.
 */
const char *ended_name(unsigned int instance);

/* names.c: of instances */

/* With its NUL */
#define NAME_MAX_LENGTH 256

/**
 * name_make() - the name of the instance that a process belongs to
 * @name: receives "UNIT::COMMAND::OUTCOME", without spaces
 * @record: the process
 * @cgroup: its cgroup
 */
void name_make(char name[NAME_MAX_LENGTH], const struct taskacct_extended *record,
	       const struct taskacct_name *cgroup);

/**
 * name_outcome() - how a process ended
 * @record: the process
 *
 * Return: of &enum ended_stream, %ENDED_OK to %ENDED_UNKNOWN.
 */
enum ended_stream name_outcome(const struct taskacct_extended *record);

/**
 * name_of_outcome() - the same as a word
 * @outcome: what name_outcome() returned
 *
 * Return: "ok", "failed", "killed", "core", "oom", or "unknown".
 */
const char *name_of_outcome(enum ended_stream outcome);

/**
 * name_labels() - the labels of an instance
 * @name: its name
 * @labels: receives them
 *
 * Return: how many there are, or an error of PCP.
 */
int name_labels(const char *name, pmLabelSet **labels);

/* events.c: records as events */

/* Parameters of a record. Their numbers are in archives: new ones come at the end. */
enum event_param {
	EVENT_COMMAND,
	EVENT_CGROUP,
	EVENT_OUTCOME,
	EVENT_PID,
	EVENT_PPID,
	EVENT_UID,
	EVENT_GID,
	EVENT_EXIT_CODE,
	EVENT_THREADS,
	EVENT_START,
	EVENT_END,
	EVENT_UTIME,
	EVENT_STIME,
	EVENT_RUNTIME,
	EVENT_WAIT_CPU,
	EVENT_WAIT_BLKIO,
	EVENT_READ_BYTES,
	EVENT_WRITE_BYTES,
	EVENT_PEAK_RSS,
	EVENT_PARAMS,
};

/**
 * events_open() - have room for records
 *
 * Return: false if there is no memory.
 */
bool events_open(void);

/**
 * events_add() - keep a record
 * @record: it
 * @cgroup: its cgroup
 */
void events_add(const struct taskacct_extended *record, const struct taskacct_name *cgroup);

/**
 * events_lose() - note that records were lost before they came here
 * @n: how many
 */
void events_lose(uint64_t n);

/**
 * events_fetch() - give a client what has come since it asked last
 * @atom: receives the records
 *
 * Return: as a callback of pmdaFetch().
 */
int events_fetch(pmAtomValue *atom);

/* exits.c: from the ring to totals and events */

/**
 * exits_take() - take the exits that are there
 */
void exits_take(void);

/* users.c: what users have used */

/* Totals of a user. Their numbers are in archives: new ones come at the end. */
enum user_value {
	USER_TASKS,
	USER_ENDED,
	USER_UTIME,
	USER_STIME,
	USER_RUNTIME,
	USER_WAIT_CPU,
	USER_WAIT_BLKIO,
	USER_RCHAR,
	USER_WCHAR,
	USER_SYSCR,
	USER_SYSCW,
	USER_READ_BYTES,
	USER_WRITE_BYTES,
	USER_FSYNC,
	USER_MIN_FLT,
	USER_MAJ_FLT,
	USER_NVCSW,
	USER_NIVCSW,
	USER_VALUES,
};

/**
 * users_open() - know which user has which number of an instance
 * @indom: instance domain
 */
void users_open(pmInDom indom);

/**
 * users_read() - ask for all users
 *
 * Return: 0 or an error of PCP.
 */
int users_read(void);

/**
 * users_get() - a total of a user
 * @instance: its number
 * @value: which
 * @total: receives it
 *
 * Return: false where it is not there, or the client may not see it.
 */
bool users_get(unsigned int instance, enum user_value value, uint64_t *total);

/**
 * users_labels() - the labels of a user
 * @instance: its number
 * @labels: receives them
 *
 * Return: what pmdaAddLabels() returns.
 */
int users_labels(unsigned int instance, pmLabelSet **labels);

/* metrics.c: all metrics, and the answers to pmcd */

/* Clusters and numbers of metrics are in archives: none is ever changed. */
enum cluster {
	CLUSTER_CPU,
	CLUSTER_USER,
	CLUSTER_MODULE,
	CLUSTER_ENDED,
	CLUSTER_STREAM,
	CLUSTER_EXIT,
	CLUSTER_PARAM,
	CLUSTERS,
};

/**
 * metrics_init() - say what there is to ask for
 * @dispatch: the agent
 *
 * Return: false if there is no memory.
 */
bool metrics_init(pmdaInterface *dispatch);

/**
 * metrics_pmid() - the number of a metric
 * @cluster: its cluster
 * @item: its number there
 *
 * Return: with the agent's domain.
 */
pmID metrics_pmid(enum cluster cluster, unsigned int item);

/**
 * metrics_list() - print the names of all metrics, a line for each
 */
void metrics_list(void);

#endif /* PMDATASKACCT_AGENT_H */
