// SPDX-License-Identifier: GPL-2.0-only
/*
 * The values of the extended record: where each stands, that it is what other
 * sources say, and that those of a process are those of its threads.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "test.h"

#define THREADS 3
#define PAGES 2000
#define MOVES 10
#define PID TASKSTATS_CMD_ATTR_PID
#define TGID TASKSTATS_CMD_ATTR_TGID

/*
 * R15, R30: the layout is a promise. Where it is broken this does not compile; that
 * the module has the same follows from values that are compared below.
 */
#define AT(member, offset)						\
	_Static_assert(offsetof(struct taskacct_record, member) == (offset), \
		       #member " has moved")

AT(version, 0);
AT(size, 2);
AT(kind, 4);
AT(cpu_accounting, 6);
AT(policy, 7);
AT(flags, 8);
AT(nice, 12);
AT(reserved, 13);
AT(valid, 16);
AT(absent, 24);
AT(off, 32);
AT(late, 40);
AT(gone, 48);
AT(comm, 56);
AT(pid, 72);
AT(tgid, 76);
AT(ppid, 80);
AT(init_pid, 84);
AT(init_tgid, 88);
AT(init_ppid, 92);
AT(uid, 96);
AT(gid, 100);
AT(euid, 104);
AT(egid, 108);
AT(loginuid, 112);
AT(cpu, 116);
AT(pid_ns, 120);
AT(cgroup, 128);
AT(exe_dev, 136);
AT(exe_ino, 144);
AT(start, 152);
AT(end, 160);
AT(real_end, 168);
AT(exit_code, 176);
AT(group_exit_code, 180);
AT(signal, 184);
AT(threads, 188);
AT(utime, 192);
AT(stime, 200);
AT(runtime, 208);
AT(min_flt, 216);
AT(maj_flt, 224);
AT(nvcsw, 232);
AT(nivcsw, 240);
AT(rchar, 248);
AT(wchar, 256);
AT(syscr, 264);
AT(syscw, 272);
AT(read_bytes, 280);
AT(write_bytes, 288);
AT(cancelled_write_bytes, 296);
AT(peak_rss, 304);
AT(peak_vm, 312);
AT(rss_anon, 320);
AT(rss_file, 328);
AT(rss_shmem, 336);
AT(swap, 344);
AT(rss_time, 352);
AT(vm_time, 360);
AT(on_cpu, 368);
AT(migrations, 376);
_Static_assert(sizeof(struct taskacct_wait) == 32, "a wait has grown");
_Static_assert(sizeof(struct taskacct_record) == 384, "the record has grown");
_Static_assert(sizeof(struct taskacct_stream) == 32, "the stream has grown");

/* A value of 64 bits, by its name */
struct value {
	const char *name;
	size_t offset;
};

#define VALUE(member) { #member, offsetof(struct taskacct_record, member) }

/* Those that add up, exactly */
static const struct value sums[] = {
	VALUE(utime), VALUE(stime), VALUE(runtime),
	VALUE(min_flt), VALUE(maj_flt), VALUE(nvcsw), VALUE(nivcsw),
	VALUE(rchar), VALUE(wchar), VALUE(syscr), VALUE(syscw),
	VALUE(read_bytes), VALUE(write_bytes), VALUE(cancelled_write_bytes),
	VALUE(migrations),
};

/* Those that are rounded down in every record */
static const struct value integrals[] = { VALUE(rss_time), VALUE(vm_time) };

static uint64_t get(const struct taskacct_record *r, const struct value *v)
{
	uint64_t value;

	memcpy(&value, (const char *)r + v->offset, sizeof(value));
	return value;
}

FIXTURE(record) {
	struct acct_sock s;
	struct acct_sock l;
};

FIXTURE_SETUP(record)
{
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, ext_listen_both(&self->l, TASKACCT_WANT_RECORD));
}

FIXTURE_TEARDOWN(record)
{
	acct_close(&self->s);
	acct_close(&self->l);
}

/* Memory of each kind, that stays */
static void take_memory(void)
{
	const size_t size = PAGES * sysconf(_SC_PAGESIZE);
	const int prot = PROT_READ | PROT_WRITE;
	char *own = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, 2 * size, prot, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	if (own == MAP_FAILED || shared == MAP_FAILED)
		abort();
	madvise(own, size, MADV_NOHUGEPAGE);
	memset(own, 1, size);
	memset(shared, 1, 2 * size);
}

static int work_and_rest(int fd, void *arg)
{
	(void)arg;
	take_memory();
	work_mix(3);
	while (work_order(fd))
		work_send(fd, 'd');
	return 0;
}

static void same(struct __test_metadata *_metadata,
		 const struct taskacct_record *r, struct value v,
		 uint64_t expected)
{
	EXPECT_EQ(expected, get(r, &v)) TH_LOG("%s", v.name);
}

#define SAME(member, expected) \
	same(_metadata, r, (struct value)VALUE(member), expected)

static void same_as_proc(struct __test_metadata *_metadata,
			 const struct taskacct_record *r,
			 const struct taskacct_wait *waits,
			 const struct sys_task *p)
{
	SAME(runtime, p->run_ns);
	EXPECT_EQ(p->wait_ns, waits[TASKACCT_WAIT_CPU].total);
	EXPECT_EQ(p->runs, waits[TASKACCT_WAIT_CPU].count);
	SAME(min_flt, p->minflt);
	SAME(maj_flt, p->majflt);
	SAME(nvcsw, p->nvcsw);
	SAME(nivcsw, p->nivcsw);
	SAME(rchar, p->rchar);
	SAME(wchar, p->wchar);
	SAME(syscr, p->syscr);
	SAME(syscw, p->syscw);
	SAME(read_bytes, p->read_bytes);
	SAME(write_bytes, p->write_bytes);
	SAME(cancelled_write_bytes, p->cancelled);
	EXPECT_EQ(p->policy, r->policy);
	EXPECT_EQ(p->nice, r->nice);
	EXPECT_EQ(p->ppid, r->ppid);
}

/* The kernel keeps these counts per task or per CPU, and adds them up at times:
 * 64 pages of each may be missing, here and in /proc.
 */
static void near(struct __test_metadata *_metadata,
		 const struct taskacct_record *r, struct value v, uint64_t kib)
{
	const uint64_t slack = 64ULL * sysconf(_SC_PAGESIZE) *
			       sys_cpus_possible();
	uint64_t value = get(r, &v);

	EXPECT_LE(value, (kib << 10) + slack) TH_LOG("%s", v.name);
	EXPECT_GE(value + slack, kib << 10) TH_LOG("%s", v.name);
}

#define NEAR(member, kib) \
	near(_metadata, r, (struct value)VALUE(member), kib)

static void same_memory(struct __test_metadata *_metadata,
			const struct taskacct_record *r, pid_t pid)
{
	const uint64_t size = PAGES * sysconf(_SC_PAGESIZE);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	NEAR(rss_anon, sys_number(path, "RssAnon"));
	NEAR(rss_file, sys_number(path, "RssFile"));
	NEAR(rss_shmem, sys_number(path, "RssShmem"));
	NEAR(swap, sys_number(path, "VmSwap"));
	NEAR(peak_rss, sys_number(path, "VmHWM"));
	EXPECT_EQ(sys_number(path, "VmPeak") << 10, r->peak_vm);
	EXPECT_LT(size / 2, r->rss_anon);
	EXPECT_LT(size, r->rss_shmem);
	EXPECT_LE(3 * size / 2, r->peak_rss);
}

/* Each value of a task at rest is what /proc has, to the byte */
TEST_F(record, of_a_task_as_proc_has_it)
{
	const struct taskacct_record *r;
	struct ext_message m;
	struct sys_task p;
	struct work w;

	NEED_TASKACCT();
	NEED_COUNTS();
	ASSERT_EQ(0, work_start(&w, work_and_rest, NULL));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, ext_query(&self->s, PID, w.pid, EXT_BARE, &m));
	ASSERT_EQ(0, sys_proc_thread(w.pid, w.pid, &p));
	r = &m.task;
	EXPECT_EQ(TASKACCT_KIND_TASK, r->kind);
	same_as_proc(_metadata, r, m.task_waits, &p);
	same_memory(_metadata, r, w.pid);
	EXPECT_LT(0, r->rchar);
	EXPECT_LT(0, r->min_flt);
	EXPECT_EQ(0, r->rchar % 1024 == 0 && r->wchar % 1024 == 0);
	work_wait(&w);
}

/* Likewise of a process, whose only thread it is */
TEST_F(record, of_a_process_as_proc_has_it)
{
	const struct taskacct_record *r;
	struct ext_message m;
	struct sys_task p;
	struct work w;

	NEED_TASKACCT();
	NEED_COUNTS();
	ASSERT_EQ(0, work_start(&w, work_and_rest, NULL));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, ext_query(&self->s, TGID, w.pid, EXT_BARE, &m));
	ASSERT_EQ(0, sys_proc_sum(w.pid, &p));
	r = &m.process;
	EXPECT_EQ(TASKACCT_KIND_PROCESS, r->kind);
	same_as_proc(_metadata, r, m.process_waits, &p);
	same_memory(_metadata, r, w.pid);
	EXPECT_EQ(1, r->threads);
	work_wait(&w);
}

static void as(struct __test_metadata *_metadata, const char *name,
	       uint64_t classic, uint64_t exact)
{
	EXPECT_EQ(classic, exact) TH_LOG("%s", name);
}

#define AS(classic, exact)	as(_metadata, #exact, classic, exact)
#define USEC(classic, exact)	as(_metadata, #exact, classic, (exact) / 1000)
#define KIB(classic, exact) \
	as(_metadata, #exact, classic, (exact) & ~1023ULL)

/*
 * The classic record has the kernel's own peak: since 6.2 that is without what each
 * CPU has not added to the sums of files', anonymous and shared pages, of each 32
 * pages or two for each CPU.
 */
static void same_peak(struct __test_metadata *_metadata, uint64_t kernels_kib,
		      uint64_t exact)
{
	const unsigned int cpus = sys_cpus_possible();
	const uint64_t batch = cpus > 16 ? 2 * cpus : 32;
	const uint64_t kib = sys_rss_by_cpu() ? 3 * cpus * batch * 4 : 0;

	EXPECT_LE(exact >> 10, kernels_kib + kib);
	EXPECT_GE((exact >> 10) + kib, kernels_kib);
}

/* The classic record is the extended one, rounded. */
static void same_as_classic(struct __test_metadata *_metadata,
			    const struct taskstats *st,
			    const struct taskacct_record *r,
			    const struct taskacct_wait *waits)
{
	USEC(st->ac_utime, r->utime);
	USEC(st->ac_stime, r->stime);
	AS(st->cpu_run_real_total, r->utime + r->stime);
	AS(st->cpu_run_virtual_total, r->runtime);
	AS(st->cpu_count, waits[TASKACCT_WAIT_CPU].count);
	AS(st->cpu_delay_total, waits[TASKACCT_WAIT_CPU].total);
	AS(st->blkio_count, waits[TASKACCT_WAIT_BLKIO].count);
	AS(st->blkio_delay_total, waits[TASKACCT_WAIT_BLKIO].total);
	AS(st->swapin_count, waits[TASKACCT_WAIT_SWAPIN].count);
	AS(st->swapin_delay_total, waits[TASKACCT_WAIT_SWAPIN].total);
	AS(st->freepages_count, waits[TASKACCT_WAIT_FREEPAGES].count);
	AS(st->freepages_delay_total, waits[TASKACCT_WAIT_FREEPAGES].total);
	AS(st->thrashing_count, waits[TASKACCT_WAIT_THRASHING].count);
	AS(st->thrashing_delay_total, waits[TASKACCT_WAIT_THRASHING].total);
	AS(st->ac_minflt, r->min_flt);
	AS(st->ac_majflt, r->maj_flt);
	AS(st->nvcsw, r->nvcsw);
	AS(st->nivcsw, r->nivcsw);
	KIB(st->read_char, r->rchar);
	KIB(st->write_char, r->wchar);
	AS(st->read_syscalls, r->syscr);
	AS(st->write_syscalls, r->syscw);
	KIB(st->read_bytes, r->read_bytes);
	KIB(st->write_bytes, r->write_bytes);
	KIB(st->cancelled_write_bytes, r->cancelled_write_bytes);
	same_peak(_metadata, st->hiwater_rss, r->peak_rss);
	AS(st->hiwater_vm, r->peak_vm >> 10);
	AS(st->ac_pid, r->pid);
	AS(st->ac_ppid, r->ppid);
	AS(st->ac_uid, r->uid);
	AS(st->ac_gid, r->gid);
	AS(st->ac_sched, r->policy);
	AS((int8_t)st->ac_nice, (int64_t)r->nice);
	EXPECT_STREQ(st->ac_comm, r->comm);
}

/* KiB * us and MB * us, from the same */
static void same_integrals(struct __test_metadata *_metadata,
			   const struct taskstats *st,
			   const struct taskacct_record *r)
{
	EXPECT_EQ(st->coremem, r->rss_time / 1024);
	EXPECT_EQ(st->virtmem, r->vm_time / 1024);
	EXPECT_LT(0, r->rss_time);
	EXPECT_LT(r->rss_time, r->vm_time);
}

/* In a query and at the exit, of a task and of a process: both records that a
 * message has are of the same values
 */
TEST_F(record, beside_the_classic_one)
{
	struct ext_message m;
	struct work w;

	NEED_TASKACCT();
	NEED_COUNTS();
	ASSERT_EQ(0, work_start(&w, work_and_rest, NULL));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, ext_query(&self->s, PID, w.pid, TASKACCT_WANT_RECORD, &m));
	ASSERT_TRUE(m.classic.has_pid && m.has_task);
	same_as_classic(_metadata, &m.classic.task, &m.task, m.task_waits);
	ASSERT_EQ(0, ext_query(&self->s, TGID, w.pid, TASKACCT_WANT_RECORD,
			       &m));
	ASSERT_TRUE(m.classic.has_tgid && m.has_process);
	same_as_classic(_metadata, &m.classic.group, &m.process,
			m.process_waits);
	work_wait(&w);
	ASSERT_EQ(0, ext_wait_process(&self->l, w.pid, &m));
	ASSERT_TRUE(m.classic.has_pid && m.has_task);
	EXPECT_EQ(sizeof(struct taskacct_record), (size_t)m.record_size);
	EXPECT_EQ(sizeof(struct taskacct_record), m.task.size);
	EXPECT_EQ(TASKACCT_RECORD_VERSION, m.task.version);
	same_as_classic(_metadata, &m.classic.task, &m.task, m.task_waits);
	same_integrals(_metadata, &m.classic.task, &m.task);
	ASSERT_TRUE(m.classic.has_tgid);
	same_as_classic(_metadata, &m.classic.group, &m.process,
			m.process_waits);
}

/* What the kernel's own family says of the same task */
TEST_F(record, as_the_kernel_has_it)
{
	struct acct_sock own;
	const struct taskacct_record *r;
	const struct taskacct_wait *waits;
	struct ext_message m;
	struct taskstats st;
	struct work w;
	int err;

	NEED_TASKACCT();
	err = acct_open_family(&own, "TASKSTATS", 0);
	if (err == -ENOENT)
		SKIP(return, "this kernel has no family TASKSTATS");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, work_start(&w, work_and_rest, NULL));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, acct_query_pid(&own, w.pid, &st));
	ASSERT_EQ(0, ext_query(&self->s, PID, w.pid, EXT_BARE, &m));
	r = &m.task;
	waits = m.task_waits;
	USEC(st.ac_utime, r->utime);
	USEC(st.ac_stime, r->stime);
	AS(st.cpu_run_virtual_total, r->runtime);
	AS(st.cpu_count, waits[TASKACCT_WAIT_CPU].count);
	AS(st.cpu_delay_total, waits[TASKACCT_WAIT_CPU].total);
	AS(st.blkio_count, waits[TASKACCT_WAIT_BLKIO].count);
	AS(st.swapin_count, waits[TASKACCT_WAIT_SWAPIN].count);
	AS(st.freepages_count, waits[TASKACCT_WAIT_FREEPAGES].count);
	AS(st.thrashing_count, waits[TASKACCT_WAIT_THRASHING].count);
	AS(st.ac_minflt, r->min_flt);
	AS(st.nvcsw, r->nvcsw);
	EXPECT_EQ(st.coremem, r->rss_time / 1024);
	EXPECT_EQ(st.virtmem, r->vm_time / 1024);
	work_wait(&w);
	acct_close(&own);
}

static int io_by_bytes(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	work_read(10, 1001);
	work_write(7, 333);
	return 0;
}

static int no_io(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	return 0;
}

static void exit_of(struct __test_metadata *_metadata, struct acct_sock *l,
		    work_fn fn, struct taskacct_record *r)
{
	struct ext_message m;
	struct work w;

	ASSERT_EQ(0, work_start(&w, fn, NULL));
	work_wait(&w);
	ASSERT_EQ(0, ext_wait_task(l, w.pid, &m));
	*r = m.task;
}

/* Counts are counts, and bytes bytes: no more and no fewer than were moved */
TEST_F(record, io_to_the_byte)
{
	struct taskacct_record with;
	struct taskacct_record without;

	NEED_TASKACCT();
	NEED_COUNTS();
	exit_of(_metadata, &self->l, no_io, &without);
	exit_of(_metadata, &self->l, io_by_bytes, &with);
	EXPECT_EQ(10 * 1001, with.rchar - without.rchar);
	EXPECT_EQ(7 * 333, with.wchar - without.wchar);
	EXPECT_EQ(10, with.syscr - without.syscr);
	EXPECT_EQ(7, with.syscw - without.syscw);
}

static int move_about(int fd, void *arg)
{
	int i;

	(void)arg;
	if (work_pin(0))
		return 1;
	while (work_order(fd)) {
		for (i = 0; i < MOVES; i++)
			if (work_pin(!(i % 2)))
				return 1;
		work_send(fd, 'd');
	}
	return 0;
}

/* How often the kernel has moved it; UINT64_MAX where it does not tell */
static uint64_t moves_of(pid_t pid)
{
	char path[64], text[8192], *at;

	snprintf(path, sizeof(path), "/proc/%d/sched", pid);
	if (sys_read(path, text, sizeof(text)) < 0)
		return UINT64_MAX;
	at = strstr(text, "se.nr_migrations");
	at = at ? strchr(at, ':') : NULL;
	return at ? strtoull(at + 1, NULL, 10) : UINT64_MAX;
}

/* Who is let onto one CPU alone is moved when that is another, and not else. */
TEST_F(record, migrations)
{
	struct taskacct_record before, after, process;
	struct ext_message m;
	struct work w;
	uint64_t moves;

	NEED_TASKACCT();
	if (sys_cpus_online() < 2)
		SKIP(return, "one CPU: no task is ever moved");
	ASSERT_EQ(0, work_start(&w, move_about, NULL));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, ext_query_task(&self->s, w.pid, &before));
	ASSERT_EQ(0, work_round(&w, 'x'));
	ASSERT_EQ(0, ext_query_task(&self->s, w.pid, &after));
	ASSERT_EQ(0, ext_query_process(&self->s, w.pid, &process));
	moves = moves_of(w.pid);
	EXPECT_TRUE(after.valid & 1ULL << TASKACCT_HAS_MIGRATIONS);
	EXPECT_EQ(MOVES, after.migrations - before.migrations);
	EXPECT_EQ(after.migrations, process.migrations);
	if (moves != UINT64_MAX)
		EXPECT_EQ(moves, after.migrations);
	EXPECT_EQ(0, work_wait(&w));
	ASSERT_EQ(0, ext_wait_task(&self->l, w.pid, &m));
	EXPECT_EQ(after.migrations, m.task.migrations);
}

static void do_part(int place)
{
	char buf[100];
	int fd = syscall(SYS_openat, AT_FDCWD, "/dev/zero", O_RDONLY);
	int i;

	for (i = 0; i <= place * 10; i++)
		syscall(SYS_read, fd, buf, sizeof(buf));
	work_dawdle(50);
}

static void check_sums(struct __test_metadata *_metadata,
		       const struct taskacct_record *process,
		       const struct taskacct_record *tasks, int n)
{
	uint64_t sum;
	size_t i;
	int j;

	for (i = 0; i < ARRAY_SIZE(sums); i++) {
		for (sum = 0, j = 0; j < n; j++)
			sum += get(&tasks[j], &sums[i]);
		EXPECT_EQ(sum, get(process, &sums[i])) TH_LOG("%s",
							      sums[i].name);
	}
	for (i = 0; i < ARRAY_SIZE(integrals); i++) {
		for (sum = 0, j = 0; j < n; j++)
			sum += get(&tasks[j], &integrals[i]);
		EXPECT_LE(sum, get(process, &integrals[i]));
		EXPECT_GE(sum + n, get(process, &integrals[i]));
	}
}

/* Waits add up; the longest of a process is the longest of its threads, the
 * shortest the shortest
 */
static void check_waits(struct __test_metadata *_metadata,
			const struct taskacct_wait *process,
			const struct taskacct_wait tasks[][TASKACCT_WAITS],
			int n)
{
	const struct taskacct_wait *wait;
	struct taskacct_wait sum;
	uint64_t max;
	uint64_t min;
	int kind;
	int j;

	for (kind = 0; kind < TASKACCT_WAITS; kind++) {
		memset(&sum, 0, sizeof(sum));
		for (max = 0, min = 0, j = 0; j < n; j++) {
			wait = &tasks[j][kind];
			sum.count += wait->count;
			sum.total += wait->total;
			if (wait->max > max)
				max = wait->max;
			if (wait->min && (!min || wait->min < min))
				min = wait->min;
		}
		EXPECT_EQ(sum.count, process[kind].count);
		EXPECT_EQ(sum.total, process[kind].total);
		EXPECT_EQ(max, process[kind].max) TH_LOG("%d", kind);
		EXPECT_EQ(min, process[kind].min) TH_LOG("%d", kind);
	}
}

/* R25: a process is the sum of its threads, all that it has had, and says how
 * many those were; its last record comes with that of its last thread
 */
TEST_F(record, of_a_process_is_the_sum)
{
	struct taskacct_wait waits[THREADS + 1][TASKACCT_WAITS];
	struct taskacct_record tasks[THREADS + 1];
	struct ext_message m;
	struct roll *roll;
	int last = 0;
	pid_t pid;
	int n = 0;

	NEED_TASKACCT();
	NEED_COUNTS();
	roll = roll_new();
	pid = roll_start(roll, THREADS, do_part);
	ASSERT_EQ(pid, work_reap(pid, NULL));
	do {
		ASSERT_EQ(0, ext_next(&self->l, &m, PATIENCE_MS));
		if (m.task.tgid != (uint32_t)pid)
			continue;
		ASSERT_GT(THREADS + 1, n);
		memcpy(waits[n], m.task_waits, sizeof(waits[n]));
		tasks[n++] = m.task;
		last += !!(m.task.flags & TASKACCT_RECORD_LAST);
	} while (m.process.pid != (uint32_t)pid);
	ASSERT_EQ(THREADS + 1, n);
	EXPECT_EQ(THREADS + 1, m.process.threads);
	EXPECT_EQ(1, last);
	EXPECT_TRUE(m.task.flags & TASKACCT_RECORD_LAST);
	check_sums(_metadata, &m.process, tasks, n);
	check_waits(_metadata, m.process_waits, waits, n);
	EXPECT_LE((1 + 11 + 21 + 31) * 100, m.process.rchar);
}

/* What a parent learns from wait(): the same faults, switches and peak */
TEST_F(record, as_getrusage_has_it)
{
	struct ext_message m;
	struct rusage ru;
	int status;
	pid_t pid;

	NEED_TASKACCT();
	pid = fork();
	if (!pid) {
		take_memory();
		work_mix(5);
		_exit(0);
	}
	ASSERT_EQ(pid, wait4(pid, &status, 0, &ru));
	ASSERT_EQ(0, ext_wait_process(&self->l, pid, &m));
	EXPECT_EQ((uint64_t)ru.ru_minflt, m.process.min_flt);
	EXPECT_EQ((uint64_t)ru.ru_majflt, m.process.maj_flt);
	/* The task leaves its CPU once more after its record is made. */
	EXPECT_LE(m.process.nvcsw, (uint64_t)ru.ru_nvcsw);
	EXPECT_GE(m.process.nvcsw + 2, (uint64_t)ru.ru_nvcsw);
	near(_metadata, &m.process, (struct value)VALUE(peak_rss),
	     ru.ru_maxrss);
}

TEST_HARNESS_MAIN
