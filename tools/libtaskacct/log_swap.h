/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages from a machine of the other byte order */
#ifndef TASKACCT_LOG_SWAP_H
#define TASKACCT_LOG_SWAP_H

#include <stddef.h>
#include <stdint.h>

struct nlmsghdr;

/**
 * ta_swap() - turn a number round
 * @data: where it is
 * @size: its bytes
 */
static inline void ta_swap(void *data, size_t size)
{
	uint8_t *bytes = data, byte;
	size_t i;

	for (i = 0; i < size / 2; i++) {
		byte = bytes[i];
		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = byte;
	}
}

/**
 * ta_record_swap() - turn the numbers of a struct taskacct_record round
 * @data: where it is
 * @length: how much there is of it
 */
void ta_record_swap(void *data, size_t length);

/**
 * ta_swap_message() - turn a netlink message of a log round
 * @nlh: the message
 * @length: how much there is of it, %NLMSG_HDRLEN at least
 */
void ta_swap_message(struct nlmsghdr *nlh, size_t length);

#endif /* TASKACCT_LOG_SWAP_H */
