// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table of fields: name, unit, first version, place
 *
 * Numbers, not offsetof(): the header that this is built with knows one
 * version, and the kernel that answers may have any other. What comes in is
 * little enough to be checked against a header by the tests.
 *
 * Version 8 is the oldest that is decoded, so what is older is said to be
 * from then. Version 15, which lasted from 6.14 to the first fixes of 6.15,
 * has each delay's extremes next to its total; 16 moved them to the end.
 */
#include "fields.h"

#define NOWHERE (-1)

_Static_assert(TASKACCT_FIELDS <= TASKACCT_FIELDS_ROOM,
	       "fields have outgrown their room");

/* clang-format off */
#define F(field, member, its_unit, version, place, length, place15)	\
	[TASKACCT_F_##field] = {					\
		.info = {						\
			.name = #member,				\
			.unit = TASKACCT_UNIT_##its_unit,		\
			.since = version,				\
		},							\
		.offset = place,					\
		.size = length,						\
		.offset15 = place15,					\
	}

/* field, member, unit, since, offset, size, offset in 15 */
const struct field_place taskacct_field_offsets[TASKACCT_FIELDS] = {
	F(VERSION, version, NUMBER, 8, 0, 2, 0),
	F(EXITCODE, ac_exitcode, NUMBER, 8, 4, 4, 4),
	F(FLAG, ac_flag, NUMBER, 8, 8, 1, 8),
	F(NICE, ac_nice, SIGNED, 8, 9, 1, 9),
	F(CPU_COUNT, cpu_count, COUNT, 8, 16, 8, 16),
	F(CPU_TOTAL, cpu_delay_total, NS, 8, 24, 8, 24),
	F(BLKIO_COUNT, blkio_count, COUNT, 8, 32, 8, 48),
	F(BLKIO_TOTAL, blkio_delay_total, NS, 8, 40, 8, 56),
	F(SWAPIN_COUNT, swapin_count, COUNT, 8, 48, 8, 80),
	F(SWAPIN_TOTAL, swapin_delay_total, NS, 8, 56, 8, 88),
	F(RUN_REAL, cpu_run_real_total, NS, 8, 64, 8, 112),
	F(RUN_VIRTUAL, cpu_run_virtual_total, NS, 8, 72, 8, 120),
	F(COMM, ac_comm, TEXT, 8, 80, 32, 128),
	F(SCHED, ac_sched, NUMBER, 8, 112, 1, 160),
	F(UID, ac_uid, NUMBER, 8, 120, 4, 168),
	F(GID, ac_gid, NUMBER, 8, 124, 4, 172),
	F(PID, ac_pid, NUMBER, 8, 128, 4, 176),
	F(PPID, ac_ppid, NUMBER, 8, 132, 4, 180),
	F(BTIME, ac_btime, EPOCH, 8, 136, 4, 184),
	F(ETIME, ac_etime, US, 8, 144, 8, 192),
	F(UTIME, ac_utime, US, 8, 152, 8, 200),
	F(STIME, ac_stime, US, 8, 160, 8, 208),
	F(MINFLT, ac_minflt, COUNT, 8, 168, 8, 216),
	F(MAJFLT, ac_majflt, COUNT, 8, 176, 8, 224),
	F(COREMEM, coremem, MIB_US, 8, 184, 8, 232),
	F(VIRTMEM, virtmem, MIB_US, 8, 192, 8, 240),
	F(HIWATER_RSS, hiwater_rss, KIB, 8, 200, 8, 248),
	F(HIWATER_VM, hiwater_vm, KIB, 8, 208, 8, 256),
	F(READ_CHAR, read_char, BYTES, 8, 216, 8, 264),
	F(WRITE_CHAR, write_char, BYTES, 8, 224, 8, 272),
	F(READ_SYSCALLS, read_syscalls, COUNT, 8, 232, 8, 280),
	F(WRITE_SYSCALLS, write_syscalls, COUNT, 8, 240, 8, 288),
	F(READ_BYTES, read_bytes, BYTES, 8, 248, 8, 296),
	F(WRITE_BYTES, write_bytes, BYTES, 8, 256, 8, 304),
	F(CANCELLED_WRITE_BYTES, cancelled_write_bytes, BYTES, 8, 264, 8, 312),
	F(NVCSW, nvcsw, COUNT, 8, 272, 8, 320),
	F(NIVCSW, nivcsw, COUNT, 8, 280, 8, 328),
	F(UTIMESCALED, ac_utimescaled, US, 8, 288, 8, 336),
	F(STIMESCALED, ac_stimescaled, US, 8, 296, 8, 344),
	F(RUN_SCALED, cpu_scaled_run_real_total, NS, 8, 304, 8, 352),
	F(FREEPAGES_COUNT, freepages_count, COUNT, 8, 312, 8, 360),
	F(FREEPAGES_TOTAL, freepages_delay_total, NS, 8, 320, 8, 368),
	F(THRASHING_COUNT, thrashing_count, COUNT, 9, 328, 8, 392),
	F(THRASHING_TOTAL, thrashing_delay_total, NS, 9, 336, 8, 400),
	F(BTIME64, ac_btime64, EPOCH, 10, 344, 8, 424),
	F(COMPACT_COUNT, compact_count, COUNT, 11, 352, 8, 432),
	F(COMPACT_TOTAL, compact_delay_total, NS, 11, 360, 8, 440),
	F(TGID, ac_tgid, NUMBER, 12, 368, 4, 464),
	F(TGETIME, ac_tgetime, US, 12, 376, 8, 472),
	F(EXE_DEV, ac_exe_dev, NUMBER, 12, 384, 8, 480),
	F(EXE_INODE, ac_exe_inode, NUMBER, 12, 392, 8, 488),
	F(WPCOPY_COUNT, wpcopy_count, COUNT, 13, 400, 8, 496),
	F(WPCOPY_TOTAL, wpcopy_delay_total, NS, 13, 408, 8, 504),
	F(IRQ_COUNT, irq_count, COUNT, 14, 416, 8, 528),
	F(IRQ_TOTAL, irq_delay_total, NS, 14, 424, 8, 536),
	F(CPU_MAX, cpu_delay_max, NS, 15, 432, 8, 32),
	F(CPU_MIN, cpu_delay_min, NS, 15, 440, 8, 40),
	F(BLKIO_MAX, blkio_delay_max, NS, 15, 448, 8, 64),
	F(BLKIO_MIN, blkio_delay_min, NS, 15, 456, 8, 72),
	F(SWAPIN_MAX, swapin_delay_max, NS, 15, 464, 8, 96),
	F(SWAPIN_MIN, swapin_delay_min, NS, 15, 472, 8, 104),
	F(FREEPAGES_MAX, freepages_delay_max, NS, 15, 480, 8, 376),
	F(FREEPAGES_MIN, freepages_delay_min, NS, 15, 488, 8, 384),
	F(THRASHING_MAX, thrashing_delay_max, NS, 15, 496, 8, 408),
	F(THRASHING_MIN, thrashing_delay_min, NS, 15, 504, 8, 416),
	F(COMPACT_MAX, compact_delay_max, NS, 15, 512, 8, 448),
	F(COMPACT_MIN, compact_delay_min, NS, 15, 520, 8, 456),
	F(WPCOPY_MAX, wpcopy_delay_max, NS, 15, 528, 8, 512),
	F(WPCOPY_MIN, wpcopy_delay_min, NS, 15, 536, 8, 520),
	F(IRQ_MAX, irq_delay_max, NS, 15, 544, 8, 544),
	F(IRQ_MIN, irq_delay_min, NS, 15, 552, 8, 552),
	F(CPU_MAX_TS, cpu_delay_max_ts, EPOCH_NS, 17, 560, 16, NOWHERE),
	F(BLKIO_MAX_TS, blkio_delay_max_ts, EPOCH_NS, 17, 576, 16, NOWHERE),
	F(SWAPIN_MAX_TS, swapin_delay_max_ts, EPOCH_NS, 17, 592, 16, NOWHERE),
	F(FREEPAGES_MAX_TS, freepages_delay_max_ts, EPOCH_NS, 17, 608, 16, NOWHERE),
	F(THRASHING_MAX_TS, thrashing_delay_max_ts, EPOCH_NS, 17, 624, 16, NOWHERE),
	F(COMPACT_MAX_TS, compact_delay_max_ts, EPOCH_NS, 17, 640, 16, NOWHERE),
	F(WPCOPY_MAX_TS, wpcopy_delay_max_ts, EPOCH_NS, 17, 656, 16, NOWHERE),
	F(IRQ_MAX_TS, irq_delay_max_ts, EPOCH_NS, 17, 672, 16, NOWHERE),
};

/* clang-format on */

const struct taskacct_field_info *taskacct_field_info(enum taskacct_field field)
{
	return (unsigned int)field < TASKACCT_FIELDS ?
		       &taskacct_field_offsets[field].info :
		       NULL;
}
