// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is known without a handle: the library's version, and what an errno means
 */
#include <errno.h>
#include <string.h>

#include "taskacct.h"

const char *taskacct_version(void)
{
	return VERSION;
}

/* What the library means by an errno, where that is another thing than the system's */
static const struct {
	int err;
	const char *words;
} meanings[] = {
	{ -EBADMSG, "damaged, or nothing that this library knows" },
	{ -ENOBUFS, "the receive buffer overflowed: messages were lost" },
	{ -ENODEV, "the module was unloaded" },
	{ -EPROTONOSUPPORT, "the module is too new for this library" },
	{ -ESTALE, "counters came or went: refresh, and find them again" },
	{ -ESRCH, "no such task" },
};

const char *taskacct_strerror(int err)
{
	const char *words = NULL;
	size_t i;

	if (!err)
		return "no error";
	for (i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (meanings[i].err == err)
			return meanings[i].words;
	/* The kernel has no larger ones. */
	if (err < 0 && err > -4096)
		words = strerrordesc_np(-err);
	return words ? words : "unknown error";
}
