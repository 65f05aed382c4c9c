#define _GNU_SOURCE
#include "base/jobs.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/guard.h"

struct run {
	_Atomic size_t next;
	size_t n;
	void (*work)(void *context, unsigned worker, size_t thing);
	void *context;
};

struct worker {
	struct run *run;
	pthread_t thread;
	unsigned id;
};

unsigned jobs_count(int wanted)
{
	cpu_set_t set;
	int n = wanted;

	if (n <= 0)
		n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	if (n < 1)
		return 1;
	return n < JOBS_MOST ? (unsigned)n : JOBS_MOST;
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct run *run = w->run;

	for (;;) {
		const size_t i = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
		if (i >= run->n)
			return NULL;
		run->work(run->context, w->id, i);
	}
}

void jobs_run(unsigned jobs, size_t n, void (*function)(void *, unsigned, size_t), void *context)
{
	struct run run = { .n = n, .work = function, .context = context };
	struct worker workers[JOBS_MOST];
	unsigned started = 1;
	sigset_t all, before;

	if (jobs > JOBS_MOST)
		jobs = JOBS_MOST;
	if (jobs > n)
		jobs = n ? (unsigned)n : 1;
	guard_others(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < jobs) {
		workers[started] = (struct worker){ .run = &run, .id = started };
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
			break;
		started++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	workers[0] = (struct worker){ .run = &run };
	work(&workers[0]);
	while (started > 1)
		pthread_join(workers[--started].thread, NULL);
}
