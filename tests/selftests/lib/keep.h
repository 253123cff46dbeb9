/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * taskacct record as a user runs it, and the segments that it leaves. For programs with
 * the test harness, behind lines.h.
 */
#ifndef SELFTESTS_KEEP_H
#define SELFTESTS_KEEP_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/taskacct_ring.h>

#include "limit.h"

/* A file system of its own, and the directory of the record in it */
#define KEEP_AT "/run/keep-test"
#define KEEP_DIR KEEP_AT "/d"

/* A command that ends at once, under a name of its own */
#define SHORT "/tmp/kp_short"

/* More than a closed segment's last line has */
#define TRAILER 1024

#define SEGMENTS_MAX 512

/* Bytes of an argument that does not compress */
#define LARGE 4000

/* The segments of a directory, in the order of their names, and what each says */
struct kept {
	char name[SEGMENTS_MAX][64];
	off_t size[SEGMENTS_MAX];
	struct json_object *balance[SEGMENTS_MAX];
	int n;
};

/* Several seconds of the recorder's: a flush, and what comes with it */
#define FLUSHED_US 2000000

static inline void shell(struct run *r, const char *text)
{
	run_script(r, text);
	run_finish(r);
}

/* What a script that has to go well prints; the run is to be freed */
static inline void must(struct __test_metadata *_metadata, struct run *r,
			const char *text)
{
	shell(r, text);
	ASSERT_EQ(0, r->status) TH_LOG("%s: %s", text, r->err);
}

/* One that a test has left running would listen into the next. */
static inline void end_run(struct run *r)
{
	if (r->pid && !r->out)
		run_stop(r, SIGKILL);
	run_free(r);
}

static inline void set_clock(struct __test_metadata *_metadata, int64_t by_s)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += by_s;
	ASSERT_EQ(0, clock_settime(CLOCK_REALTIME, &now));
}

/* A segment is closed when an hour is over: not in the midst of a test. */
static inline void have_time(struct __test_metadata *_metadata)
{
	const int64_t left = 3600 - time(NULL) % 3600;

	if (left < 900)
		set_clock(_metadata, left);
}

static inline void have_file_system(struct __test_metadata *_metadata,
				    const char *options)
{
	have_time(_metadata);
	mkdir(KEEP_AT, 0755);
	ASSERT_EQ(0, mount("keep", KEEP_AT, "tmpfs", 0, options));
	ASSERT_EQ(0, system("cp \"$(dirname \"$(readlink /proc/$PPID/exe)\")/at_once\" " SHORT));
}

/* What the recorder says first, and in each balance, of where records come from */
#define FROM_RING "records come from " TASKACCT_RING_DEVICE
#define FROM_FAMILY "records come from the family TASKACCT"

/* Started, and recording */
static inline void start_by_script(struct __test_metadata *_metadata, struct run *r,
				   const char *script, const char *from)
{
	run_script(r, script);
	ASSERT_TRUE(run_says(r, from, PATIENCE_MS));
}

static inline void start_recorder(struct __test_metadata *_metadata, struct run *r,
				  const char *options)
{
	char text[300];

	snprintf(text, sizeof(text), "exec taskacct record --dir " KEEP_DIR " %s",
		 options);
	start_by_script(_metadata, r, text,
			strstr(options, "--netlink") ? FROM_FAMILY : FROM_RING);
}

/* A task that was waited for may be at its end a moment later; what ends then is not kept. */
#define AT_END_US 200000

static inline void end_recorder(struct __test_metadata *_metadata, struct run *r,
				int status)
{
	usleep(AT_END_US);
	run_stop(r, SIGTERM);
	expect_status(_metadata, r, status);
}

/* Where a user moves segments that are closed */
#define KEEP_MOVED KEEP_AT "/moved"

/* What the recorder may have resident */
#define HWM_KIB (16 << 10)

/* What a process had resident at most */
static inline long hwm_kib(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return sys_number(path, "VmHWM");
}

/* The last line of a segment, if that is closed */
static inline struct json_object *balance_of(const char *path)
{
	char text[TRAILER + 1] = "";
	const int fd = open(path, O_RDONLY);
	const off_t size = lseek(fd, 0, SEEK_END);
	const ssize_t n = pread(fd, text, TRAILER, size > TRAILER ? size - TRAILER : 0);
	char *line = NULL;

	close(fd);
	if (n > 1 && text[n - 1] == '\n')
		line = memrchr(text, '\n', n - 1);
	return line ? json_tokener_parse(line + 1) : NULL;
}

static inline void forget_kept(struct kept *k)
{
	while (k->n)
		json_object_put(k->balance[--k->n]);
}

static inline void look(struct kept *k, const char *dir)
{
	struct dirent **entries;
	char path[400];
	struct stat st;
	int i, n;

	forget_kept(k);
	n = scandir(dir, &entries, NULL, alphasort);
	for (i = 0; i < n; free(entries[i++])) {
		if (*entries[i]->d_name == '.' || k->n == SEGMENTS_MAX)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		snprintf(k->name[k->n], sizeof(k->name[0]), "%.63s",
			 entries[i]->d_name);
		k->size[k->n] = stat(path, &st) ? 0 : st.st_size;
		k->balance[k->n++] = balance_of(path);
	}
	if (n >= 0)
		free(entries);
}

/* Until the first segment is closed */
static inline void wait_for_end(struct __test_metadata *_metadata, struct kept *k)
{
	int ms = 0;

	do {
		usleep(10000);
		look(k, KEEP_DIR);
		ASSERT_GE(PATIENCE_MS, ms += 10);
	} while (!k->n || !k->balance[0]);
}

/* Its segment is closed and moved away, and it is killed before it has written another. */
static inline void move_away_and_kill(struct __test_metadata *_metadata,
				      struct run *recorder)
{
	struct kept k = { .n = 0 };
	struct run r;

	kill(recorder->pid, SIGHUP);
	wait_for_end(_metadata, &k);
	run_stop(recorder, SIGKILL);
	forget_kept(&k);
	must(_metadata, &r, "mkdir " KEEP_MOVED "; mv " KEEP_DIR "/*.zst " KEEP_MOVED);
	run_free(&r);
}

static inline int64_t lost_by(struct json_object *balance, const char *reason)
{
	struct json_object *lost;

	return json_object_object_get_ex(balance, "lost", &lost) ?
		       number(lost, reason) : -1;
}

/* One number of all segments together */
static inline int64_t sum_of(const struct kept *k, const char *key)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < k->n; i++)
		sum += number(k->balance[i], key);
	return sum;
}

static inline int64_t sum_lost(const struct kept *k, const char *reason)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < k->n; i++)
		sum += lost_by(k->balance[i], reason);
	return sum;
}

/* What was made was kept, whole or in totals, or is counted. */
static inline void expect_balance(struct __test_metadata *_metadata,
				  const struct kept *k)
{
	static const char *const reasons[] = { "queue", "memory", "ring",
					       "unread", "disk", "gone" };
	int64_t sum = sum_of(k, "kept") + sum_of(k, "totals") +
		      sum_of(k, "waiting");
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		sum += sum_lost(k, reasons[i]);
	EXPECT_EQ(sum_of(k, "made"), sum);
	EXPECT_EQ(0, sum_of(k, "waiting"));
}

/* How many records of tasks a filter finds in the directory */
static inline int64_t count_kept(struct __test_metadata *_metadata,
				 const char *filter, int status)
{
	struct lines l = { .n = 0 };
	struct run r;
	char text[300];
	int64_t n = -1;

	snprintf(text, sizeof(text),
		 "taskacct report --dir " KEEP_DIR " --tasks --json -o count %s",
		 filter);
	shell(&r, text);
	expect_status(_metadata, &r, status);
	parse(_metadata, r.out, &l);
	if (l.n)
		n = number(json_object_object_get(l.v[l.n - 1], "total"),
			   "count");
	run_free(&r);
	forget(&l);
	return n;
}

static inline void run_short(struct __test_metadata *_metadata, char *argument)
{
	char *const argv[] = { SHORT, argument, NULL };
	int status;
	pid_t pid;

	ASSERT_EQ(0, posix_spawn(&pid, SHORT, NULL, NULL, argv, environ));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	/* On a host that has little time for the VM ticks are lost, and with them what is busy. */
	limit_goes_on();
}

static inline void make_short(struct __test_metadata *_metadata, int n)
{
	char number[12];
	int i;

	for (i = 1; i <= n; i++) {
		snprintf(number, sizeof(number), "%d", i);
		run_short(_metadata, number);
	}
}

/* Random arguments: in a segment they have three quarters of their bytes */
static inline void make_large(struct __test_metadata *_metadata, int n)
{
	char argument[LARGE + 1] = "";
	int i;

	while (n--) {
		ASSERT_EQ(LARGE, getrandom(argument, LARGE, 0));
		for (i = 0; i < LARGE; i++)
			argument[i] = '0' + (argument[i] & 63);
		run_short(_metadata, argument);
	}
}

#endif /* SELFTESTS_KEEP_H */
