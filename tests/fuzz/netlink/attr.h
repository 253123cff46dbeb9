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

/* A number of so many bytes, eight at most; 0 of more */
static inline uint64_t attr_number_at(const void *data, size_t size)
{
	uint64_t value = 0;
	char *at = (char *)&value;

	if (size > sizeof(value))
		return 0;
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		at += sizeof(value) - size;
	memcpy(at, data, size);
	return value;
}

static inline uint64_t attr_number(const struct nlattr *attr)
{
	return attr_number_at(attr_data(attr), attr_size(attr));
}

#endif /* FUZZ_ATTR_H */
