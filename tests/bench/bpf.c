// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of the eBPF program's ring buffer
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "bpf.h"
#include "util.h"
#include "way.h"

#define KERNEL_TYPES	"/sys/kernel/btf/vmlinux"

/* What the kernel puts before each record */
#define RECORD_HEADER	8

/* The program itself, as clang made it */
__asm__(".section .rodata\n"
	".balign 8\n"
	"bench_bpf_program:\n"
	".incbin \"" BPF_OBJECT "\"\n"
	"bench_bpf_size:\n"
	".quad . - bench_bpf_program\n"
	".previous\n");

static struct bpf_object *object;
static struct bpf_link *attached;
static struct ring_buffer *buffer;
static const uint64_t *lost;
/* What there was, whoever asked for it: waiting reads as well. */
static struct bench_read taken;

static const char *missing(void)
{
	return access(KERNEL_TYPES, R_OK) ? "no " KERNEL_TYPES : NULL;
}

static int print_warning(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

static void set_wake_bytes(uint64_t bytes)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");

	if (!map || bpf_map__set_initial_value(map, &bytes, sizeof(bytes)))
		bench_die("set a constant of the eBPF program");
}

/* The program's only variable is mapped from when it is loaded. */
static const uint64_t *find_lost(void)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss");
	size_t size;
	const void *at = map ? bpf_map__initial_value(map, &size) : NULL;

	if (!at || size != sizeof(uint64_t))
		bench_die("find a variable of the eBPF program");
	return at;
}

static int take(void *sum, void *data, size_t size)
{
	struct bench_read *to = sum;

	to->exits++;
	return 0;
}

static void load(unsigned int records)
{
	const struct bpf_object_open_opts options = {
		.sz = sizeof(options),
		.object_name = "bench_exit",
	};
	const uint64_t record = sizeof(struct bench_bpf_exit) + RECORD_HEADER;

	libbpf_set_print(print_warning);
	object = bpf_object__open_mem(bench_bpf_program, bench_bpf_size, &options);
	if (!object)
		bench_die("open the eBPF program");
	set_wake_bytes(records * record);
	if (bpf_object__load(object))
		bench_die("load the eBPF program");
	lost = find_lost();
}

static void open_buffer(const struct bench_ask *ask)
{
	load(ask->records);
	taken = (struct bench_read){};
	buffer = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "exits"), take,
				  &taken, NULL);
	attached = bpf_program__attach(bpf_object__find_program_by_name(object, "on_exit"));
	if (!buffer || !attached)
		bench_die("attach the eBPF program");
}

static void wait_for_wakeup(void)
{
	const int n = ring_buffer__poll(buffer, -1);

	errno = n < 0 ? -n : 0;
	if (errno && errno != EINTR)
		bench_die("wait for the eBPF program");
}

static void read_all(struct bench_read *sum)
{
	if (ring_buffer__consume(buffer) < 0)
		bench_die("read what the eBPF program wrote");
	sum->exits = taken.exits;
}

static void ask_lost(struct bench_read *sum)
{
	sum->told = true;
	sum->lost = __atomic_load_n(lost, __ATOMIC_RELAXED);
}

static void close_buffer(void)
{
	bpf_link__destroy(attached);
	ring_buffer__free(buffer);
	bpf_object__close(object);
}

const struct bench_way bench_way_bpf = {
	.missing = missing,
	.open = open_buffer,
	.wait = wait_for_wakeup,
	.read = read_all,
	.lose = ask_lost,
	.close = close_buffer,
};
