// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small client without libraries, built for 64 and for 32 bits
 *
 *	record layout			where each member of the struct lies
 *	record FAMILY pid|tgid ID	an answer, byte by byte
 *	record FAMILY listen COMM	say "ready", then the first exit message of
 *					a task of that name, in the same way
 *
 * Ages are left out, or no two answers were alike.
 */
#include <errno.h>
#include <error.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>

#define MEMBER(name) { #name, offsetof(struct taskstats, name), \
		       sizeof(((struct taskstats *)0)->name) }

static const struct {
	const char *name;
	size_t offset;
	size_t size;
} members[] = {
	MEMBER(version), MEMBER(ac_exitcode), MEMBER(ac_flag), MEMBER(ac_nice),
	MEMBER(cpu_count), MEMBER(cpu_delay_total), MEMBER(blkio_count),
	MEMBER(blkio_delay_total), MEMBER(swapin_count),
	MEMBER(swapin_delay_total), MEMBER(cpu_run_real_total),
	MEMBER(cpu_run_virtual_total), MEMBER(ac_comm), MEMBER(ac_sched),
	MEMBER(ac_pad), MEMBER(ac_uid), MEMBER(ac_gid), MEMBER(ac_pid),
	MEMBER(ac_ppid), MEMBER(ac_btime), MEMBER(ac_etime), MEMBER(ac_utime),
	MEMBER(ac_stime), MEMBER(ac_minflt), MEMBER(ac_majflt), MEMBER(coremem),
	MEMBER(virtmem), MEMBER(hiwater_rss), MEMBER(hiwater_vm),
	MEMBER(read_char), MEMBER(write_char), MEMBER(read_syscalls),
	MEMBER(write_syscalls), MEMBER(read_bytes), MEMBER(write_bytes),
	MEMBER(cancelled_write_bytes), MEMBER(nvcsw), MEMBER(nivcsw),
	MEMBER(ac_utimescaled), MEMBER(ac_stimescaled),
	MEMBER(cpu_scaled_run_real_total), MEMBER(freepages_count),
	MEMBER(freepages_delay_total), MEMBER(thrashing_count),
	MEMBER(thrashing_delay_total), MEMBER(ac_btime64), MEMBER(compact_count),
	MEMBER(compact_delay_total), MEMBER(ac_tgid), MEMBER(ac_tgetime),
	MEMBER(ac_exe_dev), MEMBER(ac_exe_inode), MEMBER(wpcopy_count),
	MEMBER(wpcopy_delay_total),
};

struct message {
	struct nlmsghdr n;
	struct genlmsghdr g;
	char payload[8192];
};

static int sock;

static void print_layout(void)
{
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		printf("%s %zu %zu\n", members[i].name, members[i].offset,
		       members[i].size);
	printf("end %zu\n", sizeof(struct taskstats));
	printf("version %d\n", TASKSTATS_VERSION);
}

static struct nlattr *inside(struct nlattr *attr)
{
	return (struct nlattr *)((char *)attr + NLA_HDRLEN);
}

static struct nlattr *behind(struct nlattr *attr)
{
	return (struct nlattr *)((char *)attr + NLA_ALIGN(attr->nla_len));
}

static void request(int type, int cmd, int attr_type, const void *data,
		    size_t size)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct message m = { .n.nlmsg_type = type };
	struct nlattr *attr = (struct nlattr *)m.payload;

	m.n.nlmsg_flags = NLM_F_REQUEST;
	m.n.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(NLA_HDRLEN + size);
	m.g.cmd = cmd;
	m.g.version = 1;
	attr->nla_type = attr_type;
	attr->nla_len = NLA_HDRLEN + size;
	memcpy(inside(attr), data, size);
	if (sendto(sock, &m, m.n.nlmsg_len, 0, (struct sockaddr *)&kernel,
		   sizeof(kernel)) < 0)
		error(2, errno, "sendto");
}

/* Returns the first attribute of what came */
static struct nlattr *answer(struct message *m)
{
	if (recv(sock, m, sizeof(*m), 0) < 0)
		error(2, errno, "recv");
	if (m->n.nlmsg_type == NLMSG_ERROR)
		error(2, -*(int *)NLMSG_DATA(&m->n), "refused");
	return (struct nlattr *)m->payload;
}

static int family_of(const char *name)
{
	struct message m;
	struct nlattr *attr;

	request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, name,
		strlen(name) + 1);
	for (attr = answer(&m); attr->nla_type != CTRL_ATTR_FAMILY_ID;
	     attr = behind(attr))
		;
	return *(uint16_t *)inside(attr);
}

static struct nlattr *stats_of(struct nlattr *nest)
{
	struct nlattr *attr = inside(nest);

	while (attr->nla_type != TASKSTATS_TYPE_STATS)
		attr = behind(attr);
	return attr;
}

static void print_record(struct nlattr *nest)
{
	size_t size = stats_of(nest)->nla_len - NLA_HDRLEN, i;
	unsigned char *at = (unsigned char *)inside(stats_of(nest));

	memset(at + offsetof(struct taskstats, ac_etime), 0, 8);
	memset(at + offsetof(struct taskstats, ac_tgetime), 0, 8);
	printf("nest %d of %d, record of %zu", nest->nla_type, nest->nla_len,
	       size);
	for (i = 0; i < size; i++)
		printf("%s%02x", i % 32 ? "" : "\n", at[i]);
	putchar('\n');
}

/* Kernels before 5.12 do not know the list "all". */
static void listen_on_all_cpus(int family)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "r");
	char list[64];

	if (!file || fscanf(file, "%63s", list) != 1)
		error(2, errno, "CPUs");
	fclose(file);
	request(family, TASKSTATS_CMD_GET,
		TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, list, strlen(list) + 1);
}

static void listen_for(const char *comm)
{
	struct message m;
	struct nlattr *attr;
	char *name;

	puts("ready");
	fflush(stdout);
	do {
		attr = answer(&m);
		name = (char *)inside(stats_of(attr)) +
		       offsetof(struct taskstats, ac_comm);
	} while (strcmp(name, comm));
	print_record(attr);
}

int main(int argc, char **argv)
{
	struct message m;
	uint32_t id;
	int family;

	if (argc == 2 && !strcmp(argv[1], "layout")) {
		print_layout();
		return 0;
	}
	if (argc != 4)
		error(1, 0, "usage: layout | FAMILY pid|tgid|listen ARG");
	sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (sock < 0)
		error(2, errno, "socket");
	family = family_of(argv[1]);
	if (!strcmp(argv[2], "listen")) {
		listen_on_all_cpus(family);
		listen_for(argv[3]);
		return 0;
	}
	id = strtoul(argv[3], NULL, 10);
	request(family, TASKSTATS_CMD_GET,
		strcmp(argv[2], "tgid") ? TASKSTATS_CMD_ATTR_PID :
					  TASKSTATS_CMD_ATTR_TGID,
		&id, sizeof(id));
	print_record(answer(&m));
	return 0;
}
