// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoding, without a kernel: struct taskstats of every version and any
 * length, the messages that carry it, and lists of CPUs
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "kselftest_harness.h"
#include "taskacct.h"

#define FAMILY 31

/* Room for a struct of any version, and then some */
#define ROOM 1024

static const struct {
	unsigned int version;
	size_t length;
} versions[] = {
	{ 8, 328 },  { 9, 344 },  { 10, 352 }, { 11, 368 }, { 12, 400 },
	{ 13, 416 }, { 14, 432 }, { 15, 560 }, { 16, 560 }, { 17, 688 },
};

#define N_VERSIONS (sizeof(versions) / sizeof(*versions))

/* A member as this system's header has it: a second opinion on the table */
#define MEMBER(name)							\
	{								\
		#name, offsetof(struct taskstats, name),		\
		sizeof(((struct taskstats *)NULL)->name)		\
	}

static const struct member {
	const char *name;
	size_t offset;
	size_t size;
} members[] = {
	MEMBER(version), MEMBER(ac_exitcode), MEMBER(ac_flag),
	MEMBER(ac_nice), MEMBER(cpu_count), MEMBER(cpu_delay_total),
	MEMBER(blkio_count), MEMBER(blkio_delay_total), MEMBER(swapin_count),
	MEMBER(swapin_delay_total), MEMBER(cpu_run_real_total),
	MEMBER(cpu_run_virtual_total), MEMBER(ac_comm), MEMBER(ac_sched),
	MEMBER(ac_uid), MEMBER(ac_gid), MEMBER(ac_pid), MEMBER(ac_ppid),
	MEMBER(ac_btime), MEMBER(ac_etime), MEMBER(ac_utime),
	MEMBER(ac_stime), MEMBER(ac_minflt), MEMBER(ac_majflt),
	MEMBER(coremem), MEMBER(virtmem), MEMBER(hiwater_rss),
	MEMBER(hiwater_vm), MEMBER(read_char), MEMBER(write_char),
	MEMBER(read_syscalls), MEMBER(write_syscalls), MEMBER(read_bytes),
	MEMBER(write_bytes), MEMBER(cancelled_write_bytes), MEMBER(nvcsw),
	MEMBER(nivcsw), MEMBER(ac_utimescaled), MEMBER(ac_stimescaled),
	MEMBER(cpu_scaled_run_real_total), MEMBER(freepages_count),
	MEMBER(freepages_delay_total), MEMBER(thrashing_count),
	MEMBER(thrashing_delay_total), MEMBER(ac_btime64),
	MEMBER(compact_count), MEMBER(compact_delay_total), MEMBER(ac_tgid),
	MEMBER(ac_tgetime), MEMBER(ac_exe_dev), MEMBER(ac_exe_inode),
	MEMBER(wpcopy_count), MEMBER(wpcopy_delay_total),
};

#define N_MEMBERS (sizeof(members) / sizeof(*members))

static const char *const waits[] = {
	"cpu", "blkio", "swapin", "freepages", "thrashing", "compact",
	"wpcopy", "irq",
};

#define N_WAITS (sizeof(waits) / sizeof(*waits))

/* What versions 14, 16 and 17 put behind version 13 */
struct tail {
	uint64_t irq_count;
	uint64_t irq_total;
	struct {
		uint64_t max;
		uint64_t min;
	} extremes[N_WAITS];
	struct {
		int64_t s;
		int64_t ns;
	} max_at[N_WAITS];
};

static int field_of(const char *name)
{
	int f;

	for (f = 0; f < TASKACCT_FIELDS; f++)
		if (!strcmp(taskacct_field_info(f)->name, name))
			return f;
	return -1;
}

static int field_of_wait(size_t wait, const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", waits[wait], suffix);
	return field_of(name);
}

static void set_version(void *data, unsigned int version)
{
	const uint16_t v = (uint16_t)version;

	memcpy(data, &v, sizeof(v));
}

/* Bytes that differ from their neighbours, and a version */
static void scribble(uint8_t *data, unsigned int version)
{
	size_t i;

	for (i = 0; i < ROOM; i++)
		data[i] = (uint8_t)(i * 7 + 1);
	data[offsetof(struct taskstats, ac_nice)] = (uint8_t)-5;
	set_version(data, version);
}

static uint64_t value_of(const uint8_t *data, size_t size)
{
	const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint64_t value = 0;

	/* The test runs where it was built; the byte order is that of both. */
	memcpy((uint8_t *)&value +
		       (big_endian ? sizeof(value) - size : 0),
	       data, size);
	return value;
}

TEST(every_member_is_where_the_header_has_it)
{
	struct taskacct_stats stats;
	uint8_t data[ROOM];
	size_t i;
	int f;

	scribble(data, 13);
	ASSERT_EQ(0, taskacct_decode(&stats, data, 416));
	for (i = 0; i < N_MEMBERS; i++) {
		const struct member *m = &members[i];

		f = field_of(m->name);
		ASSERT_LE(0, f) {
			TH_LOG("no field %s", m->name);
		}
		EXPECT_TRUE(taskacct_has(&stats, f));
		if (!strcmp(m->name, "ac_comm")) {
			EXPECT_EQ(0, memcmp(stats.comm, data + m->offset, 32));
		} else if (!strcmp(m->name, "ac_nice")) {
			EXPECT_EQ((int8_t)data[m->offset],
				  (int64_t)stats.v[f]);
		} else {
			EXPECT_EQ(value_of(data + m->offset, m->size),
				  stats.v[f]) {
				TH_LOG("%s", m->name);
			}
		}
	}
}

TEST(a_version_has_the_fields_that_it_should)
{
	struct taskacct_stats stats;
	uint8_t data[ROOM];
	size_t i;
	int f;

	for (i = 0; i < N_VERSIONS; i++) {
		scribble(data, versions[i].version);
		ASSERT_EQ(0, taskacct_decode(&stats, data,
					     versions[i].length));
		EXPECT_EQ(versions[i].version,
			  stats.v[TASKACCT_F_VERSION]);
		EXPECT_EQ(versions[i].length, stats.length);
		for (f = 0; f < TASKACCT_FIELDS; f++) {
			EXPECT_EQ(taskacct_field_info(f)->since <=
					  versions[i].version,
				  taskacct_has(&stats, f)) {
				TH_LOG("%s in version %u",
				       taskacct_field_info(f)->name,
				       versions[i].version);
			}
		}
	}
}

TEST(a_field_that_is_not_there_is_zero_and_not_valid)
{
	struct taskacct_stats stats;
	uint8_t data[ROOM];
	int f;

	scribble(data, 8);
	/* The bytes are there, the version does not have the fields. */
	ASSERT_EQ(0, taskacct_decode(&stats, data, ROOM));
	for (f = 0; f < TASKACCT_FIELDS; f++) {
		if (taskacct_has(&stats, f))
			continue;
		EXPECT_EQ(0, stats.v[f]);
		EXPECT_LT(8, taskacct_field_info(f)->since);
	}
	EXPECT_FALSE(taskacct_has(&stats, TASKACCT_F_THRASHING_COUNT));
}

TEST(versions_14_16_and_17_append)
{
	static const unsigned int late[] = { 14, 16, 17 };
	struct taskacct_stats stats;
	uint8_t data[ROOM];
	struct tail tail;
	size_t i, w;

	for (i = 0; i < 3; i++) {
		scribble(data, late[i]);
		for (w = 0; w < N_WAITS; w++) {
			tail.max_at[w].s = 1700000000 + (int64_t)w;
			tail.max_at[w].ns = 123456789 + (int64_t)w;
			tail.extremes[w].max = 5000 + w;
			tail.extremes[w].min = 50 + w;
		}
		tail.irq_count = 3;
		tail.irq_total = 4;
		memcpy(data + 416, &tail, sizeof(tail));
		ASSERT_EQ(0, taskacct_decode(&stats, data,
					     416 + sizeof(tail)));
		EXPECT_EQ(3, stats.v[TASKACCT_F_IRQ_COUNT]);
		EXPECT_EQ(4, stats.v[TASKACCT_F_IRQ_TOTAL]);
		for (w = 0; late[i] >= 16 && w < N_WAITS; w++) {
			EXPECT_EQ(5000 + w,
				  stats.v[field_of_wait(w, "delay_max")]);
			EXPECT_EQ(50 + w,
				  stats.v[field_of_wait(w, "delay_min")]);
		}
		for (w = 0; late[i] >= 17 && w < N_WAITS; w++)
			EXPECT_EQ((1700000000 + w) * 1000000000 + 123456789 + w,
				  stats.v[field_of_wait(w, "delay_max_ts")]);
	}
}

/*
 * Version 15: max and min follow each total. Built from the order of version
 * 13 by moving bytes, so that it owes nothing to the table.
 */
static size_t build_15(uint8_t *to, const uint8_t *from)
{
	static const size_t after[] = {
		offsetof(struct taskstats, blkio_count),
		offsetof(struct taskstats, swapin_count),
		offsetof(struct taskstats, cpu_run_real_total),
		offsetof(struct taskstats, thrashing_count),
		offsetof(struct taskstats, ac_btime64),
		offsetof(struct taskstats, ac_tgid),
		416, 432,
	};
	size_t w, done = 0, n = 0;

	for (w = 0; w < N_WAITS; w++) {
		const uint64_t extremes[] = { 9000 + w, 90 + w };

		memcpy(to + n, from + done, after[w] - done);
		n += after[w] - done;
		done = after[w];
		memcpy(to + n, extremes, sizeof(extremes));
		n += sizeof(extremes);
	}
	return n;
}

TEST(version_15_has_extremes_in_the_middle)
{
	static const unsigned int said[] = { 15, 14 };
	struct taskacct_stats plain, middle;
	uint8_t data[ROOM], data15[ROOM];
	size_t i, w;
	int f;

	for (i = 0; i < 2; i++) {
		/* Kernels on the way to it had its layout and still said 14. */
		scribble(data, said[i]);
		ASSERT_EQ(560, build_15(data15, data));
		ASSERT_EQ(0, taskacct_decode(&middle, data15, 560));
		set_version(data, 14);
		ASSERT_EQ(0, taskacct_decode(&plain, data, 432));
		for (f = 1; f < TASKACCT_FIELDS; f++) {
			if (!taskacct_has(&plain, f))
				continue;
			EXPECT_TRUE(taskacct_has(&middle, f));
			EXPECT_EQ(plain.v[f], middle.v[f]) {
				TH_LOG("%s", taskacct_field_info(f)->name);
			}
		}
		EXPECT_STREQ(plain.comm, middle.comm);
		for (w = 0; w < N_WAITS; w++) {
			EXPECT_EQ(9000 + w,
				  middle.v[field_of_wait(w, "delay_max")]);
			EXPECT_EQ(90 + w,
				  middle.v[field_of_wait(w, "delay_min")]);
		}
	}
}

/* A struct longer than any known, and one shorter than its version says, are decoded as
 * far as they go.
 */
TEST(longer_than_known_and_shorter)
{
	struct taskacct_stats known, other;
	uint8_t data[ROOM];
	size_t length, i;
	int f;

	scribble(data, 17);
	ASSERT_EQ(0, taskacct_decode(&known, data, 688));
	set_version(data, 99);
	ASSERT_EQ(0, taskacct_decode(&other, data, ROOM));
	for (f = 1; f < TASKACCT_FIELDS; f++) {
		EXPECT_TRUE(taskacct_has(&other, f));
		EXPECT_EQ(known.v[f], other.v[f]);
	}

	set_version(data, 17);
	for (length = 2; length < 688; length++) {
		ASSERT_EQ(0, taskacct_decode(&other, data, length));
		for (f = 0; f < TASKACCT_FIELDS; f++)
			EXPECT_EQ(taskacct_has(&other, f) ? known.v[f] : 0,
				  other.v[f]);
		for (i = 0; i < N_MEMBERS; i++)
			EXPECT_EQ(members[i].offset + members[i].size <= length,
				  taskacct_has(&other,
					       field_of(members[i].name)));
	}
	EXPECT_EQ(-EBADMSG, taskacct_decode(&other, data, 1));
	EXPECT_EQ(-EBADMSG, taskacct_decode(&other, data, 0));
}

TEST(any_alignment_and_a_name_without_end)
{
	struct taskacct_stats even, odd;
	uint8_t data[ROOM + 1], moved[ROOM + 1];

	scribble(data, 13);
	memset(data + offsetof(struct taskstats, ac_comm), 'x', 32);
	memcpy(moved + 1, data, 416);
	ASSERT_EQ(0, taskacct_decode(&even, data, 416));
	ASSERT_EQ(0, taskacct_decode(&odd, moved + 1, 416));
	EXPECT_EQ(0, memcmp(&even, &odd, sizeof(even)));
	EXPECT_EQ(32, strlen(even.comm));
}

/* The version in the row of the manual that has a name, 0 where it has none, or -1 */
static int row_version(const char *page, const char *name)
{
	const size_t length = strlen(name);
	const char *row, *found;
	int version;

	for (row = strstr(page, "\n.It "); row; row = strstr(row, "\n.It ")) {
		char line[128];

		row += strlen("\n.It ");
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(row, "\n"), row);
		found = strstr(line, " Pq ");
		if (!found)
			continue;
		version = 0;
		sscanf(found + strcspn(found, "0123456789"), "%d", &version);
		for (found = strstr(line, name); found;
		     found = strstr(found + 1, name))
			if ((found == line || found[-1] == ' ') &&
			    found[length] == ' ')
				return version;
	}
	return -1;
}

/* The version that the manual has of a field: in a row, or in that of the kind of wait and
 * in that of what there is of each kind
 */
static int manual_version(const char *page, const char *name)
{
	const char *rest = strchr(name, '_');
	int version = row_version(page, name);
	char kind[16];
	int of_kind;

	if (version >= 0 || !rest)
		return version;
	snprintf(kind, sizeof(kind), "%.*s", (int)(rest - name), name);
	of_kind = row_version(page, kind);
	version = row_version(page, rest);
	if (of_kind < 0 || version < 0)
		return -1;
	return of_kind > version ? of_kind : version;
}

/* Keys are a promise: each is in the manual, with its version. */
TEST(every_field_is_in_the_manual)
{
	const struct taskacct_field_info *info;
	FILE *file = fopen("tools/getdelays/getdelays.8", "r");
	static char page[65536];
	int f;

	ASSERT_NE(NULL, file) {
		TH_LOG("run from the project's top directory");
	}
	ASSERT_LT(0, fread(page, 1, sizeof(page) - 1, file));
	fclose(file);
	for (f = 0; f < TASKACCT_FIELDS; f++) {
		info = taskacct_field_info(f);
		EXPECT_EQ(info->since, manual_version(page, info->name)) {
			TH_LOG("%s", info->name);
		}
	}
}

/* An exit message or an answer, as the kernel builds it */
static struct nl_msg *message(void)
{
	struct genlmsghdr genl = { .cmd = TASKSTATS_CMD_NEW };
	struct nl_msg *msg = nlmsg_alloc();
	struct nlmsghdr *nlh = nlmsg_put(msg, 0, 1, FAMILY, 0, 0);

	(void)nlh;
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	return msg;
}

static void add_record(struct nl_msg *msg, int aggr, uint32_t id,
		       unsigned int version, uint8_t flag, bool pad)
{
	struct nlattr *nest = nla_nest_start(msg, aggr);
	uint8_t data[ROOM] = { 0 };

	set_version(data, version);
	data[offsetof(struct taskstats, ac_flag)] = flag;
	nla_put_u32(msg,
		    aggr == TASKSTATS_TYPE_AGGR_PID ? TASKSTATS_TYPE_PID :
						      TASKSTATS_TYPE_TGID,
		    id);
	if (pad)
		nla_put(msg, TASKSTATS_TYPE_NULL, 0, NULL);
	nla_put(msg, TASKSTATS_TYPE_STATS, 416, data);
	nla_nest_end(msg, nest);
}

TEST(a_message_with_one_record)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct nl_msg *msg = message();

	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 4711, 13, 0, true);
	ASSERT_EQ(1, taskacct_records(nlmsg_hdr(msg), records));
	EXPECT_EQ(TASKACCT_PID, records[0].kind);
	EXPECT_EQ(4711, records[0].id);
	EXPECT_EQ(416, records[0].stats.length);
	EXPECT_FALSE(records[0].last);
	EXPECT_FALSE(records[0].paired);
	nlmsg_free(msg);
}

TEST(a_message_of_a_last_thread)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct nl_msg *msg = message();

	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 4712, 13, AGROUP, false);
	add_record(msg, TASKSTATS_TYPE_AGGR_TGID, 4711, 13, AGROUP, true);
	/* What is not known is passed over. */
	nla_put_u32(msg, 77, 1);
	ASSERT_EQ(2, taskacct_records(nlmsg_hdr(msg), records));
	EXPECT_EQ(TASKACCT_PID, records[0].kind);
	EXPECT_EQ(4712, records[0].id);
	EXPECT_TRUE(records[0].last);
	EXPECT_TRUE(records[0].paired);
	EXPECT_EQ(TASKACCT_TGID, records[1].kind);
	EXPECT_EQ(4711, records[1].id);
	EXPECT_TRUE(records[1].last);
	nlmsg_free(msg);
}

/* Before version 12, where the kernel has no AGROUP, the process record in the message
 * marks the last thread; or the flag, which taskacct sets.
 */
TEST(last_before_version_12_goes_by_the_pair_or_the_flag)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct nl_msg *msg = message();

	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 1, 10, 0, false);
	add_record(msg, TASKSTATS_TYPE_AGGR_TGID, 1, 10, 0, false);
	ASSERT_EQ(2, taskacct_records(nlmsg_hdr(msg), records));
	EXPECT_TRUE(records[0].last);
	nlmsg_free(msg);
	msg = message();
	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 1, 10, AGROUP, false);
	ASSERT_EQ(1, taskacct_records(nlmsg_hdr(msg), records));
	EXPECT_TRUE(records[0].last);
	nlmsg_free(msg);
	msg = message();
	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 1, 10, 0, false);
	ASSERT_EQ(1, taskacct_records(nlmsg_hdr(msg), records));
	EXPECT_FALSE(records[0].last);
	nlmsg_free(msg);
}

TEST(a_damaged_message_is_refused)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct nl_msg *msg = message();
	struct nlattr *nest;

	ASSERT_EQ(0, taskacct_records(nlmsg_hdr(msg), records));
	nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_PID);
	nla_put_u32(msg, TASKSTATS_TYPE_PID, 1);
	nla_nest_end(msg, nest);
	EXPECT_EQ(-EBADMSG, taskacct_records(nlmsg_hdr(msg), records));
	nlmsg_free(msg);

	msg = message();
	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 1, 13, 0, false);
	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 2, 13, 0, false);
	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 3, 13, 0, false);
	EXPECT_EQ(-EBADMSG, taskacct_records(nlmsg_hdr(msg), records));
	nlmsg_hdr(msg)->nlmsg_len = NLMSG_HDRLEN;
	EXPECT_EQ(-EBADMSG, taskacct_records(nlmsg_hdr(msg), records));
	nlmsg_free(msg);
}

TEST(a_message_cut_anywhere_does_no_harm)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct nl_msg *msg = message();
	struct nlmsghdr *cut;
	uint32_t length;
	int n;

	add_record(msg, TASKSTATS_TYPE_AGGR_PID, 1, 13, AGROUP, true);
	add_record(msg, TASKSTATS_TYPE_AGGR_TGID, 1, 13, AGROUP, true);
	for (length = NLMSG_HDRLEN; length < nlmsg_hdr(msg)->nlmsg_len;
	     length++) {
		/* On its own, so that a tool sees what reads beyond it. */
		cut = malloc(length);
		ASSERT_NE(NULL, cut);
		memcpy(cut, nlmsg_hdr(msg), length);
		cut->nlmsg_len = length;
		n = taskacct_records(cut, records);
		EXPECT_TRUE(n == -EBADMSG || n == 0 || n == 1);
		free(cut);
	}
	nlmsg_free(msg);
}

TEST(lists_of_cpus)
{
	static const struct {
		const char *text;
		int n;
		unsigned int first;
		unsigned int last;
	} good[] = {
		{ "0", 1, 0, 0 },	{ "0-3", 4, 0, 3 },
		{ "1-3,5,7-8", 6, 1, 8 }, { "5,1", 2, 1, 5 },
		{ "2-2", 1, 2, 2 },	{ "1-3,2-4", 4, 1, 4 },
		{ "4095", 1, 4095, 4095 },
	};
	static const char *const bad[] = {
		"", ",", "1,", ",1", "a", "1-", "-1", "3-1", "1 ", " 1",
		"1--2", "0x1", "65536", "99999999999999999999", "1-3:1/2",
	};
	unsigned int *list;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ASSERT_EQ(good[i].n, taskacct_parse_cpus(good[i].text, &list));
		EXPECT_EQ(good[i].first, list[0]);
		EXPECT_EQ(good[i].last, list[good[i].n - 1]);
		free(list);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EXPECT_EQ(-EINVAL, taskacct_parse_cpus(bad[i], &list)) {
			TH_LOG("'%s'", bad[i]);
		}
		free(list);
	}
}

TEST(what_cpus_this_machine_has)
{
	char *possible = taskacct_possible_cpus();
	unsigned int *list;

	ASSERT_NE(NULL, possible);
	EXPECT_LT(0, taskacct_parse_cpus(possible, &list));
	free(list);
	free(possible);
}

TEST_HARNESS_MAIN
