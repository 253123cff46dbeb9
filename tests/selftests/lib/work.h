/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work for the kernel to account: processes that wait for orders, threads,
 * and loads of known size.
 */
#ifndef SELFTESTS_WORK_H
#define SELFTESTS_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct work - a child process that waits for orders
 * @pid: the process
 * @fd: end of a socket pair; the child has the other
 */
struct work {
	pid_t pid;
	int fd;
};

/* Body of a child; what it returns is its exit status. */
/* As many threads as work_threads() has at most */
#define WORK_THREADS 16

typedef int (*work_fn)(int fd, void *arg);
typedef int (*work_thread_fn)(void *arg);

int work_start(struct work *w, work_fn fn, void *arg);
int work_await_end(pid_t pid);
pid_t work_reap(pid_t pid, int *status);
int work_wait(struct work *w);
bool work_is_running(pid_t pid);
int work_tell(struct work *w, char order);
char work_hear(struct work *w);
int work_send(int fd, char word);
char work_order(int fd);
int work_round(struct work *w, char order);
int work_settle(pid_t pid);
pid_t work_exit_on(int cpu);
pid_t work_exit_process(int status);
pid_t work_exit_pair(void);
int work_become(uid_t uid);
int work_stand_still(int fd, void *arg);
int work_exits(int fd, void *arg);

int work_pin(int cpu);
void work_pin_any(void);
pid_t work_tid(void);
bool work_ring_sync(const char *path);

void work_read(unsigned int count, size_t bytes);
void work_write(unsigned int count, size_t bytes);
void work_touch(size_t size);
void work_fault(unsigned int pages);
void work_burn(int64_t ns);
void work_spin(int64_t ns);
uint64_t work_thread_ns(void);
uint64_t work_spin_known(int64_t ns, int64_t *at);
int work_threads(unsigned int n, void *(*fn)(void *arg));
void work_switch(unsigned int count);
void work_mix(unsigned int seed);
unsigned int work_luck(unsigned int a, unsigned int b, unsigned int max);
void work_dawdle(unsigned int n);
void work_stay(void);

/* Threads without the C library's luggage: no more than a stack each. */
#define WORK_STACK 16384

pid_t work_raw_process(work_thread_fn fn, void *arg, void *stack);
pid_t work_raw_thread(work_thread_fn fn, void *arg, void *stack, int *gone);
void work_raw_join(int *gone);
void *work_stacks(unsigned int n);
void work_raw_exit(int status);
int work_raw_end(void *arg);
int work_leave_behind(int fd, void (*last)(void));
void work_wait_for(int *word, int value);
void work_wake(int *word, int value);

#endif /* SELFTESTS_WORK_H */
