/* The stages: count calls, find classes, choose levels, mark boundaries. */
#include "patterns/iterations/iterations.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "patterns/iterations/iteration_choice.h"
#include "patterns/iterations/iteration_class.h"

enum { VISITS_LEAST = 3 };

#define MOST 0.9 /* share of the locations that must have a count */

struct iterations {
	const struct trace *trace;
	enum time_base base;
	struct iteration_choice choice;
	int64_t **begin; /* [levels][locations] */
};

/* How many locations have this number of visits of a token; TOKEN_NONE: of any one. */
struct visit_count {
	uint32_t token, visits, locations;
};

struct iterating {
	struct iterations *it;
	const struct progress *progress;
	struct plain_paths plain;
	struct iteration_tokens tokens;
	uint32_t locations;
	uint32_t **visits; /* [locations][tokens] */
	bool *calls_mpi;   /* [locations] */
	uint32_t counts[COUNTS_MOST], n_counts, callers;
	uint32_t *common; /* [tokens] the number of visits that most locations have, or 0 */
	struct iteration_calls calls[JOBS_MOST];
	struct iteration_class *found; /* [locations][n_counts] */
	atomic_uint done;
	atomic_bool stopped;
};

static bool step(struct iterating *m, unsigned worker)
{
	const unsigned done = atomic_fetch_add(&m->done, 1u) + 1u;

	if (worker == 0 &&
	    !progress_wanted(m->progress, "searching for iterations", done, 3ul * m->locations))
		atomic_store(&m->stopped, true);
	return !atomic_load(&m->stopped);
}

static void find_calls(struct iterating *m, unsigned worker, uint32_t location)
{
	iteration_calls_find(&m->calls[worker], &m->tokens, m->it->trace, m->it->base, location);
}

/* ---- counts ---- */

static void count_visits(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;
	const struct iteration_call *call;

	if (!step(m, worker) || !trace_has_location(m->it->trace, (uint32_t)location))
		return;
	find_calls(m, worker, (uint32_t)location);
	m->visits[location] = xcalloc((size_t)m->tokens.n + 1, sizeof **m->visits);
	vec_each (call, &m->calls[worker].of) {
		m->visits[location][call->token]++;
		if (m->tokens.mpi[call->token])
			m->calls_mpi[location] = true;
	}
}

typedef VEC(struct visit_count) count_list;

ORDERING(by_token, struct visit_count, token, visits)

static void add_count(struct keymap *map, count_list *list, uint32_t token, uint32_t visits)
{
	uint32_t row;

	if (keymap_new(map, KEY_OF(token, visits, 0, 0), list->n, &row))
		vec_push(list, ((struct visit_count){ token, visits, 0 }));
	list->data[row].locations++;
}

/* Adds up equal rows, which come from several processes. */
static void join_counts(count_list *list)
{
	size_t n = 0;

	vec_sort(list, by_token);
	for (size_t i = 0; i < list->n; i++) {
		struct visit_count *last = n ? &list->data[n - 1] : NULL;
		if (last && last->token == list->data[i].token &&
		    last->visits == list->data[i].visits)
			last->locations += list->data[i].locations;
		else
			list->data[n++] = list->data[i];
	}
	list->n = n;
}

static void count_location(const struct iterating *m, uint32_t location, struct keymap *map,
			   count_list *list)
{
	struct keymap own = { 0 };

	for (uint32_t t = 0; t < m->tokens.n; t++) {
		const uint32_t visits = m->visits[location][t];
		uint32_t row;
		if (visits < VISITS_LEAST)
			continue;
		add_count(map, list, t, visits);
		if (keymap_new(&own, KEY_OF(visits, 0, 0, 0), 0, &row))
			add_count(map, list, TOKEN_NONE, visits);
	}
	keymap_fini(&own);
}

static void keep_counts(struct iterating *m)
{
	struct exchange *x = trace_exchange(m->it->trace);
	count_list list = VEC_INIT;
	struct keymap map = { 0 };
	const struct visit_count *c;

	for (uint32_t l = 0; l < m->locations; l++)
		if (m->calls_mpi[l])
			count_location(m, l, &map, &list);
	keymap_fini(&map);
	for (uint32_t l = 0; l < m->locations; l++)
		m->callers += m->calls_mpi[l];
	m->callers = (uint32_t)exchange_count(x, m->callers);
	exchange_rows(x, &list);
	join_counts(&list);
	m->common = xcalloc((size_t)m->tokens.n + 1, sizeof *m->common);
	vec_each (c, &list) {
		if (c->locations < MOST * m->callers)
			continue;
		if (c->token != TOKEN_NONE)
			m->common[c->token] = c->visits;
		else if (m->n_counts < COUNTS_MOST)
			m->counts[m->n_counts++] = c->visits;
	}
	vec_fini(&list);
}

/* ---- classes ---- */

static void find_classes(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;
	struct iteration_places places;

	if (!step(m, worker) || !m->calls_mpi[location])
		return;
	find_calls(m, worker, (uint32_t)location);
	iteration_places_init(&places, &m->calls[worker], m->tokens.n);
	iteration_classes_find(&places, m->counts, m->n_counts, m->common, (uint32_t)location,
			       m->found + location * m->n_counts);
	iteration_places_fini(&places);
}

static void choose(struct iterating *m)
{
	OWNED_VEC(struct iteration_class) rows = VEC_INIT;

	for (size_t i = 0; i < (size_t)m->locations * m->n_counts; i++)
		if (m->found[i].visits)
			vec_push(&rows, m->found[i]);
	exchange_rows(trace_exchange(m->it->trace), &rows);
	iteration_choice_make(&m->it->choice, rows.data, rows.n, m->callers, m->tokens.path);
}

/* ---- boundaries ---- */

static void mark_level(const struct iterating *m, const struct iteration_places *p,
		       const struct iteration_calls *found, size_t level, uint32_t location)
{
	const struct iteration_choice *choice = &m->it->choice;
	const struct iteration_level *of = &choice->levels.data[level];
	const struct iteration_class *class =
		&m->found[(size_t)location * m->n_counts + choice->count[level]];
	const struct iteration_call *calls = found->of.data;
	const uint32_t *at;
	int64_t *begin;

	if (!class->visits)
		return;
	at = p->at + p->first[class->token];
	begin = xmalloc(((size_t)of->n + 1) * sizeof *begin);
	m->it->begin[level * m->locations + location] = begin;
	for (uint32_t k = 0; k <= of->n; k++) {
		const uint32_t i = k + of->warm;
		if (of->closing)
			begin[k] = i == 0 ? calls[class->first].en : calls[at[i - 1]].lv;
		else
			begin[k] = i < of->visits ? calls[at[i]].en : calls[class->last].lv;
	}
}

static void mark(void *context, unsigned worker, size_t location)
{
	struct iterating *m = context;
	struct iteration_places p;

	if (!step(m, worker) || !m->calls_mpi[location])
		return;
	find_calls(m, worker, (uint32_t)location);
	iteration_places_init(&p, &m->calls[worker], m->tokens.n);
	for (size_t level = 0; level < m->it->choice.levels.n; level++)
		mark_level(m, &p, &m->calls[worker], level, (uint32_t)location);
	iteration_places_fini(&p);
}

/* ---- all ---- */

static void iterating_fini(struct iterating *m)
{
	for (int i = 0; i < JOBS_MOST; i++)
		vec_fini(&m->calls[i].of);
	for (uint32_t l = 0; l < m->locations; l++)
		free(m->visits[l]);
	iteration_tokens_fini(&m->tokens);
	plain_paths_fini(&m->plain);
	free_all(m->visits, m->calls_mpi, m->common, m->found, m);
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
	keep_counts(m);
	m->found = xcalloc((size_t)m->locations * m->n_counts + 1, sizeof *m->found);
	if (m->n_counts == 0) {
		m->it->choice.main = LEVEL_NONE;
		return true;
	}
	if (!stage(m, jobs, find_classes))
		return false;
	choose(m);
	m->it->begin = xcalloc(m->it->choice.levels.n * m->locations + 1, sizeof *m->it->begin);
	return m->it->choice.levels.n == 0 || stage(m, jobs, mark);
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
	m->visits = xcalloc((size_t)n + 1, sizeof *m->visits);
	m->calls_mpi = xcalloc((size_t)n + 1, sizeof *m->calls_mpi);
	plain_paths_init(&m->plain, trace);
	iteration_tokens_init(&m->tokens, trace, &m->plain);
	done = find(m, jobs);
	iterating_fini(m);
	if (done)
		return it;
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
	free_all(it->begin, it);
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

const int64_t *iterations_of(const struct iterations *it, uint32_t location)
{
	return iterations_at(it, it->choice.main, location);
}
