// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filters of taskacct: what is taken is decided for any record and never
 * both ways, what is refused is refused in words that point into it.
 */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#include "filter/filter.h"
#include "input.h"

/* A record with all values, one with none, and taskstats' own */
static struct rec records[3];

static void set_name(struct taskacct_name *name, const char *text)
{
	name->text = text;
	name->length = strlen(text);
}

static void make_records(void)
{
	struct taskacct_record *r = &records[0].x.r;

	if (records[0].x.length)
		return;
	records[0].x.length = sizeof(*r);
	records[1].x.length = sizeof(*r);
	records[2].classic = true;
	memset(r, 0x11, sizeof(*r));
	strcpy(r->comm, "cc1");
	r->kind = TASKACCT_KIND_PROCESS;
	r->valid = (UINT64_C(1) << __TASKACCT_HAS_MAX) - 1;
	r->uid = 1000;
	r->exit_code = 0x300;
	r->end = r->start + 5000000000;
	r->utime = 2000000000;
	r->stime = 1000000000;
	r->flags = TASKACCT_RECORD_ENDED | TASKACCT_RECORD_OOM;
	set_name(&records[0].exe, "/usr/bin/cc1");
	set_name(&records[0].cgroup, "/system.slice/nginx.service");
	records[0].cmdline.text = "cc1\0-O2";
	records[0].cmdline.length = 8;
	strcpy(records[2].c.stats.comm, "cc1");
}

/* In brackets it is the same, and its opposite is not met as well. */
static void check_match(const struct filter *filter, const char *text)
{
	char *negated = malloc(strlen(text) + 16);
	struct filter *opposite, *same;
	struct filter_error error;
	size_t i;

	assert(negated);
	sprintf(negated, "not (%s)", text);
	opposite = filter_parse(negated, &error);
	/* It may be as deep as it can be already. */
	same = filter_parse(negated + 4, &error);
	for (i = 0; i < 3; i++) {
		const uint64_t undecided = filter_undecided();
		const bool met = filter_match(filter, &records[i]);
		const bool decided = filter_undecided() == undecided;

		assert(decided || !met);
		assert(!same || filter_match(same, &records[i]) == met);
		assert(!opposite ||
		       filter_match(opposite, &records[i]) == (decided && !met));
	}
	filter_free(opposite);
	filter_free(same);
	free(negated);
}

static bool has(const struct taskacct_filter *k, int attr)
{
	return k->has & 1U << attr;
}

/* What the module does with these conditions, of the first record */
static bool meets(const struct taskacct_filter *k)
{
	const struct taskacct_record *r = &records[0].x.r;

	if (has(k, TASKACCT_FILTER_ATTR_UID_MIN) &&
	    (r->uid < k->uid_min || r->uid > k->uid_max))
		return false;
	if (has(k, TASKACCT_FILTER_ATTR_FAILED) && !(r->exit_code & 0xffff))
		return false;
	return r->end - r->start >= k->min_lifetime &&
	       r->utime + r->stime >= k->min_cpu_time;
}

/*
 * All that meet the filter have to come from the kernel; and nothing else where that
 * decides by itself. Cgroups of this machine are nothing that the record has.
 */
static void check_kernel(const struct filter *filter)
{
	struct taskacct_filter k = { .has = 0 };
	const bool decides = filter_kernel(filter, &k);
	const bool met = filter_match(filter, &records[0]);

	assert(!met || meets(&k));
	if (has(&k, TASKACCT_FILTER_ATTR_CGROUP_FD))
		close(k.cgroup_fd);
	else if (decides)
		assert(met || !meets(&k));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct filter_error error;
	struct filter *filter;

	assert(text);
	make_records();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	filter = filter_parse(text, &error);
	if (filter) {
		check_match(filter, text);
		check_kernel(filter);
	} else {
		assert(*error.why);
		assert(error.at + error.length <= strlen(text));
	}
	filter_free(filter);
	free(text);
	return 0;
}
