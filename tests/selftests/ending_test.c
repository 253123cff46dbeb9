// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that can be waited for and are not at their end: module fail (tests/fail)
 * holds them there, while they are asked about and their exits received.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fail.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

#define DIR "/tmp/ending-test"
#define LOG DIR "/log"
#define PID DIR "/pid"
#define GO DIR "/go"

/* Where whoever is held ends; the others are on another one. */
#define CPU 1
#define ON_CPU "taskset -c 1 "
#define ELSEWHERE 0

/* It leaves its number, and ends when told. */
#define COMMAND ON_CPU "sh -c 'echo $$ >" PID "; read line <" GO "'"

/* Its child does so, for which it waits, and is at its end before that. */
#define PARENT								\
	"sh -c \"" ON_CPU "sh -c 'echo \\$\\$ >" PID "; read line <" GO "'; true\""

/* How long, in ms: for a while; and longer than getdelays waits for it */
#define HOLD_MS 500
#define LONG_MS 20000

/*
 * Nothing else runs on a CPU where one is held, on PREEMPT_RT the threads of interrupts
 * neither: those of the disks are on the other one (vm.conf). Who happens to need it
 * meanwhile waits for as long, getdelays too: it is tried so often whether it gives up
 * before.
 */
#define TRIES 3

/* Less than that, for clocks that differ a little, in ns */
#define HOLD_NS (HOLD_MS * 1000000LL / 10 * 9)

/* What a task does first that is at its end, if somebody hears of it */
static const struct fail_function at_end = { .name = "__taskacct_kept_take" };

/* What the last thread of a process does when all that they used was added up */
static const struct fail_function at_total = {
	.name = "taskacct_tgid_total_of_current"
};

FIXTURE(ending) {
	bool able;
	struct acct_sock s;
	struct run r;
	struct lines l;
	int go;
};

FIXTURE_SETUP(ending)
{
	self->go = -1;
	self->able = sys_in_vm() && sys_module_loaded() &&
		     sys_traces_functions() && sys_cpus_online() > CPU;
	if (!self->able)
		return;
	ASSERT_EQ(0, fail_begin());
	ASSERT_EQ(0, module_insert(NULL));
	ASSERT_EQ(0, acct_open(&self->s));
	mkdir(DIR, 0700);
	unlink(GO);
	ASSERT_EQ(0, mkfifo(GO, 0600));
	self->go = open(GO, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->go);
	/* It could be woken where nothing else runs, and stand still as well. */
	ASSERT_EQ(0, work_pin(ELSEWHERE));
}

FIXTURE_TEARDOWN(ending)
{
	run_free(&self->r);
	forget(&self->l);
	if (!self->able)
		return;
	work_pin_any();
	close(self->go);
	unlink(GO);
	unlink(PID);
	unlink(LOG);
	rmdir(DIR);
	acct_close(&self->s);
	EXPECT_EQ(0, fail_end());
}

#define NEED_FAIL() do {						\
	NEED_VM();							\
	NEED_FTRACE();							\
	NEED_CPUS(CPU + 1);						\
	ASSERT_TRUE(self->able);					\
} while (0)

/* Returns the number that the command has left, when it has, or 0 */
static pid_t pid_of_command(void)
{
	int tries = PATIENCE_MS / 10;
	char text[16] = "";

	while (tries-- && sys_read(PID, text, sizeof(text)) <= 0)
		usleep(10000);
	return atoi(text);
}

/* Runs getdelays with @command. Who leaves a number ends and is held at its end. Returns it */
static pid_t begin_command(struct __test_metadata *_metadata,
			   FIXTURE_DATA(ending) *self, const char *options,
			   const char *command, unsigned int ms)
{
	char script[512];
	pid_t pid;

	run_free(&self->r);
	unlink(PID);
	snprintf(script, sizeof(script),
		 "exec getdelays --family %s %s -c %s", acct_family_name(),
		 options, command);
	run_script(&self->r, script);
	pid = pid_of_command();
	EXPECT_LT(0, pid);
	EXPECT_EQ(0, fail_watch(at_end.name));
	EXPECT_EQ(0, fail_hold(at_end.name, ms, pid));
	EXPECT_EQ(1, write(self->go, "\n", 1));
	return pid;
}

static pid_t run_command(struct __test_metadata *_metadata,
			 FIXTURE_DATA(ending) *self, const char *options,
			 const char *command)
{
	pid_t pid = begin_command(_metadata, self, options, command, HOLD_MS);

	EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS)) TH_LOG("%s", options);
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_EQ(1, fail_calls(&at_end).failed);
	EXPECT_EQ(NULL, strstr(self->r.err, "still exiting"));
	forget(&self->l);
	parse(_metadata, self->r.out, &self->l);
	return pid;
}

/* R7: -c: what is reported of the command has all that it used up to its end, classic and
 * extended
 */
TEST_F(ending, command)
{
	struct acct_sock s;
	pid_t pid;

	NEED_FAIL();
	ASSERT_EQ(0, acct_listen(&s, "0-1", 0));
	pid = run_command(_metadata, self, "--json", COMMAND);
	ASSERT_EQ(1, self->l.n);
	EXPECT_EQ(pid, number(self->l.v[0], "pid"));
	EXPECT_LE(HOLD_NS, number(self->l.v[0], "cpu_run_virtual_total"));

	pid = run_command(_metadata, self, "--json --extended", COMMAND);
	ASSERT_EQ(1, self->l.n);
	EXPECT_EQ(pid, number(self->l.v[0], "tgid"));
	EXPECT_LE(HOLD_NS, number(self->l.v[0], "runtime"));
	EXPECT_EQ(NULL, strstr(json_of(self->l.v[0], "flags"), "ending"));
	acct_close(&s);
}

/* R9: -l -c: the listening goes on until the command's own record is there */
TEST_F(ending, listener)
{
	struct json_object *o;
	pid_t pid;

	NEED_FAIL();
	pid = run_command(_metadata, self, "-l --json", COMMAND);
	o = line_with(&self->l, "pid", pid);
	ASSERT_NE(NULL, o);
	EXPECT_LE(HOLD_NS, number(o, "cpu_run_virtual_total"));

	pid = run_command(_metadata, self, "-l --json --extended --batch 8K,1s", COMMAND);
	o = line_with(&self->l, "pid", pid);
	ASSERT_NE(NULL, o);
	EXPECT_LE(HOLD_NS, number(o, "runtime"));

	pid = run_command(_metadata, self, "-l -w " LOG, COMMAND);
	run_free(&self->r);
	forget(&self->l);
	run(&self->r, "-R", LOG, "--json");
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	EXPECT_NE(NULL, line_with(&self->l, "pid", pid));
}

/* R9: likewise until the records of the children are there that it has waited for */
TEST_F(ending, child_of_the_command)
{
	struct json_object *o;
	pid_t pid;

	NEED_FAIL();
	pid = run_command(_metadata, self, "-l --json", PARENT);
	o = line_with(&self->l, "pid", pid);
	ASSERT_NE(NULL, o);
	EXPECT_LE(HOLD_NS, number(o, "cpu_run_virtual_total"));
	EXPECT_NE(NULL, line_with(&self->l, "pid", number(o, "ac_ppid")));
}

/* Returns whether it was given up, and that was said */
static bool gives_up(struct __test_metadata *_metadata,
		     FIXTURE_DATA(ending) *self, const char *options)
{
	begin_command(_metadata, self, options, COMMAND, LONG_MS);
	EXPECT_TRUE(run_ends(&self->r, PATIENCE_MS));
	EXPECT_EQ(0, fail_none(0));
	expect_status(_metadata, &self->r, EXIT_DONE);
	return strstr(self->r.err, "still exiting after 10 s");
}

/* A command that does not come to its end is given up, and that is said */
TEST_F(ending, given_up)
{
	static const char *const options[] = { "--json", "-l --json" };
	struct acct_sock s;
	unsigned int tries;
	size_t i;

	NEED_FAIL();
	ASSERT_EQ(0, acct_listen(&s, "0-1", 0));
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		tries = TRIES;
		while (tries && !gives_up(_metadata, self, options[i]))
			tries--;
		EXPECT_NE(0, tries) TH_LOG("%s: %s", options[i], self->r.err);
	}
	acct_close(&s);
}

/* An interrupt ends the listening although the command is not at its end */
TEST_F(ending, interrupted)
{
	pid_t pid;
	char state;

	NEED_FAIL();
	pid = begin_command(_metadata, self, "-l --json", COMMAND, LONG_MS);
	while ((state = sys_state(pid, pid)) && state != 'Z')
		usleep(1000);
	EXPECT_EQ('Z', state);
	usleep(100000);
	run_stop(&self->r, SIGINT);
	EXPECT_EQ(0, fail_none(0));
	expect_status(_metadata, &self->r, EXIT_DONE);
	expect_words(_metadata, &self->r, "interrupted");
}

static int leave_it_behind(int fd, void *arg)
{
	(void)arg;
	return work_pin(CPU) || work_leave_behind(fd, NULL);
}

/* R13 R25: a process whose last thread outlives its leader is not at its end before the
 * last message is there, which is reported to who asks
 */
TEST_F(ending, process)
{
	struct taskacct_record r;
	struct acct_exit e;
	struct acct_sock s;
	siginfo_t info;
	struct work w;

	NEED_FAIL();
	ASSERT_EQ(0, acct_listen(&s, "0-1", 0));
	ASSERT_EQ(0, work_start(&w, leave_it_behind, NULL));
	ASSERT_EQ('r', work_hear(&w));
	while (sys_state(w.pid, w.pid) != 'Z')
		usleep(1000);
	ASSERT_EQ(0, fail_watch(at_total.name));
	ASSERT_EQ(0, fail_hold(at_total.name, LONG_MS, w.pid));
	ASSERT_EQ(0, work_tell(&w, 'x'));
	ASSERT_EQ(0, waitid(P_PID, w.pid, &info, WEXITED | WNOWAIT));
	while (!fail_calls(&at_total).failed)
		usleep(1000);
	ASSERT_EQ(0, ext_query_process(&self->s, w.pid, &r));
	EXPECT_TRUE(r.flags & TASKACCT_RECORD_ENDING);

	ASSERT_EQ(0, fail_none(0));
	do {
		ASSERT_EQ(0, ext_query_process(&self->s, w.pid, &r));
	} while (r.flags & TASKACCT_RECORD_ENDING);
	EXPECT_TRUE(r.flags & TASKACCT_RECORD_ENDED);
	/* Nothing is waited for. */
	do {
		ASSERT_EQ(0, acct_next_exit(&s, &e, 0));
	} while (!e.has_tgid || e.tgid != (uint32_t)w.pid);
	work_wait(&w);
	acct_close(&s);
}

/* What the other thread of leave_to_program() waits for */
static int go_on[2];

static int become_sleep(void *arg)
{
	static char *const argv[] = { "sleep", "1000", NULL };

	(void)arg;
	if (!work_order(go_on[0]))
		return 1;
	return execve("/bin/sleep", argv, environ);
}

/* A process whose first thread exits when told, and whose other executes a program */
static int leave_to_program(int fd, void *arg)
{
	(void)arg;
	if (work_raw_thread(become_sleep, NULL, work_stacks(1), NULL) < 0 || work_pin(CPU))
		return 1;
	work_send(fd, 'r');
	work_order(fd);
	work_raw_exit(0);
	return 0;
}

static bool is_sleep(pid_t pid)
{
	char path[32], comm[16] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	return sys_read(path, comm, sizeof(comm)) > 0 && !strcmp(comm, "sleep\n");
}

/* R2 R25: a process's first thread is reported by its own number, also if it had to give that
 * to another, which executed a program, before its end
 */
TEST_F(ending, number_given_away)
{
	struct acct_sock classic, extended;
	static struct ext_message m;
	struct acct_exit e;
	struct work w;

	NEED_FAIL();
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go_on));
	ASSERT_EQ(0, acct_listen(&classic, "0-1", 0));
	ASSERT_EQ(0, ext_listen(&extended, EXT_BARE, NULL, 0));
	ASSERT_EQ(0, work_start(&w, leave_to_program, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, fail_watch(at_end.name));
	ASSERT_EQ(0, fail_hold(at_end.name, LONG_MS, w.pid));
	ASSERT_EQ(0, work_tell(&w, 'x'));
	while (!fail_calls(&at_end).failed)
		usleep(1000);
	EXPECT_EQ(0, work_send(go_on[1], 'x'));
	while (!is_sleep(w.pid))
		usleep(1000);
	ASSERT_EQ(0, fail_none(0));

	ASSERT_EQ(0, acct_wait_exit(&classic, w.pid, &e));
	EXPECT_EQ((uint32_t)w.pid, e.task.ac_pid);
	ASSERT_EQ(0, ext_wait_task(&extended, w.pid, &m));
	EXPECT_EQ((uint32_t)w.pid, m.task.init_pid);
	EXPECT_EQ((uint32_t)w.pid, m.task.tgid);
	kill(w.pid, SIGKILL);
	work_wait(&w);
	close(go_on[0]);
	close(go_on[1]);
	acct_close(&classic);
	acct_close(&extended);
}

/* What leave() waits for, and who it is */
static int leave_by[2];
static pid_t *leaving;

static int leave(void *arg)
{
	(void)arg;
	if (work_pin(CPU))
		return 1;
	__atomic_store_n(leaving, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	work_order(leave_by[0]);
	return 0;
}

/* A process of which one thread ends when told, and another executes a program */
static int stay_for_program(int fd, void *arg)
{
	(void)arg;
	if (work_raw_thread(become_sleep, NULL, work_stacks(1), NULL) < 0 ||
	    work_raw_thread(leave, NULL, work_stacks(1), NULL) < 0)
		return 1;
	while (!__atomic_load_n(leaving, __ATOMIC_ACQUIRE))
		usleep(1000);
	work_send(fd, 'r');
	work_stay();
	return 0;
}

/* Until both tasks that had the number are at their end: the first thread, and who took its
 * place
 */
static void wait_for_both(struct __test_metadata *_metadata, struct acct_sock *s, pid_t pid)
{
	struct acct_exit e;
	int n = 0;

	while (n < 2) {
		ASSERT_EQ(0, acct_next_exit(s, &e, PATIENCE_MS));
		/* That thread is held until both have ended. */
		ASSERT_NE(*leaving, (pid_t)e.pid);
		n += e.pid == (uint32_t)pid;
	}
}

/* R2 R25: a process is reported by its own number, also by a thread whose end comes last and
 * that had exited before another one executed a program, as the first thread then
 */
TEST_F(ending, number_of_process)
{
	struct acct_sock classic, extended;
	static struct ext_message m;
	struct acct_exit e;
	struct work w;

	NEED_FAIL();
	leaving = mmap(NULL, sizeof(*leaving), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, leaving);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go_on));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, leave_by));
	ASSERT_EQ(0, acct_listen(&classic, "0-1", 0));
	ASSERT_EQ(0, ext_listen(&extended, EXT_BARE, NULL, 0));
	ASSERT_EQ(0, work_start(&w, stay_for_program, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, fail_watch(at_end.name));
	ASSERT_EQ(0, fail_hold(at_end.name, LONG_MS, *leaving));
	ASSERT_EQ(0, work_send(leave_by[1], 'x'));
	while (!fail_calls(&at_end).failed)
		usleep(1000);
	EXPECT_EQ(0, work_send(go_on[1], 'x'));
	while (!is_sleep(w.pid))
		usleep(1000);
	kill(w.pid, SIGKILL);
	wait_for_both(_metadata, &classic, w.pid);
	ASSERT_EQ(0, fail_none(0));

	do {
		ASSERT_EQ(0, acct_next_exit(&classic, &e, PATIENCE_MS));
	} while (e.pid != (uint32_t)*leaving);
	ASSERT_TRUE(e.has_tgid);
	EXPECT_EQ((uint32_t)w.pid, e.tgid);
	EXPECT_EQ((uint32_t)w.pid, e.group.ac_pid);
	do {
		ASSERT_EQ(0, ext_next(&extended, &m, PATIENCE_MS));
	} while (!m.has_process || m.process.tgid != (uint32_t)w.pid);
	EXPECT_EQ((uint32_t)w.pid, m.process.pid);
	EXPECT_EQ((uint32_t)w.pid, m.process.init_pid);
	work_wait(&w);
	munmap(leaving, sizeof(*leaving));
	close(go_on[0]);
	close(go_on[1]);
	close(leave_by[0]);
	close(leave_by[1]);
	acct_close(&classic);
	acct_close(&extended);
}

TEST_HARNESS_MAIN
