/* The thread that makes analyses, and the order in which it does. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "patterns/patterns.h"
#include "views/query/analyses_state.h"

static bool step(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct analyses *a = context;
	bool go_on;

	pthread_mutex_lock(&a->lock);
	if (*what)
		snprintf(a->state.what, sizeof a->state.what, "%s", what);
	a->state.done = done;
	a->state.all = all;
	go_on = !a->stop;
	pthread_mutex_unlock(&a->lock);
	return go_on;
}

void analyses_tell(struct analyses *a)
{
	/* A full pipe has the same effect. */
	if (a->pipe[1] >= 0)
		while (write(a->pipe[1], "", 1) < 0 && errno == EINTR)
			;
}

/* Releases the lock, wakes waiting callers and notifies the reader of the pipe. */
static void changed(struct analyses *a)
{
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	analyses_tell(a);
}

/* Finds waits, and their sums where these are to be there at once. False: stopped, or failed with
 * err. */
static bool find_waits(struct analyses *a, enum time_base base, bool ahead,
		       const struct progress *progress, struct err *err)
{
	struct analysis *analysis =
		analysis_new(patterns, a->trace, base, &a->options, progress, err);
	struct wait_sums *sums = NULL;

	if (ahead && analysis)
		sums = wait_sums_new(analysis, NULL, progress);
	if (!analysis || (ahead && !sums)) {
		analysis_free(analysis);
		return false;
	}
	pthread_mutex_lock(&a->lock);
	a->of[base].analysis = analysis;
	if (a->of[base].sums)
		wait_sums_free(sums);
	else
		a->of[base].sums = sums;
	changed(a);
	return true;
}

/* Failures are not reported: nothing else depends on the sizes. */
static void find_sizes(struct analyses *a, enum time_base base, const struct progress *progress)
{
	const struct graph_options options = {
		.base = base, .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = a->options.jobs
	};
	struct err err = ERR_INIT;
	struct graph *graph = graph_new(a->trace, &options, progress, &err);
	struct one *one = &a->of[base];
	struct graph_sizes sizes = { 0 };

	if (graph)
		graph_sizes(graph, &sizes);
	pthread_mutex_lock(&a->lock);
	one->graph = graph;
	one->sizes = sizes;
	one->sized = graph != NULL;
	one->unsized = false;
	one->tried = true;
	changed(a);
}

/* Called under the lock. */
static bool next_wanted(const struct analyses *a, enum time_base *base)
{
	*base = a->first;
	for (int i = 0; i < BASE_COUNT && !a->of[*base].wanted; i++)
		*base = (enum time_base)i;
	return a->of[*base].wanted;
}

/* The same for sizes, which come last. */
static bool next_unsized(const struct analyses *a, enum time_base *base)
{
	for (int i = 0; i < BASE_COUNT; i++) {
		*base = (enum time_base)i;
		if (a->of[i].unsized)
			return true;
	}
	return false;
}

static void make(struct analyses *a, enum time_base base)
{
	const struct progress progress = { .step = step, .context = a };
	struct one *one = &a->of[base];
	const struct causes *causes = NULL;
	struct err err = ERR_INIT;
	bool ahead, done;

	pthread_mutex_lock(&a->lock);
	ahead = a->ahead;
	pthread_mutex_unlock(&a->lock);
	done = one->analysis || find_waits(a, base, ahead, &progress, &err);
	if (done && !trace_exchange(a->trace))
		causes = causes_of(one->analysis, &progress, &err);
	pthread_mutex_lock(&a->lock);
	one->causes = causes;
	if (causes)
		causes_iterate_by(causes, a->iterated_by);
	one->done = done;
	one->err = err;
	one->wanted = false;
	ahead = a->ahead;
	changed(a);
	/* An error comes up again when efficiencies are computed. */
	if (causes && ahead)
		causes_ideal(causes, INT64_MIN, INT64_MAX, &progress, &err);
}

void analyses_set_busy(struct analyses *a, enum time_base base)
{
	a->state = (struct analyses_state){ .busy = true, .base = base, .since = clock_ns() };
}

/* What is wanted next; false: nothing. Called under the lock, which it gives up meanwhile. */
bool analyses_make_next(struct analyses *a)
{
	const struct progress progress = { .step = step, .context = a };
	enum time_base base;
	const bool waits = next_wanted(a, &base);

	if (!waits && !next_unsized(a, &base))
		return false;
	analyses_set_busy(a, base);
	pthread_mutex_unlock(&a->lock);
	if (waits)
		make(a, base);
	else
		find_sizes(a, base, &progress);
	pthread_mutex_lock(&a->lock);
	return true;
}

/* All was made, or one waits for the next wish. Called under the lock, which it gives up. */
static void rest(struct analyses *a)
{
	if (!a->state.busy) {
		pthread_cond_wait(&a->changed, &a->lock);
		return;
	}
	a->state.busy = false;
	changed(a);
	pthread_mutex_lock(&a->lock);
}

static void *run(void *context)
{
	struct analyses *a = context;

	pthread_mutex_lock(&a->lock);
	while (!a->stop)
		if (!analyses_make_next(a))
			rest(a);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Without a thread, the caller does the work itself. So it does where processes share the trace:
 * all have to ask each other in the same order. */
bool analyses_start(struct analyses *a)
{
	sigset_t all, old;

	if (a->running || trace_exchange(a->trace))
		return a->running;
	/* Signals belong to the terminal's thread, except faults of guarded memory
	 * (base/guard.h). */
	guard_others(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	a->running = pthread_create(&a->thread, NULL, run, a) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return a->running;
}
