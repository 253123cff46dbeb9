// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of who may ask for what, in Documentation/interface.rst: each of its rows
 * with each capability that it is about, and without.
 */
#include <fcntl.h>
#include <sys/prctl.h>

#include <linux/capability.h>

#include "rights.h"
#include "users.h"

#define USER 3000
#define ALL_CAPS UINT64_MAX
#define CAP(name) (1ULL << CAP_##name)

FIXTURE(access) {
	struct acct_sock s;
	bool able;
};

FIXTURE_SETUP(access)
{
	SET_UP("");
}

FIXTURE_TEARDOWN(access)
{
	TEAR_DOWN();
}

static int ask(struct acct_sock *s, uint32_t want)
{
	struct ext_message m;

	return ext_query(s, TASKSTATS_CMD_ATTR_PID, 1, want, &m);
}

static int ask_for_record(struct acct_sock *s)
{
	return ask(s, EXT_BARE);
}

static int ask_for_cgroup_path(struct acct_sock *s)
{
	return ask(s, EXT_BARE | TASKACCT_WANT_CGROUP_PATH);
}

static int ask_for_exe(struct acct_sock *s)
{
	return ask(s, EXT_BARE | TASKACCT_WANT_EXE_PATH);
}

static int ask_for_cmdline(struct acct_sock *s)
{
	return ask(s, EXT_BARE | TASKACCT_WANT_CMDLINE);
}

/* Of one's own process nothing is withheld. */
static int ask_for_own_names(struct acct_sock *s)
{
	struct ext_message m;
	int err = ext_query(s, TASKSTATS_CMD_ATTR_PID, getpid(),
			    EXT_BARE | EXT_NAMES, &m);

	return err || (*m.exe && m.cmdline_len) ? err : -ENODATA;
}

static int ask_classic(struct acct_sock *s)
{
	struct taskstats st;

	return acct_query_pid(s, 1, &st);
}

static void ignore(const struct ext_message *m, void *arg)
{
	(void)m;
	(void)arg;
}

static int dump_records(struct acct_sock *s)
{
	return ext_dump(s, EXT_BARE, NULL, ignore, NULL);
}

static int dump_names(struct acct_sock *s)
{
	return ext_dump(s, EXT_BARE | TASKACCT_WANT_CMDLINE, NULL, ignore, NULL);
}

static int subscribe(struct acct_sock *s)
{
	return ext_register(s, "0", EXT_STREAM, NULL);
}

static int subscribe_to_names(struct acct_sock *s)
{
	return ext_register(s, "0", EXT_BARE | TASKACCT_WANT_EXE_PATH, NULL);
}

static int dump_listeners(struct acct_sock *s)
{
	static struct acct_listener l[64];
	int n = acct_listener_dump(s, l, 64);

	return n < 0 ? n : 0;
}

static int ask_for_cgroup(struct acct_sock *s)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_TASK_GET, 0);
	int fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	nla_put_u32(msg, TASKACCT_CMD_ATTR_CGROUP_FD, fd);
	err = acct_transact(s, msg, NULL, NULL);
	close(fd);
	return err;
}

static int ask_for_user(struct acct_sock *s)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_UID_GET, 0);

	nla_put_u32(msg, TASKACCT_UID_ATTR_UID, 0);
	return acct_transact(s, msg, NULL, NULL);
}

static int dump_users(struct acct_sock *s)
{
	return acct_transact(s, acct_request(s, TASKACCT_CMD_UID_GET, NLM_F_DUMP),
			     NULL, NULL);
}

static int read_users(struct acct_sock *s)
{
	int fd = open("/proc/uid_cputime/show_uid_stat", O_RDONLY | O_CLOEXEC);

	(void)s;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int ask_for_statistics(struct acct_sock *s)
{
	struct acct_stat st;

	return acct_stat_get(s, &st);
}

/* Who is asked, of whom the table says something */
enum who { USERS, ADMIN, ADMIN_PERFMON, ADMIN_PTRACE, PERFMON, PTRACE, ROOT, WHO };

static const uint64_t caps[WHO] = {
	[USERS] = 0,
	[ADMIN] = CAP(NET_ADMIN),
	[ADMIN_PERFMON] = CAP(NET_ADMIN) | CAP(PERFMON),
	[ADMIN_PTRACE] = CAP(NET_ADMIN) | CAP(SYS_PTRACE),
	[PERFMON] = CAP(PERFMON),
	[PTRACE] = CAP(SYS_PTRACE),
	[ROOT] = ALL_CAPS,
};

/* The rows, and who may; a digit for each of enum who, in their order */
static const struct row {
	const char *name;
	int (*ask)(struct acct_sock *s);
	const char *may;
} rows[] = {
	{ "record of another", ask_for_record, "0111001" },
	{ "classic record of another", ask_classic, "0111001" },
	{ "path of its cgroup", ask_for_cgroup_path, "0111001" },
	{ "path of its executable", ask_for_exe, "0011001" },
	{ "its command line", ask_for_cmdline, "0011001" },
	{ "own names", ask_for_own_names, "1111111" },
	{ "dump", dump_records, "0111001" },
	{ "dump with names", dump_names, "0011001" },
	{ "exits", subscribe, "0111001" },
	{ "exits with names", subscribe_to_names, "0011001" },
	{ "listeners", dump_listeners, "0111001" },
	{ "total of a cgroup", ask_for_cgroup, "0111001" },
	{ "total of a user", ask_for_user, "0011111" },
	{ "totals of all users", dump_users, "0011111" },
	{ "Android's files", read_users, "0011111" },
	{ "statistics", ask_for_statistics, "1111111" },
};

/* What came of it */
struct reported {
	int err[WHO][ARRAY_SIZE(rows)];
	char extack[WHO][ARRAY_SIZE(rows)][sizeof(((struct acct_sock *)0)->extack)];
};

struct asker {
	enum who who;
	struct reported *reported;
};

static int ask_as(int fd, void *arg)
{
	const struct asker *asker = arg;
	const enum who who = asker->who;
	struct acct_sock s;
	size_t i;

	(void)fd;
	if (who != ROOT &&
	    (prctl(PR_SET_KEEPCAPS, 1) || work_become(USER) ||
	     rights_set_caps(caps[who], caps[who])))
		return 1;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (acct_open(&s))
			return 2;
		asker->reported->err[who][i] = rows[i].ask(&s);
		memcpy(asker->reported->extack[who][i], s.extack, sizeof(s.extack));
		acct_close(&s);
	}
	return 0;
}

static void expect_row(struct __test_metadata *_metadata,
		       const struct reported *reported, size_t i)
{
	enum who who;
	int err;

	for (who = 0; who < WHO; who++) {
		err = reported->err[who][i];
		EXPECT_EQ(rows[i].may[who] == '1' ? 0 : -EPERM,
			  err == -EACCES ? -EPERM : err)
			TH_LOG("%s, asker %d: %s", rows[i].name, who,
			       reported->extack[who][i]);
	}
}

TEST_F(access, table)
{
	struct asker asker;
	struct work w;
	size_t i;

	NEED_TASKACCT();
	NEED_VM();
	asker.reported = mmap(NULL, sizeof(*asker.reported), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, asker.reported);
	for (asker.who = 0; asker.who < WHO; asker.who++) {
		ASSERT_EQ(0, work_start(&w, ask_as, &asker));
		ASSERT_EQ(0, work_wait(&w)) TH_LOG("asker %d", asker.who);
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		expect_row(_metadata, asker.reported, i);
}

/* It says what is missing. */
TEST_F(access, words)
{
	struct asker asker = { .who = ADMIN };
	struct work w;

	NEED_TASKACCT();
	NEED_VM();
	asker.reported = mmap(NULL, sizeof(*asker.reported), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, asker.reported);
	ASSERT_EQ(0, work_start(&w, ask_as, &asker));
	ASSERT_EQ(0, work_wait(&w));
	EXPECT_STREQ("executables and command lines of others need CAP_SYS_PTRACE or CAP_PERFMON",
		     asker.reported->extack[ADMIN][3]);
	EXPECT_NE(NULL, strstr(asker.reported->extack[ADMIN][12], "CAP_PERFMON"));
}

TEST_HARNESS_MAIN
