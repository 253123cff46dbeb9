/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_PLUGIN_H
#define BENCH_PLUGIN_H

/*
 * What profile-plugin.c uses of QEMU's interface for plugins. Debian's packages do not have
 * the header of it.
 */
#include <stddef.h>
#include <stdint.h>

/* The version of the interface in which these are as they stand here */
#define QEMU_PLUGIN_VERSION	4

#define QEMU_PLUGIN_CB_NO_REGS	0
#define QEMU_PLUGIN_COND_NE	3

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

/* A number of each CPU's, which translated code reads by itself */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

/* The plugin has these two; the second is called when it is loaded, and returns 0. */
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id,
								     struct qemu_plugin_tb *tb));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*call)(unsigned int cpu, void *data), int flags,
					    void *data);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 void (*call)(unsigned int cpu, void *data),
						 int flags, int condition,
						 struct qemu_plugin_u64 number, uint64_t value,
						 void *data);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void qemu_plugin_u64_set(struct qemu_plugin_u64 number, unsigned int cpu, uint64_t value);

#endif /* BENCH_PLUGIN_H */
