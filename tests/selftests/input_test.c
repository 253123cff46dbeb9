// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bad input: a clear error, in a number and in words; never a silent success,
 * and nothing worse.
 */
#include <linux/cgroupstats.h>
#include <linux/genetlink.h>
#include <sys/socket.h>

#include "test.h"

#define PID TASKSTATS_CMD_ATTR_PID
#define TGID TASKSTATS_CMD_ATTR_TGID
#define REGISTER TASKSTATS_CMD_ATTR_REGISTER_CPUMASK
#define DEREGISTER TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK
#define NOBODY 65534

FIXTURE(input) {
	struct acct_sock s;
};

FIXTURE_SETUP(input)
{
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(input)
{
	acct_close(&self->s);
}

/* After whatever was sent the family answers as ever. */
static void expect_alive(struct __test_metadata *_metadata, struct acct_sock *s)
{
	struct taskstats st;

	EXPECT_EQ(0, acct_query_pid(s, getpid(), &st));
	EXPECT_EQ((uint32_t)getpid(), st.ac_pid);
	EXPECT_EQ(0, acct_query_tgid(s, getpid(), &st));
	EXPECT_EQ((uint32_t)getpid(), st.ac_pid);
}

static struct nl_msg *get(struct acct_sock *s)
{
	return acct_request(s, TASKSTATS_CMD_GET, 0);
}

static void refused(struct __test_metadata *_metadata, struct acct_sock *s,
		    struct nl_msg *msg, int err)
{
	EXPECT_EQ(err, acct_transact(s, msg, NULL, NULL));
	EXPECT_STRNE("", s->extack) TH_LOG("no words for error %d", err);
}

static void put(struct nl_msg *msg, int attr)
{
	if (attr == PID || attr == TGID)
		nla_put_u32(msg, attr, getpid());
	else
		nla_put_string(msg, attr, "0");
}

/* Without any attribute */
TEST_F(input, no_attribute)
{
	NEED_TASKACCT();
	refused(_metadata, &self->s, get(&self->s), -EINVAL);
	expect_alive(_metadata, &self->s);
}

/* Any two of the attributes together, in either order, are refused (in-tree
 * takes one and drops the other); nothing is registered
 */
TEST_F(input, two_attributes)
{
	struct acct_listener l;
	struct nl_msg *msg;
	int a;
	int b;

	NEED_TASKACCT();
	for (a = PID; a <= DEREGISTER; a++) {
		for (b = PID; b <= DEREGISTER; b++) {
			if (a == b)
				continue;
			msg = get(&self->s);
			put(msg, a);
			put(msg, b);
			refused(_metadata, &self->s, msg, -EINVAL);
		}
	}
	EXPECT_EQ(-ENOENT, acct_listener_get(&self->s, &l));
	expect_alive(_metadata, &self->s);
}

/* PID and TGID have four bytes */
TEST_F(input, wrong_size)
{
	const int sizes[] = { 0, 1, 2, 3, 5, 8, 16 };
	const char bytes[16] = { 1 };
	struct nl_msg *msg;
	size_t i;
	int attr;

	NEED_TASKACCT();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (attr = PID; attr <= TGID; attr++) {
			msg = get(&self->s);
			nla_put(msg, attr, sizes[i], bytes);
			refused(_metadata, &self->s, msg, -ERANGE);
		}
	}
	expect_alive(_metadata, &self->s);
}

static void refuse_mask(struct __test_metadata *_metadata, struct acct_sock *s,
			int attr, const char *mask, bool out_of_range)
{
	struct nl_msg *msg = get(s);
	int err;

	nla_put_string(msg, attr, mask);
	err = acct_transact(s, msg, NULL, NULL);
	/* The kernel's own parser says which kind of too large it is. */
	EXPECT_TRUE(err == -EINVAL ||
		    (out_of_range && (err == -ERANGE || err == -EOVERFLOW)))
		TH_LOG("mask '%s': %d", mask, err);
	EXPECT_STRNE("", s->extack) TH_LOG("mask '%s'", mask);
}

static void refuse_masks(struct __test_metadata *_metadata, struct acct_sock *s,
			 const char *const masks[], bool out_of_range)
{
	for (; *masks; masks++) {
		refuse_mask(_metadata, s, REGISTER, *masks, out_of_range);
		refuse_mask(_metadata, s, DEREGISTER, *masks, out_of_range);
	}
}

/* R20: masks that are none, are empty, or have CPUs that are not possible */
TEST_F(input, bad_masks)
{
	char next[16];
	const char *const bad[] = { "", " ", ",", "\n", "a", "0-", "-1", "1-0",
				    "0x1", "0;1", "0--1", "\xff\xfe",
				    "0,\x01", NULL };
	const char *const impossible[] = { next, "8191", "0-8191", "100000",
					   "4294967296",
					   "99999999999999999999999", NULL };
	struct acct_listener l;

	NEED_TASKACCT();
	snprintf(next, sizeof(next), "%d", sys_cpus_possible());
	refuse_masks(_metadata, &self->s, bad, false);
	refuse_masks(_metadata, &self->s, impossible, true);
	EXPECT_EQ(-ENOENT, acct_listener_get(&self->s, &l));
	expect_alive(_metadata, &self->s);
}

/* A mask without any byte at all: refused by the kernel's own policy */
TEST_F(input, mask_of_length_zero)
{
	struct nl_msg *msg = get(&self->s);

	NEED_TASKACCT();
	nla_put(msg, REGISTER, 0, NULL);
	refused(_metadata, &self->s, msg, -ERANGE);
	expect_alive(_metadata, &self->s);
}

static int send_long(struct acct_sock *s, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_size(len + 1024);
	char *mask = malloc(len + 1);
	size_t i;
	int err;

	/* "0,0,0,…": a list that only its length is wrong with */
	memset(mask, '0', len);
	for (i = 1; i < len; i += 2)
		mask[i] = ',';
	mask[len - 1] = '\0';
	if (len > 1)
		mask[len - 2] = '0';
	nlmsg_put(msg, s->port, ++s->seq, s->family, GENL_HDRLEN, NLM_F_REQUEST);
	((struct genlmsghdr *)nlmsg_data(nlmsg_hdr(msg)))->cmd =
		TASKSTATS_CMD_GET;
	nla_put(msg, REGISTER, len, mask);
	err = acct_transact(s, msg, NULL, NULL);
	free(mask);
	return err;
}

static int kernel_cpus(void)
{
	char buf[16];

	sys_read("/sys/devices/system/cpu/kernel_max", buf, sizeof(buf));
	return atoi(buf) + 1;
}

/* A mask longer than any list of CPUs needs to be */
TEST_F(input, mask_too_long)
{
	size_t most = 100 + 6 * kernel_cpus();

	NEED_TASKACCT();
	EXPECT_EQ(-E2BIG, send_long(&self->s, most + 2));
	EXPECT_STRNE("", self->s.extack);
	EXPECT_EQ(0, send_long(&self->s, 101));
	expect_alive(_metadata, &self->s);
}

/* Commands that are not there, and dumps where there are none */
TEST_F(input, unknown_command)
{
	const int cmds[] = { 0, 2, 3, 6, 15, 100, 255 };
	size_t i;

	NEED_TASKACCT();
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		EXPECT_EQ(-EOPNOTSUPP,
			  acct_transact(&self->s,
					acct_request(&self->s, cmds[i], 0),
					NULL, NULL));
	}
	EXPECT_EQ(-EOPNOTSUPP,
		  acct_transact(&self->s,
				acct_request(&self->s, TASKACCT_CMD_STAT_GET,
					     NLM_F_DUMP),
				NULL, NULL));
	expect_alive(_metadata, &self->s);
}

/* Commands of taskacct's own take no attribute and a clean header */
TEST_F(input, strict_in_new_commands)
{
	const int cmds[] = { TASKACCT_CMD_STAT_GET, TASKACCT_CMD_LISTENER_GET,
			     TASKACCT_CMD_UID_GET };
	struct nl_msg *msg;
	size_t i;

	NEED_TASKACCT();
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		msg = acct_request(&self->s, cmds[i], 0);
		nla_put_u32(msg, 1, 1);
		EXPECT_EQ(-EINVAL, acct_transact(&self->s, msg, NULL, NULL));
		msg = acct_request(&self->s, cmds[i], 0);
		((struct genlmsghdr *)nlmsg_data(nlmsg_hdr(msg)))->reserved = 1;
		EXPECT_EQ(-EINVAL, acct_transact(&self->s, msg, NULL, NULL));
	}
	expect_alive(_metadata, &self->s);
}

static void send_bytes(struct acct_sock *s, void *buf, size_t len)
{
	/* The kernel may well refuse to take it at all. */
	(void)!send(s->fd, buf, len, MSG_DONTWAIT);
}

static void throw_away(struct acct_sock *s)
{
	char buf[ACCT_BUF];
	ssize_t n;

	do {
		n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT);
	} while (n >= 0 || errno == ENOBUFS);
}

/* A good query cut short at every byte, in the datagram and in its own words */
TEST_F(input, truncated)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		struct nlattr attr;
		uint32_t id;
	} q, copy;
	size_t len;

	memset(&q, 0, sizeof(q));
	q.nlh.nlmsg_len = sizeof(q);
	q.nlh.nlmsg_type = self->s.family;
	q.nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	q.nlh.nlmsg_seq = 1;
	q.genl.cmd = TASKSTATS_CMD_GET;
	q.attr.nla_len = 8;
	q.attr.nla_type = PID;
	q.id = getpid();
	for (len = 0; len < 2 * sizeof(q); len++) {
		copy = q;
		send_bytes(&self->s, &copy, len < sizeof(q) ? len : sizeof(q));
		copy.nlh.nlmsg_len = len;
		send_bytes(&self->s, &copy, sizeof(copy));
		copy.nlh.nlmsg_len = sizeof(q);
		copy.attr.nla_len = len;
		send_bytes(&self->s, &copy, sizeof(copy));
		throw_away(&self->s);
	}
	expect_alive(_metadata, &self->s);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* A header that gets through, and anything behind it */
static size_t random_message(struct acct_sock *s, uint32_t *state, void *buf)
{
	const uint8_t cmds[] = { 1, 1, 1, 16, 17, 2, 0, 255 };
	struct nlmsghdr *nlh = buf;
	size_t len = 20 + next_random(state) % 200;
	struct genlmsghdr *genl = NLMSG_DATA(nlh);
	struct nlattr *attr = (struct nlattr *)(genl + 1);
	uint8_t *bytes = buf;
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = next_random(state);
	nlh->nlmsg_len = len;
	nlh->nlmsg_type = s->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | (next_random(state) & 0x305);
	genl->cmd = cmds[next_random(state) % ARRAY_SIZE(cmds)];
	if (next_random(state) % 2 && len > 30) {
		attr->nla_type = next_random(state) % 8;
		attr->nla_len = next_random(state) % len;
	}
	return len;
}

#define RANDOM_MESSAGES 20000

/* Messages made at random, with a seed: the family answers as ever, and has
 * not become deaf or leaky
 */
TEST_F(input, random_messages)
{
	const int messages = sys_quick(RANDOM_MESSAGES);
	char buf[256] __attribute__((aligned(4)));
	uint32_t state = 0x7a5cacc7;
	size_t len;
	int i;

	for (i = 0; i < messages; i++) {
		len = random_message(&self->s, &state, buf);
		send_bytes(&self->s, buf, len);
		throw_away(&self->s);
	}
	/* It may have registered something by chance. */
	acct_close(&self->s);
	ASSERT_EQ(0, acct_open(&self->s));
	expect_alive(_metadata, &self->s);
}

/* The same attribute twice is one attribute; attributes that nobody knows are
 * passed over, as classic clients of newer headers need it
 */
TEST_F(input, odd_attributes)
{
	struct nl_msg *msg;

	msg = get(&self->s);
	nla_put_u32(msg, PID, getpid());
	nla_put_u32(msg, PID, getpid());
	EXPECT_EQ(0, acct_transact(&self->s, msg, NULL, NULL));
	msg = get(&self->s);
	nla_put_u32(msg, PID, getpid());
	nla_put_u32(msg, 9, 1);
	EXPECT_EQ(0, acct_transact(&self->s, msg, NULL, NULL));
	expect_alive(_metadata, &self->s);
}

/* What a user without privilege may do, about himself only: exit status is the
 * first thing that was not as it should be
 */
static int ask_unprivileged(int fd, void *arg)
{
	struct acct_sock *opened_by_root = arg;
	struct acct_listener l;
	struct taskstats st;
	struct acct_stat stat;
	struct acct_sock own;

	(void)fd;
	if (setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (acct_open(&own))
		return 2;
	if (acct_query_pid(&own, 1, &st) != -EPERM || !own.extack[0])
		return 3;
	if (acct_query_tgid(&own, 1, &st) != -EPERM || !own.extack[0])
		return 4;
	if (!strstr(own.extack, "CAP_NET_ADMIN"))
		return 5;
	if (acct_query_pid(&own, getpid(), &st))
		return 6;
	if (acct_query_tgid(&own, getpid(), &st))
		return 7;
	if (acct_stat_get(&own, &stat) || !stat.hook[0])
		return 8;
	if (acct_listener_get(&own, &l) != -ENOENT)
		return 9;
	if (acct_listener_dump(&own, &l, 1) != -EPERM)
		return 10;
	/* Nor by way of a socket that root has opened */
	if (acct_query_pid(opened_by_root, getpid(), &st) != -EPERM)
		return 11;
	if (acct_register(opened_by_root, "0") != -EPERM)
		return 12;
	/* Whether a task is there kill() would tell it as well. */
	if (acct_query_pid(&own, 0x7fffffff, &st) != -ESRCH)
		return 13;
	if (acct_register(&own, "0") != -EPERM ||
	    !strstr(own.extack, "unprivileged=1"))
		return 14;
	return 0;
}

/* Privilege: CAP_NET_ADMIN for queries about others; EPERM in words; the module's
 * statistics are for everyone. The rest of it is in access_test
 */
TEST_F(input, without_privilege)
{
	struct work w;

	NEED_TASKACCT();
	ASSERT_EQ(0, work_start(&w, ask_unprivileged, &self->s));
	EXPECT_EQ(0, work_wait(&w));
	expect_alive(_metadata, &self->s);
}

#define GROUP "input_test"

static int ask_for_cgroup(struct acct_sock *s, int fd)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_CGROUP_GET, 0);

	nla_put_u32(msg, CGROUPSTATS_CMD_ATTR_FD, fd);
	return acct_transact(s, msg, NULL, NULL);
}

/* The open directory of a cgroup that is no more, which takes the kernel a moment */
TEST_F(input, cgroup_removed)
{
	int err, fd;

	NEED_TASKACCT();
	NEED_VM();
	ASSERT_EQ(0, cgroup_make(GROUP));
	fd = cgroup_open(GROUP);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ask_for_cgroup(&self->s, fd));
	ASSERT_EQ(0, cgroup_drop(GROUP));
	while (!(err = ask_for_cgroup(&self->s, fd)))
		usleep(1000);
	EXPECT_EQ(-ENOENT, err);
	EXPECT_STREQ("not an open directory of a cgroup", self->s.extack);
	close(fd);
}

/* Root that writes to a socket which somebody without privilege has opened
 * does not lend it its own
 */
TEST_F(input, opener_without_privilege)
{
	struct taskstats st;
	struct acct_sock s;

	ASSERT_EQ(0, seteuid(NOBODY));
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, seteuid(0));
	EXPECT_EQ(-EPERM, acct_query_pid(&s, getpid(), &st));
	EXPECT_EQ(-EPERM, acct_register(&s, "0"));
	acct_close(&s);
}

TEST_HARNESS_MAIN
