// SPDX-License-Identifier: GPL-2.0-only
/*
 * How getdelays ends, or goes on, whoever has started it: with files closed or
 * SIGCHLD ignored, by a command's end, by signals, by a full disk.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

#define NOBODY 65534

#define DIR "/tmp/stop-test"
#define LOG DIR "/log"
#define PID DIR "/pid"
#define MODE "/sys/module/taskacct/parameters/cputime"

/* What a script begins with: getdelays, of the family under test */
#define SCRIPT(text) "g() { exec $WITH getdelays --family $FAMILY \"$@\"; }; " text

#define DEAF "WITH='env --ignore-signal=CHLD'; "

/* How a command leaves its number */
#define LEAVE_PID "echo $$ >" PID ".new; mv " PID ".new " PID "; "

/* More of them than a small disk has room for */
#define MANY_EXITS \
	"for i in 1 2 3 4 5 6 7 8 9; do ls | cat | cat | wc; sleep 0.1; done; "

FIXTURE(stop) {
	struct acct_sock s;
	struct run r;
	struct lines l;
	bool mounted;
	int fds[2];
};

FIXTURE_SETUP(stop)
{
	setenv("FAMILY", acct_family_name(), 1);
	ASSERT_EQ(0, acct_open(&self->s));
	mkdir(DIR, 0700);
}

FIXTURE_TEARDOWN(stop)
{
	run_free(&self->r);
	forget(&self->l);
	acct_close(&self->s);
	unlink(LOG);
	unlink(PID);
	if (self->mounted)
		umount(DIR);
	rmdir(DIR);
}

/* The number that a command has left, when it has */
static pid_t pid_of_command(void)
{
	int tries = PATIENCE_MS / 10;
	char text[16] = "";
	FILE *file;

	while (!(file = fopen(PID, "r")) && tries--)
		usleep(10000);
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	return atoi(text);
}

static void run_to_end(struct __test_metadata *_metadata, struct run *r,
		       const char *script, int status)
{
	run_free(r);
	run_script(r, script);
	EXPECT_TRUE(run_ends(r, PATIENCE_MS)) TH_LOG("%s", script);
	expect_status(_metadata, r, status);
}

static char *read_log(size_t *size)
{
	struct stat st = { .st_size = 0 };
	int fd = open(LOG, O_RDONLY);
	char *data;

	fstat(fd, &st);
	data = malloc(st.st_size + 1);
	*size = st.st_size;
	if (read(fd, data, st.st_size) != st.st_size)
		*size = 0;
	close(fd);
	return data;
}

/* Standard output or error are closed: a log that is gone on with stays as it was and
 * gets what is received; what cannot be written is status 4
 */
TEST_F(stop, with_closed_files)
{
	static const struct {
		const char *script;
		int status;
	} runs[] = {
		{ SCRIPT("g -l -w " LOG " -c true"), EXIT_DONE },
		{ SCRIPT("g -l -w " LOG " -c true 2>&-"), EXIT_DONE },
		{ SCRIPT("g -l -d -w " LOG " -c true >&-"), EXIT_LOG },
		{ SCRIPT("g -l -d -w " LOG " -c true <&- >&- 2>&-"), EXIT_LOG },
	};
	size_t before = 0, after, i;
	char *old = NULL, *new;
	int lines = 0;

	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		run_to_end(_metadata, &self->r, runs[i].script, runs[i].status);
		new = read_log(&after);
		ASSERT_LT(before, after) TH_LOG("%s", runs[i].script);
		EXPECT_EQ(0, memcmp(old ?: new, new, before));
		free(old);
		old = new;
		before = after;
		run_free(&self->r);
		run(&self->r, "-R", LOG, "--json");
		expect_status(_metadata, &self->r, EXIT_DONE);
		EXPECT_LT(lines, run_lines(self->r.out));
		lines = run_lines(self->r.out);
	}
	free(old);
	/* What cannot be written is a failure, as ever. */
	run_to_end(_metadata, &self->r, SCRIPT("g -p 1 >&-"), EXIT_LOG);
	run_to_end(_metadata, &self->r, SCRIPT("g --version >&-"), EXIT_LOG);
}

/* SIGCHLD is ignored by whoever starts it */
TEST_F(stop, with_sigchld_ignored)
{
	run_to_end(_metadata, &self->r,
		   SCRIPT(DEAF "g -l --json -c true"), EXIT_DONE);
	EXPECT_LE(1, run_lines(self->r.out));
	run_to_end(_metadata, &self->r,
		   SCRIPT(DEAF "g --json -c true"), EXIT_DONE);
	EXPECT_EQ(1, run_lines(self->r.out));
}

/* The command's end is one of several things that children did meanwhile: one
 * of somebody else's ended, or the command was stopped before. Its status is passed on.
 */
TEST_F(stop, by_a_command_among_others)
{
	static const struct {
		const char *text;
		int status;
	} scripts[] = {
		{ SCRIPT("sleep 0.5 & g -l -c sh -c '" LEAVE_PID "sleep 1'"), 0 },
		{ SCRIPT("g -l -c sh -c '" LEAVE_PID "kill -STOP $$; exit 3'"), 3 },
	};
	pid_t command;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scripts); i++) {
		run_free(&self->r);
		run_script(&self->r, scripts[i].text);
		command = pid_of_command();
		ASSERT_LT(0, command);
		ASSERT_EQ(0, kill(self->r.pid, SIGSTOP));
		usleep(1500000);
		kill(command, SIGCONT);
		usleep(200000);
		ASSERT_EQ(0, kill(self->r.pid, SIGCONT));
		EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS));
		expect_status(_metadata, &self->r, scripts[i].status);
		unlink(PID);
	}
}

/* A signal is for the command, whose end it waits for */
TEST_F(stop, by_a_signal_to_the_command)
{
	run_script(&self->r, SCRIPT("g -l -c sh -c '" LEAVE_PID
				    "trap \"exit 0\" TERM; sleep 1000 & wait'"));
	ASSERT_LT(0, pid_of_command());
	usleep(200000);
	kill(self->r.pid, SIGTERM);
	EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS));
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "received: ");
}

/* The disk is full while the command runs: that is reported at once, and signals
 * still go to the command
 */
TEST_F(stop, by_a_full_disk_and_a_signal)
{
	pid_t command;

	NEED_VM();
	self->mounted = !mount("none", DIR, "tmpfs", 0, "size=16k");
	ASSERT_TRUE(self->mounted);
	run_script(&self->r, SCRIPT("g -l -w " LOG " -c sh -c '" LEAVE_PID
				    MANY_EXITS "exec sleep 99'"));
	EXPECT_TRUE(run_says(&self->r, "No space left", PATIENCE_MS));
	EXPECT_TRUE(run_says(&self->r, "received: ", PATIENCE_MS));
	command = pid_of_command();
	ASSERT_LT(0, command);
	EXPECT_EQ(0, kill(command, 0));
	kill(self->r.pid, SIGTERM);
	EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS));
	expect_status(_metadata, &self->r, EXIT_LOG);
	EXPECT_EQ(-1, kill(command, SIGKILL));
	run_free(&self->r);
	run(&self->r, "-R", LOG);
	expect_status(_metadata, &self->r, EXIT_DONE);
}

/* Whether a process is in write(), as the kernel tells it of who sleeps */
static bool is_in_write(pid_t pid)
{
	char path[32], text[128];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	return sys_read(path, text, sizeof(text)) > 0 &&
	       atoi(text) == SYS_write;
}

/* Fills a pipe, which has room for a page, and starts taskacct cpu, which writes there
 * and so stands still.
 */
static void start_on_full_pipe(struct __test_metadata *_metadata,
			       FIXTURE_DATA(stop) *self)
{
	char filler[4096];
	char script[64];
	int ms;

	memset(filler, '\n', sizeof(filler));
	ASSERT_EQ(0, pipe(self->fds));
	ASSERT_EQ(4096, fcntl(self->fds[1], F_SETPIPE_SZ, 4096));
	ASSERT_EQ(4096, write(self->fds[1], filler, sizeof(filler)));
	snprintf(script, sizeof(script),
		 "exec taskacct cpu -d 50ms --json >&%d", self->fds[1]);
	run_script(&self->r, script);
	close(self->fds[1]);
	for (ms = 0; ms < PATIENCE_MS && !is_in_write(self->r.pid); ms += 10)
		usleep(10000);
	ASSERT_TRUE(is_in_write(self->r.pid));
}

/* An interrupt while nobody takes what is printed: it ends in good order; what
 * somebody takes after all is whole
 */
TEST_F(stop, by_a_signal_on_a_full_pipe)
{
	char text[65536] = "";
	ssize_t n, size = 0;
	char mode[16];

	NEED_VM();
	NEED_TASKACCT();
	ASSERT_LT(0, sys_read(MODE, mode, sizeof(mode)));
	ASSERT_EQ(0, sys_write(MODE, "switch"));
	start_on_full_pipe(_metadata, self);
	kill(self->r.pid, SIGINT);
	EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS));
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_STREQ("", self->r.err);
	run_free(&self->r);
	close(self->fds[0]);

	start_on_full_pipe(_metadata, self);
	kill(self->r.pid, SIGTERM);
	while ((n = read(self->fds[0], text + size,
			 sizeof(text) - 1 - size)) > 0)
		size += n;
	EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS));
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, text + 4096, &self->l);
	EXPECT_LE(1, self->l.n);
	close(self->fds[0]);
	EXPECT_EQ(0, sys_write(MODE, mode));
}

static bool catches_interrupts(pid_t pid)
{
	char path[32], text[4096];
	const char *caught;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (sys_read(path, text, sizeof(text)) <= 0)
		return false;
	caught = strstr(text, "SigCgt:");
	return caught && strtoull(caught + 7, NULL, 16) & 1 << (SIGINT - 1);
}

/* An interrupt while it is busy, and before it sleeps, is none too few. */
TEST_F(stop, by_a_signal_before_it_sleeps)
{
	int calls = 100000, status;
	char mode[16];

	NEED_VM();
	NEED_TASKACCT();
	ASSERT_LT(0, sys_read(MODE, mode, sizeof(mode)));
	ASSERT_EQ(0, sys_write(MODE, "switch"));
	self->r.out_fd = memfd_create("out", MFD_CLOEXEC);
	self->r.err_fd = memfd_create("err", MFD_CLOEXEC);
	self->r.pid = fork();
	if (!self->r.pid) {
		dup2(self->r.out_fd, 1);
		dup2(self->r.err_fd, 2);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execlp("taskacct", "taskacct", "cpu", "-d", "1000s", NULL);
		_exit(127);
	}
	/* From system call to system call, until it has its handler */
	while (waitpid(self->r.pid, &status, 0) == self->r.pid &&
	       WIFSTOPPED(status) && calls-- &&
	       !catches_interrupts(self->r.pid))
		ptrace(PTRACE_SYSCALL, self->r.pid, 0, 0);
	EXPECT_TRUE(catches_interrupts(self->r.pid));
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(0, ptrace(PTRACE_DETACH, self->r.pid, 0, 0));
	EXPECT_TRUE(run_ends(&self->r, 10000 * sys_slow()));
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(0, sys_write(MODE, mode));
}

/* --per-cpu: there is a thread too few */
TEST_F(stop, for_want_of_a_thread)
{
	struct rlimit old, two = { 2, 2 };

	NEED_VM();
	NEED_TASKACCT();
	NEED_CPUS(2);
	ASSERT_EQ(0, getrlimit(RLIMIT_NPROC, &old));
	ASSERT_EQ(0, setrlimit(RLIMIT_NPROC, &two));
	ASSERT_EQ(0, LET_USERS_ASK(true));
	run_as(&self->r, NOBODY, "getdelays", "-l", "--per-cpu", NULL);
	EXPECT_EQ(0, LET_USERS_ASK(false));
	ASSERT_EQ(0, setrlimit(RLIMIT_NPROC, &old));
	expect_status(_metadata, &self->r, EXIT_REFUSED);
	expect_words(_metadata, &self->r, "thread: Resource temp");
	EXPECT_EQ(NULL, strstr(self->r.err, "listening"));
}

TEST_HARNESS_MAIN
