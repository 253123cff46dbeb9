// SPDX-License-Identifier: GPL-2.0-only
/*
 * The protocols of sd_notify(3), a datagram of text to a socket, perhaps with descriptors,
 * and of sd_listen_fds(3), which gives those back. They are stable, and libsystemd would
 * come with all that it is linked with.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "notify.h"

/* The first of the descriptors that are passed */
#define FIRST_FD 3

static socklen_t find_manager(struct sockaddr_un *to)
{
	const char *path = getenv("NOTIFY_SOCKET");
	const size_t length = path ? strlen(path) : 0;

	if (!length || length >= sizeof(to->sun_path))
		return 0;
	to->sun_family = AF_UNIX;
	memcpy(to->sun_path, path, length);
	/* A name that is no file */
	if (*to->sun_path == '@')
		*to->sun_path = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

/* With a descriptor, if that is not -1 */
static void send_state(const char *state, int passed)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec text = { (void *)state, strlen(state) };
	struct sockaddr_un to = { .sun_family = AF_UNSPEC };
	struct msghdr message = { .msg_name = &to,
				  .msg_namelen = find_manager(&to),
				  .msg_iov = &text,
				  .msg_iovlen = 1 };
	int fd;

	if (!message.msg_namelen)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (passed >= 0) {
		memcpy(CMSG_DATA(&control.header), &passed, sizeof(passed));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	/* A manager that does not hear it sees that the watchdog is not fed. */
	sendmsg(fd, &message, MSG_NOSIGNAL);
	close(fd);
}

void notify(const char *state)
{
	send_state(state, -1);
}

/* Not watched: it would wake the manager up as often as its readers. */
void notify_store(int fd, const char *name)
{
	char state[120];

	snprintf(state, sizeof(state), "FDSTORE=1\nFDNAME=%s\nFDPOLL=0", name);
	send_state(state, fd);
}

void notify_discard(const char *name)
{
	char state[120];

	snprintf(state, sizeof(state), "FDSTOREREMOVE=1\nFDNAME=%s", name);
	notify(state);
}

/* One is given at a time, and there is no other. */
int notify_stored(char *name, size_t size)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
	const char *names = getenv("LISTEN_FDNAMES");

	if (!pid || atoi(pid) != getpid() || !n || atoi(n) < 1 || !names ||
	    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC))
		return -1;
	snprintf(name, size, "%.*s", (int)strcspn(names, ":"), names);
	return FIRST_FD;
}

void notify_alive(void)
{
	if (getenv("WATCHDOG_USEC"))
		notify("WATCHDOG=1");
}
