/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * taskacct: counters that are read at the speed of memory
 *
 * /dev/taskacct_counters is mapped, for reading only. It begins with a page
 * that has struct taskacct_counters_header. Behind it each CPU has pages of its
 * own that begin with struct taskacct_counters_cpu; its counters are signed
 * 64-bit values. The value of counter number n on CPU m is at byte
 *
 *	cpu_offset + m * cpu_stride + value_offset + n * value_stride
 *
 * of the map. No reader may assume any of these: the header has them.
 *
 * /dev/taskacct_names is text, a line for each counter that there is:
 *
 *	NUMBER NAME KIND UNIT
 *
 * A name may be a path. A counter's number is the same on every CPU and, for its name, does not
 * change until the module is loaded anew. poll() on the open file tells POLLIN
 * when there are other counters than those that it has read.
 *
 * How to read
 * ===========
 *
 * gen1 and gen2 are equal unless the set of counters is being changed. Nothing
 * ever moves: a map stays good, and a counter stays where it is; but of what has
 * been read while the set changed nothing is known.
 *
 * 1. Map the first page, copy struct taskacct_counters_least, and look whether
 *    compatible is no larger than the version that the reader was written for.
 *    Every version has this much.
 *
 * 2. Learn the counters:
 *
 *	do {
 *		while ((gen = load(gen1)) != load(gen2))
 *			wait a moment;
 *		read barrier;			(pairs with W2)
 *		copy the header, read the names;
 *		read barrier;			(pairs with W1)
 *	} while (load(gen1) != gen || load(gen2) != gen);
 *
 *    and map what the header says, or that part of it that is wanted. Only the
 *    first cpu_pages pages of each CPU are there: behind them is SIGBUS.
 *
 * 3. Read one value, or several of one CPU that belong together:
 *
 *	do {
 *		n = load(updates);
 *		read barrier;			(pairs with U1)
 *		while (load(updating) != 0)
 *			;
 *		read barrier;			(pairs with U2)
 *		copy the values;
 *		read barrier;			(pairs with U1)
 *		busy = load(updating);
 *		read barrier;			(pairs with U2)
 *	} while (busy != 0 || load(updates) != n);
 *	read barrier;				(pairs with W1)
 *	if (load(gen1) != gen)
 *		drop the values, go to 2;
 *
 * It ends when no update is in progress and none has been since it began: by
 * then the values are stable. A reader gives up after a second or so: kernel code
 * that began an update and never ended it would keep it there for ever. The
 * published description of this interface has the test of its loop the wrong way
 * round; this is what its words say.
 *
 * Where 64 bits can be loaded at once, updates and updating may be: the loads
 * that follow one another are one then, and so is the test at the end, that
 * neither has changed.
 *
 * A load is one that is done once and whole: of 32 bits on any machine. A value
 * has 64 bits and may be read in two halves: the loop makes sure of it.
 *
 * How it is written
 * =================
 *
 * An update, by that CPU alone; interrupts may bring another one in the midst:
 *
 *	updating++;
 *	write barrier;		U1: who sees what follows sees it in progress
 *	value += delta;		for each value
 *	updates++;
 *	write barrier;		U2: who sees it end sees what it did
 *	updating--;
 *	write barrier;
 *
 * A counter comes or goes, under a lock:
 *
 *	gen1++;
 *	write barrier;		W1: who sees a change sees gen1
 *	change the header, the names, values that begin at 0;
 *	write barrier;		W2: who sees gen2 sees the change
 *	gen2++;
 *	write barrier;
 */
#ifndef _UAPI_LINUX_TASKACCT_COUNTERS_H
#define _UAPI_LINUX_TASKACCT_COUNTERS_H

#include <linux/types.h>

#define TASKACCT_COUNTERS_DEVICE	"/dev/taskacct_counters"
#define TASKACCT_NAMES_DEVICE		"/dev/taskacct_names"

#define TASKACCT_COUNTERS_VERSION	1

/* Longest name, with the NUL behind it; of printable ASCII without spaces */
#define TASKACCT_COUNTER_NAME_LEN	256

/**
 * struct taskacct_counters_least - what every version begins with
 * @version: TASKACCT_COUNTERS_VERSION of the module
 * @compatible: the oldest version whose readers can read this one: members are
 *	added at the end as long as this stays
 * @gen1: goes up before the set of counters changes
 * @gen2: goes up after it has changed
 * @header_size: of struct taskacct_counters_header, in bytes
 */
struct taskacct_counters_least {
	__u32 version;
	__u32 compatible;
	__u32 gen1;
	__u32 gen2;
	__u32 header_size;
};

/**
 * struct taskacct_counters_header - the start of the map
 * @version: as in struct taskacct_counters_least
 * @compatible: likewise
 * @gen1: likewise
 * @gen2: likewise
 * @header_size: likewise
 * @page_size: of the kernel, in bytes
 * @cpus: CPUs that have pages: numbers 0 to @cpus - 1
 * @instances: counters that have been added so far: numbers 0 to @instances - 1
 * @cpu_pages: pages that each CPU has now
 * @cpu_pages_max: pages that it may ever have
 * @value_offset: from the start of a CPU's pages to its counter number 0
 * @value_stride: from a counter to the next one
 * @cpu_offset: from the start of the map to the pages of CPU 0, in bytes
 * @cpu_stride: from a CPU's pages to those of the next one
 * @map_size: of the whole map
 */
struct taskacct_counters_header {
	__u32 version;
	__u32 compatible;
	__u32 gen1;
	__u32 gen2;
	__u32 header_size;
	__u32 page_size;
	__u32 cpus;
	__u32 instances;
	__u32 cpu_pages;
	__u32 cpu_pages_max;
	__u32 value_offset;
	__u32 value_stride;
	__u64 cpu_offset;
	__u64 cpu_stride;
	__u64 map_size;
};

/**
 * struct taskacct_counters_cpu - the start of a CPU's pages
 * @updating: updates of this CPU's counters that are in progress
 * @updates: updates that came to an end; interrupted ones may count once
 */
struct taskacct_counters_cpu {
	__u32 updating;
	__u32 updates;
};

#endif /* _UAPI_LINUX_TASKACCT_COUNTERS_H */
