#define _GNU_SOURCE
#include "views/query/analyses.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/memory_bound.h"
#include "base/str.h"
#include "base/units.h"
#include "patterns/iterations/iterations.h"
#include "patterns/topology/topology.h"
#include "views/query/analyses_state.h"

/* How often a waiting caller asks whether to go on. */
enum { LOOK_MS = 10 };

/* ---- asking ---- */

struct analyses *analyses_new(struct trace *trace, const struct analysis_options *options)
{
	struct analyses *a = xcalloc(1, sizeof *a);
	pthread_condattr_t clock;

	a->trace = trace;
	a->options = *options;
	a->topology = options->topology ? xstrdup(options->topology) : NULL;
	a->options.topology = a->topology;
	if (pipe2(a->pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		a->pipe[0] = a->pipe[1] = -1;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, &clock);
	pthread_condattr_destroy(&clock);
	analyses_iterate_by(a, options->iteration);
	a->options.iteration = a->iterated_by;
	return a;
}

static void end_thread(struct analyses *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	if (a->running)
		pthread_join(a->thread, NULL);
}

void analyses_free(struct analyses *a)
{
	if (!a)
		return;
	end_thread(a);
	for (int i = 0; i < CUBES; i++)
		cube_free(a->cubes[i].cube);
	for (int base = 0; base < BASE_COUNT; base++) {
		graph_free(a->of[base].graph);
		wait_sums_free(a->of[base].sums);
		iterations_free(a->of[base].iterations);
		free(a->of[base].path);
		analysis_free(a->of[base].analysis);
	}
	for (int i = 0; i < 2; i++)
		if (a->pipe[i] >= 0)
			close(a->pipe[i]);
	if (a->grids)
		grids_fini(a->grids);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	for (size_t i = 0; i < a->iterated.n; i++)
		free(a->iterated.data[i]);
	vec_fini(&a->iterated);
	free_all(a->topology, a->grids, a);
}

const struct analysis_options *analyses_options(const struct analyses *a)
{
	return &a->options;
}

void analyses_iterate_by(struct analyses *a, const char *name)
{
	if (name)
		vec_push(&a->iterated, xstrdup(name));
	pthread_mutex_lock(&a->lock);
	a->iterated_by = name ? *vec_last(&a->iterated) : NULL;
	for (int base = 0; base < BASE_COUNT; base++)
		if (a->of[base].causes)
			causes_iterate_by(a->of[base].causes, a->iterated_by);
	pthread_mutex_unlock(&a->lock);
}

const char *analyses_iterated_by(const struct analyses *a)
{
	return a->iterated_by;
}

void analyses_ahead(struct analyses *a)
{
	pthread_mutex_lock(&a->lock);
	a->ahead = true;
	pthread_mutex_unlock(&a->lock);
}

void analyses_limit(struct analyses *a, uint64_t max_mem)
{
	a->options.max_mem = max_mem;
}

/* What an analysis takes beside the trace, for each event: measured with 10 million. */
enum { BYTES_OF_EVENT = 26 };

/* Called under the lock. */
static bool has_room(const struct analyses *a, struct err *err)
{
	const uint64_t need = trace_event_count(a->trace) * BYTES_OF_EVENT;
	const uint64_t left = memory_left(), most = a->options.max_mem;
	const uint64_t may = most && most < left ? most : left;
	OWNED_STR needed = STR_INIT, allowed = STR_INIT;

	if (need <= may)
		return true;
	units_bytes(&needed, need);
	units_bytes(&allowed, may);
	return err_set(
		err, STATUS_NO,
		"wait states are not listed: finding them takes about %s, and --max-mem leaves "
		"%s (tview-replay export patterns divides it)",
		needed.text, allowed.text);
}

/* Has what is wanted of a base made. Called under the lock. */
static void begin(struct analyses *a, enum time_base base)
{
	if (!a->state.busy)
		analyses_set_busy(a, base);
	if (analyses_start(a)) {
		pthread_cond_broadcast(&a->changed);
		return;
	}
	while (analyses_make_next(a))
		;
	a->state.busy = false;
}

/* Starts the analysis of a base unless it is complete or failed. Called under the lock. */
static void want(struct analyses *a, enum time_base base)
{
	struct one *one = &a->of[base];

	if (one->done || err_is_set(&one->err))
		return;
	a->first = base;
	if (one->wanted)
		return;
	if (!has_room(a, &one->err)) {
		analyses_tell(a);
		return;
	}
	one->wanted = true;
	begin(a, base);
}

/* Waits, under the lock, while something of a base is wanted. False if progress stopped the wait
 * before. */
static bool wait_for(struct analyses *a, const bool *wanted, const struct progress *progress)
{
	while (*wanted) {
		const struct analyses_state state = a->state;
		struct timespec until;
		bool go_on;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&a->changed, &a->lock, &until);
		pthread_mutex_unlock(&a->lock);
		go_on = progress_step(progress, state.what, state.done, state.all);
		pthread_mutex_lock(&a->lock);
		if (!go_on)
			return !*wanted;
	}
	return true;
}

struct analysis *analyses_get(struct analyses *a, enum time_base base,
			      const struct progress *progress, struct err *err)
{
	struct analysis *analysis = NULL;
	struct one *one = &a->of[base];

	pthread_mutex_lock(&a->lock);
	want(a, base);
	if (wait_for(a, &one->wanted, progress)) {
		analysis = one->done ? one->analysis : NULL;
		if (err_is_set(&one->err)) {
			err_set(err, one->err.status, "%s", one->err.text);
			one->told = true;
		}
	}
	pthread_mutex_unlock(&a->lock);
	return analysis;
}

bool query_analysis(const struct query *query, struct analysis **analysis, struct err *err)
{
	*analysis = query->analyses
			    ? analyses_get(query->analyses, query->base, query->progress, err)
			    : NULL;
	return *analysis || !query->analyses;
}

/* Returns a copy of the state of a base and starts its analysis. */
static struct one look(struct analyses *a, enum time_base base)
{
	struct one one;

	pthread_mutex_lock(&a->lock);
	want(a, base);
	one = a->of[base];
	pthread_mutex_unlock(&a->lock);
	return one;
}

struct analysis *analyses_peek(struct analyses *a, enum time_base base)
{
	return a ? look(a, base).analysis : NULL;
}

struct analysis *analyses_look(struct analyses *a, enum time_base base)
{
	struct analysis *analysis;

	if (!a)
		return NULL;
	pthread_mutex_lock(&a->lock);
	analysis = a->of[base].analysis;
	pthread_mutex_unlock(&a->lock);
	return analysis;
}

const struct causes *analyses_causes(struct analyses *a, enum time_base base)
{
	return look(a, base).causes;
}

const struct causes *query_causes(const struct query *query, struct analysis *analysis)
{
	return trace_exchange(query->trace) ? causes_of(analysis, query->progress, NULL)
					    : analyses_causes(query->analyses, query->base);
}

/* The sums of a base, those of an earlier start, too. Called under the lock. */
static struct wait_sums *sums_there(struct analyses *a, enum time_base base)
{
	struct one *one = &a->of[base];

	if (!one->sums)
		one->sums = wait_sums_kept(a->trace, base);
	return one->sums;
}

void analyses_begin(struct analyses *a, enum time_base base)
{
	pthread_mutex_lock(&a->lock);
	if (!sums_there(a, base) || !analyses_cube_is_kept(a, base, INT64_MIN, INT64_MAX))
		want(a, base);
	pthread_mutex_unlock(&a->lock);
}

const struct wait_sums *analyses_wait_sums(struct analyses *a, enum time_base base)
{
	struct wait_sums *sums, *made = NULL;
	const struct analysis *analysis;

	pthread_mutex_lock(&a->lock);
	if (!sums_there(a, base))
		want(a, base);
	sums = a->of[base].sums;
	analysis = a->of[base].analysis;
	pthread_mutex_unlock(&a->lock);
	if (!sums && analysis)
		made = wait_sums_new(analysis, NULL, NULL);
	pthread_mutex_lock(&a->lock);
	if (made)
		sums = a->of[base].sums = made;
	if (sums)
		wait_sums_keep(sums, a->trace, base);
	pthread_mutex_unlock(&a->lock);
	return sums;
}

bool query_wait_sums(const struct query *query, struct err *err)
{
	struct analysis *analysis;

	return (query->analyses && !query->filter &&
		analyses_wait_sums(query->analyses, query->base)) ||
	       query_analysis(query, &analysis, err);
}

bool analyses_sizes(struct analyses *a, enum time_base base, bool wait,
		    const struct progress *progress, struct graph_sizes *sizes)
{
	struct one *one = &a->of[base];
	bool sized;

	pthread_mutex_lock(&a->lock);
	if (!one->tried && !one->unsized)
		analyses_sizes_kept(a, base);
	if (!one->tried)
		want(a, base);
	if (!one->tried && !one->unsized && !err_is_set(&one->err)) {
		one->unsized = true;
		begin(a, base);
	}
	if (wait)
		wait_for(a, &one->unsized, progress);
	sized = one->sized;
	if (sized)
		*sizes = one->sizes;
	if (sized && one->graph)
		graph_keep(one->graph);
	pthread_mutex_unlock(&a->lock);
	return sized;
}

struct graph *analyses_take_graph(struct analyses *a, enum time_base base)
{
	struct graph *graph;

	pthread_mutex_lock(&a->lock);
	graph = a->of[base].graph;
	a->of[base].graph = NULL;
	pthread_mutex_unlock(&a->lock);
	return graph;
}

/* ---- notices from the thread ---- */

int analyses_fd(const struct analyses *a)
{
	return a->pipe[0];
}

bool analyses_told(struct analyses *a)
{
	char bytes[64];
	bool told = false;

	while (a->pipe[0] >= 0 && read(a->pipe[0], bytes, sizeof bytes) > 0)
		told = true;
	return told;
}

struct analyses_state analyses_state(struct analyses *a)
{
	struct analyses_state state;

	pthread_mutex_lock(&a->lock);
	state = a->state;
	pthread_mutex_unlock(&a->lock);
	return state;
}

bool analyses_trouble(struct analyses *a, struct err *err)
{
	bool any = false;

	pthread_mutex_lock(&a->lock);
	for (int base = 0; base < BASE_COUNT && !any; base++) {
		struct one *one = &a->of[base];

		if (!err_is_set(&one->err) || one->told)
			continue;
		err_set(err, one->err.status, "%s", one->err.text);
		one->told = any = true;
	}
	pthread_mutex_unlock(&a->lock);
	return any;
}
