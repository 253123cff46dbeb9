// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users at one time, as one reader sees them
 */

#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include <taskacct_features.h>

#include "record/record.h"

#include "entry.h"
#include "snapshot.h"
#include "usage.h"
#include "view.h"

static size_t size_of_row(const struct taskacct_uid_snapshot *snapshot)
{
	switch (snapshot->kind) {
	case TASKACCT_UID_IO:
		return sizeof(struct taskacct_uid_io_row);
	case TASKACCT_UID_TIMES:
		return sizeof(struct taskacct_uid_times_row);
	default:
		return sizeof(struct taskacct_uid_row) +
		       snapshot->states * sizeof(struct taskacct_uid_used);
	}
}

/**
 * taskacct_uid_snapshot_alloc() - make room for users
 * @snapshot: where; it has the kind and the states
 * @room: for how many
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_snapshot_alloc(struct taskacct_uid_snapshot *snapshot, unsigned int room)
{
	snapshot->room = room;
	snapshot->size = size_of_row(snapshot);
	snapshot->names = kvmalloc_array(room, 2 * sizeof(*snapshot->names),
					 GFP_KERNEL_ACCOUNT);
	snapshot->snapshot = kvmalloc_array(room, snapshot->size, GFP_KERNEL_ACCOUNT);
	return snapshot->names && snapshot->snapshot ? 0 : -ENOMEM;
}

/**
 * taskacct_uid_snapshot_free() - let go of users
 * @snapshot: from taskacct_uid_totals_read()
 *
 * Context: task context, may sleep.
 */
void taskacct_uid_snapshot_free(struct taskacct_uid_snapshot *snapshot)
{
	kvfree(snapshot->names);
	kvfree(snapshot->snapshot);
	kvfree(snapshot->lines);
	kvfree(snapshot->order);
	*snapshot = (struct taskacct_uid_snapshot){
		.kind = snapshot->kind,
		.with_lines = snapshot->with_lines,
	};
}

/* The kernel's own number for most: there may be many users. */
static u32 number_in(struct user_namespace *ns, kuid_t uid)
{
	if (!uid_valid(uid))
		return -1;
	return likely(ns == &init_user_ns) ? __kuid_val(uid) :
					     from_kuid_munged(ns, uid);
}

/**
 * taskacct_uid_snapshot_add() - add a user's name
 * @snapshot: to these
 * @entry: the user
 * @ns: whose numbers to use; users that have none there are one
 *
 * Context: the only reader.
 * Return: 0, or -ENOSPC if there is no room.
 */
int taskacct_uid_snapshot_add(struct taskacct_uid_snapshot *snapshot,
			      struct taskacct_uid_entry *entry,
			      struct user_namespace *ns)
{
	if (snapshot->nr_names >= snapshot->room)
		return -ENOSPC;
	snapshot->names[snapshot->nr_names++] = (struct taskacct_uid_name){
		.uid = number_in(ns, entry->uid),
		.entry = entry,
	};
	return 0;
}

/* Under the entry's lock. All members are set, so that the record is not cleared first. */
static __always_inline void put_record(struct taskacct_uid_record *record,
				       const struct taskacct_uid_name *name,
				       const struct taskacct_uid_snapshot *snapshot, u64 now)
{
	const struct taskacct_uid_entry *entry = name->entry;

	*record = (struct taskacct_uid_record){
		.version = TASKACCT_UID_RECORD_VERSION,
		.size = sizeof(*record),
		.state = entry->state,
		.reserved = 0,
		.flags = snapshot->flags |
			 (uid_valid(entry->uid) ? 0 : TASKACCT_UID_REST),
		.uid = name->uid,
		.absent = snapshot->absent,
		.tasks = entry->tasks,
		.ended = entry->ended,
		.first = entry->first,
		.last = entry->tasks ? now : max(entry->first, entry->last),
	};
}

/* What it has now, or had at the instant of the view that the reader began */
static struct taskacct_uid_io io_of(const struct taskacct_uid_entry *entry,
				    unsigned int state, bool viewed)
{
	struct taskacct_uid_io io;

	if (viewed && entry->view == taskacct_uid_view)
		return entry->then[state];
	taskacct_uid_view_io(&io, &entry->usage[state]);
	return io;
}

static void add_io_row(struct taskacct_uid_io_row *row,
		       const struct taskacct_uid_name *name, bool viewed)
{
	struct taskacct_uid_io *to = row->io, from;
	unsigned int i;

	row->uid = name->uid;
	for (i = 0; i < TASKACCT_UID_STATES; i++, to++) {
		from = io_of(name->entry, i, viewed);
		to->rchar += from.rchar;
		to->wchar += from.wchar;
		to->read_bytes += from.read_bytes;
		to->written += from.written;
		to->fsync += from.fsync;
	}
}

static void add_times(struct taskacct_uid_times_row *row,
		      const struct taskacct_uid_name *name)
{
	const struct taskacct_uid_used *from = name->entry->usage;
	unsigned int i;

	row->uid = name->uid;
	for (i = 0; i < TASKACCT_UID_STATES; i++, from++) {
		row->user += from->value.user;
		row->system += from->value.system;
	}
}

/* The first of those that have the same number is most often the only one. */
static void begin_row(struct taskacct_uid_row *row,
		      const struct taskacct_uid_name *name,
		      const struct taskacct_uid_snapshot *snapshot, u64 now)
{
	unsigned int i;

	put_record(&row->record, name, snapshot, now);
	for (i = 0; i < snapshot->states; i++)
		row->usage[i] = name->entry->usage[i];
}

static void add_record(struct taskacct_uid_row *row,
		       const struct taskacct_uid_name *name,
		       const struct taskacct_uid_snapshot *snapshot, u64 now)
{
	struct taskacct_uid_record record;
	unsigned int i;

	put_record(&record, name, snapshot, now);
	row->record.tasks += record.tasks;
	row->record.ended += record.ended;
	row->record.first = min(row->record.first, record.first);
	row->record.last = max(row->record.last, record.last);
	for (i = 0; i < snapshot->states; i++)
		taskacct_uid_usage_add(&row->usage[i], &name->entry->usage[i]);
}

/* @fresh: it is the first of its number, and nothing is in the row. */
static void add_to_row(const struct taskacct_uid_snapshot *snapshot, void *row,
		       const struct taskacct_uid_name *name, u64 now, bool fresh)
{
	if (fresh && snapshot->kind != TASKACCT_UID_RECORDS)
		memset(row, 0, snapshot->size);
	raw_spin_lock(&name->entry->lock);
	switch (snapshot->kind) {
	case TASKACCT_UID_RECORDS:
		if (fresh)
			begin_row(row, name, snapshot, now);
		else
			add_record(row, name, snapshot, now);
		break;
	case TASKACCT_UID_IO:
		add_io_row(row, name, snapshot->with_lines);
		break;
	case TASKACCT_UID_TIMES:
		add_times(row, name);
		break;
	}
	raw_spin_unlock(&name->entry->lock);
}

/* As many are counted or put in order before others get the CPU; a power of two. */
#define SECTION	1024

/* Returns whether we were killed; looks for it when others have had the CPU */
static bool give_way(unsigned int done)
{
	if (done % SECTION != SECTION - 1)
		return false;
	cond_resched();
	return fatal_signal_pending(current);
}

static unsigned int byte_of(const struct taskacct_uid_name *name,
			    unsigned int shift)
{
	return name->uid >> shift & 0xff;
}

#define BYTES	sizeof(u32)

static void count_bytes(unsigned int (*start)[256],
			const struct taskacct_uid_name *names, unsigned int nr)
{
	unsigned int i, byte;

	memset(start, 0, BYTES * sizeof(*start));
	for (i = 0; i < nr; i++) {
#pragma GCC unroll 4
		for (byte = 0; byte < BYTES; byte++)
			start[byte][byte_of(&names[i], 8 * byte)]++;
		give_way(i);
	}
}

/*
 * Keeps the order of those that have the same byte. Returns false where all
 * have, and nothing was done.
 */
static bool sort_by_byte(struct taskacct_uid_name *to,
			 const struct taskacct_uid_name *from, unsigned int nr,
			 unsigned int *start, unsigned int shift)
{
	unsigned int i, n, sum = 0;

	if (start[byte_of(from, shift)] == nr)
		return false;
	for (i = 0; i < 256; i++) {
		n = start[i];
		start[i] = sum;
		sum += n;
	}
	for (i = 0; i < nr; i++) {
		to[start[byte_of(&from[i], shift)]++] = from[i];
		give_way(i);
	}
	return true;
}

/**
 * taskacct_uid_snapshot_sort() - put users in order
 * @names: users, or lines of their tasks
 * @nr: how many
 * @room: as much as is behind them, for twice as many
 *
 * Byte by byte, from the lowest one up: of thousands of users that takes a tenth
 * of what comparing them with each other does, as sort() would, which does not
 * give way either. Those of the same number stay in their order.
 *
 * Context: the only reader, may sleep.
 * Return: where they are in order.
 */
struct taskacct_uid_name *
taskacct_uid_snapshot_sort(struct taskacct_uid_name *names, unsigned int nr,
			   unsigned int room)
{
	struct taskacct_uid_name *from = names;
	struct taskacct_uid_name *to = from + room;
	/*
	 * Of each byte of a number, by its value: how many have it, and then where
	 * they go. The only reader's.
	 */
	static unsigned int start[BYTES][256];
	unsigned int byte;

	might_sleep();
	if (nr < 2)
		return from;
	count_bytes(start, names, nr);
	for (byte = 0; byte < BYTES; byte++)
		if (sort_by_byte(to, from, nr, start[byte], 8 * byte))
			swap(from, to);
	return from;
}

/**
 * taskacct_uid_snapshot_fill() - read what the users have used that were added
 * @snapshot: the users
 *
 * Names are put in order, and not rows, which are much larger.
 *
 * Context: the only reader; live tasks have been counted; may sleep.
 * Return: 0, or -EINTR if we were killed.
 */
int taskacct_uid_snapshot_fill(struct taskacct_uid_snapshot *snapshot)
{
	const struct taskacct_uid_name *name =
		taskacct_uid_snapshot_sort(snapshot->names, snapshot->nr_names, snapshot->room);
	const u64 now = ktime_get_boottime_ns();
	unsigned int i;
	bool fresh;

	snapshot->flags = READ_ONCE(taskacct_uid_sees_fsync) ? 0 : TASKACCT_UID_NO_FSYNC;
	snapshot->absent = taskacct_record_absent();
	for (i = 0; i < snapshot->nr_names; i++, name++) {
		/* Several may have the same number for the reader. */
		fresh = !i || name->uid != name[-1].uid;
		snapshot->nr += fresh;
		add_to_row(snapshot, taskacct_uid_snapshot_at(snapshot, snapshot->nr - 1), name,
			   now, fresh);
		if (give_way(i))
			return -EINTR;
	}
	kvfree(snapshot->names);
	snapshot->names = NULL;
	return 0;
}
