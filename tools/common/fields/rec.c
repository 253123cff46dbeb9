// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of both kinds, seen as extended ones
 */
#include <errno.h>
#include <linux/acct.h>
#include <string.h>

#include "rec.h"

/* What a classic record has of an extended one's values, and times how many */
struct like {
	enum taskacct_field field;
	unsigned int factor;
};

#define LIKE(member, what, times) \
	[TASKACCT_R_##member] = { TASKACCT_F_##what, times }

static const struct like likes[TASKACCT_MEMBERS] = {
	LIKE(NICE, NICE, 1),
	LIKE(POLICY, SCHED, 1),
	LIKE(PPID, PPID, 1),
	LIKE(UID, UID, 1),
	LIKE(GID, GID, 1),
	LIKE(EXE_DEV, EXE_DEV, 1),
	LIKE(EXE_INO, EXE_INODE, 1),
	LIKE(EXIT_CODE, EXITCODE, 1),
	LIKE(UTIME, UTIME, 1000),
	LIKE(STIME, STIME, 1000),
	LIKE(RUNTIME, RUN_VIRTUAL, 1),
	LIKE(MIN_FLT, MINFLT, 1),
	LIKE(MAJ_FLT, MAJFLT, 1),
	LIKE(NVCSW, NVCSW, 1),
	LIKE(NIVCSW, NIVCSW, 1),
	LIKE(RCHAR, READ_CHAR, 1),
	LIKE(WCHAR, WRITE_CHAR, 1),
	LIKE(SYSCR, READ_SYSCALLS, 1),
	LIKE(SYSCW, WRITE_SYSCALLS, 1),
	LIKE(READ_BYTES, READ_BYTES, 1),
	LIKE(WRITE_BYTES, WRITE_BYTES, 1),
	LIKE(CANCELLED_WRITE_BYTES, CANCELLED_WRITE_BYTES, 1),
	LIKE(PEAK_RSS, HIWATER_RSS, 1024),
	LIKE(PEAK_VM, HIWATER_VM, 1024),
	LIKE(WAIT_CPU_COUNT, CPU_COUNT, 1),
	LIKE(WAIT_CPU_TOTAL, CPU_TOTAL, 1),
	LIKE(WAIT_CPU_MAX, CPU_MAX, 1),
	LIKE(WAIT_CPU_MIN, CPU_MIN, 1),
	LIKE(WAIT_BLKIO_COUNT, BLKIO_COUNT, 1),
	LIKE(WAIT_BLKIO_TOTAL, BLKIO_TOTAL, 1),
	LIKE(WAIT_BLKIO_MAX, BLKIO_MAX, 1),
	LIKE(WAIT_BLKIO_MIN, BLKIO_MIN, 1),
	LIKE(WAIT_SWAPIN_COUNT, SWAPIN_COUNT, 1),
	LIKE(WAIT_SWAPIN_TOTAL, SWAPIN_TOTAL, 1),
	LIKE(WAIT_SWAPIN_MAX, SWAPIN_MAX, 1),
	LIKE(WAIT_SWAPIN_MIN, SWAPIN_MIN, 1),
	LIKE(WAIT_FREEPAGES_COUNT, FREEPAGES_COUNT, 1),
	LIKE(WAIT_FREEPAGES_TOTAL, FREEPAGES_TOTAL, 1),
	LIKE(WAIT_FREEPAGES_MAX, FREEPAGES_MAX, 1),
	LIKE(WAIT_FREEPAGES_MIN, FREEPAGES_MIN, 1),
	LIKE(WAIT_THRASHING_COUNT, THRASHING_COUNT, 1),
	LIKE(WAIT_THRASHING_TOTAL, THRASHING_TOTAL, 1),
	LIKE(WAIT_THRASHING_MAX, THRASHING_MAX, 1),
	LIKE(WAIT_THRASHING_MIN, THRASHING_MIN, 1),
	LIKE(WAIT_COMPACT_COUNT, COMPACT_COUNT, 1),
	LIKE(WAIT_COMPACT_TOTAL, COMPACT_TOTAL, 1),
	LIKE(WAIT_COMPACT_MAX, COMPACT_MAX, 1),
	LIKE(WAIT_COMPACT_MIN, COMPACT_MIN, 1),
	LIKE(WAIT_WPCOPY_COUNT, WPCOPY_COUNT, 1),
	LIKE(WAIT_WPCOPY_TOTAL, WPCOPY_TOTAL, 1),
	LIKE(WAIT_WPCOPY_MAX, WPCOPY_MAX, 1),
	LIKE(WAIT_WPCOPY_MIN, WPCOPY_MIN, 1),
	LIKE(WAIT_IRQ_COUNT, IRQ_COUNT, 1),
	LIKE(WAIT_IRQ_TOTAL, IRQ_TOTAL, 1),
	LIKE(WAIT_IRQ_MAX, IRQ_MAX, 1),
	LIKE(WAIT_IRQ_MIN, IRQ_MIN, 1),
};

/* The record of a task that was the last of its process is the process's. */
static int choose_extended(const struct taskacct_message *m,
			   enum rec_kinds kinds)
{
	const bool wants_process = kinds == REC_PROCESSES;
	const uint32_t kind = wants_process ? TASKACCT_KIND_PROCESS :
					      TASKACCT_KIND_TASK;
	int i;

	for (i = 0; i < m->n_records; i++)
		if (m->records[i].r.kind == kind)
			return i;
	if (wants_process && m->n_records == 1 &&
	    (m->records[0].r.flags & TASKACCT_RECORD_LAST))
		return 0;
	return -1;
}

static int choose_classic(const struct taskacct_message *m,
			  enum rec_kinds kinds)
{
	const bool wants_process = kinds == REC_PROCESSES;
	const enum taskacct_kind kind = wants_process ? TASKACCT_TGID :
							TASKACCT_PID;
	int i;

	for (i = 0; i < m->n_classic; i++)
		if (m->classic[i].kind == kind)
			return i;
	if (wants_process && m->n_classic == 1 && m->classic[0].last)
		return 0;
	return -1;
}

bool rec_choose(struct rec *rec, const struct taskacct_message *message,
		enum rec_kinds kinds, uint64_t time_ns)
{
	int i;

	rec->classic = !message->n_records;
	i = rec->classic ? choose_classic(message, kinds) :
			   choose_extended(message, kinds);
	if (i < 0)
		return false;
	if (rec->classic)
		rec->c = message->classic[i];
	else
		rec->x = message->records[i];
	rec->exe = message->exe;
	rec->cgroup = message->cgroup;
	rec->cmdline = message->cmdline;
	rec->time_ns = time_ns;
	return true;
}

int rec_take(struct rec *rec, const struct taskacct_event *event,
	     enum rec_kinds kinds)
{
	struct taskacct_message m;
	int err;

	err = taskacct_decode_message(&m, event->nlh);
	return err ? err : rec_choose(rec, &m, kinds, event->time_ns);
}

static enum taskacct_validity
classic_id(const struct rec *rec, enum taskacct_member member, uint64_t *value)
{
	const bool process = rec->c.kind == TASKACCT_TGID;

	if (member == TASKACCT_R_PID || process) {
		*value = rec->c.id;
		return TASKACCT_VALID;
	}
	*value = rec->c.stats.v[TASKACCT_F_TGID];
	return taskacct_has(&rec->c.stats, TASKACCT_F_TGID) ? TASKACCT_VALID :
							      TASKACCT_ABSENT;
}

static enum taskacct_validity classic_member(const struct rec *rec,
					     enum taskacct_member member,
					     uint64_t *value)
{
	const struct like *like = &likes[member];

	if (member == TASKACCT_R_PID || member == TASKACCT_R_TGID)
		return classic_id(rec, member, value);
	if (member == TASKACCT_R_SIGNAL) {
		*value = rec->c.stats.v[TASKACCT_F_EXITCODE] & 0x7f;
		return TASKACCT_VALID;
	}
	*value = rec->c.stats.v[like->field] * like->factor;
	if (!like->factor || !taskacct_has(&rec->c.stats, like->field))
		return TASKACCT_ABSENT;
	return TASKACCT_VALID;
}

enum taskacct_validity rec_member(const struct rec *rec,
				  enum taskacct_member member, uint64_t *value)
{
	if (rec->classic)
		return classic_member(rec, member, value);
	*value = taskacct_value(&rec->x, member);
	return taskacct_validity(&rec->x, member);
}

const char *rec_comm(const struct rec *rec)
{
	return rec->classic ? rec->c.stats.comm : rec->x.r.comm;
}

bool rec_is_process(const struct rec *rec)
{
	return rec->classic ? rec->c.kind == TASKACCT_TGID :
			      rec->x.r.kind == TASKACCT_KIND_PROCESS;
}

/* <linux/acct.h>'s flags have no bit for the last task before version 12. */
uint32_t rec_flags(const struct rec *rec)
{
	const uint64_t old = rec->classic ? rec->c.stats.v[TASKACCT_F_FLAG] : 0;
	uint32_t flags = TASKACCT_RECORD_ENDED;

	if (!rec->classic)
		return rec->x.r.flags;
	if (old & AFORK)
		flags |= TASKACCT_RECORD_NOEXEC;
	if (old & ASU)
		flags |= TASKACCT_RECORD_SU;
	if (old & ACORE)
		flags |= TASKACCT_RECORD_CORE;
	if (old & AXSIG)
		flags |= TASKACCT_RECORD_SIGNAL;
	if (rec->c.last)
		flags |= TASKACCT_RECORD_LAST;
	return flags;
}

bool rec_has_failed(const struct rec *rec)
{
	uint64_t code;

	return rec_member(rec, TASKACCT_R_EXIT_CODE, &code) == TASKACCT_VALID &&
	       (code & 0xffff);
}

uint64_t rec_lifetime(const struct rec *rec)
{
	const struct taskacct_stats *s = &rec->c.stats;

	if (!rec->classic)
		return rec->x.r.end - rec->x.r.start;
	if (rec_is_process(rec) && taskacct_has(s, TASKACCT_F_TGETIME))
		return s->v[TASKACCT_F_TGETIME] * 1000;
	return s->v[TASKACCT_F_ETIME] * 1000;
}

uint64_t rec_end(const struct rec *rec)
{
	return rec->classic ? rec->time_ns : rec->x.r.real_end;
}
