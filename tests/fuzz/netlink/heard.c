// SPDX-License-Identifier: GPL-2.0-only
/* What a listener hears: exits, and what was lost */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/genetlink.h>

#include "attr.h"
#include "found.h"
#include "judge.h"
#include "news.h"

static const char *check_piece(const struct model_sub *sub,
			       const struct piece *piece)
{
	const struct facts facts = news_facts(piece);

	if (!filter_meets(&sub->filter, &facts))
		return "one that does not meet the filter";
	if (piece->has_record &&
	    !(piece->record.flags & TASKACCT_RECORD_ENDED))
		return "one that has not ended";
	return NULL;
}

/* With the last thread, and only with it, comes the process. */
static const char *check_both(const struct news *news)
{
	const struct taskacct_record *task = &news->task.record;

	if (!news->task.has_record || !news->process.has_record)
		return NULL;
	if (!(task->flags & TASKACCT_RECORD_LAST))
		return "a process with another than its last thread";
	return task->tgid == news->process.record.tgid ?
		       NULL :
		       "a task with another process";
}

/* NULL if it may be what was asked for then; else what speaks against it */
static const char *check_sub(const struct model_sub *sub,
			     const struct news *news)
{
	const uint32_t both = TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS;
	const struct model_filter all = { .uid_max = UINT32_MAX, .one_in = 1 };
	struct model_sub classic = *sub;
	const char *why = NULL;

	if (!sub->extended) {
		classic.filter = all;
		sub = &classic;
	}
	if (!news_has(news, sub->want))
		return "other than what was wanted";
	if (news->kinds & ~(sub->filter.kinds ?: both))
		return "a kind that was not wanted";
	if (!sub->filter.has && !(news->kinds & TASKACCT_KIND_TASK))
		return "a process without its task";
	if (news->kinds & TASKACCT_KIND_TASK)
		why = check_piece(sub, &news->task);
	if (!why && news->kinds & TASKACCT_KIND_PROCESS)
		why = check_piece(sub, &news->process);
	return why ?: check_both(news);
}

/*
 * An exit that is under way while a registration is replaced is reported by the old
 * one or by the new one.
 */
static const char *check_subs(const struct model_sock *sock,
			      const struct news *news)
{
	const struct model_sub *sub = model_sub(sock, 0);
	const char *why = check_sub(sub, news);
	unsigned int ago;

	for (ago = 1; (sub = model_sub(sock, ago)); ago++)
		if (!check_sub(sub, news))
			return NULL;
	return why;
}

/* The one rule: what was received and what was lost is all that was made. */
static void judge_stream(struct judge *j, const struct taskacct_stream *now,
			 bool gap)
{
	struct model_stream *last = &j->sock->stream;

	if (now->filtered)
		judge_wrong(j, "filtered, without a filter");
	else if (now->lost_queue < last->lost_queue ||
		 now->lost_memory < last->lost_memory)
		judge_wrong(j, "lost less than before");
	else if (gap ? now->seq < last->seq : now->seq <= last->seq)
		judge_wrong(j, "number %llu after %llu",
			    (unsigned long long)now->seq,
			    (unsigned long long)last->seq);
	else if (now->seq != last->received + now->lost_queue +
				     now->lost_memory)
		judge_wrong(j, "%llu made, but %llu received, %llu and %llu lost",
			    (unsigned long long)now->seq,
			    (unsigned long long)last->received,
			    (unsigned long long)now->lost_queue,
			    (unsigned long long)now->lost_memory);
	last->seq = now->seq;
	last->lost_queue = now->lost_queue;
	last->lost_memory = now->lost_memory;
}

static void judge_record(struct judge *j, const struct nlmsghdr *nlh)
{
	struct news news;
	const char *why;

	j->tally->exits++;
	j->sock->stream.received++;
	if (!j->sock->listener) {
		judge_wrong(j, "an exit for who does not listen");
		return;
	}
	why = news_take(&news, nlh) ?: check_subs(j->sock, &news);
	if (why) {
		judge_wrong(j, "an exit with %s", why);
		return;
	}
	if (!news_may_reach(&news.task, j->sock->reach) ||
	    !news_may_reach(&news.process, j->sock->reach))
		judge_wrong(j, "an exit of %u, of another user", news.task.id);
	j->tally->extended += news.task.has_record || news.process.has_record;
	if (news.has_stream)
		judge_stream(j, &news.stream, false);
}

static bool is_gap(const struct nlmsghdr *nlh, struct found *found)
{
	const unsigned int stream = TASKACCT_GAP_ATTR_STREAM -
				    TASKACCT_GAP_ATTR_PAD;

	return found_take(found, nlh) &&
	       found->seen == found_all_of(TASKACCT_GAP_ATTR_QUEUE,
					   TASKACCT_GAP_ATTR_STREAM) &&
	       found_text(found, TASKACCT_GAP_ATTR_CPUMASK) &&
	       found->size[stream] == sizeof(struct taskacct_stream);
}

static uint64_t since_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void judge_lost(struct judge *j, const struct found *found)
{
	struct model_stream *last = &j->sock->stream;
	const uint64_t since = found_number(found, TASKACCT_GAP_ATTR_SINCE);
	const char *list = found_text(found, TASKACCT_GAP_ATTR_CPUMASK);
	uint64_t queue, memory, cpus;

	queue = found_number(found, TASKACCT_GAP_ATTR_QUEUE);
	memory = found_number(found, TASKACCT_GAP_ATTR_MEMORY);
	last->reported_queue += queue;
	last->reported_memory += memory;
	if (!queue && !memory)
		judge_wrong(j, "a gap without a loss");
	else if (last->reported_queue > last->lost_queue ||
		 last->reported_memory > last->lost_memory ||
		 (last->unbroken && (last->reported_queue != last->lost_queue ||
				     last->reported_memory != last->lost_memory)))
		judge_wrong(j, "%llu and %llu reported as lost, of %llu and %llu",
			    (unsigned long long)last->reported_queue,
			    (unsigned long long)last->reported_memory,
			    (unsigned long long)last->lost_queue,
			    (unsigned long long)last->lost_memory);
	else if (mask_parse(&j->rules->mask, list, strlen(list), &cpus) ||
		 cpus & ~j->sock->received)
		judge_wrong(j, "lost on CPUs '%s'", list);
	else if (!since || since > since_boot())
		judge_wrong(j, "lost at %llu", (unsigned long long)since);
}

static void judge_gap(struct judge *j, const struct nlmsghdr *nlh)
{
	const unsigned int at = TASKACCT_GAP_ATTR_STREAM -
				TASKACCT_GAP_ATTR_PAD;
	struct taskacct_stream stream;
	struct found found;

	j->tally->gaps++;
	if (!j->sock->listener || nlh->nlmsg_seq || !is_gap(nlh, &found)) {
		judge_wrong(j, "a gap that is none");
		return;
	}
	memcpy(&stream, found.data[at], sizeof(stream));
	judge_stream(j, &stream, true);
	judge_lost(j, &found);
}

/* By who registered, or by who subscribed, whichever the socket did of late */
static bool is_command(const struct judge *j, uint8_t cmd)
{
	const struct model_sub *sub;
	unsigned int ago;

	for (ago = 0; (sub = model_sub(j->sock, ago)); ago++)
		if (cmd == (sub->extended ? TASKACCT_CMD_EXIT :
					    TASKACCT_CMD_NEW))
			return true;
	return false;
}

void judge_exit(struct judge *j, const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	if (genl->version != TASKACCT_GENL_VERSION || genl->reserved ||
	    nlh->nlmsg_flags)
		judge_wrong(j, "an exit with a wrong header");
	else if (is_command(j, genl->cmd))
		judge_record(j, nlh);
	else if (genl->cmd == TASKACCT_CMD_GAP)
		judge_gap(j, nlh);
	else
		judge_wrong(j, "command %u, unasked", genl->cmd);
}

void judge_datagram(struct judge *j, size_t size, uint64_t exits)
{
	const struct model_sub *sub;
	unsigned int ago;

	if (exits < 2)
		return;
	j->tally->batches++;
	for (ago = 0; (sub = model_sub(j->sock, ago)); ago++)
		if (size <= sub->batch_bytes)
			return;
	judge_wrong(j, "%llu exits in a datagram of %zu bytes",
		    (unsigned long long)exits, size);
}
