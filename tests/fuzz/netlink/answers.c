// SPDX-License-Identifier: GPL-2.0-only
/* Records that were asked for: of a task, of all, of a cgroup */
#include <string.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "attr.h"
#include "judge.h"
#include "news.h"

/* Of one of this process's own, more is known. */
static void judge_known(struct judge *j, const struct model_known *known,
			const struct taskacct_record *r)
{
	const bool process = r->kind == TASKACCT_KIND_PROCESS;

	if (r->tgid != (process ? known->id : known->tgid))
		judge_wrong(j, "%u of process %u, not %u", known->id, r->tgid,
			    known->tgid);
	else if (!!(r->flags & TASKACCT_RECORD_ENDED) != known->ended)
		judge_wrong(j, "%u has ended, or has not", known->id);
	else if (r->exit_code || r->uid != getuid() || r->gid != getgid())
		judge_wrong(j, "%u: exit code %x, uid %u, gid %u", known->id,
			    r->exit_code, r->uid, r->gid);
	else if (known->init_pid && r->init_pid != known->init_pid)
		judge_wrong(j, "%u is %u, not %u", known->id, r->init_pid,
			    known->init_pid);
	else if (process && r->valid >> TASKACCT_HAS_THREADS & 1 &&
		 r->threads != (known->ended ? 1 : 2))
		judge_wrong(j, "process %u had %u threads", known->id,
			    r->threads);
	else if (model_cgroups.own && r->cgroup != model_cgroups.own)
		judge_wrong(j, "%u in cgroup %llu", known->id,
			    (unsigned long long)r->cgroup);
}

static void judge_piece(struct judge *j, const struct piece *piece)
{
	const struct taskacct_record *r = &piece->record;
	const struct model_known *known;
	struct facts facts;
	unsigned int i;

	if (!piece->has_record)
		return;
	j->tally->extended++;
	for (i = 0; i < KNOWN_MAX; i++) {
		known = model_known(i, &facts);
		if (known->id == r->pid)
			judge_known(j, known, r);
	}
	if (r->flags & TASKACCT_RECORD_LAST)
		judge_wrong(j, "%u exits while it is asked about", r->pid);
}

/* One record of the right kind, with what was wanted; NULL: it is not */
static const struct piece *take_answer(struct judge *j, struct news *news,
				       const struct nlmsghdr *nlh,
				       uint32_t want)
{
	const struct piece *piece;
	const char *why = news_take(news, nlh);

	if (why) {
		judge_wrong(j, "an answer with %s", why);
		return NULL;
	}
	if (!news_has(news, want)) {
		judge_wrong(j, "an answer with other than what was wanted, %#x",
			    want);
		return NULL;
	}
	if (news->kinds == (TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS)) {
		judge_wrong(j, "an answer of two kinds");
		return NULL;
	}
	piece = news->kinds == TASKACCT_KIND_TASK ? &news->task :
						    &news->process;
	if (!news_may_reach(piece, j->sock->reach))
		judge_wrong(j, "%u is of user %u, whose tasks are not ours",
			    piece->id, piece->uid);
	judge_piece(j, piece);
	return piece;
}

void judge_answer_task(struct judge *j, struct expected *e,
		       const struct nlmsghdr *nlh)
{
	const struct piece *piece;
	struct news news;

	piece = take_answer(j, &news, nlh, e->want);
	if (!piece)
		return;
	if (news.kinds != (e->process ? TASKACCT_KIND_PROCESS :
					TASKACCT_KIND_TASK))
		judge_wrong(j, "an answer of the other kind");
	if (piece->id != e->id)
		judge_wrong(j, "record of %u for %u", piece->id, e->id);
	j->tally->queries++;
}

void judge_dumped_task(struct judge *j, struct expected *e,
		       const struct nlmsghdr *nlh)
{
	const struct piece *piece;
	struct facts facts;
	struct news news;
	unsigned int i;
	uint64_t order;

	piece = take_answer(j, &news, nlh, e->want);
	if (!piece)
		return;
	if (news.kinds & ~(e->filter.kinds ?: TASKACCT_KIND_TASK))
		judge_wrong(j, "a kind that was not wanted");
	facts = news_facts(piece);
	if (!filter_meets(&e->filter, &facts))
		judge_wrong(j, "%u does not meet the filter", piece->id);
	order = (uint64_t)piece->id << 2 | news.kinds;
	if (order <= e->last)
		judge_wrong(j, "%u out of order", piece->id);
	e->last = order;
	for (i = 0; i < KNOWN_MAX; i++)
		if (model_known(i, &facts)->id == piece->id)
			e->seen |= news.kinds << 2 * i;
}

/* All that are there as long as the dump, and meet it, are in it. */
void judge_dump_of_tasks(struct judge *j, const struct expected *e)
{
	const uint32_t kinds = e->filter.kinds ?: TASKACCT_KIND_TASK;
	const struct model_known *known;
	struct facts facts;
	unsigned int i;
	uint32_t must;

	for (i = 0; i < KNOWN_MAX; i++) {
		known = model_known(i, &facts);
		must = known->kinds & kinds;
		if (j->sock->reach == REACH_OWN && model_own(known->id) < 0)
			continue;
		if (filter_meets(&e->filter, &facts) > 0 &&
		    (e->seen >> 2 * i & must) != must)
			judge_wrong(j, "not in a dump: %u", known->id);
	}
}

static void judge_total(struct judge *j, const struct expected *e,
			const struct taskacct_record *r,
			const struct taskacct_wait *waits)
{
	const char *why = news_check_record(r, waits);

	j->tally->extended++;
	if (why)
		judge_wrong(j, "a cgroup's record with %s", why);
	else if (r->kind != TASKACCT_KIND_CGROUP || r->cgroup != e->cgroup ||
		 r->pid || r->tgid || r->init_pid || r->uid || r->start ||
		 r->comm[0])
		judge_wrong(j, "a cgroup's record of something else");
	/* This process, and its thread */
	else if (e->cgroup == model_cgroups.own && r->threads < 2)
		judge_wrong(j, "a cgroup of %u tasks", r->threads);
}

static void judge_doings(struct judge *j, const struct expected *e,
			 const struct cgroupstats *stats)
{
	/* This process runs, while its thread waits. */
	if (e->cgroup == model_cgroups.own &&
	    (!stats->nr_running || !stats->nr_sleeping))
		judge_wrong(j, "a cgroup of %llu running, %llu sleeping",
			    (unsigned long long)stats->nr_running,
			    (unsigned long long)stats->nr_sleeping);
}

void judge_answer_cgroup(struct judge *j, struct expected *e,
			 const struct nlmsghdr *nlh)
{
	const struct nlattr *attr =
		(const struct nlattr *)((const char *)NLMSG_DATA(nlh) +
					GENL_HDRLEN);
	size_t left = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	struct taskacct_wait waits[TASKACCT_WAITS];
	struct taskacct_record record;
	struct cgroupstats stats;

	if (!attr_fits(attr, left) || attr_size(attr) != sizeof(stats) ||
	    attr->nla_type != CGROUPSTATS_TYPE_CGROUP_STATS) {
		judge_wrong(j, "a cgroup that is none");
		return;
	}
	memcpy(&stats, attr_data(attr), sizeof(stats));
	judge_doings(j, e, &stats);
	attr = attr_next(attr, &left);
	while (attr_fits(attr, left) && attr->nla_type == TASKACCT_TYPE_PAD)
		attr = attr_next(attr, &left);
	if (e->want && attr_fits(attr, left) &&
	    attr->nla_type == TASKACCT_TYPE_RECORD &&
	    attr_size(attr) == sizeof(record)) {
		memcpy(&record, attr_data(attr), sizeof(record));
		attr = attr_next(attr, &left);
		if (news_take_waits(waits, attr, left)) {
			judge_total(j, e, &record, waits);
			attr_next(attr, &left);
		}
	} else if (e->want) {
		judge_wrong(j, "a cgroup without a record");
	}
	if (left)
		judge_wrong(j, "a cgroup with more than was wanted");
}
