/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_MODULE_H
#define BENCH_MODULE_H

/**
 * bench_module_parameters() - load with parameters from now on
 * @text: such as "hook=kprobe"
 */
void bench_module_parameters(const char *text);

/**
 * bench_module_load() - load taskacct
 * @path: taskacct.ko
 * @more: parameters beside those of bench_module_parameters()
 */
void bench_module_load(const char *path, const char *more);

/**
 * bench_module_unload() - unload taskacct
 */
void bench_module_unload(void);

/**
 * bench_module_hook() - what tells the module of exits
 *
 * Return: such as "ftrace:taskstats_exit"; as of the last load.
 */
const char *bench_module_hook(void);

#endif /* BENCH_MODULE_H */
