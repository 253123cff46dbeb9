// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classic protocol on the wire, byte by byte: what any client that was
 * written for taskstats relies on.
 */
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "test.h"

/* A query as a client without any library writes it */
struct query {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	struct nlattr attr;
	uint32_t id;
};

/* What stands before the struct in a nest */
struct nest {
	struct nlattr nest;
	struct nlattr id_attr;
	uint32_t id;
	struct nlattr stats_attr;
};

#define NEST_AT (NLMSG_HDRLEN + GENL_HDRLEN)

/* The controller's reply has to fit where old clients put it. */
#define CONTROLLER_MAX 276

static size_t struct_size(unsigned int version)
{
	static const size_t sizes[] = {
		[8] = 328, [9] = 344, [10] = 352, [11] = 368, [12] = 400,
		[13] = 416, [14] = 432, [16] = 560, [17] = 688,
	};

	return version < ARRAY_SIZE(sizes) ? sizes[version] : 0;
}

FIXTURE(protocol) {
	struct acct_sock s;
	struct query q;
	char buf[ACCT_BUF] __attribute__((aligned(8)));
	ssize_t len;
};

FIXTURE_SETUP(protocol)
{
	ASSERT_EQ(0, acct_open(&self->s));
	self->q = (struct query){
		.nlh = {
			.nlmsg_len = sizeof(self->q),
			.nlmsg_type = self->s.family,
			.nlmsg_flags = NLM_F_REQUEST,
			.nlmsg_seq = 0xabcd1234,
		},
		.genl = { .cmd = TASKSTATS_CMD_GET, .version = 1 },
		.attr = { .nla_len = NLA_HDRLEN + sizeof(uint32_t),
			  .nla_type = TASKSTATS_CMD_ATTR_PID },
		.id = getpid(),
	};
}

FIXTURE_TEARDOWN(protocol)
{
	acct_close(&self->s);
}

static void ask(struct __test_metadata *_metadata, FIXTURE_DATA(protocol) *self)
{
	ASSERT_EQ((ssize_t)sizeof(self->q),
		  send(self->s.fd, &self->q, sizeof(self->q), 0));
}

static struct nlmsghdr *receive(struct __test_metadata *_metadata,
				FIXTURE_DATA(protocol) *self)
{
	memset(self->buf, 0xee, sizeof(self->buf));
	self->len = acct_recv(self->s.fd, self->buf, sizeof(self->buf),
			      PATIENCE_MS);
	ASSERT_GE(self->len, NLMSG_HDRLEN);
	return (struct nlmsghdr *)self->buf;
}

/* Where 64 bits have to be aligned to be read fast, an empty attribute sees to it. */
static const struct nlattr *stats_attr_of(const struct nest *nest)
{
#ifdef __riscv
	if (nest->stats_attr.nla_type == TASKSTATS_TYPE_NULL &&
	    nest->stats_attr.nla_len == NLA_HDRLEN)
		return &nest->stats_attr + 1;
#endif
	return &nest->stats_attr;
}

/* Checks one nest to the byte; returns where the next one would begin. */
static size_t check_nest(struct __test_metadata *_metadata, const char *buf,
			 size_t at, int type, uint32_t id)
{
	const struct nest *nest = (const struct nest *)(buf + at);
	const struct nlattr *stats_attr = stats_attr_of(nest);
	const struct taskstats *st = (const struct taskstats *)(stats_attr + 1);
	size_t size = struct_size(st->version);

	ASSERT_NE(0, size) TH_LOG("unknown version %u", st->version);
	EXPECT_EQ(type == TASKSTATS_TYPE_PID ? TASKSTATS_TYPE_AGGR_PID :
					       TASKSTATS_TYPE_AGGR_TGID,
		  nest->nest.nla_type);
	EXPECT_EQ((size_t)((const char *)st - (const char *)nest) + size,
		  nest->nest.nla_len);
	EXPECT_EQ(type, nest->id_attr.nla_type);
	EXPECT_EQ(NLA_HDRLEN + sizeof(id), nest->id_attr.nla_len);
	EXPECT_EQ(id, nest->id);
	EXPECT_EQ(TASKSTATS_TYPE_STATS, stats_attr->nla_type);
	EXPECT_EQ(NLA_HDRLEN + size, stats_attr->nla_len);
	return at + nest->nest.nla_len;
}

static void check_header(struct __test_metadata *_metadata,
			 FIXTURE_DATA(protocol) *self, uint32_t seq,
			 uint32_t port)
{
	const struct nlmsghdr *nlh = (struct nlmsghdr *)self->buf;
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	EXPECT_EQ((size_t)self->len, nlh->nlmsg_len);
	EXPECT_EQ(self->s.family, nlh->nlmsg_type);
	EXPECT_EQ(0, nlh->nlmsg_flags);
	EXPECT_EQ(seq, nlh->nlmsg_seq);
	EXPECT_EQ(port, nlh->nlmsg_pid);
	EXPECT_EQ(TASKSTATS_CMD_NEW, genl->cmd);
	EXPECT_EQ(1, genl->version);
	EXPECT_EQ(0, genl->reserved);
}

/* A good answer to the fixture's query, and nothing else in the datagram */
static void expect_answer(struct __test_metadata *_metadata,
			  FIXTURE_DATA(protocol) *self)
{
	bool pid = self->q.attr.nla_type == TASKSTATS_CMD_ATTR_PID;
	size_t end;

	receive(_metadata, self);
	check_header(_metadata, self, self->q.nlh.nlmsg_seq, self->s.port);
	end = check_nest(_metadata, self->buf, NEST_AT,
			 pid ? TASKSTATS_TYPE_PID : TASKSTATS_TYPE_TGID,
			 self->q.id);
	EXPECT_EQ((size_t)self->len, end);
}

/* R1 R7 R16 R17 R18 R23 D1: the answer to a pid query, every byte of it */
TEST_F(protocol, pid_answer)
{
	ask(_metadata, self);
	expect_answer(_metadata, self);
}

/* R1 R7 R8 R23 D1: the answer to a tgid query */
TEST_F(protocol, tgid_answer)
{
	self->q.attr.nla_type = TASKSTATS_CMD_ATTR_TGID;
	ask(_metadata, self);
	expect_answer(_metadata, self);
}

static int wait_only(int fd, void *arg)
{
	(void)arg;
	work_mix(3);
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/* Fields in which taskacct differs from in-tree on purpose, or that move */
static void blank_differences(struct taskstats *st)
{
	st->ac_etime = 0;
	st->ac_tgetime = 0;
	/* In-tree masks counts of system calls as if they were bytes. */
	st->read_syscalls = 0;
	st->write_syscalls = 0;
	/* In-tree works these out of the time that has passed, rounded. */
	st->ac_btime = 0;
	st->ac_btime64 = 0;
}

/* R15 R16 R29: the struct is the running kernel's own: padding and all, the
 * bytes for a task that stands still are those of in-tree TASKSTATS
 */
TEST_F(protocol, struct_is_the_kernels)
{
	char ours[sizeof(struct taskstats)];
	struct taskstats st;
	struct acct_sock s;
	struct work w;
	size_t i;

	NEED_COUNTS();
	NEED_TASKACCT();
	ASSERT_EQ(0, work_start(&w, wait_only, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, acct_query_pid(&self->s, w.pid, &st));
	blank_differences(&st);
	memcpy(ours, &st, sizeof(st));

	ASSERT_EQ(0, acct_open_family(&s, TASKSTATS_GENL_NAME, 0));
	ASSERT_EQ(0, acct_query_pid(&s, w.pid, &st));
	blank_differences(&st);
	for (i = 0; i < sizeof(st); i++) {
		EXPECT_EQ(((char *)&st)[i], ours[i])
			TH_LOG("byte %zu", i);
	}
	acct_close(&s);
	work_wait(&w);
}

/* The answer to a query is one datagram: what comes next is the next answer */
TEST_F(protocol, one_datagram_per_query)
{
	int i;

	for (i = 0; i < 10; i++) {
		self->q.nlh.nlmsg_seq = 100 + i;
		self->q.attr.nla_type = i % 2 ? TASKSTATS_CMD_ATTR_PID :
						TASKSTATS_CMD_ATTR_TGID;
		ask(_metadata, self);
		expect_answer(_metadata, self);
	}
	EXPECT_EQ(-EAGAIN, acct_recv(self->s.fd, self->buf, sizeof(self->buf),
				     QUIET_MS));
}

/* An unknown id is ESRCH, in an error that repeats the request's header */
TEST_F(protocol, unknown_id_is_esrch)
{
	const uint32_t ids[] = { 0, 0x7fffffff, 0xffffffff };
	struct nlmsgerr *e;
	size_t i;
	int type;

	for (i = 0; i < 2 * ARRAY_SIZE(ids); i++) {
		type = i % 2 ? TASKSTATS_CMD_ATTR_TGID : TASKSTATS_CMD_ATTR_PID;
		self->q.attr.nla_type = type;
		self->q.id = ids[i / 2];
		ask(_metadata, self);
		EXPECT_EQ(NLMSG_ERROR, receive(_metadata, self)->nlmsg_type);
		e = NLMSG_DATA(self->buf);
		EXPECT_EQ(-ESRCH, e->error);
		EXPECT_EQ(self->q.nlh.nlmsg_seq, e->msg.nlmsg_seq);
		EXPECT_EQ(self->s.family, e->msg.nlmsg_type);
	}
}

/* Any genlmsghdr.version is accepted: clients leave all sorts there */
TEST_F(protocol, any_version)
{
	const uint8_t versions[] = { 0, 1, 2, 127, 255 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		self->q.genl.version = versions[i];
		ask(_metadata, self);
		expect_answer(_metadata, self);
	}
}

/* A genlmsghdr.reserved that is not zero is accepted in classic commands */
TEST_F(protocol, any_reserved)
{
	self->q.genl.reserved = 0xffff;
	ask(_metadata, self);
	expect_answer(_metadata, self);
	self->q.genl.reserved = 1;
	self->q.attr.nla_type = TASKSTATS_CMD_ATTR_TGID;
	ask(_metadata, self);
	expect_answer(_metadata, self);
}

/* Any nlmsg_pid is accepted; the answer goes to the socket that asked */
TEST_F(protocol, any_nlmsg_pid)
{
	const uint32_t pids[] = { 0, 1, getpid(), self->s.port, 0xffffffff };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		self->q.nlh.nlmsg_pid = pids[i];
		ask(_metadata, self);
		expect_answer(_metadata, self);
	}
}

static int send_mask(struct acct_sock *s, int attr, const void *mask, int len)
{
	struct nl_msg *msg = acct_request(s, TASKSTATS_CMD_GET, 0);

	nla_put(msg, attr, len, mask);
	return acct_transact(s, msg, NULL, NULL);
}

/* R19 R20: bytes after the cpumask's NUL are accepted and mean nothing, and so is no
 * NUL
 */
TEST_F(protocol, bytes_after_nul)
{
	static const char mask[] = "0\0,999999,garbage";
	int reg = TASKSTATS_CMD_ATTR_REGISTER_CPUMASK;
	int dereg = TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK;
	static const int lengths[] = { sizeof(mask), 2, 1 };
	const bool ours = !strcmp(acct_family_name(), TASKACCT_GENL_NAME);
	struct acct_listener l;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		EXPECT_EQ(0, send_mask(&self->s, reg, mask, lengths[i]));
		if (ours) {
			ASSERT_EQ(0, acct_listener_get(&self->s, &l));
			EXPECT_STREQ("0", l.cpumask);
		}
		EXPECT_EQ(0, send_mask(&self->s, dereg, mask, lengths[i]));
		if (ours) {
			ASSERT_EQ(0, acct_listener_get(&self->s, &l));
			EXPECT_STREQ("", l.cpumask);
		}
	}
}

/* The controller's reply for the family stays within 276 bytes */
TEST_F(protocol, controller_reply)
{
	const char *name = acct_family_name();
	struct nlattr *attr;
	struct nl_msg *msg;
	struct nlmsghdr *nlh;

	self->s.family = GENL_ID_CTRL;
	msg = acct_request(&self->s, CTRL_CMD_GETFAMILY, 0);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name);
	ASSERT_EQ(0, acct_send(&self->s, msg));
	nlh = receive(_metadata, self);
	EXPECT_EQ(GENL_ID_CTRL, nlh->nlmsg_type);
	EXPECT_LE(self->len, CONTROLLER_MAX);

	attr = nlmsg_find_attr(nlh, GENL_HDRLEN, CTRL_ATTR_FAMILY_NAME);
	ASSERT_NE(NULL, attr);
	EXPECT_STREQ(name, (char *)nla_data(attr));
	attr = nlmsg_find_attr(nlh, GENL_HDRLEN, CTRL_ATTR_VERSION);
	ASSERT_NE(NULL, attr);
	EXPECT_EQ(TASKSTATS_GENL_VERSION, nla_get_u32(attr));
	attr = nlmsg_find_attr(nlh, GENL_HDRLEN, CTRL_ATTR_HDRSIZE);
	ASSERT_NE(NULL, attr);
	EXPECT_EQ(0, nla_get_u32(attr));
	TH_LOG("controller's reply: %zd bytes", self->len);
}

/* With NLM_F_ACK an acknowledgment comes, and it comes after the answer */
TEST_F(protocol, ack_after_answer)
{
	struct nlmsghdr *nlh;
	struct nlmsgerr *e;

	self->q.nlh.nlmsg_flags |= NLM_F_ACK;
	ask(_metadata, self);
	expect_answer(_metadata, self);
	nlh = receive(_metadata, self);
	EXPECT_EQ(NLMSG_ERROR, nlh->nlmsg_type);
	e = NLMSG_DATA(nlh);
	EXPECT_EQ(0, e->error);
	EXPECT_EQ(self->q.nlh.nlmsg_seq, e->msg.nlmsg_seq);
}

/* Without NLM_F_ACK none comes, not even for a registration */
TEST_F(protocol, no_ack_unasked)
{
	struct nl_msg *msg = acct_request(&self->s, TASKSTATS_CMD_GET, 0);

	nla_put_string(msg, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, "0");
	ASSERT_EQ(0, acct_send(&self->s, msg));
	msg = acct_request(&self->s, TASKSTATS_CMD_GET, 0);
	nla_put_string(msg, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK, "0");
	ASSERT_EQ(0, acct_send(&self->s, msg));
	do {
		/* Something may have exited on CPU 0 in between. */
		self->len = acct_recv(self->s.fd, self->buf, sizeof(self->buf),
				      QUIET_MS);
	} while (self->len > 0 && ((struct nlmsghdr *)self->buf)->nlmsg_pid == 0);
	EXPECT_EQ(-EAGAIN, self->len);
	ask(_metadata, self);
	expect_answer(_metadata, self);
}

/* R6: a zombie can still be queried, by pid and by tgid; when it is gone,
 * it is gone
 */
TEST_F(protocol, zombie)
{
	struct taskstats st;
	siginfo_t info;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		work_read(5, 2048);
		_exit(3);
	}
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(0, acct_query_pid(&self->s, pid, &st));
	EXPECT_EQ((uint32_t)pid, st.ac_pid);
	EXPECT_EQ(3 << 8, st.ac_exitcode);
	EXPECT_EQ(sys_counts(), st.read_char >= 5 * 2048);
	memset(&st, 0, sizeof(st));
	EXPECT_EQ(0, acct_query_tgid(&self->s, pid, &st));
	EXPECT_EQ((uint32_t)pid, st.ac_pid);
	EXPECT_EQ(3 << 8, st.ac_exitcode);
	EXPECT_EQ(sys_counts(), st.read_char >= 5 * 2048);
	ASSERT_EQ(pid, work_reap(pid, NULL));
	EXPECT_EQ(-ESRCH, acct_query_pid(&self->s, pid, &st));
	EXPECT_EQ(-ESRCH, acct_query_tgid(&self->s, pid, &st));
}

static struct nlmsghdr *wait_message(struct __test_metadata *_metadata,
				     FIXTURE_DATA(protocol) *self, pid_t pid)
{
	struct nlmsghdr *nlh;
	struct acct_exit e;

	do {
		nlh = receive(_metadata, self);
	} while (nlh->nlmsg_pid || acct_parse_exit(nlh, &e) ||
		 e.pid != (uint32_t)pid);
	return nlh;
}

/* R10 R24: the message of an exit: AGGR_PID, PID, STATS, and no more of a
 * process that only ever had one thread (D2)
 */
TEST_F(protocol, exit_message)
{
	struct nlmsghdr *nlh;
	size_t end;
	pid_t pid;

	work_pin(0);
	ASSERT_EQ(0, acct_register(&self->s, "0"));
	pid = work_exit_on(0);
	ASSERT_GT(pid, 0);
	nlh = wait_message(_metadata, self, pid);
	check_header(_metadata, self, nlh->nlmsg_seq, 0);
	end = check_nest(_metadata, self->buf, NEST_AT, TASKSTATS_TYPE_PID, pid);
	EXPECT_EQ((size_t)self->len, end);
}

static int end_thread(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

/* R12 R24 R27: from the last thread, AGGR_TGID, TGID, STATS follow in the
 * same message
 */
TEST_F(protocol, exit_message_of_the_last)
{
	pid_t tids[2];
	size_t end;
	pid_t pid;
	int gone;

	work_pin(0);
	ASSERT_EQ(0, acct_register(&self->s, "0"));
	pid = fork();
	if (pid == 0) {
		work_raw_thread(end_thread, NULL, work_stacks(1), &gone);
		work_raw_join(&gone);
		/* A hook that comes late is passed after the join. */
		while (sys_tids(getpid(), tids, 2) != 1)
			usleep(1000);
		/* It is released, and has this CPU to come to its end. */
		usleep(10000);
		_exit(0);
	}
	ASSERT_EQ(pid, work_reap(pid, NULL));
	wait_message(_metadata, self, pid);
	end = check_nest(_metadata, self->buf, NEST_AT, TASKSTATS_TYPE_PID, pid);
	ASSERT_LT(end, (size_t)self->len);
	end = check_nest(_metadata, self->buf, end, TASKSTATS_TYPE_TGID, pid);
	EXPECT_EQ((size_t)self->len, end);
}

static void check_family(struct __test_metadata *_metadata, const char *name)
{
	struct taskstats st;
	struct acct_sock s;

	ASSERT_EQ(0, acct_open_family(&s, name, 0));
	EXPECT_EQ(0, acct_query_pid(&s, getpid(), &st));
	EXPECT_EQ((uint32_t)getpid(), st.ac_pid);
	acct_close(&s);
}

FIXTURE(parameter) {
	bool loaded;
};

FIXTURE_SETUP(parameter)
{
	self->loaded = sys_in_vm() && sys_module_loaded();
	if (self->loaded) {
		ASSERT_EQ(0, sys_module_unload());
	}
}

FIXTURE_TEARDOWN(parameter)
{
	if (!self->loaded)
		return;
	if (sys_module_loaded())
		sys_module_unload();
	EXPECT_EQ(0, sys_module_load(NULL));
}

#define NEED_MODULE() NEED_LOADED(self->loaded)

/* family=: another name, at most 15 characters long */
TEST_F(parameter, other_name)
{
	struct acct_sock s;
	char buf[64];

	NEED_MODULE();
	ASSERT_EQ(0, sys_module_load("family=OTHER"));
	check_family(_metadata, "OTHER");
	EXPECT_EQ(-ENOENT, acct_open_family(&s, TASKACCT_GENL_NAME, 0));
	ASSERT_LT(0, sys_read("/sys/module/taskacct/parameters/family", buf,
			      sizeof(buf)));
	EXPECT_STREQ("OTHER\n", buf);
	ASSERT_EQ(0, sys_module_unload());

	ASSERT_EQ(0, sys_module_load("family=FIFTEEN_LETTERS"));
	check_family(_metadata, "FIFTEEN_LETTERS");
}

/* family=: 16 characters, none, and a name that is taken are refused, and
 * nothing is left behind
 */
TEST_F(parameter, names_refused)
{
	/* The last one is taken where the kernel has a family of its own. */
	const char *const bad[] = { "family=SIXTEEN_LETTERS_", "family=",
				    "family=nlctrl",
				    "family=" TASKSTATS_GENL_NAME };
	const size_t n = ARRAY_SIZE(bad) - !sys_counts();
	size_t i;

	NEED_MODULE();
	for (i = 0; i < n; i++) {
		EXPECT_NE(0, sys_module_load(bad[i])) TH_LOG("%s", bad[i]);
		EXPECT_FALSE(sys_module_loaded());
	}
	ASSERT_EQ(0, sys_module_load(NULL));
	check_family(_metadata, TASKACCT_GENL_NAME);
}

TEST_HARNESS_MAIN
