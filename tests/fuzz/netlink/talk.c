// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases. Netlink answers before send() returns, so that all there is to come
 * is there when the next thing is done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "acct.h"
#include "make.h"
#include "sys.h"
#include "talk.h"
#include "user.h"
#include "work.h"
#include "world.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

#define SOCKS 3
#define STEPS_MAX 24
#define ANSWER_MAX (256 << 10)

/**
 * struct talk - a case at hand
 * @who: whose
 * @number: which
 * @rng: its chance
 * @seq: number of the next message
 * @socks: sockets; @fd is negative where there is none
 * @late: it cannot go on, see struct judge
 * @why: what is wrong, or empty
 */
struct talk {
	const struct talker *who;
	uint64_t number;
	struct rng rng;
	uint32_t seq;
	struct model_sock socks[SOCKS];
	bool late;
	char why[512];
};

static char datagram[DATAGRAM_MAX] __attribute__((aligned(4)));
static char answer[ANSWER_MAX] __attribute__((aligned(4)));

static void reported(struct talk *talk, const char *why)
{
	if (!talk->why[0])
		snprintf(talk->why, sizeof(talk->why), "%s", why);
}

static void hexdump(const char *what, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	size_t i;

	printf("# %s, %zu bytes", what, size);
	for (i = 0; i < size && i < 512; i++)
		printf("%s%02x", i % 32 ? " " : "\n#   ", bytes[i]);
	printf("\n");
}

static uint32_t port_of(int fd)
{
	struct sockaddr_nl addr;
	socklen_t size = sizeof(addr);

	getsockname(fd, (struct sockaddr *)&addr, &size);
	return addr.nl_pid;
}

static void open_sock(struct talk *talk, struct model_sock *sock)
{
	const struct user *user = &users[talk->who->user];
	int off = 0, on = 1, size;

	memset(sock, 0, sizeof(*sock));
	sock->reach = user->reach;
	sock->users = user->users;
	sock->numbered = user->numbered;
	sock->fd = user_socket(talk->who->user);
	if (sock->fd < 0) {
		reported(talk, "cannot open a socket");
		return;
	}
	sock->port = port_of(sock->fd);
	sock->netns = world.netns;
	sock->cap_ack = rng_one_in(&talk->rng, 2);
	sock->ext_ack = !rng_one_in(&talk->rng, 4);
	sock->tight = rng_one_in(&talk->rng, 8);
	if (sock->cap_ack)
		setsockopt(sock->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on,
			   sizeof(on));
	if (!sock->ext_ack)
		setsockopt(sock->fd, SOL_NETLINK, NETLINK_EXT_ACK, &off,
			   sizeof(off));
	/* A dump takes 64 KiB, and several may be asked for at once. */
	size = sock->tight ? 1 : user->forces ? 2 << 20 : 212992;
	if (sock->tight || !user->forces)
		setsockopt(sock->fd, SOL_SOCKET, SO_RCVBUF, &size,
			   sizeof(size));
	else
		setsockopt(sock->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
			   sizeof(size));
}

static void close_sock(struct model_sock *sock)
{
	if (sock->fd >= 0)
		close(sock->fd);
	sock->fd = -1;
}

static void take(struct talk *talk, struct judge *judge, size_t size)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)answer;
	const uint64_t exits = judge->sock->stream.received;
	size_t left = size;

	if (talk->who->verbose)
		hexdump("answer", answer, size);
	while (left) {
		if (left < NLMSG_HDRLEN || nlh->nlmsg_len < NLMSG_HDRLEN ||
		    nlh->nlmsg_len > left) {
			reported(talk, "a datagram that is no message");
			return;
		}
		judge_message(judge, nlh);
		if (judge->late)
			return;
		if (NLMSG_ALIGN(nlh->nlmsg_len) >= left)
			break;
		left -= NLMSG_ALIGN(nlh->nlmsg_len);
		nlh = (const struct nlmsghdr *)
			((const char *)nlh + NLMSG_ALIGN(nlh->nlmsg_len));
	}
	judge_datagram(judge, size, judge->sock->stream.received - exits);
}

/* Reads until nothing more is there. */
static void drain(struct talk *talk, struct judge *judge)
{
	struct model_sock *sock = judge->sock;
	ssize_t n;

	for (;;) {
		n = recv(sock->fd, answer, sizeof(answer),
			 MSG_DONTWAIT | MSG_TRUNC);
		if (n > (ssize_t)sizeof(answer))
			reported(talk, "an answer of more than 256 KiB");
		else if (n >= 0)
			take(talk, judge, (size_t)n);
		else if (errno == EAGAIN)
			return;
		else if (errno != ENOBUFS)
			reported(talk, strerror(errno));
		else
			judge->overflow = true;
		/* It may take a while until it is as before. */
		sock->tight |= judge->overflow;
		if (talk->why[0] || judge->why[0] || judge->late)
			return;
	}
}

static void start_judge(struct judge *judge, struct talk *talk,
			struct model_sock *sock)
{
	judge->rules = talk->who->rules;
	judge->sock = sock;
	judge->others = talk->socks;
	judge->n_others = SOCKS;
	judge->pid = world.pid;
	judge->received = sock->stream.received;
	judge->took_ns = 0;
	judge->late = false;
	judge->overflow = false;
	judge->tally = talk->who->tally;
	judge->why[0] = '\0';
	judge->n = 0;
}

/* Which of its queries were made is not known. */
static void leave(struct talk *talk, const struct judge *judge)
{
	unsigned int i;

	for (i = 0; i < judge->n; i++)
		talk->who->tally->maybe_queries +=
			judge->expected[i].answer == ANSWER_RECORD;
}

/* Sends what is in the buffer; looks at what comes if it is to be looked at. */
static void send_datagram(struct talk *talk, struct model_sock *sock,
			  size_t size, bool look)
{
	struct tally *tally = talk->who->tally;
	static struct judge judge;
	int64_t begin;

	start_judge(&judge, talk, sock);
	judge.n = model_predict(talk->who->rules, sock, datagram, size,
				judge.expected);
	tally->datagrams++;
	tally->messages += judge.n ? judge.n : 1;
	if (talk->who->verbose)
		hexdump("datagram", datagram, size);
	begin = sys_now_ns();
	if (send(sock->fd, datagram, size, 0) != (ssize_t)size) {
		reported(talk, "cannot send");
		return;
	}
	judge.took_ns = sys_now_ns() - begin;
	if (look)
		drain(talk, &judge);
	/* Whoever closes it at once is not told what became of it. */
	if (!look || judge.late)
		leave(talk, &judge);
	else
		judge_end(&judge);
	talk->late = judge.late;
	reported(talk, judge.why);
}

static size_t make(struct talk *talk)
{
	return make_datagram(&talk->rng, talk->who->rules, &world.asks,
			     &talk->seq, datagram);
}

static int gone_at_once(void *arg)
{
	return *(const int *)arg;
}

/* Processes that end: something to hear of */
static void some_exits(struct talk *talk)
{
	unsigned int n = 1 + rng_below(&talk->rng, 3);
	static void *stack;
	pid_t pid;
	int code;

	if (!stack)
		stack = work_stacks(1);
	if (rng_one_in(&talk->rng, 4))
		n *= 8; /* More than a small buffer takes */
	for (; n; n--) {
		code = (int)rng_below(&talk->rng, 2);
		pid = work_raw_process(gone_at_once, &code, stack);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static char *put_plain(char *at, uint16_t type, const void *data, size_t size)
{
	const struct nlattr head = {
		.nla_len = (uint16_t)(NLA_HDRLEN + size),
		.nla_type = type,
	};

	memcpy(at, &head, sizeof(head));
	memcpy(at + NLA_HDRLEN, data, size);
	return at + NLA_ALIGN(head.nla_len);
}

/* A GET with a list of CPUs; or where something is wanted a SUBSCRIBE */
static size_t plain(struct talk *talk, uint16_t type, uint64_t mask,
		    uint32_t want)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)datagram;
	struct genlmsghdr *genl = NLMSG_DATA(nlh);
	char *at = (char *)(genl + 1), list[128];

	memset(datagram, 0, 256);
	mask_print(list, sizeof(list), mask);
	at = put_plain(at, want ? TASKACCT_CMD_ATTR_CPUMASK : type, list,
		       strlen(list) + 1);
	if (want)
		at = put_plain(at, TASKACCT_CMD_ATTR_WANT, &want, sizeof(want));
	nlh->nlmsg_len = (uint32_t)(at - datagram);
	nlh->nlmsg_type = talk->who->rules->family;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	nlh->nlmsg_seq = talk->seq++;
	genl->cmd = want ? TASKACCT_CMD_SUBSCRIBE : TASKACCT_CMD_GET;
	return nlh->nlmsg_len;
}

static void read_exits(struct talk *talk, struct model_sock *sock)
{
	static struct judge judge;

	start_judge(&judge, talk, sock);
	drain(talk, &judge);
	reported(talk, judge.why);
}

/* More exits than there is room for, and time to be told of the lost ones */
static void lose_some(struct talk *talk, struct model_sock *sock)
{
	const int size = 1;
	unsigned int n;

	setsockopt(sock->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	sock->tight = true;
	send_datagram(talk, sock,
		      plain(talk, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK,
			    talk->who->rules->mask.possible,
			    TASKACCT_WANT_STREAM | TASKACCT_WANT_RECORD), true);
	for (n = 0; n < 3 && !talk->why[0]; n++) {
		some_exits(talk);
		read_exits(talk, sock);
		usleep(20000);
	}
	if (!talk->why[0])
		read_exits(talk, sock);
}

/* An exit that is under way on another CPU is received after deregistration. */
static uint64_t take_late(struct acct_sock *s)
{
	struct acct_kept *kept;
	uint64_t n = 0;
	uint8_t cmd;

	while ((kept = s->kept)) {
		s->kept = kept->next;
		cmd = ((struct genlmsghdr *)NLMSG_DATA(&kept->nlh))->cmd;
		n += cmd == TASKACCT_CMD_NEW || cmd == TASKACCT_CMD_EXIT;
		free(kept);
	}
	return n;
}

/*
 * The way a listener that counts ends: it deregisters, reads what is there,
 * and asks; it has received what was delivered.
 */
static void end_orderly(struct talk *talk, struct model_sock *sock)
{
	struct acct_listener statistics;
	struct acct_sock s = { .fd = sock->fd, .port = sock->port };
	uint64_t late;
	int err;

	if (sock->mask)
		send_datagram(talk, sock,
			      plain(talk, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK,
				    sock->mask, 0), true);
	if (talk->why[0] || !sock->listener || sock->tight)
		return;
	s.family = talk->who->rules->family;
	s.kept_end = &s.kept;
	err = acct_listener_get(&s, &statistics);
	late = take_late(&s);
	if (err || statistics.cpumask[0] || statistics.waiting ||
	    statistics.delivered < sock->stream.received ||
	    statistics.delivered > sock->stream.received + late)
		snprintf(talk->why, sizeof(talk->why),
			 "at the end: error %d, hears '%s', delivered %llu, received %llu and late %llu",
			 err, statistics.cpumask,
			 (unsigned long long)statistics.delivered,
			 (unsigned long long)sock->stream.received,
			 (unsigned long long)late);
}

static void step(struct talk *talk)
{
	struct model_sock *sock = &talk->socks[rng_below(&talk->rng, SOCKS)];
	const uint32_t what = rng_below(&talk->rng, 64);

	if (sock->fd < 0)
		open_sock(talk, sock);
	if (talk->why[0])
		return;
	if (what < 48) {
		send_datagram(talk, sock, make(talk), true);
	} else if (what < 50) {
		send_datagram(talk, sock, make(talk), false);
		close_sock(sock);
	} else if (what < 52) {
		close_sock(sock);
	} else if (what < 55) {
		end_orderly(talk, sock);
		close_sock(sock);
	} else if (what < 63) {
		some_exits(talk);
	} else {
		lose_some(talk, sock);
	}
}

int talk_case(const struct talker *talker, uint64_t number)
{
	struct talk talk = { .who = talker, .number = number, .seq = 1 };
	unsigned int i, steps;

	rng_of_case(&talk.rng, talker->seed, number);
	for (i = 0; i < SOCKS; i++)
		talk.socks[i].fd = -1;
	steps = 2 + rng_below(&talk.rng, STEPS_MAX);
	for (i = 0; i < steps && !talk.why[0] && !talk.late; i++)
		step(&talk);
	for (i = 0; i < SOCKS && !talk.why[0] && !talk.late; i++)
		if (talk.socks[i].fd >= 0 && rng_one_in(&talk.rng, 2))
			end_orderly(&talk, &talk.socks[i]);
	for (i = 0; i < SOCKS; i++)
		close_sock(&talk.socks[i]);
	talker->tally->cases++;
	talker->tally->late += talk.late;
	if (!talk.why[0])
		return 0;
	talker->tally->failures++;
	printf("# %s: case %llu:%llu: %s\n", users[talker->user].name,
	       (unsigned long long)talker->seed, (unsigned long long)number,
	       talk.why);
	fflush(stdout);
	return 1;
}
