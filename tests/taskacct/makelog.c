// SPDX-License-Identifier: GPL-2.0-only
/*
 * makelog FILE: write a log of records that standard input describes, a line
 * for each, with libtaskacct's writer
 *
 *	process pid=100 comm=cc1 uid=33 life=2s end=5s on_cpu=1500000000 ...
 *	task ...	a task's record alone
 *	gap lost=7 since=3s end=4s
 *
 * life, end and since are in seconds and fractions; end counts from 22:00:00
 * UTC on 2026-11-25, when the machine had been up for 1,000 s. Other numbers
 * are as the record has them. off=GROUP makes that group's values invalid,
 * args has arguments with | between them. classic=1 makes it taskstats' own.
 * %20 is a blank, and so on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "taskacct_log.h"

#define FAMILY 31
#define SECOND UINT64_C(1000000000)
#define BASE (UINT64_C(1795644000) * SECOND)
#define UPTIME (1000 * SECOND)

#define ALL_GROUPS ((UINT64_C(1) << __TASKACCT_HAS_MAX) - 1)

/* A line of the description */
struct line {
	struct taskacct_record r;
	struct taskacct_wait wait[TASKACCT_WAITS];
	const char *exe;
	const char *cgroup;
	char *args;
	uint64_t life;
	uint64_t lost;
	uint64_t since;
	int classic;
};

#define PLACE(member) \
	{ #member, offsetof(struct line, r.member), \
	  sizeof(((struct taskacct_record *)NULL)->member) }
#define WAIT(name, kind, part) \
	{ "wait_" name, \
	  offsetof(struct line, wait[TASKACCT_WAIT_##kind].part), 8 }
#define WAITS(name, kind)                                               \
	WAIT(name "_count", kind, count), WAIT(name "_total", kind, total), \
		WAIT(name "_max", kind, max), WAIT(name "_min", kind, min)

static const struct place {
	const char *name;
	size_t offset;
	size_t size;
} places[] = {
	PLACE(pid), PLACE(tgid), PLACE(ppid), PLACE(uid), PLACE(gid),
	PLACE(flags), PLACE(nice), PLACE(exit_code), PLACE(threads),
	PLACE(utime), PLACE(stime), PLACE(runtime), PLACE(on_cpu),
	PLACE(min_flt), PLACE(maj_flt), PLACE(nvcsw), PLACE(nivcsw),
	PLACE(rchar), PLACE(wchar), PLACE(syscr), PLACE(syscw),
	PLACE(read_bytes), PLACE(write_bytes),
	PLACE(peak_rss), PLACE(rss_anon), PLACE(rss_file), PLACE(swap),
	PLACE(init_pid), PLACE(init_tgid), PLACE(init_ppid),
	PLACE(euid), PLACE(egid), PLACE(loginuid), PLACE(cpu),
	PLACE(pid_ns), PLACE(exe_dev), PLACE(exe_ino),
	PLACE(group_exit_code), PLACE(signal),
	PLACE(cancelled_write_bytes), PLACE(peak_vm), PLACE(rss_shmem),
	PLACE(rss_time), PLACE(vm_time), PLACE(migrations),
	WAITS("cpu", CPU), WAITS("blkio", BLKIO), WAITS("swapin", SWAPIN),
	WAITS("freepages", FREEPAGES), WAITS("thrashing", THRASHING),
	WAITS("compact", COMPACT), WAITS("wpcopy", WPCOPY), WAITS("irq", IRQ),
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "makelog: %s: %s\n", what, why);
	exit(1);
}

static void set_number(struct line *l, const char *key, const char *value)
{
	uint64_t n = strtoull(value, NULL, 0);
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (strcmp(places[i].name, key))
			continue;
		memcpy((char *)l + places[i].offset, &n, places[i].size);
		return;
	}
	fail(key, "no such member");
}

static uint64_t seconds(const char *value)
{
	return (uint64_t)(strtod(value, NULL) * 1e6 + 0.5) * 1000;
}

static void switch_off(struct line *l, const char *name)
{
	unsigned int bit;

	for (bit = 0; bit < __TASKACCT_HAS_MAX; bit++) {
		if (strcmp(taskacct_group_name(bit), name))
			continue;
		l->r.valid &= ~(UINT64_C(1) << bit);
		l->r.off |= UINT64_C(1) << bit;
		return;
	}
	fail(name, "no such group");
}

static void decode(char *text)
{
	char digits[3] = "";
	char *to = text;

	for (; *text; text++, to++) {
		*to = *text;
		if (*text != '%' || !text[1] || !text[2])
			continue;
		memcpy(digits, text + 1, 2);
		*to = (char)strtoul(digits, NULL, 16);
		text += 2;
	}
	*to = '\0';
}

static void set(struct line *l, const char *key, char *value)
{
	if (!strcmp(key, "comm"))
		strncpy(l->r.comm, value, sizeof(l->r.comm) - 1);
	else if (!strcmp(key, "exe"))
		l->exe = value;
	else if (!strcmp(key, "cgroup"))
		l->cgroup = value;
	else if (!strcmp(key, "args"))
		l->args = value;
	else if (!strcmp(key, "life"))
		l->life = seconds(value);
	else if (!strcmp(key, "end"))
		l->r.end = UPTIME + seconds(value);
	else if (!strcmp(key, "since"))
		l->since = UPTIME + seconds(value);
	else if (!strcmp(key, "lost"))
		l->lost = strtoull(value, NULL, 0);
	else if (!strcmp(key, "off"))
		switch_off(l, value);
	else if (!strcmp(key, "classic"))
		l->classic = 1;
	else
		set_number(l, key, value);
}

static struct nl_msg *generic(int type, int cmd)
{
	struct genlmsghdr genl = { .cmd = (uint8_t)cmd };
	struct nl_msg *msg = nlmsg_alloc();

	nlmsg_put(msg, 0, 0, type, 0, 0);
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	return msg;
}

static void put_args(struct nl_msg *msg, char *args)
{
	char text[4096], *part, *rest;
	size_t n = 0;

	for (part = strtok_r(args, "|", &rest); part;
	     part = strtok_r(NULL, "|", &rest)) {
		decode(part);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", part) +
		     1;
	}
	nla_put(msg, TASKACCT_TYPE_CMDLINE, (int)n, text);
}

/* Of taskstats' struct, version 14, what tests look at */
static void put_classic(struct nl_msg *msg, const struct line *l)
{
	struct nlattr *nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_PID);
	struct taskstats st = { .version = 14 };

	st.ac_exitcode = l->r.exit_code;
	memcpy(st.ac_comm, l->r.comm, sizeof(l->r.comm));
	st.ac_uid = l->r.uid;
	st.ac_pid = l->r.pid;
	st.ac_ppid = l->r.ppid;
	st.ac_etime = l->life / 1000;
	st.cpu_run_virtual_total = l->r.runtime;
	st.ac_flag = 0x20; /* AGROUP: the last of its process */
	nla_put_u32(msg, TASKSTATS_TYPE_PID, l->r.pid);
	nla_put(msg, TASKSTATS_TYPE_STATS, sizeof(st), &st);
	nla_nest_end(msg, nest);
}

static void put_waits(struct nl_msg *msg, const struct line *l)
{
	struct nlattr *nest = nla_nest_start(msg, TASKACCT_TYPE_WAITS);
	int i;

	for (i = 0; i < TASKACCT_WAITS; i++) {
		nla_put(msg, TASKACCT_WAITS_ATTR_PAD, 0, NULL);
		nla_put(msg, TASKACCT_WAITS_ATTR_CPU + i, sizeof(l->wait[i]),
			&l->wait[i]);
	}
	nla_nest_end(msg, nest);
}

static struct nl_msg *record_message(struct line *l)
{
	const struct taskacct_stream stream = { .seq = 1 };
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_NEW);

	l->r.start = l->r.end - l->life;
	l->r.real_end = BASE + l->r.end - UPTIME;
	if (!l->r.tgid)
		l->r.tgid = l->r.pid;
	if (l->classic) {
		put_classic(msg, l);
		return msg;
	}
	nla_put(msg, TASKACCT_TYPE_RECORD, sizeof(l->r), &l->r);
	put_waits(msg, l);
	nla_put(msg, TASKACCT_TYPE_STREAM, sizeof(stream), &stream);
	if (l->exe)
		nla_put_string(msg, TASKACCT_TYPE_EXE_PATH, l->exe);
	if (l->cgroup)
		nla_put_string(msg, TASKACCT_TYPE_CGROUP_PATH, l->cgroup);
	if (l->args)
		put_args(msg, l->args);
	return msg;
}

static struct nl_msg *gap_message(const struct line *l)
{
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_GAP);

	nla_put_u64(msg, TASKACCT_GAP_ATTR_QUEUE, l->lost);
	nla_put_u64(msg, TASKACCT_GAP_ATTR_MEMORY, 0);
	nla_put_string(msg, TASKACCT_GAP_ATTR_CPUMASK, "0-1");
	nla_put_u64(msg, TASKACCT_GAP_ATTR_SINCE, l->since);
	return msg;
}

static void begin(struct taskacct_log *log)
{
	struct nl_msg *msg = generic(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);

	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, FAMILY);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, "TASKACCT");
	if (taskacct_log_begin(log, nlmsg_hdr(msg)))
		fail("log", taskacct_log_error(log));
	nlmsg_free(msg);
}

static void write_line(struct taskacct_log *log, char *text)
{
	struct line l = { .r = { .version = TASKACCT_RECORD_VERSION,
				 .size = sizeof(struct taskacct_record),
				 .valid = ALL_GROUPS } };
	char *word = strtok(text, " \t\n"), *pair, *value;
	const int is_gap = !strcmp(word, "gap");
	struct nl_msg *msg;

	l.r.kind = strcmp(word, "task") ? TASKACCT_KIND_PROCESS :
					  TASKACCT_KIND_TASK;
	l.r.flags = TASKACCT_RECORD_ENDED;
	while ((pair = strtok(NULL, " \t\n"))) {
		value = strchr(pair, '=');
		if (!value)
			fail(pair, "no value");
		*value++ = '\0';
		set(&l, pair, value);
	}
	msg = is_gap ? gap_message(&l) : record_message(&l);
	if (taskacct_log_message(log, nlmsg_hdr(msg),
				 BASE + l.r.end - UPTIME))
		fail("log", taskacct_log_error(log));
	nlmsg_free(msg);
}

int main(int argc, char **argv)
{
	struct taskacct_torn torn;
	struct taskacct_log *log;
	char text[8192];

	if (argc != 2)
		fail("usage", "makelog FILE");
	if (taskacct_log_open(&log, argv[1], &torn))
		fail(argv[1], taskacct_log_error(log));
	begin(log);
	while (fgets(text, sizeof(text), stdin))
		if (*text != '#' && *text != '\n')
			write_line(log, text);
	if (taskacct_log_close(log))
		fail(argv[1], "cannot be written");
	return 0;
}
