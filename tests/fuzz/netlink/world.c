// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks: this process and one thread of it, which are there throughout, a
 * zombie, and the parent. Cgroups: one for all of us, and the root.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <linux/magic.h>
#include <linux/taskacct.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "work.h"
#include "world.h"

#define CGROUP "fuzz_test"
#define CGROUPS "/sys/fs/cgroup"

/* In ns: longer than any task has lived here */
#define LIFETIME_MAX (UINT64_C(100) * 3600 * 1000000000)

struct world world;
struct model_cgroups model_cgroups;

static struct model_known known[KNOWN_MAX];
static uint32_t parent;

int world_cgroup(void)
{
	int err = cgroup_make(CGROUP);

	world.asks.fds[2] = open("/", O_RDONLY | O_DIRECTORY);
	world.asks.fds[3] = open("/proc/self/stat", O_RDONLY);
	if (err == -ENOENT) {
		world.asks.fds[0] = -1;
		world.asks.fds[1] = -1;
		return 0;
	}
	err = err ?: cgroup_enter(CGROUP, 0);
	if (err)
		return err;
	world.asks.fds[0] = cgroup_open(CGROUP);
	world.asks.fds[1] = cgroup_open("");
	model_cgroups.own = cgroup_number(CGROUP);
	model_cgroups.root = cgroup_number("");
	world.asks.cgroups = model_cgroups;
	return model_cgroups.own && model_cgroups.root ? 0 : -ENOENT;
}

int world_leave_cgroup(void)
{
	if (!model_cgroups.own)
		return 0;
	return cgroup_enter("", 0) ?: cgroup_drop(CGROUP);
}

static int sleep_for_ever(void *arg)
{
	int never = 0;

	(void)arg;
	work_wait_for(&never, 1);
	return 0;
}

static int make_zombie(pid_t *pid)
{
	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (!*pid)
		_exit(0);
	return waitid(P_PID, (id_t)*pid, NULL, WEXITED | WNOWAIT) ? -errno : 0;
}

int world_begin(uint32_t pid)
{
	const uint32_t own = (uint32_t)getpid();
	static int gone;
	pid_t zombie, thread;
	struct stat st;
	int err;

	if (stat("/proc/self/ns/net", &st))
		return -errno;
	world.pid = pid;
	world.netns = (uint32_t)st.st_ino;
	parent = (uint32_t)getppid();
	err = make_zombie(&zombie);
	if (err)
		return err;
	thread = work_raw_thread(sleep_for_ever, NULL, work_stacks(1), &gone);
	if (thread < 0)
		return thread;
	known[0] = (struct model_known){
		.id = own, .tgid = own, .init_pid = pid,
		.kinds = TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS,
	};
	known[1] = (struct model_known){
		.id = (uint32_t)thread, .tgid = own,
		.kinds = TASKACCT_KIND_TASK,
	};
	known[2] = (struct model_known){
		.id = (uint32_t)zombie, .tgid = (uint32_t)zombie,
		.kinds = TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS,
		.ended = true,
	};
	memcpy(world.asks.tasks, (const uint32_t[MAKE_TASKS]){
		own, own, (uint32_t)thread, (uint32_t)zombie, parent, 2,
	}, sizeof(world.asks.tasks));
	return 0;
}

int model_tasks(uint32_t id, bool process)
{
	unsigned int i;

	/* Above any pid, and below */
	if (!id || id > 4194304)
		return 0;
	for (i = 0; i < KNOWN_MAX; i++)
		if (id == known[i].id)
			return !!(known[i].kinds &
				  (process ? TASKACCT_KIND_PROCESS :
					     TASKACCT_KIND_TASK));
	return id == parent ? 1 : -1;
}

/*
 * Not the parent, which is root in the initial user namespace. Whether a zombie
 * was dumpable not all kernels know.
 */
int model_own(uint32_t id)
{
	unsigned int i;

	for (i = 0; i < KNOWN_MAX; i++)
		if (id == known[i].id)
			return known[i].ended ? -1 : 1;
	return id == parent ? 0 : -1;
}

const struct model_known *model_known(unsigned int i, struct facts *facts)
{
	*facts = facts_none();
	facts->knows_uid = true;
	facts->uid = getuid();
	facts->failed = 0;
	facts->cgroup = model_cgroups.own;
	facts->lifetime_max = LIFETIME_MAX;
	facts->cpu_max = LIFETIME_MAX;
	return &known[i];
}

int model_cgroup(int fd, uint64_t *id)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode) || fstatfs(fd, &fs))
		return -EINVAL;
	*id = st.st_ino;
	if (fs.f_type == CGROUP2_SUPER_MAGIC)
		return CGROUP_V2;
	return fs.f_type == CGROUP_SUPER_MAGIC ? CGROUP_V1 : -EINVAL;
}

static uint64_t searched;

static int is_searched(const char *path, const struct stat *st, int type,
		       struct FTW *at)
{
	(void)path;
	(void)at;
	return type == FTW_D && st->st_ino == searched;
}

bool model_has_cgroup(uint64_t id)
{
	if (!model_cgroups.root)
		return false;
	searched = id;
	return nftw(CGROUPS, is_searched, 8, FTW_PHYS | FTW_MOUNT) == 1;
}
