/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * taskacct: exits that are read from shared memory
 *
 * /dev/taskacct_exits is mapped, for reading only. The map begins with struct
 * taskacct_ring_header. Behind it each possible CPU has a ring: a page with struct
 * taskacct_ring_lane for each lane, and the bytes of each lane. No reader may assume
 * where any of these are: the header has it. Of ring number r and lane number l
 *
 *	ring_offset + r * ring_stride + l * lane_stride		struct taskacct_ring_lane
 *	ring_offset + r * ring_stride + data_offset[l]		the lane's bytes
 *
 * are that far from the start of the map. There are two lanes: TASKACCT_RING_PROCESSES has an
 * entry for each process that ended, TASKACCT_RING_THREADS one for each other thread. So
 * threads cannot push out processes.
 *
 * Entries
 * =======
 *
 * A position counts the bytes that a lane was ever given; the byte at a position is at
 * position % data_size[l] of the lane's bytes. An entry begins with struct
 * taskacct_ring_entry, and netlink attributes follow it up to its length: those of
 * TASKACCT_CMD_EXIT as <linux/taskacct.h> has them. Pass over types that are not known. An
 * entry is never split between the end of a lane's bytes and their start: where fewer than
 * entry_size bytes are left up to the end, or an entry has number 0, the next one begins at
 * the start of the lane's bytes.
 *
 * How it is written
 * =================
 *
 * By the CPU whose ring it is, with preemption off. The newest entries overwrite the
 * oldest:
 *
 *	begin = position of the oldest entry that stays;
 *	begun = number of the new entry;
 *	write barrier;			W1: who sees a new byte sees begin
 *	write the entry;
 *	store release end;		W2: who sees end sees the entry
 *	store release made = begun;	W3: who sees made sees end
 *
 * An exit of which no entry could be made has a number all the same.
 *
 * How it is read
 * ==============
 *
 * 1. Map the first page. Look whether compatible is no larger than the version that the
 *    reader was written for, and map map_size bytes.
 *
 * 2. Find the present end of a lane, and the number that the entry there will have:
 *
 *	do {
 *		number = load acquire made;	(pairs with W3)
 *		position = load acquire end;	(pairs with W2)
 *	} while (load begun != number);
 *	number++;
 *
 *    or, to begin with the oldest entry, position = load begin. What its number is stands
 *    in it.
 *
 * 3. Read an entry:
 *
 *	if (load acquire end == position)	(pairs with W2)
 *		there is none;
 *	copy the entry at position;
 *	read barrier;				(pairs with W1)
 *	if (load begin > position)
 *		it was overwritten: position = begin, go to 3;
 *	position += length;
 *
 *    What has been copied is looked at only when it is certain that it was not overwritten
 *    meanwhile; this goes for its length, too.
 *
 * 4. Entries were lost to the reader where the number is not the one that follows the
 *    last: as many as are missing.
 *
 * begin, begun, end and made are loaded at once, all of their 64 bits. They begin anew, as
 * does all of a ring, when nobody has the device open any more.
 *
 * How to wait
 * ===========
 *
 * poll() says POLLIN as soon as the sum of made over all lanes of all rings has reached
 * what TASKACCT_RING_WAKE has set; its time limit is the reader's own.
 */
#ifndef _UAPI_LINUX_TASKACCT_RING_H
#define _UAPI_LINUX_TASKACCT_RING_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TASKACCT_RING_DEVICE	"/dev/taskacct_exits"

#define TASKACCT_RING_VERSION	1

/* Numbers of the lanes of a ring */
#define TASKACCT_RING_PROCESSES	0
#define TASKACCT_RING_THREADS	1
#define TASKACCT_RING_LANES	2

/* Bytes of a lane, on one CPU: a power of two that is no smaller than this */
#define TASKACCT_RING_SIZE_MIN	32768
/* Bytes of the map */
#define TASKACCT_RING_MAP_MAX	0x40000000ULL

/**
 * struct taskacct_ring_header - the start of the map
 * @version: TASKACCT_RING_VERSION of the module
 * @compatible: the oldest version whose readers can read this one: members are
 *	added at the end as long as this stays
 * @header_size: of this struct, in bytes
 * @entry_size: of struct taskacct_ring_entry, in bytes
 * @rings: rings that there are: numbers 0 to @rings - 1
 * @lanes: lanes of each ring
 * @want: what entries have beside records, see TASKACCT_RING_WANT: all that any reader
 *	has asked for. May change at any time
 * @reserved: 0
 * @ring_offset: from the start of the map to ring 0, in bytes
 * @ring_stride: from a ring to the next one
 * @lane_stride: from a struct taskacct_ring_lane to that of the next lane
 * @data_offset: from the start of a ring to the bytes of each lane
 * @data_size: how many these are
 * @map_size: of the whole map
 */
struct taskacct_ring_header {
	__u32 version;
	__u32 compatible;
	__u32 header_size;
	__u32 entry_size;
	__u32 rings;
	__u32 lanes;
	__u32 want;
	__u32 reserved;
	__u64 ring_offset;
	__u64 ring_stride;
	__u64 lane_stride;
	__u64 data_offset[TASKACCT_RING_LANES];
	__u64 data_size[TASKACCT_RING_LANES];
	__u64 map_size;
};

/**
 * struct taskacct_ring_lane - what is where in a lane
 * @begin: position of the oldest entry that is not being overwritten
 * @begun: number of the entry that was begun last
 * @end: position behind the newest entry
 * @made: number of the entry that was made last: how many there have been
 * @reserved: 0
 */
struct taskacct_ring_lane {
	__u64 begin;
	__u64 begun;
	__u64 end;
	__u64 made;
	__u64 reserved[4];
};

/**
 * struct taskacct_ring_entry - the start of an entry
 * @length: of the entry and its attributes, in bytes: a multiple of 8
 * @cpu: where the task ended
 * @number: of the entry in its lane, from 1 on; 0: it only fills up the lane's bytes
 * @time: when the task ended, in ns since boot; no less than that of the entry before it
 */
struct taskacct_ring_entry {
	__u32 length;
	__u32 cpu;
	__u64 number;
	__u64 time;
};

/*
 * Beside TASKACCT_WANT_EXE_PATH, _CGROUP_PATH and _CMDLINE: what was waited for; and what a
 * task has at its exit only: its parent, its pid namespace, its memory and its executable.
 * Records are as long without it, and say that the values are gone.
 */
#define TASKACCT_RING_WAITS	0x40
#define TASKACCT_RING_MEMORY	0x80

/**
 * struct taskacct_ring_sizes - how large the lanes of each CPU are
 * @size: of each lane, in bytes
 */
struct taskacct_ring_sizes {
	__u64 size[TASKACCT_RING_LANES];
};

/*
 * What this reader asks for: TASKACCT_RING_WAITS, TASKACCT_RING_MEMORY, TASKACCT_WANT_EXE_PATH,
 * TASKACCT_WANT_CGROUP_PATH, TASKACCT_WANT_CMDLINE. Entries of exits that begin after it
 * have it, until the reader closes the device or asks for something else.
 */
#define TASKACCT_RING_WANT	_IOW('t', 0xe0, __u32)

/*
 * Makes the lanes of another size: for who has CAP_SYS_RESOURCE, before he maps them, and
 * while nobody else has the device open; else EBUSY. Entries that are there stay, with their
 * numbers, and the oldest go where a lane has no room for all. Positions begin anew.
 */
#define TASKACCT_RING_SIZE	_IOW('t', 0xe1, struct taskacct_ring_sizes)

/* The sum of taskacct_ring_lane.made at which poll() says POLLIN to this reader */
#define TASKACCT_RING_WAKE	_IOW('t', 0xe2, __u64)

#endif /* _UAPI_LINUX_TASKACCT_RING_H */
