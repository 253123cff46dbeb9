/* SPDX-License-Identifier: GPL-2.0-only */
/* What was made, kept and lost while a segment of a record was written */
#ifndef TASKACCT_CMD_BALANCE_H
#define TASKACCT_CMD_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a balance as text, and of the kernel's name for a boot */
#define BALANCE_MAX 1014
#define BALANCE_BOOT 37

/**
 * enum balance_loss - why messages are in no segment
 * @LOST_QUEUE: there was no room in the socket's receive buffer
 * @LOST_MEMORY: the kernel had no memory
 * @LOST_RING: they were overwritten in the shared memory before they were read
 * @LOST_UNREAD: they were made, and never came
 * @LOST_DISK: they could not be written
 * @LOST_GONE: they were written, and somebody removed the segment that was open
 * @LOSSES: how many reasons there are
 */
enum balance_loss {
	LOST_QUEUE,
	LOST_MEMORY,
	LOST_RING,
	LOST_UNREAD,
	LOST_DISK,
	LOST_GONE,
	LOSSES,
};

/**
 * enum balance_source - where messages come from
 * @BALANCE_NONE: from nowhere, up to now
 * @BALANCE_NETLINK: the module's family sent them to a listener
 * @BALANCE_RING: the module's shared memory
 * @BALANCE_SOURCES: how many there are
 */
enum balance_source {
	BALANCE_NONE,
	BALANCE_NETLINK,
	BALANCE_RING,
	BALANCE_SOURCES,
};

/**
 * enum balance_why - why nothing was recorded for a time, and why a segment ends
 * @WHY_NONE: there was no such time; a segment that goes on
 * @WHY_STOPPED: the recorder was ended and, later, started
 * @WHY_CRASHED: the recorder ended without closing its segment
 * @WHY_MODULE: the module was not loaded
 * @WHY_SIZE: a segment was as large as it may be
 * @WHY_HOUR: an hour was over
 * @WHY_ROTATED: it was asked for
 * @WHY_CLOCK: the clock was set
 * @WHYS: how many there are
 */
enum balance_why {
	WHY_NONE,
	WHY_STOPPED,
	WHY_CRASHED,
	WHY_MODULE,
	WHY_SIZE,
	WHY_HOUR,
	WHY_ROTATED,
	WHY_CLOCK,
	WHYS,
};

/**
 * struct balance - what became of the messages of a time
 * @segment: number of the segment
 * @boot: the kernel's name for this boot
 * @source: where its messages come from, the last ones where that changed
 * @from_ns: when it begins, nanoseconds since 1970: where the one before ends
 * @to_ns: when it ends
 * @first_ns: the earliest end of a task that is in the segment, 0 for none
 * @last_ns: the latest one
 * @made: messages made by the module
 * @kept: of these, in the segment
 * @totals: of these, in the segment as totals by cgroup, user and command only
 * @lost: of these, lost, by reason
 * @waiting: of these, still on their way at the end, less those at the beginning
 * @away: why nothing was recorded for a part of that time, or WHY_NONE
 * @away_from_ns: since when
 * @away_to_ns: until when
 * @clock_ns: by how much the clock was set; less than 0: back
 * @removed: segments that were removed to keep within bounds
 * @removed_bytes: their size
 * @removed_records: messages that they had, as far as that is known
 * @closed: why the segment ends
 */
struct balance {
	uint64_t segment;
	char boot[BALANCE_BOOT];
	enum balance_source source;
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t made;
	uint64_t kept;
	uint64_t totals;
	uint64_t lost[LOSSES];
	int64_t waiting;
	enum balance_why away;
	uint64_t away_from_ns;
	uint64_t away_to_ns;
	int64_t clock_ns;
	uint64_t removed;
	uint64_t removed_bytes;
	uint64_t removed_records;
	enum balance_why closed;
};

/**
 * balance_print() - write a balance as an object of JSON
 * @text: where to, %BALANCE_MAX
 * @b: balance
 */
void balance_print(char *text, const struct balance *b);

/**
 * balance_parse() - read a balance
 * @b: filled in
 * @text: what may be one
 * @length: its bytes
 *
 * Return: true if it is one.
 */
bool balance_parse(struct balance *b, const char *text, size_t length);

/**
 * balance_away() - note that nothing was recorded for a time
 * @b: balance
 * @why: why
 * @from_ns: since when
 * @to_ns: until when
 *
 * Several such times in one balance become one, from the first to the last.
 */
void balance_away(struct balance *b, enum balance_why why, uint64_t from_ns,
		  uint64_t to_ns);

/**
 * balance_lost() - what is lost in all
 * @b: balance
 *
 * Return: messages.
 */
uint64_t balance_lost(const struct balance *b);

#endif /* TASKACCT_CMD_BALANCE_H */
