/* SPDX-License-Identifier: GPL-2.0-only */
/* Who sends: privilege and namespaces */
#ifndef FUZZ_USER_H
#define FUZZ_USER_H

#include "model.h"

#define USERS 8

/**
 * struct user - a kind of user
 * @name: who it is
 * @reach: whom he may ask about
 * @forces: he may have a receive buffer of any size
 * @users: of which users he may be told
 * @numbered: users have numbers in his user namespace
 */
struct user {
	const char *name;
	enum model_access reach;
	bool forces;
	enum model_access users;
	bool numbered;
};

extern const struct user users[USERS];

/**
 * user_become() - become one of them, for good
 * @user: number
 *
 * Has to be called by a process that has no children yet; may go on in a new
 * process, for which the old one waits, and exits as it does.
 *
 * Return: 0 or a negative errno.
 */
int user_become(unsigned int user);

/**
 * user_socket() - open a socket as this user does
 * @user: number
 *
 * Return: the socket, bound, or a negative errno.
 */
int user_socket(unsigned int user);

#endif /* FUZZ_USER_H */
