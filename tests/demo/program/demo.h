/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program to be built and run while its accounts are watched: each of its
 * parts uses something else.
 */
#ifndef DEMO_H
#define DEMO_H

/* Count the primes below a limit: CPU time. */
unsigned long demo_primes(unsigned long limit);

/* Count the lines of a file: reads. */
long demo_lines(const char *path);

/* Run a number of threads that sleep, compute and sleep: context switches. */
int demo_threads(int count, unsigned int milliseconds);

#endif /* DEMO_H */
