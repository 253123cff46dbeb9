// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended records without a kernel: decoded by their length, logged, read
 * back and shown; and a log of an earlier version
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "kselftest_harness.h"
#include "lines.h"
#include "run.h"
#include "taskacct_log.h"

#define FAMILY 31
#define TIME UINT64_C(1700000000123456789)
#define SECOND UINT64_C(1000000000)

#define HAS(group) (1ULL << TASKACCT_HAS_##group)
#define ALL_GROUPS ((1ULL << __TASKACCT_HAS_MAX) - 1)

#define SIZE sizeof(struct taskacct_record)

/* A process that ended; every value of its own */
static struct taskacct_record make_record(uint32_t tgid, const char *comm)
{
	struct taskacct_record r = { .cpu = 1 };
	uint64_t value = 1001;
	size_t i;

	for (i = offsetof(struct taskacct_record, pid); i < sizeof(r);
	     i += sizeof(value), value += 1001)
		memcpy((uint8_t *)&r + i, &value, sizeof(value));
	r.version = TASKACCT_RECORD_VERSION;
	r.size = SIZE;
	r.kind = TASKACCT_KIND_PROCESS;
	r.flags = TASKACCT_RECORD_ENDED | TASKACCT_RECORD_LAST;
	r.valid = ALL_GROUPS;
	r.absent = 0;
	r.off = 0;
	r.late = 0;
	r.gone = 0;
	memset(r.comm, 0, sizeof(r.comm));
	strcpy(r.comm, comm);
	r.ppid = 1;
	r.pid = tgid;
	r.tgid = tgid;
	r.start = SECOND;
	r.end = 3 * SECOND;
	return r;
}

static void give_reason(struct taskacct_record *r, __u64 *reason,
			uint64_t groups)
{
	*reason |= groups;
	r->valid &= ~groups;
}

/* Each value of its own: those of the kinds that are known, and then of others */
static struct taskacct_wait wait_of(int kind)
{
	const uint64_t value = 1000000 + 1000 * (uint64_t)kind;

	return (struct taskacct_wait){ .count = value,
				       .total = value + 1,
				       .max = value + 2,
				       .min = value + 3 };
}

/* Waits of so many kinds, each of so many bytes */
static void put_waits(struct nl_msg *msg, int kinds, size_t size)
{
	struct nlattr *nest = nla_nest_start(msg, TASKACCT_TYPE_WAITS);
	struct {
		struct taskacct_wait wait;
		uint64_t more[4];
	} data;
	int i;

	for (i = 0; i < kinds; i++) {
		memset(&data, 0xff, sizeof(data));
		data.wait = wait_of(i);
		nla_put(msg, TASKACCT_WAITS_ATTR_PAD, 0, NULL);
		nla_put(msg, TASKACCT_WAITS_ATTR_CPU + i, (int)size, &data);
	}
	nla_nest_end(msg, nest);
}

/* A record, and such waits behind it */
static int decode(struct taskacct_extended *e, const struct taskacct_record *r,
		  int kinds, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlattr *nest;
	int err;

	nlmsg_put(msg, 0, 0, 99, 0, 0);
	put_waits(msg, kinds, size);
	nest = nlmsg_attrdata(nlmsg_hdr(msg), 0);
	err = taskacct_decode_record(e, r, SIZE);
	if (!err)
		err = taskacct_decode_waits(e, nla_data(nest),
					    (size_t)nla_len(nest));
	nlmsg_free(msg);
	return err;
}

static int decode_whole(struct taskacct_extended *e,
			const struct taskacct_record *r)
{
	return decode(e, r, TASKACCT_WAITS, sizeof(struct taskacct_wait));
}

static struct nl_msg *generic(int type, int cmd)
{
	struct genlmsghdr genl = { .cmd = (uint8_t)cmd };
	struct nl_msg *msg = nlmsg_alloc();

	nlmsg_put(msg, 0, 0, type, 0, 0);
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	return msg;
}

static struct nl_msg *family_message(void)
{
	struct nl_msg *msg = generic(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);

	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, FAMILY);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, "TASKACCT");
	return msg;
}

static struct nl_msg *record_message(const struct taskacct_record *r,
				     uint64_t seq, const char *cgroup)
{
	static const char cmdline[] = "cat\0a file\0\xff";
	const struct taskacct_stream stream = { .seq = seq, .lost_queue = 7 };
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_NEW);

	nla_put(msg, TASKACCT_TYPE_RECORD, SIZE, r);
	put_waits(msg, TASKACCT_WAITS, sizeof(struct taskacct_wait));
	nla_put(msg, TASKACCT_TYPE_STREAM, sizeof(stream), &stream);
	nla_put_string(msg, TASKACCT_TYPE_EXE_PATH, "/usr/bin/cat");
	if (cgroup)
		nla_put_string(msg, TASKACCT_TYPE_CGROUP_PATH, cgroup);
	nla_put(msg, TASKACCT_TYPE_CMDLINE, sizeof(cmdline), cmdline);
	/* What is not known yet is passed over. */
	nla_put_u32(msg, 99, 1);
	return msg;
}

static struct nl_msg *gap_message(uint64_t queue, uint64_t memory)
{
	const struct taskacct_stream stream = { .seq = 12,
						.lost_queue = queue };
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_GAP);

	nla_put_u64(msg, TASKACCT_GAP_ATTR_QUEUE, queue);
	nla_put_u64(msg, TASKACCT_GAP_ATTR_MEMORY, memory);
	nla_put_string(msg, TASKACCT_GAP_ATTR_CPUMASK, "0-2");
	nla_put_u64(msg, TASKACCT_GAP_ATTR_SINCE, 5 * SECOND);
	nla_put(msg, TASKACCT_GAP_ATTR_STREAM, sizeof(stream), &stream);
	return msg;
}

/* Where a value is, by the names of the UAPI header */
TEST(every_value_is_where_the_header_has_it)
{
	struct taskacct_record r = make_record(4711, "cat");
	struct taskacct_extended e;

	r.nice = -5;
	ASSERT_EQ(0, decode_whole(&e, &r));
	EXPECT_EQ(4711, taskacct_value(&e, TASKACCT_R_TGID));
	EXPECT_EQ(r.cpu_accounting,
		  taskacct_value(&e, TASKACCT_R_CPU_ACCOUNTING));
	EXPECT_EQ(-5, (int64_t)taskacct_value(&e, TASKACCT_R_NICE));
	EXPECT_EQ(r.vm_time, taskacct_value(&e, TASKACCT_R_VM_TIME));
	EXPECT_EQ(wait_of(TASKACCT_WAIT_CPU).count,
		  taskacct_value(&e, TASKACCT_R_WAIT_CPU_COUNT));
	EXPECT_EQ(wait_of(TASKACCT_WAIT_IRQ).min,
		  taskacct_value(&e, TASKACCT_R_WAIT_IRQ_MIN));
	EXPECT_STREQ("wait_irq_min",
		     taskacct_member_info(TASKACCT_R_WAIT_IRQ_MIN)->name);
}

/* Every byte of the struct but the reserved ones belongs to some value. */
TEST(the_table_covers_the_struct)
{
	struct taskacct_record r;
	struct taskacct_extended e;
	unsigned int covered = 0;
	bool reported;
	size_t i;
	int m;

	for (i = 0; i < SIZE; i++) {
		memset(&e, 0, sizeof(e));
		e.length = SIZE;
		((uint8_t *)&e.r)[i] = 1;
		reported = e.r.comm[0] || memcmp(e.r.comm, (char[16]){ 0 }, 16);
		for (m = 0; m < TASKACCT_MEMBERS && !reported; m++)
			reported = taskacct_value(&e, m);
		covered += reported;
		EXPECT_EQ(i - offsetof(struct taskacct_record, reserved) >=
				  sizeof(r.reserved),
			  reported)
			TH_LOG("byte %zu", i);
	}
	EXPECT_EQ(SIZE - sizeof(r.reserved), covered);
}

/* An older sender's: what is beyond its end is absent, the rest is right. */
TEST(a_shorter_record_is_decoded_as_far_as_it_goes)
{
	const size_t short_of = offsetof(struct taskacct_record, peak_rss);
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended e;

	ASSERT_EQ(0, taskacct_decode_record(&e, &r, short_of));
	EXPECT_EQ(short_of, e.length);
	EXPECT_EQ(TASKACCT_VALID, taskacct_validity(&e, TASKACCT_R_UTIME));
	EXPECT_EQ(r.utime, taskacct_value(&e, TASKACCT_R_UTIME));
	EXPECT_EQ(TASKACCT_ABSENT, taskacct_validity(&e, TASKACCT_R_PEAK_RSS));
	EXPECT_EQ(0, taskacct_value(&e, TASKACCT_R_PEAK_RSS));
	EXPECT_EQ(TASKACCT_ABSENT,
		  taskacct_validity(&e, TASKACCT_R_WAIT_CPU_TOTAL));
}

/* One of version 3, which had no migrations: neither the value nor the bit is there. */
TEST(a_record_of_an_older_module)
{
	const size_t older = offsetof(struct taskacct_record, migrations);
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended e;

	r.version = 3;
	r.size = (uint16_t)older;
	r.valid = HAS(MIGRATIONS) - 1;
	ASSERT_EQ(0, taskacct_decode_record(&e, &r, older));
	EXPECT_EQ(TASKACCT_VALID, taskacct_validity(&e, TASKACCT_R_ON_CPU));
	EXPECT_EQ(r.on_cpu, taskacct_value(&e, TASKACCT_R_ON_CPU));
	EXPECT_EQ(TASKACCT_ABSENT,
		  taskacct_validity(&e, TASKACCT_R_MIGRATIONS));
	EXPECT_EQ(0, taskacct_value(&e, TASKACCT_R_MIGRATIONS));
}

/* An older sender's: some kinds of waits are absent, and of others the extremes. */
TEST(fewer_and_shorter_waits_are_decoded_as_far_as_they_go)
{
	const size_t short_of = offsetof(struct taskacct_wait, max);
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended e;

	ASSERT_EQ(0, decode(&e, &r, TASKACCT_WAIT_SWAPIN, short_of));
	EXPECT_EQ(TASKACCT_VALID,
		  taskacct_validity(&e, TASKACCT_R_WAIT_BLKIO_TOTAL));
	EXPECT_EQ(wait_of(TASKACCT_WAIT_BLKIO).total,
		  taskacct_value(&e, TASKACCT_R_WAIT_BLKIO_TOTAL));
	EXPECT_EQ(TASKACCT_ABSENT,
		  taskacct_validity(&e, TASKACCT_R_WAIT_BLKIO_MAX));
	EXPECT_EQ(0, taskacct_value(&e, TASKACCT_R_WAIT_BLKIO_MAX));
	EXPECT_EQ(TASKACCT_ABSENT,
		  taskacct_validity(&e, TASKACCT_R_WAIT_SWAPIN_COUNT));
	EXPECT_EQ(0, taskacct_value(&e, TASKACCT_R_WAIT_SWAPIN_COUNT));
}

/* A newer sender's */
TEST(more_and_longer_waits_are_decoded_as_far_as_they_are_known)
{
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended known, e;

	ASSERT_EQ(0, decode_whole(&known, &r));
	ASSERT_EQ(0, decode(&e, &r, TASKACCT_WAITS + 3,
			    sizeof(struct taskacct_wait) + 24));
	EXPECT_EQ(0, memcmp(&known, &e, sizeof(e)));
}

TEST(no_length_of_waits_is_trusted)
{
	struct taskacct_record r = make_record(1, "cat");
	struct nl_msg *msg = record_message(&r, 1, NULL);
	struct taskacct_message m;
	struct taskacct_extended e;
	struct nlattr *nest, *kind;
	uint8_t *exact;
	size_t n;

	nest = nlmsg_find_attr(nlmsg_hdr(msg), GENL_HDRLEN,
			       TASKACCT_TYPE_WAITS);
	for (n = 0; n <= (size_t)nla_len(nest); n++) {
		exact = malloc(n ?: 1);
		memcpy(exact, nla_data(nest), n);
		ASSERT_EQ(0, taskacct_decode_record(&e, &r, SIZE));
		EXPECT_EQ(n % 40 == 0 || n % 40 == 4 ? 0 : -EBADMSG,
			  taskacct_decode_waits(&e, exact, n)) TH_LOG("%zu", n);
		free(exact);
	}
	kind = (struct nlattr *)((char *)nla_data(nest) + NLA_HDRLEN);
	kind->nla_len = (uint16_t)(nla_len(nest) + 1);
	EXPECT_EQ(-EBADMSG, taskacct_decode_message(&m, nlmsg_hdr(msg)));
	nlmsg_free(msg);
	/* Of which record? */
	msg = generic(FAMILY, TASKACCT_CMD_NEW);
	put_waits(msg, 1, sizeof(struct taskacct_wait));
	EXPECT_EQ(-EBADMSG, taskacct_decode_message(&m, nlmsg_hdr(msg)));
	nlmsg_free(msg);
}

/* One from before members were only ever added, and waits had their own attribute */
TEST(an_unreleased_layout_is_refused)
{
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended e;

	r.version = 2;
	EXPECT_EQ(-EBADMSG, taskacct_decode_record(&e, &r, SIZE));
}

/* R4 R30: a newer sender's record is decoded as far as it is known. */
TEST(a_longer_record_is_decoded_as_far_as_it_is_known)
{
	struct {
		struct taskacct_record r;
		uint64_t more[8];
	} data = { .r = make_record(1, "cat") };
	struct taskacct_extended e;

	memset(data.more, 0xff, sizeof(data.more));
	data.r.version++;
	data.r.size = sizeof(data);
	data.r.valid = UINT64_MAX;
	ASSERT_EQ(0, taskacct_decode_record(&e, &data, sizeof(data)));
	EXPECT_EQ(sizeof(data), e.length);
	EXPECT_EQ(0, memcmp(&e.r, &data.r, SIZE));
}

/* A record of any length, a name without a NUL and an unknown kind do no harm. */
TEST(no_length_is_trusted)
{
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended e;
	uint8_t *exact;
	size_t n;
	int m;

	memset(r.comm, 'x', sizeof(r.comm));
	for (n = 0; n <= SIZE; n++) {
		/* Of just that size, so that a read beyond it can be seen */
		exact = malloc(n ?: 1);
		memcpy(exact, &r, n);
		EXPECT_EQ(n < offsetof(struct taskacct_record, flags) ?
				  -EBADMSG : 0,
			  taskacct_decode_record(&e, exact, n));
		EXPECT_GT(sizeof(e.r.comm), strlen(e.r.comm));
		for (m = 0; m < TASKACCT_MEMBERS; m++)
			taskacct_value(&e, m);
		free(exact);
	}
	r.kind = 3;
	EXPECT_EQ(-EBADMSG, taskacct_decode_record(&e, &r, SIZE));
}

/* A value is valid only where all its groups are; else the reason is reported. */
TEST(why_a_value_is_not_valid)
{
	struct taskacct_record r = make_record(1, "cat");
	struct taskacct_extended e;

	give_reason(&r, &r.absent, HAS(IRQ));
	give_reason(&r, &r.off, HAS(BLKIO) | HAS(EXTREMES));
	give_reason(&r, &r.late, HAS(IO));
	give_reason(&r, &r.gone, HAS(END));
	ASSERT_EQ(0, decode_whole(&e, &r));
	EXPECT_EQ(TASKACCT_ABSENT,
		  taskacct_validity(&e, TASKACCT_R_WAIT_IRQ_TOTAL));
	EXPECT_EQ(TASKACCT_OFF,
		  taskacct_validity(&e, TASKACCT_R_WAIT_BLKIO_COUNT));
	EXPECT_EQ(TASKACCT_LATE, taskacct_validity(&e, TASKACCT_R_RCHAR));
	EXPECT_EQ(TASKACCT_GONE, taskacct_validity(&e, TASKACCT_R_EXIT_CODE));
	EXPECT_EQ(TASKACCT_VALID, taskacct_validity(&e, TASKACCT_R_PID));
	/* Valid only if both of its groups are */
	EXPECT_EQ(TASKACCT_VALID,
		  taskacct_validity(&e, TASKACCT_R_WAIT_CPU_TOTAL));
	EXPECT_EQ(TASKACCT_OFF,
		  taskacct_validity(&e, TASKACCT_R_WAIT_CPU_MAX));
	EXPECT_EQ(TASKACCT_ABSENT,
		  taskacct_validity(&e, TASKACCT_R_WAIT_IRQ_MAX));
	EXPECT_STREQ("blkio", taskacct_group_name(TASKACCT_HAS_BLKIO));
	EXPECT_EQ(NULL, taskacct_group_name(__TASKACCT_HAS_MAX));
}

/* A message with records, stream and names is decoded; three records are refused. */
TEST(a_message_with_everything)
{
	const struct taskacct_record r = make_record(1, "cat");
	struct nl_msg *msg = record_message(&r, 12, "/a/b");
	struct taskacct_message m;

	ASSERT_EQ(0, taskacct_decode_message(&m, nlmsg_hdr(msg)));
	EXPECT_EQ(0, m.n_classic);
	ASSERT_EQ(1, m.n_records);
	EXPECT_EQ(0, memcmp(&r, &m.records[0].r, SIZE));
	EXPECT_EQ(wait_of(TASKACCT_WAIT_WPCOPY).total,
		  m.records[0].wait[TASKACCT_WAIT_WPCOPY].total);
	ASSERT_TRUE(m.has_stream);
	EXPECT_EQ(12, m.stream.seq);
	EXPECT_EQ(4, m.cgroup.length);
	EXPECT_EQ(0, memcmp("/a/b", m.cgroup.text, 4));
	EXPECT_EQ(13, m.cmdline.length);
	nla_put(msg, TASKACCT_TYPE_RECORD, SIZE, &r);
	EXPECT_EQ(0, taskacct_decode_message(&m, nlmsg_hdr(msg)));
	nla_put(msg, TASKACCT_TYPE_RECORD, SIZE, &r);
	EXPECT_EQ(-EBADMSG, taskacct_decode_message(&m, nlmsg_hdr(msg)));
	nlmsg_free(msg);
}

/* A message about a gap is decoded; a damaged one is refused. */
TEST(a_gap)
{
	struct nl_msg *msg = gap_message(5, 6);
	struct taskacct_gap gap;

	ASSERT_EQ(0, taskacct_decode_gap(&gap, nlmsg_hdr(msg)));
	EXPECT_EQ(5, gap.queue);
	EXPECT_EQ(6, gap.memory);
	EXPECT_EQ(5 * SECOND, gap.since_ns);
	EXPECT_EQ(12, gap.stream.seq);
	ASSERT_EQ(3, gap.cpus.length);
	EXPECT_EQ(0, memcmp("0-2", gap.cpus.text, 3));
	nla_put_u32(msg, TASKACCT_GAP_ATTR_QUEUE, 1);
	EXPECT_EQ(-EBADMSG, taskacct_decode_gap(&gap, nlmsg_hdr(msg)));
	nlmsg_free(msg);
}

static const char *read_manual(void)
{
	FILE *file = fopen("tools/getdelays/getdelays.8", "r");
	static char page[65536];

	if (!file || !fread(page, 1, sizeof(page) - 1, file))
		return NULL;
	fclose(file);
	return page;
}

/* What the manual of fields calls the unit of a value, or NULL where any will do */
static const char *unit_name(enum taskacct_unit unit)
{
	switch (unit) {
	case TASKACCT_UNIT_COUNT:
		return "\ncount;";
	case TASKACCT_UNIT_NS:
	case TASKACCT_UNIT_BOOT_NS:
		return "\nduration, ns;";
	case TASKACCT_UNIT_EPOCH_NS:
		return "\ntime, ns;";
	case TASKACCT_UNIT_BYTES:
		return "\nbytes;";
	case TASKACCT_UNIT_KIB_US:
		return "\nKiB us;";
	default:
		return NULL;
	}
}

/* The manual of fields has a value, by its name and with its unit. */
static bool is_field(const char *page, const struct taskacct_member_info *info)
{
	const char *unit = unit_name(info->unit);
	const char *row, *end, *found;
	char name[80];

	snprintf(name, sizeof(name), "\n.It Cm %s", info->name);
	row = strstr(page, name);
	while (row && !isspace((unsigned char)row[strlen(name)]))
		row = strstr(row + 1, name);
	end = row ? strstr(row + 1, "\n.It ") : NULL;
	found = row && unit ? strstr(row, unit) : row;
	return found && (!unit || !end || found < end);
}

/* Keys are a promise: each is in the manual, or with its unit in that of fields. */
TEST(every_value_is_in_the_manual)
{
	const char *page = read_manual();
	const struct taskacct_member_info *info;
	struct run fields;
	char row[80];
	int m;

	ASSERT_NE(NULL, page) {
		TH_LOG("run from the project's top directory");
	}
	run_verb(&fields, "help", "taskacct-fields.7");
	for (m = 0; m < TASKACCT_MEMBERS; m++) {
		info = taskacct_member_info(m);
		switch (m) {
		/* What stands for itself, is written above the table, or is of no use */
		case TASKACCT_R_KIND:
		case TASKACCT_R_VALID:
		case TASKACCT_R_SIZE:
			continue;
		/* What is no field, or has another name there */
		case TASKACCT_R_VERSION:
		case TASKACCT_R_FLAGS:
		case TASKACCT_R_ABSENT:
		case TASKACCT_R_OFF:
		case TASKACCT_R_LATE:
		case TASKACCT_R_GONE:
		case TASKACCT_R_CPU:
		case TASKACCT_R_CGROUP:
			snprintf(row, sizeof(row), "\n.It %s\n", info->name);
			EXPECT_NE(NULL, strstr(page, row)) TH_LOG("%s", row + 1);
			continue;
		}
		EXPECT_TRUE(is_field(fields.out, info)) TH_LOG("%s", info->name);
	}
	run_free(&fields);
	for (m = 0; taskacct_group_name(m); m++) {
		EXPECT_NE(NULL, strstr(page, taskacct_group_name(m)))
			TH_LOG("%s", taskacct_group_name(m));
	}
}

FIXTURE(log) {
	char dir[64];
	char path[96];
	struct taskacct_log *log;
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(log)
{
	struct taskacct_torn torn;
	struct nl_msg *family = family_message();

	strcpy(self->dir, "/tmp/extended_log_test.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/log", self->dir);
	ASSERT_EQ(0, taskacct_log_open(&self->log, self->path, &torn));
	ASSERT_EQ(0, taskacct_log_begin(self->log, nlmsg_hdr(family)));
	nlmsg_free(family);
}

FIXTURE_TEARDOWN(log)
{
	run_free(&self->r);
	forget(&self->l);
	unlink(self->path);
	rmdir(self->dir);
}

static void put(struct taskacct_log *log, struct nl_msg *msg)
{
	if (taskacct_log_message(log, nlmsg_hdr(msg), TIME))
		abort();
	nlmsg_free(msg);
}

static void put_record(struct taskacct_log *log,
		       const struct taskacct_record *r, const char *cgroup)
{
	put(log, record_message(r, 12, cgroup));
}

/* Every value has its key, under the name of the struct's member */
static void expect_values(struct __test_metadata *_metadata,
			  struct json_object *o,
			  const struct taskacct_extended *e)
{
	const struct taskacct_member_info *info;
	int m;

	for (m = 0; m < TASKACCT_MEMBERS; m++) {
		info = taskacct_member_info(m);
		switch (m) {
		/* Those that are words, or of no use to anybody else */
		case TASKACCT_R_SIZE:
		case TASKACCT_R_KIND:
		case TASKACCT_R_FLAGS:
		case TASKACCT_R_VALID:
		case TASKACCT_R_ABSENT:
		case TASKACCT_R_OFF:
		case TASKACCT_R_LATE:
		case TASKACCT_R_GONE:
		case TASKACCT_R_CPU_ACCOUNTING:
		case TASKACCT_R_COMM:
			continue;
		}
		if (taskacct_validity(e, m) == TASKACCT_VALID) {
			EXPECT_EQ((int64_t)taskacct_value(e, m),
				  number(o, info->name))
				TH_LOG("%s", info->name);
		} else {
			EXPECT_TRUE(is_null(o, info->name))
				TH_LOG("%s", info->name);
		}
	}
}

/* JSON has each value under its member's name, null where it is not valid, the names,
 * the reasons, the stream, and gaps.
 */
TEST_F(log, json_has_all_of_it)
{
	struct taskacct_record r = make_record(4711, "cat");
	struct taskacct_extended e;
	struct json_object *o;

	r.cpu_accounting = TASKACCT_CPU_GENERIC;
	give_reason(&r, &r.absent, HAS(IRQ));
	give_reason(&r, &r.off, HAS(BLKIO));
	give_reason(&r, &r.gone, HAS(MEMORY) | HAS(EXE));
	ASSERT_EQ(0, decode_whole(&e, &r));
	put_record(self->log, &r, "/a b/c");
	put(self->log, gap_message(40, 2));
	ASSERT_EQ(0, taskacct_log_close(self->log));

	run(&self->r, "--extended", "--json", "-R", self->path);
	ASSERT_EQ(EXIT_LOST, self->r.status) TH_LOG("%s", self->r.err);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	o = self->l.v[0];
	expect_values(_metadata, o, &e);
	EXPECT_STREQ("\"process\"", json_of(o, "kind"));
	EXPECT_STREQ("\"cat\"", json_of(o, "comm"));
	EXPECT_STREQ("\"generic\"", json_of(o, "cpu_accounting"));
	EXPECT_STREQ("[\"ended\",\"last\"]", json_of(o, "flags"));
	EXPECT_STREQ("[\"irq\"]", json_of(o, "absent"));
	EXPECT_STREQ("[\"blkio\"]", json_of(o, "off"));
	EXPECT_STREQ("[]", json_of(o, "late"));
	EXPECT_STREQ("[\"memory\",\"exe\"]", json_of(o, "gone"));
	EXPECT_STREQ("\"/usr/bin/cat\"", json_of(o, "exe_path"));
	EXPECT_STREQ("\"/a b/c\"", json_of(o, "cgroup_path"));
	EXPECT_STREQ("[\"cat\",\"a file\",\"\xef\xbf\xbd\"]",
		     json_of(o, "cmdline"));
	EXPECT_EQ(2 * SECOND, number(o, "lifetime"));
	EXPECT_EQ(12, number(o, "seq"));
	EXPECT_EQ(7, number(o, "lost_queue"));

	o = self->l.v[1];
	EXPECT_STREQ("\"gap\"", json_of(o, "kind"));
	EXPECT_EQ(40, number(o, "queue"));
	EXPECT_EQ(2, number(o, "memory"));
	EXPECT_STREQ("\"0-2\"", json_of(o, "cpus"));
	EXPECT_NE(NULL, strstr(self->r.err, "lost: 42 (queue 40, memory 2)"));
	EXPECT_NE(NULL, strstr(self->r.err, "42, in 1 gaps"));
}

/**
 * struct flag - one that a record can have
 * @bit: itself
 * @name: what getdelays calls it
 */
struct flag {
	unsigned int bit;
	char name[32];
};

#define FLAGS_MAX 32

/* All of the header, which is where a new one begins */
static int read_flags(struct flag *flags)
{
	FILE *file = fopen("include/uapi/linux/taskacct.h", "r");
	struct flag *f = flags;
	char line[256];
	char *c;

	while (file && f < flags + FLAGS_MAX && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "#define TASKACCT_RECORD_%31s 0x%x", f->name,
			   &f->bit) != 2)
			continue;
		for (c = f->name; *c; c++)
			*c = tolower(*c);
		f++;
	}
	if (file)
		fclose(file);
	return f - flags;
}

/* Whether the manual has it among a record's flags */
static bool is_in_manual(const char *name)
{
	const char *from = strstr(read_manual(), "\n.It flags\n");
	const char *end = from ? strstr(from + 1, "\n.It ") : NULL;
	const char *at = from ? strstr(from, name) : NULL;

	return at && end && at < end;
}

/* R30: each flag of a record has the header's name, in the manual too. */
TEST_F(log, each_flag_by_its_name)
{
	struct taskacct_record r = make_record(4711, "cat");
	struct flag flags[FLAGS_MAX];
	char text[80];
	int i, n = read_flags(flags);

	ASSERT_LT(8, n) {
		TH_LOG("run from the project's top directory");
	}
	for (i = 0; i < n; i++) {
		r.flags = flags[i].bit;
		put_record(self->log, &r, "/");
	}
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run(&self->r, "--extended", "--json", "-R", self->path);
	ASSERT_EQ(EXIT_DONE, self->r.status) TH_LOG("%s", self->r.err);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(n, self->l.n);
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "[\"%s\"]", flags[i].name);
		EXPECT_STREQ(text, json_of(self->l.v[i], "flags"));
		EXPECT_TRUE(is_in_manual(flags[i].name)) TH_LOG("%s", text);
	}
}

static int cells_of(const char *line)
{
	int n = 1;

	for (; *line && *line != '\n'; line++)
		n += *line == ',';
	return n;
}

/* The same columns in every line, empty where a value is not valid */
TEST_F(log, csv_has_all_of_it)
{
	struct taskacct_record r = make_record(1, "cat");
	const char *second, *third;

	put_record(self->log, &r, "/a");
	r.kind = TASKACCT_KIND_TASK;
	give_reason(&r, &r.off, HAS(CPU_TIME));
	put_record(self->log, &r, NULL);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run(&self->r, "--extended", "--csv", "-R", self->path);
	ASSERT_EQ(EXIT_DONE, self->r.status) TH_LOG("%s", self->r.err);
	ASSERT_EQ(3, run_lines(self->r.out));
	second = strchr(self->r.out, '\n') + 1;
	third = strchr(second, '\n') + 1;
	EXPECT_LT(TASKACCT_MEMBERS, cells_of(self->r.out));
	EXPECT_EQ(cells_of(self->r.out), cells_of(second));
	EXPECT_EQ(cells_of(self->r.out), cells_of(third));
	EXPECT_EQ(0, strncmp(second, "process,", 8));
	EXPECT_EQ(0, strncmp(third, "task,", 5));
	EXPECT_NE(NULL, strstr(second, ",ended last,"));
	EXPECT_NE(NULL, strstr(third, ",cpu_time,"));
}

/* For people: "-" for what is not valid, and why only where it is asked */
TEST_F(log, a_table_has_a_line_a_record)
{
	struct taskacct_record r = make_record(4711, "cat");

	r.uid = 1000;
	give_reason(&r, &r.off, HAS(CPU_TIME));
	put_record(self->log, &r, NULL);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run(&self->r, "--extended", "-R", self->path);
	ASSERT_EQ(2, run_lines(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.out, "  2.00s      -      - "));
	EXPECT_GT(80, longest_line(self->r.out));
	EXPECT_EQ(NULL, strstr(self->r.out, "off"));
	run_free(&self->r);
	run(&self->r, "--extended", "-v", "-R", self->path);
	EXPECT_NE(NULL, strstr(self->r.out, "\noff        cpu_time\n"));
	run_free(&self->r);
	run(&self->r, "--extended", "-diq", "-R", self->path);
	EXPECT_EQ(8, run_lines(self->r.out));
	EXPECT_GT(80, longest_line(self->r.out));
}

/* --processes, --threads: of what is in the log */
TEST_F(log, kinds_are_distinct)
{
	struct taskacct_record r = make_record(1, "cat");

	put_record(self->log, &r, NULL);
	r.kind = TASKACCT_KIND_TASK;
	put_record(self->log, &r, NULL);
	put_record(self->log, &r, NULL);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run(&self->r, "--extended", "--json", "--threads", "-R", self->path);
	EXPECT_EQ(2, run_lines(self->r.out));
	run_free(&self->r);
	run(&self->r, "--extended", "--json", "--processes", "-R", self->path);
	EXPECT_EQ(1, run_lines(self->r.out));
	EXPECT_NE(NULL, strstr(self->r.out, "\"process\""));
}

/* Three processes, two commands, two users, two cgroups */
static void put_three(struct taskacct_log *log)
{
	static const struct {
		const char *comm;
		uint32_t uid;
		const char *cgroup;
		uint64_t cpu;
		uint64_t rss;
		uint64_t seconds;
	} three[] = {
		{ "cc", 1000, "/user", 2 * SECOND, 30 << 20, 1 },
		{ "cc", 0, "/system", SECOND, 10 << 20, 3 },
		{ "ld", 1000, "/user", 500000000, 90 << 20, 2 },
	};
	struct taskacct_record r;
	size_t i;

	for (i = 0; i < 3; i++) {
		r = make_record((uint32_t)i + 1, three[i].comm);
		r.uid = three[i].uid;
		r.utime = three[i].cpu;
		r.stime = 0;
		r.peak_rss = three[i].rss;
		r.read_bytes = 1000;
		r.end = r.start + three[i].seconds * SECOND;
		put_record(log, &r, three[i].cgroup);
		/* Its task counts for nothing beside it. */
		r.kind = TASKACCT_KIND_TASK;
		r.flags &= ~TASKACCT_RECORD_LAST;
		put_record(log, &r, three[i].cgroup);
	}
}

#define COLUMNS \
	"count,utime,read,peak,wait_cpu,wait_cpu:n,wait_io,wait_io:n,lifetime:p50,lifetime:p95"

/* The line of a table of totals; lines count from 0 */
static struct json_object *total(struct __test_metadata *_metadata,
				 FIXTURE_DATA(log) *self, const char *by,
				 const char *sort, int line)
{
	run_free(&self->r);
	forget(&self->l);
	run_verb(&self->r, "report", "--json", "--by", by, "--sort", sort, "-o",
		 COLUMNS, self->path);
	parse(_metadata, self->r.out, &self->l);
	return line < self->l.n ? self->l.v[line] : NULL;
}

TEST_F(log, totals_by_command_user_and_cgroup)
{
	struct json_object *o;

	put_three(self->log);
	ASSERT_EQ(0, taskacct_log_close(self->log));

	o = total(_metadata, self, "comm", "utime", 0);
	/* Two, and their total */
	ASSERT_EQ(3, self->l.n) TH_LOG("%s", self->r.err);
	EXPECT_STREQ("cc", word(o, "comm"));
	EXPECT_EQ(2, number(o, "count"));
	EXPECT_EQ(3 * SECOND, number(o, "utime"));
	EXPECT_EQ(2000, number(o, "read_bytes"));
	EXPECT_EQ(30 << 20, number(o, "peak_rss"));

	o = total(_metadata, self, "comm", "peak", 0);
	EXPECT_STREQ("ld", word(o, "comm"));

	o = total(_metadata, self, "uid", "count", 0);
	EXPECT_EQ(1000, number(o, "uid"));
	EXPECT_EQ(2, number(o, "count"));
	EXPECT_LE(97 * SECOND / 100, number(o, "lifetime_p50"));
	EXPECT_GE(103 * SECOND / 100, number(o, "lifetime_p50"));
	EXPECT_LE(194 * SECOND / 100, number(o, "lifetime_p95"));
	EXPECT_GE(206 * SECOND / 100, number(o, "lifetime_p95"));

	o = total(_metadata, self, "cgroup", "lifetime:p95", 0);
	EXPECT_STREQ("/system", word(o, "cgroup"));
	EXPECT_EQ(SECOND, number(o, "utime"));
}

/* A total is of the records that have it, and says of how many; of none it is none. */
TEST_F(log, totals_of_what_is_not_valid)
{
	struct taskacct_record r = make_record(1, "cat");
	struct json_object *o;

	r.cgroup = 77;
	put_record(self->log, &r, NULL);
	give_reason(&r, &r.off, HAS(BLKIO));
	put_record(self->log, &r, NULL);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	/* Without its path it goes by its number. */
	o = total(_metadata, self, "cgroup_id", "utime", 0);
	EXPECT_EQ(77, number(o, "cgroup_id"));
	EXPECT_EQ(2, number(o, "count"));
	EXPECT_LT(0, number(o, "wait_blkio_total"));
	EXPECT_EQ(1, number(o, "wait_blkio_total_n"));
	EXPECT_LT(0, number(o, "wait_cpu_total"));
	EXPECT_EQ(2, number(o, "wait_cpu_total_n"));
}

/*
 * A log as the version before extended records wrote it, byte by byte and
 * without the library: two sessions, classic messages only.
 */
static void write_old(FILE *file, const struct nlmsghdr *nlh, uint32_t s)
{
	const uint32_t length = 16 + nlh->nlmsg_len;
	const uint32_t packet[] = { s, 5, length, length };
	const uint8_t cooked[16] = { [2] = 824 >> 8, [3] = 824 & 255,
				     [15] = NETLINK_GENERIC };

	fwrite(packet, sizeof(packet), 1, file);
	fwrite(cooked, sizeof(cooked), 1, file);
	fwrite(nlh, nlh->nlmsg_len, 1, file);
}

static void add_classic(struct nl_msg *msg, uint32_t pid)
{
	struct taskstats stats = { .version = 13, .ac_pid = pid,
				   .ac_utime = 1500000, .ac_comm = "old" };
	struct nlattr *nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_PID);

	/* As of a task that was the last one of its process */
	stats.ac_flag = 0x20;
	nla_put_u32(msg, TASKSTATS_TYPE_PID, pid);
	nla_put(msg, TASKSTATS_TYPE_STATS, 416, &stats);
	nla_nest_end(msg, nest);
}

static struct nl_msg *old_message(uint32_t pid)
{
	struct nl_msg *msg = generic(FAMILY, TASKSTATS_CMD_NEW);

	add_classic(msg, pid);
	return msg;
}

static void make_old_log(const char *path, uint32_t n)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, precision, longest, link_type;
	} header = { 0xa1b23c4d, 2, 4, 0, 0, 262144, 253 };
	struct nl_msg *msg = family_message();
	FILE *file = fopen(path, "wb");
	uint32_t pid;

	fwrite(&header, sizeof(header), 1, file);
	write_old(file, nlmsg_hdr(msg), 1);
	nlmsg_free(msg);
	for (pid = 1; pid <= n; pid++) {
		msg = old_message(pid);
		write_old(file, nlmsg_hdr(msg), pid);
		nlmsg_free(msg);
	}
	fclose(file);
}

/* A log as the version before wrote it, made byte by byte */
TEST_F(log, of_the_version_before_is_read_and_gone_on_with)
{
	struct taskacct_record r = make_record(4, "new");
	struct taskacct_torn torn;
	struct json_object *o;

	taskacct_log_close(self->log);
	make_old_log(self->path, 3);
	run(&self->r, "--extended", "--json", "-R", self->path);
	ASSERT_EQ(EXIT_DONE, self->r.status) TH_LOG("%s", self->r.err);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(3, self->l.n);
	o = self->l.v[2];
	EXPECT_EQ(3, number(o, "ac_pid"));
	EXPECT_STREQ("\"old\"", json_of(o, "ac_comm"));

	ASSERT_EQ(0, taskacct_log_open(&self->log, self->path, &torn));
	EXPECT_EQ(0, torn.bytes);
	put_record(self->log, &r, NULL);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run_free(&self->r);
	forget(&self->l);
	run_verb(&self->r, "report", "--tasks", "--json", "--by", "comm,cgroup",
		 "-o", "count,utime,stime", self->path);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(2, self->l.n);
	o = self->l.v[0];
	EXPECT_STREQ("old", word(o, "comm"));
	EXPECT_EQ(3, number(o, "count"));
	EXPECT_EQ(3 * 3 * SECOND / 2, number(o, "utime") + number(o, "stime"));
	/* It has no cgroups. */
	EXPECT_TRUE(is_null(o, "cgroup"));
	/* They were processes of one task; and that which was added */
	o = total(_metadata, self, "comm", "count", 1);
	ASSERT_EQ(3, self->l.n);
	EXPECT_STREQ("new", word(o, "comm"));
	EXPECT_EQ(1, number(o, "count"));
}

/* Classic and extended records in one message: each reader has its own. */
TEST_F(log, of_both_is_read_as_is_asked)
{
	struct taskacct_record r = make_record(3, "new");
	struct nl_msg *msg = record_message(&r, 1, "/a");

	add_classic(msg, 3);
	put(self->log, msg);
	ASSERT_EQ(0, taskacct_log_close(self->log));
	run(&self->r, "--json", "-R", self->path);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_STREQ("old", word(self->l.v[0], "ac_comm"));
	run_free(&self->r);
	forget(&self->l);
	run(&self->r, "--extended", "--json", "-R", self->path);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_STREQ("new", word(self->l.v[0], "comm"));
	EXPECT_STREQ("/a", word(self->l.v[0], "cgroup_path"));
}

TEST_HARNESS_MAIN
