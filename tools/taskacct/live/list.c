// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct list: all processes, or tasks, that live
 */
#include "report/listing.h"
#include "live.h"

#define USUAL "pid,user,unit,lifetime,cpu,wait_cpu,wait_io,rss,args"

struct list {
	const struct options *opt;
	struct listing *listing;
};

static void take(const struct taskacct_event *event, void *arg)
{
	struct list *list = arg;
	struct rec rec;

	if (rec_take(&rec, event, list->opt->kinds) == 1 &&
	    filter_match(list->opt->filter, &rec))
		listing_add(list->listing, &rec);
}

enum status list_run(struct options *opt)
{
	struct taskacct_filter filter = live_kinds(opt->kinds);
	struct list list = { .opt = opt };
	struct taskacct *ta;
	bool changed;
	int err;

	list.listing = listing_open(opt, USUAL, "pid");
	ta = live_open(opt->family);
	filter_kernel(opt->filter, &filter);
	err = taskacct_dump(ta, LIVE_WANT, &filter, take, &list, &changed);
	if (err)
		live_die(ta, err);
	taskacct_close(ta);
	listing_close(list.listing, "tasks");
	return STATUS_DONE;
}
