// SPDX-License-Identifier: GPL-2.0-only
/* How are pages of another address space got? */
#include <linux/mm.h>

static __used long question(struct mm_struct *mm, struct page **page)
{
#if defined(TASKACCT_USER_PAGES) /* from 6.5 on */
	return get_user_pages_remote(mm, 0, 1, FOLL_ANON, page, NULL);
#elif defined(TASKACCT_USER_PAGES_AND_MAPS)
	return get_user_pages_remote(mm, 0, 1, FOLL_ANON, page, NULL, NULL);
#endif
}
