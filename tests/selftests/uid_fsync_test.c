// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user: calls of fsync.
 */
#include <sys/mount.h>
#include <sys/syscall.h>

#include "disk.h"
#include "users.h"

#define OWN DISK_MOUNTED "/own"

FIXTURE(fsync) {
	struct acct_sock s;
	bool able;
};

FIXTURE_SETUP(fsync)
{
	SET_UP("");
	ASSERT_TRUE(disk_have(1));
	ASSERT_TRUE(disk_mount(DISK_NAME(0)));
}

FIXTURE_TEARDOWN(fsync)
{
	if (self->able) {
		EXPECT_EQ(0, umount(DISK_MOUNTED));
		EXPECT_TRUE(disk_end(1));
	}
	TEAR_DOWN();
}

/* A call as 32-bit programs make it, which on x86 this may do, too */
static long call_by_32_bits(long nr, int fd)
{
#ifdef __x86_64__
	asm volatile("int $0x80" : "+a"(nr) : "b"(fd) : "memory", "r8", "r9",
		     "r10", "r11");
#else
	nr = syscall(nr == 118 ? SYS_fsync : SYS_fdatasync, fd);
	if (nr < 0)
		nr = -errno;
#endif
	return nr;
}

/* fsync() and fdatasync() */
static bool sync_by_32_bits(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const bool done = !call_by_32_bits(118, fd) && !call_by_32_bits(148, fd);

	return !close(fd) && done;
}

static bool sync_refused(int fd)
{
	return fsync(fd) && errno == EBADF && fdatasync(fd) && errno == EBADF &&
	       sync_file_range(fd, 0, 1, SYNC_FILE_RANGE_WRITE) &&
	       errno == EBADF && call_by_32_bits(118, fd) == -EBADF &&
	       call_by_32_bits(148, fd) == -EBADF;
}

static bool sync_no_file(const char *path)
{
	const int fd = open(path, O_PATH | O_CLOEXEC);
	const bool done = fd >= 0 && sync_refused(fd) && sync_refused(-1);

	return !close(fd) && done;
}

/* What is for a part of a file is none. */
static bool sync_in_part(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_SYNC | O_CLOEXEC, 0600);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const bool done = fd >= 0 && pwrite(fd, "x", 1, 0) == 1 &&
			  p != MAP_FAILED && !msync(p, 4096, MS_SYNC);

	return !munmap(p, 4096) && !close(fd) && done;
}

/* Returns whether it could do what it was told */
static bool carry_out(char order)
{
	switch (order) {
	case 's':
		return disk_sync(OWN);
	case '3':
		return sync_by_32_bits(OWN);
	case 'r':
		return work_ring_sync(OWN);
	case 'p':
		return sync_in_part(OWN);
	case 'n':
		return sync_no_file(DISK_MOUNTED);
	default:
		return false;
	}
}

static int obey(int fd, void *arg)
{
	return user_obey_by(fd, *(uint32_t *)arg, carry_out);
}

#define FSYNC_HOOK "ftrace:vfs_fsync_range,sync_file_range"

static void expect_synced(struct __test_metadata *_metadata,
			  struct acct_sock *s, uint64_t fg, uint64_t bg)
{
	struct uid_total total;
	struct uid_line line;

	ASSERT_EQ(0, uid_read_line(FIRST_UID, &line));
	EXPECT_EQ(fg, line.n[8]);
	EXPECT_EQ(bg, line.n[9]);
	ASSERT_EQ(0, uid_get(s, FIRST_UID, &total));
	EXPECT_EQ(fg, total.usage[0].fsync);
	EXPECT_EQ(bg, total.usage[1].fsync);
	EXPECT_EQ(0, total.record.flags & TASKACCT_UID_NO_FSYNC);
}

/* R69 R70 R71, D7: calls of fsync, fdatasync and sync_file_range, by state; not
 * what else has a part of a file written; also of who has ended
 */
TEST_F(fsync, in_all_ways)
{
	uint32_t uid = FIRST_UID;
	struct acct_stat st;
	struct work w;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ(FSYNC_HOOK, st.fsync_hook);
	user_start(_metadata, &w, obey, &uid);
	expect_synced(_metadata, &self->s, 0, 0);
	EXPECT_EQ(0, work_round(&w, 's'));
	expect_synced(_metadata, &self->s, 3, 0);
	EXPECT_EQ(0, work_round(&w, 'p'));
	expect_synced(_metadata, &self->s, 3, 0);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	EXPECT_EQ(0, work_round(&w, 's'));
	EXPECT_EQ(0, work_round(&w, 's'));
	expect_synced(_metadata, &self->s, 3, 6);
	user_end(_metadata, &w);
	expect_synced(_metadata, &self->s, 3, 6);
}

/* R70, D7: called by a 32-bit program, and by io_uring, whose worker is the process's */
TEST_F(fsync, elsewhere)
{
	uint32_t uid = FIRST_UID;
	struct work w;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	user_start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, '3'));
	expect_synced(_metadata, &self->s, 2, 0);
	EXPECT_EQ(0, work_round(&w, 'r'));
	expect_synced(_metadata, &self->s, 3, 0);
	user_end(_metadata, &w);
	expect_synced(_metadata, &self->s, 3, 0);
}

/* R70: a call for a number that stands for no file, or for one opened with O_PATH, does
 * not count
 */
TEST_F(fsync, of_no_file)
{
	uint32_t uid = FIRST_UID;
	struct work w;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	user_start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'n'));
	expect_synced(_metadata, &self->s, 0, 0);
	user_end(_metadata, &w);
}

/* R70, D7: with kprobes */
TEST_F(fsync, by_kprobe)
{
	uint32_t uid = FIRST_UID;
	struct acct_stat st;
	struct work w;

	NEED_LOADED(self->able);
	NEED_KPROBES();
	RELOAD("uid=1 hook=kprobe");
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ("kprobe:vfs_fsync_range,sync_file_range", st.fsync_hook);
	user_start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 's'));
	expect_synced(_metadata, &self->s, 3, 0);
	EXPECT_EQ(0, work_round(&w, '3'));
	EXPECT_EQ(0, work_round(&w, 'n'));
	expect_synced(_metadata, &self->s, 5, 0);
	user_end(_metadata, &w);
}

static int sync_above(int fd, void *arg)
{
	char path[] = "/tmp/uid_values.XXXXXX";
	const int file = mkstemp(path);
	bool done;

	user_become(*(uint32_t *)arg);
	done = file >= 0 && !unlink(path) && !fsync(file);
	work_send(fd, '.');
	work_order(fd);
	return !done;
}

/* R69 R70 R71 D7: fsync, fdatasync and sync_file_range count once each, by state, also
 * of who has ended. msync and writes with O_SYNC do not, nor does the call that
 * overlayfs makes for the file beneath.
 */
TEST_F(fsync, of_overlay)
{
	uint32_t uid = FIRST_UID;
	struct work w;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	user_start(_metadata, &w, sync_above, &uid);
	expect_synced(_metadata, &self->s, 1, 0);
	user_end(_metadata, &w);
}

/* D7: with kernel.ftrace_enabled 0 at load it is 0, the record has a flag for that, and
 * the hook is "none". Kernels that refuse to switch it off skip this.
 */
TEST_F(fsync, uncounted)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct acct_stat st;
	struct work w;
	int off;

	NEED_LOADED(self->able);
	acct_close(&self->s);
	ASSERT_EQ(0, module_remove());
	off = sys_write(SYS_FTRACE_ENABLED, "0");
	if (off == -EOPNOTSUPP)
		SKIP(return, "ftrace cannot be switched off here");
	EXPECT_EQ(0, module_insert("uid=1"));
	if (!off) {
		EXPECT_EQ(0, sys_write(SYS_FTRACE_ENABLED, "1"));
	}
	ASSERT_EQ(0, acct_open(&self->s));
	EXPECT_EQ(sys_traces_functions(), !off);
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ("none", st.fsync_hook);
	user_start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 's'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(TASKACCT_UID_NO_FSYNC, total.record.flags);
	EXPECT_EQ(0, total.usage[0].fsync);
	user_end(_metadata, &w);
}

TEST_HARNESS_MAIN
