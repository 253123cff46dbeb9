// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disks in memory.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"
#include "sys.h"

#define CONFIGFS "/sys/kernel/config"
#define PAGE 4096

static const char *const settings[][2] = {
	{ "size", "1024" },		/* MiB */
	{ "memory_backed", "1" },
	{ "irqmode", "2" },		/* completed by a timer */
	{ "completion_nsec", "200000" },
	{ "power", "1" },
};

static void directory_of(char *path, size_t size, unsigned int i)
{
	snprintf(path, size, CONFIGFS "/nullb/nullb%u", i);
}

/* Only configfs can ask for memory behind the disk before 6.1. */
static bool have_device(unsigned int n)
{
	char directory[64], path[128];
	size_t i;

	directory_of(directory, sizeof(directory), n);
	if (mkdir(directory, 0700))
		return false;
	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, settings[i][0]);
		if (sys_write(path, settings[i][1]))
			return false;
	}
	return true;
}

/**
 * disk_have() - make disks
 * @n: how many; their names are DISK_NAME(0) and so on
 *
 * Return: whether they are there; never outside the guest.
 */
bool disk_have(unsigned int n)
{
	const char *const load[] = { "modprobe", "null_blk", "nr_devices=0",
				     NULL };
	unsigned int i;

	if (!sys_in_vm() || sys_run(load))
		return false;
	mount("none", CONFIGFS, "configfs", 0, NULL);
	for (i = 0; i < n; i++)
		if (!have_device(i))
			return false;
	return true;
}

/**
 * disk_end() - take them away
 * @n: how many there are
 *
 * Return: whether they are gone.
 */
bool disk_end(unsigned int n)
{
	const char *const unload[] = { "rmmod", "null_blk", NULL };
	char directory[64];
	unsigned int i;

	for (i = 0; i < n; i++) {
		directory_of(directory, sizeof(directory), i);
		if (rmdir(directory))
			return false;
	}
	return !sys_run(unload);
}

/**
 * disk_mount() - have a new file system on a disk, at DISK_MOUNTED
 * @name: the disk
 *
 * Return: whether there is.
 */
bool disk_mount(const char *name)
{
	const char *const mkfs[] = { "mkfs.ext4", "-qF", name, "131072", NULL };
	const char *const mnt[] = { "mount", name, DISK_MOUNTED, NULL };

	return !sys_run(mkfs) && !sys_run(mnt);
}

/**
 * disk_write() - write to the start of a file, and no further than the cache
 * @path: the file, which is made
 * @len: how many bytes
 *
 * Return: whether they were written.
 */
bool disk_write(const char *path, size_t len)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char *buf = calloc(1, len);
	bool done = buf && pwrite(fd, buf, len, 0) == (ssize_t)len;

	free(buf);
	return !close(fd) && done;
}

/**
 * disk_use() - storage: read, written, and written but cancelled before it got
 * there
 * @path: the file, which is made
 */
void disk_use(const char *path)
{
	size_t len = 256 << 10;
	volatile char *p;
	char *buf;
	int fd;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || posix_memalign((void **)&buf, PAGE, len))
		return;
	memset(buf, 0xaa, len);
	(void)!pwrite(fd, buf, len, 0);
	(void)!ftruncate(fd, 0);
	(void)!pwrite(fd, buf, len, 0);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED)
		(void)*p;
	(void)!pread(fd, buf, len, 0);
	free(buf);
	close(fd);
}

/**
 * disk_sync() - what is counted as a call of fsync, once each
 * @path: a file, made if it is not there
 *
 * Return: whether it did.
 */
bool disk_sync(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const bool done = fd >= 0 && !fsync(fd) && !fdatasync(fd) &&
			  !sync_file_range(fd, 0, 4096,
					   SYNC_FILE_RANGE_WRITE);

	return !close(fd) && done;
}
