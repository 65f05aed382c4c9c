/* A thread of rank 1 holds the lock that update() needs, for 4 ms in each step. */
#include "case.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stop;

static void update(void)
{
	pthread_mutex_lock(&lock);
	nap(1);
	pthread_mutex_unlock(&lock);
}

static void *hold(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&lock);
		nap(4);
		pthread_mutex_unlock(&lock);
		nap(0.3);
	}
	return unused;
}

int main(void)
{
	BEGIN();
	pthread_t thread;
	if (rank == 1)
		pthread_create(&thread, NULL, hold, NULL);
	for (int step = 0; step < STEPS; step++) {
		update();
		REDUCE();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	if (rank == 1)
		pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
