// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeping messages
 *
 * A balance goes from the end of one segment to the end of the next. A segment is
 * begun when there is something to put into it; what happens before that is in its
 * balance. The rule for each: made = kept + totals + lost + waiting.
 *
 * What a full disk does not take, and what came too fast to be taken whole, is in a
 * table of totals until there is room for that; it is waiting meanwhile.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/units.h"
#include "logs/kept.h"
#include "logs/past.h"
#include "logs/segment.h"
#include "logs/store.h"
#include "keeper.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * (uint64_t)SECOND)

/* All together are so many of the largest segments. */
#define SEGMENTS 16
#define SEGMENT_MAX (UINT64_C(64) << 20)

/* Ticks from one look for old segments to the next */
#define PRUNE_TICKS 60

/**
 * struct keeper - see keeper.h
 * @path: directory
 * @max_size: of all segments
 * @keep_ns: how long they are kept
 * @limit: of one segment
 * @store: the directory
 * @segment: that is being written, or NULL
 * @source: where messages come from, or NULL
 * @place: where the one before stood, while there is none
 * @base: its counts when the balance began
 * @carry: counts of this balance from before @base
 * @balance: what there was since the last segment's end
 * @noted: what of it has reached the disk in a note
 * @noted_counts: counts of this balance by then
 * @total: of balances before this one
 * @away: why nothing is recorded now, or WHY_NONE
 * @away_ns: since when
 * @hour: in which the segment was begun
 * @clock_ns: from the time since boot to that since 1970
 * @clock_set_ns: when that was set, since boot; 0: not yet
 * @ticks: since the last look for old segments
 * @dirty: something was added since the last flush
 * @tried: a segment could not be begun since the last tick
 * @placed: where the source stands has reached the disk
 * @sums: totals of messages that could not be written one by one
 * @err: why writing failed, as it was said, or 0
 */
struct keeper {
	const char *path;
	uint64_t max_size;
	uint64_t keep_ns;
	uint64_t limit;
	struct store store;
	struct segment *segment;
	const struct source *source;
	struct place place;
	struct source_counts base;
	struct source_counts carry;
	struct balance balance;
	struct balance noted;
	struct source_counts noted_counts;
	struct balance total;
	enum balance_why away;
	uint64_t away_ns;
	uint64_t hour;
	int64_t clock_ns;
	uint64_t clock_set_ns;
	unsigned int ticks;
	bool dirty;
	bool tried;
	bool placed;
	struct sums *sums;
	int err;
};

static uint64_t now_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * (uint64_t)SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t now(void)
{
	return now_of(CLOCK_REALTIME);
}

static int64_t clock_now(void)
{
	return (int64_t)(now_of(CLOCK_REALTIME) - now_of(CLOCK_BOOTTIME));
}

/* Counts of this balance: those carried, and those of the source at hand */
static struct source_counts counts_now(const struct keeper *k)
{
	struct source_counts c = k->carry, s;

	if (!k->source)
		return c;
	source_counts(k->source, &s);
	c.made += s.made - k->base.made;
	c.received += s.received - k->base.received;
	c.lost_queue += s.lost_queue - k->base.lost_queue;
	c.lost_memory += s.lost_memory - k->base.lost_memory;
	c.lost_ring += s.lost_ring - k->base.lost_ring;
	return c;
}

static void settle(struct keeper *k)
{
	const struct source_counts c = counts_now(k);
	struct balance *b = &k->balance;

	if (k->source)
		b->source = source_way(k->source);
	b->to_ns = now();
	b->made = c.made;
	b->lost[LOST_QUEUE] = c.lost_queue;
	b->lost[LOST_MEMORY] = c.lost_memory;
	b->lost[LOST_RING] = c.lost_ring;
	b->waiting = (int64_t)(b->made - b->kept - b->totals - balance_lost(b));
}

static void begin_balance(struct keeper *k)
{
	const uint64_t from = k->balance.to_ns ? k->balance.to_ns : now();
	const enum balance_source source = k->balance.source;
	char boot[BALANCE_BOOT];

	memcpy(boot, k->balance.boot, sizeof(boot));
	memset(&k->balance, 0, sizeof(k->balance));
	memset(&k->noted, 0, sizeof(k->noted));
	memset(&k->noted_counts, 0, sizeof(k->noted_counts));
	memset(&k->carry, 0, sizeof(k->carry));
	memcpy(k->balance.boot, boot, sizeof(boot));
	k->balance.source = source;
	k->balance.from_ns = from;
	if (k->source)
		source_counts(k->source, &k->base);
}

static void add_to_total(struct keeper *k, const struct balance *b)
{
	int i;

	k->total.made += b->made;
	k->total.kept += b->kept;
	k->total.totals += b->totals;
	for (i = 0; i < LOSSES; i++)
		k->total.lost[i] += b->lost[i];
	k->total.removed += b->removed;
	k->total.to_ns = b->to_ns;
}

/* What the last note of a segment does not have comes into the next balance. */
static void give_up(struct keeper *k)
{
	const struct source_counts c = counts_now(k), *old = &k->noted_counts;
	const struct balance b = k->balance, noted = k->noted;
	int i;

	add_to_total(k, &noted);
	begin_balance(k);
	k->carry.made = c.made - old->made;
	k->carry.received = c.received - old->received;
	k->carry.lost_queue = c.lost_queue - old->lost_queue;
	k->carry.lost_memory = c.lost_memory - old->lost_memory;
	k->carry.lost_ring = c.lost_ring - old->lost_ring;
	for (i = LOST_UNREAD; i < LOSSES; i++)
		k->balance.lost[i] = b.lost[i] - noted.lost[i];
	k->balance.lost[LOST_DISK] +=
		b.kept + b.totals - noted.kept - noted.totals;
	k->balance.clock_ns = b.clock_ns - noted.clock_ns;
	k->balance.removed = b.removed - noted.removed;
	k->balance.removed_bytes = b.removed_bytes - noted.removed_bytes;
	k->balance.removed_records = b.removed_records - noted.removed_records;
	if (b.away != noted.away)
		balance_away(&k->balance, b.away, b.away_from_ns,
			     b.away_to_ns);
}

/* Once, until it is right again or fails for another reason */
static void tell_failure(struct keeper *k, int err)
{
	if (k->err == err)
		return;
	k->err = err;
	message("%s: %s; it is tried again, and what is lost is counted",
		k->path, strerror(-err));
}

static void tell_success(struct keeper *k)
{
	if (!k->err)
		return;
	k->err = 0;
	message("%s: is written again; %" PRIu64 " records could not be kept",
		k->path, k->balance.lost[LOST_DISK]);
}

static void drop_segment(struct keeper *k)
{
	segment_end(k->segment, NULL);
	k->segment = NULL;
	give_up(k);
}

/* Where the source stands, or stood when it ceased; NULL where that is no shared memory */
static char *print_place(const struct keeper *k)
{
	const struct place *p = k->source ? source_place(k->source) : &k->place;

	return p && p->n ? place_print(p) : NULL;
}

static void note_place(struct keeper *k)
{
	char *text = print_place(k);

	if (text)
		segment_note(k->segment, text);
	free(text);
}

static void flush(struct keeper *k)
{
	char text[BALANCE_MAX], *place = print_place(k);
	int err;

	settle(k);
	balance_print(text, &k->balance);
	err = segment_flush(k->segment, place, text);
	free(place);
	if (err) {
		tell_failure(k, err);
		if (err == -EIO)
			drop_segment(k);
		return;
	}
	tell_success(k);
	k->noted = k->balance;
	k->noted_counts = counts_now(k);
	k->dirty = false;
	k->placed = k->source && source_place(k->source);
}

static void note_end(struct balance *b, uint64_t end)
{
	if (!end)
		return;
	if (!b->first_ns || end < b->first_ns)
		b->first_ns = end;
	if (end > b->last_ns)
		b->last_ns = end;
}

static void write_row(const struct sums_row *row, void *arg)
{
	struct keeper *k = arg;
	char *text = sums_print(row);

	segment_note(k->segment, text);
	free(text);
	note_end(&k->balance, row->from_ns);
	note_end(&k->balance, row->to_ns);
}

/*
 * All of them or, where the segment has no room yet, none. The place comes before them: what
 * is torn off is lost then, and is not there twice.
 */
static void write_sums(struct keeper *k)
{
	const uint64_t messages = sums_messages(k->sums);

	if (!messages || !segment_has_room(k->segment))
		return;
	note_place(k);
	sums_each(k->sums, write_row, k);
	sums_free(k->sums);
	k->sums = sums_new();
	k->balance.totals += messages;
	k->dirty = true;
	message("%s: %" PRIu64
		" records could not be written one by one, and are kept as totals by cgroup, user and command",
		k->path, messages);
}

/* The next recorder goes on there, also where somebody moves the segment away. */
static void note_past(const struct keeper *k, const char *balance)
{
	char *place = print_place(k);

	past_note(k->store.dir, place, balance);
	free(place);
}

static void end_segment(struct keeper *k, enum balance_why why)
{
	char text[BALANCE_MAX];
	int err;

	write_sums(k);
	note_place(k);
	settle(k);
	k->balance.closed = why;
	balance_print(text, &k->balance);
	note_past(k, text);
	err = segment_end(k->segment, text);
	k->segment = NULL;
	if (err) {
		tell_failure(k, err);
		give_up(k);
		return;
	}
	add_to_total(k, &k->balance);
	begin_balance(k);
}

/* Behind a full disk a segment stays open, for its end would be lost. */
void keeper_rotate(struct keeper *k, enum balance_why why)
{
	if (k->segment && k->dirty)
		flush(k);
	if (k->segment && !k->err)
		end_segment(k, why);
}

static void remove_entry(struct keeper *k, const struct store_entry *e)
{
	struct balance b;
	char *path;

	if (asprintf(&path, "%s/%s", k->path, e->name) < 0)
		die(STATUS_REFUSED, "out of memory");
	if (kept_closed(path, &b))
		k->balance.removed_records += b.kept + b.totals;
	free(path);
	if (unlinkat(k->store.dir, e->name, 0))
		return;
	k->balance.removed++;
	k->balance.removed_bytes += e->size;
}

/* Where the clock was set, by mistake perhaps, there is an hour to set it right. */
static bool is_clock_settled(const struct keeper *k)
{
	const int64_t by = clock_now() - k->clock_ns;

	return by > -SECOND && by < SECOND &&
	       (!k->clock_set_ns ||
		now_of(CLOCK_BOOTTIME) - k->clock_set_ns >= HOUR);
}

static bool is_too_old(const struct keeper *k, const struct store_entry *e)
{
	const uint64_t at = now();

	return is_clock_settled(k) && at > k->keep_ns &&
	       e->changed_ns < at - k->keep_ns;
}

static void tell_removed(const struct keeper *k, const struct balance *before)
{
	const struct balance *b = &k->balance;

	message("%s: removed %" PRIu64 " segments with %" PRIu64
		" bytes and %" PRIu64 " records, to keep within bounds",
		k->path, b->removed - before->removed,
		b->removed_bytes - before->removed_bytes,
		b->removed_records - before->removed_records);
}

/* Removes the oldest: what is too old, and what leaves no room for a segment. */
static void prune(struct keeper *k)
{
	const struct balance before = k->balance;
	struct store_entry *entries;
	const int n = store_list(k->store.dir, &entries);
	uint64_t sum = 0;
	int i;

	for (i = 0; i < n; i++)
		if (entries[i].number != k->balance.segment)
			sum += entries[i].size;
	for (i = 0; i < n && entries[i].number != k->balance.segment; i++) {
		if (sum <= k->max_size - k->limit && !is_too_old(k, &entries[i]))
			break;
		remove_entry(k, &entries[i]);
		sum -= entries[i].size;
	}
	free(entries);
	k->ticks = 0;
	if (k->balance.removed == before.removed)
		return;
	fsync(k->store.dir);
	tell_removed(k, &before);
}

/* A directory that is gone is made anew, if that can be. */
static int open_store(struct keeper *k)
{
	return k->store.dir >= 0 ? 0 : store_open(&k->store, k->path);
}

/* What there was before it: from here on the segment tells where the source stands. */
static void note_beginning(struct keeper *k)
{
	char text[BALANCE_MAX];

	note_place(k);
	settle(k);
	balance_print(text, &k->balance);
	segment_note(k->segment, text);
}

static bool begin_segment(struct keeper *k)
{
	char name[STORE_NAME];
	int err;

	if (k->tried)
		return false;
	err = open_store(k);
	if (!err) {
		prune(k);
		store_name(name, now(), k->store.next);
		err = segment_open(&k->segment, k->store.dir, name,
				   k->source ? source_begin_message(k->source) :
					       NULL);
	}
	if (err) {
		k->tried = true;
		tell_failure(k, err);
		return false;
	}
	k->balance.segment = k->store.next++;
	k->hour = now() / HOUR;
	note_beginning(k);
	return true;
}

/* When a task ended, 0 for a message that does not say so */
static uint64_t end_of(const struct nlmsghdr *nlh)
{
	struct taskacct_record r;
	const size_t needed =
		offsetof(struct taskacct_record, real_end) + sizeof(r.real_end);
	const struct nlattr *attr;

	attr = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN,
			       TASKACCT_TYPE_RECORD);
	if (!attr || nla_len(attr) < (int)needed)
		return 0;
	memcpy(&r, nla_data(attr), needed);
	return r.real_end;
}

void keeper_take(struct keeper *k, const struct taskacct_event *event)
{
	const bool counts = event->type == TASKACCT_EVENT_RECORDS;

	/* The source has not counted this one yet. */
	if (k->segment && segment_is_full(k->segment, k->limit))
		keeper_rotate(k, WHY_SIZE);
	if ((!k->segment && !begin_segment(k)) ||
	    segment_add(k->segment, event)) {
		if (counts && !sums_add(k->sums, event->nlh))
			k->balance.lost[LOST_DISK]++;
		return;
	}
	k->dirty = true;
	k->balance.kept += counts;
	if (counts)
		note_end(&k->balance, end_of(event->nlh));
}

void keeper_take_sums(struct keeper *k, const struct sums *sums)
{
	sums_merge(k->sums, sums);
}

static void look_at_clock(struct keeper *k)
{
	const int64_t clock = clock_now(), by = clock - k->clock_ns;
	char text[UNITS_MAX];

	k->clock_ns = clock;
	if (by > -SECOND && by < SECOND)
		return;
	units_format(text, UNIT_NS, (uint64_t)(by < 0 ? -by : by));
	message("the clock was set %s by %s", by < 0 ? "back" : "forward", text);
	k->clock_set_ns = now_of(CLOCK_BOOTTIME);
	k->balance.clock_ns += by;
	keeper_rotate(k, WHY_CLOCK);
}

/* What it had is lost, and so would be what is written there. */
static void lose_segment(struct keeper *k)
{
	struct balance *b = &k->balance;

	segment_end(k->segment, NULL);
	k->segment = NULL;
	b->lost[LOST_GONE] += b->kept + b->totals;
	b->kept = 0;
	b->totals = 0;
	b->first_ns = 0;
	b->last_ns = 0;
	memset(&k->noted, 0, sizeof(k->noted));
	memset(&k->noted_counts, 0, sizeof(k->noted_counts));
}

static void look_at_directory(struct keeper *k)
{
	const bool gone = k->store.dir >= 0 &&
			  store_is_gone(&k->store, k->path);
	const bool segment_gone = k->segment && segment_is_gone(k->segment);

	if (gone || segment_gone)
		message("%s: somebody removed the %s", k->path,
			gone ? "directory" : "segment that was open");
	if (gone)
		store_close(&k->store);
	if (k->segment && (gone || segment_gone))
		lose_segment(k);
}

void keeper_tick(struct keeper *k)
{
	k->tried = false;
	look_at_directory(k);
	look_at_clock(k);
	if (k->segment && (k->dirty || k->err))
		flush(k);
	if (sums_messages(k->sums) && (k->segment || begin_segment(k)))
		write_sums(k);
	if (k->segment && now() / HOUR != k->hour)
		keeper_rotate(k, WHY_HOUR);
	if (++k->ticks >= PRUNE_TICKS && k->store.dir >= 0)
		prune(k);
}

void keeper_begin(struct keeper *k, const struct source *source)
{
	if (k->away != WHY_NONE)
		balance_away(&k->balance, k->away, k->away_ns, now());
	k->away = WHY_NONE;
	place_free(&k->place);
	k->source = source;
	k->placed = false;
	memset(&k->base, 0, sizeof(k->base));
}

bool keeper_has_place(const struct keeper *k)
{
	return k->placed;
}

/* One that was torn at its beginning says nothing; then the one before it does. */
bool keeper_stands(const struct keeper *k, const char *ring,
		   struct standing *standing)
{
	struct store_entry *entries;
	int i = past_list(k->path, &entries);
	bool says = false;
	char *path;

	memset(standing, 0, sizeof(*standing));
	while (i-- > 0 && !says) {
		if (asprintf(&path, "%s/%s", k->path, entries[i].name) < 0)
			die(STATUS_REFUSED, "out of memory");
		says = kept_standing(path, standing);
		free(path);
	}
	free(entries);
	return standing->place.n && !strcmp(standing->place.ring, ring);
}

/* Nothing has ended unseen: what is gone of the ring is counted like any other loss. */
void keeper_go_on(struct keeper *k, const struct standing *standing)
{
	struct balance *b = &k->balance;

	b->from_ns = b->away_from_ns;
	b->away = WHY_NONE;
	b->away_from_ns = 0;
	b->away_to_ns = 0;
	b->lost[LOST_DISK] += standing->lost;
	k->carry.made += standing->made;
}

/* None is on its way any more: what has not come will not. */
void keeper_cease(struct keeper *k, enum balance_why why)
{
	struct source_counts c;

	source_counts(k->source, &c);
	k->balance.lost[LOST_UNREAD] += c.made - c.received - c.lost_queue -
					c.lost_memory - c.lost_ring;
	k->carry = counts_now(k);
	k->balance.source = source_way(k->source);
	if (source_place(k->source))
		place_copy(&k->place, source_place(k->source));
	k->source = NULL;
	keeper_rotate(k, why);
	k->away = why;
	k->away_ns = now();
}

static void read_boot(char *boot)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file || !fgets(boot, BALANCE_BOOT, file))
		*boot = '\0';
	if (file)
		fclose(file);
}

/* When the recorder before this one had last written, and whether it had ended */
static void look_back(struct keeper *k)
{
	struct store_entry *entries, *last;
	const int n = past_list(k->path, &entries);
	struct balance b = { .to_ns = 0 };
	char *path;

	if (n <= 0)
		return;
	last = &entries[n - 1];
	if (k->store.next <= last->number)
		k->store.next = last->number + 1;
	if (asprintf(&path, "%s/%s", k->path, last->name) < 0)
		die(STATUS_REFUSED, "out of memory");
	k->away = WHY_STOPPED;
	if (!kept_closed(path, &b)) {
		k->away = WHY_CRASHED;
		message("%s: was not closed; its end may be missing", path);
		if (!kept_last(path, &b))
			b.to_ns = last->changed_ns;
	}
	k->away_ns = b.to_ns < now() ? b.to_ns : now();
	free(path);
	free(entries);
}

int keeper_open(struct keeper **keeper, const char *path, uint64_t max_size,
		uint64_t keep_ns)
{
	struct keeper *k = alloc(1, sizeof(*k));
	int err;

	k->path = path;
	k->max_size = max_size;
	k->keep_ns = keep_ns;
	k->limit = max_size / SEGMENTS < SEGMENT_MAX ? max_size / SEGMENTS :
						       SEGMENT_MAX;
	k->clock_ns = clock_now();
	k->sums = sums_new();
	err = store_open(&k->store, path);
	if (err) {
		sums_free(k->sums);
		free(k);
		k = NULL;
	} else {
		read_boot(k->balance.boot);
		begin_balance(k);
		look_back(k);
		prune(k);
	}
	*keeper = k;
	return err;
}

void keeper_close(struct keeper *k, struct balance *total)
{
	if (k->source)
		keeper_cease(k, WHY_STOPPED);
	/* What there was since the last segment has one of its own. */
	k->tried = false;
	settle(k);
	if (!k->segment && (k->balance.made || balance_lost(&k->balance)))
		begin_segment(k);
	if (k->segment)
		end_segment(k, WHY_STOPPED);
	k->balance.lost[LOST_DISK] += sums_messages(k->sums);
	sums_free(k->sums);
	settle(k);
	add_to_total(k, &k->balance);
	*total = k->total;
	place_free(&k->place);
	store_close(&k->store);
	free(k);
}
