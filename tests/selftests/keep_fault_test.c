// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct record where something goes wrong: it is killed, the power goes, the disk is
 * full, the directory or the module is taken away, the clock is set
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "disk.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "lines.h"
#include "keep.h"
#include "keep_disk.h"

#define SECOND_NS 1000000000LL

/* The second that may be lost, and what a machine with much else to do adds to it */
#define LATE_NS (4 * SECOND_NS * sys_slow())

FIXTURE(fault) {
	struct run recorder;
	struct run load;
	struct run r;
	struct kept kept;
};

/* All of it in both ways */
FIXTURE_VARIANT(fault) {
	const char *way;
	const char *source;
	const char *from;
	const char *lost;
};

FIXTURE_VARIANT_ADD(fault, ring) {
	.way = "",
	.source = "ring",
	.from = FROM_RING,
	.lost = "ring",
};

FIXTURE_VARIANT_ADD(fault, netlink) {
	.way = "--netlink",
	.source = "netlink",
	.from = FROM_FAMILY,
	.lost = "queue",
};

FIXTURE_SETUP(fault)
{
	NEED_VM();
	NEED_TASKACCT();
	have_file_system(_metadata, "size=64m");
}

FIXTURE_TEARDOWN(fault)
{
	forget_kept(&self->kept);
	run_free(&self->r);
	end_run(&self->load);
	end_run(&self->recorder);
	umount2(KEEP_AT, MNT_DETACH);
}

static void start_with(struct __test_metadata *_metadata, struct run *r,
		       const char *way, const char *options)
{
	char text[100];

	snprintf(text, sizeof(text), "%s %s", options, way);
	start_recorder(_metadata, r, text);
}

#define DONE "/tmp/keep_done"

/* Commands that are numbered, and when each had ended */
static void start_load(struct run *load)
{
	run_script(load,
		   "rm -f " DONE "; i=0; while :; do i=$((i + 1)); " SHORT
		   " $i; echo $i $(date +%s%N) >>" DONE "; done");
}

/* The last command of the load that had ended by a time */
static int done_by(int64_t ns)
{
	FILE *file = fopen(DONE, "r");
	int64_t at;
	int i, last = 0;

	while (file && fscanf(file, "%d %ld", &i, &at) == 2)
		if (at <= ns)
			last = i;
	if (file)
		fclose(file);
	return last;
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* How many of the load's commands are there, and that it is the first so many */
static int first_kept(struct __test_metadata *_metadata, const char *dir)
{
	char text[200], *line, *rest;
	struct run r;
	int n = 0;

	snprintf(text, sizeof(text),
		 "taskacct exits --dir %s comm=kp_short -H -o args | awk '{ print $2 }'",
		 dir);
	must(_metadata, &r, text);
	for (line = strtok_r(r.out, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		EXPECT_EQ(n + 1, atoi(line));
		n = atoi(line);
	}
	run_free(&r);
	return n;
}

/* Killed in the midst of it: all but the last second is there, and it is told. */
TEST_F(fault, killed)
{
	int64_t killed;
	int kept;

	NEED_EXIT_MM();
	start_recorder(_metadata, &self->recorder, variant->way);
	start_load(&self->load);
	usleep(5 * FLUSHED_US);
	killed = wall_ns();
	run_stop(&self->recorder, SIGKILL);
	run_stop(&self->load, SIGKILL);
	kept = first_kept(_metadata, KEEP_DIR);
	EXPECT_LE(done_by(killed - LATE_NS), kept);
	EXPECT_LT(0, kept);

	run_free(&self->recorder);
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 3);
	end_recorder(_metadata, &self->recorder, 0);
	expect_words(_metadata, &self->recorder, "was not closed");
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	EXPECT_STREQ("crashed", word(self->kept.balance[1], "away"));
	EXPECT_GE(killed, number(self->kept.balance[1], "away_from"));
	EXPECT_LE(killed - LATE_NS,
		  number(self->kept.balance[1], "away_from"));
	EXPECT_LE(killed, number(self->kept.balance[1], "away_to"));
	shell(&self->r, "taskacct report --dir " KEEP_DIR);
	expect_status(_metadata, &self->r, EXIT_LOST);
	EXPECT_NE(NULL, strstr(self->r.out, "had not ended as it should"))
		TH_LOG("it said: %s", self->r.out);
}

#define DROPPING "\"0 $size flakey " DISK_NAME(0) " 0 0 1 1 drop_writes\""

/*
 * A disk that, from a moment on, drops what is written to it, as one does whose cache
 * is lost with the power: what was synced before that is there.
 */
TEST_F(fault, power_cut)
{
	int64_t cut;
	int kept;

	NEED_FAILING_DISK();
	start_on_disk(_metadata, &self->recorder, variant->way, variant->from);
	start_load(&self->load);
	usleep(7 * FLUSHED_US);
	cut = wall_ns();
	must(_metadata, &self->r,
	     "set -e; " SIZE "dmsetup reload keep --table " DROPPING ";"
	     "dmsetup suspend --nolockfs --noflush keep;"
	     "dmsetup resume --noudevsync keep");
	run_free(&self->r);
	usleep(FLUSHED_US);
	run_stop(&self->recorder, SIGKILL);
	run_stop(&self->load, SIGKILL);
	must(_metadata, &self->r,
	     "set -e; umount " CUT "; " SIZE
	     "dmsetup reload keep --table " LINEAR "; dmsetup suspend keep;"
	     "dmsetup resume --noudevsync keep;"
	     "echo 3 >/proc/sys/vm/drop_caches; mount /dev/mapper/keep " CUT);
	kept = first_kept(_metadata, CUT "/d");
	EXPECT_LE(done_by(cut - LATE_NS), kept);
	EXPECT_LT(0, kept);
	/* What was written after it is not: the disk did drop it. */
	EXPECT_GT(done_by(INT64_MAX), kept);
	drop_disk(_metadata);
}

/* Many end while the disk does not answer; it goes on, and the recorder ends. */
static void stall(struct __test_metadata *_metadata, struct run *recorder, int status)
{
	suspend_disk(_metadata);
	make_short(_metadata, 700);
	resume_disk(_metadata);
	end_recorder(_metadata, recorder, status);
}

/* More is read meanwhile than the shared memory has room for, and all of it is written. */
TEST_F(fault, disk_stalls)
{
	NEED_FAILING_DISK();
	start_on_disk(_metadata, &self->recorder, variant->way, variant->from);
	make_short(_metadata, 5);
	stall(_metadata, &self->recorder, 0);
	must(_metadata, &self->r,
	     "taskacct exits --dir " CUT "/d comm=kp_short -H -o pid");
	EXPECT_EQ(705, run_lines(self->r.out));
	look(&self->kept, CUT "/d");
	expect_balance(_metadata, &self->kept);
	drop_disk(_metadata);
}

/* Whether what there is no room for is added up, and not lost in a socket's buffer */
static bool has_totals(const char *source)
{
	return !strcmp(source, "ring");
}

/*
 * What there is no room for meanwhile is added up where the shared memory is read, and
 * else counted; what comes after it is kept.
 */
TEST_F(fault, disk_stalls_too_long)
{
	const bool totals = has_totals(variant->source);
	char way[60];

	NEED_FAILING_DISK();
	snprintf(way, sizeof(way), "--rcvbuf 64K %s", variant->way);
	start_on_disk(_metadata, &self->recorder, way, variant->from);
	make_short(_metadata, 5);
	stall(_metadata, &self->recorder, totals ? 0 : EXIT_LOST);
	look(&self->kept, CUT "/d");
	expect_balance(_metadata, &self->kept);
	if (totals)
		EXPECT_LT(0, sum_of(&self->kept, "totals"));
	EXPECT_EQ(!totals, sum_lost(&self->kept, variant->lost) > 0);
	EXPECT_LE(705, sum_of(&self->kept, "made"));
	drop_disk(_metadata);
}

static void fill(struct __test_metadata *_metadata)
{
	struct run r;

	must(_metadata, &r,
	     "! dd if=/dev/zero of=" KEEP_AT "/filler bs=64k 2>/dev/null");
	run_free(&r);
}

/* A disk that is full for a time loses nothing, as long as there is memory. */
TEST_F(fault, disk_full_for_a_moment)
{
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	fill(_metadata);
	make_short(_metadata, 100);
	ASSERT_TRUE(run_says(&self->recorder, "No space left", PATIENCE_MS));
	unlink(KEEP_AT "/filler");
	ASSERT_TRUE(run_says(&self->recorder, "is written again; 0 records",
			     PATIENCE_MS));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(110, count_kept(_metadata, "comm=kp_short", 0));
	look(&self->kept, KEEP_DIR);
	expect_balance(_metadata, &self->kept);
}

/* What there is no room for, neither there nor in memory, is in totals; it is said once. */
TEST_F(fault, disk_full)
{
	const char *said;

	NEED_EXIT_MM();
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	fill(_metadata);
	make_large(_metadata, 450);
	unlink(KEEP_AT "/filler");
	ASSERT_TRUE(run_says(&self->recorder, "is written again", PATIENCE_MS));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	said = strstr(self->recorder.err, "No space left");
	ASSERT_NE(NULL, said);
	EXPECT_EQ(NULL, strstr(said + 1, "No space left"))
		TH_LOG("it said: %s", self->recorder.err);
	look(&self->kept, KEEP_DIR);
	expect_balance(_metadata, &self->kept);
	EXPECT_LT(0, sum_of(&self->kept, "totals"));
	EXPECT_EQ(sum_of(&self->kept, "made"), count_kept(_metadata, "", 0));
	EXPECT_EQ(460, count_kept(_metadata, "comm=kp_short", 0));
	shell(&self->r, "taskacct report --dir " KEEP_DIR);
	EXPECT_NE(NULL, strstr(self->r.out, "known from totals only"))
		TH_LOG("it said: %s", self->r.out);
}

/* What does not become free again loses them: they are counted. */
TEST_F(fault, disk_stays_full)
{
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	fill(_metadata);
	make_large(_metadata, 450);
	end_recorder(_metadata, &self->recorder, EXIT_LOST);
	expect_words(_metadata, &self->recorder, "No space left");
	EXPECT_LE(5, count_kept(_metadata, "comm=kp_short", EXIT_LOST));
}

/* It cannot even write its beginning: that waits in memory, too. */
TEST_F(fault, disk_full_from_the_start)
{
	mkdir(KEEP_DIR, 0700);
	ASSERT_EQ(0, system("touch " KEEP_DIR "/.lock"));
	fill(_metadata);
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	ASSERT_TRUE(run_says(&self->recorder, "No space left", PATIENCE_MS));
	unlink(KEEP_AT "/filler");
	usleep(FLUSHED_US);
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	expect_balance(_metadata, &self->kept);
	EXPECT_EQ(10, count_kept(_metadata, "comm=kp_short", 0));
}

/* No more files than there are */
static void use_all_inodes(struct __test_metadata *_metadata)
{
	char name[40];
	int i, fd = 0;

	ASSERT_EQ(0, mount("keep", KEEP_AT, "tmpfs", MS_REMOUNT, "nr_inodes=20"));
	for (i = 0; i < 20 && fd >= 0; i++) {
		snprintf(name, sizeof(name), KEEP_AT "/filler%d", i);
		fd = creat(name, 0600);
		close(fd);
	}
	ASSERT_GT(0, fd);
}

/* A segment cannot be begun for a time: what ends meanwhile is in totals. */
TEST_F(fault, no_room_for_a_segment)
{
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	use_all_inodes(_metadata);
	must(_metadata, &self->r, "taskacct record --rotate --dir " KEEP_DIR);
	make_short(_metadata, 5);
	ASSERT_TRUE(run_says(&self->recorder, "No space left", PATIENCE_MS));
	/* That was at the first. It has to have read all. */
	usleep(FLUSHED_US);
	ASSERT_EQ(0, mount("keep", KEEP_AT, "tmpfs", MS_REMOUNT, "nr_inodes=1000"));
	ASSERT_TRUE(run_says(&self->recorder, "is written again; 0 records",
			     PATIENCE_MS));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	EXPECT_EQ(2, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_LE(5, sum_of(&self->kept, "totals"));
	EXPECT_EQ(15, count_kept(_metadata, "comm=kp_short", 0));
}

/* From here on a call fails, as on a disk that has failed. */
static bool refuse(unsigned int call)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, filter };

	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* All of it is lost; that is said once, and counted. */
static void lose_all(struct __test_metadata *_metadata, FIXTURE_DATA(fault) *self,
		     const char *way)
{
	const char *said;

	start_recorder(_metadata, &self->recorder, way);
	make_short(_metadata, 5);
	ASSERT_TRUE(run_says(&self->recorder, "Input/output error", PATIENCE_MS));
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	end_recorder(_metadata, &self->recorder, EXIT_LOST);
	said = strstr(self->recorder.err, "Input/output error");
	EXPECT_EQ(NULL, strstr(said + 1, "Input/output error"))
		TH_LOG("it said: %s", self->recorder.err);
	expect_words(_metadata, &self->recorder, "kept 0, in totals 0, lost ");
}

/* A segment whose name may not reach the disk is not begun: no file of it stays. */
TEST_F(fault, no_segment)
{
	if (!refuse(SYS_fsync))
		SKIP(return, "no filters of system calls");
	lose_all(_metadata, self, variant->way);
	look(&self->kept, KEEP_DIR);
	EXPECT_EQ(0, self->kept.n);
}

/* A disk that has taken what is written, and lost it, says so only once. */
TEST_F(fault, disk_fails)
{
	if (!refuse(SYS_fdatasync))
		SKIP(return, "no filters of system calls");
	lose_all(_metadata, self, variant->way);
}

/* What comes after it knows when it was there, and which number it had. */
TEST_F(fault, moved_away)
{
	struct kept moved = { .n = 0 };

	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	move_away_and_kill(_metadata, &self->recorder);
	run_free(&self->recorder);
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	look(&moved, KEEP_MOVED);
	look(&self->kept, KEEP_DIR);
	ASSERT_LE(1, moved.n);
	ASSERT_EQ(1, self->kept.n);
	EXPECT_STREQ("stopped", word(self->kept.balance[0], "away"));
	EXPECT_EQ(number(moved.balance[0], "to"),
		  number(self->kept.balance[0], "away_from"));
	EXPECT_EQ(number(moved.balance[0], "segment") + 1,
		  number(self->kept.balance[0], "segment"));
	forget_kept(&moved);
}

/* Five records were in what is removed, and seven come after that. */
static void remove_and_go_on(struct __test_metadata *_metadata,
			     FIXTURE_DATA(fault) *self, const char *way,
			     const char *script, const char *words)
{
	start_recorder(_metadata, &self->recorder, way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	must(_metadata, &self->r, script);
	ASSERT_TRUE(run_says(&self->recorder, words, PATIENCE_MS));
	make_short(_metadata, 7);
	usleep(FLUSHED_US);
	end_recorder(_metadata, &self->recorder, EXIT_LOST);
	look(&self->kept, KEEP_DIR);
	expect_balance(_metadata, &self->kept);
	EXPECT_LE(5, sum_lost(&self->kept, "gone"));
	EXPECT_EQ(7, count_kept(_metadata, "comm=kp_short", EXIT_LOST));
}

/* The directory is made anew; what was in the old one is counted as gone. */
TEST_F(fault, directory_gone)
{
	remove_and_go_on(_metadata, self, variant->way, "rm -r " KEEP_DIR,
			 "somebody removed the directory");
}

/* So it is with the segment alone. */
TEST_F(fault, segment_gone)
{
	remove_and_go_on(_metadata, self, variant->way, "rm " KEEP_DIR "/*.zst",
			 "somebody removed the segment");
}

/* Segments go on in the order of their numbers, and all of them are read. */
TEST_F(fault, clock_set_back)
{
	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	set_clock(_metadata, -7200);
	EXPECT_TRUE(run_says(&self->recorder, "the clock was set back by 2h",
			     PATIENCE_MS));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	set_clock(_metadata, 7200);
	look(&self->kept, KEEP_DIR);
	EXPECT_LE(2, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_GT(-7000 * SECOND_NS, sum_of(&self->kept, "clock"));
	EXPECT_EQ(10, count_kept(_metadata, "comm=kp_short", 0));
}

/* What is too old by a clock that has just been set is not removed for it. */
TEST_F(fault, clock_set_ahead)
{
	start_with(_metadata, &self->recorder, variant->way, "--keep 1d");
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	must(_metadata, &self->r, "taskacct record --rotate --dir " KEEP_DIR);
	set_clock(_metadata, 2 * 86400);
	EXPECT_TRUE(run_says(&self->recorder, "the clock was set forward by",
			     PATIENCE_MS));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	set_clock(_metadata, -2 * 86400);
	look(&self->kept, KEEP_DIR);
	EXPECT_LE(2, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_EQ(10, count_kept(_metadata, "comm=kp_short", 0));
	EXPECT_EQ(0, sum_of(&self->kept, "removed"));
}

/* What has the shared memory keeps the module, and is named; when it has ended, another one
 * waits for the module.
 */
static void refuse_and_restart(struct __test_metadata *_metadata,
			       FIXTURE_DATA(fault) *self)
{
	EXPECT_NE(0, sys_module_unload());
	must(_metadata, &self->r,
	     "taskacct status | grep 'taskacct .*" TASKACCT_RING_DEVICE "'");
	run_free(&self->r);
	end_recorder(_metadata, &self->recorder, 0);
	run_free(&self->recorder);
	ASSERT_EQ(0, sys_module_unload());
	start_by_script(_metadata, &self->recorder,
			"exec taskacct record --dir " KEEP_DIR,
			"no family TASKACCT: modprobe taskacct");
}

static void unload_under(struct __test_metadata *_metadata, FIXTURE_DATA(fault) *self)
{
	ASSERT_EQ(0, sys_module_unload());
	EXPECT_TRUE(run_says(&self->recorder, "the module was unloaded",
			     PATIENCE_MS));
}

/* It waits for the module, and goes on when it is there again. */
TEST_F(fault, module_reloaded)
{
	const bool holds = !strcmp(variant->source, "ring");
	const char *why = holds ? "stopped" : "module";

	start_recorder(_metadata, &self->recorder, variant->way);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	if (holds)
		refuse_and_restart(_metadata, self);
	else
		unload_under(_metadata, self);
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	ASSERT_EQ(0, sys_module_load(NULL));
	ASSERT_TRUE(run_says(&self->recorder, "is there: recording",
			     PATIENCE_MS));
	ASSERT_TRUE(run_says(&self->recorder, variant->from, PATIENCE_MS));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_STREQ(why, word(self->kept.balance[0], "closed"));
	EXPECT_STREQ(why, word(self->kept.balance[1], "away"));
	EXPECT_EQ(10, count_kept(_metadata, "comm=kp_short", EXIT_LOST));
	shell(&self->r, "taskacct report --dir " KEEP_DIR);
	EXPECT_NE(NULL, strstr(self->r.out, holds ? "the recorder did not run" :
						    "the module was not loaded"))
		TH_LOG("it said: %s", self->r.out);
}

/* Another name of the family is asked for, and the shared memory has none. */
TEST_F(fault, another_family)
{
	char text[100];

	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_module_load("family=OTHER"));
	snprintf(text, sizeof(text), "exec taskacct record --family OTHER --dir "
		 KEEP_DIR " %s", variant->way);
	start_by_script(_metadata, &self->recorder, text, "records come from");
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	expect_words(_metadata, &self->recorder,
		     strcmp(variant->source, "ring") ? "the family OTHER" :
						       TASKACCT_RING_DEVICE);
	EXPECT_EQ(5, count_kept(_metadata, "comm=kp_short", 0));
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_module_load(NULL));
}

/* A family that is not there may come; one without extended records is refused, where
 * the kernel has one.
 */
TEST_F(fault, families)
{
	run_script(&self->recorder,
		   "exec taskacct record --dir " KEEP_DIR " --family NONESUCH");
	EXPECT_TRUE(run_says(&self->recorder, "no family NONESUCH: modprobe",
			     PATIENCE_MS));
	end_recorder(_metadata, &self->recorder, 0);
	if (!sys_counts())
		return;
	run_free(&self->recorder);
	shell(&self->recorder,
	      "taskacct record --dir " KEEP_DIR " --family TASKSTATS");
	expect_status(_metadata, &self->recorder, EXIT_REFUSED);
	expect_words(_metadata, &self->recorder, "has no extended records");
}

/* While the recorder stands still its queue is full: what that loses is counted. */
TEST_F(fault, queue_full)
{
	NEED_EXIT_MM();
	start_with(_metadata, &self->recorder, variant->way, "--rcvbuf 64K");
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	kill(self->recorder.pid, SIGSTOP);
	make_large(_metadata, 200);
	kill(self->recorder.pid, SIGCONT);
	usleep(FLUSHED_US);
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, EXIT_LOST);
	look(&self->kept, KEEP_DIR);
	expect_balance(_metadata, &self->kept);
	EXPECT_LT(0, sum_lost(&self->kept, variant->lost));
	EXPECT_STREQ(variant->source, word(self->kept.balance[0], "source"));
	EXPECT_LE(210, sum_of(&self->kept, "made"));
	EXPECT_EQ(sum_of(&self->kept, "kept") + sum_of(&self->kept, "totals"),
		  count_kept(_metadata, "", EXIT_LOST));
}

TEST_HARNESS_MAIN
