/* SPDX-License-Identifier: GPL-2.0-only */
/* A record on a disk that can be made to fail. For programs that have keep.h and disk.h. */
#ifndef SELFTESTS_KEEP_DISK_H
#define SELFTESTS_KEEP_DISK_H

#define CUT "/run/keep-cut"
#define SIZE "size=$(blockdev --getsz " DISK_NAME(0) ");"
#define LINEAR "\"0 $size linear " DISK_NAME(0) " 0\""

/* Of the kernels here those that the tests build have no such module. */
static inline bool has_flakey(void)
{
	const char *const find[] = { "modprobe", "-nq", "dm-flakey", NULL };

	return !sys_run(find);
}

/* Where a kernel has what makes a disk fail, that it cannot be had is no reason to skip. */
#define NEED_FAILING_DISK() do {					\
	if (!has_flakey())						\
		SKIP_NOW("this kernel has no dm-flakey");		\
	ASSERT_TRUE(disk_have(1));					\
} while (0)

/* Records on a disk that can be made to fail, and whoever writes them there */
static inline void start_on_disk(struct __test_metadata *_metadata,
				 struct run *recorder, const char *way,
				 const char *from)
{
	char text[200];
	struct run r;

	must(_metadata, &r,
	     "set -e; modprobe dm-flakey; modprobe ext4; mkdir -p " CUT ";"
	     "mkfs.ext4 -q " DISK_NAME(0) "; " SIZE
	     "dmsetup create keep --noudevsync --table " LINEAR ";"
	     "dmsetup mknodes; mount /dev/mapper/keep " CUT);
	run_free(&r);
	snprintf(text, sizeof(text), "exec taskacct record --dir " CUT "/d %s", way);
	start_by_script(_metadata, recorder, text, from);
}

static inline void suspend_disk(struct __test_metadata *_metadata)
{
	struct run r;

	must(_metadata, &r, "dmsetup suspend --noflush keep");
	run_free(&r);
}

static inline void resume_disk(struct __test_metadata *_metadata)
{
	struct run r;

	must(_metadata, &r, "dmsetup resume --noudevsync keep");
	run_free(&r);
}

static inline void drop_disk(struct __test_metadata *_metadata)
{
	struct run r;

	must(_metadata, &r, "umount " CUT "; dmsetup remove --noudevsync keep");
	run_free(&r);
	EXPECT_TRUE(disk_end(1));
}

#endif /* SELFTESTS_KEEP_DISK_H */
