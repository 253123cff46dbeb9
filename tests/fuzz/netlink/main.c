// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_test: send the family what it should take and what it should not,
 * and hold its answers to what it says of itself.
 *
 * Eight processes, a kind of user each, go through cases. A case is made from
 * the seed and its number, which say what failed, and give it again. In a VM all
 * of it is done twice: with the module as it is, and with uid=1.
 *
 * R7 R9 R19 R20 R22: no answer to any message is wrong, of queries, registrations and
 * deregistrations. R32 R36: what was made is delivered, filtered and lost, and what was
 * received was delivered. R21: all sockets are closed, and no listener is left.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include <kselftest.h>

#include "acct.h"
#include "judge.h"
#include "module.h"
#include "sys.h"
#include "talk.h"
#include "user.h"
#include "world.h"

/* A batch, after which a plain question has to be answered rightly */
#define BATCH 32

#define MESSAGES 20000
#define FAILURES_MAX 5
#define NO_CASE UINT64_MAX

struct run {
	uint64_t seed;
	uint64_t messages;
	int64_t seconds;
	int64_t until;
	uint64_t only;
	struct model_rules rules;
	struct tally *tallies;
};

static void help(void)
{
	fprintf(stderr,
		"usage: fuzz_test [-n MESSAGES] [-t SECONDS] [-s SEED] [-r SEED:CASE]\n"
		"  -n  how many to send in all, %d if not said\n"
		"  -t  how long at most, for ever if not said\n"
		"  -s  what they are made from, 1 if not said\n"
		"  -r  go through one case again, and tell of everything\n",
		sys_quick(MESSAGES));
	exit(1);
}

static void parse(struct run *run, int argc, char **argv)
{
	unsigned long long seed, number;
	int option;

	run->seed = 1;
	run->messages = sys_quick(MESSAGES);
	run->seconds = INT64_MAX / 1000000000 / 2;
	run->only = NO_CASE;
	while ((option = getopt(argc, argv, "n:t:s:r:")) >= 0) {
		if (option == 'n') {
			run->messages = strtoull(optarg, NULL, 0);
		} else if (option == 't') {
			run->seconds = strtoll(optarg, NULL, 0);
		} else if (option == 's') {
			run->seed = strtoull(optarg, NULL, 0);
		} else if (option == 'r' &&
			   sscanf(optarg, "%llu:%llu", &seed, &number) == 2) {
			run->seed = seed;
			run->only = number;
		} else {
			help();
		}
	}
	if (optind < argc || !run->messages)
		help();
}

/* What a mask that is worth knowing about gives */
static bool takes_mask(struct acct_sock *s, const char *mask)
{
	return !acct_register(s, mask) && !acct_deregister(s, mask);
}

/* Before the command is looked up: so it is generic netlink that looks. */
static bool is_strict(struct acct_sock *s)
{
	struct nl_msg *msg = acct_request(s, 99, 0);

	((struct genlmsghdr *)nlmsg_data(nlmsg_hdr(msg)))->reserved = 1;
	return acct_transact(s, msg, NULL, NULL) == -EINVAL;
}

/* What differs from kernel to kernel is not taskacct's to say. */
static void learn(struct run *run, struct acct_sock *s)
{
	struct mask_rules *mask = &run->rules.mask;
	char text[64];

	run->rules.family = s->family;
	run->rules.strict = is_strict(s);
	mask->cpus = (unsigned int)sys_cpus_possible();
	if (mask->cpus > 64)
		ksft_exit_skip("more than 64 CPUs\n");
	mask->possible = UINT64_MAX >> (64 - mask->cpus);
	sys_read("/sys/devices/system/cpu/kernel_max", text, sizeof(text));
	mask->length_max = 100 + 6 * (strtoul(text, NULL, 10) + 1);
	mask->knows_last = takes_mask(s, "N");
	mask->knows_all = takes_mask(s, "all");
	ksft_print_msg("family %u, %u CPUs, lists up to %zu bytes, N %s, all %s, reserved fields %s\n",
		       s->family, mask->cpus, mask->length_max,
		       mask->knows_last ? "known" : "unknown",
		       mask->knows_all ? "known" : "unknown",
		       run->rules.strict ? "checked by the kernel" :
					     "left to the module");
}

/* After whatever was sent, a plain question is answered rightly. */
static bool is_sane(struct acct_sock *s, unsigned int user, struct tally *tally)
{
	const bool allowed = users[user].reach != REACH_NONE;
	struct acct_listener listener;
	struct taskstats st = { 0 };
	struct acct_stat stat;
	int err;

	err = acct_query_pid(s, getpid(), &st);
	if (!err)
		tally->queries++;
	if (err != (allowed ? 0 : -EPERM) ||
	    (allowed && st.ac_pid != (uint32_t)getpid()))
		return false;
	if (!allowed && acct_register(s, "0") != -EPERM)
		return false;
	return !acct_stat_get(s, &stat) &&
	       acct_listener_get(s, &listener) == -ENOENT;
}

static int open_sane(struct acct_sock *s, unsigned int user, uint16_t family)
{
	struct sockaddr_nl addr;
	socklen_t size = sizeof(addr);

	memset(s, 0, sizeof(*s));
	s->kept_end = &s->kept;
	s->family = family;
	s->fd = user_socket(user);
	if (s->fd < 0)
		return s->fd;
	getsockname(s->fd, (struct sockaddr *)&addr, &size);
	s->port = addr.nl_pid;
	return 0;
}

static bool go_through(const struct run *run, const struct talker *talker)
{
	struct tally *tally = talker->tally;
	uint64_t number = talker->user;
	struct acct_sock sane;
	bool ok = true;

	if (open_sane(&sane, talker->user, run->rules.family))
		return false;
	if (run->only != NO_CASE) {
		talk_case(talker, run->only);
		return !tally->failures && is_sane(&sane, talker->user, tally);
	}
	while (ok && tally->messages < run->messages / USERS &&
	       tally->failures < FAILURES_MAX && sys_now_ns() < run->until) {
		talk_case(talker, number);
		number += USERS;
		if (tally->cases % BATCH)
			continue;
		ok = is_sane(&sane, talker->user, tally);
		if (!ok)
			printf("# %s: not sane after case %llu\n",
			       users[talker->user].name,
			       (unsigned long long)number - USERS);
	}
	return ok && !tally->failures && is_sane(&sane, talker->user, tally);
}

/* Its number in the initial pid namespace, which it may be about to leave */
static uint32_t initial_pid(void)
{
	char text[64];
	const char *space;

	if (sys_read("/proc/self/stat", text, sizeof(text)) <= 0)
		return 0;
	space = strchr(text, ' ');
	return space ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static int be_user(const struct run *run, unsigned int user)
{
	const struct talker talker = {
		.rules = &run->rules,
		.user = user,
		.seed = run->seed,
		.tally = &run->tallies[user],
		.verbose = run->only != NO_CASE,
	};
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	err = user_become(user);
	/* Who gave up privilege may look at itself all the same. */
	if (!err && prctl(PR_SET_DUMPABLE, 1))
		err = -errno;
	if (!err)
		err = world_begin(initial_pid());
	if (err) {
		printf("# %s: %s\n", users[user].name, strerror(-err));
		return 1;
	}
	return !go_through(run, &talker);
}

static void add_up(struct tally *sum, const struct tally *tallies)
{
	const size_t n = sizeof(*sum) / sizeof(uint64_t);
	size_t user, i;

	for (user = 0; user < USERS; user++)
		for (i = 0; i < n; i++)
			((uint64_t *)sum)[i] +=
				((const uint64_t *)&tallies[user])[i];
}

static void print_tally(const struct tally *t, int64_t ns)
{
	unsigned int i;

	ksft_print_msg("%llu messages in %llu datagrams in %llu cases: %llu answers, %llu acknowledgements, %llu without either, %llu exits heard, %llu extended records, %llu gaps, %llu batches, %llu answers lost in full queues, %llu cases left as a datagram had taken too long\n",
		       (unsigned long long)t->messages,
		       (unsigned long long)t->datagrams,
		       (unsigned long long)t->cases,
		       (unsigned long long)t->answers,
		       (unsigned long long)t->acks,
		       (unsigned long long)t->silent,
		       (unsigned long long)t->exits,
		       (unsigned long long)t->extended,
		       (unsigned long long)t->gaps,
		       (unsigned long long)t->batches,
		       (unsigned long long)t->lost,
		       (unsigned long long)t->late);
	ksft_print_msg("errors:");
	for (i = 0; i < ERRORS_MAX; i++)
		if (t->errors[i])
			printf(" %llu %s,", (unsigned long long)t->errors[i],
			       strerrorname_np((int)i));
	printf(" in %lld s: %lld messages a second\n",
	       (long long)(ns / 1000000000),
	       (long long)((int64_t)t->messages * 1000 / (ns / 1000000 + 1)));
}

static void run_users(const struct run *run)
{
	pid_t pids[USERS] = { 0 };
	unsigned int user;
	int status;

	fflush(stdout);
	for (user = 0; user < USERS; user++) {
		if (run->only != NO_CASE && run->only % USERS != user)
			continue;
		pids[user] = fork();
		if (!pids[user]) {
			status = be_user(run, user);
			fflush(stdout);
			_exit(status);
		}
	}
	for (user = 0; user < USERS; user++) {
		if (!pids[user])
			continue;
		waitpid(pids[user], &status, 0);
		ksft_test_result(!status && run->tallies[user].cases,
				 "%s%s: %llu messages\n", users[user].name,
				 run->rules.users ? ", uid=1" : "",
				 (unsigned long long)
				 run->tallies[user].messages);
	}
}

/* The module's own statistics, before and after, beside what was done */
static void judge_statistics(const struct acct_stat *before,
			     const struct acct_stat *after,
			     const struct tally *sum)
{
	const uint64_t queries = after->queries - before->queries;

	ksft_print_msg("%llu queries counted, %llu to %llu made\n",
		       (unsigned long long)queries,
		       (unsigned long long)sum->queries,
		       (unsigned long long)(sum->queries + sum->maybe_queries));
	ksft_test_result(queries >= sum->queries &&
				 queries <= sum->queries + sum->maybe_queries,
			 "queries are counted\n");
	ksft_print_msg("%llu exit messages made, %llu delivered, %llu lost\n",
		       (unsigned long long)(after->made - before->made),
		       (unsigned long long)(after->delivered -
					    before->delivered),
		       (unsigned long long)(after->lost_queue -
					    before->lost_queue));
	ksft_test_result(after->made == after->delivered + after->filtered +
			 after->lost_queue + after->lost_memory &&
			 after->delivered - before->delivered >= sum->exits,
			 "exit messages add up\n");
	ksft_test_result(!after->listeners, "nobody is registered\n");
}

static void judge_unload(void)
{
	if (sys_in_vm())
		ksft_test_result(!sys_module_unload() && !sys_module_load(NULL),
				 "the module can be unloaded and loaded\n");
	else
		ksft_test_result_skip("the module is unloaded in a VM only\n");
}

/* All users, with the module as it is loaded */
static void go(struct run *run)
{
	struct acct_stat before, after;
	struct tally sum = { 0 };
	struct acct_sock s;
	int64_t start;

	/* The model has users ask about their own tasks; in-tree has no such choice. */
	sys_write("/sys/module/taskacct/parameters/unprivileged", "1");
	memset(run->tallies, 0, USERS * sizeof(*run->tallies));
	if (acct_open(&s))
		ksft_exit_fail_msg("no family %s\n", acct_family_name());
	learn(run, &s);
	acct_close(&s);
	if (acct_open(&s) || acct_stat_get(&s, &before))
		ksft_exit_fail_msg("no statistics\n");
	start = sys_now_ns();
	run->until = start + run->seconds * 1000000000;
	run_users(run);
	add_up(&sum, run->tallies);
	print_tally(&sum, sys_now_ns() - start);
	if (acct_stat_get(&s, &after))
		ksft_exit_fail_msg("no statistics\n");
	acct_close(&s);
	judge_statistics(&before, &after, &sum);
}

int main(int argc, char **argv)
{
	const unsigned int turns = sys_in_vm() ? 2 : 1;
	struct run run = { 0 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(&run, argc, argv);
	run.messages = (run.messages + turns - 1) / turns;
	run.seconds /= turns;
	ksft_print_header();
	ksft_set_plan(turns * (3 + (run.only == NO_CASE ? USERS : 1)) + 2);
	run.tallies = mmap(NULL, USERS * sizeof(*run.tallies),
			   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	if (run.tallies == MAP_FAILED || world_cgroup())
		ksft_exit_fail_msg("no cgroup of our own\n");
	go(&run);
	if (turns > 1) {
		if (sys_module_unload() || module_insert("uid=1"))
			ksft_exit_fail_msg("cannot load it with uid=1\n");
		run.rules.users = true;
		go(&run);
	}
	judge_unload();
	ksft_test_result(!world_leave_cgroup(), "the cgroup can be removed\n");
	if (ksft_get_fail_cnt())
		ksft_exit_fail();
	ksft_exit_pass();
}
