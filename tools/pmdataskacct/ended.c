// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals of what has ended, by instances
 *
 * They are in a file that is mapped: whatever ends the agent, the next one goes on from
 * what this one has reported. The file has its full size from the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent.h"

#define MAGIC "taskacct ended 2"
#define OTHER 0

/* An instance, whose number is that of its slot; @uid: whose process was the first of it */
struct slot {
	char name[NAME_MAX_LENGTH];
	uint64_t uid;
	uint64_t valid;
	uint64_t v[ENDED_VALUES];
};

/* The file. Each number is that of the machine that wrote it. */
struct store {
	char magic[16];
	uint64_t values;
	uint64_t used;
	uint64_t stream[ENDED_STREAM];
	struct slot slots[];
};

static struct store *store;
static size_t store_size;
static int store_fd = -1;
static char path[MAXPATHLEN];
static pmdaInstid *instances;
/* Slots by their names */
static struct hsearch_data index_of;

static const struct source {
	enum ended_value value;
	enum taskacct_member member;
} sources[] = {
	{ ENDED_THREADS, TASKACCT_R_THREADS },
	{ ENDED_UTIME, TASKACCT_R_UTIME },
	{ ENDED_STIME, TASKACCT_R_STIME },
	{ ENDED_RUNTIME, TASKACCT_R_RUNTIME },
	{ ENDED_WAIT_CPU, TASKACCT_R_WAIT_CPU_TOTAL },
	{ ENDED_WAIT_BLKIO, TASKACCT_R_WAIT_BLKIO_TOTAL },
	{ ENDED_WAIT_SWAPIN, TASKACCT_R_WAIT_SWAPIN_TOTAL },
	{ ENDED_WAIT_FREEPAGES, TASKACCT_R_WAIT_FREEPAGES_TOTAL },
	{ ENDED_WAIT_THRASHING, TASKACCT_R_WAIT_THRASHING_TOTAL },
	{ ENDED_WAIT_COMPACT, TASKACCT_R_WAIT_COMPACT_TOTAL },
	{ ENDED_WAIT_WPCOPY, TASKACCT_R_WAIT_WPCOPY_TOTAL },
	{ ENDED_WAIT_IRQ, TASKACCT_R_WAIT_IRQ_TOTAL },
	{ ENDED_RCHAR, TASKACCT_R_RCHAR },
	{ ENDED_WCHAR, TASKACCT_R_WCHAR },
	{ ENDED_SYSCR, TASKACCT_R_SYSCR },
	{ ENDED_SYSCW, TASKACCT_R_SYSCW },
	{ ENDED_READ_BYTES, TASKACCT_R_READ_BYTES },
	{ ENDED_WRITE_BYTES, TASKACCT_R_WRITE_BYTES },
	{ ENDED_MIN_FLT, TASKACCT_R_MIN_FLT },
	{ ENDED_MAJ_FLT, TASKACCT_R_MAJ_FLT },
	{ ENDED_NVCSW, TASKACCT_R_NVCSW },
	{ ENDED_NIVCSW, TASKACCT_R_NIVCSW },
};

static bool fail(const char *what)
{
	pmNotifyErr(LOG_ERR, "%s: %s: %s\n", path, what, strerror(errno));
	return false;
}

static size_t size_for(uint64_t n)
{
	return sizeof(struct store) + (size_t)n * sizeof(struct slot);
}

/* Whether the file is one of ours, whole */
static bool is_sane(const struct store *s, size_t size)
{
	uint64_t i;

	if (size < size_for(1) || memcmp(s->magic, MAGIC, sizeof(s->magic)) ||
	    s->values != ENDED_VALUES || !s->used || s->used > INSTANCES_MAX + 1 ||
	    size < size_for(s->used))
		return false;
	for (i = 0; i < s->used; i++)
		if (!memchr(s->slots[i].name, 0, sizeof(s->slots[i].name)))
			return false;
	return true;
}

static bool map_store(size_t size)
{
	store = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, store_fd, 0);
	if (store == MAP_FAILED) {
		store = NULL;
		return fail("cannot be mapped");
	}
	store_size = size;
	return true;
}

static bool open_file(void)
{
	snprintf(path, sizeof(path), "%s/config/pmda/taskacct.ended",
		 pmGetConfig("PCP_VAR_DIR"));
	store_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (store_fd < 0)
		return fail("cannot be opened");
	if (flock(store_fd, LOCK_EX | LOCK_NB))
		return fail("another agent has it");
	return true;
}

/* What cannot be read is kept beside the new one, for somebody to look at. */
static bool set_aside(void)
{
	char aside[MAXPATHLEN + 8];

	snprintf(aside, sizeof(aside), "%s.bad", path);
	pmNotifyErr(LOG_ERR, "%s: is damaged or another version's: kept as %s, begun anew\n",
		    path, aside);
	if (rename(path, aside))
		return fail("cannot be renamed");
	close(store_fd);
	return open_file();
}

/* Room that is written to later must be there: a full disk would end the agent then. */
static bool reserve(size_t size)
{
	const int err = posix_fallocate(store_fd, 0, (off_t)size);

	errno = err;
	return err ? fail("no room for it") : true;
}

static bool read_file(void)
{
	struct stat st;
	bool sane;

	if (fstat(store_fd, &st))
		return fail("cannot be read");
	if (!st.st_size)
		return true;
	if (!map_store((size_t)st.st_size))
		return false;
	sane = is_sane(store, store_size);
	munmap(store, store_size);
	store = NULL;
	return sane || set_aside();
}

static void begin_anew(void)
{
	memcpy(store->magic, MAGIC, sizeof(store->magic));
	store->values = ENDED_VALUES;
	store->used = 1;
	strcpy(store->slots[OTHER].name, "other");
}

static void add_value(struct slot *slot, enum ended_value value, uint64_t n)
{
	if (value != ENDED_PEAK_RSS)
		slot->v[value] += n;
	else if (n > slot->v[value])
		slot->v[value] = n;
	slot->valid |= 1ULL << value;
}

/* An instance for which there is no place any more goes on in "other". */
static void fold(const struct slot *slot)
{
	unsigned int i;

	for (i = 0; i < ENDED_VALUES; i++)
		if (slot->valid >> i & 1)
			add_value(&store->slots[OTHER], i, slot->v[i]);
}

static bool enter_slot(unsigned int i)
{
	const ENTRY entry = { .key = store->slots[i].name, .data = &store->slots[i] };
	ENTRY *found;

	instances[i] = (pmdaInstid){ (int)i, store->slots[i].name };
	return hsearch_r(entry, ENTER, &found, &index_of);
}

static bool make_index(void)
{
	unsigned int i;

	instances = calloc(config.instances + 1, sizeof(*instances));
	if (!instances || !hcreate_r(2 * config.instances + 2, &index_of))
		return fail("no memory for it");
	for (i = 0; i < store->used; i++)
		if (!enter_slot(i))
			return fail("no memory for it");
	return true;
}

/* Of a file that has room for more instances than are wanted now */
static void fold_rest(void)
{
	while (store->used > config.instances + 1)
		fold(&store->slots[--store->used]);
}

bool ended_open(void)
{
	const size_t size = size_for(INSTANCES_MAX + 1);

	if (!open_file() || !read_file() || !reserve(size) || !map_store(size))
		return false;
	if (!store->used)
		begin_anew();
	fold_rest();
	return make_index();
}

void ended_close(void)
{
	if (store)
		munmap(store, store_size);
	store = NULL;
	if (store_fd >= 0)
		close(store_fd);
	store_fd = -1;
	hdestroy_r(&index_of);
	free(instances);
	instances = NULL;
}

void ended_indom(pmdaIndom *indom)
{
	indom->it_set = instances;
	indom->it_numinst = (int)store->used;
}

/*
 * Names are everybody's to choose. So that nobody takes all instances from others, a user gets
 * a quarter of them, and all but root together three quarters: he may have other uids, too.
 */
static bool may_have_slot(uint64_t uid)
{
	uint64_t own = 0, all = 0, i;

	if (!uid)
		return true;
	for (i = OTHER + 1; i < store->used; i++) {
		own += store->slots[i].uid == uid;
		all += store->slots[i].uid != 0;
	}
	return own < (config.instances + 3) / 4 && all < (3 * config.instances + 3) / 4;
}

static struct slot *find_slot(const char *name, uint64_t uid)
{
	const ENTRY entry = { .key = (char *)name };
	struct slot *slot = &store->slots[store->used];
	ENTRY *found;

	if (hsearch_r(entry, FIND, &found, &index_of))
		return found->data;
	if (store->used > config.instances || !may_have_slot(uid))
		return &store->slots[OTHER];
	memset(slot, 0, sizeof(*slot));
	strcpy(slot->name, name);
	slot->uid = uid;
	if (!enter_slot((unsigned int)store->used))
		return &store->slots[OTHER];
	store->used++;
	return slot;
}

static void add_lifetime(struct slot *slot, uint64_t ns)
{
	uint64_t limit = 1000000;
	enum ended_value value = ENDED_TO_1MS;

	while (value < ENDED_LONGER && ns >= limit) {
		limit *= 10;
		value++;
	}
	add_value(slot, value, 1);
	add_value(slot, ENDED_LIFETIME, ns);
}

void ended_add(const struct taskacct_extended *record, const struct taskacct_name *cgroup)
{
	char name[NAME_MAX_LENGTH];
	struct slot *slot;
	size_t i;

	name_make(name, record, cgroup);
	slot = find_slot(name, taskacct_value(record, TASKACCT_R_UID));
	store->stream[name_outcome(record)]++;
	add_value(slot, ENDED_COUNT, 1);
	add_lifetime(slot, record->r.end - record->r.start);
	for (i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (taskacct_validity(record, sources[i].member) == TASKACCT_VALID)
			add_value(slot, sources[i].value,
				  taskacct_value(record, sources[i].member));
	if (taskacct_validity(record, TASKACCT_R_PEAK_RSS) == TASKACCT_VALID)
		add_value(slot, ENDED_PEAK_RSS, record->r.peak_rss);
}

void ended_count(uint64_t read, uint64_t lost)
{
	store->stream[ENDED_READ] += read;
	store->stream[ENDED_LOST] += lost;
}

/* Of a histogram a place that nobody came to is 0, and not unknown. */
static bool is_known(const struct slot *slot, enum ended_value value)
{
	return slot->valid >> value & 1 ||
	       (value >= ENDED_TO_1MS && value <= ENDED_LONGER);
}

bool ended_get(unsigned int instance, enum ended_value value, uint64_t *total)
{
	if (instance >= store->used || !is_known(&store->slots[instance], value))
		return false;
	*total = store->slots[instance].v[value];
	return true;
}

uint64_t ended_get_stream(enum ended_stream value)
{
	return value == ENDED_INSTANCES ? store->used - 1 : store->stream[value];
}

const char *ended_name(unsigned int instance)
{
	return instance < store->used ? store->slots[instance].name : NULL;
}
