/* SPDX-License-Identifier: GPL-2.0-only */
#define TASKACCT 498
