// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct record where all goes well: what ends is kept, told of and found again, and
 * there is no more of it than was asked for
 */
#include <sys/socket.h>
#include <sys/un.h>

#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "lines.h"
#include "keep.h"

#define BUILD 100

FIXTURE(keep) {
	struct run recorder;
	struct run other;
	struct run r;
	struct kept kept;
};

FIXTURE_SETUP(keep)
{
	NEED_VM();
	NEED_TASKACCT();
	have_file_system(_metadata, "size=256m");
}

FIXTURE_TEARDOWN(keep)
{
	forget_kept(&self->kept);
	run_free(&self->r);
	end_run(&self->recorder);
	end_run(&self->other);
	umount2(KEEP_AT, MNT_DETACH);
}

/* Of a load like a build's: each that ended is read back, while it is recorded, too */
TEST_F(keep, keeps_every_exit)
{
	start_recorder(_metadata, &self->recorder, "");
	must(_metadata, &self->r,
	     "for i in $(seq 20); do sh -c '" SHORT " a; " SHORT " b | " SHORT
	     " c; ( " SHORT " d; exit 3 ); " SHORT " e & wait'; done");
	usleep(FLUSHED_US);
	EXPECT_EQ(BUILD, count_kept(_metadata, "comm=kp_short", 0));
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(BUILD, count_kept(_metadata, "comm=kp_short", 0));
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(1, self->kept.n);
	expect_balance(_metadata, &self->kept);
	EXPECT_EQ(sum_of(&self->kept, "made"), sum_of(&self->kept, "kept"));
	EXPECT_LE(BUILD, sum_of(&self->kept, "kept"));
	EXPECT_EQ(sum_of(&self->kept, "kept"), count_kept(_metadata, "", 0));
	EXPECT_STREQ("stopped", word(self->kept.balance[0], "closed"));
	EXPECT_STREQ("none", word(self->kept.balance[0], "away"));
	EXPECT_STREQ("ring", word(self->kept.balance[0], "source"));
	EXPECT_EQ(36, strlen(word(self->kept.balance[0], "boot")));
}

#define FAMILY_DIR KEEP_AT "/family"

/*
 * What a directory has of the commands of a load, each value of each record, in order; but
 * not when and how it was received
 */
#define EACH_VALUE(dir, file)							\
	"taskacct exits --dir " dir " --tasks --json comm=kp_short "		\
	"-o $(taskacct help words fields | paste -sd,) | sort >" file "; "	\
	"zstd -qdc " dir "/*.zst | getdelays -R - --extended --json | "	\
	"sed -nE '/kp_short/s/,?\"(time_ns|seq|lost_[a-z]*|filtered)\":(null|[0-9]*)//gp' | "	\
	"sort >>" file "; "

/* What both ways tell of the same exits is the same, to the byte. */
TEST_F(keep, both_ways_are_the_same)
{
	start_recorder(_metadata, &self->recorder, "");
	start_by_script(_metadata, &self->other,
			"exec taskacct record --netlink --dir " FAMILY_DIR,
			FROM_FAMILY);
	make_short(_metadata, 30);
	must(_metadata, &self->r,
	     "setpriv --reuid 65534 --clear-groups " SHORT " of-another;"
	     "! bash -c 'ulimit -c 0; exec -a kp_short sh -c \"kill -SEGV \\$\\$\"'");
	run_free(&self->r);
	end_recorder(_metadata, &self->other, 0);
	end_recorder(_metadata, &self->recorder, 0);
	must(_metadata, &self->r,
	     EACH_VALUE(KEEP_DIR, "/tmp/ring") EACH_VALUE(FAMILY_DIR, "/tmp/family")
	     "wc -l </tmp/ring; diff /tmp/ring /tmp/family >&2");
	/* And the one that was killed, by its arguments */
	EXPECT_LE(2 * 31 + sys_exit_has_mm(), atoi(self->r.out));
	look(&self->kept, FAMILY_DIR);
	EXPECT_STREQ("netlink", word(self->kept.balance[0], "source"));
}

/* Everything that reads a log reads a segment, decompressed. */
TEST_F(keep, segment_is_a_log)
{
	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 10);
	end_recorder(_metadata, &self->recorder, 0);
	must(_metadata, &self->r,
	     "zstd -qdc " KEEP_DIR "/*.zst | getdelays -R - --extended --json");
	EXPECT_LE(10, run_lines(self->r.out));
	run_free(&self->r);
	must(_metadata, &self->r,
	     "taskacct exits " KEEP_DIR "/*.zst comm=kp_short -H -o args");
	EXPECT_EQ(10, run_lines(self->r.out));
}

/* A request closes a segment, and what comes after it is in another. */
TEST_F(keep, rotates)
{
	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	/* Those that have ended since the last flush are in it, too. */
	make_short(_metadata, 5);
	must(_metadata, &self->r, "taskacct record --rotate --dir " KEEP_DIR);
	look(&self->kept, KEEP_DIR);
	ASSERT_LE(1, self->kept.n);
	EXPECT_STREQ("rotated", word(self->kept.balance[0], "closed"));
	EXPECT_LE(10, number(self->kept.balance[0], "kept"));
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
	kill(self->recorder.pid, SIGHUP);
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	EXPECT_LE(3, self->kept.n);
	EXPECT_EQ(20, count_kept(_metadata, "comm=kp_short", 0));
	expect_balance(_metadata, &self->kept);
}

/* Enough for a segment to be begun before an hour is over */
#define BEFORE_S (30 * sys_slow())

/* Each hour has a segment of its own. */
TEST_F(keep, closes_at_the_hour)
{
	const int64_t second = 1000000000, at = time(NULL);
	const int64_t hour = (at / 3600 + 2) * 3600, by = hour - BEFORE_S - at;

	set_clock(_metadata, by);
	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 5);
	wait_for_end(_metadata, &self->kept);
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	set_clock(_metadata, -by);
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	EXPECT_STREQ("hour", word(self->kept.balance[0], "closed"));
	EXPECT_GT(hour * second, number(self->kept.balance[0], "from"));
	EXPECT_LE(hour * second, number(self->kept.balance[0], "to"));
	expect_balance(_metadata, &self->kept);
	EXPECT_EQ(10, count_kept(_metadata, "comm=kp_short", 0));
}

/* One balance begins where the one before ends. */
TEST_F(keep, balances_are_seamless)
{
	int i;

	start_recorder(_metadata, &self->recorder, "");
	for (i = 0; i < 3; i++) {
		make_short(_metadata, 5);
		usleep(FLUSHED_US);
		kill(self->recorder.pid, SIGHUP);
	}
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	ASSERT_LE(3, self->kept.n);
	for (i = 1; i < self->kept.n; i++)
		EXPECT_EQ(number(self->kept.balance[i - 1], "to"),
			  number(self->kept.balance[i], "from"));
}

/* A second recorder would write the same once more. */
TEST_F(keep, one_recorder)
{
	char pid[60];

	start_recorder(_metadata, &self->recorder, "");
	shell(&self->r, "taskacct record --dir " KEEP_DIR);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	snprintf(pid, sizeof(pid), "process %d records there already",
		 self->recorder.pid);
	expect_words(_metadata, &self->r, pid);
	end_recorder(_metadata, &self->recorder, 0);
	run_free(&self->r);
	shell(&self->r, "taskacct record --rotate --dir " KEEP_DIR);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "nobody records there");
}

/* That it had been ended is told, and is no crash. */
TEST_F(keep, tells_of_a_pause)
{
	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 3);
	end_recorder(_metadata, &self->recorder, 0);
	make_short(_metadata, 3);
	run_free(&self->recorder);
	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 3);
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	EXPECT_STREQ("stopped", word(self->kept.balance[1], "away"));
	EXPECT_EQ(6, count_kept(_metadata, "comm=kp_short", EXIT_LOST));
	shell(&self->r, "taskacct report --dir " KEEP_DIR);
	EXPECT_NE(NULL, strstr(self->r.out, "the recorder did not run"))
		TH_LOG("it said: %s", self->r.out);
}

/* Segments of other times are not opened: what they say would show. */
TEST_F(keep, skips_segments_by_time)
{
	char text[200];
	int i;

	start_recorder(_metadata, &self->recorder, "");
	for (i = 0; i < 3; i++) {
		make_short(_metadata, 5);
		usleep(FLUSHED_US);
		must(_metadata, &self->r, "taskacct record --rotate --dir " KEEP_DIR);
		run_free(&self->r);
		/* The next one has nothing of the same second. */
		usleep(FLUSHED_US);
	}
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	ASSERT_LE(3, self->kept.n);
	/* Its frame is damaged, its balance is not. */
	snprintf(text, sizeof(text),
		 "printf XXXXXXXX | dd of=" KEEP_DIR "/%s bs=1 seek=40 conv=notrunc",
		 self->kept.name[0]);
	must(_metadata, &self->r, text);
	EXPECT_LE(0, count_kept(_metadata, "comm=kp_short", EXIT_REFUSED));
	snprintf(text, sizeof(text), "--since @%lld comm=kp_short",
		 (long long)number(self->kept.balance[0], "to") / 1000000000 + 1);
	EXPECT_EQ(10, count_kept(_metadata, text, 0));
}

static off_t size_of(const struct kept *k)
{
	off_t sum = 0;
	int i;

	for (i = 0; i < k->n; i++)
		sum += k->size[i];
	return sum;
}

/* However much there is, it takes no more room; what goes is counted. */
TEST_F(keep, max_size)
{
	int i;

	NEED_EXIT_MM();
	start_recorder(_metadata, &self->recorder, "--max-size 1M");
	for (i = 0; i < 12; i++) {
		make_large(_metadata, 40);
		look(&self->kept, KEEP_DIR);
		EXPECT_GE(1 << 20, size_of(&self->kept));
	}
	usleep(FLUSHED_US);
	/* The end of a segment has a compressor of its own. */
	TH_LOG("resident at most: %ld KiB", hwm_kib(self->recorder.pid));
	EXPECT_GE(HWM_KIB, hwm_kib(self->recorder.pid));
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	EXPECT_GE(1 << 20, size_of(&self->kept));
	EXPECT_LT(512 << 10, size_of(&self->kept));
	EXPECT_LT(8, self->kept.n);
	expect_words(_metadata, &self->recorder, "to keep within bounds");
	EXPECT_LT(0, sum_of(&self->kept, "removed"));
	EXPECT_LT(0, sum_of(&self->kept, "removed_records"));
	EXPECT_STREQ("size", word(self->kept.balance[0], "closed"));
	expect_balance(_metadata, &self->kept);
	EXPECT_EQ(sum_of(&self->kept, "kept"), count_kept(_metadata, "", 0));
}

/* What is older than was asked for goes; files of others stay. */
TEST_F(keep, keep_days)
{
	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	run_free(&self->recorder);
	must(_metadata, &self->r,
	     "cd " KEEP_DIR "; touch -d '-3 days' *.zst; touch -d '-3 days' other.zst");
	start_recorder(_metadata, &self->recorder, "--keep 4d");
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	EXPECT_LE(2, self->kept.n);
	run_free(&self->recorder);
	must(_metadata, &self->recorder,
	     "cd " KEEP_DIR "; touch -d '-3 days' *.zst");
	run_free(&self->recorder);
	start_recorder(_metadata, &self->recorder, "--keep 2d");
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	expect_words(_metadata, &self->recorder, "to keep within bounds");
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(2, self->kept.n);
	EXPECT_LT(0, number(self->kept.balance[0], "removed"));
	EXPECT_STREQ("other.zst", self->kept.name[1]);
}

static int manager_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(at.sun_path, path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return -1;
	return fd;
}

/*
 * The next thing that a service manager hears, but the descriptor that it is to keep: that
 * comes as soon as a segment says where the recorder stands, which may be at once.
 */
static const char *heard(int fd)
{
	static char text[100];
	ssize_t n;

	do {
		n = recv(fd, text, sizeof(text) - 1, 0);
		text[n < 0 ? 0 : n] = '\0';
	} while (!strncmp(text, "FDSTORE=1", strlen("FDSTORE=1")));
	return text;
}

/* As a service of Type=notify, with a watchdog */
TEST_F(keep, notifies)
{
	int fd = manager_socket(KEEP_AT "/notify");
	const char *last;

	ASSERT_LE(0, fd);
	setenv("NOTIFY_SOCKET", KEEP_AT "/notify", 1);
	setenv("WATCHDOG_USEC", "5000000", 1);
	start_recorder(_metadata, &self->recorder, "");
	unsetenv("NOTIFY_SOCKET");
	EXPECT_STREQ("READY=1", heard(fd));
	EXPECT_STREQ("WATCHDOG=1", heard(fd));
	EXPECT_STREQ("WATCHDOG=1", heard(fd));
	run_stop(&self->recorder, SIGTERM);
	do {
		last = heard(fd);
	} while (!strcmp(last, "WATCHDOG=1"));
	EXPECT_STREQ("STOPPING=1", last);
	unsetenv("WATCHDOG_USEC");
	close(fd);
	EXPECT_EQ(0, self->recorder.status);
}

/* Who may not hear of all exits is told so. */
TEST_F(keep, needs_privilege)
{
	must(_metadata, &self->r, "chmod 1777 " KEEP_AT);
	run_free(&self->r);
	shell(&self->r,
	      "setpriv --reuid 65534 --clear-groups taskacct record --dir " KEEP_DIR);
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "as root");
}

#define AS_SERVICE							\
	"--bounding-set -all,+net_admin,+perfmon,+dac_read_search --no-new-privs"

/* The capabilities of the service are enough for all that it is to record. */
TEST_F(keep, capabilities_of_the_service)
{
	NEED_EXIT_MM();
	start_by_script(_metadata, &self->recorder,
			"exec setpriv " AS_SERVICE " taskacct record --dir " KEEP_DIR,
			FROM_RING);
	must(_metadata, &self->r,
	     "setpriv --reuid 65534 --clear-groups " SHORT " of-another");
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(1, count_kept(_metadata,
				"'uid=65534 and args=*of-another and exe=" SHORT "'", 0));
}

#define WHY_NOT(words) FROM_FAMILY "; " TASKACCT_RING_DEVICE words
#define WITHOUT_RING "setpriv --bounding-set -all,+net_admin,+perfmon"

/* Who may not open the shared memory hears of the exits all the same, and is told why. */
TEST_F(keep, without_the_shared_memory)
{
	start_by_script(_metadata, &self->recorder,
			"exec " WITHOUT_RING " taskacct record --dir " KEEP_DIR,
			WHY_NOT(": Permission denied"));
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(5, count_kept(_metadata, "comm=kp_short", 0));
	look(&self->kept, KEEP_DIR);
	EXPECT_STREQ("netlink", word(self->kept.balance[0], "source"));
}

/* A thread that cannot be made is no reason to record nothing. */
TEST_F(keep, without_a_thread)
{
	NEED_CGROUP("keep_test");
	must(_metadata, &self->r,
	     "echo +pids >/sys/fs/cgroup/cgroup.subtree_control;"
	     "echo 1 >/sys/fs/cgroup/keep_test/pids.max");
	start_by_script(_metadata, &self->recorder,
			"echo $$ >/sys/fs/cgroup/keep_test/cgroup.procs;"
			"exec taskacct record --dir " KEEP_DIR,
			WHY_NOT(": Resource temporarily unavailable"));
	/* It does not hold the device. */
	run_free(&self->r);
	must(_metadata, &self->r, "! taskacct status | grep " TASKACCT_RING_DEVICE);
	make_short(_metadata, 5);
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(5, count_kept(_metadata, "comm=kp_short", 0));
	EXPECT_EQ(0, cgroup_drop("keep_test"));
}

/* What it costs: told, and memory is bounded. */
TEST_F(keep, is_small)
{
	int64_t bytes, records;

	start_recorder(_metadata, &self->recorder, "");
	make_short(_metadata, 1000);
	EXPECT_GE(HWM_KIB, hwm_kib(self->recorder.pid));
	TH_LOG("resident at most: %ld KiB", hwm_kib(self->recorder.pid));
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	bytes = size_of(&self->kept);
	records = sum_of(&self->kept, "kept");
	EXPECT_LE(1000, records);
	TH_LOG("%lld bytes for %lld records: %.1f each", (long long)bytes,
	       (long long)records, (double)bytes / (double)records);
	EXPECT_EQ(1000, count_kept(_metadata, "comm=kp_short", 0));
}

TEST_HARNESS_MAIN
