// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capabilities and user namespaces of a process
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "rights.h"
#include "sys.h"

/**
 * rights_set_caps() - give up, or take, capabilities
 * @permitted: those that may be used, a bit each; no more than there are
 * @effective: those that are in use, of these
 *
 * Return: 0, or -1 and errno.
 */
int rights_set_caps(uint64_t permitted, uint64_t effective)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .permitted = permitted, .effective = effective },
		{ .permitted = permitted >> 32, .effective = effective >> 32 },
	};

	return syscall(SYS_capset, &header, data);
}

/**
 * rights_map_root() - be root in one's own new user namespace
 * @uid: whom root is outside: the user and the group that one was
 *
 * Return: 0, or not.
 */
int rights_map_root(uid_t uid)
{
	char line[32];

	snprintf(line, sizeof(line), "0 %d 1", uid);
	return prctl(PR_SET_DUMPABLE, 1) ||
	       sys_write("/proc/self/setgroups", "deny") ||
	       sys_write("/proc/self/uid_map", line) ||
	       sys_write("/proc/self/gid_map", line);
}
