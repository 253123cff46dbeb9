// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of tasks whose user does what he can to make whoever asks wait, or see
 * what is gone. Whoever asks holds a lock that all of generic netlink may have
 * to wait for: what the user of the asked task decides must not be waited for.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "test.h"

#define USER 4401
#define DISK "/dev/nullb0"
#define LATENCY_NS "2000000000"
#define PAGE 4096

/* What of a process's is reported where its user holds it */
#define WANT (EXT_BARE | TASKACCT_WANT_CMDLINE)

static const char *const program[] = { "/bin/true", NULL };

/* A word of several processes' */
struct gate {
	int open;
	pid_t tid;
};

/* What the test and the process that it looks at share */
struct scene {
	struct gate reader;
	struct gate writer;
	struct gate runner;
	int gone[2];
	int mem;
	char *slow;
	char *spare;
};

FIXTURE(strings)
{
	struct acct_sock s;
	struct scene *scene;
	struct work w;
	bool has_disk;
};

/* A disk that takes seconds to read, as a file system of the user's could */
FIXTURE_SETUP(strings)
{
	const char *const load[] = { "modprobe", "null_blk", "nr_devices=1",
				     "gb=1", "queue_mode=2", "irqmode=2",
				     "completion_nsec=" LATENCY_NS, NULL };

	NEED_VM();
	ASSERT_EQ(0, sys_run(load));
	self->has_disk = true;
	self->scene = mmap(NULL, sizeof(*self->scene), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->scene);
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, LET_USERS_ASK(true));
}

FIXTURE_TEARDOWN(strings)
{
	const char *const unload[] = { "rmmod", "null_blk", NULL };

	if (!self->has_disk)
		return;
	LET_USERS_ASK(false);
	acct_close(&self->s);
	munmap(self->scene, sizeof(*self->scene));
	EXPECT_EQ(0, sys_run(unload));
}

/* A page that nobody has read yet */
static char *map_slow_page(unsigned int number)
{
	int fd = open(DISK, O_RDONLY | O_CLOEXEC);
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd,
		       (256L + number) << 20);

	close(fd);
	return p;
}

static int say_arguments_are_there(int fd, void *arg)
{
	unsigned long p = (unsigned long)map_slow_page(0);

	(void)arg;
	if (prctl(PR_SET_MM, PR_SET_MM_ARG_START, p, 0, 0) ||
	    prctl(PR_SET_MM, PR_SET_MM_ARG_END, p + 64, 0, 0))
		return 1;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

struct search {
	uint32_t pid;
	int found;
	int cmdline_len;
	bool interrupted;
};

static void look_for(const struct ext_message *m, void *arg)
{
	struct search *search = arg;

	search->interrupted |= !!(m->flags & NLM_F_DUMP_INTR);
	if (!m->has_task || m->task.pid != search->pid)
		return;
	search->found++;
	search->cmdline_len = m->cmdline_len;
}

/* As in /proc/PID/cmdline, arguments in a file are not reported (CVE-2018-1120). */
TEST_F(strings, arguments_in_a_file)
{
	struct search search;
	struct ext_message m;

	NEED_TASKACCT();
	ASSERT_EQ(0, work_start(&self->w, say_arguments_are_there, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	search = (struct search){ .pid = self->w.pid };
	EXPECT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_PID, self->w.pid,
			       WANT, &m));
	EXPECT_EQ(0, m.cmdline_len);
	EXPECT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_TGID, self->w.pid,
			       WANT, &m));
	EXPECT_EQ(0, m.cmdline_len);
	EXPECT_EQ(0, ext_dump(&self->s, WANT, NULL, look_for, &search));
	EXPECT_EQ(1, search.found);
	EXPECT_EQ(0, search.cmdline_len);
	work_tell(&self->w, 'x');
	EXPECT_EQ(0, work_wait(&self->w));
}

/* Keeps the lock of the address space until the page has been read. */
static int read_slowly(void *arg)
{
	struct scene *scene = arg;
	char c;

	work_wait_for(&scene->reader.open, 1);
	syscall(SYS_pread64, scene->mem, &c, 1, scene->slow);
	return 0;
}

/* Waits for it, and lets nobody else have it meanwhile. */
static int change_map(void *arg)
{
	struct scene *scene = arg;

	work_wait_for(&scene->writer.open, 1);
	syscall(SYS_munmap, scene->spare, PAGE);
	return 0;
}

/*
 * Waits for it too, but only when it has begun to be another program. Once in vain before:
 * after a fork some processors (s390x) take a page for absent until it is touched, and the
 * arguments have to be there.
 */
static int execute(void *arg)
{
	struct scene *scene = arg;

	syscall(SYS_execve, "/none", program, program + 1);
	work_wait_for(&scene->runner.open, 1);
	syscall(SYS_execve, program[0], program, program + 1);
	return 1;
}

/* Its pages are there, so that none of its tasks waits for one in between. */
static int play(int fd, void *arg)
{
	struct scene *scene = arg;
	char *stacks = work_stacks(3);

	scene->spare = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mlockall(MCL_CURRENT))
		return 1;
	scene->slow = map_slow_page(1);
	if (work_become(USER))
		return 1;
	scene->mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	scene->reader.tid = work_raw_thread(read_slowly, scene, stacks,
					    &scene->gone[0]);
	scene->writer.tid = work_raw_thread(change_map, scene,
					    stacks + WORK_STACK,
					    &scene->gone[1]);
	scene->runner.tid = work_raw_process(execute, scene,
					     stacks + 2 * WORK_STACK);
	work_send(fd, 'r');
	work_order(fd);
	work_raw_join(&scene->gone[0]);
	work_raw_join(&scene->gone[1]);
	return waitpid(scene->runner.tid, NULL, 0) != scene->runner.tid;
}

/* Lets a thread go, and waits until it can go no further. */
static void let_go(struct gate *gate, pid_t pid)
{
	work_wake(&gate->open, 1);
	while (sys_state(pid, gate->tid) != 'D')
		usleep(1000);
}

/* Another process of the user's asks about the one that begins a program. */
static int ask_as_user(int fd, void *arg)
{
	const struct scene *scene = arg;
	struct search search = { .pid = scene->runner.tid };
	struct taskstats st;
	struct acct_sock s;
	int tries = 1000;
	int err;

	if (work_become(USER) || acct_open(&s))
		return 1;
	/* It has to come to that point first. */
	while (!(err = acct_query_pid(&s, scene->runner.tid, &st)) && tries--)
		usleep(1000);
	if (err != -EBUSY || !strstr(s.extack, "executes a program"))
		return 2;
	if (acct_query_tgid(&s, scene->runner.tid, &st) != -EBUSY)
		return 3;
	/* This one, whose number is higher, is reported. */
	if (ext_dump(&s, EXT_BARE, NULL, look_for, &search) ||
	    search.found || !search.interrupted)
		return 4;
	acct_close(&s);
	work_send(fd, 'r');
	return 0;
}

/* A task that keeps its address space locked for seconds is answered for at once,
 * without arguments. One that cannot go on to execute a program for that is refused
 * with EBUSY, and a dump without it says so.
 */
TEST_F(strings, locks_that_the_user_holds)
{
	struct scene *scene = self->scene;
	struct ext_message m;
	struct work asker;

	NEED_TASKACCT();
	/* So that it need not be read when it matters */
	ASSERT_EQ(0, sys_run(program));
	ASSERT_EQ(0, work_start(&self->w, play, scene));
	ASSERT_EQ('r', work_hear(&self->w));
	EXPECT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_PID, self->w.pid,
			       WANT, &m));
	EXPECT_LT(0, m.cmdline_len);
	let_go(&scene->reader, self->w.pid);
	let_go(&scene->writer, self->w.pid);
	EXPECT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_PID, self->w.pid,
			       WANT, &m));
	EXPECT_EQ(0, m.cmdline_len);
	work_wake(&scene->runner.open, 1);
	ASSERT_EQ(0, work_start(&asker, ask_as_user, scene));
	EXPECT_EQ(0, work_wait(&asker));
	/* All this while, or it would have shown nothing */
	EXPECT_EQ('D', sys_state(self->w.pid, scene->reader.tid));
	do {
		usleep(1000);
		ASSERT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_PID,
				       self->w.pid, WANT, &m));
	} while (!m.cmdline_len);
	work_tell(&self->w, 'x');
	EXPECT_EQ(0, work_wait(&self->w));
}

/* A program can only be given another executable if it runs nothing of its own.
 * Takes a copy of a part of memory in its place, from the same addresses.
 */
static int replace(char *start, char *end, int prot)
{
	const size_t length = end - start;
	char *copy = mmap(NULL, length, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED || mprotect(start, length, prot | PROT_READ))
		return -1;
	memcpy(copy, start, length);
	if (mprotect(copy, length, prot))
		return -1;
	return mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED,
		      start) == start ? 0 : -1;
}

static int leave_executable(void)
{
	char exe[256] = "";
	char line[512];
	char *start;
	char *end;
	char mode[8];
	FILE *maps = fopen("/proc/self/maps", "r");
	int prot;

	if (!maps || readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return -1;
	while (fgets(line, sizeof(line), maps)) {
		if (!strstr(line, exe) ||
		    sscanf(line, "%p-%p %7s", (void **)&start, (void **)&end,
			   mode) != 3)
			continue;
		prot = (mode[0] == 'r' ? PROT_READ : 0) |
		       (mode[1] == 'w' ? PROT_WRITE : 0) |
		       (mode[2] == 'x' ? PROT_EXEC : 0);
		if (replace(start, end, prot))
			return -1;
	}
	fclose(maps);
	return 0;
}

/* The file that it was before is freed each time, and its name with it. */
static int change_executable(int fd, void *arg)
{
	const int *stop = arg;
	char name[16];
	int n = 0;
	int exe;

	if (leave_executable())
		return 1;
	work_send(fd, 'r');
	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE)) {
		snprintf(name, sizeof(name), "exe%08d", n++);
		exe = memfd_create(name, MFD_CLOEXEC);
		if (exe < 0 ||
		    prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, exe, 0, 0))
			return 2;
		close(exe);
	}
	return 0;
}

/* A process gets one executable after the other, each of which is freed: one of them is
 * reported, whole, or none.
 */
TEST(executable_that_changes)
{
	struct ext_message m;
	struct acct_sock s;
	int other = 0;
	int found = 0;
	struct work w;
	int number;
	int *stop;
	int i;

	NEED_TASKACCT();
	stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stop);
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, work_start(&w, change_executable, stop));
	ASSERT_EQ('r', work_hear(&w));
	for (i = 0; i < sys_fewer(40000); i++) {
		ASSERT_EQ(0, ext_query(&s, TASKSTATS_CMD_ATTR_PID, w.pid,
				       EXT_BARE | TASKACCT_WANT_EXE_PATH, &m));
		if (sscanf(m.exe, "/memfd:exe%8d (deleted)", &number) == 1)
			found++;
		else if (m.exe[0] && !strstr(m.exe, "strings_test"))
			other++;
	}
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_LT(0, found);
	EXPECT_EQ(0, other);
	acct_close(&s);
	munmap(stop, sizeof(*stop));
}

TEST_HARNESS_MAIN
