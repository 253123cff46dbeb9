/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * DOC: libtaskacct - the protocol of taskacct and of the kernel's own taskstats
 *
 * Nothing here prints or exits. Calls return 0 or more, or a negative errno. Where a call
 * takes a handle, taskacct_error() then has the failure in words; for the others
 * taskacct_strerror() has.
 *
 * Threads: a handle is used by one thread at a time, and any number of handles at the same
 * time by as many threads. A handle's functions that are called back may not use that
 * handle. Calls without a handle, such as those that decode, can be made from any thread at
 * any time; they write only where their caller says. Of counters, any number of threads may
 * read from one handle at once, while none is in taskacct_counters_refresh() or
 * taskacct_counters_close(). No call may be made from a signal handler. The child of a
 * process that forks may close a handle, and use none.
 *
 * Compatibility: what a program was compiled with goes on working with every later
 * libtaskacct.so.1. Calls are added and none is removed; the sizes of structs and the places
 * of their members stay, as do the numbers of enumerators. Structs that this library or the
 * module may have more of one day have room for it, which is not to be read or written:
 * members named reserved, and unions with a member named room. A struct that the
 * library only ever hands out by a pointer may become longer.
 *
 * The reading and writing of logs is in a library of its own, libtaskacct-log, so that
 * who does without needs no libpcap.
 */
#ifndef TASKACCT_H
#define TASKACCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/taskacct.h>
#include <linux/taskacct_counters.h>
#include <linux/taskacct_ring.h>
#include <linux/taskacct_values.h>

struct nlmsghdr;

#ifdef __cplusplus
extern "C" {
#endif

/* All else of the library is hidden. */
#pragma GCC visibility push(default)

/**
 * DOC: taskacct_version - the library itself
 */

/**
 * taskacct_version() - the version of the library that is in use
 *
 * Return: such as "0.1"; constant.
 */
const char *taskacct_version(void);

/**
 * taskacct_strerror() - what the errno of a call without a handle means
 * @err: what it returned, a negative errno
 *
 * Return: words, which are constant and those of no language but English; never NULL.
 */
const char *taskacct_strerror(int err);

/**
 * DOC: taskacct_decode - take messages of taskstats apart
 */

/*
 * enum taskacct_field - every value that any version of struct taskstats has
 *
 * Named as the members of the struct are. New ones are added before TASKACCT_FIELDS, and
 * only there.
 */
enum taskacct_field {
	TASKACCT_F_VERSION,
	TASKACCT_F_EXITCODE,
	TASKACCT_F_FLAG,
	TASKACCT_F_NICE,
	TASKACCT_F_CPU_COUNT,
	TASKACCT_F_CPU_TOTAL,
	TASKACCT_F_BLKIO_COUNT,
	TASKACCT_F_BLKIO_TOTAL,
	TASKACCT_F_SWAPIN_COUNT,
	TASKACCT_F_SWAPIN_TOTAL,
	TASKACCT_F_RUN_REAL,
	TASKACCT_F_RUN_VIRTUAL,
	TASKACCT_F_COMM,
	TASKACCT_F_SCHED,
	TASKACCT_F_UID,
	TASKACCT_F_GID,
	TASKACCT_F_PID,
	TASKACCT_F_PPID,
	TASKACCT_F_BTIME,
	TASKACCT_F_ETIME,
	TASKACCT_F_UTIME,
	TASKACCT_F_STIME,
	TASKACCT_F_MINFLT,
	TASKACCT_F_MAJFLT,
	TASKACCT_F_COREMEM,
	TASKACCT_F_VIRTMEM,
	TASKACCT_F_HIWATER_RSS,
	TASKACCT_F_HIWATER_VM,
	TASKACCT_F_READ_CHAR,
	TASKACCT_F_WRITE_CHAR,
	TASKACCT_F_READ_SYSCALLS,
	TASKACCT_F_WRITE_SYSCALLS,
	TASKACCT_F_READ_BYTES,
	TASKACCT_F_WRITE_BYTES,
	TASKACCT_F_CANCELLED_WRITE_BYTES,
	TASKACCT_F_NVCSW,
	TASKACCT_F_NIVCSW,
	TASKACCT_F_UTIMESCALED,
	TASKACCT_F_STIMESCALED,
	TASKACCT_F_RUN_SCALED,
	TASKACCT_F_FREEPAGES_COUNT,
	TASKACCT_F_FREEPAGES_TOTAL,
	TASKACCT_F_THRASHING_COUNT,
	TASKACCT_F_THRASHING_TOTAL,
	TASKACCT_F_BTIME64,
	TASKACCT_F_COMPACT_COUNT,
	TASKACCT_F_COMPACT_TOTAL,
	TASKACCT_F_TGID,
	TASKACCT_F_TGETIME,
	TASKACCT_F_EXE_DEV,
	TASKACCT_F_EXE_INODE,
	TASKACCT_F_WPCOPY_COUNT,
	TASKACCT_F_WPCOPY_TOTAL,
	TASKACCT_F_IRQ_COUNT,
	TASKACCT_F_IRQ_TOTAL,
	TASKACCT_F_CPU_MAX,
	TASKACCT_F_CPU_MIN,
	TASKACCT_F_BLKIO_MAX,
	TASKACCT_F_BLKIO_MIN,
	TASKACCT_F_SWAPIN_MAX,
	TASKACCT_F_SWAPIN_MIN,
	TASKACCT_F_FREEPAGES_MAX,
	TASKACCT_F_FREEPAGES_MIN,
	TASKACCT_F_THRASHING_MAX,
	TASKACCT_F_THRASHING_MIN,
	TASKACCT_F_COMPACT_MAX,
	TASKACCT_F_COMPACT_MIN,
	TASKACCT_F_WPCOPY_MAX,
	TASKACCT_F_WPCOPY_MIN,
	TASKACCT_F_IRQ_MAX,
	TASKACCT_F_IRQ_MIN,
	TASKACCT_F_CPU_MAX_TS,
	TASKACCT_F_BLKIO_MAX_TS,
	TASKACCT_F_SWAPIN_MAX_TS,
	TASKACCT_F_FREEPAGES_MAX_TS,
	TASKACCT_F_THRASHING_MAX_TS,
	TASKACCT_F_COMPACT_MAX_TS,
	TASKACCT_F_WPCOPY_MAX_TS,
	TASKACCT_F_IRQ_MAX_TS,
	TASKACCT_FIELDS,
};

/**
 * enum taskacct_unit - what a field's value is
 * @TASKACCT_UNIT_NUMBER: a code or a name: pid, uid, flags, inode
 * @TASKACCT_UNIT_SIGNED: a code that can be negative: nice
 * @TASKACCT_UNIT_COUNT: how many
 * @TASKACCT_UNIT_NS: a duration in nanoseconds
 * @TASKACCT_UNIT_US: a duration in microseconds
 * @TASKACCT_UNIT_EPOCH: seconds since 1970
 * @TASKACCT_UNIT_EPOCH_NS: nanoseconds since 1970
 * @TASKACCT_UNIT_BYTES: bytes
 * @TASKACCT_UNIT_KIB: units of 1,024 bytes
 * @TASKACCT_UNIT_MIB_US: MiB held, times microseconds that it was held
 * @TASKACCT_UNIT_KIB_US: KiB held, times microseconds that it was held
 * @TASKACCT_UNIT_BOOT_NS: nanoseconds since the machine was started
 * @TASKACCT_UNIT_TEXT: a string; it is in &struct taskacct_stats.comm
 */
enum taskacct_unit {
	TASKACCT_UNIT_NUMBER,
	TASKACCT_UNIT_SIGNED,
	TASKACCT_UNIT_COUNT,
	TASKACCT_UNIT_NS,
	TASKACCT_UNIT_US,
	TASKACCT_UNIT_EPOCH,
	TASKACCT_UNIT_EPOCH_NS,
	TASKACCT_UNIT_BYTES,
	TASKACCT_UNIT_KIB,
	TASKACCT_UNIT_MIB_US,
	TASKACCT_UNIT_KIB_US,
	TASKACCT_UNIT_BOOT_NS,
	TASKACCT_UNIT_TEXT,
};

/**
 * struct taskacct_field_info - what is known of a field
 * @name: the struct member's name, as in <linux/taskstats.h>
 * @unit: what its value is
 * @since: first version of the struct that has it
 */
struct taskacct_field_info {
	const char *name;
	enum taskacct_unit unit;
	unsigned int since;
};

/**
 * taskacct_field_info() - look up a field
 * @field: which
 *
 * Return: its description, which is constant, or NULL for one that this library does not
 * know.
 */
const struct taskacct_field_info *
taskacct_field_info(enum taskacct_field field);

/* Room in a struct for fields to come */
#define TASKACCT_FIELDS_ROOM 128

/**
 * struct taskacct_stats - a struct taskstats of any version, decoded
 * @length: bytes that the record had
 * @valid: a bit per &enum taskacct_field: set where the record has the field;
 *	use taskacct_has()
 * @v: values by &enum taskacct_field; 0 where not valid
 * @comm: the command's name, always terminated; any bytes but NUL
 */
struct taskacct_stats {
	size_t length;
	uint64_t valid[TASKACCT_FIELDS_ROOM / 64];
	uint64_t v[TASKACCT_FIELDS_ROOM];
	char comm[33];
};

/**
 * taskacct_has() - whether a record has a field
 * @stats: the record
 * @field: the field
 *
 * Return: true if &struct taskacct_stats.v has a value that was in the record.
 */
static inline bool taskacct_has(const struct taskacct_stats *stats,
				enum taskacct_field field)
{
	return stats->valid[field / 64] >> (field % 64) & 1;
}

/**
 * taskacct_decode() - decode a struct taskstats
 * @stats: where to
 * @data: the struct as the kernel sent it, at any alignment
 * @length: its length
 *
 * By its version and its length: a record longer than any that is known is
 * decoded as far as it is known, and a shorter one as far as it goes.
 *
 * Return: 0, or -EBADMSG where there is not even a version.
 */
int taskacct_decode(struct taskacct_stats *stats, const void *data,
		    size_t length);

/**
 * enum taskacct_kind - whose record
 * @TASKACCT_PID: one task's
 * @TASKACCT_TGID: a process's, its threads' taken together
 */
enum taskacct_kind {
	TASKACCT_PID,
	TASKACCT_TGID,
};

/**
 * struct taskacct_classic - one of a message's records as taskstats has them
 * @kind: task's or process's
 * @id: its number, as the message has it
 * @last: it is the last task of its process. The kernel's own records say so
 *	from version 12 of the struct on; before that, where the message has a
 *	process record
 * @paired: the same message has the other kind too
 * @stats: values
 * @reserved: room
 */
struct taskacct_classic {
	enum taskacct_kind kind;
	uint32_t id;
	bool last;
	bool paired;
	struct taskacct_stats stats;
	uint64_t reserved[4];
};

/* An exit message has at most one record of each kind. */
#define TASKACCT_RECORDS_MAX 2

/**
 * taskacct_records() - decode the classic records of a message
 * @nlh: the message, complete, of a taskstats family
 * @records: where to
 *
 * Return: how many there were, 0 for a message without any, or -EBADMSG for
 * one that is damaged.
 */
int taskacct_records(const struct nlmsghdr *nlh,
		     struct taskacct_classic records[TASKACCT_RECORDS_MAX]);

/*
 * enum taskacct_member - every value of struct taskacct_record, and of waits
 *
 * The rows of <linux/taskacct_values.h> have their names and numbers, and what each is. The
 * value of row UTIME, which is the member utime of the struct, is TASKACCT_R_UTIME. Of waits
 * for a CPU, count is TASKACCT_R_WAIT_CPU_COUNT, and total, max and min follow it:
 * TASKACCT_R_WAIT_CPU_TOTAL, TASKACCT_R_WAIT_CPU_MAX and TASKACCT_R_WAIT_CPU_MIN.
 * TASKACCT_MEMBERS is how many there are.
 */
#define TASKACCT_MEMBER(number, NAME, ...) TASKACCT_R_##NAME = number,
#define TASKACCT_MEMBERS_OF_WAIT(number, KIND, ...) \
	TASKACCT_R_WAIT_##KIND##_COUNT = number,    \
	TASKACCT_R_WAIT_##KIND##_TOTAL,             \
	TASKACCT_R_WAIT_##KIND##_MAX,               \
	TASKACCT_R_WAIT_##KIND##_MIN,

/* clang-format off */
enum taskacct_member {
	TASKACCT_SINGLES(TASKACCT_MEMBER)
	TASKACCT_SUMS(TASKACCT_MEMBER)
	TASKACCT_EACH_WAIT(TASKACCT_MEMBERS_OF_WAIT)
	TASKACCT_MEMBERS = TASKACCT_NEXT_NUMBER,
};

/* clang-format on */

#undef TASKACCT_MEMBER
#undef TASKACCT_MEMBERS_OF_WAIT

/**
 * struct taskacct_member_info - what is known of a value
 * @name: the member's name; of waits such as "wait_cpu_count"
 * @unit: what its value is
 * @groups: a bit for each of &enum taskacct_values_bit that has to be valid
 *	for it to be; 0 for what always is
 */
struct taskacct_member_info {
	const char *name;
	enum taskacct_unit unit;
	uint64_t groups;
};

/**
 * taskacct_member_info() - look up a value
 * @member: which
 *
 * Return: its description, which is constant, or NULL for one that this library does not
 * know.
 */
const struct taskacct_member_info *
taskacct_member_info(enum taskacct_member member);

/**
 * taskacct_group_name() - what a group of values is called
 * @bit: of &enum taskacct_values_bit
 *
 * Return: its name in small letters, such as "blkio", or NULL for a bit that
 * this library does not know.
 */
const char *taskacct_group_name(unsigned int bit);

/* Room in a struct for a longer record, and for kinds of waits to come */
#define TASKACCT_RECORD_ROOM 80
#define TASKACCT_WAITS_ROOM 12

/**
 * struct taskacct_extended - an extended record, decoded
 * @length: bytes that it had
 * @r: the record; what its sender's version of the struct does not have is 0,
 *	and @r.comm ends with a NUL
 * @room: room
 * @wait_length: bytes that the message has of the waits of each kind
 * @wait: what was waited for, by &enum taskacct_wait_kind; what is not there is 0
 */
struct taskacct_extended {
	size_t length;
	union {
		struct taskacct_record r;
		uint64_t room[TASKACCT_RECORD_ROOM];
	};
	size_t wait_length[TASKACCT_WAITS_ROOM];
	struct taskacct_wait wait[TASKACCT_WAITS_ROOM];
};

/**
 * enum taskacct_validity - whether a value can be relied on, and if not, why
 * @TASKACCT_VALID: it is right
 * @TASKACCT_ABSENT: the kernel, or the sender's version of the struct, does
 *	not have it
 * @TASKACCT_OFF: its accounting was switched off
 * @TASKACCT_LATE: its accounting began after the task; what is known is there
 * @TASKACCT_GONE: it could not be had any more, or not yet
 */
enum taskacct_validity {
	TASKACCT_VALID,
	TASKACCT_ABSENT,
	TASKACCT_OFF,
	TASKACCT_LATE,
	TASKACCT_GONE,
};

/**
 * taskacct_validity() - whether a value can be relied on
 * @record: the record
 * @member: which value
 *
 * Return: %TASKACCT_VALID or the reason why not.
 */
enum taskacct_validity taskacct_validity(const struct taskacct_extended *record,
					 enum taskacct_member member);

/**
 * taskacct_value() - a value of a record
 * @record: the record
 * @member: which value
 *
 * Return: the value, as it is in the record, valid or not; signed ones
 * extended to 64 bits; 0 for %TASKACCT_R_COMM.
 */
uint64_t taskacct_value(const struct taskacct_extended *record,
			enum taskacct_member member);

/**
 * taskacct_decode_record() - decode a struct taskacct_record
 * @record: where to
 * @data: the struct as the kernel sent it, at any alignment
 * @length: its length
 *
 * A struct longer than the one that is known is decoded as far as it is known,
 * a shorter one as far as it goes.
 *
 * Its waits are zeroed: taskacct_decode_waits() has them.
 *
 * Return: 0, or -EBADMSG for what is of no known kind, or of a version that this library
 * does not know any more.
 */
int taskacct_decode_record(struct taskacct_extended *record, const void *data,
			   size_t length);

/**
 * taskacct_decode_waits() - decode the waits of a record
 * @record: the record, decoded
 * @data: the value of the attribute %TASKACCT_TYPE_WAITS that followed it
 * @length: its length
 *
 * Kinds that are not known are passed over; those that are not there are absent.
 *
 * Return: 0, or -EBADMSG for what is damaged.
 */
int taskacct_decode_waits(struct taskacct_extended *record, const void *data,
			  size_t length);

/**
 * struct taskacct_name - a text of a message, where it lies
 * @text: its bytes, with no NUL behind them, or NULL where there is none
 * @length: how many
 */
struct taskacct_name {
	const char *text;
	size_t length;
};

/* Room in a struct for a longer struct taskacct_stream */
#define TASKACCT_STREAM_ROOM 12

/**
 * struct taskacct_message - all that a message can have, decoded
 * @classic: records as taskstats has them
 * @n_classic: how many
 * @records: extended records
 * @n_records: how many
 * @has_stream: @stream is there
 * @stream: how the listener fared
 * @room: room
 * @exe: path of the executable
 * @cgroup: path of the cgroup v2
 * @cmdline: arguments, each ended by NUL
 * @reserved: room
 *
 * Names point into the message.
 */
struct taskacct_message {
	struct taskacct_classic classic[TASKACCT_RECORDS_MAX];
	int n_classic;
	struct taskacct_extended records[TASKACCT_RECORDS_MAX];
	int n_records;
	bool has_stream;
	union {
		struct taskacct_stream stream;
		uint64_t room[TASKACCT_STREAM_ROOM];
	};
	struct taskacct_name exe;
	struct taskacct_name cgroup;
	struct taskacct_name cmdline;
	uint64_t reserved[8];
};

/**
 * taskacct_decode_message() - decode an exit message, or an answer
 * @message: where to
 * @nlh: the message, complete, of a taskstats family
 *
 * Return: 0, with nothing in @message where there was nothing that is known,
 * or -EBADMSG for one that is damaged.
 */
int taskacct_decode_message(struct taskacct_message *message,
			    const struct nlmsghdr *nlh);

/**
 * struct taskacct_gap - what a listener was told that it lost
 * @queue: messages lost since the last such telling, for want of room
 * @memory: for want of memory
 * @cpus: where they came from, a list of CPUs
 * @since_ns: when the first was lost, in ns since boot
 * @stream: how the listener had fared by then
 * @room: room
 * @reserved: room
 */
struct taskacct_gap {
	uint64_t queue;
	uint64_t memory;
	struct taskacct_name cpus;
	uint64_t since_ns;
	union {
		struct taskacct_stream stream;
		uint64_t room[TASKACCT_STREAM_ROOM];
	};
	uint64_t reserved[4];
};

/**
 * taskacct_decode_gap() - decode a gap message
 * @gap: where to
 * @nlh: the message
 *
 * Return: 0, or -EBADMSG for one that is damaged.
 */
int taskacct_decode_gap(struct taskacct_gap *gap, const struct nlmsghdr *nlh);

/**
 * struct taskacct_filter - which tasks are meant; all conditions together
 * @has: a bit for each of &enum taskacct_filter_attr that is a condition, such
 *	as 1 << TASKACCT_FILTER_ATTR_FAILED
 * @kinds: TASKACCT_KIND_TASK, TASKACCT_KIND_PROCESS
 * @uid_min: real user id of at least so much
 * @uid_max: and of at most so much
 * @cgroup_id: in this cgroup v2 or below
 * @cgroup_fd: the same, by an open directory
 * @min_lifetime: lived for at least so many ns
 * @min_cpu_time: used at least so many ns
 * @one_in: one in so many
 * @reserved: room
 */
struct taskacct_filter {
	uint32_t has;
	uint32_t kinds;
	uint32_t uid_min;
	uint32_t uid_max;
	uint64_t cgroup_id;
	int cgroup_fd;
	uint64_t min_lifetime;
	uint64_t min_cpu_time;
	uint32_t one_in;
	uint64_t reserved[8];
};

/**
 * DOC: taskacct_open - a socket, and what came through it
 */

/* A socket and the family that it talks to */
struct taskacct;

/**
 * enum taskacct_event_type - what came
 * @TASKACCT_EVENT_RECORDS: records: an exit message, an answer
 * @TASKACCT_EVENT_GAP: that records were lost
 */
enum taskacct_event_type {
	TASKACCT_EVENT_RECORDS,
	TASKACCT_EVENT_GAP,
};

/**
 * struct taskacct_event - a message as received
 * @type: what it is
 * @nlh: the message; taskacct_records(), taskacct_decode_message() and
 *	taskacct_decode_gap() decode it. Only valid until the handler returns
 * @time_ns: when it was received, or logged; nanoseconds since 1970
 * @reserved: room
 */
struct taskacct_event {
	enum taskacct_event_type type;
	const struct nlmsghdr *nlh;
	uint64_t time_ns;
	uint64_t reserved[2];
};

/**
 * typedef taskacct_handler - takes a message
 * @event: the message
 * @arg: as given to taskacct_set_handler()
 */
typedef void (*taskacct_handler)(const struct taskacct_event *event, void *arg);

/**
 * struct taskacct_listener - a listener's statistics
 * @portid: netlink port of its socket
 * @netns: inode of the network namespace where that number holds
 * @pid: process that registered
 * @comm: its name at that time
 * @cpumask: CPUs that it hears
 * @made: exit messages made for it
 * @delivered: of these, queued
 * @filtered: of these, refused by its own socket filter
 * @lost_queue: of these, lost for want of room in its receive buffer
 * @lost_memory: of these, lost for want of memory
 * @waiting: of these, waiting for a datagram to be full
 * @extended: it said what it wants
 * @want: TASKACCT_WANT_*
 * @filter: which tasks it hears of; a cgroup by its id
 * @reserved: room
 */
struct taskacct_listener {
	uint32_t portid;
	uint32_t netns;
	uint32_t pid;
	char comm[32];
	char *cpumask;
	uint64_t made;
	uint64_t delivered;
	uint64_t filtered;
	uint64_t lost_queue;
	uint64_t lost_memory;
	uint64_t waiting;
	bool extended;
	uint32_t want;
	struct taskacct_filter filter;
	uint64_t reserved[8];
};

/**
 * struct taskacct_status - what the module did and found
 * @hook: what tells it of exits
 * @listeners: listeners now
 * @groups: processes whose dead threads are kept now
 * @threads: dead threads kept one by one now
 * @exits: exits that needed any work
 * @made: exit messages made, one for each listener
 * @delivered: of these, queued
 * @filtered: of these, refused by a listener's own socket filter
 * @lost_queue: of these, lost for want of room in a receive buffer
 * @lost_memory: of these, lost for want of memory
 * @group_nomem: dead threads that could not be kept for want of memory
 * @queries: queries answered
 * @uids: users that are kept apart now
 * @uid_tasks: tasks of which it is kept now what was counted for their user
 * @uid_rest: tasks that ended and were counted for the rest of the users
 * @uid_nomem: tasks that could not be kept apart, for want of memory
 * @uid_hook: what tells of a task that changes its user, or "none"
 * @fsync_hook: what tells of calls of fsync(); "none" or "": they are not counted
 * @exits_missed: exits that the hook was not called for
 * @end_hook: what tells of tasks at their end; "none" or "": what a task uses after its
 *	exit is in no record
 * @reserved: room
 */
struct taskacct_status {
	char hook[64];
	uint32_t listeners;
	uint32_t groups;
	uint32_t threads;
	uint64_t exits;
	uint64_t made;
	uint64_t delivered;
	uint64_t filtered;
	uint64_t lost_queue;
	uint64_t lost_memory;
	uint64_t group_nomem;
	uint64_t queries;
	uint32_t uids;
	uint32_t uid_tasks;
	uint64_t uid_rest;
	uint64_t uid_nomem;
	char uid_hook[64];
	char fsync_hook[64];
	uint64_t exits_missed;
	char end_hook[64];
	uint64_t reserved[32];
};

/* Room in structs for longer ones of the module's */
#define TASKACCT_USAGE_ROOM 48
#define TASKACCT_UID_RECORD_ROOM 16

/**
 * struct taskacct_used - what tasks of a user have used
 * @length: bytes that the module's version has of @value; as many as the library's where
 *	nothing was used, and the module does not tell so
 * @value: values
 * @room: room
 * @wait: what they waited for, by &enum taskacct_wait_kind
 */
struct taskacct_used {
	size_t length;
	union {
		struct taskacct_uid_usage value;
		uint64_t room[TASKACCT_USAGE_ROOM];
	};
	struct taskacct_uid_wait wait[TASKACCT_WAITS_ROOM];
};

/**
 * struct taskacct_user - what all tasks of a user have used, dead and alive
 * @record: who it is
 * @room: room
 * @foreground: what was used while it was in the foreground
 * @background: the same, in the background
 *
 * What the kernel's module does not know, being older than the library, is 0.
 */
struct taskacct_user {
	union {
		struct taskacct_uid_record record;
		uint64_t room[TASKACCT_UID_RECORD_ROOM];
	};
	struct taskacct_used foreground;
	struct taskacct_used background;
};

/**
 * taskacct_open() - open a socket and find the family
 * @ta: set even on failure, so that the story can be read; NULL only for
 *	-ENOMEM. Close it in any case
 * @family: name of the family, such as "TASKACCT" or "TASKSTATS"
 *
 * Return: 0, -ENOENT where there is no such family, or another errno.
 */
int taskacct_open(struct taskacct **ta, const char *family);

/**
 * taskacct_close() - close the socket, which ends its registration too
 * @ta: handle or NULL
 */
void taskacct_close(struct taskacct *ta);

/**
 * taskacct_error() - the last failure in words
 * @ta: handle
 *
 * Return: what was tried and why it failed; the kernel's own words where it
 * gave some. An empty string if nothing has failed.
 */
const char *taskacct_error(const struct taskacct *ta);

/**
 * taskacct_counts_losses() - whether the family is taskacct's
 * @ta: handle
 *
 * Return: true if it has the extensions: a listener's statistics, and the
 * module's; false for the kernel's own taskstats.
 */
bool taskacct_counts_losses(const struct taskacct *ta);

/**
 * taskacct_has_records() - whether the family has extended records
 * @ta: handle
 *
 * Return: true if it knows taskacct_ask(), taskacct_dump() and
 * taskacct_subscribe(); false for the kernel's own taskstats, and for taskacct
 * before it had them.
 */
bool taskacct_has_records(const struct taskacct *ta);

/**
 * taskacct_family() - the family's name
 * @ta: handle
 *
 * Return: the name that taskacct_open() was given.
 */
const char *taskacct_family(const struct taskacct *ta);

/**
 * taskacct_family_type() - the family's number
 * @ta: handle
 *
 * Return: the message type that its messages have; it may differ each time
 * that the family is registered.
 */
unsigned int taskacct_family_type(const struct taskacct *ta);

/**
 * taskacct_family_message() - the controller's description of the family
 * @ta: handle
 *
 * Return: the CTRL_CMD_NEWFAMILY message as received. It says which message
 * type and which commands the family has, so a log begins with it.
 */
const struct nlmsghdr *taskacct_family_message(const struct taskacct *ta);

/**
 * taskacct_fd() - the socket, to poll
 * @ta: handle
 *
 * Return: the file descriptor; readable when messages wait.
 */
int taskacct_fd(const struct taskacct *ta);

/**
 * DOC: taskacct_query - ask for tasks, users, cgroups and the module
 */

/**
 * taskacct_query() - ask for a task or a process
 * @ta: handle
 * @kind: which of the two
 * @id: its number
 * @record: the answer
 * @raw: where not NULL, called with the answer as received before return
 * @arg: for @raw
 *
 * Return: 0, -ESRCH if there is none, -EPERM without CAP_NET_ADMIN, or
 * another errno.
 */
int taskacct_query(struct taskacct *ta, enum taskacct_kind kind, uint32_t id,
		   struct taskacct_classic *record, taskacct_handler raw,
		   void *arg);

/**
 * taskacct_ask() - ask for a task or a process, and say what is wanted
 * @ta: handle
 * @kind: which of the two
 * @id: its number
 * @want: what the answer shall have, TASKACCT_WANT_* without STREAM
 * @each: called with the answer before return
 * @arg: for @each
 *
 * Return: 0, -ESRCH if there is none, -EPERM if the asker may not,
 * -EOPNOTSUPP where the family has no extended records, or another errno.
 */
int taskacct_ask(struct taskacct *ta, enum taskacct_kind kind, uint32_t id,
		 uint32_t want, taskacct_handler each, void *arg);

/**
 * taskacct_dump() - ask for all tasks or processes
 * @ta: handle
 * @want: what each answer shall have, TASKACCT_WANT_* without STREAM
 * @filter: which are meant, or NULL for all tasks
 * @each: called with each answer before return
 * @arg: for @each
 * @changed: set to whether tasks came or went meanwhile
 *
 * Return: 0, or a negative errno; -ENOBUFS where exit messages overflowed the
 * handle, so that the rest of the answers did not come.
 */
int taskacct_dump(struct taskacct *ta, uint32_t want,
		  const struct taskacct_filter *filter, taskacct_handler each,
		  void *arg, bool *changed);

/**
 * taskacct_get_user() - ask for a user
 * @ta: handle
 * @uid: its number
 * @user: the answer
 *
 * Return: 0, -ENOENT if no task of it was seen, -EPERM if the asker may not,
 * -EOPNOTSUPP where users are not counted, or another errno.
 */
int taskacct_get_user(struct taskacct *ta, uint32_t uid,
		      struct taskacct_user *user);

/**
 * taskacct_users() - ask for all users; of others than root, for its own only
 * @ta: handle
 * @each: called with each user before return, from the smallest number up
 * @arg: for @each
 *
 * Return: 0, -EOPNOTSUPP where users are not counted, or another errno.
 */
int taskacct_users(struct taskacct *ta,
		   void (*each)(const struct taskacct_user *user, void *arg),
		   void *arg);

/**
 * struct taskacct_cgroup - what the tasks of a cgroup are doing
 * @sleeping: how many sleep
 * @running: run, or wait for a CPU
 * @stopped: are stopped
 * @uninterruptible: sleep and cannot be woken by a signal
 * @io_wait: of these wait for I/O
 * @has_record: @record is there
 * @record: what the live tasks of a cgroup v2 and below it have used
 * @reserved: room
 */
struct taskacct_cgroup {
	uint64_t sleeping;
	uint64_t running;
	uint64_t stopped;
	uint64_t uninterruptible;
	uint64_t io_wait;
	bool has_record;
	struct taskacct_extended record;
	uint64_t reserved[8];
};

/**
 * taskacct_cgroup() - ask what the tasks of a cgroup are doing
 * @ta: handle
 * @fd: its directory, open
 * @record: ask what they have used, too
 * @cgroup: the answer
 *
 * Return: 0, -EINVAL or -EBADF for what is no cgroup, or one of a version that
 * the family cannot tell about, or another errno.
 */
int taskacct_cgroup(struct taskacct *ta, int fd, bool record,
		    struct taskacct_cgroup *cgroup);

/**
 * DOC: taskacct_subscribe - hear of exits
 */

/**
 * taskacct_set_handler() - say who takes exit messages
 * @ta: handle
 * @handler: called from taskacct_receive(), and from any other call while it
 *	waits for its answer
 * @arg: for @handler
 */
void taskacct_set_handler(struct taskacct *ta, taskacct_handler handler,
			  void *arg);

/**
 * taskacct_set_buffer() - size the receive buffer
 * @ta: handle
 * @bytes: as for SO_RCVBUF; the kernel gives twice that
 * @got: what the kernel gave in all
 *
 * The system's limit is passed where that is allowed.
 *
 * Return: 0 or a negative errno; that the limit held is no failure.
 */
int taskacct_set_buffer(struct taskacct *ta, int bytes, int *got);

/**
 * taskacct_register() - hear of the exits on some CPUs
 * @ta: handle
 * @cpus: list of ranges, such as "0-3,5"
 *
 * Return: 0 or a negative errno.
 */
int taskacct_register(struct taskacct *ta, const char *cpus);

/**
 * struct taskacct_batch - how long exit messages may wait for others
 * @bytes: until a datagram of this size is full; 0: %TASKACCT_BATCH_BYTES
 * @msecs: but no longer than so many ms; 0: %TASKACCT_BATCH_MSECS
 * @reserved: room
 */
struct taskacct_batch {
	uint32_t bytes;
	uint32_t msecs;
	uint32_t reserved[2];
};

/**
 * taskacct_subscribe() - hear of some exits on some CPUs, and say what is wanted
 * @ta: handle
 * @cpus: list of ranges
 * @want: what messages shall have, TASKACCT_WANT_*; with STREAM the handler is
 *	told of gaps too
 * @filter: which tasks are meant, or NULL for all
 * @batch: how long they may wait for others, or NULL for not at all
 *
 * Takes the place of what the handle had registered before, CPUs and all,
 * without a gap.
 *
 * Return: 0, -EOPNOTSUPP where the family cannot, or another errno.
 */
int taskacct_subscribe(struct taskacct *ta, const char *cpus, uint32_t want,
		       const struct taskacct_filter *filter,
		       const struct taskacct_batch *batch);

/**
 * taskacct_deregister() - hear no more of the exits on some CPUs
 * @ta: handle
 * @cpus: list of ranges
 *
 * What is queued stays to be received. Works through an overflow.
 *
 * Return: 0 or a negative errno.
 */
int taskacct_deregister(struct taskacct *ta, const char *cpus);

/**
 * taskacct_receive() - take what waits, without waiting
 * @ta: handle
 *
 * Return: how many messages the handler got, 0 where none waits, -ENOBUFS
 * where the kernel tells of an overflow (call again), -ENODEV where the
 * module was unloaded, or another errno.
 */
int taskacct_receive(struct taskacct *ta);

/**
 * DOC: taskacct_status - how the module and its listeners fare
 */

/**
 * taskacct_listener() - this socket's own statistics
 * @ta: handle that is registered, or was
 * @listener: the statistics; taskacct_listener_free() it
 *
 * Return: 0, -ENOENT if never registered, -EOPNOTSUPP where the family does
 * not count, or another errno.
 */
int taskacct_listener(struct taskacct *ta, struct taskacct_listener *listener);

/**
 * taskacct_listener_free() - free what statistics hold
 * @listener: the statistics
 */
void taskacct_listener_free(struct taskacct_listener *listener);

/**
 * taskacct_listeners() - the statistics of all listeners
 * @ta: handle
 * @each: called for each; @listener is freed after it returns
 * @arg: for @each
 *
 * Return: 0, -EPERM without CAP_NET_ADMIN, or another errno.
 */
int taskacct_listeners(struct taskacct *ta,
		       void (*each)(const struct taskacct_listener *listener,
				    void *arg),
		       void *arg);

/**
 * taskacct_is_listener() - whether statistics are those of a handle
 * @ta: handle that is registered
 * @listener: statistics, from another handle's taskacct_listeners(); while
 *	messages overflow @ta, its own answers may be among them
 *
 * Return: true if they are.
 */
bool taskacct_is_listener(const struct taskacct *ta,
			  const struct taskacct_listener *listener);

/**
 * taskacct_status() - the module's statistics
 * @ta: handle
 * @status: the statistics
 *
 * Return: 0, -EOPNOTSUPP where the family does not count, or another errno.
 */
int taskacct_status(struct taskacct *ta, struct taskacct_status *status);

/**
 * DOC: taskacct_parse_cpus - lists of CPUs
 */

/**
 * taskacct_possible_cpus() - the list of CPUs that can ever be there
 *
 * Return: list of ranges, to be freed, or NULL with errno set.
 */
char *taskacct_possible_cpus(void);

/**
 * taskacct_parse_cpus() - take a list of ranges apart
 * @cpus: list such as "0-3,5"
 * @list: the numbers in order, without repeats; to be freed
 *
 * Return: how many, -EINVAL for what is no such list, -ENOMEM.
 */
int taskacct_parse_cpus(const char *cpus, unsigned int **list);

/**
 * DOC: taskacct_counters_open - counters, read from memory
 */

/* Counters of the module and of others, read from memory without the kernel */
struct taskacct_counters;

/**
 * struct taskacct_counter - a counter; there is one value of it on each CPU
 * @instance: its number
 * @gauge: what counts is its value, not the difference of two readings
 * @unit: what it counts, such as "ns"
 * @name: its name
 */
struct taskacct_counter {
	unsigned int instance;
	bool gauge;
	char unit[16];
	char name[TASKACCT_COUNTER_NAME_LEN];
};

/**
 * taskacct_counters_open() - map the counters, learn their names
 * @counters: receives the handle, NULL on failure
 *
 * Return: 0, -EPROTONOSUPPORT where the module is too new, or the negative
 * errno of a system call: -ENOENT where it is not loaded.
 */
int taskacct_counters_open(struct taskacct_counters **counters);

/**
 * taskacct_counters_refresh() - learn which counters there are now
 * @c: the handle
 *
 * Costs a few instructions where nothing has changed. Otherwise pointers that
 * taskacct_counters_at() gave are void, and counters have to be found again.
 *
 * Return: 1 where others may be there than before, 0 where not, or a negative
 * errno, with which the handle is as before: -EAGAIN where they come and go for
 * more than a second.
 */
int taskacct_counters_refresh(struct taskacct_counters *c);

/**
 * taskacct_counters_close() - forget the counters
 * @c: the handle, or NULL
 */
void taskacct_counters_close(struct taskacct_counters *c);

/**
 * taskacct_counters_fd() - what to wait for with poll()
 * @c: the handle
 *
 * Return: a descriptor with POLLIN when taskacct_counters_refresh() has
 * something to learn.
 */
int taskacct_counters_fd(const struct taskacct_counters *c);

/**
 * taskacct_counters_cpus() - how many CPUs have counters
 * @c: the handle
 *
 * Return: CPUs are numbered from 0 to one less.
 */
unsigned int taskacct_counters_cpus(const struct taskacct_counters *c);

/**
 * taskacct_counters_at() - one counter after the other
 * @c: the handle
 * @i: from 0 on
 *
 * Return: the counter, or NULL behind the last.
 */
const struct taskacct_counter *
taskacct_counters_at(const struct taskacct_counters *c, size_t i);

/**
 * taskacct_counters_find() - find a counter by its name
 * @c: the handle
 * @name: the name
 *
 * Return: its number, or -ENOENT.
 */
int taskacct_counters_find(const struct taskacct_counters *c, const char *name);

/**
 * taskacct_counters_read() - read a counter of one CPU
 * @c: the handle
 * @cpu: the CPU
 * @instance: number of the counter
 * @value: receives it
 *
 * No system call, no lock, about 40 instructions.
 *
 * Return: 0, -ESTALE where counters came or went since the last refresh, -EINVAL
 * where there is no such CPU or counter, or -EAGAIN where the CPU has been in the
 * midst of an update for more than a second: kernel code began one and did not end
 * it.
 */
int taskacct_counters_read(const struct taskacct_counters *c, unsigned int cpu,
			   unsigned int instance, int64_t *value);

/**
 * taskacct_counters_read_some() - read counters of one CPU at one moment
 * @c: the handle
 * @cpu: the CPU
 * @first: number of the first counter
 * @n: how many, by their numbers
 * @values: receives them
 *
 * What the kernel changes as one is read as one.
 *
 * Return: as taskacct_counters_read().
 */
int taskacct_counters_read_some(const struct taskacct_counters *c,
				unsigned int cpu, unsigned int first,
				unsigned int n, int64_t *values);

/**
 * taskacct_counters_sum() - add up a counter over all CPUs
 * @c: the handle
 * @instance: number of the counter
 * @sum: receives it
 *
 * Return: as taskacct_counters_read().
 */
int taskacct_counters_sum(const struct taskacct_counters *c,
			  unsigned int instance, int64_t *sum);

/**
 * enum taskacct_cpu_class - what a CPU's time goes to, as in /proc/stat
 * @TASKACCT_CPU_USER: user mode, guests included
 * @TASKACCT_CPU_NICE: user mode at a nice value above 0, guests included
 * @TASKACCT_CPU_SYSTEM: tasks in the kernel, and kernel threads
 * @TASKACCT_CPU_IDLE: nothing to do
 * @TASKACCT_CPU_IOWAIT: nothing to do, while I/O is waited for
 * @TASKACCT_CPU_IRQ: handlers of interrupts
 * @TASKACCT_CPU_SOFTIRQ: handlers of softirqs
 * @TASKACCT_CPU_STEAL: taken by the hypervisor
 * @TASKACCT_CPU_GUEST: of @TASKACCT_CPU_USER, guests
 * @TASKACCT_CPU_GUEST_NICE: of @TASKACCT_CPU_NICE, guests
 * @TASKACCT_CPU_CLASSES: how many there are
 */
enum taskacct_cpu_class {
	TASKACCT_CPU_USER,
	TASKACCT_CPU_NICE,
	TASKACCT_CPU_SYSTEM,
	TASKACCT_CPU_IDLE,
	TASKACCT_CPU_IOWAIT,
	TASKACCT_CPU_IRQ,
	TASKACCT_CPU_SOFTIRQ,
	TASKACCT_CPU_STEAL,
	TASKACCT_CPU_GUEST,
	TASKACCT_CPU_GUEST_NICE,
	TASKACCT_CPU_CLASSES,
};

/**
 * taskacct_counters_cpu_time() - where a CPU's time went, up to now
 * @c: the handle
 * @cpu: the CPU
 * @ns: receives the time of each class
 *
 * What the CPU is doing at this moment is added to what has been settled. No
 * system call but for the clock, where the machine has none without.
 *
 * That moment is by the kernel's CLOCK_MONOTONIC. How far that of a time namespace
 * is from it is found by taskacct_counters_open(): who enters another one, or is
 * the child of a process that has unshared it, opens the counters anew.
 *
 * Return: 0, -ESTALE, -EINVAL where there is no such CPU, -EAGAIN, -ENOENT where
 * the module does not publish it, or -EOPNOTSUPP in a time namespace whose clock is
 * not known: without /proc, or where a process has unshared one in another.
 */
int taskacct_counters_cpu_time(const struct taskacct_counters *c,
			       unsigned int cpu, uint64_t *ns);

/**
 * DOC: taskacct_ring_open - exits, read from shared memory
 *
 * The device, its protocol and who may open it are in Documentation/ring.rst.
 */

/* The rings of all CPUs, and where their reader is */
struct taskacct_ring;

/**
 * struct taskacct_ring_options - how exits are to be read
 * @want: what messages have: %TASKACCT_RING_MEMORY, %TASKACCT_RING_WAITS and names,
 *	TASKACCT_WANT_*
 * @sizes: of the lanes of each CPU, in bytes; 0: as the module has them
 * @oldest: begin with the oldest exits that are there; else with those to come
 * @stream: messages have a struct taskacct_stream, as those of a listener that asks for
 *	%TASKACCT_WANT_STREAM; what was lost was lost for want of room
 * @in_order: exits of all CPUs in the order of their times, of those that are there when
 *	the next one is asked for; else one CPU after the other
 * @family: messages are of this handle's family, or NULL: of no type
 * @numbers: where a reader before this one stood, as taskacct_ring_numbers() had it then:
 *	begin there, and what is gone meanwhile is lost; NULL: as @oldest has it
 * @n_numbers: how many there are
 * @fd: the device, opened before, of which the handle has a duplicate; 0: it is opened
 * @reserved: 0
 */
struct taskacct_ring_options {
	uint32_t want;
	struct taskacct_ring_sizes sizes;
	bool oldest;
	bool stream;
	bool in_order;
	const struct taskacct *family;
	const uint64_t *numbers;
	uint32_t n_numbers;
	int32_t fd;
	uint64_t reserved[2];
};

/**
 * struct taskacct_ring_exit - an exit
 * @lane: %TASKACCT_RING_PROCESSES or %TASKACCT_RING_THREADS
 * @cpu: where the task ended
 * @number: of the entry, in its lane of its CPU
 * @time_ns: when the task ended, in ns since boot
 * @lost: entries of that lane and CPU that were lost between the one before it and it
 * @nlh: what is known of it, as a message %TASKACCT_CMD_EXIT; until the next call
 * @reserved: not to be read
 */
struct taskacct_ring_exit {
	unsigned int lane;
	unsigned int cpu;
	uint64_t number;
	uint64_t time_ns;
	uint64_t lost;
	const struct nlmsghdr *nlh;
	uint64_t reserved[4];
};

/**
 * taskacct_ring_open() - read exits from now on
 * @ring: receives the handle, NULL on failure
 * @options: how, or NULL for the usual: whole records, and nothing beside them
 *
 * Return: 0; -ENOENT where the module is not loaded or has no such device, -EACCES for who
 * may not open it, -EPERM for who may not set sizes, -EBUSY where others have it open and
 * the sizes stay, -EINVAL and -E2BIG for sizes that cannot be, -EINVAL for numbers that are
 * not of these rings, -EPROTONOSUPPORT where the module is too new, or another errno.
 */
int taskacct_ring_open(struct taskacct_ring **ring,
		       const struct taskacct_ring_options *options);

/**
 * taskacct_ring_next() - the next exit that is there
 * @ring: the handle
 * @exit: receives it
 *
 * No system call.
 *
 * Return: 1, 0 where there is none, or -EBADMSG for what no module makes.
 */
int taskacct_ring_next(struct taskacct_ring *ring, struct taskacct_ring_exit *exit);

/**
 * taskacct_ring_wait() - sleep until there are exits
 * @ring: the handle
 * @records: until so many that were not read yet have been made, on all CPUs together
 * @msecs: but no longer than so many ms; negative: for ever
 *
 * Return: 1; 0 where the time is over, when there may be fewer; -EINTR for a signal.
 */
int taskacct_ring_wait(struct taskacct_ring *ring, unsigned int records, int msecs);

/**
 * taskacct_ring_lost() - how many exits were lost since the handle was opened
 * @ring: the handle
 * @lane: %TASKACCT_RING_PROCESSES or %TASKACCT_RING_THREADS
 *
 * Those that were made, those that taskacct_ring_next() gave and those that were lost add
 * up whenever it has returned 0.
 *
 * Return: their number, as far as the reader has come.
 */
uint64_t taskacct_ring_lost(const struct taskacct_ring *ring, unsigned int lane);

/**
 * taskacct_ring_numbers() - where the reader stands
 * @ring: the handle
 * @numbers: receives the number of the entry that it expects next, of each lane: that of
 *	lane l of the r-th possible CPU at r * %TASKACCT_RING_LANES + l; 0 where it began with
 *	the oldest and has read none
 * @n: how many there is room for
 *
 * As long as somebody has the device open another reader can go on there, with @numbers of
 * struct taskacct_ring_options.
 *
 * Return: how many there are.
 */
unsigned int taskacct_ring_numbers(const struct taskacct_ring *ring, uint64_t *numbers,
				   unsigned int n);

/**
 * taskacct_ring_fd() - what to wait for with poll()
 * @ring: the handle
 *
 * taskacct_ring_wait() sets when that is.
 *
 * Return: a descriptor.
 */
int taskacct_ring_fd(const struct taskacct_ring *ring);

/**
 * taskacct_ring_close() - end it
 * @ring: the handle, or NULL
 */
void taskacct_ring_close(struct taskacct_ring *ring);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* TASKACCT_H */
