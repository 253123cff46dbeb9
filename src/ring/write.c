// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries of exits
 *
 * The protocol is in <linux/taskacct_ring.h>, with the names of the barriers. A lane is
 * written by its CPU with preemption off, and by no interrupt: so there is one writer, who
 * needs no lock, and readers cannot write.
 */

#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <net/netlink.h>

#include <linux/taskacct.h>

#include "base/base.h"
#include "record/record.h"
#include "task/task.h"

#include "memory.h"
#include "ring.h"
#include "wake.h"

/* How much is copied at a time with preemption off, where a ring gets another size */
#define COPY_BYTES	16384

static const struct taskacct_view view = TASKACCT_VIEW_INIT;

/**
 * struct part - a record, as an entry has it
 * @pad: so that the record is aligned
 * @attr: its attribute
 * @full: the record, and behind it, where they are wanted, the waits
 */
struct part {
	struct nlattr pad;
	struct nlattr attr;
	struct taskacct_full_record full;
};

static size_t part_size(u32 want)
{
	return want & TASKACCT_RING_WAITS ?
		       sizeof(struct part) : offsetof(struct part, full.waits);
}

static size_t entry_strings_size(const struct taskacct_strings *strings)
{
	size_t size = 0;

	if (strings->exe)
		size += nla_total_size(strings->exe_length + 1);
	if (strings->cgroup)
		size += nla_total_size(strings->cgroup_length + 1);
	if (strings->cmdline)
		size += nla_total_size(strings->cmdline_length);
	return size;
}

static bool has_strings(const struct taskacct_ring_event *event)
{
	return unlikely(event->want & TASKACCT_WANT_STRINGS);
}

static size_t entry_size(const struct taskacct_ring_event *event)
{
	const size_t records = part_size(event->want) << !!event->total;

	/* The longest of all, with three names of a page each, has its place in any lane. */
	BUILD_BUG_ON(sizeof(struct taskacct_ring_entry) + 2 * sizeof(struct part) +
		     3 * (PATH_MAX + 2 * NLA_HDRLEN) > TASKACCT_RING_SIZE_MIN);
	return sizeof(struct taskacct_ring_entry) + records +
	       (has_strings(event) ?
			ALIGN(entry_strings_size(&event->strings), sizeof(u64)) : 0);
}

/* Returns the position behind the entry at a position. */
static u64 behind(const struct taskacct_ring_place *place, u64 position)
{
	const u64 offset = position & (place->size - 1);
	const u64 left = place->size - offset;
	const struct taskacct_ring_entry *entry = place->data + offset;

	return position + (left < sizeof(*entry) ? left : entry->length);
}

/* Lets go of the oldest entries, as many as the bytes up to a position take. */
static void drop_oldest_entries(struct taskacct_ring_place *place, u64 end)
{
	u64 begin = place->lane->begin;

	while (end - begin > place->size)
		begin = behind(place, begin);
	WRITE_ONCE(place->lane->begin, begin);
}

/* What is left of the lane's bytes is too little for the next entry. */
static void fill_up(struct taskacct_ring_entry *entry, u64 left)
{
	if (left >= sizeof(*entry))
		*entry = (struct taskacct_ring_entry){ .length = left };
}

/* Returns where the new entry goes, and its position. */
static struct taskacct_ring_entry *begin_entry(struct taskacct_ring_place *place,
					       size_t size, u64 *position)
{
	struct taskacct_ring_lane *lane = place->lane;
	const u64 mask = place->size - 1;
	const u64 end = lane->end;
	const u64 left = place->size - (end & mask);

	*position = size > left ? end + left : end;
	drop_oldest_entries(place, *position + size);
	WRITE_ONCE(lane->begun, lane->made + 1);
	smp_wmb(); /* W1 */
	if (unlikely(*position != end))
		fill_up(place->data + (end & mask), left);
	return place->data + (*position & mask);
}

static void end_entry(struct taskacct_ring_lane *lane, u64 end)
{
	smp_store_release(&lane->end, end); /* W2 */
	smp_store_release(&lane->made, lane->begun); /* W3 */
}

static struct taskacct_full_record *begin_entry_record(void *at)
{
	struct part *part = at;

	part->pad = (struct nlattr){ NLA_HDRLEN, TASKACCT_TYPE_PAD };
	part->attr = (struct nlattr){ nla_attr_size(sizeof(struct taskacct_record)),
				      TASKACCT_TYPE_RECORD };
	return &part->full;
}

static void put_entry_task(void *at, const struct taskacct_ring_event *event)
{
	const struct taskacct_values *values = event->values;
	struct taskacct_full_record *full = begin_entry_record(at);

	taskacct_record_fill_task(&full->record, current, values,
				  taskacct_kept_memory(values->kept), &view, true);
	if (event->last)
		full->record.flags |= TASKACCT_RECORD_LAST;
	if (event->want & TASKACCT_RING_WAITS)
		taskacct_record_fill_waits(full->waits, values);
}

static void put_entry_process(void *at, const struct taskacct_ring_event *event)
{
	const struct taskacct_total *total = event->total;
	struct taskacct_full_record *full = begin_entry_record(at);

	taskacct_record_fill_process(&full->record, event->leader, total,
				     taskacct_kept_memory(event->values->kept), &view);
	if (event->want & TASKACCT_RING_WAITS)
		taskacct_record_fill_waits(full->waits, &total->values);
}

/* Returns where the next attribute goes. */
static void *put_string(void *at, int type, const char *string, size_t length)
{
	struct nlattr *attr = at;

	if (!string)
		return at;
	attr->nla_type = type;
	attr->nla_len = nla_attr_size(length);
	memcpy(nla_data(attr), string, length);
	memset(nla_data(attr) + length, 0, nla_padlen(length));
	return at + nla_total_size(length);
}

static void put_entry_strings(void *at, const void *end, const struct taskacct_strings *strings)
{
	at = put_string(at, TASKACCT_TYPE_EXE_PATH, strings->exe, strings->exe_length + 1);
	at = put_string(at, TASKACCT_TYPE_CGROUP_PATH, strings->cgroup,
			strings->cgroup_length + 1);
	at = put_string(at, TASKACCT_TYPE_CMDLINE, strings->cmdline, strings->cmdline_length);
	if (at != end)
		*(struct nlattr *)at = (struct nlattr){ NLA_HDRLEN, TASKACCT_TYPE_PAD };
}

/*
 * Not before that of the entry before it: another task may have ended here since the time
 * was read. A process is written after its threads, and is later than they are.
 */
static u64 time_of(struct taskacct_ring_place *place, const struct taskacct_ring_event *event)
{
	const u64 now = event->total ? ktime_get_boottime_ns() : event->values->until.boot;

	place->time = max(place->time, now);
	return place->time;
}

static void write_entry(struct taskacct_ring_place *place,
			const struct taskacct_ring_event *event)
{
	const size_t size = entry_size(event);
	struct taskacct_ring_entry *entry;
	u64 position;
	void *at;

	entry = begin_entry(place, size, &position);
	entry->length = size;
	entry->cpu = smp_processor_id();
	entry->number = place->lane->begun;
	entry->time = time_of(place, event);
	at = entry + 1;
	put_entry_task(at, event);
	at += part_size(event->want);
	if (event->total) {
		put_entry_process(at, event);
		at += part_size(event->want);
	}
	if (has_strings(event))
		put_entry_strings(at, (void *)entry + size, &event->strings);
	end_entry(place->lane, position + size);
}

static struct taskacct_ring_place *place_of(struct taskacct_ring_cpu *ring, bool last)
{
	return &ring->places[last ? TASKACCT_RING_PROCESSES : TASKACCT_RING_THREADS];
}

static u64 made_by(const struct taskacct_ring_cpu *ring)
{
	return ring->places[TASKACCT_RING_PROCESSES].lane->made +
	       ring->places[TASKACCT_RING_THREADS].lane->made;
}

/**
 * __taskacct_ring_begin() - taskacct_ring_begin(), where names are wanted
 * @event: as for that
 *
 * Context: as for that.
 */
void __taskacct_ring_begin(struct taskacct_ring_event *event)
{
	taskacct_kept_strings(&event->strings, event->want, event->values->kept, &view,
			      TASKACCT_GFP_QUEUED);
}

/**
 * taskacct_ring_write() - write an exit into this CPU's ring
 * @event: the exit, from taskacct_ring_begin(). Nothing is done where nobody has the device
 *	open any more
 *
 * Context: the exit hook, for current; preemption may be off.
 */
void taskacct_ring_write(const struct taskacct_ring_event *event)
{
	struct taskacct_ring_memory *memory;
	struct taskacct_ring_cpu *ring;

	/* Preemption is off for both: there is one writer, and the memory stays. */
	rcu_read_lock_sched();
	memory = rcu_dereference_sched(taskacct_ring_memory);
	if (likely(memory)) {
		ring = this_cpu_ptr(memory->cpus);
		write_entry(place_of(ring, event->last), event);
		taskacct_ring_wake_look(made_by(ring));
	}
	rcu_read_unlock_sched();
}

/**
 * taskacct_ring_miss() - give a number to an exit of which no entry can be made
 * @last: it is that of a process
 *
 * Context: the exit hook, for current.
 */
void taskacct_ring_miss(bool last)
{
	struct taskacct_ring_memory *memory;
	struct taskacct_ring_lane *lane;
	struct taskacct_ring_cpu *ring;

	rcu_read_lock_sched();
	memory = rcu_dereference_sched(taskacct_ring_memory);
	if (memory) {
		ring = this_cpu_ptr(memory->cpus);
		lane = place_of(ring, last)->lane;
		WRITE_ONCE(lane->begun, lane->made + 1);
		end_entry(lane, lane->end);
		taskacct_ring_wake_look(made_by(ring));
	}
	rcu_read_unlock_sched();
}

/* Whether the bytes at a position are no entry, but the rest of a lane */
static bool is_rest(const struct taskacct_ring_place *place, u64 position)
{
	const u64 offset = position & (place->size - 1);
	const struct taskacct_ring_entry *entry = place->data + offset;

	return place->size - offset < sizeof(*entry) || !entry->number;
}

static void append_entry(struct taskacct_ring_place *to,
			 const struct taskacct_ring_entry *entry)
{
	u64 position;

	to->lane->made = entry->number - 1;
	memcpy(begin_entry(to, entry->length, &position), entry, entry->length);
	end_entry(to->lane, position + entry->length);
}

/* Copies what is behind a position, some of it, and returns whether that was all. */
static bool copy_lane(struct taskacct_ring_place *to, const struct taskacct_ring_place *from,
		      u64 *position)
{
	const struct taskacct_ring_lane *lane = from->lane;
	u64 at = max(*position, lane->begin);
	const u64 until = min(lane->end, at + COPY_BYTES);

	for (; at < until; at = behind(from, at))
		if (!is_rest(from, at))
			append_entry(to, from->data + (at & (from->size - 1)));
	*position = at;
	to->lane->begun = lane->made;
	to->lane->made = lane->made;
	to->time = from->time;
	return at == lane->end;
}

/**
 * taskacct_ring_copy() - copy some entries into lanes of other sizes
 * @to: a ring, empty at first, which nobody else reads or writes; the newest entries stay
 *	where it has no room for all
 * @from: the ring
 * @positions: of each lane, up to which it has been copied; 0 at first
 *
 * Context: preemption is off on the CPU whose ring @from is, or that CPU is off.
 * Return: true: that was the last; @to has all that @from has, with its numbers.
 */
bool taskacct_ring_copy(struct taskacct_ring_cpu *to, const struct taskacct_ring_cpu *from,
			u64 positions[TASKACCT_RING_LANES])
{
	bool done = true;
	unsigned int i;

	for (i = 0; i < TASKACCT_RING_LANES; i++)
		done &= copy_lane(&to->places[i], &from->places[i], &positions[i]);
	return done;
}
