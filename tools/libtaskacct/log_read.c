// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading a log
 *
 * A crash or a full disk leaves a torn end: part of a packet, or zeros that
 * the file system put where data never came. Everything behind the last
 * packet that is a whole message is the torn end. Where a packet's lengths
 * cannot be right, the next whole message is looked for.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "handle.h"
#include "log.h"
#include "log_swap.h"
#include "taskacct_log.h"

/**
 * struct taskacct_reader - see taskacct.h
 * @pcap: libpcap's reader, or NULL where not even the file's header is whole
 * @file: the file, which is closed with @pcap if there is one
 * @good: length of what is whole, up to and with the last message
 * @at: length of what was read
 * @size: length of the file when it was last looked at, or 0 where it has
 *	none
 * @bad: packets since the last message that are no messages
 * @damaged: packets before the last message that are no messages
 * @ours: the file has packets as this library writes them
 * @swapped: it is from a machine of the other byte order
 * @ended: the end was reached
 * @broken: and it is no end of a packet
 * @busy: and somebody was writing there
 * @family: that of the session at hand; 0 is no message type
 * @note: takes notes, or NULL
 * @note_arg: for @note
 * @data: the last message, aligned
 * @error: last failure in words
 */
struct taskacct_reader {
	pcap_t *pcap;
	FILE *file;
	uint64_t good;
	uint64_t at;
	uint64_t size;
	uint64_t bad;
	uint64_t damaged;
	bool ours;
	bool swapped;
	bool ended;
	bool broken;
	bool busy;
	struct ta_family family;
	taskacct_note note;
	void *note_arg;
	uint32_t data[TA_LOG_SNAPLEN / sizeof(uint32_t)];
	char error[TA_ERROR_MAX];
};

static int fail(struct taskacct_reader *r, int err, const char *path,
		const char *words)
{
	return ta_fail(r->error, sizeof(r->error), err, words, "%s", path);
}

/*
 * The beginning of a log that got no further: nothing but zeros, or the first
 * bytes of the header. Anything else is somebody's, and no log.
 */
static bool is_stub(FILE *file, uint64_t size)
{
	const struct pcap_file_header header = {
		.magic = TA_LOG_MAGIC,
		.version_major = PCAP_VERSION_MAJOR,
		.version_minor = PCAP_VERSION_MINOR,
		.snaplen = TA_LOG_SNAPLEN,
		.linktype = DLT_NETLINK,
	};
	const uint8_t *expected = (const uint8_t *)&header;
	bool zeros = true, begins = size < sizeof(header);
	uint64_t n;
	int c;

	_Static_assert(sizeof(header) == TA_LOG_FILE_HEADER, "as in the file");
	for (n = 0; n < size && (zeros || begins); n++) {
		c = getc(file);
		if (c == EOF)
			return false;
		zeros &= !c;
		begins = begins && c == expected[n];
	}
	return zeros || begins;
}

static int open_pcap(struct taskacct_reader *r, const char *path)
{
	const unsigned int nano = PCAP_TSTAMP_PRECISION_NANO;
	char words[PCAP_ERRBUF_SIZE];

	r->pcap =
		pcap_fopen_offline_with_tstamp_precision(r->file, nano, words);
	if (ferror(r->file))
		return fail(r, -EIO, path, NULL);
	if (!r->pcap)
		return fail(r, -EBADMSG, path, "no log of getdelays");
	if (pcap_datalink(r->pcap) != DLT_NETLINK)
		return fail(r, -EBADMSG, path, "a pcap file, but no log");
	r->swapped = pcap_is_swapped(r->pcap);
	r->good = TA_LOG_FILE_HEADER;
	r->at = TA_LOG_FILE_HEADER;
	return 0;
}

static uint64_t length_now(const struct taskacct_reader *r)
{
	struct stat st;

	return fstat(fileno(r->file), &st) ? r->size : (uint64_t)st.st_size;
}

/*
 * The file was seen to end here, and not with a packet. Whoever writes there
 * has it locked, and is not done; if he is by now, it has another length.
 */
static void look_for_writer(struct taskacct_reader *r, uint64_t seen)
{
	if (flock(fileno(r->file), LOCK_SH | LOCK_NB)) {
		r->busy = errno == EWOULDBLOCK;
		return;
	}
	r->busy = length_now(r) != seen;
	flock(fileno(r->file), LOCK_UN);
}

/* A regular file: has it got anywhere, and is it of our form? */
static int open_file(struct taskacct_reader *r, const char *path)
{
	uint32_t magic;

	if (is_stub(r->file, r->size)) {
		r->ended = true;
		if (r->size)
			look_for_writer(r, r->size);
		return 0;
	}
	rewind(r->file);
	r->ours = fread(&magic, sizeof(magic), 1, r->file) == 1 &&
		  magic == TA_LOG_MAGIC;
	rewind(r->file);
	return open_pcap(r, path);
}

int taskacct_reader_open(struct taskacct_reader **reader, const char *path)
{
	struct taskacct_reader *r = calloc(1, sizeof(*r));
	struct stat st;

	*reader = r;
	if (!r)
		return -ENOMEM;
	r->file = strcmp(path, "-") ? fopen(path, "rbe") : stdin;
	if (!r->file || fstat(fileno(r->file), &st))
		return fail(r, -errno, path, NULL);
	if (S_ISDIR(st.st_mode))
		return fail(r, -EISDIR, path, NULL);
	if (!S_ISREG(st.st_mode))
		return open_pcap(r, path);
	r->size = (uint64_t)st.st_size;
	return open_file(r, path);
}

/* Where a packet's message is, or NULL if it is none */
static const struct nlmsghdr *unpack(struct taskacct_reader *r,
				     const struct pcap_pkthdr *header,
				     const uint8_t *packet)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)r->data;
	struct ta_cooked cooked;
	size_t length;

	if (header->caplen != header->len ||
	    header->caplen < sizeof(cooked) + NLMSG_HDRLEN ||
	    header->caplen > sizeof(cooked) + sizeof(r->data))
		return NULL;
	memcpy(&cooked, packet, sizeof(cooked));
	length = header->caplen - sizeof(cooked);
	memcpy(r->data, packet + sizeof(cooked), length);
	if (r->swapped)
		ta_swap_message(nlh, length);
	if (ntohs(cooked.arphrd) != TA_LOG_ARPHRD ||
	    nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len > length)
		return NULL;
	return nlh;
}

static bool is_ours(const struct taskacct_reader *r, const struct nlmsghdr *nlh,
		    enum taskacct_event_type *type)
{
	return r->family.id && nlh->nlmsg_type == r->family.id &&
	       ta_event_type(nlh, type);
}

/*
 * What libpcap has read to get a packet. Of a pipe only the usual form's
 * length is known; a file may have another that can be read.
 */
static uint64_t position(const struct taskacct_reader *r,
			 const struct pcap_pkthdr *header)
{
	return r->size ? (uint64_t)ftello(r->file) :
			 r->at + TA_LOG_PACKET_HEADER + header->caplen;
}

/* What a packet begins with, up to the length of its message */
struct head {
	uint32_t time[2];
	uint32_t caplen;
	uint32_t len;
	struct ta_cooked cooked;
	uint32_t nlmsg_len;
};

static bool is_head(const struct head *head)
{
	static const struct ta_cooked none;

	return head->caplen == head->len && head->caplen <= TA_LOG_SNAPLEN &&
	       head->caplen >= sizeof(head->cooked) + NLMSG_HDRLEN &&
	       ntohs(head->cooked.arphrd) == TA_LOG_ARPHRD &&
	       !memcmp(head->cooked.unused, none.unused, sizeof(none.unused)) &&
	       head->nlmsg_len >= NLMSG_HDRLEN &&
	       head->nlmsg_len <= head->caplen - sizeof(head->cooked);
}

/*
 * Goes to the next whole message behind what was read at an offset, or where it
 * could not be read, at this offset; false if there is none. Part of one there
 * is a torn end, in which nothing is looked for: a task's command line is in
 * there, which may have anything.
 */
static bool find_message(struct taskacct_reader *r, uint64_t from, bool is_read)
{
	uint8_t *data = (uint8_t *)r->data;
	uint64_t at = from + is_read;
	struct head head;
	size_t i, n;

	_Static_assert(sizeof(head) == 36, "as in the file");
	do {
		fseeko(r->file, (off_t)at, SEEK_SET);
		n = fread(data, 1, sizeof(r->data), r->file);
		if (ferror(r->file))
			return false;
		r->size = length_now(r);
		for (i = 0; i + sizeof(head) <= n; i++, at++) {
			memcpy(&head, data + i, sizeof(head));
			if (!is_head(&head))
				continue;
			if (at + TA_LOG_PACKET_HEADER + head.caplen <=
			    r->size) {
				r->at = at;
				return !fseeko(r->file, (off_t)at, SEEK_SET);
			}
			if (at == from)
				return false;
		}
	} while (i);
	return false;
}

/* Whether a packet is as long as it says, whatever is in it */
static bool has_length(const struct pcap_pkthdr *header)
{
	return header->caplen == header->len &&
	       header->caplen >= sizeof(struct ta_cooked) + NLMSG_HDRLEN;
}

/*
 * The next message. What is none is passed over: by its length, or where that
 * cannot be right, up to the next that is one. NULL at the end, or where it
 * cannot be read; @got then tells which.
 */
static const struct nlmsghdr *next_message(struct taskacct_reader *r,
					   struct pcap_pkthdr **header,
					   int *got)
{
	const struct nlmsghdr *nlh = NULL;
	const uint8_t *packet;
	uint64_t from;

	/* What was half of a message may be a whole one by now. */
	for (;; r->bad += r->at != from) {
		from = r->at;
		*got = pcap_next_ex(r->pcap, header, &packet);
		if (*got == PCAP_ERROR_BREAK || ferror(r->file))
			return NULL;
		if (*got == 1) {
			r->at = position(r, *header);
			nlh = unpack(r, *header, packet);
		}
		if (nlh)
			return nlh;
		if (*got == 1 && (!r->ours || has_length(*header)))
			continue;
		if (!r->ours || !find_message(r, from, *got == 1))
			return NULL;
	}
}

static bool is_note(const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_type == NLMSG_NOOP;
}

static void pass_note(const struct taskacct_reader *r,
		      const struct nlmsghdr *nlh)
{
	const struct taskacct_name text = {
		.text = NLMSG_DATA(nlh),
		.length = nlh->nlmsg_len - NLMSG_HDRLEN,
	};

	if (r->note)
		r->note(&text, r->note_arg);
}

/* The end, or what reads like one */
static int end(struct taskacct_reader *r, int got)
{
	uint64_t seen = r->size;

	r->ended = true;
	r->broken = got != PCAP_ERROR_BREAK;
	if (ferror(r->file))
		return ta_fail(r->error, sizeof(r->error), -EIO,
			       pcap_geterr(r->pcap), "read");
	if (!r->size)
		return 0;
	if (feof(r->file))
		seen = (uint64_t)ftello(r->file);
	else if (!r->ours)
		seen = length_now(r);
	/* Other forms may end with what is no packet. */
	if (!r->broken && !r->bad)
		r->good = seen;
	else
		look_for_writer(r, seen);
	r->size = seen > r->good ? seen : r->good;
	return 0;
}

int taskacct_reader_next(struct taskacct_reader *r,
			 struct taskacct_event *event)
{
	const struct nlmsghdr *nlh;
	struct pcap_pkthdr *header;
	int got;

	while (!r->ended) {
		nlh = next_message(r, &header, &got);
		if (!nlh)
			return end(r, got);
		r->good = r->at;
		r->damaged += r->bad;
		r->bad = 0;
		if (is_note(nlh))
			pass_note(r, nlh);
		if (ta_family_parse(&r->family, nlh) ||
		    !is_ours(r, nlh, &event->type))
			continue;
		event->nlh = nlh;
		/* Of this precision, so these are nanoseconds. */
		event->time_ns = (uint64_t)header->ts.tv_sec * 1000000000 +
				 (uint64_t)header->ts.tv_usec;
		return 1;
	}
	return 0;
}

void taskacct_reader_set_note(struct taskacct_reader *reader,
			      taskacct_note note, void *arg)
{
	reader->note = note;
	reader->note_arg = arg;
}

bool ta_reader_is_swapped(const struct taskacct_reader *reader)
{
	return reader->swapped;
}

bool taskacct_reader_counts_losses(const struct taskacct_reader *reader)
{
	return reader->family.counts;
}

const char *taskacct_reader_family(const struct taskacct_reader *reader)
{
	return reader->family.name;
}

bool taskacct_reader_torn(const struct taskacct_reader *r,
			  struct taskacct_torn *torn)
{
	torn->offset = r->good;
	torn->bytes = r->ended && r->size ? r->size - r->good : 0;
	return r->ended && !r->busy && (torn->bytes || r->broken || r->bad);
}

uint64_t taskacct_reader_damaged(const struct taskacct_reader *reader)
{
	return reader->damaged;
}

const char *taskacct_reader_error(const struct taskacct_reader *reader)
{
	return reader->error;
}

void taskacct_reader_close(struct taskacct_reader *reader)
{
	if (!reader)
		return;
	if (reader->pcap)
		pcap_close(reader->pcap);
	else if (reader->file && reader->file != stdin)
		fclose(reader->file);
	free(reader);
}
