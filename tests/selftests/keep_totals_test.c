// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct record where exits come faster than a disk takes them: totals by cgroup, user
 * and command stand for what cannot be kept whole
 */
#include "disk.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "lines.h"
#include "keep.h"
#include "keep_disk.h"

FIXTURE(sums) {
	struct run recorder;
	struct run other;
	struct run r;
	struct kept kept;
};

FIXTURE_SETUP(sums)
{
	NEED_VM();
	NEED_TASKACCT();
	have_file_system(_metadata, "size=64m");
}

FIXTURE_TEARDOWN(sums)
{
	forget_kept(&self->kept);
	run_free(&self->r);
	end_run(&self->other);
	end_run(&self->recorder);
	umount2(KEEP_AT, MNT_DETACH);
}

/* What is reported of the load by user and command, from a directory */
#define REPORTED(dir)							\
	"taskacct report --dir " dir " --by uid,comm --sort comm "		\
	"-o count,failed,cpu,utime,stime,wait_cpu,waits_cpu,min_flt,read,write,"	\
	"rchar,peak,wait_cpu_max,lifetime,time --json 'comm=kp_a or comm=kp_b'"

/* Many commands of several users end, and some of them fail. */
static void make_mixed(struct __test_metadata *_metadata)
{
	struct run r;
	int i;

	must(_metadata, &r, "cp /bin/true /tmp/kp_a; cp /bin/false /tmp/kp_b");
	run_free(&r);
	for (i = 0; i < 20; i++) {
		must(_metadata, &r,
		     "for i in $(seq 5); do for u in 0 1001 1002; do for c in a b; "
		     "do setpriv --reuid $u --clear-groups /tmp/kp_$c $i || :; "
		     "done; done; done");
		run_free(&r);
		limit_goes_on();
	}
}

/*
 * Where totals stand for most of the records they tell the same as all the records do,
 * which another recorder has kept in memory.
 */
TEST_F(sums, totals_are_right)
{
	struct run whole, totals;
	int64_t lost = 0;

	NEED_FAILING_DISK();
	start_on_disk(_metadata, &self->recorder, "--rcvbuf 64K", FROM_RING);
	start_recorder(_metadata, &self->other, "--netlink");
	suspend_disk(_metadata);
	make_mixed(_metadata);
	EXPECT_GE(HWM_KIB, hwm_kib(self->recorder.pid));
	resume_disk(_metadata);
	end_recorder(_metadata, &self->other, 0);
	end_recorder(_metadata, &self->recorder, 0);
	expect_words(_metadata, &self->recorder, "are kept as totals");
	look(&self->kept, CUT "/d");
	expect_balance(_metadata, &self->kept);
	lost = sum_of(&self->kept, "made") - sum_of(&self->kept, "kept") -
	       sum_of(&self->kept, "totals");
	EXPECT_EQ(0, lost);
	/* Of 600 commands the most are in totals. */
	EXPECT_LT(300, sum_of(&self->kept, "totals"));
	must(_metadata, &whole, REPORTED(KEEP_DIR));
	must(_metadata, &totals, REPORTED(CUT "/d"));
	EXPECT_STREQ(whole.out, totals.out);
	EXPECT_NE(NULL, strstr(totals.out, "\"count\":600,\"failed\":300"))
		TH_LOG("it said: %s", totals.out);
	EXPECT_NE(NULL, strstr(totals.err, "known from totals only"))
		TH_LOG("it said: %s", totals.err);
	run_free(&whole);
	run_free(&totals);
	shell(&self->r, "taskacct exits --dir " CUT "/d -H comm=kp_a");
	expect_status(_metadata, &self->r, EXIT_LOST);
	expect_words(_metadata, &self->r, "known from totals only, and not told of");
	drop_disk(_metadata);
}

/* How often each command is there */
#define COUNTS "taskacct report --dir " CUT "/d --tasks -o count --json | "

/* More commands than a table has rows for: those without one are taken together. */
TEST_F(sums, totals_of_others)
{
	int64_t all;

	NEED_FAILING_DISK();
	start_on_disk(_metadata, &self->recorder, "--rcvbuf 64K", FROM_RING);
	suspend_disk(_metadata);
	/* It waits for the disk with these: what comes then is in one table. */
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	must(_metadata, &self->r,
	     "for i in $(seq 900); do (printf kp_$i >/proc/self/comm); done");
	run_free(&self->r);
	EXPECT_GE(HWM_KIB, hwm_kib(self->recorder.pid));
	resume_disk(_metadata);
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, CUT "/d");
	expect_balance(_metadata, &self->kept);
	all = sum_of(&self->kept, "kept") + sum_of(&self->kept, "totals");
	EXPECT_EQ(all, sum_of(&self->kept, "made"));
	must(_metadata, &self->r, COUNTS "grep '(other)'");
	run_free(&self->r);
	/* Most of the rows have one command each. */
	must(_metadata, &self->r, COUNTS "grep -c '\"kp_[0-9]*\"'");
	EXPECT_LT(500, atoi(self->r.out));
	EXPECT_GT(900, atoi(self->r.out));
	run_free(&self->r);
	must(_metadata, &self->r, COUNTS "sed -n 's/^{\"total\":{\"count\":\\([0-9]*\\)}}$/\\1/p'");
	EXPECT_EQ(all, atoll(self->r.out));
	drop_disk(_metadata);
}

TEST_HARNESS_MAIN
