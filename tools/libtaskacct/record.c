// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The extended record: a table of its values, and whether they are valid
 *
 * The struct only ever grows at its end, and the header that this is built
 * with says where its members are. What a sender of an older version does not
 * have is told by the length of what it sent.
 */
#include <errno.h>
#include <string.h>

#include "taskacct.h"

/**
 * struct member_place - a value and its place
 * @info: what is told of it
 * @offset: where it is
 * @size: bytes
 */
struct member_place {
	struct taskacct_member_info info;
	uint16_t offset;
	uint16_t size;
};

#define HAS(group) (UINT32_C(1) << TASKACCT_HAS_##group)

/* clang-format off */
#define M(field, member, its_unit, length, its_groups)			\
	[TASKACCT_R_##field] = {					\
		.info = {						\
			.name = #member,				\
			.unit = TASKACCT_UNIT_##its_unit,		\
			.groups = its_groups,				\
		},							\
		.offset = offsetof(struct taskacct_record, member),	\
		.size = length,						\
	}

#define W(field, label, kind, part, its_unit, its_groups)		\
	[TASKACCT_R_WAIT_##field] = {					\
		.info = {						\
			.name = "wait_" label,				\
			.unit = TASKACCT_UNIT_##its_unit,		\
			.groups = its_groups,				\
		},							\
		.offset = offsetof(struct taskacct_record,		\
				   wait[TASKACCT_WAIT_##kind].part),	\
		.size = 8,						\
	}

/* value, member, unit, size, groups; of waits also name, kind and part */
static const struct member_place places[TASKACCT_MEMBERS] = {
	M(VERSION, version, NUMBER, 2, 0),
	M(KIND, kind, NUMBER, 2, 0),
	M(FLAGS, flags, NUMBER, 4, 0),
	M(VALID, valid, NUMBER, 4, 0),
	M(ABSENT, absent, NUMBER, 4, 0),
	M(OFF, off, NUMBER, 4, 0),
	M(LATE, late, NUMBER, 4, 0),
	M(GONE, gone, NUMBER, 4, 0),
	M(CPU_ACCOUNTING, cpu_accounting, NUMBER, 1, 0),
	M(POLICY, policy, NUMBER, 1, 0),
	M(NICE, nice, SIGNED, 1, 0),
	M(COMM, comm, TEXT, 16, 0),
	M(PID, pid, NUMBER, 4, 0),
	M(TGID, tgid, NUMBER, 4, 0),
	M(PPID, ppid, NUMBER, 4, 0),
	M(INIT_PID, init_pid, NUMBER, 4, 0),
	M(INIT_TGID, init_tgid, NUMBER, 4, 0),
	M(INIT_PPID, init_ppid, NUMBER, 4, 0),
	M(UID, uid, NUMBER, 4, 0),
	M(GID, gid, NUMBER, 4, 0),
	M(EUID, euid, NUMBER, 4, 0),
	M(EGID, egid, NUMBER, 4, 0),
	M(LOGINUID, loginuid, NUMBER, 4, HAS(LOGINUID)),
	M(CPU, cpu, NUMBER, 4, 0),
	M(PID_NS, pid_ns, NUMBER, 8, 0),
	M(CGROUP, cgroup, NUMBER, 8, HAS(CGROUP)),
	M(EXE_DEV, exe_dev, NUMBER, 8, HAS(EXE)),
	M(EXE_INO, exe_ino, NUMBER, 8, HAS(EXE)),
	M(START, start, BOOT_NS, 8, 0),
	M(END, end, BOOT_NS, 8, 0),
	M(REAL_END, real_end, EPOCH_NS, 8, 0),
	M(EXIT_CODE, exit_code, NUMBER, 4, HAS(END)),
	M(GROUP_EXIT_CODE, group_exit_code, NUMBER, 4, HAS(END)),
	M(SIGNAL, signal, NUMBER, 4, HAS(END)),
	M(THREADS, threads, COUNT, 4, HAS(THREADS)),
	M(UTIME, utime, NS, 8, HAS(CPU_TIME)),
	M(STIME, stime, NS, 8, HAS(CPU_TIME)),
	M(RUNTIME, runtime, NS, 8, HAS(RUNTIME)),
	M(MIN_FLT, min_flt, COUNT, 8, HAS(FAULTS)),
	M(MAJ_FLT, maj_flt, COUNT, 8, HAS(FAULTS)),
	M(NVCSW, nvcsw, COUNT, 8, HAS(SWITCHES)),
	M(NIVCSW, nivcsw, COUNT, 8, HAS(SWITCHES)),
	M(RCHAR, rchar, BYTES, 8, HAS(IO)),
	M(WCHAR, wchar, BYTES, 8, HAS(IO)),
	M(SYSCR, syscr, COUNT, 8, HAS(IO)),
	M(SYSCW, syscw, COUNT, 8, HAS(IO)),
	M(READ_BYTES, read_bytes, BYTES, 8, HAS(STORAGE)),
	M(WRITE_BYTES, write_bytes, BYTES, 8, HAS(STORAGE)),
	M(CANCELLED_WRITE_BYTES, cancelled_write_bytes, BYTES, 8, HAS(STORAGE)),
	M(PEAK_RSS, peak_rss, BYTES, 8, HAS(PEAK_RSS)),
	M(PEAK_VM, peak_vm, BYTES, 8, HAS(PEAK_VM)),
	M(RSS_ANON, rss_anon, BYTES, 8, HAS(MEMORY)),
	M(RSS_FILE, rss_file, BYTES, 8, HAS(MEMORY)),
	M(RSS_SHMEM, rss_shmem, BYTES, 8, HAS(MEMORY)),
	M(SWAP, swap, BYTES, 8, HAS(MEMORY)),
	M(RSS_TIME, rss_time, KIB_US, 8, HAS(INTEGRAL)),
	M(VM_TIME, vm_time, KIB_US, 8, HAS(INTEGRAL)),
	W(CPU_COUNT, "cpu_count", CPU, count, COUNT, HAS(RUN_QUEUE)),
	W(CPU_TOTAL, "cpu_total", CPU, total, NS, HAS(RUN_QUEUE)),
	W(CPU_MAX, "cpu_max", CPU, max, NS, HAS(RUN_QUEUE) | HAS(EXTREMES)),
	W(CPU_MIN, "cpu_min", CPU, min, NS, HAS(RUN_QUEUE) | HAS(EXTREMES)),
	W(BLKIO_COUNT, "blkio_count", BLKIO, count, COUNT, HAS(BLKIO)),
	W(BLKIO_TOTAL, "blkio_total", BLKIO, total, NS, HAS(BLKIO)),
	W(BLKIO_MAX, "blkio_max", BLKIO, max, NS, HAS(BLKIO) | HAS(EXTREMES)),
	W(BLKIO_MIN, "blkio_min", BLKIO, min, NS, HAS(BLKIO) | HAS(EXTREMES)),
	W(SWAPIN_COUNT, "swapin_count", SWAPIN, count, COUNT, HAS(SWAPIN)),
	W(SWAPIN_TOTAL, "swapin_total", SWAPIN, total, NS, HAS(SWAPIN)),
	W(SWAPIN_MAX, "swapin_max", SWAPIN, max, NS, HAS(SWAPIN) | HAS(EXTREMES)),
	W(SWAPIN_MIN, "swapin_min", SWAPIN, min, NS, HAS(SWAPIN) | HAS(EXTREMES)),
	W(FREEPAGES_COUNT, "freepages_count", FREEPAGES, count, COUNT, HAS(FREEPAGES)),
	W(FREEPAGES_TOTAL, "freepages_total", FREEPAGES, total, NS, HAS(FREEPAGES)),
	W(FREEPAGES_MAX, "freepages_max", FREEPAGES, max, NS, HAS(FREEPAGES) | HAS(EXTREMES)),
	W(FREEPAGES_MIN, "freepages_min", FREEPAGES, min, NS, HAS(FREEPAGES) | HAS(EXTREMES)),
	W(THRASHING_COUNT, "thrashing_count", THRASHING, count, COUNT, HAS(THRASHING)),
	W(THRASHING_TOTAL, "thrashing_total", THRASHING, total, NS, HAS(THRASHING)),
	W(THRASHING_MAX, "thrashing_max", THRASHING, max, NS, HAS(THRASHING) | HAS(EXTREMES)),
	W(THRASHING_MIN, "thrashing_min", THRASHING, min, NS, HAS(THRASHING) | HAS(EXTREMES)),
	W(COMPACT_COUNT, "compact_count", COMPACT, count, COUNT, HAS(COMPACT)),
	W(COMPACT_TOTAL, "compact_total", COMPACT, total, NS, HAS(COMPACT)),
	W(COMPACT_MAX, "compact_max", COMPACT, max, NS, HAS(COMPACT) | HAS(EXTREMES)),
	W(COMPACT_MIN, "compact_min", COMPACT, min, NS, HAS(COMPACT) | HAS(EXTREMES)),
	W(WPCOPY_COUNT, "wpcopy_count", WPCOPY, count, COUNT, HAS(WPCOPY)),
	W(WPCOPY_TOTAL, "wpcopy_total", WPCOPY, total, NS, HAS(WPCOPY)),
	W(WPCOPY_MAX, "wpcopy_max", WPCOPY, max, NS, HAS(WPCOPY) | HAS(EXTREMES)),
	W(WPCOPY_MIN, "wpcopy_min", WPCOPY, min, NS, HAS(WPCOPY) | HAS(EXTREMES)),
	W(IRQ_COUNT, "irq_count", IRQ, count, COUNT, HAS(IRQ)),
	W(IRQ_TOTAL, "irq_total", IRQ, total, NS, HAS(IRQ)),
	W(IRQ_MAX, "irq_max", IRQ, max, NS, HAS(IRQ) | HAS(EXTREMES)),
	W(IRQ_MIN, "irq_min", IRQ, min, NS, HAS(IRQ) | HAS(EXTREMES)),
	M(ON_CPU, on_cpu, NS, 8, HAS(ON_CPU)),
};

/* clang-format on */

static const char *const group_names[__TASKACCT_HAS_MAX] = {
	[TASKACCT_HAS_END] = "end",
	[TASKACCT_HAS_CPU_TIME] = "cpu_time",
	[TASKACCT_HAS_RUNTIME] = "runtime",
	[TASKACCT_HAS_RUN_QUEUE] = "run_queue",
	[TASKACCT_HAS_FAULTS] = "faults",
	[TASKACCT_HAS_SWITCHES] = "switches",
	[TASKACCT_HAS_IO] = "io",
	[TASKACCT_HAS_STORAGE] = "storage",
	[TASKACCT_HAS_PEAK_RSS] = "peak_rss",
	[TASKACCT_HAS_PEAK_VM] = "peak_vm",
	[TASKACCT_HAS_MEMORY] = "memory",
	[TASKACCT_HAS_INTEGRAL] = "integral",
	[TASKACCT_HAS_EXE] = "exe",
	[TASKACCT_HAS_LOGINUID] = "loginuid",
	[TASKACCT_HAS_CGROUP] = "cgroup",
	[TASKACCT_HAS_THREADS] = "threads",
	[TASKACCT_HAS_EXTREMES] = "extremes",
	[TASKACCT_HAS_BLKIO] = "blkio",
	[TASKACCT_HAS_SWAPIN] = "swapin",
	[TASKACCT_HAS_FREEPAGES] = "freepages",
	[TASKACCT_HAS_THRASHING] = "thrashing",
	[TASKACCT_HAS_COMPACT] = "compact",
	[TASKACCT_HAS_WPCOPY] = "wpcopy",
	[TASKACCT_HAS_IRQ] = "irq",
	[TASKACCT_HAS_ON_CPU] = "on_cpu",
};

const struct taskacct_member_info *
taskacct_member_info(enum taskacct_member member)
{
	return &places[member].info;
}

const char *taskacct_group_name(unsigned int bit)
{
	return bit < __TASKACCT_HAS_MAX ? group_names[bit] : NULL;
}

enum taskacct_validity taskacct_validity(const struct taskacct_extended *record,
					 enum taskacct_member member)
{
	const struct member_place *place = &places[member];
	const struct taskacct_record *r = &record->r;
	const uint32_t groups = place->info.groups;

	if ((size_t)place->offset + place->size > record->length)
		return TASKACCT_ABSENT;
	if ((r->valid & groups) == groups)
		return TASKACCT_VALID;
	/* Of several groups what lasts longest is told. */
	if (r->absent & groups)
		return TASKACCT_ABSENT;
	if (r->off & groups)
		return TASKACCT_OFF;
	if (r->late & groups)
		return TASKACCT_LATE;
	return r->gone & groups ? TASKACCT_GONE : TASKACCT_ABSENT;
}

uint64_t taskacct_value(const struct taskacct_extended *record,
			enum taskacct_member member)
{
	const struct member_place *place = &places[member];
	const uint8_t *at = (const uint8_t *)&record->r + place->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (place->size) {
	case sizeof(uint8_t):
		return place->info.unit == TASKACCT_UNIT_SIGNED ?
			       (uint64_t)(int64_t)(int8_t)*at :
			       *at;
	case sizeof(u16):
		memcpy(&u16, at, sizeof(u16));
		return u16;
	case sizeof(u32):
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case sizeof(u64):
		memcpy(&u64, at, sizeof(u64));
		return u64;
	default: /* a text */
		return 0;
	}
}

int taskacct_decode_record(struct taskacct_extended *record, const void *data,
			   size_t length)
{
	struct taskacct_record *r = &record->r;

	memset(record, 0, sizeof(*record));
	record->length = length;
	memcpy(r, data, length < sizeof(*r) ? length : sizeof(*r));
	r->comm[sizeof(r->comm) - 1] = '\0';
	if (length < offsetof(struct taskacct_record, flags))
		return -EBADMSG;
	switch (r->kind) {
	case TASKACCT_KIND_TASK:
	case TASKACCT_KIND_PROCESS:
	case TASKACCT_KIND_CGROUP:
		return 0;
	default:
		return -EBADMSG;
	}
}
