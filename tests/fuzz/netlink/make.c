// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages: well-formed ones, and those with something wrong: sizes, types,
 * nests, flags, commands, and bytes that nobody asked for.
 */
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "make.h"
#include "maker.h"

#define MESSAGES_MAX 6

/* Numbers of generic netlink's families end here; beyond there are none. */
#define TYPES_END 1024

/* Room for the largest attribute is kept. */
static size_t room(const struct maker *m)
{
	return DATAGRAM_MAX - m->len;
}

static void put_bytes(struct maker *m, const void *data, size_t size)
{
	if (room(m) < NLA_ALIGN(size))
		size = room(m) & ~(size_t)3;
	memset(m->data + m->len, 0, NLA_ALIGN(size));
	if (data)
		memcpy(m->data + m->len, data, size);
	m->len += NLA_ALIGN(size);
}

static void put_noise(struct maker *m, size_t size)
{
	uint64_t noise;
	size_t i, at = m->len;

	put_bytes(m, NULL, size);
	for (i = 0; i + sizeof(noise) <= m->len - at; i += sizeof(noise)) {
		noise = rng_next(m->rng);
		memcpy(m->data + at + i, &noise, sizeof(noise));
	}
}

struct nlattr *maker_put(struct maker *m, unsigned int type, const void *data,
			 size_t size)
{
	struct nlattr *attr = (struct nlattr *)(m->data + m->len);
	const struct nlattr head = {
		.nla_len = (uint16_t)(NLA_HDRLEN + size),
		.nla_type = (uint16_t)type,
	};

	put_bytes(m, &head, sizeof(head));
	if (data)
		put_bytes(m, data, size);
	else
		put_noise(m, size);
	return attr;
}

void maker_close(const struct maker *m, struct nlattr *nest)
{
	nest->nla_len = (uint16_t)(m->data + m->len - (char *)nest);
}

static uint32_t any_id(struct maker *m)
{
	switch (rng_below(m->rng, 8)) {
	case 0:
		return rng_below(m->rng, 4);
	case 1:
		return (uint32_t)rng_next(m->rng);
	case 2:
		return rng_below(m->rng, 2000);
	case 3:
		return UINT32_MAX - rng_below(m->rng, 3);
	default:
		return m->world->tasks[rng_below(m->rng, MAKE_TASKS)];
	}
}

static void put_id(struct maker *m)
{
	uint32_t id = any_id(m);

	maker_put(m, TASKSTATS_CMD_ATTR_PID + rng_below(m->rng, 2), &id,
		  sizeof(id));
}

static size_t add_number(struct maker *m, char *text, size_t size)
{
	static const char *const odd[] = {
		"N", "4294967295", "4294967296", "99999999999999999999999999",
		"8191", "64", "000000", "00000000000000000000000000000001",
	};

	if (rng_one_in(m->rng, 24))
		return (size_t)snprintf(text, size, "%s",
					odd[rng_below(m->rng, 8)]);
	return (size_t)snprintf(text, size, "%u",
				rng_below(m->rng, m->rules->mask.cpus +
				rng_one_in(m->rng, 8)));
}

static size_t add_range(struct maker *m, char *text, size_t size)
{
	size_t n;

	if (rng_one_in(m->rng, 12)) {
		n = (size_t)snprintf(text, size, "%s",
				     rng_one_in(m->rng, 2) ? "all" : "aLL");
	} else {
		n = add_number(m, text, size);
		if (rng_one_in(m->rng, 2))
			return n;
		text[n++] = '-';
		n += add_number(m, text + n, size - n);
	}
	if (rng_one_in(m->rng, 4)) {
		text[n++] = ':';
		n += add_number(m, text + n, size - n);
		text[n++] = '/';
		n += add_number(m, text + n, size - n);
	}
	return n;
}

/* A list, with blanks and what else the kernel may pass over */
static size_t make_list(struct maker *m, char *text, size_t size)
{
	static const char *const between[] = {
		",", ",", ",", ",", " ", ",,", " ,\t", "\n", "\xa0,", "",
	};
	unsigned int i, ranges = 1 + rng_below(m->rng, 4);
	size_t n = 0;

	if (rng_one_in(m->rng, 16))
		ranges = rng_below(m->rng, 40);
	for (i = 0; i < ranges && n + 200 < size; i++) {
		if (i || rng_one_in(m->rng, 8))
			n += (size_t)snprintf(text + n, size - n, "%s",
					      between[rng_below(m->rng, 10)]);
		n += add_range(m, text + n, size - n);
	}
	return n;
}

/* Letters that a list can have, and others, in their place */
static void spoil_list(struct maker *m, char *text, size_t n)
{
	static const char letters[] = "0123456789-,:/Nal\n \t\xa0xX;.+\x80\xff";
	unsigned int i;

	for (i = rng_below(m->rng, 3) + 1; i && n; i--)
		text[rng_below(m->rng, (uint32_t)n)] =
			letters[rng_below(m->rng, sizeof(letters))];
}

static void put_list(struct maker *m, unsigned int type)
{
	size_t n, length_max = m->rules->mask.length_max;
	char text[4096] = "";

	n = make_list(m, text, sizeof(text));
	if (rng_one_in(m->rng, 4))
		spoil_list(m, text, n);
	if (rng_one_in(m->rng, 2))
		n++; /* its NUL */
	if (rng_one_in(m->rng, 8))
		n += rng_below(m->rng, 9); /* and more of them */
	if (rng_one_in(m->rng, 64) && length_max < 60000)
		/* At the limit, and beyond it */
		n = length_max - 2 + rng_below(m->rng, 5);
	if (n <= sizeof(text)) {
		maker_put(m, type, text, n);
	} else if (room(m) > n + 64) {
		/* Blanks are a list, too. */
		struct nlattr *attr = maker_put(m, type, NULL, n);

		memset((char *)attr + NLA_HDRLEN, ' ', n);
		memcpy((char *)attr + NLA_HDRLEN, text, 16);
	}
}

static void put_anything(struct maker *m)
{
	static const uint16_t types[] = {
		0, 1, 2, 3, 4, 5, 6, 9, 16, 17, 18, 19, 20, 21, 255, 0x3fff,
		NLA_F_NESTED | 1, NLA_F_NET_BYTEORDER | 1, NLA_F_NESTED | 3,
		NLA_F_NESTED | 18,
	};
	size_t size = rng_below(m->rng, 20);

	if (rng_one_in(m->rng, 256))
		size = rng_below(m->rng, 60000);
	if (room(m) > size + 64)
		maker_put(m, types[rng_below(m->rng, 20)], NULL, size);
}

/* Nests within nests, closed properly or not */
static void put_nests(struct maker *m)
{
	struct nlattr *nests[8];
	unsigned int i, n = 1 + rng_below(m->rng, 8);

	for (i = 0; i < n; i++)
		nests[i] = maker_put(m, NLA_F_NESTED | rng_below(m->rng, 8),
				     NULL, 0);
	put_id(m);
	for (i = 0; i < n; i++)
		if (!rng_one_in(m->rng, 8))
			maker_close(m, nests[i]);
}

static void put_any_list(struct maker *m)
{
	put_list(m, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK +
		    rng_below(m->rng, 2));
}

/* A classic registration, or one that asks for something */
static void put_registration(struct maker *m)
{
	put_list(m, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK);
	if (rng_one_in(m->rng, 2))
		maker_put_want(m);
	if (rng_one_in(m->rng, 4))
		maker_put_filter(m);
	if (rng_one_in(m->rng, 4))
		maker_put_batch(m);
}

static void put_all_tasks(struct maker *m)
{
	m->nlh->nlmsg_flags |= NLM_F_DUMP;
	if (!rng_one_in(m->rng, 3))
		maker_put_want(m);
	if (rng_one_in(m->rng, 2))
		maker_put_filter(m);
}

static void put_get(struct maker *m)
{
	switch (rng_below(m->rng, 16)) {
	case 0:
		put_all_tasks(m);
		break;
	case 1 ... 8:
		put_id(m);
		if (rng_one_in(m->rng, 2))
			maker_put_want(m);
		break;
	case 9 ... 13:
		put_registration(m);
		break;
	default:
		put_list(m, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
	}
}

/* Root, nobody, nobody at all, and anybody; or all of them */
static void put_uid(struct maker *m)
{
	const uint32_t uids[] = {
		0, 65534, UINT32_MAX, (uint32_t)rng_next(m->rng),
	};
	const uint32_t uid = uids[rng_below(m->rng, 4)];

	if (rng_one_in(m->rng, 4))
		m->nlh->nlmsg_flags |= NLM_F_DUMP;
	else
		maker_put(m, TASKACCT_UID_ATTR_UID, &uid, sizeof(uid));
}

static void put_well_formed(struct maker *m, unsigned int cmd)
{
	if (cmd == TASKACCT_CMD_GET) {
		put_get(m);
	} else if (cmd == TASKACCT_CMD_CGROUP_GET) {
		maker_put_cgroup(m, CGROUPSTATS_CMD_ATTR_FD);
		if (rng_one_in(m->rng, 2))
			maker_put_want(m);
	} else if (cmd == TASKACCT_CMD_UID_GET) {
		put_uid(m);
	}
}

static void put_odd(struct maker *m)
{
	unsigned int n;

	for (n = rng_below(m->rng, 4); n; n--) {
		switch (rng_below(m->rng, 9)) {
		case 0:
			put_id(m);
			break;
		case 1:
			put_any_list(m);
			break;
		case 4:
			maker_put_want(m);
			break;
		case 5:
			maker_put_filter(m);
			break;
		case 6:
			maker_put_batch(m);
			break;
		case 2:
			put_nests(m);
			break;
		case 3:
			put_noise(m, rng_below(m->rng, 24));
			break;
		default:
			put_anything(m);
		}
	}
}

/* The headers, and the first attribute, as they should not be */
static void spoil(struct maker *m)
{
	static const uint16_t flags[] = {
		NLM_F_DUMP, NLM_F_ROOT, NLM_F_MATCH, NLM_F_ATOMIC, NLM_F_MULTI,
		NLM_F_ECHO, NLM_F_REQUEST, 0x8000,
	};
	struct genlmsghdr *genl = NLMSG_DATA(m->nlh);
	struct nlattr *attr = (struct nlattr *)(genl + 1);
	const size_t n = (size_t)(m->data + m->len - (char *)m->nlh);

	switch (rng_below(m->rng, 10)) {
	case 0:
		m->nlh->nlmsg_len = rng_below(m->rng, (uint32_t)n + 64);
		break;
	case 1:
		m->nlh->nlmsg_flags ^= flags[rng_below(m->rng, 8)];
		break;
	case 2:
		m->nlh->nlmsg_type = (uint16_t)rng_next(m->rng);
		break;
	case 3:
		m->nlh->nlmsg_type = (uint16_t)rng_below(m->rng, 16);
		break;
	case 4:
		m->nlh->nlmsg_pid = (uint32_t)rng_next(m->rng);
		break;
	case 5:
		genl->cmd = (uint8_t)rng_below(m->rng, 32);
		break;
	case 6:
		genl->reserved = (uint16_t)rng_next(m->rng);
		break;
	case 7:
		if (n >= 24)
			attr->nla_len = (uint16_t)rng_below(m->rng, 48);
		break;
	case 8:
		if (n >= 24)
			attr->nla_type = (uint16_t)rng_next(m->rng);
		break;
	default:
		((char *)m->nlh)[16 + rng_below(m->rng, (uint32_t)n - 16)] ^=
			(char)(1 << rng_below(m->rng, 8));
	}
}

static void put_message(struct maker *m, uint32_t seq)
{
	static const uint8_t cmds[] = {
		1, 1, 1, 1, 1, 1, 1, 1, 4, 16, 17, 17, 17, 19, 19, 19,
	};
	const bool odd = rng_one_in(m->rng, 2);
	struct genlmsghdr genl = { .version = (uint8_t)rng_next(m->rng) };
	struct nlmsghdr nlh = { .nlmsg_seq = seq };
	unsigned int i;

	genl.cmd = cmds[rng_below(m->rng, sizeof(cmds))];
	nlh.nlmsg_type = m->rules->family;
	nlh.nlmsg_flags = NLM_F_REQUEST;
	if (rng_one_in(m->rng, 2))
		nlh.nlmsg_flags |= NLM_F_ACK;
	if (genl.cmd >= TASKACCT_CMD_LISTENER_GET && rng_one_in(m->rng, 3))
		nlh.nlmsg_flags |= NLM_F_DUMP;
	m->nlh = (struct nlmsghdr *)(m->data + m->len);
	put_bytes(m, &nlh, sizeof(nlh));
	put_bytes(m, &genl, sizeof(genl));
	if (!odd || rng_one_in(m->rng, 2))
		put_well_formed(m, genl.cmd);
	if (odd && rng_one_in(m->rng, 2))
		put_odd(m);
	m->nlh->nlmsg_len = (uint32_t)(m->data + m->len - (char *)m->nlh);
	if (odd)
		for (i = rng_below(m->rng, 3); i; i--)
			spoil(m);
}

/* Other families are not ours to bother. */
static void spare_others(struct maker *m)
{
	size_t at, step;
	struct nlmsghdr *nlh;

	for (at = 0; at + NLMSG_HDRLEN <= m->len; at += step) {
		nlh = (struct nlmsghdr *)(m->data + at);
		if (nlh->nlmsg_len < NLMSG_HDRLEN ||
		    nlh->nlmsg_len > m->len - at)
			return;
		if (nlh->nlmsg_type >= NLMSG_MIN_TYPE &&
		    nlh->nlmsg_type < TYPES_END)
			nlh->nlmsg_type = m->rules->family;
		step = NLMSG_ALIGN(nlh->nlmsg_len);
	}
}

size_t make_datagram(struct rng *rng, const struct model_rules *rules,
		     const struct make_world *world, uint32_t *seq, void *data)
{
	struct maker m = {
		.rng = rng,
		.rules = rules,
		.world = world,
		.data = data,
	};
	unsigned int n = 1;

	if (rng_one_in(rng, 2))
		n += rng_below(rng, MESSAGES_MAX);
	for (; n && room(&m) > 512; n--)
		put_message(&m, (*seq)++);
	if (rng_one_in(rng, 16))
		put_noise(&m, rng_below(rng, 40));
	if (rng_one_in(rng, 16))
		m.len -= rng_below(rng, (uint32_t)m.len);
	spare_others(&m);
	return m.len;
}
