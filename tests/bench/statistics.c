// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics and their targets
 */
#include <string.h>

#include "statistics.h"
#include "module.h"

#define TRACEPOINT_LIMIT	50
/* At the exit and at the end together */
#define OTHER_HOOK_LIMIT	160
#define THREAD_LIMIT		920
#define FURTHER_LIMIT		1200
#define PER_THREAD_LIMIT	100
/* 60 for each of the two places */
#define EXCLUDED_LIMIT		120
/* That of the ring are what was set out to be reached; tests/bench/test has those missed. */
#define RING_PROCESS_LIMIT	600
#define RING_THREAD_LIMIT	650
#define RING_FURTHER_LIMIT	1
#define END_ONE_LIMIT		1300
#define END_EIGHT_LIMIT		5000
#define THREAD_BYTES_LIMIT	320
#define PROCESS_BYTES_LIMIT	640
#define DUMP_LIMIT		1500
#define SWITCH_LIMIT		120
#define READ_LIMIT		40
#define UID_LIMIT		200
#define USERS_LIMIT		400
/* 2 % of a CPU that does a thousand million a second, of 5,000 processes */
#define TOP_LIMIT		12000
/* For each task; some of it is the kernel's own, whose tables have as many. */
#define KEPT_LIMIT		1500

/* Of a measure (exits one by one, or a burst): a state less another */
#define LESS(measure, state, base, kind) \
	{ measure(BENCH_##state, BENCH_##kind), \
	  measure(BENCH_##base, BENCH_##kind) }
#define OVER_OFF(measure, state, kind)	LESS(measure, state, OFF, kind)

#define NOBODY(measure, kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, OVER_OFF(measure, IDLE, kind) }, \
	.divisor = 1
#define ONE(measure, kind) \
	.of = { OVER_OFF(measure, INTREE_1, kind), \
		OVER_OFF(measure, TASKACCT_1, kind) }, \
	.divisor = 1
#define SECOND(kind) \
	.of = { LESS(BENCH_EXIT, INTREE_2, INTREE_1, kind), \
		LESS(BENCH_EXIT, TASKACCT_2, TASKACCT_1, kind) }, \
	.divisor = 1
#define FURTHER(measure, kind) \
	.of = { LESS(measure, INTREE_8, INTREE_1, kind), \
		LESS(measure, TASKACCT_8, TASKACCT_1, kind) }, \
	.divisor = 7
#define FULL(kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		OVER_OFF(BENCH_EXIT, TASKACCT_FULL, kind) }, \
	.divisor = 1
#define EXCLUDED(kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		LESS(BENCH_EXIT, EXCLUDED, IDLE, kind) }, \
	.divisor = 1
#define EXTENDED(kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		OVER_OFF(BENCH_EXIT, EXTENDED_1, kind) }, \
	.divisor = 1
#define FURTHER_EXTENDED(kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		LESS(BENCH_EXIT, EXTENDED_8, EXTENDED_1, kind) }, \
	.divisor = 7
#define FURTHER_BATCHED(measure, kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		LESS(measure, BATCHED_8, BATCHED_1, kind) }, \
	.divisor = 7
#define RING(measure, kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		OVER_OFF(measure, RING_1, kind) }, \
	.divisor = 1
#define RING_BARE(kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		OVER_OFF(BENCH_EXIT, RING_BARE, kind) }, \
	.divisor = 1
#define FURTHER_RING(n, kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		LESS(BENCH_EXIT, RING_##n, RING_1, kind) }, \
	.divisor = (n) - 1
/* Of readers in a state of their own, against the one that is asleep */
#define FURTHER_IN(state, n, kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		LESS(BENCH_EXIT, state##_##n, state##_1, kind) }, \
	.divisor = (n) - 1
/* Another way to hear of exits, and shared memory, bare as the other is */
#define PEER(measure, state, key, ring, kind) \
	.of = { OVER_OFF(measure, state, kind), OVER_OFF(measure, ring, kind) }, \
	.other = (key), \
	.divisor = 1
/* What is read of taskacct, and what of another, by so many readers */
#define END(theirs, ours, crowd) \
	.of = { { BENCH_END(BENCH_READER_##theirs, BENCH_CROWD_##crowd), \
		  BENCH_END(BENCH_READER_NONE, BENCH_CROWD_ONE) }, \
		{ BENCH_END(BENCH_READER_##ours, BENCH_CROWD_##crowd), \
		  BENCH_END(BENCH_READER_NONE, BENCH_CROWD_ONE) } }, \
	.divisor = 1
#define LOSS(what, storm, theirs, ours) \
	.of = { { BENCH_LOSS(BENCH_LOST_##what, BENCH_STORM_##storm, \
			     BENCH_READER_##theirs), BENCH_NONE }, \
		{ BENCH_LOSS(BENCH_LOST_##what, BENCH_STORM_##storm, \
			     BENCH_READER_##ours), BENCH_NONE } }, \
	.divisor = 1
#define BYTES(entry) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		{ BENCH_BYTES(BENCH_ENTRY_##entry), BENCH_NONE } }, \
	.divisor = 1
#define UID(measure, kind) \
	.of = { { BENCH_NONE, BENCH_NONE }, LESS(measure, UID, IDLE, kind) }, \
	.divisor = 1
#define USERS(question) \
	.of = { { BENCH_NONE, BENCH_NONE }, \
		{ BENCH_QUERY(question, BENCH_TASKACCT), BENCH_NONE } }, \
	.divisor = 1
#define QUERY(question) \
	.of = { { BENCH_QUERY(question, BENCH_TASKSTATS), BENCH_NONE }, \
		{ BENCH_QUERY(question, BENCH_TASKACCT), BENCH_NONE } }, \
	.divisor = 1
#define PER_THREAD(n) \
	.of = { { BENCH_QUERY(BENCH_TGID_##n, BENCH_TASKSTATS), \
		  BENCH_QUERY(BENCH_TGID_1, BENCH_TASKSTATS) }, \
		{ BENCH_QUERY(BENCH_TGID_##n, BENCH_TASKACCT), \
		  BENCH_QUERY(BENCH_TGID_1, BENCH_TASKACCT) } }, \
	.divisor = (n) - 1

#define TIME(one, other)						\
	.of = { { BENCH_NONE, BENCH_NONE },				\
		{ BENCH_TIME(BENCH_##one), BENCH_TIME(BENCH_##other) } }, \
	.divisor = 1
#define FILES(ours, theirs)						\
	.of = { { BENCH_TIME(BENCH_##theirs), BENCH_NONE },		\
		{ BENCH_TIME(BENCH_##ours), BENCH_NONE } },		\
	.divisor = 1

/* With much that is kept, more than with little */
#define KEPT(load)							\
	.of = { { BENCH_NONE, BENCH_NONE },				\
		{ BENCH_LOAD(BENCH_LOAD_##load, BENCH_MUCH_KEPT),		\
		  BENCH_LOAD(BENCH_LOAD_##load, BENCH_LITTLE_KEPT) } },		\
	.divisor = 1
#define KEPT_QUERY(load)						\
	KEPT(load), .target = BENCH_FIFTH,				\
	.whole = BENCH_LOAD(BENCH_LOAD_##load, BENCH_LITTLE_KEPT)

#define AT_MOST(n)	.target = BENCH_AT_MOST, .limit = (n)

const struct bench_figure bench_statistics[] = {
	{ .text = "One exit: more than without module and listeners" },
	{ .text = " nobody listens" },
	{ "exit.process.idle", "process of one thread",
	  NOBODY(BENCH_EXIT, PROCESS), .target = BENCH_HOOK_LIMIT },
	{ "exit.thread.idle", "thread of a process that goes on",
	  NOBODY(BENCH_EXIT, THREAD), AT_MOST(THREAD_LIMIT) },
	{ "exit.group.idle", "process of 3 threads, all of them",
	  NOBODY(BENCH_EXIT, GROUP) },
	{ .text = " one listener" },
	{ "exit.process.one", "process of one thread",
	  ONE(BENCH_EXIT, PROCESS), .target = BENCH_INTREE },
	{ "exit.thread.one", "thread of a process that goes on",
	  ONE(BENCH_EXIT, THREAD), .target = BENCH_INTREE },
	{ "exit.group.one", "process of 3 threads, all of them",
	  ONE(BENCH_EXIT, GROUP) },
	{ .text = " the second listener: more than with one" },
	{ "exit.process.second", "process of one thread",
	  SECOND(PROCESS), AT_MOST(FURTHER_LIMIT) },
	{ "exit.thread.second", "thread of a process that goes on",
	  SECOND(THREAD), AT_MOST(FURTHER_LIMIT) },
	{ .text = " each further of 8 listeners: more than with one" },
	{ "exit.process.further", "process of one thread",
	  FURTHER(BENCH_EXIT, PROCESS), AT_MOST(FURTHER_LIMIT) },
	{ "exit.thread.further", "thread of a process that goes on",
	  FURTHER(BENCH_EXIT, THREAD), AT_MOST(FURTHER_LIMIT) },
	{ .text = " one listener, its buffer full: the message is lost" },
	{ "exit.process.full", "process of one thread", FULL(PROCESS) },
	{ "exit.thread.full", "thread of a process that goes on",
	  FULL(THREAD) },

	{ .text = " one listener whose filter excludes it: more than with none" },
	{ "exit.process.excluded", "process of one thread",
	  EXCLUDED(PROCESS), AT_MOST(EXCLUDED_LIMIT) },
	{ "exit.thread.excluded", "thread of a process that goes on",
	  EXCLUDED(THREAD) },
	{ .text = " one listener, classic and extended records" },
	{ "exit.process.extended", "process of one thread",
	  EXTENDED(PROCESS) },
	{ "exit.thread.extended", "thread of a process that goes on",
	  EXTENDED(THREAD) },
	{ .text = " each further of 8 of these: more than with one" },
	{ "exit.process.extended_further", "process of one thread",
	  FURTHER_EXTENDED(PROCESS) },
	{ .text = " each further of 8 of these that get them in batches" },
	{ "exit.process.batched_further", "process of one thread",
	  FURTHER_BATCHED(BENCH_EXIT, PROCESS) },
	{ .text = " one reader of the shared memory, asleep, records without memory" },
	{ "exit.process.ring_bare", "process of one thread", RING_BARE(PROCESS),
	  AT_MOST(RING_PROCESS_LIMIT) },
	{ "exit.thread.ring_bare", "thread of a process that goes on", RING_BARE(THREAD),
	  AT_MOST(RING_THREAD_LIMIT) },
	{ "exit.group.ring_bare", "process of 3 threads, all of them", RING_BARE(GROUP) },
	{ .text = " one reader of the shared memory, asleep" },
	{ "exit.process.ring", "process of one thread",
	  RING(BENCH_EXIT, PROCESS), AT_MOST(RING_PROCESS_LIMIT) },
	{ "exit.thread.ring", "thread of a process that goes on",
	  RING(BENCH_EXIT, THREAD), AT_MOST(RING_THREAD_LIMIT) },
	{ "exit.group.ring", "process of 3 threads, all of them",
	  RING(BENCH_EXIT, GROUP) },
	{ .text = " each further reader of the shared memory, asleep" },
	{ "exit.process.ring_2", "process, 2 readers",
	  FURTHER_RING(2, PROCESS) },
	{ "exit.process.ring_8", "process, 8 readers",
	  FURTHER_RING(8, PROCESS), AT_MOST(RING_FURTHER_LIMIT) },
	{ "exit.process.ring_64", "process, 64 readers",
	  FURTHER_RING(64, PROCESS), AT_MOST(RING_FURTHER_LIMIT) },
	{ "exit.thread.ring_64", "thread, 64 readers",
	  FURTHER_RING(64, THREAD), AT_MOST(RING_FURTHER_LIMIT) },
	{ .text = " the same, awake: it has read all before" },
	{ "exit.process.awake_2", "process, 2 readers", FURTHER_IN(AWAKE, 2, PROCESS) },
	{ "exit.process.awake_8", "process, 8 readers", FURTHER_IN(AWAKE, 8, PROCESS),
	  AT_MOST(RING_FURTHER_LIMIT) },
	{ "exit.process.awake_64", "process, 64 readers", FURTHER_IN(AWAKE, 64, PROCESS),
	  AT_MOST(RING_FURTHER_LIMIT) },
	{ "exit.thread.awake_64", "thread, 64 readers", FURTHER_IN(AWAKE, 64, THREAD),
	  AT_MOST(RING_FURTHER_LIMIT) },
	{ .text = " the same, stopped by a signal" },
	{ "exit.process.stopped_2", "process, 2 readers", FURTHER_IN(STOPPED, 2, PROCESS) },
	{ "exit.process.stopped_8", "process, 8 readers", FURTHER_IN(STOPPED, 8, PROCESS),
	  AT_MOST(RING_FURTHER_LIMIT) },
	{ "exit.process.stopped_64", "process, 64 readers", FURTHER_IN(STOPPED, 64, PROCESS),
	  AT_MOST(RING_FURTHER_LIMIT) },
	{ "exit.thread.stopped_64", "thread, 64 readers", FURTHER_IN(STOPPED, 64, THREAD),
	  AT_MOST(RING_FURTHER_LIMIT) },
	{ .text = " other: an eBPF program with a ring buffer; shared memory" },
	{ "exit.process.bpf", "process of one thread",
	  PEER(BENCH_EXIT, BPF_1, "bpf", RING_BARE, PROCESS) },
	{ "exit.thread.bpf", "thread of a process that goes on",
	  PEER(BENCH_EXIT, BPF_1, "bpf", RING_BARE, THREAD) },
	{ "exit.group.bpf", "process of 3 threads, all of them",
	  PEER(BENCH_EXIT, BPF_1, "bpf", RING_BARE, GROUP) },
	{ "exit.process.bpf_8", "process, 8 programs; 8 readers",
	  PEER(BENCH_EXIT, BPF_8, "bpf", RING_8, PROCESS) },
	{ .text = " other: process connector; shared memory" },
	{ "exit.process.connector", "process of one thread",
	  PEER(BENCH_EXIT, CONNECTOR_1, "connector", RING_BARE, PROCESS) },
	{ "exit.thread.connector", "thread of a process that goes on",
	  PEER(BENCH_EXIT, CONNECTOR_1, "connector", RING_BARE, THREAD) },
	{ "exit.group.connector", "process of 3 threads, all of them",
	  PEER(BENCH_EXIT, CONNECTOR_1, "connector", RING_BARE, GROUP) },
	{ .text = " other: acct(2), processes alone; shared memory" },
	{ "exit.process.acct", "process of one thread",
	  PEER(BENCH_EXIT, ACCT_FILE, "acct", RING_BARE, PROCESS) },
	{ "exit.thread.acct", "thread of a process that goes on",
	  PEER(BENCH_EXIT, ACCT_FILE, "acct", RING_BARE, THREAD) },
	{ "exit.group.acct", "process of 3 threads, all of them",
	  PEER(BENCH_EXIT, ACCT_FILE, "acct", RING_BARE, GROUP) },
	{ .text = " totals per user are kept, nobody listens: more than without" },
	{ "exit.process.uid", "process of one thread",
	  UID(BENCH_EXIT, PROCESS), AT_MOST(UID_LIMIT) },
	{ "exit.thread.uid", "thread of a process that goes on",
	  UID(BENCH_EXIT, THREAD) },
	{ "exit.group.uid", "process of 3 threads, all of them",
	  UID(BENCH_EXIT, GROUP) },

	{ .text = "Exits in a burst, messages unread, with what is done later" },
	{ .text = " nobody listens" },
	{ "burst.process.idle", "process of one thread",
	  NOBODY(BENCH_BURST, PROCESS) },
	{ "burst.thread.idle", "thread of a process that goes on",
	  NOBODY(BENCH_BURST, THREAD) },
	{ "burst.group.idle", "process of 3 threads, all of them",
	  NOBODY(BENCH_BURST, GROUP) },
	{ .text = " one listener" },
	{ "burst.process.one", "process of one thread",
	  ONE(BENCH_BURST, PROCESS) },
	{ "burst.thread.one", "thread of a process that goes on",
	  ONE(BENCH_BURST, THREAD) },
	{ "burst.group.one", "process of 3 threads, all of them",
	  ONE(BENCH_BURST, GROUP) },
	{ .text = " each further of 8 listeners: more than with one" },
	{ "burst.process.further", "process of one thread",
	  FURTHER(BENCH_BURST, PROCESS) },
	{ "burst.thread.further", "thread of a process that goes on",
	  FURTHER(BENCH_BURST, THREAD) },

	{ .text = " one reader of the shared memory, asleep" },
	{ "burst.process.ring", "process of one thread",
	  RING(BENCH_BURST, PROCESS) },
	{ "burst.thread.ring", "thread of a process that goes on",
	  RING(BENCH_BURST, THREAD) },
	{ .text = " each further of 8 that get extended records in batches" },
	{ "burst.process.batched_further", "process of one thread",
	  FURTHER_BATCHED(BENCH_BURST, PROCESS) },
	{ .text = " totals per user are kept, nobody listens: more than without" },
	{ "burst.process.uid", "process of one thread",
	  UID(BENCH_BURST, PROCESS) },

	{ .text = " other: eBPF, process connector, acct(2); shared memory" },
	{ "burst.process.bpf", "process of one thread, eBPF",
	  PEER(BENCH_BURST, BPF_1, "bpf", RING_1, PROCESS) },
	{ "burst.thread.bpf", "thread of a process that goes on, eBPF",
	  PEER(BENCH_BURST, BPF_1, "bpf", RING_1, THREAD) },
	{ "burst.process.connector", "process of one thread, connector",
	  PEER(BENCH_BURST, CONNECTOR_1, "connector", RING_1, PROCESS) },
	{ "burst.process.acct", "process of one thread, acct(2)",
	  PEER(BENCH_BURST, ACCT_FILE, "acct", RING_1, PROCESS) },

	{ .text = "Processes of one thread, from the exit until all have read it, 64 at a time" },
	{ .text = " one reader" },
	{ "end.process.netlink", "listener", END(INTREE, NETLINK, ONE) },
	{ "end.process.ring", "other: eBPF; shared memory", END(BPF, RING, ONE),
	  .other = "bpf", AT_MOST(END_ONE_LIMIT) },
	{ .text = " eight readers" },
	{ "end.process.netlink_8", "listeners", END(INTREE, NETLINK, EIGHT) },
	{ "end.process.ring_8", "other: eBPF; shared memory", END(BPF, RING, EIGHT),
	  .other = "bpf", AT_MOST(END_EIGHT_LIMIT) },

	{ .text = "Threads of 10 processes end together, unread, 16 MiB: percent lost" },
	{ .text = " listeners" },
	{ "lost.threads.1000.netlink", "1,000 threads", LOSS(THREADS, 1000, INTREE, NETLINK) },
	{ "lost.threads.3000.netlink", "3,000 threads", LOSS(THREADS, 3000, INTREE, NETLINK) },
	{ "lost.threads.10000.netlink", "10,000 threads",
	  LOSS(THREADS, 10000, INTREE, NETLINK) },
	{ "lost.threads.30000.netlink", "30,000 threads",
	  LOSS(THREADS, 30000, INTREE, NETLINK) },
	{ .text = " other: eBPF; shared memory" },
	{ "lost.threads.1000.ring", "1,000 threads", LOSS(THREADS, 1000, BPF, RING),
	  .other = "bpf", AT_MOST(0) },
	{ "lost.threads.3000.ring", "3,000 threads", LOSS(THREADS, 3000, BPF, RING),
	  .other = "bpf", AT_MOST(0) },
	{ "lost.threads.10000.ring", "10,000 threads", LOSS(THREADS, 10000, BPF, RING),
	  .other = "bpf", AT_MOST(0) },
	{ "lost.threads.30000.ring", "30,000 threads", LOSS(THREADS, 30000, BPF, RING),
	  .other = "bpf", AT_MOST(0) },
	{ .text = " of the records of the 10 processes, how many" },
	{ "lost.processes.30000.netlink", "listeners, 30,000 threads",
	  LOSS(PROCESSES, 30000, INTREE, NETLINK) },
	{ "lost.processes.30000.ring", "shared memory, 30,000 threads",
	  LOSS(PROCESSES, 30000, BPF, RING), .other = "bpf", AT_MOST(0) },

	{ .text = "Bytes of an entry in shared memory, without waits and names" },
	{ "bytes.thread", "thread", BYTES(THREAD), AT_MOST(THREAD_BYTES_LIMIT) },
	{ "bytes.single", "process of one thread", BYTES(SINGLE),
	  AT_MOST(PROCESS_BYTES_LIMIT) },
	{ "bytes.process", "process of several, with its last thread", BYTES(PROCESS),
	  AT_MOST(PROCESS_BYTES_LIMIT) },

	{ .text = "One query, from send() to the return of recv()" },
	{ "query.empty", "nothing: netlink's own acknowledgement",
	  QUERY(BENCH_EMPTY) },
	{ "query.pid", "PID", QUERY(BENCH_PID), .target = BENCH_INTREE },
	{ "query.tgid", "TGID, process of one thread", QUERY(BENCH_TGID_1) },
	{ "query.many", "PID, one of 32 in a datagram", QUERY(BENCH_MANY) },
	{ "query.dump", "extended record of a task in a dump",
	  .of = { { BENCH_NONE, BENCH_NONE },
		  { BENCH_QUERY(BENCH_DUMP, BENCH_TASKACCT), BENCH_NONE } },
	  .divisor = 1, AT_MOST(DUMP_LIMIT) },
	{ "query.proc", "all: /proc/PID/stat of each; a dump",
	  .of = { { BENCH_QUERY(BENCH_PROC, BENCH_TASKSTATS), BENCH_NONE },
		  { BENCH_QUERY(BENCH_DUMP, BENCH_TASKACCT), BENCH_NONE } },
	  .other = "proc", .divisor = 1 },
	{ .text = " all users, for each live task" },
	{ "query.users_first", "by the first who asks",
	  USERS(BENCH_USERS_FIRST) },
	{ "query.users", "again, the tasks having slept since",
	  USERS(BENCH_USERS), AT_MOST(USERS_LIMIT) },
	{ "query.users_file", "in /proc/uid_io/stats",
	  USERS(BENCH_USERS_FILE), AT_MOST(USERS_LIMIT) },
	{ .text = " the same, 10,000 users with 3 tasks each" },
	{ "query.many_users_first", "by the first who asks",
	  USERS(BENCH_MANY_USERS_FIRST) },
	{ "query.many_users", "again, the tasks having slept since",
	  USERS(BENCH_MANY_USERS), AT_MOST(USERS_LIMIT) },
	{ "query.many_users_file", "in /proc/uid_io/stats",
	  USERS(BENCH_MANY_USERS_FILE), AT_MOST(USERS_LIMIT) },
	{ .text = " taskacct top, 5,000 processes, 1,000 exits/s, every 3 s" },
	{ "query.top", "a refresh, for each process",
	  USERS(BENCH_TOP), AT_MOST(TOP_LIMIT) },
	{ .text = " TGID, for each thread more" },
	{ "query.tgid.per_thread_100", "process of 100 threads",
	  PER_THREAD(100), AT_MOST(PER_THREAD_LIMIT) },
	{ "query.tgid.per_thread_1000", "process of 1000 threads",
	  PER_THREAD(1000), AT_MOST(PER_THREAD_LIMIT) },
	{ "query.tgid.per_thread_5000", "process of 5000 threads",
	  PER_THREAD(5000), AT_MOST(PER_THREAD_LIMIT) },

	{ .text = "With 100,000 groups and 500,000 exited threads: more than with 10 groups" },
	{ .text = " one exit, uid=1" },
	{ "kept.exit.process", "process of one thread", KEPT(PROCESS),
	  AT_MOST(KEPT_LIMIT) },
	{ "kept.exit.thread", "thread of a process that goes on",
	  KEPT(THREAD),
	  AT_MOST(KEPT_LIMIT) },
	{ "kept.exit.group", "process of 3 threads, all of them",
	  KEPT(GROUP),
	  AT_MOST(3 * KEPT_LIMIT) },
	{ .text = " one query; a fifth of what it takes with 10" },
	{ "kept.query.pid", "PID", KEPT_QUERY(PID) },
	{ "kept.query.tgid", "TGID, process of 100 threads",
	  KEPT_QUERY(TGID) },
	{ "kept.query.dead", "TGID, 5 threads that have ended",
	  KEPT_QUERY(DEAD) },
	{ "kept.query.users", "all users, for each live task",
	  KEPT_QUERY(USERS) },

	{ .text = "Time per CPU: a context switch, more than with cputime=off" },
	{ "switch.off", "cputime=off once more",
	  TIME(SWITCH_OFF_AGAIN, SWITCH_OFF) },
	{ "switch.switch", "cputime=switch",
	  TIME(SWITCH_ON, SWITCH_OFF), AT_MOST(SWITCH_LIMIT) },
	{ "switch.full", "cputime=full, and two system calls",
	  TIME(SWITCH_FULL, SWITCH_OFF) },
	{ .text = " reading it" },
	{ "read.one", "one counter by mmap",
	  TIME(READ_ONE, READ_NOTHING), AT_MOST(READ_LIMIT) },
	{ "read.cpu", "all classes of a CPU up to now by mmap",
	  TIME(READ_CPU, READ_NOTHING) },
	{ "read.stat", "/proc/stat, /proc/taskacct/stat",
	  FILES(READ_OURS, READ_THEIRS) },
	{}
};

const struct bench_pair bench_controls[BENCH_KINDS] = {
	[BENCH_PROCESS] = OVER_OFF(BENCH_EXIT, OFF_AGAIN, PROCESS),
	[BENCH_THREAD] = OVER_OFF(BENCH_EXIT, OFF_AGAIN, THREAD),
	[BENCH_GROUP] = OVER_OFF(BENCH_EXIT, OFF_AGAIN, GROUP),
};

bool bench_figure_has(const struct bench_results *results,
		      const struct bench_figure *statistic,
		      enum bench_family family)
{
	const int series = statistic->of[family].one;

	return series != BENCH_NONE && results->series[series].n;
}

double bench_figure_value(const struct bench_results *results,
			  const struct bench_figure *statistic,
			  enum bench_family family)
{
	const struct bench_pair *pair = &statistic->of[family];

	return bench_difference(results, pair->one, pair->other) /
	       statistic->divisor;
}

double bench_figure_spread(const struct bench_results *results,
			   const struct bench_figure *statistic)
{
	const struct bench_pair *pair = &statistic->of[BENCH_TASKACCT];

	return bench_spread(results, pair->one, pair->other) / statistic->divisor;
}

double bench_figure_limit(const struct bench_results *results,
			  const struct bench_figure *statistic)
{
	switch (statistic->target) {
	case BENCH_HOOK_LIMIT:
		return strncmp(bench_module_hook(), "tracepoint:", 11) ?
			       OTHER_HOOK_LIMIT : TRACEPOINT_LIMIT;
	case BENCH_INTREE:
		return bench_figure_value(results, statistic, BENCH_TASKSTATS);
	case BENCH_FIFTH:
		return bench_difference(results, statistic->whole, BENCH_NONE) / 5;
	default:
		return statistic->limit;
	}
}

bool bench_figure_met(const struct bench_results *results,
		      const struct bench_figure *statistic)
{
	if (statistic->target == BENCH_NO_TARGET ||
	    !bench_figure_has(results, statistic, BENCH_TASKACCT))
		return true;
	return bench_figure_value(results, statistic, BENCH_TASKACCT) <=
	       bench_figure_limit(results, statistic);
}
