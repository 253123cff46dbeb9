/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_PROFILE_H
#define BENCH_PROFILE_H

/**
 * bench_profile_to() - leave there what tests/bench/profile needs beside the plugin's counts
 * @dir: a directory, in which file "values" has the names of the series that values are
 *	added to, in that order, and a line "load" wherever the module is loaded; for each of
 *	these a file "symbols.N" has what is where from then on, N from 0 up
 */
void bench_profile_to(const char *dir);

/**
 * bench_profile_loaded() - the module has been loaded
 */
void bench_profile_loaded(void);

/**
 * bench_profile_added() - a value has been added
 * @series: to which series
 * @value: the value
 */
void bench_profile_added(unsigned int series, double value);

#endif /* BENCH_PROFILE_H */
