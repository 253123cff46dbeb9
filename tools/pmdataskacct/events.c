// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of processes as events
 *
 * The newest are kept, and each client has a place there. A client that comes too late for
 * a record gets it as a missed one. (A queue of libpcp_pmda drops what does not fit into
 * it without a word.)
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

/* How many a client gets at once */
#define EVENTS_AT_ONCE 1000

#define CGROUP_MAX 256

/* A record, with what is reported of it */
struct event {
	struct taskacct_record r;
	const char *outcome;
	uint64_t wait_cpu;
	uint64_t wait_blkio;
	char cgroup[CGROUP_MAX];
};

/* Event number n is at n % config.records. */
static struct event *events;
/* How many there have been, and how many were lost before they came here */
static uint64_t n_events;
static uint64_t n_lost;
static int array = -1;

bool events_open(void)
{
	events = calloc(config.records, sizeof(*events));
	array = pmdaEventNewArray();
	return events && array >= 0;
}

void events_add(const struct taskacct_extended *record, const struct taskacct_name *cgroup)
{
	struct event *event = &events[n_events++ % config.records];
	const size_t n = cgroup->length < CGROUP_MAX ? cgroup->length : CGROUP_MAX - 1;

	event->r = record->r;
	event->outcome = name_of_outcome(name_outcome(record));
	event->wait_cpu = taskacct_value(record, TASKACCT_R_WAIT_CPU_TOTAL);
	event->wait_blkio = taskacct_value(record, TASKACCT_R_WAIT_BLKIO_TOTAL);
	if (cgroup->text)
		memcpy(event->cgroup, cgroup->text, n);
	event->cgroup[cgroup->text ? n : 0] = 0;
}

void events_lose(uint64_t n)
{
	n_lost += n;
}

static struct timeval time_of(const struct event *event)
{
	return (struct timeval){
		.tv_sec = (time_t)(event->r.real_end / 1000000000),
		.tv_usec = (suseconds_t)(event->r.real_end % 1000000000 / 1000),
	};
}

static int add_u64(enum event_param param, uint64_t value)
{
	pmAtomValue atom = { .ull = value };

	return pmdaEventAddParam(array, metrics_pmid(CLUSTER_PARAM, param), PM_TYPE_U64, &atom);
}

static int add_u32(enum event_param param, uint32_t value)
{
	pmAtomValue atom = { .ul = value };

	return pmdaEventAddParam(array, metrics_pmid(CLUSTER_PARAM, param), PM_TYPE_U32, &atom);
}

static int add_text(enum event_param param, const char *value)
{
	pmAtomValue atom = { .cp = (char *)value };

	return pmdaEventAddParam(array, metrics_pmid(CLUSTER_PARAM, param), PM_TYPE_STRING,
				 &atom);
}

/* What is not valid is left out. */
static bool has(const struct event *event, enum taskacct_member member)
{
	const uint64_t groups = taskacct_member_info(member)->groups;

	return (event->r.valid & groups) == groups;
}

static int add_words(const struct event *event)
{
	int err = add_text(EVENT_COMMAND, event->r.comm);

	if (err >= 0 && *event->cgroup)
		err = add_text(EVENT_CGROUP, event->cgroup);
	return err < 0 ? err : add_text(EVENT_OUTCOME, event->outcome);
}

static int add_numbers(const struct event *event)
{
	const struct {
		enum event_param param;
		enum taskacct_member member;
		uint32_t value;
	} numbers[] = {
		{ EVENT_PID, TASKACCT_R_TGID, event->r.tgid },
		{ EVENT_PPID, TASKACCT_R_PPID, event->r.ppid },
		{ EVENT_UID, TASKACCT_R_UID, event->r.uid },
		{ EVENT_GID, TASKACCT_R_GID, event->r.gid },
		{ EVENT_EXIT_CODE, TASKACCT_R_EXIT_CODE, event->r.exit_code },
		{ EVENT_THREADS, TASKACCT_R_THREADS, event->r.threads },
	};
	size_t i;
	int err = 0;

	for (i = 0; err >= 0 && i < sizeof(numbers) / sizeof(*numbers); i++)
		if (has(event, numbers[i].member))
			err = add_u32(numbers[i].param, numbers[i].value);
	return err;
}

static int add_values(const struct event *event)
{
	const struct {
		enum event_param param;
		enum taskacct_member member;
		uint64_t value;
	} values[] = {
		{ EVENT_START, TASKACCT_R_START, event->r.start },
		{ EVENT_END, TASKACCT_R_END, event->r.end },
		{ EVENT_UTIME, TASKACCT_R_UTIME, event->r.utime },
		{ EVENT_STIME, TASKACCT_R_STIME, event->r.stime },
		{ EVENT_RUNTIME, TASKACCT_R_RUNTIME, event->r.runtime },
		{ EVENT_WAIT_CPU, TASKACCT_R_WAIT_CPU_TOTAL, event->wait_cpu },
		{ EVENT_WAIT_BLKIO, TASKACCT_R_WAIT_BLKIO_TOTAL, event->wait_blkio },
		{ EVENT_READ_BYTES, TASKACCT_R_READ_BYTES, event->r.read_bytes },
		{ EVENT_WRITE_BYTES, TASKACCT_R_WRITE_BYTES, event->r.write_bytes },
		{ EVENT_PEAK_RSS, TASKACCT_R_PEAK_RSS, event->r.peak_rss },
	};
	size_t i;
	int err = 0;

	for (i = 0; err >= 0 && i < sizeof(values) / sizeof(*values); i++)
		if (has(event, values[i].member))
			err = add_u64(values[i].param, values[i].value);
	return err;
}

static int add_record(const struct event *event)
{
	struct timeval when = time_of(event);
	int err = pmdaEventAddRecord(array, &when, PM_EVENT_FLAG_POINT);

	if (err >= 0)
		err = add_words(event);
	if (err >= 0)
		err = add_numbers(event);
	return err < 0 ? err : add_values(event);
}

/* One missed record tells of no more than an int has room for. */
static int add_missed(uint64_t missed)
{
	struct timeval now;
	int err = 0;

	pmtimevalNow(&now);
	for (; missed && err >= 0; missed -= missed < INT_MAX ? missed : INT_MAX)
		err = pmdaEventAddMissedRecord(array, &now,
					       (int)(missed < INT_MAX ? missed : INT_MAX));
	return err;
}

/* What the client missed since it asked last; it goes on with the oldest record. */
static uint64_t find_missed(struct client *client)
{
	const uint64_t oldest = n_events > config.records ? n_events - config.records : 0;
	uint64_t missed = n_lost - client->lost;

	client->lost = n_lost;
	if (client->next < oldest) {
		missed += oldest - client->next;
		client->next = oldest;
	}
	return missed;
}

static int add_records(struct client *client)
{
	const uint64_t end = client->next + EVENTS_AT_ONCE;
	const struct event *event;
	int err = 0;

	for (; err >= 0 && client->next < n_events && client->next < end; client->next++) {
		event = &events[client->next % config.records];
		if (access_of() == ACCESS_ALL || access_is_user(event->r.uid))
			err = add_record(event);
	}
	return err;
}

/* A client gets what comes after it asked for the first time. */
static void begin(struct client *client)
{
	client->has_read = true;
	client->next = n_events;
	client->lost = n_lost;
}

int events_fetch(pmAtomValue *atom)
{
	struct client *client = access_client();
	int err;

	if (!client)
		return -ENOMEM;
	if (!client->has_read)
		begin(client);
	pmdaEventResetArray(array);
	err = add_missed(find_missed(client));
	if (err >= 0)
		err = add_records(client);
	if (err < 0)
		return err;
	atom->vbp = (pmValueBlock *)pmdaEventGetAddr(array);
	return atom->vbp ? PMDA_FETCH_STATIC : PMDA_FETCH_NOVALUES;
}
