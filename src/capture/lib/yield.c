/* libtvyield: makes MPICH on UCX usable with more ranks than cores (tvrun --yield). Its ranks poll
 * without end while they wait; with this, one that found nothing some times in a row sleeps a
 * moment, and one with work gets the core. Waits stay real, but the ends of receives become as
 * coarse as the sleep, so it is for trying things out, not for measurements. In a program without
 * UCX it does nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

enum { PATIENCE = 20, NAP_NS = 50000, SLACK_NS = 1000 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*real)(void *);
	static _Thread_local int idle;
	const struct timespec nap = { 0, NAP_NS };
	unsigned events;

	if (!real) {
		*(void **)(void *)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
		if (!real)
			return 0;
		/* Else the kernel adds 50 us to every nap. */
		prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0);
	}
	events = real(worker);
	if (events)
		idle = 0;
	else if (++idle > PATIENCE)
		nanosleep(&nap, NULL);
	return events;
}
