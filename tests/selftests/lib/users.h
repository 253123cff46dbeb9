/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users that nobody else has, and a module loaded anew that counts for them.
 * For what tests with the harness.
 */
#ifndef SELFTESTS_USERS_H
#define SELFTESTS_USERS_H

#include <fcntl.h>
#include <sys/mman.h>

#include "module.h"
#include "test.h"
#include "uid.h"

/* Nobody else has these. */
#define FIRST_UID 70001
#define MAX_USERS 4096

static pid_t restores;

/*
 * To load the module takes a second where the kernel is slow. So its file is read
 * once for all tests, and it is left as it was once, by the process that does not
 * run any of them.
 */
__attribute__((constructor)) static void have_module(void)
{
	if (sys_in_vm() && sys_module_loaded() && module_read())
		restores = getpid();
}

__attribute__((destructor)) static void restore_module(void)
{
	if (restores != getpid())
		return;
	if ((sys_module_loaded() && module_remove()) || module_insert(NULL))
		_exit(KSFT_FAIL);
}

/* Loads it anew: what was counted before is gone. */
#define RELOAD_WITH(more, params) do {					\
	char _params[256];						\
									\
	snprintf(_params, sizeof(_params), "%s%s", (more), (params));	\
	acct_close(&self->s);						\
	ASSERT_EQ(0, module_remove());					\
	ASSERT_EQ(0, module_insert(_params));				\
	ASSERT_EQ(0, acct_open(&self->s));				\
} while (0)

#define RELOAD(params) RELOAD_WITH("", params)

#define SET_UP(more) do {						\
	self->able = sys_in_vm() && sys_module_loaded();		\
	if (!self->able)						\
		return;							\
	ASSERT_EQ(0, acct_open(&self->s));				\
	RELOAD_WITH(more, "uid=1");					\
} while (0)

/* The next test loads it anew in any case; restore_module() is for the end. */
#define TEAR_DOWN() do {						\
	if (!self->able)						\
		return;							\
	acct_close(&self->s);						\
	if (!sys_module_loaded()) {					\
		EXPECT_EQ(0, module_insert(NULL));			\
	}								\
} while (0)

/* What a child does as another user, with the rights of root but for that */
static inline void user_become(uint32_t uid)
{
	if (setresuid(uid, 0, 0))
		_exit(99);
}

static inline void user_write_null(size_t size)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
		       MAP_NORESERVE, -1, 0);

	if (write(fd, p, size) != (ssize_t)size)
		_exit(98);
	munmap(p, size);
	close(fd);
}

/* Does what it is told: w: writes 1,000 bytes; u: becomes the next user; e: ends;
 * else: nothing
 */
static inline int user_obey(int fd, void *arg)
{
	uint32_t uid = *(uint32_t *)arg;
	char order;

	user_become(uid);
	work_send(fd, '.');
	while ((order = work_order(fd)) != 'e' && order) {
		if (order == 'w')
			user_write_null(1000);
		else if (order == 'u')
			user_become(++uid);
		work_send(fd, '.');
	}
	return 0;
}

/* Has each order carried out, which says whether it could, until it is to end. */
static inline int user_obey_by(int fd, uint32_t uid, bool (*carry_out)(char order))
{
	char order;

	user_become(uid);
	work_send(fd, '.');
	while ((order = work_order(fd)) != 'e' && order) {
		if (!carry_out(order))
			return 1;
		work_send(fd, '.');
	}
	return 0;
}

static inline void user_start(struct __test_metadata *_metadata, struct work *w,
			      work_fn fn, uint32_t *uid)
{
	ASSERT_EQ(0, work_start(w, fn, uid));
	ASSERT_EQ('.', work_hear(w));
}

static inline void user_end(struct __test_metadata *_metadata, struct work *w)
{
	work_tell(w, 'e');
	EXPECT_EQ(0, work_wait(w));
}

#endif /* SELFTESTS_USERS_H */
