// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin for QEMU that counts how often each instruction is executed while the benchmark
 * measures: tests/bench/profile loads it, and reads what it writes.
 *
 * Its argument is to=FILE, of which each line is the number of a value that the benchmark has
 * added, from 0 up, an address, and how often the instruction there was executed for it. There
 * is one virtual CPU.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "plugin.h"

#define BUCKETS		(1 << 20)

/* The instruction of a mark: what it begins with, and its length */
#define MARK_LENGTH	7
static const unsigned char mark_begin[] = { 0x0f, 0x1f, 0x80 };

/**
 * struct place - an address that was executed from
 * @address: the address
 * @count: how often since a value was added last
 * @next: the next of its bucket
 * @touched: the next of those whose count is not 0
 */
struct place {
	uint64_t address;
	uint64_t count;
	struct place *next;
	struct place *touched;
};

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct place *buckets[BUCKETS];
static struct place *touched;
static FILE *file;
static unsigned int values;

/* Not 0 while it is measured */
static struct qemu_plugin_u64 measuring;
static bool is_measuring;

static void count(unsigned int cpu, void *data)
{
	struct place *place = data;

	if (!place->count++) {
		place->touched = touched;
		touched = place;
	}
}

static void turn(unsigned int cpu, void *data)
{
	is_measuring = !is_measuring;
	qemu_plugin_u64_set(measuring, cpu, is_measuring);
}

static void write_value(unsigned int cpu, void *data)
{
	for (; touched; touched = touched->touched) {
		fprintf(file, "%u %llx %llu\n", values, (unsigned long long)touched->address,
			(unsigned long long)touched->count);
		touched->count = 0;
	}
	fflush(file);
	values++;
}

static struct place *place_of(uint64_t address)
{
	struct place **bucket = &buckets[address % BUCKETS];
	struct place *place;

	for (place = *bucket; place; place = place->next)
		if (place->address == address)
			return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		abort();
	place->address = address;
	place->next = *bucket;
	*bucket = place;
	return place;
}

/* Returns 0 where it is none. */
static uint32_t mark_of(const struct qemu_plugin_insn *insn)
{
	unsigned char bytes[MARK_LENGTH];
	uint32_t mark;

	if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes) ||
	    memcmp(bytes, mark_begin, sizeof(mark_begin)))
		return 0;
	memcpy(&mark, bytes + sizeof(mark_begin), sizeof(mark));
	return mark;
}

static void translate(struct qemu_plugin_insn *insn)
{
	const uint64_t address = qemu_plugin_insn_vaddr(insn);
	const uint32_t mark = mark_of(insn);

	if (mark == BENCH_MARK_TURN)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, turn, QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (mark == BENCH_MARK_ADDED)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, write_value,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
	else
		qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, count, QEMU_PLUGIN_CB_NO_REGS,
							    QEMU_PLUGIN_COND_NE, measuring, 0,
							    place_of(address));
}

static void translate_block(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		translate(qemu_plugin_tb_get_insn(tb, i));
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "to=", 3))
		return -1;
	file = fopen(argv[0] + 3, "we");
	if (!file)
		return -1;
	measuring.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_block);
	return 0;
}
