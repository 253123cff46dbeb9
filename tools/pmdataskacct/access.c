// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients of pmcd, and what they may see
 *
 * pmcd tells the user of a client that came through its Unix socket. Root sees everything,
 * users named in the configuration what it says, and everybody what is his own. The user of
 * any other client is not known: one over the network sees no more than sums, unless the
 * configuration opens totals to everybody.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

/* Has the number of the client of each request; pmdaGetContext() has that of fetches only. */
static const struct pmdaExt *agent;

/* By their numbers, which pmcd gives again */
static struct client *clients;
static int n_clients;

void access_init(const struct pmdaExt *ext)
{
	agent = ext;
}

static struct client *have_client(int context)
{
	const int n = context + 1;
	struct client *more;

	if (context < 0)
		return NULL;
	if (n > n_clients) {
		more = reallocarray(clients, (size_t)n, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + n_clients, 0, (size_t)(n - n_clients) * sizeof(*more));
		clients = more;
		n_clients = n;
	}
	return &clients[context];
}

struct client *access_client(void)
{
	return have_client(agent->e_context);
}

int access_set(int context, int attribute, const char *value, int length, pmdaExt *ext)
{
	struct client *client;

	if (attribute == PMDA_ATTR_USERID) {
		client = have_client(context);
		if (!client)
			return -ENOMEM;
		client->uid = (uid_t)strtoul(value, NULL, 10);
		client->has_uid = true;
	}
	return pmdaAttribute(context, attribute, value, length, ext);
}

void access_end(int context)
{
	if (context >= 0 && context < n_clients)
		memset(&clients[context], 0, sizeof(*clients));
}

static bool is_among(uid_t uid, const uid_t *users, unsigned int n)
{
	while (n && users[n - 1] != uid)
		n--;
	return n;
}

enum access access_of(void)
{
	const enum access least = config.open ? ACCESS_TOTALS : ACCESS_OWN;
	const struct client *client = access_client();

	if (!client || !client->has_uid)
		return least;
	if (!client->uid || is_among(client->uid, config.all, config.n_all))
		return ACCESS_ALL;
	if (is_among(client->uid, config.totals, config.n_totals))
		return ACCESS_TOTALS;
	return least;
}

bool access_is_user(uid_t uid)
{
	const struct client *client = access_client();

	return client && client->has_uid && client->uid == uid;
}
