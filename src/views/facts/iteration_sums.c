#include "views/facts/iteration_sums.h"

#include <math.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/core_wait.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "model/trace/piece.h"
#include "views/query/analyses.h"

/* Of a location, while costs are added. */
struct caused_sums {
	fixed *own;  /* [n] of intervals that begin or end in an iteration */
	rate *begun; /* [n + 1] changes of the charge per tick of work, in whole iterations */
};

struct summing {
	struct iteration_sums *sums;
	const struct query *query;
	const struct wait_sums *waits;
	struct caused_sums *caused; /* [locations] */
};

/* ---- waiting ---- */

static uint64_t waited_in(const struct summing *m, uint32_t location, int64_t from, int64_t to)
{
	const int64_t edges[2] = { from, to };
	uint64_t slots[WAIT_SLOTS] = { 0 }, sum = 0;

	if (from < to)
		wait_sums_add(m->waits, location, edges, 1, slots);
	for (unsigned i = 0; i < WAIT_SLOTS; i++)
		sum += slots[i];
	return sum;
}

static void add_waiting(const struct summing *m, uint32_t location)
{
	const struct iteration_sums *s = m->sums;
	const int64_t *begin = iterations_at(s->iterations, s->level, location);
	const unsigned slots = wait_sums_slots(m->waits, NULL);
	OWNED uint64_t *by_slot = xcalloc((size_t)s->n * slots + 1, sizeof *by_slot);

	wait_sums_add(m->waits, location, begin, s->n, by_slot);
	for (uint32_t k = 0; k < s->n; k++) {
		struct iteration_sum *sum = &s->of[location][k];
		sum->begin = begin[k];
		sum->end = begin[k + 1];
		for (unsigned i = 0; i < slots; i++)
			sum->waiting += by_slot[(size_t)k * slots + i];
	}
}

/* ---- waits for a core ---- */

/* Of a stretch; *at: an iteration that is not after it. */
static void add_core_wait(struct iteration_sum *of, uint32_t n, uint32_t *at,
			  const struct core_wait *wait)
{
	while (*at < n && of[*at].end <= wait->from)
		++*at;
	/* Where in the stretch is not known: each iteration with a part may have had all. */
	for (uint32_t k = *at; k < n && of[k].begin < wait->to; k++) {
		const int64_t from = of[k].begin > wait->from ? of[k].begin : wait->from;
		const int64_t to = of[k].end < wait->to ? of[k].end : wait->to;
		of[k].core += (uint64_t)(to - from < wait->ticks ? to - from : wait->ticks);
	}
}

/* Of a call of MPI: waits for another rank do not count as work already, only what is beyond them
 * does. */
static void cut_core_wait(const struct summing *m, uint32_t location, struct core_wait *wait)
{
	const int64_t rest =
		wait->to - wait->from - (int64_t)waited_in(m, location, wait->from, wait->to);

	if (wait->ticks > rest)
		wait->ticks = rest > 0 ? rest : 0;
}

static void add_core_waits(void *context, unsigned worker, size_t place)
{
	const struct summing *m = context;
	const uint32_t location = (uint32_t)place, n = m->sums->n;
	struct iteration_sum *of = m->sums->of[location];
	struct core_wait wait;
	struct core_walk core;
	struct visit_walk v;
	uint32_t at = 0;

	(void)worker;
	core_walk_begin(&core, m->query->trace);
	if (!of || core.set == UINT32_MAX)
		return;
	for (bool ok = visit_walk_begin(&v, m->query->trace, m->query->base, location, INT64_MIN,
					INT64_MAX);
	     ok; ok = visit_walk_next(&v)) {
		const enum core_walk_step step = core_walk_step(&core, &v, &wait);
		if ((step != CORE_WALK_WAIT && step != CORE_WALK_MPI) || !wait.ticks)
			continue;
		if (step == CORE_WALK_MPI)
			cut_core_wait(m, location, &wait);
		add_core_wait(of, n, &at, &wait);
	}
}

/* ---- messages ---- */

/* The iteration that a time is in; n: none. */
static uint32_t iteration_at(const struct iteration_sums *s, uint32_t location, int64_t t)
{
	const struct iteration_sum *of = s->of[location];
	uint32_t low = 0, high = s->n;

	if (t < of[0].begin || t >= of[s->n - 1].end)
		return s->n;
	BISECT(low, high, k, of[k].end <= t);
	return low;
}

static void add_messages(const struct summing *m)
{
	const struct trace *trace = m->query->trace;
	const struct iteration_sums *s = m->sums;
	const uint32_t n = trace_message_count(trace);

	for (uint32_t id = 0; id < n; id++) {
		const struct message *message = trace_message(trace, id);
		uint32_t location, k;

		messages_ahead(trace, m->query->base, id);
		if (message->flags & (MSG_NO_SEND | MSG_CANCELLED))
			continue;
		location = trace_event_location(trace, message->send);
		if (!s->of[location])
			continue;
		k = iteration_at(s, location,
				 trace_event_time(trace, m->query->base, message->send));
		if (k == s->n)
			continue;
		s->of[location][k].messages++;
		if (!(message->flags & MSG_NO_BYTES))
			s->of[location][k].bytes += message_bytes(message);
	}
}

/* ---- what was caused ---- */

static int64_t work_in(const struct summing *m, uint32_t location, int64_t from, int64_t to)
{
	return from < to ? to - from - (int64_t)waited_in(m, location, from, to) : 0;
}

/* The first iteration that ends after t; n: none. */
static uint32_t first_after(const struct iteration_sums *s, uint32_t location, int64_t t)
{
	uint32_t low = 0, high = s->n;

	BISECT(low, high, k, s->of[location][k].end <= t);
	return low;
}

/* Deals a cost out by work: iterations inside of the interval are charged a rate, whose changes are
 * added up at the end, so that long intervals cost no more than short ones. */
static void add_cost(void *context, uint32_t location, int64_t from, int64_t to, double ticks)
{
	const struct summing *m = context;
	const struct iteration_sums *s = m->sums;
	const struct iteration_sum *of = s->of[location];
	struct caused_sums *caused = &m->caused[location];
	const int64_t all = of ? work_in(m, location, from, to) : 0;
	const double each = all > 0 ? ticks / (double)all : 0;
	uint32_t first, last;

	if (!of || all <= 0)
		return;
	first = first_after(s, location, from);
	last = first_after(s, location, to - 1);
	if (first < s->n) {
		const int64_t begin = from > of[first].begin ? from : of[first].begin;
		const int64_t end = to < of[first].end ? to : of[first].end;
		caused->own[first] += fixed_of(each * (double)work_in(m, location, begin, end));
	}
	if (last < s->n && last > first)
		caused->own[last] +=
			fixed_of(each * (double)work_in(m, location, of[last].begin, to));
	if (last > first + 1) {
		caused->begun[first + 1] += rate_of(each);
		caused->begun[last] -= rate_of(each);
	}
}

static bool add_caused(struct summing *m, const struct causes *causes)
{
	struct iteration_sums *s = m->sums;
	bool done;

	m->caused = xcalloc((size_t)s->locations + 1, sizeof *m->caused);
	for (uint32_t l = 0; l < s->locations; l++)
		if (s->of[l]) {
			m->caused[l].own = xcalloc((size_t)s->n, sizeof *m->caused[l].own);
			m->caused[l].begun = xcalloc((size_t)s->n + 1, sizeof *m->caused[l].begun);
		}
	done = causes_costs(causes, add_cost, m, m->query->progress);
	for (uint32_t l = 0; l < s->locations; l++) {
		rate each = 0;
		for (uint32_t k = 0; s->of[l] && k < s->n; k++) {
			struct iteration_sum *sum = &s->of[l][k];
			each += m->caused[l].begun[k];
			sum->caused = fixed_value(m->caused[l].own[k]) +
				      rate_value(each) * (double)iteration_work(sum);
		}
		free_all(m->caused[l].own, m->caused[l].begun);
	}
	free(m->caused);
	return done;
}

/* ---- all ---- */

static const struct causes *causes_for(const struct query *query, struct err *err)
{
	struct analysis *analysis =
		analyses_get(query->analyses, query->base, query->progress, err);

	return analysis ? causes_of(analysis, query->progress, err) : NULL;
}

bool query_iterations(const struct query *query, int level, const struct iterations **iterations,
		      struct err *err)
{
	*iterations = query->analyses ? analyses_iterations(query->analyses, query->base, level,
							    query->progress, err)
				      : NULL;
	return *iterations || !query->analyses;
}

const int64_t *iterations_begins(const struct iterations *iterations, int level, uint32_t location,
				 uint32_t *n)
{
	size_t levels, at;
	const struct iteration_level *of = iterations_levels(iterations, &levels, &at);

	if (level != LEVEL_MAIN && (size_t)level < levels)
		at = (size_t)level;
	*n = at < levels ? of[at].n : 0;
	return iterations_at(iterations, at, location);
}

static void choose_level(struct iteration_sums *s, int level)
{
	size_t n, main;
	const struct iteration_level *levels = iterations_levels(s->iterations, &n, &main);

	s->level = level != LEVEL_MAIN && (size_t)level < n ? (size_t)level : main;
	if (s->level >= n)
		return;
	s->of_level = &levels[s->level];
	s->n = s->of_level->n;
}

/* Whether there is the level that an export asks for. */
static bool has_level(const struct query *query, const struct iterations *iterations,
		      struct err *err)
{
	size_t n, main;

	iterations_levels(iterations, &n, &main);
	return query->export.level <= n || n == 0 ||
	       err_set(err, STATUS_USAGE,
		       n == 1 ? "there is no level %u of iterations, but one (--by level)"
			      : "there is no level %u of iterations, but %zu (--by level)",
		       query->export.level, n);
}

/* ---- with the trace ---- */

static const char keep_name[] = "iteration-sums-3";

/* What of an iteration is not found by its time. */
struct kept_sum {
	double caused;
	uint64_t bytes, messages, core;
};

static bool can_be_kept(const struct iteration_sums *s, const struct query *query)
{
	size_t n, main;

	iterations_levels(s->iterations, &n, &main);
	return s->level == main && !analyses_iterated_by(query->analyses);
}

static void keep_sums(const struct iteration_sums *s, const struct query *query)
{
	OWNED_VEC(struct kept_sum) sums = VEC_INIT;
	struct piece piece = { VEC_INIT };

	for (uint32_t l = 0; l < s->locations; l++)
		for (uint32_t k = 0; s->of[l] && k < s->n; k++) {
			const struct iteration_sum *sum = &s->of[l][k];
			vec_push(&sums, ((struct kept_sum){ sum->caused, sum->bytes, sum->messages,
							    sum->core }));
		}
	piece_add_sparse(&piece, sums.data, sums.n, sizeof *sums.data);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static bool hold(const struct iteration_sums *s, const struct kept_sum *kept, size_t n)
{
	size_t all = 0;

	for (uint32_t l = 0; l < s->locations; l++)
		all += s->of[l] ? s->n : 0;
	for (size_t i = 0; i < n; i++)
		if (!isfinite(kept[i].caused) || kept[i].messages > UINT32_MAX)
			return false;
	return n == all;
}

static bool take_kept(struct iteration_sums *s, const struct query *query)
{
	OWNED struct kept_sum *kept = NULL;
	struct piece_reader reader;
	size_t n, at = 0;

	if (!piece_find(&reader, query->trace, keep_name, query->base))
		return false;
	kept = piece_next_sparse(&reader, sizeof *kept, &n);
	if (!piece_ends(&reader) || !hold(s, kept, n))
		return false;
	for (uint32_t l = 0; l < s->locations; l++)
		for (uint32_t k = 0; s->of[l] && k < s->n; k++, at++) {
			s->of[l][k].caused = kept[at].caused;
			s->of[l][k].bytes = kept[at].bytes;
			s->of[l][k].messages = (uint32_t)kept[at].messages;
			s->of[l][k].core = kept[at].core;
		}
	return true;
}

bool iteration_sums_are_kept(const struct query *query, int level)
{
	struct piece_reader reader;

	return query->analyses && analyses_iterations_kept(query->analyses, query->base, level) &&
	       piece_find(&reader, query->trace, keep_name, query->base);
}

/* ---- all of it ---- */

/* What each location did in the iterations of the level; false: stopped, or err. */
static bool make_sums(struct summing *m, struct err *err)
{
	struct iteration_sums *s = m->sums;
	const struct query *query = m->query;
	const bool keeps = can_be_kept(s, query);
	const struct causes *causes;

	for (uint32_t l = 0; s->n && l < s->locations; l++)
		if (iterations_at(s->iterations, s->level, l)) {
			s->of[l] = xcalloc(s->n, sizeof **s->of);
			add_waiting(m, l);
		}
	if (!s->n || (keeps && take_kept(s, query)))
		return true;
	causes = causes_for(query, err);
	if (!causes)
		return false;
	add_messages(m);
	jobs_run(jobs_count(analyses_options(query->analyses)->jobs), s->locations, add_core_waits,
		 m);
	if (!add_caused(m, causes))
		return false;
	if (keeps)
		keep_sums(s, query);
	return true;
}

struct iteration_sums *iteration_sums_new(const struct query *query, int level, struct err *err)
{
	struct iteration_sums *s = xcalloc(1, sizeof *s);
	struct summing m = { .sums = s, .query = query };
	struct query all = *query;
	bool done;

	all.filter = NULL;
	s->locations = trace_location_count(query->trace);
	s->of = xcalloc((size_t)s->locations + 1, sizeof *s->of);
	done = query_iterations(query, level, &s->iterations, err);
	if (done && s->iterations) {
		done = has_level(query, s->iterations, err) && query_wait_sums(&all, err);
		m.waits = done ? analyses_wait_sums(query->analyses, query->base) : NULL;
		if (done)
			choose_level(s, level);
		done = m.waits && make_sums(&m, err);
	}
	if (done)
		return s;
	iteration_sums_free(s);
	return NULL;
}

double iteration_value(const struct iteration_sum *sum, enum iteration_quantity quantity)
{
	switch (quantity) {
	case ITERATION_WORK: return (double)iteration_work(sum);
	case ITERATION_WAITING: return (double)sum->waiting;
	case ITERATION_CAUSED: return sum->caused;
	case ITERATION_DURATION: return (double)(sum->end - sum->begin);
	case ITERATION_MESSAGES: return sum->messages;
	default: return (double)sum->bytes;
	}
}

void iteration_value_text(enum iteration_quantity quantity, double value, bool difference,
			  const struct timescale *scale, struct str *out)
{
	const double size = fabs(value);

	if (difference || value < 0)
		str_add(out, value > 0 ? "+" : value < 0 ? "-" : "");
	switch (quantity) {
	case ITERATION_MESSAGES: units_count(out, (uint64_t)size); return;
	case ITERATION_BYTES: units_bytes(out, (uint64_t)size); return;
	default: units_human_time(out, llround(size), scale, 3);
	}
}

void iteration_sums_free(struct iteration_sums *s)
{
	if (!s)
		return;
	for (uint32_t l = 0; l < s->locations; l++)
		free(s->of[l]);
	free_all(s->of, s);
}
