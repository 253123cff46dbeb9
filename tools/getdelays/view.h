/* SPDX-License-Identifier: GPL-2.0-only */
/* Which values of a record are shown, and how they are arranged */
#ifndef GETDELAYS_VIEW_H
#define GETDELAYS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "out.h"

/**
 * enum view_section - parts of a record that can be asked for
 * @VIEW_DELAYS: delays (-d)
 * @VIEW_IO: input and output (-i)
 * @VIEW_SWITCHES: context switches (-q)
 * @VIEW_ALL: these and everything else
 */
enum view_section {
	VIEW_DELAYS = 1,
	VIEW_IO = 2,
	VIEW_SWITCHES = 4,
	VIEW_ALL = 15,
};

/**
 * struct view - what is shown, and what is known beside the record
 * @sections: parts that were asked for; 0 for what is usual
 * @family: where the record is from
 * @time_ns: when it came, nanoseconds since 1970
 * @delay_accounting: 1 if it is on, 0 if off, negative where nobody knows
 * @reasons: it is said why values are not valid
 */
struct view {
	unsigned int sections;
	const char *family;
	uint64_t time_ns;
	int delay_accounting;
	bool reasons;
};

/**
 * view_record() - print a record
 * @out: output
 * @view: what of it
 * @record: record
 */
void view_record(struct out *out, const struct view *view,
		 const struct taskacct_classic *record);

/**
 * view_time() - print when a record came
 * @out: output
 * @view: has the time
 */
void view_time(struct out *out, const struct view *view);

/**
 * view_exit() - print how a task ended, for people
 * @out: output
 * @valid: it has ended
 * @status: as wait() has it
 */
void view_exit(struct out *out, bool valid, int status);

/**
 * view_device() - print the device of an executable, for people
 * @out: output
 * @valid: it is known
 * @device: as st_dev has it
 */
void view_device(struct out *out, bool valid, uint64_t device);

/**
 * view_line() - begin a part that is one row
 * @out: output
 * @head: its name in a block
 * @name: its name in a stream
 */
void view_line(struct out *out, const char *head, const char *name);

/**
 * view_delay_accounting() - whether this kernel accounts for delays
 *
 * Return: 1 if it does, 0 if that is switched off, negative if it does not
 * say.
 */
int view_delay_accounting(void);

#endif /* GETDELAYS_VIEW_H */
