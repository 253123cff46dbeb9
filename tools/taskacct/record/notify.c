// SPDX-License-Identifier: GPL-2.0-only
/*
 * The protocol of sd_notify(3): a datagram of text to a socket. It is stable, and
 * libsystemd would come with all that it is linked with.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "notify.h"

void notify(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	const size_t length = path ? strlen(path) : 0;
	int fd;

	if (!length || length >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, length);
	/* A name that is no file */
	if (*to.sun_path == '@')
		*to.sun_path = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A manager that does not hear it sees that the watchdog is not fed. */
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}

void notify_alive(void)
{
	if (getenv("WATCHDOG_USEC"))
		notify("WATCHDOG=1");
}
