/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes, one behind the other */
#ifndef FUZZ_ATTR_H
#define FUZZ_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/netlink.h>

static inline bool attr_fits(const struct nlattr *attr, size_t left)
{
	return left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN &&
	       attr->nla_len <= left;
}

static inline const void *attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t attr_size(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

static inline unsigned int attr_type(const struct nlattr *attr)
{
	return attr->nla_type & NLA_TYPE_MASK;
}

/* The next one; @left is what is left then, 0 where the padding is cut off. */
static inline const struct nlattr *attr_next(const struct nlattr *attr,
					     size_t *left)
{
	const size_t step = NLA_ALIGN(attr->nla_len);

	*left = step < *left ? *left - step : 0;
	return (const struct nlattr *)((const char *)attr + step);
}

/* A number of four or eight bytes */
static inline uint64_t attr_number(const struct nlattr *attr)
{
	uint64_t value = 0;

	if (attr_size(attr) <= sizeof(value))
		memcpy(&value, attr_data(attr), attr_size(attr));
	return value;
}

#endif /* FUZZ_ATTR_H */
