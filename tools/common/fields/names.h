/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of users and groups, and those that a cgroup's path has in it */
#ifndef TASKACCT_COMMON_NAMES_H
#define TASKACCT_COMMON_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rules that an administrator adds; they need not be there */
#define NAMES_RULES "/etc/taskacct/names"

/**
 * enum name_kind - what a cgroup's path can name
 * @NAME_UNIT: the systemd unit, as ps -o unit has it
 * @NAME_USER_UNIT: the unit of a user's own manager
 * @NAME_CONTAINER: the container
 * @NAME_KINDS: how many there are
 */
enum name_kind {
	NAME_UNIT,
	NAME_USER_UNIT,
	NAME_CONTAINER,
	NAME_KINDS,
};

/**
 * names_user() - a user's name
 * @uid: number
 *
 * Return: the name, valid for ever; the number in digits where there is none.
 */
const char *names_user(uint32_t uid);

/**
 * names_group() - a group's name
 * @gid: number
 *
 * Return: as names_user().
 */
const char *names_group(uint32_t gid);

/**
 * names_numeric() - give numbers in the place of users' and groups' names
 */
void names_numeric(void);

/**
 * names_of_cgroup() - what a cgroup's path names
 * @path: path, no NUL behind it
 * @length: its length
 * @kind: which name
 *
 * Return: the name, valid for ever, or NULL where it names none.
 */
const char *names_of_cgroup(const char *path, size_t length,
			    enum name_kind kind);

/**
 * names_intern() - one copy of each text
 * @text: text
 * @length: its length
 *
 * Return: the copy, valid for ever.
 */
const char *names_intern(const char *text, size_t length);

/**
 * names_read_rules() - read a table of rules that come before those built in
 * @path: file
 * @why: where to say what is wrong
 * @size: of @why
 *
 * Return: true; also where there is no such file, with an empty @why.
 */
bool names_read_rules(const char *path, char *why, size_t size);

#endif /* TASKACCT_COMMON_NAMES_H */
