// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners: who hears which exits, and what is reported of each.
 */
#include <linux/filter.h>
#include <linux/genetlink.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "test.h"

FIXTURE(listener) {
	struct acct_sock s;
	struct acct_sock a;
	struct acct_sock b;
	char all[32];
};

FIXTURE_SETUP(listener)
{
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_open(&self->a));
	ASSERT_EQ(0, acct_open(&self->b));
	snprintf(self->all, sizeof(self->all), "0-%d", sys_cpus_possible() - 1);
}

FIXTURE_TEARDOWN(listener)
{
	acct_close(&self->s);
	acct_close(&self->a);
	acct_close(&self->b);
}

/* Reads up to the exit of @last: whether that of @pid came before it. */
static bool received_before(struct __test_metadata *_metadata, struct acct_sock *s,
			    pid_t pid, pid_t last)
{
	struct acct_exit e;
	bool received = false;

	do {
		ASSERT_EQ(0, acct_next_exit(s, &e, PATIENCE_MS));
		received = received || e.pid == (uint32_t)pid;
	} while (e.pid != (uint32_t)last);
	return received;
}

static bool hears_nothing(struct acct_sock *s, pid_t pid)
{
	struct acct_exit e;
	int err;

	do {
		err = acct_next_exit(s, &e, QUIET_MS);
	} while (!err && e.pid != (uint32_t)pid);
	return err == -EAGAIN;
}

/* R9 R10 R11: an exit on a CPU in the mask is received, one on another is not */
TEST_F(listener, only_its_cpus)
{
	pid_t first;
	pid_t last;

	NEED_CPUS(2);
	ASSERT_EQ(0, acct_register(&self->a, "1"));
	first = work_exit_on(0);
	last = work_exit_on(1);
	ASSERT_GT(first, 0);
	ASSERT_GT(last, 0);
	EXPECT_FALSE(received_before(_metadata, &self->a, first, last));
}

/* R10: it is the CPU of the exit that counts, not where the task has been */
TEST_F(listener, cpu_of_the_exit)
{
	pid_t pid;
	pid_t last;

	NEED_CPUS(2);
	ASSERT_EQ(0, acct_register(&self->a, "0"));
	ASSERT_EQ(0, acct_register(&self->b, "1"));
	pid = fork();
	if (pid == 0) {
		work_pin(0);
		work_burn(1000000);
		work_pin(1);
		_exit(0);
	}
	ASSERT_EQ(pid, work_reap(pid, NULL));
	last = work_exit_on(0);
	EXPECT_FALSE(received_before(_metadata, &self->a, pid, last));
	last = work_exit_on(1);
	EXPECT_TRUE(received_before(_metadata, &self->b, pid, last));
}

/* R20: masks as lists of ranges, in every spelling that the kernel knows */
TEST_F(listener, spellings)
{
	const char *const masks[] = { "0-1", "0,1", "1,0", "0-0,1-1", "0-1,0",
				      " 0-1", "0-1\n" };
	struct acct_listener l;
	struct acct_sock s;
	struct acct_exit e;
	size_t i;
	int cpu;

	NEED_TASKACCT();
	NEED_CPUS(2);
	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		ASSERT_EQ(0, acct_listen(&s, masks[i], 0))
			TH_LOG("mask '%s'", masks[i]);
		ASSERT_EQ(0, acct_listener_get(&s, &l));
		EXPECT_STREQ("0-1", l.cpumask);
		for (cpu = 0; cpu < 2; cpu++) {
			EXPECT_EQ(0, acct_wait_exit(&s, work_exit_on(cpu), &e));
		}
		acct_close(&s);
	}
}

/* R20: what the kernel calls all CPUs, and the last one, are those that are
 * possible, whatever number it was built for; before 5.12 it knows neither name
 */
TEST_F(listener, cpus_by_name)
{
	const char *const names[] = { "all", "N", "0-N" };
	char last[16];
	char all[64];
	const char *const cpus[] = { all, last, all };
	struct acct_listener l;
	struct acct_sock s;
	size_t i;

	NEED_TASKACCT();
	sys_read("/sys/devices/system/cpu/possible", all, sizeof(all));
	all[strcspn(all, "\n")] = '\0';
	snprintf(last, sizeof(last), "%d", sys_cpus_possible() - 1);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		ASSERT_EQ(0, acct_open(&s));
		if (sys_kernel_is(5, 12)) {
			ASSERT_EQ(0, acct_register(&s, names[i]))
				TH_LOG("mask '%s': %s", names[i], s.extack);
			ASSERT_EQ(0, acct_listener_get(&s, &l));
			EXPECT_STREQ(cpus[i], l.cpumask);
		} else {
			EXPECT_NE(0, acct_register(&s, names[i]));
			EXPECT_NE(NULL, strstr(s.extack, "not a list"))
				TH_LOG("mask '%s': %s", names[i], s.extack);
		}
		acct_close(&s);
	}
}

/* R9: all possible CPUs */
TEST_F(listener, all_cpus)
{
	struct acct_exit e;
	int cpu;

	ASSERT_EQ(0, acct_register(&self->a, self->all));
	for (cpu = 0; cpu < sys_cpus_online(); cpu++) {
		EXPECT_EQ(0, acct_wait_exit(&self->a, work_exit_on(cpu), &e));
	}
}

/* R9 R19: registering again adds to the mask; an exit on the same CPU is received once
 */
TEST_F(listener, union_of_masks)
{
	struct acct_exit e;
	pid_t pid;
	int cpu;

	NEED_CPUS(2);
	ASSERT_EQ(0, acct_register(&self->a, "0"));
	ASSERT_EQ(0, acct_register(&self->a, "1"));
	ASSERT_EQ(0, acct_register(&self->a, "0-1"));
	for (cpu = 0; cpu < 2; cpu++) {
		pid = work_exit_on(cpu);
		ASSERT_EQ(0, acct_wait_exit(&self->a, pid, &e));
		EXPECT_TRUE(hears_nothing(&self->a, pid));
	}
}

/* R22: deregistered in part: the rest is still received */
TEST_F(listener, deregister_partly)
{
	struct acct_listener l;
	pid_t pid;
	pid_t last;

	NEED_CPUS(2);
	ASSERT_EQ(0, acct_register(&self->a, "0-1"));
	ASSERT_EQ(0, acct_deregister(&self->a, "0"));
	pid = work_exit_on(0);
	last = work_exit_on(1);
	EXPECT_FALSE(received_before(_metadata, &self->a, pid, last));
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listener_get(&self->a, &l));
	EXPECT_STREQ("1", l.cpumask);
}

/* R22: deregistered wholly: nothing is received; the statistics stay readable */
TEST_F(listener, deregister_wholly)
{
	struct acct_listener l;
	struct acct_exit e;
	uint64_t made;
	pid_t pid;

	ASSERT_EQ(0, acct_register(&self->a, self->all));
	pid = work_exit_process(0);
	ASSERT_EQ(0, acct_wait_exit(&self->a, pid, &e));
	ASSERT_EQ(0, acct_deregister(&self->a, self->all));
	pid = work_exit_process(0);
	EXPECT_TRUE(hears_nothing(&self->a, pid));
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_listener_get(&self->a, &l));
	EXPECT_STREQ("", l.cpumask);
	EXPECT_GE(l.delivered, 1);

	made = l.made;
	ASSERT_EQ(0, acct_register(&self->a, self->all));
	pid = work_exit_process(0);
	EXPECT_EQ(0, acct_wait_exit(&self->a, pid, &e));
	ASSERT_EQ(0, acct_listener_get(&self->a, &l));
	EXPECT_GT(l.made, made);
}

/* Deregistering what is not registered on this socket says so */
TEST_F(listener, deregister_nothing)
{
	NEED_TASKACCT();
	NEED_CPUS(2);
	EXPECT_EQ(-ENOENT, acct_deregister(&self->a, "0"));
	EXPECT_STRNE("", self->a.extack);
	ASSERT_EQ(0, acct_register(&self->a, "0"));
	EXPECT_EQ(-ENOENT, acct_deregister(&self->a, "1"));
	EXPECT_STRNE("", self->a.extack);
	EXPECT_EQ(-ENOENT, acct_deregister(&self->b, "0"));
	EXPECT_EQ(0, acct_deregister(&self->a, "0"));
	EXPECT_EQ(-ENOENT, acct_deregister(&self->a, "0"));
}

static unsigned int count_listeners(struct __test_metadata *_metadata,
				    struct acct_sock *s)
{
	struct acct_stat st;

	ASSERT_EQ(0, acct_stat_get(s, &st));
	return st.listeners;
}

/* R21: a listener that closes without deregistering is gone */
TEST_F(listener, close_ends_it)
{
	struct acct_listener l;
	unsigned int before;
	uint32_t port;

	NEED_TASKACCT();
	before = count_listeners(_metadata, &self->s);
	ASSERT_EQ(0, acct_register(&self->a, self->all));
	EXPECT_EQ(before + 1, count_listeners(_metadata, &self->s));
	port = self->a.port;
	EXPECT_EQ(0, acct_listener_of(&self->s, port, &l));
	acct_close(&self->a);
	EXPECT_EQ(before, count_listeners(_metadata, &self->s));
	EXPECT_EQ(-ENOENT, acct_listener_of(&self->s, port, &l));
}

static int listen_and_stay(int fd, void *arg)
{
	struct acct_sock s;

	if (acct_listen(&s, arg, 0))
		return 1;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/* R21: so is one that is killed, its queue full of records */
TEST_F(listener, kill_ends_it)
{
	unsigned int before;
	struct work w;
	int i;

	NEED_TASKACCT();
	before = count_listeners(_metadata, &self->s);
	ASSERT_EQ(0, work_start(&w, listen_and_stay, self->all));
	ASSERT_EQ('r', work_hear(&w));
	for (i = 0; i < 200; i++)
		work_exit_process(0);
	EXPECT_EQ(before + 1, count_listeners(_metadata, &self->s));
	kill(w.pid, SIGKILL);
	work_wait(&w);
	EXPECT_EQ(before, count_listeners(_metadata, &self->s));
}

/* R9 R34: several listeners, each with its own CPUs */
TEST_F(listener, one_per_cpu)
{
	struct acct_exit e;
	pid_t pid[2];

	NEED_CPUS(2);
	ASSERT_EQ(0, acct_register(&self->a, "0"));
	ASSERT_EQ(0, acct_register(&self->b, "1"));
	pid[0] = work_exit_on(0);
	pid[1] = work_exit_on(1);
	ASSERT_EQ(0, acct_wait_exit(&self->a, pid[0], &e));
	ASSERT_EQ(0, acct_wait_exit(&self->b, pid[1], &e));
	EXPECT_TRUE(hears_nothing(&self->a, pid[1]));
	EXPECT_TRUE(hears_nothing(&self->b, pid[0]));
}

/* R9: several listeners on the same CPU get the same record */
TEST_F(listener, several_on_one_cpu)
{
	struct acct_exit a;
	struct acct_exit b;
	pid_t pid;

	ASSERT_EQ(0, acct_register(&self->a, self->all));
	pid = work_exit_process(0);
	ASSERT_EQ(0, acct_wait_exit(&self->a, pid, &a));
	ASSERT_EQ(0, acct_register(&self->b, self->all));
	pid = work_exit_process(7);
	ASSERT_EQ(0, acct_wait_exit(&self->a, pid, &a));
	ASSERT_EQ(0, acct_wait_exit(&self->b, pid, &b));
	EXPECT_EQ(0, memcmp(&a.task, &b.task, sizeof(a.task)));
	EXPECT_EQ(7 << 8, a.task.ac_exitcode);
	EXPECT_EQ(a.seq, b.seq);
}

/* nlmsg_seq counts per CPU, without a gap for who hears that CPU, whoever else
 * comes and goes meanwhile
 */
TEST_F(listener, sequence)
{
	const int rcvbuf = 1 << 20; /* 100 of version 17 need more than is given */
	struct acct_exit e;
	uint32_t seq = 0;
	unsigned int n;
	pid_t pid = 0;
	int i;

	ASSERT_EQ(0, setsockopt(self->a.fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf,
				sizeof(rcvbuf)));
	ASSERT_EQ(0, acct_register(&self->a, "0"));
	for (i = 0; i < 100; i++) {
		pid = work_exit_on(0);
		if (i == 30) {
			ASSERT_EQ(0, acct_register(&self->b, self->all));
		}
		if (i == 60) {
			ASSERT_EQ(0, acct_deregister(&self->b, self->all));
		}
	}
	for (n = 0; ; n++) {
		ASSERT_EQ(0, acct_next_exit(&self->a, &e, PATIENCE_MS));
		if (n) {
			ASSERT_EQ(seq + 1, e.seq);
		}
		seq = e.seq;
		if (e.pid == (uint32_t)pid)
			break;
	}
	EXPECT_GE(n, 99);
}

/* R10: a socket can listen and ask at the same time */
TEST_F(listener, listens_and_asks)
{
	struct taskstats st;
	struct acct_exit e;
	pid_t pid;
	int i;

	ASSERT_EQ(0, acct_register(&self->a, self->all));
	for (i = 0; i < 20; i++) {
		pid = work_exit_process(0);
		ASSERT_EQ(0, acct_query_pid(&self->a, getpid(), &st));
		ASSERT_EQ(0, acct_wait_exit(&self->a, pid, &e));
	}
}

static uint32_t netns_inode(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}

static void expect_invariant(struct __test_metadata *_metadata,
			     const struct acct_listener *l)
{
	EXPECT_EQ(l->made, l->delivered + l->filtered + l->lost_queue +
			   l->lost_memory);
}

/* A listener's statistics: each is there, and made is what came of it */
TEST_F(listener, statistics)
{
	struct acct_listener l;
	struct acct_exit e;
	unsigned int n = 0;
	pid_t pid = 0;
	int i;

	NEED_TASKACCT();
	EXPECT_EQ(-ENOENT, acct_listener_get(&self->a, &l));
	EXPECT_STRNE("", self->a.extack);
	ASSERT_EQ(0, acct_register(&self->a, self->all));
	for (i = 0; i < 50; i++)
		pid = work_exit_process(0);
	do {
		ASSERT_EQ(0, acct_next_exit(&self->a, &e, PATIENCE_MS));
		n++;
	} while (e.pid != (uint32_t)pid);
	ASSERT_EQ(0, acct_deregister(&self->a, self->all));
	while (!acct_next_exit(&self->a, &e, QUIET_MS))
		n++;
	ASSERT_EQ(0, acct_listener_get(&self->a, &l));
	/* What it asked for is not reported of one that asked for nothing. */
	for (i = TASKACCT_LISTENER_ATTR_PORTID; i <= TASKACCT_LISTENER_ATTR_MAX;
	     i++) {
		EXPECT_EQ(i <= TASKACCT_LISTENER_ATTR_LOST_MEMORY,
			  !!(l.seen & (1U << (i - 16))))
			TH_LOG("attribute %d", i);
	}
	EXPECT_EQ(self->a.port, l.portid);
	EXPECT_EQ(netns_inode(), l.netns);
	EXPECT_EQ((uint32_t)getpid(), l.pid);
	EXPECT_STREQ("listener_test", l.comm);
	EXPECT_EQ(n, l.made);
	EXPECT_EQ(n, l.delivered);
	expect_invariant(_metadata, &l);
}

/* What the listener's own socket filter refuses is counted as that */
TEST_F(listener, filtered)
{
	struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog prog = { .len = 1, .filter = &refuse };
	struct acct_listener l;
	pid_t pid = 0;
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_register(&self->a, self->all));
	ASSERT_EQ(0, setsockopt(self->a.fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
				sizeof(prog)));
	for (i = 0; i < 10; i++)
		pid = work_exit_process(0);
	EXPECT_TRUE(hears_nothing(&self->a, pid));
	ASSERT_EQ(0, acct_listener_of(&self->s, self->a.port, &l));
	EXPECT_GE(l.filtered, 10);
	EXPECT_EQ(0, l.lost_queue);
	expect_invariant(_metadata, &l);
}

/* All listeners are listed, and their statistics add up to the module's */
TEST_F(listener, dump_adds_up)
{
	struct acct_listener all[64];
	struct acct_listener sum = { 0 };
	struct acct_stat before;
	struct acct_stat after;
	bool a = false;
	bool b = false;
	int n;
	int i;

	NEED_TASKACCT();
	n = acct_listener_dump(&self->s, all, 64);
	ASSERT_EQ(0, n) TH_LOG("somebody else listens");
	ASSERT_EQ(0, acct_stat_get(&self->s, &before));
	ASSERT_EQ(0, acct_register(&self->a, self->all));
	ASSERT_EQ(0, acct_register(&self->b, "0"));
	for (i = 0; i < 30; i++)
		work_exit_on(i % sys_cpus_online());
	ASSERT_EQ(0, acct_deregister(&self->a, self->all));
	ASSERT_EQ(0, acct_deregister(&self->b, "0"));
	n = acct_listener_dump(&self->s, all, 64);
	ASSERT_EQ(2, n);
	for (i = 0; i < n; i++) {
		a = a || all[i].portid == self->a.port;
		b = b || all[i].portid == self->b.port;
		expect_invariant(_metadata, &all[i]);
		sum.made += all[i].made;
		sum.delivered += all[i].delivered;
	}
	EXPECT_TRUE(a && b);
	ASSERT_EQ(0, acct_stat_get(&self->s, &after));
	EXPECT_EQ(sum.made, after.made - before.made);
	EXPECT_EQ(sum.delivered, after.delivered - before.delivered);
	EXPECT_EQ(after.made, after.delivered + after.filtered +
			      after.lost_queue + after.lost_memory);
	EXPECT_GE(sum.made, 30);
	EXPECT_GE(after.exits - before.exits, 30);
	EXPECT_EQ(2, after.listeners);
}

/* Many listeners: each is listed once, however many datagrams that takes */
TEST_F(listener, dump_of_many)
{
	struct acct_listener all[64];
	struct acct_sock many[40];
	int n;
	int i;
	int j;

	NEED_TASKACCT();
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, acct_listen(&many[i], i % 2 ? "0" : self->all, 0));
	}
	n = acct_listener_dump(&self->s, all, 64);
	EXPECT_EQ(40, n);
	for (i = 0; i < 40; i++) {
		int found = 0;

		for (j = 0; j < n; j++)
			found += all[j].portid == many[i].port;
		EXPECT_EQ(1, found);
	}
	for (i = 0; i < 40; i++)
		acct_close(&many[i]);
}

#define TRACING "/sys/kernel/tracing/"
#define DROPS TRACING "events/skb/kfree_skb/enable"

/* How often the kernel saw a drop in one of these tasks */
static int drops_of(const pid_t *pids, int n)
{
	FILE *trace = fopen(TRACING "trace", "re");
	char line[1024], who[32];
	int found = 0;
	int i;

	while (trace && fgets(line, sizeof(line), trace)) {
		for (i = 0; i < n; i++) {
			snprintf(who, sizeof(who), "-%d ", pids[i]);
			found += line[0] != '#' && strstr(line, who) &&
				 strstr(line, "kfree_skb");
		}
	}
	if (trace)
		fclose(trace);
	return found;
}

#define EXITS_TRACED 10

static void *tell_tid(void *tid)
{
	*(pid_t *)tid = work_tid();
	return NULL;
}

/* Has threads exit on CPU 0, one after the other. */
static void exit_threads(struct __test_metadata *_metadata, pid_t *tids, int n)
{
	pthread_t t;
	int i;

	work_pin(0);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, pthread_create(&t, NULL, tell_tid, &tids[i]));
		pthread_join(t, NULL);
	}
	work_pin_any();
}

/* What is not lost is not seen as dropped by who watches for drops (the event
 * skb:kfree_skb). What is lost is.
 */
TEST_F(listener, no_drops)
{
	pid_t pids[EXITS_TRACED];
	struct acct_sock l, small;
	int drops = 0;
	int size;
	int i;

	NEED_TASKACCT();
	NEED_VM();
	mount("none", TRACING, "tracefs", 0, NULL);
	if (access(DROPS, W_OK))
		SKIP(return, "the kernel is without events of tracepoints");
	ASSERT_EQ(0, acct_open(&l));
	ASSERT_EQ(0, acct_register(&self->a, "0"));
	ASSERT_EQ(0, ext_register(&l, "0", EXT_STREAM, NULL));
	ASSERT_EQ(0, ext_register_batched(&self->s, "0", EXT_BARE, 1000, 50));
	/* The last place is one that somebody has left. */
	ASSERT_EQ(0, acct_register(&self->b, "0"));
	ASSERT_EQ(0, acct_deregister(&self->b, "0"));
	ASSERT_EQ(0, sys_write(TRACING "trace", ""));
	ASSERT_EQ(0, sys_write(DROPS, "1"));
	for (i = 0; i < EXITS_TRACED; i++)
		pids[i] = work_exit_on(0);
	EXPECT_EQ(0, drops_of(pids, EXITS_TRACED));
	/* Sooner or later there is room for a part of a message, which is made. */
	ASSERT_EQ(0, acct_open(&small));
	ASSERT_EQ(0, acct_register(&small, "0"));
	for (size = 1; !drops && size < 1 << 14; size += 128) {
		ASSERT_EQ(0, setsockopt(small.fd, SOL_SOCKET, SO_RCVBUF, &size,
					sizeof(size)));
		exit_threads(_metadata, pids, EXITS_TRACED);
		drops = drops_of(pids, EXITS_TRACED);
	}
	EXPECT_LT(0, drops);
	ASSERT_EQ(0, sys_write(DROPS, "0"));
	acct_close(&small);
	acct_close(&l);
}

TEST_HARNESS_MAIN
