// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receiving: what comes in on the socket, whatever it is, and what becomes of
 * a request meanwhile.
 *
 * The input's first byte says what is asked, the rest are datagrams: a byte of
 * flags, two of length, and the bytes. The library's system calls are ours.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskacct.h>
#include <netlink/netlink.h>

#include "handle.h"
#include "input.h"
#include "taskacct.h"

#define FAMILY 31
#define PORT 4711

/**
 * enum flags - what is done with a datagram
 * @ADDRESSED: its messages get the port and the number that are awaited
 * @OF_FAMILY: and its messages of type 0 the family's
 * @STRANGER: it is from another process
 * @TRUNCATED: it did not fit
 * @OVERFLOW: there is none; the socket tells of an overflow
 * @LATER: it comes with the next call
 */
enum flags {
	ADDRESSED = 1,
	OF_FAMILY = 2,
	STRANGER = 4,
	TRUNCATED = 8,
	OVERFLOW = 16,
	LATER = 32,
};

static struct input in;
static uint32_t seq;
static unsigned int requests;
static uint64_t clock_ns;
static unsigned int may_come;

int fuzz_nl_connect(struct nl_sock *sk, int protocol)
{
	(void)sk;
	assert(protocol == NETLINK_GENERIC);
	return 0;
}

int fuzz_nl_send(struct nl_sock *sk, struct nl_msg *msg)
{
	(void)sk;
	seq = nlmsg_hdr(msg)->nlmsg_seq;
	assert(nlmsg_hdr(msg)->nlmsg_flags & NLM_F_REQUEST);
	assert(++requests <= 10); /* nobody asks for ever */
	return (int)nlmsg_hdr(msg)->nlmsg_len;
}

int fuzz_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)fds;
	assert(n == 1 && timeout > 0);
	clock_ns += in.left ? 1000000 : (uint64_t)timeout * 1000000;
	return in.left > 0;
}

int fuzz_clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	now->tv_sec = (time_t)(clock_ns / 1000000000);
	now->tv_nsec = (long)(clock_ns % 1000000000);
	return 0;
}

static void address(char *data, size_t size, uint8_t flags)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)data;
	int left = (int)size;

	for (; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left)) {
		if (!nlh->nlmsg_type && (flags & OF_FAMILY))
			nlh->nlmsg_type = FAMILY;
		if (flags & ADDRESSED) {
			nlh->nlmsg_pid = PORT;
			nlh->nlmsg_seq = seq;
		}
	}
}

/* What is behind a datagram is not to be read. */
static void deliver(struct mmsghdr *msg, uint8_t flags)
{
	const struct iovec *iov = msg->msg_hdr.msg_iov;
	struct sockaddr_nl *from = msg->msg_hdr.msg_name;
	size_t size = input_u16(&in);

	ASAN_UNPOISON_MEMORY_REGION(iov->iov_base, iov->iov_len);
	if (size > in.left)
		size = in.left;
	if (size > iov->iov_len)
		size = iov->iov_len;
	input_take(&in, iov->iov_base, size);
	address(iov->iov_base, size, flags);
	ASAN_POISON_MEMORY_REGION((char *)iov->iov_base + size,
				  iov->iov_len - size);
	memset(from, 0, sizeof(*from));
	from->nl_pid = flags & STRANGER ? 17 : 0;
	msg->msg_len = (unsigned int)size;
	msg->msg_hdr.msg_flags = flags & TRUNCATED ? MSG_TRUNC : 0;
	if (!(flags & (STRANGER | TRUNCATED)))
		may_come += size / NLMSG_HDRLEN;
}

int fuzz_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags,
		  struct timespec *timeout)
{
	unsigned int i;
	uint8_t what;

	(void)fd;
	(void)flags;
	(void)timeout;
	for (i = 0; i < n && in.left; i++) {
		assert(msgs[i].msg_hdr.msg_namelen ==
		       sizeof(struct sockaddr_nl));
		what = in.data[0];
		if (i && (what & (OVERFLOW | LATER)))
			break;
		input_u8(&in);
		if (what & OVERFLOW) {
			errno = ENOBUFS;
			return -1;
		}
		deliver(&msgs[i], what);
	}
	errno = EAGAIN;
	return i ? (int)i : -1;
}

static void take_event(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	unsigned int *came = arg;
	struct taskacct_gap gap;

	assert(++*came <= may_come);
	assert(!__asan_region_is_poisoned((void *)event->nlh,
					  event->nlh->nlmsg_len));
	if (event->type == TASKACCT_EVENT_GAP)
		taskacct_decode_gap(&gap, event->nlh);
	else
		taskacct_decode_message(&message, event->nlh);
}

static void check_listener(const struct taskacct_listener *listener, void *arg)
{
	(void)arg;
	assert(listener->cpumask);
	assert(memchr(listener->comm, 0, sizeof(listener->comm)));
}

static int ask_query(struct taskacct *ta)
{
	unsigned int answers = 0;
	struct taskacct_classic record;
	int err = taskacct_query(ta, TASKACCT_TGID, 1, &record, take_event,
				 &answers);

	/* The answer was reported, and once. */
	if (!err)
		assert(answers);
	return err;
}

static int ask_register(struct taskacct *ta)
{
	return taskacct_register(ta, "0-1");
}

static int ask_deregister(struct taskacct *ta)
{
	return taskacct_deregister(ta, "0-1");
}

static int ask_listener(struct taskacct *ta)
{
	struct taskacct_listener listener;
	int err = taskacct_listener(ta, &listener);

	if (!err && listener.cpumask)
		check_listener(&listener, NULL);
	taskacct_listener_free(&listener);
	return err;
}

static int ask_listeners(struct taskacct *ta)
{
	return taskacct_listeners(ta, check_listener, NULL);
}

static int ask_extended(struct taskacct *ta)
{
	unsigned int answers = 0;
	int err = taskacct_ask(ta, TASKACCT_PID, 1, TASKACCT_WANT_RECORD,
			       take_event, &answers);

	if (!err)
		assert(answers);
	return err;
}

static int ask_all(struct taskacct *ta)
{
	const struct taskacct_filter filter = {
		.has = 1 << TASKACCT_FILTER_ATTR_FAILED,
	};
	const unsigned int before = requests;
	unsigned int answers = 0;
	bool changed;
	int err = taskacct_dump(ta, TASKACCT_WANT_RECORD, &filter, take_event,
				&answers, &changed);

	/* What was reported is not reported again. */
	assert(requests == before + 1);
	return err;
}

static int ask_subscribe(struct taskacct *ta)
{
	const struct taskacct_batch batch = { .msecs = 10 };

	return taskacct_subscribe(ta, "0-1", TASKACCT_WANT_STREAM, NULL,
				  &batch);
}

static int ask_cgroup(struct taskacct *ta)
{
	struct taskacct_cgroup cgroup;
	int err = taskacct_cgroup(ta, 0, true, &cgroup);

	if (!err && cgroup.has_record)
		assert(memchr(cgroup.record.r.comm, 0,
			      sizeof(cgroup.record.r.comm)));
	return err;
}

static int ask_status(struct taskacct *ta)
{
	struct taskacct_status status;
	int err = taskacct_status(ta, &status);

	assert(memchr(status.hook, 0, sizeof(status.hook)));
	return err;
}

static int listen_on(struct taskacct *ta)
{
	int n;

	do {
		n = taskacct_receive(ta);
		assert(n <= 32);
	} while (n > 0 || n == -ENOBUFS);
	return n;
}

/* One for all runs: its buffers take longer to make than a run. */
static struct taskacct *handle(void)
{
	static struct taskacct *ta;
	struct ta_rx *rx = ta ? ta->rx : ta_rx_alloc();

	free(ta);
	ta = calloc(1, sizeof(*ta));
	assert(ta && rx);
	ta->fd = -1;
	ta->portid = PORT;
	ta->family = (struct ta_family){ .name = "TASKACCT",
					 .id = FAMILY,
					 .counts = true,
					 .has_records = true };
	ta->rx = rx;
	return ta;
}

static void try_open(void)
{
	struct taskacct *ta;
	int err = taskacct_open(&ta, "TASKACCT");

	assert(ta);
	assert(err < 0 ? *taskacct_error(ta) : !err);
	if (!err)
		assert(taskacct_family_message(ta) &&
		       memchr(taskacct_family(ta), 0, TA_FAMILY_MAX));
	taskacct_close(ta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int (*const asks[])(struct taskacct *ta) = {
		ask_query,    ask_register,  ask_deregister, ask_listener,
		ask_listeners, ask_status,   listen_on,	     NULL,
		ask_extended, ask_all,	     ask_subscribe,  ask_cgroup,
	};
	const size_t n = sizeof(asks) / sizeof(*asks);
	unsigned int came = 0;
	struct taskacct *ta;
	size_t what;
	int err;

	in = (struct input){ data, size };
	requests = 0;
	may_come = 0;
	clock_ns = 1700000000000000000;
	what = input_u8(&in) % n;
	if (!asks[what]) {
		try_open();
		return 0;
	}
	ta = handle();
	taskacct_set_handler(ta, take_event, &came);
	err = asks[what](ta);
	assert(err < 0 ? *taskacct_error(ta) : !err);
	/* What is left comes in later; a request does not keep it. */
	listen_on(ta);
	assert(!in.left);
	return 0;
}
