/* The stages: count calls, see what numbers of visits reach far, find classes, choose levels, mark
 * boundaries. */
#include "patterns/iterations/iterations.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "patterns/iterations/iteration_choice.h"
#include "patterns/iterations/iteration_class.h"
#include "patterns/iterations/iteration_counts.h"
#include "patterns/iterations/iteration_named.h"
#include "patterns/iterations/iterations_state.h"

enum { STAGES = 4 };

/* What a worker finds at the locations that it had. */
struct iteration_worker {
	struct iteration_calls calls;
	struct visit_counts counts, votes;
	struct iteration_reach reach[COUNTS_MOST];
};

struct iterating {
	struct iterations *it;
	const struct progress *progress;
	struct plain_paths plain;
	struct iteration_tokens tokens;
	uint32_t locations, callers;
	bool *calls_mpi; /* [locations] */
	struct iteration_counts counts;
	struct iteration_worker *workers; /* [JOBS_MOST] */
	struct iteration_class *found;    /* [locations][counts.n] */
	atomic_uint done;
	atomic_bool stopped;
};

static bool step(struct iterating *m, unsigned worker)
{
	const unsigned done = atomic_fetch_add(&m->done, 1u) + 1u;

	if (worker == 0 &&
	    !progress_wanted(m->progress, "searching for iterations", done, STAGES * m->locations))
		atomic_store(&m->stopped, true);
	return !atomic_load(&m->stopped);
}

static const struct iteration_calls *find_calls(struct iterating *m, unsigned worker,
						size_t location)
{
	struct iteration_calls *calls = &m->workers[worker].calls;

	iteration_calls_find(calls, &m->tokens, m->it->trace, m->it->base, (uint32_t)location);
	return calls;
}

/* ---- counts ---- */

static void count_visits(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;

	if (step(m, worker) && trace_has_location(m->it->trace, (uint32_t)location))
		m->calls_mpi[location] = visit_counts_add(&m->workers[worker].counts,
							  find_calls(m, worker, location));
}

static void keep_counts(struct iterating *m)
{
	struct exchange *x = trace_exchange(m->it->trace);

	for (uint32_t l = 0; l < m->locations; l++)
		m->callers += m->calls_mpi[l];
	m->callers = (uint32_t)exchange_count(x, m->callers);
	for (int i = 1; i < JOBS_MOST; i++)
		visit_counts_join(&m->workers[0].counts, &m->workers[i].counts);
	visit_counts_keep(&m->workers[0].counts, x, m->callers, m->tokens.n, &m->counts);
}

/* ---- classes ---- */

static void survey(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;

	if (!step(m, worker) || !m->calls_mpi[location])
		return;
	iteration_classes_survey(find_calls(m, worker, location), &m->counts, LOOP_COVER,
				 m->workers[worker].reach, &m->workers[worker].votes);
}

/* Calls that are made equally often may be of several loops. */
static void divide(struct iterating *m)
{
	for (int i = 1; i < JOBS_MOST; i++)
		visit_counts_join(&m->workers[0].votes, &m->workers[i].votes);
	visit_counts_divide(&m->workers[0].votes, trace_exchange(m->it->trace), m->callers,
			    m->tokens.n, &m->counts);
}

/* Leaves out numbers of visits whose classes cover too little on most locations: a median is below
 * a bound if more than half of the values are. */
static void keep_far_reaching(struct iterating *m)
{
	struct iteration_reach all[COUNTS_MOST] = { 0 };
	uint32_t n = 0;

	for (int w = 0; w < JOBS_MOST; w++)
		for (uint32_t i = 0; i < m->counts.n; i++) {
			all[i].locations += m->workers[w].reach[i].locations;
			all[i].cover += m->workers[w].reach[i].cover;
			all[i].part += m->workers[w].reach[i].part;
		}
	exchange_sums(trace_exchange(m->it->trace), &all->locations, COUNTS_MOST * 3);
	for (uint32_t i = 0; i < m->counts.n; i++)
		if (2 * all[i].cover >= all[i].locations || 2 * all[i].part >= all[i].locations)
			m->counts.of[n++] = m->counts.of[i];
	m->counts.n = n;
}

static void find_classes(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;

	if (!step(m, worker) || !m->calls_mpi[location])
		return;
	iteration_classes_find(find_calls(m, worker, location), &m->counts,
			       m->found + location * m->counts.n);
}

static void choose(struct iterating *m)
{
	OWNED_VEC(struct iteration_class) rows = VEC_INIT;

	for (size_t i = 0; i < (size_t)m->locations * m->counts.n; i++)
		if (m->found[i].visits)
			vec_push(&rows, m->found[i]);
	exchange_rows(trace_exchange(m->it->trace), &rows);
	iteration_choice_make(&m->it->choice, rows.data, rows.n, m->callers, m->tokens.path);
}

/* ---- boundaries ---- */

/* A level on one location: the visits of its anchor, and the last call of all. */
struct level_visits {
	const struct iteration_level *level;
	const struct iteration_class *class;
	bool closing;
	int64_t *enters, *leaves; /* [visits] */
	int64_t last[2];
};

static int64_t *begins_of(const struct iterating *m, const struct level_visits *v)
{
	int64_t *begin = xmalloc(((size_t)v->level->n + 1) * sizeof *begin);

	for (uint32_t k = 0; k <= v->level->n; k++) {
		const uint32_t i = k + v->level->warm;
		if (v->closing && i == 0)
			begin[k] = trace_event_time(m->it->trace, m->it->base, v->class->first);
		else if (v->closing)
			begin[k] = v->leaves[i - 1];
		else
			begin[k] = i < v->level->visits ? v->enters[i] : v->last[1];
	}
	return begin;
}

/* Of the same anchor an iteration begins on all locations alike; one with another anchor knows by
 * itself. */
static bool is_closing(const struct iteration_choice *choice, size_t level,
		       const struct iteration_class *class)
{
	if (class->token != choice->token[level] && (class->opening || class->closing))
		return class->closing;
	return choice->levels.data[level].closing;
}

/* All levels in one pass over the location's events. */
static void mark(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;
	const struct iteration_choice *choice = &m->it->choice;
	struct level_visits levels[COUNTS_MOST];
	struct iteration_visits visits[2 * COUNTS_MOST];
	size_t n = 0;

	if (!step(m, worker) || !m->calls_mpi[location])
		return;
	for (size_t i = 0; i < choice->levels.n; i++) {
		const struct iteration_class *class =
			&m->found[location * m->counts.n + choice->count[i]];
		struct level_visits *v = &levels[i];
		*v = (struct level_visits){
			&choice->levels.data[i], class, false, NULL, NULL, { 0 }
		};
		if (!class->visits)
			continue;
		v->closing = is_closing(choice, i, class);
		v->enters = xmalloc(class->visits * sizeof *v->enters);
		v->leaves = xmalloc(class->visits * sizeof *v->leaves);
		visits[n++] = (struct iteration_visits){ class->anchor, class->visits, v->enters,
							 v->leaves };
		visits[n++] = (struct iteration_visits){ class->last, 1, &v->last[0], &v->last[1] };
	}
	iteration_visits_find(&m->tokens, m->it->trace, m->it->base, visits, n);
	for (size_t i = 0; i < choice->levels.n; i++) {
		if (levels[i].enters)
			m->it->begin[i * m->locations + location] = begins_of(m, &levels[i]);
		free_all(levels[i].enters, levels[i].leaves);
	}
}

/* ---- all ---- */

static void iterating_fini(struct iterating *m)
{
	for (int i = 0; i < JOBS_MOST; i++) {
		iteration_calls_fini(&m->workers[i].calls);
		visit_counts_fini(&m->workers[i].counts);
		visit_counts_fini(&m->workers[i].votes);
	}
	iteration_tokens_fini(&m->tokens);
	plain_paths_fini(&m->plain);
	free_all(m->workers, m->calls_mpi, m->counts.common, m->counts.loop_of, m->found, m);
}

static bool stage(struct iterating *m, unsigned jobs,
		  void (*work)(void *context, unsigned worker, size_t location))
{
	if (!atomic_load(&m->stopped))
		jobs_run(jobs, m->locations, work, m);
	/* All processes go on together, or none. */
	return !exchange_any(trace_exchange(m->it->trace), atomic_load(&m->stopped));
}

static bool find(struct iterating *m, unsigned jobs)
{
	if (!stage(m, jobs, count_visits))
		return false;
	m->it->choice.main = LEVEL_NONE;
	keep_counts(m);
	if (m->counts.n == 0)
		return true;
	if (!stage(m, jobs, survey))
		return false;
	keep_far_reaching(m);
	divide(m);
	if (m->counts.n == 0)
		return true;
	m->found = xcalloc((size_t)m->locations * m->counts.n, sizeof *m->found);
	if (!stage(m, jobs, find_classes))
		return false;
	choose(m);
	m->it->begin = xcalloc(m->it->choice.levels.n * m->locations + 1, sizeof *m->it->begin);
	return m->it->choice.levels.n == 0 || stage(m, jobs, mark);
}

/* Which locations have which levels. */
static void share_has(struct iterations *it)
{
	const size_t n = it->choice.levels.n * trace_location_count(it->trace);
	OWNED uint64_t *has = xcalloc(n + 1, sizeof *has);

	it->has = xcalloc(n + 1, sizeof *it->has);
	for (size_t i = 0; i < n; i++)
		has[i] = it->begin[i] != NULL;
	exchange_sums(trace_exchange(it->trace), has, n);
	for (size_t i = 0; i < n; i++)
		it->has[i] = has[i] > 0;
}

struct iterations *iterations_new(const struct trace *trace, enum time_base base, unsigned jobs,
				  const struct progress *progress)
{
	const uint32_t n = trace_location_count(trace);
	struct iterations *it = xcalloc(1, sizeof *it);
	struct iterating *m = xcalloc(1, sizeof *m);
	bool done;

	it->trace = trace;
	it->base = base;
	m->it = it;
	m->progress = progress;
	m->locations = n;
	m->workers = xcalloc(JOBS_MOST, sizeof *m->workers);
	m->calls_mpi = xcalloc((size_t)n + 1, sizeof *m->calls_mpi);
	plain_paths_init(&m->plain, trace);
	iteration_tokens_init(&m->tokens, trace, &m->plain);
	done = find(m, jobs);
	iterating_fini(m);
	if (done) {
		share_has(it);
		return it;
	}
	iterations_free(it);
	return NULL;
}

struct iterations *iterations_named(const struct trace *trace, enum time_base base,
				    const char *name, const struct progress *progress)
{
	const uint32_t n = trace_location_count(trace);
	struct iterations *it = xcalloc(1, sizeof *it);
	struct iteration_level level;
	bool done;

	it->trace = trace;
	it->base = base;
	it->anchor = name;
	it->begin = xcalloc((size_t)n + 1, sizeof *it->begin);
	it->choice.main = LEVEL_NONE;
	done = iterations_find_named(trace, base, name, progress, &level, it->begin);
	if (level.n) {
		vec_push(&it->choice.levels, level);
		it->choice.main = 0;
	}
	if (done) {
		share_has(it);
		return it;
	}
	iterations_free(it);
	return NULL;
}

void iterations_free(struct iterations *it)
{
	if (!it)
		return;
	for (size_t i = 0; it->begin && i < it->choice.levels.n * trace_location_count(it->trace);
	     i++)
		free(it->begin[i]);
	iteration_choice_fini(&it->choice);
	free_all(it->begin, it->has, it);
}

const char *iterations_anchor(const struct iterations *it)
{
	return it->anchor;
}

const struct iteration_level *iterations_levels(const struct iterations *it, size_t *n,
						size_t *main)
{
	*n = it->choice.levels.n;
	*main = it->choice.main == LEVEL_NONE ? *n : it->choice.main;
	return it->choice.levels.data;
}

const struct iteration_level *iterations_main(const struct iterations *it)
{
	return it->choice.main == LEVEL_NONE ? NULL : &it->choice.levels.data[it->choice.main];
}

const int64_t *iterations_at(const struct iterations *it, size_t level, uint32_t location)
{
	return level < it->choice.levels.n
		       ? it->begin[level * trace_location_count(it->trace) + location]
		       : NULL;
}

bool iterations_has(const struct iterations *it, size_t level, uint32_t location)
{
	return level < it->choice.levels.n &&
	       it->has[level * trace_location_count(it->trace) + location];
}

const int64_t *iterations_of(const struct iterations *it, uint32_t location)
{
	return iterations_at(it, it->choice.main, location);
}
