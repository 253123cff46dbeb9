// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children, threads and loads.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys.h"
#include "work.h"

/**
 * work_start() - fork a child that runs a function
 * @w: filled in
 * @fn: the function; the child exits with what it returns
 * @arg: for @fn
 *
 * The child is killed if the test dies, so that no test leaves any behind.
 *
 * Return: 0 or a negative errno.
 */
int work_start(struct work *w, work_fn fn, void *arg)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	w->pid = fork();
	if (w->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (w->pid == 0) {
		close(fds[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(fn(fds[1], arg));
	}
	close(fds[1]);
	w->fd = fds[0];
	return 0;
}

/*
 * Whether a task that has exited has left its CPU for good, or is about to and does
 * nothing more. Such a one has no stack, or is known to stand still.
 */
static bool is_at_end(pid_t pid)
{
	char path[40], text[128];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	return sys_read(path, text, sizeof(text)) <= 0 ||
	       strncmp(text, "running", 7);
}

/* Where it cannot be seen, as in another pid namespace, it is not waited for long. */
#define END_TRIES 20000
#define END_US 100

/**
 * work_await_end() - wait until a child has exited, and is at its end
 * @pid: the child, which stays a zombie
 *
 * The kernel tells a parent before that, and taskacct tells of its child after it. Of
 * threads of the child that are not its first this says nothing.
 *
 * Return: 0 or a negative errno.
 */
int work_await_end(pid_t pid)
{
	int tries = END_TRIES;
	siginfo_t info;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		return -errno;
	while (!is_at_end(pid) && --tries)
		usleep(END_US);
	return 0;
}

/**
 * work_reap() - wait for a child, as work_await_end(), and let it go
 * @pid: the child
 * @status: receives its wait status; or NULL
 *
 * Return: as waitpid().
 */
pid_t work_reap(pid_t pid, int *status)
{
	work_await_end(pid);
	return waitpid(pid, status, 0);
}

/**
 * work_wait() - end a child's orders and wait for its end
 * @w: the child
 *
 * Return: its wait status.
 */
int work_wait(struct work *w)
{
	int status = -1;

	/* Children that were started later have this end as well. */
	shutdown(w->fd, SHUT_RDWR);
	close(w->fd);
	work_reap(w->pid, &status);
	return status;
}

/**
 * work_is_running() - whether a child has not ended yet
 * @pid: the child, which nobody has waited for
 *
 * Return: true if so.
 */
bool work_is_running(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       !info.si_pid;
}

/**
 * work_send() - send a letter to the other end
 * @fd: one end of the socket pair
 * @word: the letter
 *
 * Return: 0 or a negative errno.
 */
int work_send(int fd, char word)
{
	return send(fd, &word, 1, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/**
 * work_order() - wait for a letter from the other end
 * @fd: one end of the socket pair
 *
 * Return: the letter, or 0 where the other end is gone.
 */
char work_order(int fd)
{
	char word;

	return recv(fd, &word, 1, 0) == 1 ? word : 0;
}

/**
 * work_tell() - give a child an order
 * @w: the child
 * @order: a letter
 *
 * Return: 0 or a negative errno.
 */
int work_tell(struct work *w, char order)
{
	return work_send(w->fd, order);
}

/**
 * work_hear() - wait for a child's letter
 * @w: the child
 *
 * Return: the letter, or 0 where the child is gone.
 */
char work_hear(struct work *w)
{
	return work_order(w->fd);
}

/**
 * work_round() - give an order, wait until it is done and the child asleep
 * @w: the child
 * @order: a letter
 *
 * Return: 0 or a negative errno.
 */
int work_round(struct work *w, char order)
{
	if (work_tell(w, order) || !work_hear(w))
		return -EPIPE;
	return work_settle(w->pid);
}

static bool same_switches(pid_t pid, uint64_t *switches)
{
	uint64_t before = *switches;
	struct sys_task t;
	pid_t tids[SYS_TIDS_MAX];
	int n = sys_tids(pid, tids, SYS_TIDS_MAX);

	if (n > SYS_TIDS_MAX)
		abort();
	*switches = 0;
	while (n-- > 0) {
		if (sys_proc_thread(pid, tids[n], &t))
			return false;
		if (t.state != 'S' && t.state != 'Z')
			return false;
		*switches += t.nvcsw + t.nivcsw + t.runs;
	}
	return *switches == before;
}

/**
 * work_settle() - wait until no thread of a process moves any more
 * @pid: the process
 *
 * Asleep is not enough: a thread is marked so a moment before it leaves its
 * CPU. Its counters have to stand still as well.
 *
 * Return: 0, or -ETIMEDOUT where it does not come to rest.
 */
int work_settle(pid_t pid)
{
	struct timespec nap = { .tv_nsec = 2000000 };
	uint64_t switches = UINT64_MAX;
	int same = 0;
	int i;

	for (i = 0; i < 10000 && same < 3; i++) {
		same = same_switches(pid, &switches) ? same + 1 : 0;
		nanosleep(&nap, NULL);
	}
	return same < 3 ? -ETIMEDOUT : 0;
}

/**
 * work_exit_on() - have a process start and end on one CPU
 * @cpu: the CPU
 *
 * Return: what its pid was, when it is gone, or -1.
 */
pid_t work_exit_on(int cpu)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		if (work_pin(cpu))
			_exit(1);
		_exit(0);
	}
	if (pid < 0 || work_reap(pid, &status) != pid || status)
		return -1;
	return pid;
}

/**
 * work_exit_process() - have a process start and end
 * @status: its exit status
 *
 * Return: what its pid was, when it is gone, or -1.
 */
pid_t work_exit_process(int status)
{
	pid_t pid;
	int got;

	pid = fork();
	if (pid == 0)
		_exit(status);
	if (pid < 0 || work_reap(pid, &got) != pid)
		return -1;
	return pid;
}

static void *end_at_once(void *arg)
{
	return arg;
}

/**
 * work_exit_pair() - a process with two threads comes and goes
 *
 * Return: its pid.
 */
pid_t work_exit_pair(void)
{
	pthread_t t;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		if (pthread_create(&t, NULL, end_at_once, NULL))
			_exit(1);
		pthread_join(t, NULL);
		_exit(0);
	}
	work_reap(pid, NULL);
	return pid;
}

/**
 * work_become() - have the ids of a user, as if one had logged in as him
 * @uid: the user's number, and his group's
 *
 * Whoever has these ids may look into the process then.
 *
 * Return: 0 or -1, with errno.
 */
int work_become(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return -1;
	return prctl(PR_SET_DUMPABLE, 1);
}

/**
 * work_stand_still() - do a bit of everything, then wait to be told to end
 * @fd: where to be told
 * @arg: not used
 *
 * For work_start(); sends 'r' when it is ready.
 *
 * Return: 0.
 */
int work_stand_still(int fd, void *arg)
{
	(void)arg;
	work_mix(6);
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/**
 * work_exits() - body of a child that has processes end, one after the other
 * @fd: sends 'r' there when it begins; ends when anything comes
 * @arg: not used
 *
 * Return: 0.
 */
int work_exits(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	(void)arg;
	work_send(fd, 'r');
	while (poll(&pfd, 1, 0) == 0)
		work_exit_process(0);
	return 0;
}

/**
 * work_pin() - stay on one CPU from now on
 * @cpu: the CPU
 *
 * Return: 0 or a negative errno.
 */
int work_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/**
 * work_pin_any() - run on any CPU again
 */
void work_pin_any(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
}

/**
 * work_tid() - number of the calling thread
 *
 * Return: the number.
 */
pid_t work_tid(void)
{
	return syscall(SYS_gettid);
}

static void move_bytes(const char *path, int flags, unsigned int count,
		       size_t bytes)
{
	int fd = open(path, flags | O_CLOEXEC);
	char *buf = malloc(bytes);
	unsigned int i;
	ssize_t n;

	if (fd < 0 || !buf)
		abort();
	for (i = 0; i < count; i++) {
		n = flags == O_RDONLY ? read(fd, buf, bytes) :
					write(fd, buf, bytes);
		if (n != (ssize_t)bytes)
			abort();
	}
	free(buf);
	close(fd);
}

/**
 * work_read() - so many read system calls of so many bytes each
 * @count: how many
 * @bytes: how many bytes
 */
void work_read(unsigned int count, size_t bytes)
{
	move_bytes("/dev/zero", O_RDONLY, count, bytes);
}

/**
 * work_write() - so many write system calls of so many bytes each
 * @count: how many
 * @bytes: how many bytes
 */
void work_write(unsigned int count, size_t bytes)
{
	move_bytes("/dev/null", O_WRONLY, count, bytes);
}

/**
 * work_touch() - have so much memory, and keep it
 * @size: how much, in bytes
 */
void work_touch(size_t size)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	size_t i;
	char *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	for (i = 0; i < size; i += page)
		((volatile char *)p)[i] = 1;
}

/**
 * work_fault() - so many minor page faults, and so much resident memory
 * @pages: how many pages
 */
void work_fault(unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int i;
	char *p;

	p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	madvise(p, pages * page, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, pages * page);
}

/**
 * work_burn() - use so much CPU time
 * @ns: how much, of the calling thread
 */
void work_burn(int64_t ns)
{
	struct timespec ts;
	int64_t end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	end = ts.tv_sec * 1000000000LL + ts.tv_nsec + ns;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	} while (ts.tv_sec * 1000000000LL + ts.tv_nsec < end);
}

/**
 * work_threads() - have so many threads do something, and wait until they have
 * @n: how many
 * @fn: what each does
 *
 * Return: 0, or 1 if not all could be made.
 */
int work_threads(unsigned int n, void *(*fn)(void *arg))
{
	pthread_t threads[WORK_THREADS];
	unsigned int i, made = 0;

	while (made < n && made < WORK_THREADS &&
	       !pthread_create(&threads[made], NULL, fn, NULL))
		made++;
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	return made < n;
}

/**
 * work_spin() - be in user mode for so long
 * @ns: how long, by the clock, whoever else runs meanwhile
 *
 * As work_burn(), but the kernel is not asked, which would have it count what was run.
 */
void work_spin(int64_t ns)
{
	const int64_t end = sys_now_ns() + ns;

	while (sys_now_ns() < end)
		;
}

/**
 * work_thread_ns() - what the calling thread has run, by the kernel's clock
 *
 * The kernel counts it up to then, which it would not do otherwise.
 *
 * Return: in ns.
 */
uint64_t work_thread_ns(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/**
 * work_spin_known() - be in user mode for so long, and know what was run
 * @ns: how long, by the clock, with nobody else on the CPU
 * @at: receives when that was over, as sys_now_ns() has it; or NULL
 *
 * The kernel is asked at the begin alone: while no other task runs it is what has gone
 * by since. Interrupts are not told apart.
 *
 * Return: what the calling thread has run at least, in ns.
 */
uint64_t work_spin_known(int64_t ns, int64_t *at)
{
	int64_t begin, now;
	uint64_t ran;
	long before;

	do {
		before = switches();
		ran = work_thread_ns();
		begin = sys_now_ns();
		do
			now = sys_now_ns();
		while (now - begin < ns);
	} while (switches() != before);
	if (at)
		*at = now;
	return ran + (now - begin);
}

/**
 * work_switch() - leave the CPU so many times
 * @count: how many times
 */
void work_switch(unsigned int count)
{
	struct timespec nap = { .tv_nsec = 500000 };

	while (count--)
		nanosleep(&nap, NULL);
}

/**
 * work_mix() - some of everything, a little different for each seed
 * @seed: any number
 */
void work_mix(unsigned int seed)
{
	work_read(10 + seed % 7, 700 + seed * 13 % 1000);
	work_write(5 + seed % 5, 500 + seed * 17 % 1000);
	work_fault(20 + seed % 11);
	work_switch(2 + seed % 3);
	work_burn(2000000 + seed % 5 * 1000000);
}

/**
 * work_luck() - a number that looks like chance and is the same each time
 * @a: any number, such as that of a round
 * @b: any number, such as that of a thread
 * @max: it is below this one
 *
 * Return: the number.
 */
unsigned int work_luck(unsigned int a, unsigned int b, unsigned int max)
{
	unsigned int x = (a * 31 + b + 1) * 2654435761U;

	return (x >> 16) % max;
}

/**
 * work_dawdle() - let others go first so many times
 * @n: how many times
 */
void work_dawdle(unsigned int n)
{
	while (n--)
		syscall(SYS_sched_yield);
}

/**
 * work_stay() - sleep until killed
 */
void work_stay(void)
{
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

/**
 * work_raw_process() - start a process that shares this one's memory
 * @fn: what it runs
 * @arg: for @fn
 * @stack: lower end of a stack of WORK_STACK bytes
 *
 * Return: its pid or a negative errno.
 */
pid_t work_raw_process(work_thread_fn fn, void *arg, void *stack)
{
	pid_t pid = clone(fn, (char *)stack + WORK_STACK, CLONE_VM | SIGCHLD,
			  arg);

	return pid < 0 ? -errno : pid;
}

/**
 * work_raw_thread() - start a thread
 * @fn: what it runs
 * @arg: for @fn
 * @stack: lower end of a stack of WORK_STACK bytes
 * @gone: cleared by the kernel, and woken, when the thread has exited
 *
 * The thread has no storage of its own, so @fn does system calls and no more.
 *
 * Return: its number or a negative errno.
 */
pid_t work_raw_thread(work_thread_fn fn, void *arg, void *stack, int *gone)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		    CLONE_THREAD | CLONE_SYSVSEM;
	pid_t tid;

	if (gone) {
		flags |= CLONE_CHILD_CLEARTID;
		*gone = 1;
	}
	tid = clone(fn, (char *)stack + WORK_STACK, flags, arg, NULL, NULL,
		    gone);
	return tid < 0 ? -errno : tid;
}

/**
 * work_raw_join() - wait until a thread has exited
 * @gone: as given to work_raw_thread()
 */
void work_raw_join(int *gone)
{
	while (__atomic_load_n(gone, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, gone, FUTEX_WAIT, 1, NULL, NULL, 0);
}

/**
 * work_stacks() - memory for stacks
 * @n: how many
 *
 * Return: the first of them; the next is WORK_STACK bytes on.
 */
void *work_stacks(unsigned int n)
{
	void *p = mmap(NULL, (size_t)n * WORK_STACK, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/**
 * work_raw_exit() - end the calling thread and no other
 * @status: its exit status
 */
void work_raw_exit(int status)
{
	syscall(SYS_exit, status);
}

/**
 * work_raw_end() - body of a thread that ends at once
 * @arg: not used
 *
 * Return: never.
 */
int work_raw_end(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

/**
 * work_wait_for() - sleep until a word has a value
 * @word: the word
 * @value: the value
 */
void work_wait_for(int *word, int value)
{
	int now;

	while ((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value)
		syscall(SYS_futex, word, FUTEX_WAIT, now, NULL, NULL, 0);
}

/**
 * work_wake() - give a word a value and wake all who wait for it
 * @word: the word
 * @value: the value
 */
void work_wake(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/**
 * work_ring_sync() - have a worker of io_uring write a file to storage, and wait for it
 * @path: the file
 *
 * Return: true if it was done.
 */
bool work_ring_sync(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const struct io_uring_cqe *cqes;
	struct io_uring_params p = {};
	struct io_uring_sqe *sqe;
	size_t of_sq, of_cq;
	uint8_t *ring;
	int uring;
	bool done;

	uring = syscall(__NR_io_uring_setup, 1, &p);
	if (uring < 0 || !(p.features & IORING_FEAT_SINGLE_MMAP))
		return false;
	of_sq = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
	of_cq = p.cq_off.cqes + p.cq_entries * sizeof(*cqes);
	ring = mmap(NULL, of_sq > of_cq ? of_sq : of_cq, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, uring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, sizeof(*sqe), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_POPULATE, uring, IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqe == MAP_FAILED)
		return false;
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_FSYNC, .fd = fd };
	*(uint32_t *)(ring + p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(ring + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	done = syscall(__NR_io_uring_enter, uring, 1, 1, IORING_ENTER_GETEVENTS,
		       NULL, 0) == 1;
	cqes = (const struct io_uring_cqe *)(ring + p.cq_off.cqes);
	return done && !cqes[0].res && !close(uring) && !close(fd);
}

static struct {
	int fd;
	void (*last)(void);
} behind;

static int end_behind(void *arg)
{
	char word;

	(void)arg;
	if (read(behind.fd, &word, 1) != 1)
		return 1;
	if (behind.last)
		behind.last();
	work_raw_exit(0);
	return 0;
}

/**
 * work_leave_behind() - end, but for a thread that ends when it is told, as its process's last
 * @fd: where the order comes from; 'r' is sent there when the thread is there
 * @last: what the thread does last, or NULL
 *
 * Return: 1 if it cannot be done.
 */
int work_leave_behind(int fd, void (*last)(void))
{
	behind.fd = fd;
	behind.last = last;
	if (work_raw_thread(end_behind, NULL, work_stacks(1), NULL) < 0)
		return 1;
	work_send(fd, 'r');
	work_raw_exit(0);
	return 0;
}
