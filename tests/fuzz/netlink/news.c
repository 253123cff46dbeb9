// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands where in a message, and what a record promises: from
 * Documentation/interface.rst and Documentation/record.rst.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "attr.h"
#include "news.h"

/* Version 8 of struct taskstats; the kernel's is longer. */
#define CLASSIC_MIN 328

/* Where a message is read */
struct reader {
	const struct nlattr *attr;
	size_t left;
};

static bool take_attr(struct reader *r, unsigned int type,
		      const struct nlattr **attr)
{
	if (!attr_fits(r->attr, r->left) || r->attr->nla_type != type)
		return false;
	*attr = r->attr;
	r->attr = attr_next(r->attr, &r->left);
	return true;
}

/* If there is one: exactly the nest, with the id and the struct in it */
static const char *take_classic(struct reader *r, unsigned int nest_type,
				unsigned int id_type, struct piece *piece)
{
	const size_t size = 2 * NLA_HDRLEN + 4 + CLASSIC_MIN;
	const struct nlattr *nest, *in, *stats;
	static char why[64];
	uint32_t pid;

	if (!take_attr(r, nest_type, &nest))
		return NULL;
	in = attr_data(nest);
	stats = (const struct nlattr *)((const char *)in + NLA_HDRLEN + 4);
	if (attr_size(nest) < size || in->nla_len != NLA_HDRLEN + 4 ||
	    in->nla_type != id_type ||
	    stats->nla_type != TASKSTATS_TYPE_STATS ||
	    stats->nla_len != attr_size(nest) - NLA_HDRLEN - 4)
		return "a nest that is none";
	piece->has_classic = true;
	piece->id = (uint32_t)attr_number(in);
	memcpy(&piece->uid, (const char *)attr_data(stats) +
	       offsetof(struct taskstats, ac_uid), sizeof(piece->uid));
	memcpy(&pid, (const char *)attr_data(stats) +
	       offsetof(struct taskstats, ac_pid), sizeof(pid));
	snprintf(why, sizeof(why), "a nest of %u, with %u in it", piece->id, pid);
	return pid == piece->id ? NULL : why;
}

static bool take_struct(struct reader *r, unsigned int type, void *data,
			size_t size)
{
	const struct nlattr *attr;

	while (take_attr(r, TASKACCT_TYPE_PAD, &attr))
		;
	if (!take_attr(r, type, &attr) || attr_size(attr) != size)
		return false;
	memcpy(data, attr_data(attr), size);
	return true;
}

bool news_take_waits(struct taskacct_wait waits[TASKACCT_WAITS],
		     const struct nlattr *nest, size_t left)
{
	const struct nlattr *attr;
	struct reader r;
	int i;

	if (!attr_fits(nest, left) || attr_type(nest) != TASKACCT_TYPE_WAITS)
		return false;
	r = (struct reader){ attr_data(nest), attr_size(nest) };
	for (i = 0; i < TASKACCT_WAITS; i++) {
		if (i && !(take_attr(&r, TASKACCT_WAITS_ATTR_PAD, &attr) &&
			   !attr_size(attr)))
			return false;
		if (!take_attr(&r, TASKACCT_WAITS_ATTR_CPU + (unsigned int)i,
			       &attr) ||
		    attr_size(attr) != sizeof(waits[i]))
			return false;
		memcpy(&waits[i], attr_data(attr), sizeof(waits[i]));
	}
	return !r.left;
}

/* One of each kind at most, that of the task first */
static const char *take_record(struct news *news,
			       const struct taskacct_record *record,
			       const struct taskacct_wait *waits)
{
	struct piece *piece = &news->task;
	const char *why = news_check_record(record, waits);

	if (why)
		return why;
	if (record->kind == TASKACCT_KIND_PROCESS)
		piece = &news->process;
	else if (record->kind != TASKACCT_KIND_TASK)
		return "a record of another kind";
	if (piece->has_record ||
	    (piece == &news->task && news->process.has_record))
		return "records out of order";
	if (piece->has_classic && (piece->id != record->pid ||
				   piece->uid != record->uid))
		return "a record of another task";
	if (piece == &news->process && record->tgid != record->pid)
		return "a process of two numbers";
	piece->id = record->pid;
	piece->uid = record->uid;
	piece->record = *record;
	piece->has_record = true;
	return NULL;
}

static bool is_text(const struct nlattr *attr)
{
	const char *s = attr_data(attr);

	return attr_size(attr) && strnlen(s, attr_size(attr)) ==
				  attr_size(attr) - 1;
}

static bool is_arguments(const struct nlattr *attr)
{
	const char *s = attr_data(attr);
	const size_t n = attr_size(attr);

	return n && n <= 4096 && !s[n - 1];
}

static const char *take_names(struct news *news, struct reader *r)
{
	const struct nlattr *attr;

	if (take_attr(r, TASKACCT_TYPE_EXE_PATH, &attr)) {
		news->names |= TASKACCT_WANT_EXE_PATH;
		if (!is_text(attr))
			return "a path of an executable that is none";
	}
	if (take_attr(r, TASKACCT_TYPE_CGROUP_PATH, &attr)) {
		news->names |= TASKACCT_WANT_CGROUP_PATH;
		if (!is_text(attr) || *(const char *)attr_data(attr) != '/')
			return "a path of a cgroup that is none";
	}
	if (take_attr(r, TASKACCT_TYPE_CMDLINE, &attr)) {
		news->names |= TASKACCT_WANT_CMDLINE;
		if (!is_arguments(attr))
			return "arguments that are none";
	}
	return NULL;
}

/* Where there are both parts, there are both of each kind. */
static bool is_whole(const struct news *news)
{
	const struct piece *t = &news->task, *p = &news->process;
	const bool classic = t->has_classic || p->has_classic;
	const bool record = t->has_record || p->has_record;

	if (!classic || !record)
		return classic || record;
	return t->has_classic == t->has_record &&
	       p->has_classic == p->has_record;
}

const char *news_take(struct news *news, const struct nlmsghdr *nlh)
{
	struct reader r = {
		.attr = (const struct nlattr *)((const char *)NLMSG_DATA(nlh) +
						GENL_HDRLEN),
		.left = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN,
	};
	struct taskacct_wait waits[TASKACCT_WAITS];
	struct taskacct_record record;
	const char *why;

	memset(news, 0, sizeof(*news));
	why = take_classic(&r, TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID,
			   &news->task) ?:
	      take_classic(&r, TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_TGID,
			   &news->process);
	if (why)
		return why;
	while (take_struct(&r, TASKACCT_TYPE_RECORD, &record, sizeof(record))) {
		if (!news_take_waits(waits, r.attr, r.left))
			return "a record without its waits";
		r.attr = attr_next(r.attr, &r.left);
		why = take_record(news, &record, waits);
		if (why)
			return why;
	}
	news->has_stream = take_struct(&r, TASKACCT_TYPE_STREAM, &news->stream,
				       sizeof(news->stream));
	why = take_names(news, &r);
	if (why)
		return why;
	if (r.left)
		return "more, or something else, than there can be";
	if (!is_whole(news))
		return "no record, or half of one";
	if (news->task.has_classic || news->task.has_record)
		news->kinds |= TASKACCT_KIND_TASK;
	if (news->process.has_classic || news->process.has_record)
		news->kinds |= TASKACCT_KIND_PROCESS;
	return NULL;
}

bool news_has(const struct news *news, uint32_t want)
{
	const struct piece *piece = news->kinds & TASKACCT_KIND_TASK ?
					    &news->task :
					    &news->process;

	return piece->has_classic == !(want & TASKACCT_WANT_BARE) &&
	       piece->has_record == !!(want & TASKACCT_WANT_RECORD) &&
	       news->has_stream == !!(want & TASKACCT_WANT_STREAM) &&
	       !(news->names & ~want);
}

/* Values by group, but for the extremes, which are of all waits */
static const struct {
	unsigned int group;
	size_t offset;
	size_t size;
} values[] = {
#define VALUES(group, first, last) { TASKACCT_HAS_##group, \
	offsetof(struct taskacct_record, first), \
	offsetof(struct taskacct_record, last) + \
	sizeof(((struct taskacct_record *)0)->last) - \
	offsetof(struct taskacct_record, first) }
	VALUES(END, exit_code, signal),
	VALUES(CPU_TIME, utime, stime),
	VALUES(RUNTIME, runtime, runtime),
	VALUES(FAULTS, min_flt, maj_flt),
	VALUES(SWITCHES, nvcsw, nivcsw),
	VALUES(IO, rchar, syscw),
	VALUES(STORAGE, read_bytes, cancelled_write_bytes),
	VALUES(PEAK_RSS, peak_rss, peak_rss),
	VALUES(PEAK_VM, peak_vm, peak_vm),
	VALUES(MEMORY, rss_anon, swap),
	VALUES(INTEGRAL, rss_time, vm_time),
	VALUES(EXE, exe_dev, exe_ino),
	VALUES(LOGINUID, loginuid, loginuid),
	VALUES(CGROUP, cgroup, cgroup),
	VALUES(THREADS, threads, threads),
	VALUES(ON_CPU, on_cpu, on_cpu),
	VALUES(MIGRATIONS, migrations, migrations),
};

/* The groups of the kinds of waits, in their order */
static const unsigned int wait_groups[TASKACCT_WAITS] = {
	TASKACCT_HAS_RUN_QUEUE, TASKACCT_HAS_BLKIO,	TASKACCT_HAS_SWAPIN,
	TASKACCT_HAS_FREEPAGES, TASKACCT_HAS_THRASHING, TASKACCT_HAS_COMPACT,
	TASKACCT_HAS_WPCOPY,	TASKACCT_HAS_IRQ,
};

static bool is_zero(const void *data, size_t size)
{
	const char *bytes = data;

	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/* What the kernel does not have, or nobody any more, is 0. */
static bool has_ghosts(const struct taskacct_record *record,
		       const struct taskacct_wait *waits)
{
	const uint64_t none = record->absent | record->gone;
	unsigned int i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (none >> values[i].group & 1 &&
		    !is_zero((const char *)record + values[i].offset,
			     values[i].size))
			return true;
	for (i = 0; i < TASKACCT_WAITS; i++)
		if ((none >> wait_groups[i] & 1 &&
		     !is_zero(&waits[i], sizeof(waits[i]))) ||
		    (none >> TASKACCT_HAS_EXTREMES & 1 &&
		     (waits[i].max || waits[i].min)))
			return true;
	return false;
}

static bool is_split(const struct taskacct_record *r)
{
	const uint64_t all = (UINT64_C(1) << __TASKACCT_HAS_MAX) - 1;

	return (r->valid | r->absent | r->off | r->late | r->gone) == all &&
	       r->valid + r->absent + r->off + r->late + r->gone == all;
}

static bool has_end(const struct taskacct_record *r)
{
	return r->valid >> TASKACCT_HAS_END & 1;
}

const char *news_check_record(const struct taskacct_record *r,
			      const struct taskacct_wait *waits)
{
	unsigned int i;

	if (r->version != TASKACCT_RECORD_VERSION || r->size != sizeof(*r) ||
	    !is_zero(r->reserved, sizeof(r->reserved)))
		return "a record of another version";
	if (!is_split(r))
		return "values that are both valid and not, or neither";
	if (has_ghosts(r, waits))
		return "values that there are none of";
	if (strnlen(r->comm, sizeof(r->comm)) == sizeof(r->comm))
		return "a name without an end";
	if (has_end(r) != !!(r->flags & TASKACCT_RECORD_ENDED))
		return "an end that is none";
	if (r->signal != (r->exit_code & 0x7f))
		return "a signal that is none of the exit code's";
	if (r->cpu_accounting > TASKACCT_CPU_NATIVE)
		return "CPU time counted in an unknown way";
	if (r->start > r->end || r->end > r->real_end)
		return "an end before the start";
	for (i = 0; i < TASKACCT_WAITS; i++)
		if (waits[i].min > waits[i].max)
			return "a shortest wait longer than the longest";
	return NULL;
}

struct facts news_facts(const struct piece *piece)
{
	const struct taskacct_record *r = &piece->record;
	struct facts facts = facts_none();

	facts.knows_uid = true;
	facts.uid = piece->uid;
	if (!piece->has_record)
		return facts;
	facts.failed = has_end(r) && r->exit_code;
	facts.cgroup = r->cgroup;
	facts.cpu_min = r->utime + r->stime;
	facts.cpu_max = facts.cpu_min;
	facts.lifetime_max = r->end - r->start;
	return facts;
}

bool news_may_reach(const struct piece *piece, enum model_access reach)
{
	if (!piece->has_classic && !piece->has_record)
		return true;
	return reach == REACH_ALL || piece->uid == getuid();
}
