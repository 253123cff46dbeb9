// SPDX-License-Identifier: GPL-2.0-only
/* Statistics: the module's, a listener's, those of all */
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "found.h"
#include "judge.h"

void judge_answer_status(struct judge *j, struct expected *e,
			 const struct nlmsghdr *nlh)
{
	static uint64_t last[FOUND_MAX];
	unsigned int attr, mine = e->listener, i;
	struct found found;
	uint64_t value;

	if (!found_take(&found, nlh) ||
	    found.seen != found_all_of(TASKACCT_STAT_ATTR_HOOK,
				       TASKACCT_STAT_ATTR_END_HOOK) ||
	    !found_text(&found, TASKACCT_STAT_ATTR_HOOK) ||
	    !found_text(&found, TASKACCT_STAT_ATTR_UID_HOOK) ||
	    !found_text(&found, TASKACCT_STAT_ATTR_FSYNC_HOOK) ||
	    !found_text(&found, TASKACCT_STAT_ATTR_END_HOOK)) {
		judge_wrong(j, "statistics that are none");
		return;
	}
	for (attr = TASKACCT_STAT_ATTR_EXITS;
	     attr <= TASKACCT_STAT_ATTR_QUERIES; attr++) {
		i = attr - TASKACCT_STAT_ATTR_PAD;
		value = found_number(&found, attr);
		if (found.size[i] != sizeof(value) || value < last[i])
			judge_wrong(j, "figure %u was %llu and is %llu", attr,
				    (unsigned long long)last[i],
				    (unsigned long long)value);
		last[i] = value;
	}
	/* With uid=1 all that there are have room, and there is memory. */
	attr = j->rules->users ? TASKACCT_STAT_ATTR_UID_REST :
				 TASKACCT_STAT_ATTR_UIDS;
	for (; attr <= TASKACCT_STAT_ATTR_UID_NOMEM; attr++)
		if (found_number(&found, attr))
			judge_wrong(j, "figure %u of users is not 0", attr);
	for (i = 0; i < j->n_others; i++)
		mine += &j->others[i] != j->sock && j->others[i].fd >= 0 &&
			j->others[i].listener;
	value = found_number(&found, TASKACCT_STAT_ATTR_LISTENERS);
	if (value < mine)
		judge_wrong(j, "%llu listeners, %u of them here",
			    (unsigned long long)value, mine);
}

/* What is not there is 0. */
static bool sums_up(const struct found *found)
{
	uint64_t parts = found_number(found, TASKACCT_LISTENER_ATTR_WAITING);
	unsigned int attr;

	for (attr = TASKACCT_LISTENER_ATTR_DELIVERED;
	     attr <= TASKACCT_LISTENER_ATTR_LOST_MEMORY; attr++)
		parts += found_number(found, attr);
	return found_number(found, TASKACCT_LISTENER_ATTR_MADE) == parts;
}

/* Of anybody's; returns false where it is no listener's */
static bool is_listener(const struct nlmsghdr *nlh, struct found *found)
{
	const uint32_t classic =
		found_all_of(TASKACCT_LISTENER_ATTR_PORTID,
			     TASKACCT_LISTENER_ATTR_LOST_MEMORY);
	const uint32_t all = found_all_of(TASKACCT_LISTENER_ATTR_PORTID,
					  TASKACCT_LISTENER_ATTR_WAITING);

	return found_take(found, nlh) &&
	       (found->seen == classic || found->seen == all) &&
	       found_text(found, TASKACCT_LISTENER_ATTR_CPUMASK) &&
	       found_text(found, TASKACCT_LISTENER_ATTR_COMM) &&
	       sums_up(found);
}

/* What it asked for is reported, if it asked for anything. */
static bool is_sub(const struct found *found, const struct model_sub *sub)
{
	const unsigned int i = TASKACCT_LISTENER_ATTR_FILTER -
			       TASKACCT_LISTENER_ATTR_PAD;

	if (!sub->extended)
		return !found_has(found, TASKACCT_LISTENER_ATTR_WANT);
	return found_has(found, TASKACCT_LISTENER_ATTR_WANT) &&
	       found_number(found, TASKACCT_LISTENER_ATTR_WANT) == sub->want &&
	       filter_is_reported(&sub->filter, found->data[i], found->size[i]) &&
	       (sub->batch_bytes ||
		!found_number(found, TASKACCT_LISTENER_ATTR_WAITING));
}

static void judge_own(struct judge *j, const struct model_sock *sock,
		      const struct found *found, uint64_t mask,
		      const struct model_sub *sub, uint64_t received)
{
	const char *cpus = found_text(found, TASKACCT_LISTENER_ATTR_CPUMASK);
	const uint32_t pid =
		(uint32_t)found_number(found, TASKACCT_LISTENER_ATTR_PID);
	char should[256];

	mask_print(should, sizeof(should), mask);
	if (!sock->listener)
		judge_wrong(j, "port %u is no listener", sock->port);
	else if (strcmp(cpus, should))
		judge_wrong(j, "hears '%s', registered for '%s'", cpus, should);
	else if (pid != j->pid)
		judge_wrong(j, "registered by %u, not by %u", pid, j->pid);
	else if (!is_sub(found, sub))
		judge_wrong(j, "listens for something else than it asked for");
	else if (found_number(found, TASKACCT_LISTENER_ATTR_DELIVERED) <
		 received)
		judge_wrong(j, "delivered less than what was received");
}

void judge_answer_listener(struct judge *j, struct expected *e,
			   const struct nlmsghdr *nlh)
{
	struct found found;

	if (!is_listener(nlh, &found))
		judge_wrong(j, "a listener that is none, or does not add up");
	else if (found_number(&found, TASKACCT_LISTENER_ATTR_PORTID) !=
			 j->sock->port ||
		 found_number(&found, TASKACCT_LISTENER_ATTR_NETNS) !=
			 j->sock->netns)
		judge_wrong(j, "another socket's statistics");
	else
		/* Exits may slip in between its making and its sending. */
		judge_own(j, j->sock, &found, e->mask, &e->sub, j->received);
}

static bool is_socks(const struct model_sock *s, const struct found *found)
{
	return s->fd >= 0 &&
	       s->port == found_number(found, TASKACCT_LISTENER_ATTR_PORTID) &&
	       s->netns == found_number(found, TASKACCT_LISTENER_ATTR_NETNS);
}

void judge_dumped_listener(struct judge *j, struct expected *e,
			   const struct nlmsghdr *nlh)
{
	const struct model_sock *s;
	struct found found;
	unsigned int i;

	if (!is_listener(nlh, &found)) {
		judge_wrong(j, "a listener in a dump that is none, or does not add up");
		return;
	}
	for (i = 0; i < j->n_others; i++) {
		s = &j->others[i];
		if (!is_socks(s, &found))
			continue;
		if (e->seen & 1U << i)
			judge_wrong(j, "twice in a dump: port %u", s->port);
		e->seen |= 1U << i;
		/* The mask may have changed behind it in the datagram. */
		if (s != j->sock)
			judge_own(j, s, &found, s->mask, model_sub(s, 0),
				  s->stream.received);
	}
}

/* A dump that came to its end has every listener of this process. */
void judge_dump_of_listeners(struct judge *j, const struct expected *e)
{
	const struct model_sock *s;
	unsigned int i;

	for (i = 0; i < j->n_others; i++) {
		s = &j->others[i];
		if (s->fd >= 0 && s != j->sock && s->listener &&
		    !(e->seen & 1U << i))
			judge_wrong(j, "not in a dump: port %u", s->port);
	}
}
