/* Combines the parts; results for the whole run are kept. */
#include "patterns/causes/causes_state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "patterns/analysis/analysis_state.h"
#include "patterns/causes/ideal.h"

enum { LOOK_NS = 20000000 };

/* Whether a metric is theirs, and not of the analysis alone. */
static bool is_cause(enum cube_metric metric)
{
	return (cube_metric_within(metric, CUBE_DELAY) ||
		cube_metric_within(metric, CUBE_WAITSTATES_PROPAGATING_VS_TERMINAL) ||
		cube_metric_within(metric, CUBE_WAITSTATES_DIRECT_VS_INDIRECT) ||
		cube_metric_within(metric, CUBE_CRITICAL_PATH) ||
		cube_metric_within(metric, CUBE_PERFORMANCE_IMPACT));
}

static bool add(const struct causes *c, struct cube *cube, int64_t t0, int64_t t1,
		struct delay_account *account, const struct progress *progress)
{
	return delays_charge(c->delays, c->analysis, cube, t0, t1, account, progress) &&
	       critical_add(c->critical, c->analysis, cube, t0, t1, progress);
}

static bool make(struct causes *c, bool literal, const struct progress *progress)
{
	const struct trace *trace = analysis_trace(c->analysis);
	const enum time_base base = analysis_base(c->analysis);
	const unsigned jobs = c->analysis->jobs;

	c->points = points_finish(c->analysis, literal, jobs, progress);
	if (c->points) {
		c->idle = stream_idle_new(trace, base, c->points, jobs);
		c->intervals = intervals_new(trace, base, c->points, c->idle, jobs, progress);
	}
	if (c->intervals)
		c->delays = delays_new(trace, c->points, c->intervals, jobs, progress);
	if (!c->delays)
		return false;
	c->critical = critical_new(trace, base, c->points, c->intervals);
	c->whole = cube_new(trace);
	if (!add(c, c->whole, INT64_MIN, INT64_MAX, &c->account, progress))
		return false;
	cube_settle(c->whole);
	return true;
}

struct causes *causes_new_as(struct analysis *analysis, enum causes_reading reading,
			     const struct progress *progress, struct err *err)
{
	struct causes *c = xcalloc(1, sizeof *c);

	(void)err; /* all that can fail did so when the analysis was made */
	c->analysis = analysis;
	c->ideal = -1;
	c->iterated_by = analysis->iteration;
	pthread_mutex_init(&c->lock, NULL);
	if (make(c, reading == CAUSES_LITERAL, progress))
		return c;
	causes_free(c);
	return NULL;
}

void causes_free(struct causes *c)
{
	if (!c)
		return;
	cube_free(c->whole);
	critical_free(c->critical);
	delays_free(c->delays);
	for (size_t i = 0; i < c->iterations.n; i++)
		iterations_free(c->iterations.data[i]);
	vec_fini(&c->iterations);
	intervals_free(c->intervals);
	stream_idle_free(c->idle);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

bool causes_whole(const struct causes *c, int64_t t0, int64_t t1)
{
	int64_t begin, end;

	trace_span(analysis_trace(c->analysis), analysis_base(c->analysis), &begin, &end);
	return t0 <= begin && t1 >= end;
}

static void *make_causes(struct analysis *analysis, const struct progress *progress,
			 struct err *err)
{
	return causes_new_as(analysis, CAUSES_OWN, progress, err);
}

static void free_causes(void *causes)
{
	causes_free(causes);
}

/* The metrics delay_*, mpi_wait_*, critical_path*, performance_impact* of a window. */
static bool add_causes(struct analysis *analysis, struct cube *cube, int64_t t0, int64_t t1,
		       const struct progress *progress, struct err *err)
{
	const struct causes *c = causes_of(analysis, progress, err);
	struct delay_account account;

	if (!c)
		return false;
	if (!causes_whole(c, t0, t1))
		return add(c, cube, t0, t1, &account, progress);
	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cells;
		if (cube_metric_info((enum cube_metric)m)->source != SOURCE_FOUND ||
		    !is_cause((enum cube_metric)m))
			continue;
		cells = cube_cells(c->whole, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++)
			cube_add(cube, (enum cube_metric)m, cells[i].path, cells[i].location,
				 cells[i].value);
	}
	return true;
}

const struct pattern causes_pattern = {
	.name = "causes",
	.part = CUBE_CAUSES,
	.add = add_causes,
	.make = make_causes,
	.unmake = free_causes,
};

const struct causes *causes_of(struct analysis *analysis, const struct progress *progress,
			       struct err *err)
{
	return analysis_made(analysis, &causes_pattern, progress, err);
}

/* Takes the lock, unless progress says to stop waiting for it. */
static bool take_turn(struct causes *c, const struct progress *progress)
{
	for (;;) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_mutex_timedlock(&c->lock, &until) == 0)
			return true;
		if (!progress_wanted(progress, "the ideal network", 0, 1))
			return false;
	}
}

struct cost_telling {
	const struct causes *causes;
	causes_cost *on_cost;
	void *context;
};

static void tell_cost(void *context, const struct delay *delay, double ticks)
{
	const struct cost_telling *t = context;
	const struct point *points = t->causes->points->of[delay->other].data;
	const int64_t to = points[delay->other_point].en;
	const struct point *first = &points[delay->other_from];
	/* Of the first call only what was its own choice counts, as in the comparison. */
	const int64_t from = first->en + first->used;

	t->on_cost(t->context, delay->other, from < to ? from : to, to, ticks);
}

bool causes_costs(const struct causes *causes, causes_cost *on_cost, void *context,
		  const struct progress *progress)
{
	struct cost_telling telling = { causes, on_cost, context };

	return delays_tell(causes->delays, causes->analysis,
			   &(struct delay_listener){ tell_cost, &telling }, progress);
}

/* The first caller computes the result; concurrent callers wait for it. */
bool causes_ideal(const struct causes *causes, int64_t t0, int64_t t1,
		  const struct progress *progress, struct err *err)
{
	struct causes *c = (struct causes *)(uintptr_t)causes;
	bool there;

	if (!causes_whole(c, t0, t1))
		return true;
	if (!take_turn(c, progress))
		return false;
	if (c->ideal < 0)
		c->ideal = ideal_run_time(analysis_trace(c->analysis), analysis_base(c->analysis),
					  progress, err);
	there = c->ideal >= 0;
	pthread_mutex_unlock(&c->lock);
	return there;
}

bool causes_has_ideal(const struct causes *causes)
{
	struct causes *c = (struct causes *)(uintptr_t)causes;
	bool there;

	/* While another thread computes it, it is not available. */
	if (pthread_mutex_trylock(&c->lock) != 0)
		return false;
	there = c->ideal >= 0;
	pthread_mutex_unlock(&c->lock);
	return there;
}

/* Those by a name, if they were made; under the lock. */
static const struct iterations *made_iterations(const struct causes *c, const char *name)
{
	for (size_t i = 0; i < c->iterations.n; i++) {
		const char *by = iterations_anchor(c->iterations.data[i]);
		if (by && name ? strcmp(by, name) == 0 : by == name)
			return c->iterations.data[i];
	}
	return NULL;
}

static struct iterations *make_iterations(const struct causes *c, const char *name,
					  const struct progress *progress)
{
	const struct trace *trace = analysis_trace(c->analysis);
	const enum time_base base = analysis_base(c->analysis);

	return name ? iterations_named(trace, base, name, progress)
		    : iterations_new(trace, base, c->analysis->jobs, progress);
}

const struct iterations *causes_iterations(const struct causes *causes,
					   const struct progress *progress)
{
	struct causes *c = (struct causes *)(uintptr_t)causes;
	const struct iterations *made;
	const char *name;

	if (!take_turn(c, progress))
		return NULL;
	name = c->iterated_by;
	made = made_iterations(c, name);
	if (!made) {
		struct iterations *new = make_iterations(c, name, progress);
		if (new)
			vec_push(&c->iterations, new);
		made = new;
	}
	pthread_mutex_unlock(&c->lock);
	return made;
}

void causes_iterate_by(const struct causes *causes, const char *name)
{
	struct causes *c = (struct causes *)(uintptr_t)causes;

	c->iterated_by = name;
}

void causes_account(const struct causes *c, struct causes_account *account)
{
	*account = (struct causes_account){ .cut = c->account.cut };
	for (int k = 0; k < DELAY_CLASSES; k++) {
		account->waited += c->account.waited[k];
		account->charged += c->account.charged[k];
		account->unexplained += c->account.unexplained[k];
	}
}

const struct path_stretch *causes_critical_path(const struct causes *c, size_t *n)
{
	*n = c->critical->stretches;
	return c->critical->path;
}

struct path_stretch *causes_shared_path(const struct causes *c, size_t *n)
{
	return critical_path_make(c->critical, trace_exchange(analysis_trace(c->analysis)), n);
}
