// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two that race with each other with all privilege, and six that have less of
 * it, or live elsewhere
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acct.h"
#include "user.h"

#define NOBODY 65534

enum {
	ROOT,
	ROOT_TOO,
	ROOT_OF_NETNS,
	NOBODY_AT_ALL,
	NOBODY_WITH_ROOTS_SOCKET,
	ROOT_WITH_NOBODYS_SOCKET,
	ROOT_OF_USERNS,
	ROOT_OF_PIDNS,
};

const struct user users[USERS] = {
	[ROOT] = { "root", REACH_ALL, true, REACH_ALL, true },
	[ROOT_TOO] = { "root, at the same time", REACH_ALL, true, REACH_ALL,
		       true },
	[ROOT_OF_NETNS] = { "root in a network namespace", REACH_ALL, true,
			    REACH_ALL, true },
	[NOBODY_AT_ALL] = { "nobody", REACH_OWN, false, REACH_OWN, true },
	[NOBODY_WITH_ROOTS_SOCKET] = { "nobody, on sockets of root", REACH_NONE,
				       false, REACH_NONE, true },
	[ROOT_WITH_NOBODYS_SOCKET] = { "root, on sockets of nobody", REACH_NONE,
				       true, REACH_NONE, true },
	[ROOT_OF_USERNS] = { "root of a user namespace", REACH_OWN, false,
			     REACH_OWN, false },
	[ROOT_OF_PIDNS] = { "root in a pid namespace", REACH_ALL, true,
			    REACH_NONE, true },
};

/* As the system call does it, for this thread only */
static int be(uid_t uid)
{
	return syscall(SYS_setresuid, -1, uid, -1) ? -errno : 0;
}

static int go_on_in_child(void)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return 0;
	}
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int user_become(unsigned int user)
{
	switch (user) {
	case ROOT_OF_NETNS:
		return unshare(CLONE_NEWNET) ? -errno : 0;
	case NOBODY_AT_ALL:
		return setresgid(NOBODY, NOBODY, NOBODY) ||
				       setresuid(NOBODY, NOBODY, NOBODY) ?
			       -errno :
			       0;
	case NOBODY_WITH_ROOTS_SOCKET:
		return be(NOBODY);
	case ROOT_OF_USERNS:
		return unshare(CLONE_NEWUSER | CLONE_NEWNET) ? -errno : 0;
	case ROOT_OF_PIDNS:
		return unshare(CLONE_NEWPID) ? -errno : go_on_in_child();
	default:
		return 0;
	}
}

int user_socket(unsigned int user)
{
	int fd, err = 0;

	if (user == NOBODY_WITH_ROOTS_SOCKET)
		err = be(0);
	else if (user == ROOT_WITH_NOBODYS_SOCKET)
		err = be(NOBODY);
	if (err)
		return err;
	fd = acct_socket(0);
	if (user == NOBODY_WITH_ROOTS_SOCKET)
		err = be(NOBODY);
	else if (user == ROOT_WITH_NOBODYS_SOCKET)
		err = be(0);
	return err ?: fd;
}
