/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The form of a log: a pcap file with time stamps in nanoseconds
 *
 * The link type is LINKTYPE_NETLINK: a packet is a header of 16 bytes, big
 * endian, and a netlink message as it was on the wire.
 */
#ifndef TASKACCT_LOG_H
#define TASKACCT_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* What any message fits in; tcpdump's own */
#define TA_LOG_SNAPLEN 262144

/* The file's header, and that of a packet */
#define TA_LOG_FILE_HEADER 24
#define TA_LOG_PACKET_HEADER 16

/* First word of such a file */
#define TA_LOG_MAGIC 0xa1b23c4d

/* ARPHRD_NETLINK, which <net/if_arp.h> does not have */
#define TA_LOG_ARPHRD 824

/**
 * struct ta_cooked - header of a packet of LINKTYPE_NETLINK
 * @type: direction; 0 is to us
 * @arphrd: %TA_LOG_ARPHRD
 * @unused: zero
 * @protocol: NETLINK_GENERIC
 */
struct ta_cooked {
	uint16_t type;
	uint16_t arphrd;
	uint8_t unused[10];
	uint16_t protocol;
};

struct taskacct_reader;

/**
 * ta_reader_is_swapped() - whether a log is from the other byte order
 * @reader: its reader
 *
 * Return: true if so: it can be read, but not gone on with.
 */
bool ta_reader_is_swapped(const struct taskacct_reader *reader);

_Static_assert(sizeof(struct ta_cooked) == 16, "LINKTYPE_NETLINK has 16 bytes");

#endif /* TASKACCT_LOG_H */
