// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, value by value, against what the kernel itself tells of the
 * task, and of more tasks and users than there is memory for beforehand.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/time.h>

#include "crowd.h"
#include "disk.h"
#include "users.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

#define KIB 1024UL
#define MS 1000000

/* A file of the user's, and one of another's */
#define OWN DISK_MOUNTED "/own"
#define FOREIGN DISK_MOUNTED "/foreign"

FIXTURE(values) {
	struct acct_sock s;
	bool able;
};

FIXTURE_SETUP(values)
{
	SET_UP("");
	/* Before 5.14 it is always on. */
	ASSERT_TRUE(!sys_delayacct(true) || errno == ENOENT);
	ASSERT_TRUE(disk_have(1));
	ASSERT_TRUE(disk_mount(DISK_NAME(0)));
}

FIXTURE_TEARDOWN(values)
{
	if (self->able) {
		EXPECT_EQ(0, umount(DISK_MOUNTED));
		EXPECT_TRUE(disk_end(1));
	}
	TEAR_DOWN();
}

/* What storage has no part in */
static bool read_zero(void)
{
	const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char buf[3000];
	const bool done = fd >= 0 && read(fd, buf, sizeof(buf)) == sizeof(buf);

	return !close(fd) && done;
}

/* Returns whether it could do what it was told */
static bool carry_out(char order)
{
	switch (order) {
	case 'd': /* reads, writes and cancels */
		disk_use(DISK_MOUNTED "/file");
		return true;
	case 'w':
		return disk_write(OWN, 256 * KIB);
	case 'l': /* a little */
		return disk_write(OWN, 64 * KIB);
	case 'z':
		user_write_null(1000);
		return read_zero();
	case 'c':
		return !truncate(OWN, 0);
	case 'f':
		return !truncate(FOREIGN, 0);
	case 'b':
		work_burn(300 * MS);
		return true;
	case 's':
		return disk_sync(OWN);
	default:
		return false;
	}
}

static int obey(int fd, void *arg)
{
	return user_obey_by(fd, *(uint32_t *)arg, carry_out);
}

/**
 * struct look - a user with one task, which sleeps
 * @io: what the kernel tells of the task
 * @line: Android's stats
 * @total: over the family
 */
struct look {
	struct sys_task io;
	struct uid_line line;
	struct uid_total total;
};

static void look_at(struct __test_metadata *_metadata, struct acct_sock *s,
		    pid_t pid, struct look *look)
{
	ASSERT_EQ(0, sys_proc_task(pid, &look->io));
	ASSERT_EQ(0, uid_read_line(FIRST_UID, &look->line));
	ASSERT_EQ(0, uid_get(s, FIRST_UID, &look->total));
}

/* R78: written, and not cancelled; not below 0 */
static uint64_t kept(const struct sys_task *io)
{
	return io->write_bytes > io->cancelled ?
		       io->write_bytes - io->cancelled : 0;
}

/* What moved between two looks did so in the columns of this state alone. */
static void expect_moved(struct __test_metadata *_metadata,
			 const struct look *before, const struct look *after,
			 int state)
{
	const struct uid_usage *from = &before->total.usage[state];
	const struct uid_usage *to = &after->total.usage[state];
	const struct sys_task *then = &before->io, *now = &after->io;
	const uint64_t moved[] = {
		now->rchar - then->rchar, now->wchar - then->wchar,
		now->read_bytes - then->read_bytes, kept(now) - kept(then),
	};
	const uint64_t *a = before->line.n, *b = after->line.n;
	int i;

	for (i = 0; i < 4; i++) {
		EXPECT_EQ(moved[i], b[4 * state + i] - a[4 * state + i])
			TH_LOG("column %d", i);
		EXPECT_EQ(a[4 * !state + i], b[4 * !state + i])
			TH_LOG("column %d", i);
	}
	EXPECT_EQ(moved[2], to->read_bytes - from->read_bytes);
	EXPECT_EQ(moved[3], to->written - from->written);
	EXPECT_EQ(now->write_bytes - then->write_bytes,
		  to->write_bytes - from->write_bytes);
	EXPECT_EQ(now->cancelled - then->cancelled,
		  to->cancelled_write_bytes - from->cancelled_write_bytes);
}

/* Each column has something that no other has. */
static void expect_all_moved(struct __test_metadata *_metadata,
			     const struct sys_task *then,
			     const struct sys_task *now)
{
	EXPECT_LE(256 * KIB, now->read_bytes - then->read_bytes);
	EXPECT_LE(512 * KIB, kept(now) - kept(then));
	EXPECT_LT(0, now->cancelled - then->cancelled);
}

/* R68 R69 R70 R71 R78: a task reads, writes and cancels on a disk in both states: each
 * column grows by what /proc/PID/io does, and no other
 */
TEST_F(values, storage)
{
	uint32_t uid = FIRST_UID;
	struct look look[3];
	struct uid_line line;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, obey, &uid);
	ASSERT_EQ(0, work_settle(w.pid));
	look_at(_metadata, &self->s, w.pid, &look[0]);
	EXPECT_EQ(0, work_round(&w, 'd'));
	EXPECT_EQ(0, work_round(&w, 'w'));
	look_at(_metadata, &self->s, w.pid, &look[1]);
	expect_all_moved(_metadata, &look[0].io, &look[1].io);
	expect_moved(_metadata, &look[0], &look[1], TASKACCT_UID_FOREGROUND);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, work_round(&w, 'd'));
		EXPECT_EQ(0, work_round(&w, 'w'));
	}
	EXPECT_EQ(0, work_round(&w, 'd'));
	look_at(_metadata, &self->s, w.pid, &look[2]);
	expect_all_moved(_metadata, &look[1].io, &look[2].io);
	expect_moved(_metadata, &look[1], &look[2], TASKACCT_UID_BACKGROUND);
	/* Dead, it has used the same. */
	user_end(_metadata, &w);
	ASSERT_EQ(0, uid_read_line(uid, &line));
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(look[2].line.n[i], line.n[i]) TH_LOG("column %d", i);
	}
}

/* The user's total of what it wrote has grown by what the task's has. */
static void expect_grown(struct __test_metadata *_metadata, struct acct_sock *s,
			 struct work *w, char order)
{
	struct look before, after;
	uint64_t grown;

	look_at(_metadata, s, w->pid, &before);
	EXPECT_EQ(0, work_round(w, order));
	look_at(_metadata, s, w->pid, &after);
	grown = kept(&after.io) > kept(&before.io) ?
			kept(&after.io) - kept(&before.io) : 0;
	EXPECT_EQ(before.total.usage[0].written + grown,
		  after.total.usage[0].written) TH_LOG("%c", order);
	EXPECT_EQ(after.total.usage[0].written, after.line.n[3])
		TH_LOG("%c", order);
}

/* R78 R79: what was written does not become less where it is cancelled after it was
 * reported, or by another task, which has then cancelled more than it wrote
 */
TEST_F(values, cancelled)
{
	uint32_t uid = FIRST_UID;
	struct uid_total before, after;
	struct work writes, cuts;
	struct sys_task io;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &writes, obey, &uid);
	user_start(_metadata, &cuts, obey, &uid);
	ASSERT_EQ(0, work_settle(writes.pid));
	ASSERT_EQ(0, work_settle(cuts.pid));
	expect_grown(_metadata, &self->s, &writes, 'w');
	expect_grown(_metadata, &self->s, &writes, 'c');
	expect_grown(_metadata, &self->s, &writes, 'l');
	ASSERT_TRUE(disk_write(FOREIGN, 256 * KIB));
	expect_grown(_metadata, &self->s, &cuts, 'f');
	ASSERT_EQ(0, sys_proc_task(cuts.pid, &io));
	EXPECT_LT(io.write_bytes, io.cancelled);
	ASSERT_EQ(0, uid_get(&self->s, uid, &before));
	EXPECT_LE((256 + 64) * KIB, before.usage[0].written);
	user_end(_metadata, &cuts);
	user_end(_metadata, &writes);
	ASSERT_EQ(0, uid_get(&self->s, uid, &after));
	EXPECT_EQ(before.usage[0].written, after.usage[0].written);
}

/* R83: reading times leaves what was read and written as it was: what a task wrote
 * and cancelled between two readings of that was never written, R79
 */
TEST_F(values, times_leave_io)
{
	static struct uid_times times[MAX_USERS];
	uint32_t uid = FIRST_UID;
	struct uid_line before, after;
	struct uid_total total;
	struct work w;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, obey, &uid);
	ASSERT_EQ(0, uid_read_line(uid, &before));
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_LT(0, uid_read_times(times, MAX_USERS));
	EXPECT_EQ(0, work_round(&w, 'c'));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, uid_read_line(uid, &after));
	EXPECT_EQ(before.n[3], after.n[3]);
	/* What is read next is whole, also where the task slept since. */
	EXPECT_EQ(0, work_round(&w, 'l'));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_LT(0, uid_read_times(times, MAX_USERS));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(before.n[1] + (256 + 64) * KIB, total.usage[0].wchar);
	user_end(_metadata, &w);
}

/* The eight numbers of a line that /proc/PID/io has, from @then to @now */
static void numbers_between(const struct sys_task *then,
			    const struct sys_task *now, uint64_t *n)
{
	n[0] = now->rchar - then->rchar;
	n[1] = now->wchar - then->wchar;
	n[2] = now->read_bytes - then->read_bytes;
	n[3] = kept(now) - kept(then);
}

/* The line of a task: what stands behind its name and pid; returns how many */
static int task_numbers(pid_t pid, uint64_t *n)
{
	FILE *file = fopen(UID_STATS, "re");
	char text[512], *p;
	int got = 0;

	while (file && fgets(text, sizeof(text), file)) {
		if (strncmp(text, "task,", 5))
			continue;
		p = strchr(text + 5, ',');
		if (!p || (pid_t)strtol(p + 1, &p, 10) != pid)
			continue;
		for (got = 0; got < 11 && *p == ','; got++)
			n[got] = strtoull(p + 1, &p, 10);
	}
	fclose(file);
	return got;
}

/* R74 R80: in debug mode each of the ten numbers of a task's line is what /proc/PID/io
 * and its calls of fsync say; no two are the same, none is 0
 */
TEST_F(values, debug_columns)
{
	uint32_t uid = FIRST_UID;
	static const char fg[] = "dlzs", bg[] = "ddwzzs";
	struct sys_task io[3];
	uint64_t wanted[10], n[11] = {};
	struct work w;
	int i, k;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	NEED_FTRACE();
	RELOAD("uid=1 uid_debug=1");
	user_start(_metadata, &w, obey, &uid);
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, sys_proc_task(w.pid, &io[0]));
	for (i = 0; fg[i]; i++)
		EXPECT_EQ(0, work_round(&w, fg[i]));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	ASSERT_EQ(0, sys_proc_task(w.pid, &io[1]));
	for (i = 0; bg[i]; i++)
		EXPECT_EQ(0, work_round(&w, bg[i]));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, sys_proc_task(w.pid, &io[2]));
	numbers_between(&io[0], &io[1], &wanted[0]);
	numbers_between(&io[1], &io[2], &wanted[4]);
	/* disk_use() does it too. */
	wanted[8] = 1 + 3;
	wanted[9] = 2 + 3;
	EXPECT_EQ(10, task_numbers(w.pid, n));
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(wanted[i], n[i]) TH_LOG("column %d", i);
		EXPECT_LT(0, n[i]) TH_LOG("column %d", i);
		for (k = 0; k < i; k++) {
			EXPECT_NE(n[k], n[i]) TH_LOG("columns %d, %d", k, i);
		}
	}
	user_end(_metadata, &w);
}

static void find_times(struct __test_metadata *_metadata, uint32_t uid,
		       struct uid_times *found)
{
	static struct uid_times times[MAX_USERS];
	int i, n = uid_read_times(times, MAX_USERS);

	ASSERT_LT(0, n);
	for (i = 0; i < n && times[i].uid != uid; i++)
		;
	ASSERT_LT(i, n);
	*found = times[i];
}

/* Both states together, in microseconds */
static void expect_times(struct __test_metadata *_metadata,
			 struct acct_sock *s, struct uid_times *times)
{
	struct uid_usage sum = {};
	struct uid_total total;

	ASSERT_EQ(0, uid_get(s, FIRST_UID, &total));
	uid_sum(&sum, &total);
	find_times(_metadata, FIRST_UID, times);
	EXPECT_EQ(sum.user / 1000, times->user);
	EXPECT_EQ(sum.system / 1000, times->system);
}

/* R72 R82 R83 R86: show_uid_stat has both states together, in microseconds; user and
 * kernel time are together the time that the task ran
 */
TEST_F(values, cpu_times)
{
	uint32_t uid = FIRST_UID;
	struct uid_times alive, dead;
	struct uid_total total;
	struct work w;
	uint64_t ran;
	int i;

	NEED_LOADED(self->able);
	user_start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'b'));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	EXPECT_EQ(0, work_round(&w, 'b'));
	EXPECT_EQ(0, work_round(&w, 'b'));
	expect_times(_metadata, &self->s, &alive);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	for (i = 0; i < 2; i++) {
		ran = total.usage[i].runtime;
		EXPECT_LE((uint64_t)(i + 1) * 300 * MS, ran);
		EXPECT_LE(ran - ran / 10,
			  total.usage[i].user + total.usage[i].system);
		EXPECT_LE(total.usage[i].user + total.usage[i].system,
			  ran + ran / 10);
	}
	user_end(_metadata, &w);
	expect_times(_metadata, &self->s, &dead);
	EXPECT_LE(alive.user, dead.user);
	EXPECT_LE(alive.system, dead.system);
}

#define KEY(name, member) { name, offsetof(struct uid_usage, member) }

/* Behind "fg_" and "bg_" */
static const struct {
	const char *name;
	size_t offset;
} keys[] = {
	KEY("utime", utime), KEY("stime", stime),
	KEY("runtime", runtime), KEY("user", user),
	KEY("system", system), KEY("min_flt", min_flt),
	KEY("maj_flt", maj_flt), KEY("nvcsw", nvcsw), KEY("nivcsw", nivcsw),
	KEY("rchar", rchar), KEY("wchar", wchar), KEY("syscr", syscr),
	KEY("syscw", syscw), KEY("read_bytes", read_bytes),
	KEY("write_bytes", write_bytes),
	KEY("cancelled_write_bytes", cancelled_write_bytes),
	KEY("written_bytes", written),
	KEY("wait_cpu_count", wait[TASKACCT_WAIT_CPU].count),
	KEY("wait_cpu_total", wait[TASKACCT_WAIT_CPU].total),
	KEY("wait_blkio_count", wait[TASKACCT_WAIT_BLKIO].count),
	KEY("wait_blkio_total", wait[TASKACCT_WAIT_BLKIO].total),
	KEY("wait_swapin_count", wait[TASKACCT_WAIT_SWAPIN].count),
	KEY("wait_swapin_total", wait[TASKACCT_WAIT_SWAPIN].total),
	KEY("wait_freepages_count", wait[TASKACCT_WAIT_FREEPAGES].count),
	KEY("wait_freepages_total", wait[TASKACCT_WAIT_FREEPAGES].total),
	KEY("wait_thrashing_count", wait[TASKACCT_WAIT_THRASHING].count),
	KEY("wait_thrashing_total", wait[TASKACCT_WAIT_THRASHING].total),
	KEY("wait_compact_count", wait[TASKACCT_WAIT_COMPACT].count),
	KEY("wait_compact_total", wait[TASKACCT_WAIT_COMPACT].total),
	KEY("wait_wpcopy_count", wait[TASKACCT_WAIT_WPCOPY].count),
	KEY("wait_wpcopy_total", wait[TASKACCT_WAIT_WPCOPY].total),
	KEY("wait_irq_count", wait[TASKACCT_WAIT_IRQ].count),
	KEY("wait_irq_total", wait[TASKACCT_WAIT_IRQ].total),
	KEY("fsync", fsync), KEY("migrations", migrations),
};

/* What is told for a value: -1, nothing, for fsync where it is not counted */
static int64_t told(const struct uid_total *total, size_t key, uint64_t value)
{
	if (keys[key].offset == offsetof(struct uid_usage, fsync) &&
	    total->record.flags & TASKACCT_UID_NO_FSYNC)
		return -1;
	return value;
}

static void expect_usage(struct __test_metadata *_metadata,
			 struct json_object *o, const char *state,
			 const struct uid_total *total, int which)
{
	char key[64];
	uint64_t value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		memcpy(&value, (const char *)&total->usage[which] + keys[i].offset,
		       sizeof(value));
		snprintf(key, sizeof(key), "%s_%s", state, keys[i].name);
		EXPECT_EQ(told(total, i, value), number(o, key)) TH_LOG("%s", key);
	}
}

static void expect_object(struct __test_metadata *_metadata,
			  struct json_object *o, const struct uid_total *total)
{
	const struct taskacct_uid_record *r = &total->record;

	EXPECT_STREQ("bg", word(o, "state"));
	EXPECT_EQ((int64_t)r->tasks, number(o, "tasks"));
	EXPECT_EQ((int64_t)r->ended, number(o, "ended"));
	EXPECT_EQ((int64_t)r->first, number(o, "first"));
	/* It lives: last is the time of the answer. */
	EXPECT_LE((int64_t)r->last, number(o, "last"));
	expect_usage(_metadata, o, "fg", total, 0);
	expect_usage(_metadata, o, "bg", total, 1);
}

/* The sums of what was used in both states */
static void expect_sums(struct __test_metadata *_metadata, struct json_object *o,
			const struct uid_total *total)
{
	uint64_t a, b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		memcpy(&a, (const char *)&total->usage[0] + keys[i].offset,
		       sizeof(a));
		memcpy(&b, (const char *)&total->usage[1] + keys[i].offset,
		       sizeof(b));
		EXPECT_EQ(told(total, i, a + b), number(o, keys[i].name))
			TH_LOG("%s", keys[i].name);
	}
}

/* R72: taskacct users and show user have the module's values, each in its place */
TEST_F(values, command)
{
	uint32_t uid = FIRST_UID;
	struct json_object *o;
	struct uid_total total;
	struct work w, ended;
	struct lines l;
	struct run r;

	NEED_LOADED(self->able);
	user_start(_metadata, &ended, obey, &uid);
	user_end(_metadata, &ended);
	user_start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'b'));
	EXPECT_EQ(0, work_round(&w, 'd'));
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	EXPECT_EQ(0, work_round(&w, 'b'));
	EXPECT_EQ(0, work_round(&w, 'd'));
	EXPECT_EQ(0, work_round(&w, 'c'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	run_verb(&r, "users", "--json");
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	o = line_with(&l, "uid", FIRST_UID);
	ASSERT_NE(NULL, o);
	expect_object(_metadata, o, &total);
	EXPECT_STREQ("70001", word(o, "user"));
	/* And nothing that is not looked at here, but for the time */
	EXPECT_EQ((int)(8 + 2 * ARRAY_SIZE(keys)), json_object_object_length(o));
	forget(&l);
	run_free(&r);
	run_verb(&r, "show", "user:70001", "--json");
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	ASSERT_EQ(1, l.n);
	ASSERT_TRUE(json_object_object_get_ex(l.v[0], "show", &o));
	EXPECT_EQ(FIRST_UID, number(o, "uid"));
	expect_object(_metadata, o, &total);
	expect_sums(_metadata, o, &total);
	EXPECT_EQ((int)(7 + 3 * ARRAY_SIZE(keys)), json_object_object_length(o));
	forget(&l);
	run_free(&r);
	user_end(_metadata, &w);
}

/* More tasks of a user, and more users, than the module has memory for before
 * anybody asks: that is for 1,024 and for 64.
 */
#define TASKS CROWD_MAX
#define USERS 300

static struct uid_total totals[MAX_USERS];

FIXTURE(many) {
	struct acct_sock s;
	bool able;
};

FIXTURE_VARIANT(many) {
	const char *params;
};

FIXTURE_VARIANT_ADD(many, plain) {
	.params = "",
};

FIXTURE_VARIANT_ADD(many, debug) {
	.params = "uid_debug=1 ",
};

FIXTURE_SETUP(many)
{
	SET_UP(variant->params);
}

FIXTURE_TEARDOWN(many)
{
	TEAR_DOWN();
}

static void start_crowd(struct __test_metadata *_metadata, struct work *w,
			struct crowd *who)
{
	ASSERT_EQ(0, work_start(w, crowd_lead, who));
	ASSERT_EQ('.', work_hear(w));
}

static void end_crowd(struct __test_metadata *_metadata, struct work *w)
{
	EXPECT_EQ(0, work_tell(w, 'e'));
	EXPECT_EQ('.', work_hear(w));
}

/* Threads come to their end a little after they were waited for. */
static void await_ends(struct __test_metadata *_metadata, struct acct_sock *s,
		       uint32_t uid, uint64_t ended)
{
	struct uid_total total;
	int i;

	for (i = 0; i < PATIENCE_MS; i++) {
		ASSERT_EQ(0, uid_get(s, uid, &total));
		if (total.record.ended == ended)
			return;
		usleep(1000);
	}
	ASSERT_EQ(ended, total.record.ended);
}

static unsigned int debug_lines(void)
{
	FILE *file = fopen(UID_STATS, "re");
	unsigned int n = 0;
	bool within = false;
	char text[256];
	unsigned int uid;

	while (file && fgets(text, sizeof(text), file)) {
		if (sscanf(text, "%u ", &uid) == 1)
			within = uid == FIRST_UID;
		else if (within)
			n++;
	}
	fclose(file);
	return n;
}

/* R73 R77: 1,200 tasks of a user are all counted, with the sum of what they wrote,
 * alive and dead
 */
TEST_F(many, tasks)
{
	const uint64_t wchar = sys_counts() ? TASKS * (TASKS + 1) / 2 : 0;
	struct crowd who = { .n = TASKS, .uid = FIRST_UID };
	struct uid_total total;
	struct uid_line line;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	start_crowd(_metadata, &w, &who);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, uid_get(&self->s, FIRST_UID, &total));
		EXPECT_EQ(TASKS + 1, total.record.tasks);
		EXPECT_EQ(wchar, total.usage[0].wchar);
		ASSERT_EQ(0, uid_read_line(FIRST_UID, &line));
		EXPECT_EQ(wchar, line.n[1]);
	}
	EXPECT_EQ(variant->params[0] ? TASKS + 1 : 0, debug_lines());
	end_crowd(_metadata, &w);
	await_ends(_metadata, &self->s, FIRST_UID, TASKS);
	ASSERT_EQ(0, uid_get(&self->s, FIRST_UID, &total));
	EXPECT_EQ(1, total.record.tasks);
	EXPECT_EQ(TASKS, total.record.ended);
	EXPECT_EQ(wchar, total.usage[0].wchar);
	user_end(_metadata, &w);
}

/* Each user is reported once, in order, with what it wrote and its tasks. */
static void expect_users(struct __test_metadata *_metadata,
			 struct acct_sock *s, uint64_t tasks, uint64_t ended)
{
	static struct uid_times times[MAX_USERS];
	static struct uid_line lines[MAX_USERS];
	int i, k, first;
	uint64_t wchar;
	int n = uid_dump(s, totals, MAX_USERS);

	ASSERT_LE(USERS, n);
	ASSERT_EQ(n, uid_read_lines(lines, MAX_USERS));
	ASSERT_EQ(n, uid_read_times(times, MAX_USERS));
	for (first = 0; first < n && totals[first].uid != FIRST_UID; first++)
		;
	ASSERT_LE(first + USERS, n);
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(!i || totals[i - 1].uid < totals[i].uid);
		EXPECT_EQ(totals[i].uid, lines[i].uid);
		EXPECT_EQ(totals[i].uid, times[i].uid);
	}
	for (k = 0; k < USERS; k++) {
		i = first + k;
		wchar = sys_counts() ? k + 1 : 0;
		EXPECT_EQ(FIRST_UID + (uint32_t)k, totals[i].uid);
		EXPECT_EQ(tasks, totals[i].record.tasks);
		EXPECT_EQ(ended, totals[i].record.ended);
		EXPECT_EQ(wchar, totals[i].usage[0].wchar);
		EXPECT_EQ(wchar, lines[i].n[1]);
	}
}

/* R69 R73: all users are reported, over the family in several datagrams */
TEST_F(many, users)
{
	struct crowd who = { .n = USERS, .uid = FIRST_UID, .apart = true };
	struct acct_stat st;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	start_crowd(_metadata, &w, &who);
	expect_users(_metadata, &self->s, 1, 0);
	end_crowd(_metadata, &w);
	for (i = 0; i < USERS; i++)
		await_ends(_metadata, &self->s, FIRST_UID + i, 1);
	expect_users(_metadata, &self->s, 0, 1);
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_LE(USERS, st.uids);
	EXPECT_EQ(0, st.uid_rest);
	EXPECT_EQ(0, st.uid_nomem);
	user_end(_metadata, &w);
}

/* R69 R73: the same of users who were there before the module was */
TEST_F(many, users_from_before)
{
	struct crowd who = { .n = USERS, .uid = FIRST_UID, .apart = true };
	struct work w;

	NEED_LOADED(self->able);
	start_crowd(_metadata, &w, &who);
	RELOAD_WITH(variant->params, "uid=1");
	expect_users(_metadata, &self->s, 1, 0);
	user_end(_metadata, &w);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* Read and write what all users share, or fail for an error. */
static bool use_files(unsigned int turn)
{
	char text[32], buf[64];
	bool good;
	int fd;

	fd = open(UID_STATS, O_RDONLY | O_CLOEXEC);
	good = fd >= 0 && read(fd, buf, sizeof(buf)) > 0;
	close(fd);
	snprintf(text, sizeof(text), "%d %u", FIRST_UID + USERS, turn % 2);
	return good && !sys_write(UID_SET, text);
}

/* With a signal each millisecond, which has a handler and restarts nothing */
static int use_with_signals(int fd, void *arg)
{
	struct itimerval each_ms = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = on_alarm };
	int i;

	(void)arg;
	work_order(fd);
	if (sigaction(SIGALRM, &action, NULL) ||
	    setitimer(ITIMER_REAL, &each_ms, NULL))
		return 2;
	for (i = 0; i < sys_fewer(200); i++)
		if (!use_files(i))
			return 1;
	return 0;
}

static int use_for_ever(int fd, void *arg)
{
	int i;

	(void)arg;
	work_send(fd, '.');
	for (i = 0; use_files(i); i++)
		;
	return 1;
}

/* Three read and set at once, with a handled signal each millisecond: none of their
 * calls fails.
 */
TEST_F(many, signals)
{
	struct crowd who = { .n = TASKS, .uid = FIRST_UID };
	struct work w, users[3];
	int i;

	NEED_LOADED(self->able);
	start_crowd(_metadata, &w, &who);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, work_start(&users[i], use_with_signals, NULL));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, work_tell(&users[i], 'g'));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, work_wait(&users[i]));
	end_crowd(_metadata, &w);
	user_end(_metadata, &w);
}

/* They can be killed while they do: nothing stays locked or is lost. */
TEST_F(many, killed)
{
	struct crowd who = { .n = TASKS, .uid = FIRST_UID };
	struct uid_total total;
	struct work w, users[3];
	int i, k;

	NEED_LOADED(self->able);
	start_crowd(_metadata, &w, &who);
	for (i = 0; i < sys_fewer(40); i++) {
		for (k = 0; k < 3; k++) {
			ASSERT_EQ(0, work_start(&users[k], use_for_ever, NULL));
			ASSERT_EQ('.', work_hear(&users[k]));
		}
		work_dawdle(work_luck(i, 3, 50));
		for (k = 0; k < 3; k++) {
			ASSERT_EQ(0, kill(users[k].pid, SIGKILL));
			EXPECT_EQ(SIGKILL, work_wait(&users[k]));
		}
	}
	ASSERT_EQ(0, uid_get(&self->s, FIRST_UID, &total));
	EXPECT_EQ(TASKS + 1, total.record.tasks);
	end_crowd(_metadata, &w);
	user_end(_metadata, &w);
}

TEST_HARNESS_MAIN
