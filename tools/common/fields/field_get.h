/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields that are made of a record's values: see struct field */
#ifndef TASKACCT_COMMON_FIELD_GET_H
#define TASKACCT_COMMON_FIELD_GET_H

#include "value.h"

/**
 * struct field_flag - a word for something that happened
 * @word: word, NULL behind the last
 * @bit: TASKACCT_RECORD_*
 * @shown: it is in the field flags
 */
struct field_flag {
	const char *word;
	uint32_t bit;
	bool shown;
};

extern const struct field_flag field_flags[];

/**
 * field_signal_name() - a signal's name
 * @number: its number
 *
 * Return: such as "SIGKILL"; valid until the next call.
 */
const char *field_signal_name(unsigned int number);

void field_get_time(const struct rec *rec, struct value *value);
void field_get_started(const struct rec *rec, struct value *value);
void field_get_day(const struct rec *rec, struct value *value);
void field_get_hour(const struct rec *rec, struct value *value);
void field_get_lifetime(const struct rec *rec, struct value *value);
void field_get_kind(const struct rec *rec, struct value *value);
void field_get_comm(const struct rec *rec, struct value *value);
void field_get_exe(const struct rec *rec, struct value *value);
void field_get_args(const struct rec *rec, struct value *value);
void field_get_user(const struct rec *rec, struct value *value);
void field_get_group(const struct rec *rec, struct value *value);
void field_get_unit(const struct rec *rec, struct value *value);
void field_get_user_unit(const struct rec *rec, struct value *value);
void field_get_container(const struct rec *rec, struct value *value);
void field_get_cgroup(const struct rec *rec, struct value *value);
void field_get_exit(const struct rec *rec, struct value *value);
void field_get_flags(const struct rec *rec, struct value *value);
void field_get_cpu(const struct rec *rec, struct value *value);
void field_get_rss(const struct rec *rec, struct value *value);

#endif /* TASKACCT_COMMON_FIELD_GET_H */
