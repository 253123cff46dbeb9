/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's clock, between the files of the library */
#ifndef TASKACCT_CLOCK_H
#define TASKACCT_CLOCK_H

#include <stdint.h>

int ta_clock_offset(int64_t *ns);

#endif /* TASKACCT_CLOCK_H */
