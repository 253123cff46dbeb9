// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include "demo.h"

static void *work(void *arg)
{
	unsigned int *milliseconds = arg;
	int i;

	for (i = 0; i < 10; i++) {
		usleep(*milliseconds * 100);
		demo_primes(2000);
	}
	return NULL;
}

int demo_threads(int count, unsigned int milliseconds)
{
	pthread_t threads[64];
	int i, made;

	for (made = 0; made < count && made < 64; made++) {
		if (pthread_create(&threads[made], NULL, work, &milliseconds))
			break;
	}
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	return made;
}
