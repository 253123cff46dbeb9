// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device of shared memory, by system calls at random: processes of several users open,
 * map, unmap, protect, move, poll, resize, duplicate, send and close it while tasks end. No
 * call fails but as it should, nothing is ever writable, and nothing is left behind.
 *
 * RING_FUZZ_SEED in the environment is the seed (1). What is found is reported with it, the number
 * of the process and that of the call.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <taskacct.h>

#include "../fuzz/netlink/rng.h"
#include "module.h"
#include "test.h"

#define DEVICE TASKACCT_RING_DEVICE
#define PARAMETER(name) "/sys/module/taskacct/parameters/" name
#define REFERENCES "/sys/module/taskacct/refcnt"
#define MAPS_FILE "/proc/self/maps"
#define MEMORY_FILE "/proc/self/mem"
#define USER 65534

/* Calls that each process makes, of those that take little */
#define CALLS 16000

/* Descriptors and maps that a process has at a time, and the number of the first of those */
#define SLOTS 6
#define FIRST_FD 100

/* Where maps are moved to: a place for each */
#define PLACE_PAGES 64
#define PLACES_PAGES (1 + SLOTS * PLACE_PAGES)

/* A map and sizes that a resize may have; more would be most of the VM's memory. */
#define PAGES_MAX 400
#define SIZE_LOG_MAX 20

/* What may be in use less or more afterwards: what CPUs keep at hand, and other processes */
#define FILES_DRIFT 200
#define MEMORY_DRIFT_KIB (64 << 10)

#define WANTS (TASKACCT_RING_WAITS | TASKACCT_RING_MEMORY | TASKACCT_WANT_EXE_PATH | \
	       TASKACCT_WANT_CGROUP_PATH | TASKACCT_WANT_CMDLINE)

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Who makes the calls */
enum who {
	ROOT,
	/* Nobody, and nobody with what root had opened */
	NOBODY,
	HEIR,
	/* Root of a user namespace of its own */
	STRANGER,
	KINDS,
};

/* What has to have gone well at least once, for all else to say anything */
enum success {
	OPENED,
	MAPPED,
	MOVED,
	RESIZED,
	RECEIVED,
	SUCCESSES,
};

/**
 * struct shared - what all processes of a test share
 * @bad: the first thing that was wrong, in words
 * @stop: no more
 * @successes: by kind, how often
 */
struct shared {
	char bad[200];
	int stop;
	unsigned long successes[SUCCESSES];
};

/**
 * struct map - a map of the device
 * @at: where it is; NULL: there is none
 * @pages: how many
 * @first: which of the device's comes first
 */
struct map {
	char *at;
	size_t pages;
	size_t first;
};

/**
 * struct fuzz - a process
 * @rng: what it does next is made from this
 * @who: whose it is
 * @number: its number in the test
 * @call: that of the call
 * @is_child: it was made by another one
 * @has: which descriptors are the device's, or were opened with O_PATH
 * @maps: what is mapped
 * @places: where maps are moved to
 * @epoll: a descriptor of epoll
 * @sockets: two ends, which all processes have
 */
struct fuzz {
	struct rng rng;
	enum who who;
	unsigned int number;
	unsigned int call;
	bool is_child;
	enum { CLOSED, PATH, OPEN } has[SLOTS];
	struct map maps[SLOTS];
	char *places;
	int epoll;
	const int *sockets;
};

static struct shared *shared;
static size_t page;

static uint64_t seed(void)
{
	const char *text = getenv("RING_FUZZ_SEED");

	return text ? strtoull(text, NULL, 0) : 1;
}

static void note_bad(const struct fuzz *f, const char *what, int err)
{
	char bad[sizeof(shared->bad)];

	snprintf(bad, sizeof(bad), "seed %llu, process %u, call %u: %s: %s",
		 (unsigned long long)seed(), f->number, f->call, what, strerror(err));
	if (!shared->bad[0])
		memcpy(shared->bad, bad, sizeof(bad));
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
}

static bool is_over(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

static void succeed(enum success what)
{
	__atomic_add_fetch(&shared->successes[what], 1, __ATOMIC_RELAXED);
}

/* @right: errors that there may be, and 0 where it may succeed; -1 is the end */
static void judge(const struct fuzz *f, const char *what, int err, const int *right)
{
	while (*right >= 0 && *right != err)
		right++;
	if (*right < 0)
		note_bad(f, what, err);
}

#define MAY(f, what, err, ...) judge(f, what, err, (const int[]){ __VA_ARGS__, -1 })

static int error_of(long result)
{
	return result == -1 ? errno : 0;
}

static unsigned int below(struct fuzz *f, unsigned int n)
{
	return rng_below(&f->rng, n);
}

static bool one_in(struct fuzz *f, unsigned int n)
{
	return rng_one_in(&f->rng, n);
}

/* A descriptor that may be there or not */
static unsigned int any_slot(struct fuzz *f)
{
	return below(f, SLOTS);
}

static int fd_of(unsigned int slot)
{
	return FIRST_FD + (int)slot;
}

/* A map that there is; NULL: there is none */
static struct map *any_map(struct fuzz *f)
{
	unsigned int i = any_slot(f), n;

	for (n = 0; n < SLOTS; n++, i = (i + 1) % SLOTS)
		if (f->maps[i].at)
			return &f->maps[i];
	return NULL;
}

/* Numbers at the edges of what there is, or any */
static uint64_t any_number(struct fuzz *f)
{
	static const uint64_t edges[] = {
		0, 1, 7, 8, 0x80, 0xff, 0x100, 4095, 4096, INT32_MAX, UINT32_MAX,
		TASKACCT_RING_MAP_MAX, INT64_MAX, UINT64_MAX,
	};

	return one_in(f, 3) ? rng_next(&f->rng) : edges[below(f, ARRAY_SIZE(edges))];
}

/* What was open at a slot is closed by it. */
static void put_into(struct fuzz *f, unsigned int slot, int fd, bool is_path)
{
	dup3(fd, fd_of(slot), one_in(f, 2) ? O_CLOEXEC : 0);
	close(fd);
	f->has[slot] = is_path ? PATH : OPEN;
}

static void do_open(struct fuzz *f)
{
	static const int more[] = {
		0, 0, 0, 0, O_NONBLOCK, O_APPEND, O_TRUNC, O_NOFOLLOW, O_SYNC, O_NOCTTY,
		O_DIRECT, O_DIRECTORY, O_CREAT, O_CREAT | O_EXCL, O_PATH,
	};
	static const int modes[] = { O_RDONLY, O_RDONLY, O_RDONLY, O_RDWR, O_WRONLY };
	const int flags = modes[below(f, 5)] | more[below(f, ARRAY_SIZE(more))];
	const bool may = flags & O_PATH || (f->who == ROOT && !(flags & O_ACCMODE));
	const int fd = open(DEVICE, flags, 0600), err = error_of(fd);

	if (fd < 0) {
		MAY(f, "open", err, EACCES, EINVAL, ENOTDIR, EEXIST, ENOMEM, EISDIR);
		return;
	}
	if (!may)
		note_bad(f, "opened without the right", flags);
	succeed(OPENED);
	put_into(f, any_slot(f), fd, flags & O_PATH);
}

static void do_close(struct fuzz *f)
{
	const unsigned int slot = any_slot(f);
	const int err = error_of(close(fd_of(slot)));

	if (f->has[slot])
		MAY(f, "close", err, 0);
	else
		MAY(f, "close of nothing", err, EBADF);
	f->has[slot] = CLOSED;
}

static void do_dup(struct fuzz *f)
{
	const unsigned int from = any_slot(f), to = any_slot(f);
	const int err = error_of(dup2(fd_of(from), fd_of(to)));

	if (!f->has[from]) {
		MAY(f, "dup2 of nothing", err, EBADF);
		return;
	}
	MAY(f, "dup2", err, 0);
	f->has[to] = f->has[from];
}

/* Arguments of ioctl() that cannot be read */
static void *nowhere(struct fuzz *f)
{
	void *const places[] = {
		NULL, (void *)8, f->places, (void *)-1, (void *)-4096,
		(void *)0x7ffffffffffff000, (void *)(UINTPTR_MAX / 2 + 1),
	};

	return places[below(f, ARRAY_SIZE(places))];
}

static void do_want(struct fuzz *f, int fd)
{
	uint32_t want = one_in(f, 2) ? WANTS & (uint32_t)rng_next(&f->rng) :
				       (uint32_t)any_number(f);
	const bool is_there = !one_in(f, 6);
	const int err = error_of(ioctl(fd, TASKACCT_RING_WANT, is_there ? &want : nowhere(f)));

	if (!is_there)
		MAY(f, "TASKACCT_RING_WANT of nothing", err, EFAULT);
	else if (want & ~WANTS)
		MAY(f, "TASKACCT_RING_WANT of what there is not", err, EINVAL);
	else
		MAY(f, "TASKACCT_RING_WANT", err, 0);
}

static void do_wake(struct fuzz *f, int fd)
{
	uint64_t at = one_in(f, 2) ? below(f, 1000) : any_number(f);
	const bool is_there = !one_in(f, 6);
	const int err = error_of(ioctl(fd, TASKACCT_RING_WAKE, is_there ? &at : nowhere(f)));

	if (is_there)
		MAY(f, "TASKACCT_RING_WAKE", err, 0);
	else
		MAY(f, "TASKACCT_RING_WAKE of nothing", err, EFAULT);
}

static uint64_t any_size(struct fuzz *f)
{
	static const uint64_t edges[] = {
		0, 1, TASKACCT_RING_SIZE_MIN / 2, TASKACCT_RING_SIZE_MIN - 1,
		TASKACCT_RING_SIZE_MIN + 1, TASKACCT_RING_SIZE_MIN + 4096,
		TASKACCT_RING_MAP_MAX, TASKACCT_RING_MAP_MAX - 1, TASKACCT_RING_MAP_MAX + 1,
		1ULL << 32, 1ULL << 63, UINT64_MAX,
	};

	if (one_in(f, 8))
		return edges[below(f, ARRAY_SIZE(edges))];
	return 1ULL << (15 + below(f, SIZE_LOG_MAX - 15 + 1));
}

/* What there has to be said to a size; 0: it can be had */
static int error_of_size(uint64_t size)
{
	const bool is_one = size >= TASKACCT_RING_SIZE_MIN && !(size & (size - 1));
	const int large = size >= TASKACCT_RING_MAP_MAX ? E2BIG : 0;

	return is_one ? large : EINVAL;
}

static void do_size(struct fuzz *f, int fd)
{
	struct taskacct_ring_sizes sizes = { { any_size(f), any_size(f) } };
	const int first = error_of_size(sizes.size[0]), second = error_of_size(sizes.size[1]);
	const bool is_there = !one_in(f, 8);
	const int err = error_of(ioctl(fd, TASKACCT_RING_SIZE, is_there ? &sizes : nowhere(f)));

	if (f->who != ROOT)
		MAY(f, "TASKACCT_RING_SIZE without the right", err, EPERM);
	else if (!is_there)
		MAY(f, "TASKACCT_RING_SIZE of nothing", err, EFAULT);
	else if (first == EINVAL || (first && !second))
		MAY(f, "TASKACCT_RING_SIZE of what cannot be", err, first);
	else if (second)
		MAY(f, "TASKACCT_RING_SIZE of what cannot be", err, second, first ?: second);
	else
		MAY(f, "TASKACCT_RING_SIZE", err, 0, EBUSY, ENOMEM);
	if (!err)
		succeed(RESIZED);
}

/* Numbers that there are not, and right ones for arguments of another size */
static void do_other(struct fuzz *f, int fd)
{
	uint64_t numbers[2] = { any_number(f), any_number(f) };
	const unsigned int commands[] = {
		_IO('t', 0xe0), _IOR('t', 0xe0, uint32_t), _IOW('t', 0xe0, uint64_t),
		_IOW('t', 0xe1, uint64_t), _IOWR('t', 0xe2, uint64_t), _IO('t', 0xdf),
		_IOW('t', 0xe3, uint64_t), _IOC(3, 't', 0xe1, 0x3fff),
	};
	const unsigned int command = commands[below(f, ARRAY_SIZE(commands))];

	MAY(f, "ioctl that there is not", error_of(ioctl(fd, command, numbers)), ENOTTY);
}

static void do_ioctl(struct fuzz *f)
{
	static void (*const commands[])(struct fuzz *f, int fd) = {
		do_want, do_wake, do_size, do_other,
	};
	const unsigned int slot = any_slot(f);
	uint64_t number = 0;

	if (f->has[slot] == OPEN)
		commands[below(f, ARRAY_SIZE(commands))](f, fd_of(slot));
	else
		MAY(f, "ioctl without a device",
		    error_of(ioctl(fd_of(slot), TASKACCT_RING_WAKE, &number)), EBADF);
}

static bool is_place(const struct fuzz *f, const char *at)
{
	return at >= f->places && at < f->places + PLACES_PAGES * page;
}

/* Among the places nobody else may come to be. */
static void reserve(const struct fuzz *f, char *at, size_t size)
{
	if (is_place(f, at) && mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
				    -1, 0) != at)
		note_bad(f, "a place for a map", errno);
}

static void unmap_pages(const struct fuzz *f, char *at, size_t pages)
{
	MAY(f, "munmap", error_of(munmap(at, pages * page)), 0);
	reserve(f, at, pages * page);
}

static void unmap(const struct fuzz *f, struct map *map)
{
	if (map->at)
		unmap_pages(f, map->at, map->pages);
	map->at = NULL;
}

/* Within the device or not, up to nearly all that can be said */
static uint64_t any_pages(struct fuzz *f)
{
	static const uint64_t edges[] = { 0, 1 << 18, (1 << 18) + 1, 1ULL << 40, 1ULL << 52 };

	if (one_in(f, 8))
		return edges[below(f, ARRAY_SIZE(edges))];
	return one_in(f, 2) ? below(f, 8) : below(f, PAGES_MAX);
}

static void do_map(struct fuzz *f)
{
	static const int prots[] = {
		PROT_READ, PROT_READ, PROT_READ, PROT_READ, PROT_NONE, PROT_READ | PROT_EXEC,
		PROT_WRITE, PROT_READ | PROT_WRITE,
	};
	static const int flags[] = {
		MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED | MAP_POPULATE,
		MAP_SHARED | MAP_LOCKED, MAP_SHARED | MAP_NONBLOCK | MAP_POPULATE, 0,
	};
	const unsigned int slot = any_slot(f);
	const int prot = prots[below(f, ARRAY_SIZE(prots))];
	const uint64_t pages = any_pages(f), first = one_in(f, 2) ? 0 : any_pages(f);
	struct map *map = &f->maps[any_slot(f)];
	void *at;

	unmap(f, map);
	at = mmap(NULL, pages * page, prot, flags[below(f, ARRAY_SIZE(flags))], fd_of(slot),
		  (off_t)(first * page));
	if (at == MAP_FAILED) {
		MAY(f, "mmap", errno, EINVAL, EACCES, EPERM, ENOMEM, EOVERFLOW, EAGAIN, EBADF);
		return;
	}
	*map = (struct map){ at, pages, first };
	if (prot & PROT_WRITE || f->has[slot] != OPEN)
		note_bad(f, "mapped without the right", prot);
	MAY(f, "mprotect for reading", error_of(mprotect(at, pages * page, PROT_READ)), 0);
	succeed(MAPPED);
}

/* A part of a map, from its start or up to its end */
static void do_unmap(struct fuzz *f)
{
	struct map *map = any_map(f);
	size_t gone;

	if (!map)
		return;
	gone = 1 + below(f, (unsigned int)map->pages);
	if (gone == map->pages) {
		unmap(f, map);
	} else if (one_in(f, 2)) {
		map->pages -= gone;
		unmap_pages(f, map->at + map->pages * page, gone);
	} else {
		unmap_pages(f, map->at, gone);
		map->at += gone * page;
		map->first += gone;
		map->pages -= gone;
	}
}

static void do_protect(struct fuzz *f)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_EXEC, PROT_WRITE, PROT_READ | PROT_WRITE,
		PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	const int prot = prots[below(f, ARRAY_SIZE(prots))];
	struct map *map = any_map(f);
	size_t from, pages;

	if (!map)
		return;
	from = below(f, (unsigned int)map->pages);
	pages = 1 + below(f, (unsigned int)(map->pages - from));
	MAY(f, "mprotect", error_of(mprotect(map->at + from * page, pages * page, prot)),
	    EACCES, prot & PROT_WRITE ? EACCES : 0);
	MAY(f, "mprotect for reading",
	    error_of(mprotect(map->at, map->pages * page, PROT_READ)), 0);
}

/* What mremap() has made of a map: pages that it has not any more are nobody's. */
static void note_move(struct fuzz *f, struct map *map, char *at, size_t pages)
{
	if (at != map->at)
		reserve(f, map->at, map->pages * page);
	else if (pages < map->pages)
		reserve(f, at + pages * page, (map->pages - pages) * page);
	map->at = at;
	map->pages = pages;
	succeed(MOVED);
}

/*
 * What is in the place is unmapped before it is known whether a map can be moved there, and so is
 * what it is to have no more. It cannot where it is in parts, of which one was locked, say.
 */
static void note_no_move(struct fuzz *f, struct map *map, char *place, size_t pages,
			 bool is_twice)
{
	reserve(f, place, pages * page);
	if (!is_twice && pages < map->pages) {
		unmap_pages(f, map->at + pages * page, map->pages - pages);
		map->pages = pages;
	}
}

/* It can be moved and made smaller; never larger, nor be there twice. */
static void do_move(struct fuzz *f)
{
	const bool is_twice = one_in(f, 8);
	struct map *map = any_map(f);
	char *place, *at;
	size_t pages;
	int flags;

	if (!map)
		return;
	flags = (int)below(f, 8);
	pages = one_in(f, 4) ? map->pages + 1 + below(f, 100) :
			       1 + below(f, (unsigned int)map->pages);
	/* What is in its place already would be in the way of itself. */
	if (pages > PLACE_PAGES || is_place(f, map->at))
		flags &= ~MREMAP_FIXED;
	place = f->places + (1 + (map - f->maps) * PLACE_PAGES) * (ptrdiff_t)page;
	at = mremap(map->at, is_twice ? 0 : map->pages * page, pages * page, flags, place);
	if (at == MAP_FAILED) {
		MAY(f, "mremap", errno, EINVAL, EFAULT, ENOMEM, EAGAIN);
		if (flags & MREMAP_FIXED)
			note_no_move(f, map, place, pages, is_twice);
		return;
	}
	if (pages > map->pages || is_twice || flags & MREMAP_DONTUNMAP)
		note_bad(f, "a map that is larger or there twice", flags);
	note_move(f, map, at, pages);
}

static void touch(const char *at)
{
	*(const volatile char *)at;
}

/* The last page is there as any other, and the header says what it is. */
static void do_read(struct fuzz *f)
{
	const struct taskacct_ring_header *header;
	const struct map *map = any_map(f);

	if (!map)
		return;
	touch(map->at + (map->pages - 1) * page);
	touch(map->at + below(f, (unsigned int)map->pages) * page + below(f, 4096));
	header = (const void *)map->at;
	if (!map->first && (header->version != TASKACCT_RING_VERSION ||
			    header->lanes != TASKACCT_RING_LANES || header->reserved ||
			    header->map_size < map->pages * page ||
			    header->map_size > TASKACCT_RING_MAP_MAX))
		note_bad(f, "a header that cannot be", 0);
}

static void do_advise(struct fuzz *f)
{
	static const int harmless[] = {
		MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
		MADV_DODUMP, MADV_DONTDUMP, MADV_MERGEABLE, MADV_HUGEPAGE, 20, 21, 22,
	};
	static const int harmful[] = {
		MADV_FREE, MADV_REMOVE, MADV_WIPEONFORK, MADV_POPULATE_WRITE, 1234,
	};
	struct map *map = any_map(f);
	size_t size;

	if (!map)
		return;
	size = page * (1 + below(f, (unsigned int)map->pages));
	if (one_in(f, 3))
		MAY(f, "madvise that writes",
		    error_of(madvise(map->at, size, harmful[below(f, 5)])),
		    EINVAL, EACCES, EFAULT);
	else
		MAY(f, "madvise", error_of(madvise(map->at, size, harmless[below(f, 12)])),
		    0, EINVAL, EBADF, EIO, EAGAIN);
}

static void do_lock(struct fuzz *f)
{
	struct map *map = any_map(f);
	size_t size;

	if (!map)
		return;
	size = map->pages * page;
	MAY(f, "mlock", error_of(mlock(map->at, size)), 0, ENOMEM, EAGAIN, EPERM);
	MAY(f, "msync", error_of(msync(map->at, size, below(f, 8))), 0, EINVAL, EBUSY);
	MAY(f, "munlock", error_of(munlock(map->at, size)), 0);
}

/* A debugger cannot write there, neither. */
static void do_poke(struct fuzz *f)
{
	struct map *map = any_map(f);
	int fd;

	if (!map)
		return;
	fd = open(MEMORY_FILE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (pwrite(fd, "x", 1, (off_t)(uintptr_t)map->at) != -1)
		note_bad(f, "written by " MEMORY_FILE, 0);
	close(fd);
}

/* As the kernel tells it of all maps */
static void do_look(struct fuzz *f)
{
	char line[512], mode[8];
	FILE *file;

	if (!one_in(f, 32))
		return;
	file = fopen(MAPS_FILE, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, DEVICE) && sscanf(line, "%*s %7s", mode) == 1 &&
		    strchr(mode, 'w'))
			note_bad(f, line, 0);
	if (file)
		fclose(file);
}

static void do_poll(struct fuzz *f)
{
	struct pollfd fds[SLOTS];
	unsigned int i;
	int events;

	for (i = 0; i < SLOTS; i++)
		fds[i] = (struct pollfd){ fd_of(i), (short)rng_next(&f->rng), 0 };
	MAY(f, "poll", error_of(poll(fds, SLOTS, one_in(f, 4) ? (int)below(f, 10) : 0)), 0);
	for (i = 0; i < SLOTS; i++) {
		events = fds[i].revents;
		if (f->has[i] == OPEN ? events & ~(POLLIN | POLLRDNORM) : events != POLLNVAL)
			note_bad(f, "events of poll", events);
	}
}

static void do_epoll(struct fuzz *f)
{
	struct epoll_event event = { .events = (uint32_t)rng_next(&f->rng) };
	const unsigned int slot = any_slot(f);
	const int op = EPOLL_CTL_ADD + (int)below(f, 3);
	int err;

	/* Not all events can be asked for together. */
	event.events &= EPOLLIN | EPOLLRDNORM | EPOLLET | EPOLLONESHOT;
	err = error_of(epoll_ctl(f->epoll, op, fd_of(slot), &event));
	if (f->has[slot] == OPEN)
		MAY(f, "epoll_ctl", err, 0, EEXIST, ENOENT, ENOSPC);
	else
		MAY(f, "epoll_ctl of nothing", err, EBADF);
	MAY(f, "epoll_wait", error_of(epoll_wait(f->epoll, &event, 1, 0)), 0);
}

/* Calls that the device does not have */
static long call_in_vain(struct fuzz *f, int fd)
{
	char *to = one_in(f, 2) ? nowhere(f) : (char *)&f->rng;
	const size_t size = (size_t)any_number(f);

	switch (below(f, 8)) {
	case 0: return syscall(SYS_read, fd, to, size);
	case 1: return syscall(SYS_write, fd, to, size);
	case 2: return syscall(SYS_pread64, fd, to, size, 0);
	case 3: return syscall(SYS_ftruncate, fd, (long)below(f, 5000));
	case 4: return syscall(SYS_fallocate, fd, 0, 0L, 4096L);
	case 5: return syscall(SYS_fsync, fd);
	case 6: return syscall(SYS_getdents64, fd, to, size);
	default: return syscall(SYS_fadvise64, fd, 0L, 0L, 99);
	}
}

static void do_vain(struct fuzz *f)
{
	MAY(f, "a call that there is not", error_of(call_in_vain(f, fd_of(any_slot(f)))),
	    EINVAL, EBADF, ENOTDIR, ESPIPE, EFAULT, EPERM);
}

static void do_seek(struct fuzz *f)
{
	const unsigned int slot = any_slot(f);
	const int whence = (int)below(f, 6);
	const long at = lseek(fd_of(slot), (off_t)any_number(f), whence);

	if (at > 0)
		note_bad(f, "a position in the device", 0);
	if (f->has[slot] != OPEN)
		MAY(f, "lseek of nothing", error_of(at), EBADF);
	else
		MAY(f, "lseek", error_of(at), whence > SEEK_HOLE ? EINVAL : 0);
}

/* A message with room for a descriptor, and whether that was opened with O_PATH */
struct letter {
	char is_path;
	struct iovec iov;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg;
};

static void begin_letter(struct letter *l)
{
	memset(l, 0, sizeof(*l));
	l->iov = (struct iovec){ &l->is_path, 1 };
	l->msg = (struct msghdr){
		.msg_iov = &l->iov, .msg_iovlen = 1,
		.msg_control = &l->control, .msg_controllen = sizeof(l->control),
	};
}

static void do_send(struct fuzz *f)
{
	const unsigned int slot = any_slot(f);
	const int fd = fd_of(slot);
	struct letter l;

	if (!f->has[slot])
		return;
	begin_letter(&l);
	l.is_path = f->has[slot] == PATH;
	l.control.head = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(sizeof(fd)),
	};
	memcpy(CMSG_DATA(&l.control.head), &fd, sizeof(fd));
	MAY(f, "sendmsg", error_of(sendmsg(f->sockets[0], &l.msg, MSG_DONTWAIT)),
	    0, EAGAIN, ENOBUFS, ETOOMANYREFS);
}

static void do_receive(struct fuzz *f)
{
	struct letter l;
	int fd;

	begin_letter(&l);
	if (recvmsg(f->sockets[1], &l.msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) {
		MAY(f, "recvmsg", errno, EAGAIN);
		return;
	}
	if (!CMSG_FIRSTHDR(&l.msg)) {
		note_bad(f, "no descriptor came", 0);
		return;
	}
	memcpy(&fd, CMSG_DATA(&l.control.head), sizeof(fd));
	put_into(f, any_slot(f), fd, l.is_path);
	succeed(RECEIVED);
}

static void leave(struct fuzz *f)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++) {
		unmap(f, &f->maps[i]);
		close(fd_of(i));
		f->has[i] = CLOSED;
	}
}

/* Who is alone can make the rings of another size. */
static void do_begin_anew(struct fuzz *f)
{
	unsigned int i;

	if (f->is_child || !one_in(f, 4))
		return;
	for (i = 0; i < 2 * SLOTS; i++)
		do_receive(f);
	leave(f);
	do_open(f);
	for (i = 0; i < SLOTS; i++)
		if (f->has[i] == OPEN)
			do_size(f, fd_of(i));
}

static void do_calls(struct fuzz *f, unsigned int n);

static void be_child(struct fuzz *f)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f->is_child = true;
	if (one_in(f, 6)) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	do_calls(f, below(f, 30));
	_exit(0);
}

/* A child with the same maps and descriptors, which comes to its end or is killed */
static void do_fork(struct fuzz *f)
{
	const bool is_killed = one_in(f, 3);
	int status;
	pid_t pid;

	rng_next(&f->rng);
	if (f->is_child || !one_in(f, 4))
		return;
	pid = fork();
	if (!pid)
		be_child(f);
	rng_next(&f->rng);
	f->is_child = true;
	do_calls(f, below(f, 10));
	f->is_child = false;
	if (is_killed)
		kill(pid, SIGKILL);
	if (pid < 0 || waitpid(pid, &status, 0) != pid ||
	    (status && !(is_killed && status == SIGKILL)))
		note_bad(f, "a child that was killed by the kernel, or none", pid < 0 ? errno : 0);
}

static void do_calls(struct fuzz *f, unsigned int n)
{
	static void (*const calls[])(struct fuzz *f) = {
		do_open, do_open, do_close, do_close, do_dup, do_ioctl, do_ioctl, do_ioctl,
		do_map, do_map, do_unmap, do_protect, do_move, do_read, do_read, do_advise,
		do_lock, do_poke, do_look, do_poll, do_epoll, do_vain, do_seek, do_send,
		do_receive, do_begin_anew, do_fork,
	};

	for (; n && !is_over(); n--, f->call++)
		calls[below(f, ARRAY_SIZE(calls))](f);
}

/* Sleeps on what is opened and closed beside it */
static void *sleep_on_all(void *arg)
{
	struct pollfd fds[SLOTS];
	unsigned int i;

	while (!__atomic_load_n((int *)arg, __ATOMIC_RELAXED)) {
		for (i = 0; i < SLOTS; i++)
			fds[i] = (struct pollfd){ fd_of(i), POLLIN, 0 };
		poll(fds, SLOTS, 5);
	}
	return NULL;
}

static int become(struct fuzz *f)
{
	unsigned int i;
	int fd;

	if (f->who == ROOT)
		return 0;
	for (i = 0; f->who == HEIR && i < SLOTS; i++) {
		fd = open(DEVICE, O_RDONLY);
		if (fd < 0)
			return -1;
		put_into(f, i, fd, false);
	}
	if (f->who == STRANGER && !unshare(CLONE_NEWUSER))
		return rights_map_root(0);
	return setresgid(USER, USER, USER) || setresuid(USER, USER, USER);
}

static int fuzz_it(struct fuzz *f)
{
	const size_t size = PLACES_PAGES * page;
	pthread_t sleeper;
	int done = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rng_of_case(&f->rng, seed(), f->number);
	f->places = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->epoll = epoll_create1(0);
	if (f->places == MAP_FAILED || f->epoll < 0 || become(f) ||
	    pthread_create(&sleeper, NULL, sleep_on_all, &done))
		return 1;
	do_calls(f, (unsigned int)sys_fewer(CALLS));
	__atomic_store_n(&done, 1, __ATOMIC_RELAXED);
	pthread_join(sleeper, NULL);
	return 0;
}

static int end_tasks(int fd, void *arg)
{
	const int cpus = sys_cpus_online();
	unsigned int n = 0;

	(void)fd;
	(void)arg;
	while (!is_over())
		if ((n++ % 2 ? work_exit_pair() : work_exit_on((int)n / 2 % cpus)) < 0)
			return 1;
	return 0;
}

/**
 * struct rest - what there is while nobody has the device
 * @references: of the module
 * @files: that are open
 * @free_kib: memory
 */
struct rest {
	char references[16];
	long files;
	long free_kib;
};

static void look_at(struct rest *rest)
{
	char text[64];

	memset(rest, 0, sizeof(*rest));
	sys_read(REFERENCES, rest->references, sizeof(rest->references));
	if (sys_read("/proc/sys/fs/file-nr", text, sizeof(text)) > 0)
		rest->files = atol(text);
	rest->free_kib = sys_meminfo_kb("MemAvailable");
}

FIXTURE(ring_fuzz) {
	bool able;
	int sockets[2];
	struct rest before;
};

static bool is_at_rest(const struct rest *before, struct rest *now)
{
	char bytes[32] = "";

	look_at(now);
	sys_read(PARAMETER("ring_bytes"), bytes, sizeof(bytes));
	return atoll(bytes) == 0 && !strcmp(now->references, before->references) &&
	       now->files < before->files + FILES_DRIFT &&
	       now->free_kib > before->free_kib - MEMORY_DRIFT_KIB;
}

/* Who has been killed may still be about to go. */
static bool comes_to_rest(const struct rest *before, struct rest *now)
{
	const int64_t end = sys_now_ns() + PATIENCE_MS * 1000000LL;

	while (!is_at_rest(before, now)) {
		if (sys_now_ns() > end)
			return false;
		usleep(100000);
	}
	return true;
}

FIXTURE_SETUP(ring_fuzz)
{
	self->able = sys_in_vm() && !access(DEVICE, F_OK);
	page = (size_t)getpagesize();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, self->sockets));
	look_at(&self->before);
}

/* Files, memory and the module's references are what they were. */
FIXTURE_TEARDOWN(ring_fuzz)
{
	struct rest now;

	close(self->sockets[0]);
	close(self->sockets[1]);
	if (self->able)
		EXPECT_TRUE(comes_to_rest(&self->before, &now))
			TH_LOG("references %s, now %s; files %ld, now %ld; KiB %ld, now %ld",
			       self->before.references, now.references, self->before.files,
			       now.files, self->before.free_kib, now.free_kib);
	munmap(shared, sizeof(*shared));
}

/**
 * struct watch - a reader that is there all the time
 * @fd: the device once more, for what it shows of itself
 * @header: all of it
 * @ring: it reads by this
 * @before: exits that were made before it came
 * @read: exits that it has read
 */
struct watch {
	int fd;
	const struct taskacct_ring_header *header;
	struct taskacct_ring *ring;
	uint64_t before;
	uint64_t read;
};

/* By all CPUs, of both lanes */
static uint64_t made_in(const struct taskacct_ring_header *header)
{
	const struct taskacct_ring_lane *lane;
	uint64_t made = 0;
	unsigned int i;

	for (i = 0; i < header->rings * header->lanes; i++) {
		lane = (const void *)((const char *)header + header->ring_offset +
				      i / header->lanes * header->ring_stride +
				      i % header->lanes * header->lane_stride);
		made += __atomic_load_n(&lane->made, __ATOMIC_ACQUIRE);
	}
	return made;
}

/* Between two exits: what was made before it came is known. */
static void come_in(struct __test_metadata *_metadata, struct watch *w)
{
	do {
		taskacct_ring_close(w->ring);
		w->before = made_in(w->header);
		ASSERT_EQ(0, taskacct_ring_open(&w->ring, NULL));
	} while (made_in(w->header) != w->before);
}

static void watch(struct __test_metadata *_metadata, struct watch *w)
{
	const struct taskacct_ring_sizes sizes = {
		{ TASKACCT_RING_SIZE_MIN, TASKACCT_RING_SIZE_MIN },
	};
	struct taskacct_ring_header first;
	void *at;

	*w = (struct watch){ .fd = open(DEVICE, O_RDONLY | O_CLOEXEC) };
	ASSERT_LE(0, w->fd);
	ASSERT_EQ(0, ioctl(w->fd, TASKACCT_RING_SIZE, &sizes));
	at = mmap(NULL, page, PROT_READ, MAP_SHARED, w->fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	memcpy(&first, at, sizeof(first));
	munmap(at, page);
	at = mmap(NULL, first.map_size, PROT_READ, MAP_SHARED, w->fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	w->header = at;
	come_in(_metadata, w);
}

static void read_on(struct watch *w)
{
	struct taskacct_ring_exit exit;

	while (w->ring && taskacct_ring_next(w->ring, &exit) == 1)
		w->read++;
}

static uint64_t lost_by(const struct watch *w)
{
	return taskacct_ring_lost(w->ring, TASKACCT_RING_PROCESSES) +
	       taskacct_ring_lost(w->ring, TASKACCT_RING_THREADS);
}

/* What was made since it came is what it has read and what it has lost. */
static void leave_off(struct __test_metadata *_metadata, struct watch *w)
{
	uint64_t made;

	do {
		made = made_in(w->header);
		read_on(w);
	} while (made_in(w->header) != made);
	EXPECT_EQ(made - w->before, w->read + lost_by(w));
	TH_LOG("%llu made, %llu read, %llu lost", (unsigned long long)(made - w->before),
	       (unsigned long long)w->read, (unsigned long long)lost_by(w));
	taskacct_ring_close(w->ring);
	munmap((void *)w->header, w->header->map_size);
	close(w->fd);
}

static pid_t start_fuzz(enum who who, unsigned int number, const int sockets[2])
{
	struct fuzz f = { .who = who, .number = number, .sockets = sockets };
	pid_t pid = fork();

	if (!pid)
		_exit(fuzz_it(&f));
	return pid;
}

static void await_fuzz(struct __test_metadata *_metadata, pid_t pid, struct watch *w)
{
	int status;
	pid_t gone;

	while (!(gone = waitpid(pid, &status, WNOHANG))) {
		read_on(w);
		usleep(20000);
	}
	EXPECT_EQ(pid, gone);
	EXPECT_EQ(0, status) TH_LOG("process %d of the fuzzer: %#x", pid, status);
}

/* Processes of all kinds from the first on, beside two that have tasks end */
static void fuzz(struct __test_metadata *_metadata, FIXTURE_DATA(ring_fuzz) *self,
		 unsigned int n, struct watch *w)
{
	struct work enders[2];
	pid_t pids[2 * KINDS];
	unsigned int i;

	TH_LOG("RING_FUZZ_SEED=%llu", (unsigned long long)seed());
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, work_start(&enders[i], end_tasks, NULL));
	for (i = 0; i < n; i++)
		pids[i] = start_fuzz(i % KINDS, i, self->sockets);
	for (i = 0; i < n; i++)
		await_fuzz(_metadata, pids[i], w);
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, work_wait(&enders[i]));
	EXPECT_STREQ("", shared->bad);
	for (i = 0; i <= MOVED; i++)
		EXPECT_LT(0, shared->successes[i]) TH_LOG("success %u", i);
}

/* Devices that were sent and not received are open there. */
static void receive_all(FIXTURE_DATA(ring_fuzz) *self)
{
	struct letter l;
	int fd;

	do {
		begin_letter(&l);
		fd = -1;
		if (recvmsg(self->sockets[1], &l.msg, MSG_DONTWAIT) == 1)
			memcpy(&fd, CMSG_DATA(&l.control.head), sizeof(fd));
	} while (fd >= 0 && !close(fd));
}

/* When nobody has the device: everything that ends is there, and none is lost. */
static void read_whole(struct __test_metadata *_metadata, FIXTURE_DATA(ring_fuzz) *self)
{
	struct rest now;
	struct watch w;
	int i;

	receive_all(self);
	ASSERT_TRUE(comes_to_rest(&self->before, &now));
	watch(_metadata, &w);
	for (i = 0; i < 20; i++)
		EXPECT_LT(0, work_exit_pair());
	read_on(&w);
	EXPECT_LE(40, w.read);
	EXPECT_EQ(0, lost_by(&w));
	leave_off(_metadata, &w);
}

/* One process of root's, which can make the rings of another size */
TEST_F(ring_fuzz, alone)
{
	struct watch none = { 0 };

	NEED_VM();
	ASSERT_TRUE(self->able);
	fuzz(_metadata, self, 1, &none);
	EXPECT_LT(0, shared->successes[RESIZED]);
	read_whole(_metadata, self);
}

/* Of each kind of user, two; the rings go and come. */
TEST_F(ring_fuzz, together)
{
	struct watch none = { 0 };

	NEED_VM();
	ASSERT_TRUE(self->able);
	fuzz(_metadata, self, 2 * KINDS, &none);
	EXPECT_LT(0, shared->successes[RECEIVED]);
	read_whole(_metadata, self);
}

/* R36: what they do is nothing to one who reads, and loses exactly what it says. */
TEST_F(ring_fuzz, beside_a_reader)
{
	struct watch w;

	NEED_VM();
	ASSERT_TRUE(self->able);
	watch(_metadata, &w);
	fuzz(_metadata, self, KINDS, &w);
	leave_off(_metadata, &w);
}

TEST_HARNESS_MAIN
