// SPDX-License-Identifier: GPL-2.0-only
/* Attributes in any order */
#include <string.h>

#include <linux/genetlink.h>

#include "attr.h"
#include "found.h"

#define FIRST 16

bool found_take(struct found *found, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr =
		(const struct nlattr *)((const char *)NLMSG_DATA(nlh) +
					GENL_HDRLEN);
	size_t left = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	unsigned int i;

	memset(found, 0, sizeof(*found));
	for (; attr_fits(attr, left); attr = attr_next(attr, &left)) {
		i = attr_type(attr) - FIRST;
		if (i >= FOUND_MAX || (i && found->seen & 1U << i))
			return false;
		found->seen |= 1U << i;
		found->data[i] = attr_data(attr);
		found->size[i] = attr_size(attr);
	}
	found->seen &= ~1U; /* padding */
	return !left;
}

bool found_has(const struct found *found, unsigned int type)
{
	return found->seen >> (type - FIRST) & 1;
}

uint64_t found_number(const struct found *found, unsigned int type)
{
	const size_t size = found->size[type - FIRST];

	return size ? attr_number_at(found->data[type - FIRST], size) : 0;
}

const char *found_text(const struct found *found, unsigned int type)
{
	const char *s = found->data[type - FIRST];
	const size_t size = found->size[type - FIRST];

	return size && !s[size - 1] ? s : NULL;
}

uint32_t found_all_of(unsigned int from, unsigned int to)
{
	return (2U << (to - FIRST)) - (1U << (from - FIRST));
}
