/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_MAX_ROUNDS	100
#define BENCH_MAX_EXITS		1000

/* What exits */
enum bench_kind {
	BENCH_PROCESS,		/* a process with one thread */
	BENCH_THREAD,		/* a thread of a process that goes on */
	BENCH_GROUP,		/* a process with several threads */
	BENCH_KINDS,
};

/* Who is there to notice, in the order in which they are measured */
enum bench_state {
	BENCH_OFF,		/* module absent, nobody listens */
	BENCH_INTREE_1,		/* module absent, listeners of TASKSTATS */
	BENCH_INTREE_2,
	BENCH_INTREE_8,
	BENCH_BPF_1,		/* eBPF programs with a ring buffer and a reader each */
	BENCH_BPF_8,
	BENCH_CONNECTOR_1,	/* a listener of the process connector */
	BENCH_ACCT_FILE,	/* acct(2), into a file in memory */
	BENCH_IDLE,		/* module loaded, nobody listens */
	BENCH_TASKACCT_1,	/* module loaded, listeners of TASKACCT */
	BENCH_TASKACCT_2,
	BENCH_TASKACCT_8,
	BENCH_TASKACCT_FULL,	/* one listener whose buffer is full */
	BENCH_EXCLUDED,		/* one whose filter no exit meets */
	BENCH_EXTENDED_1,	/* listeners that want the extended record too */
	BENCH_EXTENDED_8,
	BENCH_BATCHED_1,	/* and that get several messages at a time */
	BENCH_BATCHED_8,
	BENCH_RING_BARE,	/* one reader of the shared memory, asleep; records alone */
	BENCH_RING_1,		/* such readers that want what a task has at its exit */
	BENCH_RING_2,
	BENCH_RING_8,
	BENCH_RING_64,
	BENCH_AWAKE_1,		/* such readers that have read all, and do not sleep */
	BENCH_AWAKE_2,
	BENCH_AWAKE_8,
	BENCH_AWAKE_64,
	BENCH_STOPPED_1,	/* such readers that are stopped */
	BENCH_STOPPED_2,
	BENCH_STOPPED_8,
	BENCH_STOPPED_64,
	BENCH_UID,		/* totals per user are kept, nobody listens */
	BENCH_OFF_AGAIN,	/* module gone again, nobody listens */
	BENCH_STATES,
};

/* What is asked */
enum bench_question {
	BENCH_EMPTY,		/* nothing: netlink acknowledges it itself */
	BENCH_PID,
	BENCH_TGID_1,		/* a process with so many threads */
	BENCH_TGID_100,
	BENCH_TGID_1000,
	BENCH_TGID_5000,
	BENCH_MANY,		/* tasks, several queries to a datagram */
	BENCH_DUMP,		/* all tasks at once, extended records */
	BENCH_PROC,		/* /proc/PID/stat of all processes, per process */
	BENCH_USERS_FIRST,	/* all users, by the first who asks, per task */
	BENCH_USERS,		/* all users again, per task */
	BENCH_USERS_FILE,	/* the same in /proc, per task */
	BENCH_MANY_USERS_FIRST,	/* these of very many users */
	BENCH_MANY_USERS,
	BENCH_MANY_USERS_FILE,
	BENCH_TOP,		/* a refresh of taskacct top, per process */
	BENCH_QUESTIONS,
};

/* Time per CPU: a context switch in each mode, and reading */
enum bench_time {
	BENCH_SWITCH_OFF,
	BENCH_SWITCH_ON,
	BENCH_SWITCH_FULL,
	BENCH_SWITCH_OFF_AGAIN,
	BENCH_READ_NOTHING,	/* the loop alone */
	BENCH_READ_ONE,		/* one counter, by mmap */
	BENCH_READ_CPU,		/* all classes of a CPU up to now, by mmap */
	BENCH_READ_OURS,	/* /proc/taskacct/stat */
	BENCH_READ_THEIRS,	/* /proc/stat */
	BENCH_TIMES,
};

/* What must not cost more where the module keeps much */
enum bench_load {
	BENCH_LOAD_PROCESS,	/* an exit, by enum bench_kind */
	BENCH_LOAD_THREAD,
	BENCH_LOAD_GROUP,
	BENCH_LOAD_PID,		/* a query */
	BENCH_LOAD_TGID,
	BENCH_LOAD_DEAD,	/* of a process whose threads have all ended */
	BENCH_LOAD_USERS,	/* a reading of all users, per live task */
	BENCH_LOADS,
};

/* How much it keeps */
enum bench_amount {
	BENCH_LITTLE_KEPT,
	BENCH_MUCH_KEPT,
	BENCH_AMOUNTS,
};

/* Who reads exits until the last of some records is read */
enum bench_reader {
	BENCH_READER_NONE,
	BENCH_READER_INTREE,
	BENCH_READER_NETLINK,
	BENCH_READER_RING,
	BENCH_READER_BPF,
	BENCH_READER_KINDS,
};

/* How many of them */
enum bench_crowd {
	BENCH_CROWD_ONE,
	BENCH_CROWD_EIGHT,
	BENCH_CROWDS,
};

/* How many threads end together */
enum bench_storm {
	BENCH_STORM_1000,
	BENCH_STORM_3000,
	BENCH_STORM_10000,
	BENCH_STORM_30000,
	BENCH_STORMS,
};

/* What is lost of them */
enum bench_loss {
	BENCH_LOST_THREADS,
	BENCH_LOST_PROCESSES,
	BENCH_LOSSES,
};

/* Entries in shared memory */
enum bench_entry {
	BENCH_ENTRY_THREAD,
	BENCH_ENTRY_SINGLE,	/* a process of one thread */
	BENCH_ENTRY_PROCESS,	/* one of several: its last thread, and itself */
	BENCH_ENTRIES,
};

enum bench_family {
	BENCH_TASKSTATS,
	BENCH_TASKACCT,
	BENCH_FAMILIES,
};

/* Their names in bench.json */
extern const char *const bench_kinds[BENCH_KINDS];
extern const char *const bench_families[BENCH_FAMILIES];

/*
 * All that is measured has a number: exits one by one, exits in a burst,
 * queries, time per CPU, what is measured by how much the module keeps, exits up to their
 * having been read, in percent what is lost when many end together, and the bytes of an entry.
 */
#define BENCH_EXIT(state, kind)		((state) * BENCH_KINDS + (kind))
#define BENCH_BURST(state, kind)	((BENCH_STATES + (state)) * \
					 BENCH_KINDS + (kind))
#define BENCH_QUERY(question, family)	(2 * BENCH_STATES * BENCH_KINDS + \
					 (question) * BENCH_FAMILIES + (family))
#define BENCH_TIME_FIRST		(2 * BENCH_STATES * BENCH_KINDS + \
					 BENCH_QUESTIONS * BENCH_FAMILIES)
#define BENCH_TIME(time)		(BENCH_TIME_FIRST + (time))
#define BENCH_LOAD_FIRST		(BENCH_TIME_FIRST + BENCH_TIMES)
#define BENCH_LOAD(load, amount)	(BENCH_LOAD_FIRST + \
					 (load) * BENCH_AMOUNTS + (amount))
#define BENCH_END_FIRST			(BENCH_LOAD_FIRST + \
					 BENCH_LOADS * BENCH_AMOUNTS)
#define BENCH_END(reader, crowd)	(BENCH_END_FIRST + \
					 (reader) * BENCH_CROWDS + (crowd))
#define BENCH_LOSS_FIRST		(BENCH_END_FIRST + \
					 BENCH_READER_KINDS * BENCH_CROWDS)
#define BENCH_LOSS(loss, storm, reader)	(BENCH_LOSS_FIRST + \
					 ((loss) * BENCH_STORMS + (storm)) * \
					 BENCH_READER_KINDS + (reader))
#define BENCH_BYTES_FIRST		(BENCH_LOSS_FIRST + BENCH_LOSSES * \
					 BENCH_STORMS * BENCH_READER_KINDS)
#define BENCH_BYTES(entry)		(BENCH_BYTES_FIRST + (entry))
#define BENCH_SERIES			(BENCH_BYTES_FIRST + BENCH_ENTRIES)

/**
 * struct bench_series - one thing that was measured, round by round
 * @n: how many times; 0 if it is not measured
 * @at: instructions per exit or per query; percent; bytes
 */
struct bench_series {
	unsigned int n;
	double at[BENCH_MAX_ROUNDS];
};

/**
 * struct bench_messages - what became of the messages of exits
 * @sent: exits that a listener received, summed over the listeners
 * @received: messages that arrived
 * @lost: messages that were reported lost
 */
struct bench_messages {
	uint64_t sent;
	uint64_t received;
	uint64_t lost;
};

/**
 * struct bench_results - all that was measured
 * @rounds: how many there are
 * @exits: exits of each kind in a round, one by one, and again in a burst
 * @brief: of exits only few states are measured, one by one, of processes of one thread and
 *	of threads
 * @series: by number, see BENCH_EXIT() and those after it
 * @messages: by family
 */
struct bench_results {
	unsigned int rounds;
	unsigned int exits;
	bool brief;
	struct bench_series series[BENCH_SERIES];
	struct bench_messages messages[BENCH_FAMILIES];
};

/**
 * bench_add() - add a round's value
 * @results: where to
 * @series: its number
 * @value: the value
 */
void bench_add(struct bench_results *results, unsigned int series,
	       double value);

/**
 * bench_median() - find the median
 * @values: of these; sorted afterwards
 * @n: how many, at least one
 *
 * Return: the median; 0 of none.
 */
double bench_median(double *values, unsigned int n);

/**
 * bench_difference() - compare two series
 * @results: where they are
 * @one: number of a series that was measured
 * @other: of the one to subtract, or -1 for nothing
 *
 * Return: the median of the differences, round by round.
 */
double bench_difference(const struct bench_results *results, int one,
			int other);

/**
 * bench_spread() - how far the middle half of the rounds of a comparison is apart
 * @results: where they are
 * @one: as for bench_difference()
 * @other: the same
 *
 * Return: of the differences the one below which three quarters are, less that below which
 * a quarter is: one round that was disturbed is in neither.
 */
double bench_spread(const struct bench_results *results, int one, int other);

/**
 * bench_name() - name a series
 * @series: its number
 * @name: receives the name, such as "exit.thread.taskacct_1"
 * @size: of @name
 */
void bench_name(unsigned int series, char *name, size_t size);

#endif /* BENCH_RESULTS_H */
