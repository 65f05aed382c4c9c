#include "patterns/iterations/iteration_named.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/median.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "model/trace/region_meaning.h"

/* Of a location: where the region is entered, or a mark is; ends with the end of the last. */
struct named_visits {
	VEC(int64_t) begin;
	uint32_t path;    /* of the first */
	int64_t from, to; /* the leave of MPI_Init, the enter of MPI_Finalize */
	int64_t end;      /* of the last visit */
};

struct naming_walk {
	const struct trace *trace;
	enum time_base base;
	bool *named, *init, *finalize; /* [regions] */
};

static uint32_t region_of(const struct naming_walk *w, uint32_t what)
{
	return what_kind(what) == EV_MARK ? trace_site(w->trace, what_id(what))->region
					  : trace_callpath_region(w->trace, what_id(what));
}

static void find_visits(const struct naming_walk *w, uint32_t location, struct named_visits *v)
{
	uint32_t within = 0; /* depth of the visit that is open, 0: none is */
	struct cursor c;
	bool over = false;

	*v = (struct named_visits){ .path = UINT32_MAX };
	for (bool ok = cursor_first(&c, w->trace, w->base, location); ok && !over;
	     ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		const enum event_kind kind = what_kind(what);
		if (kind != EV_MARK && kind != EV_ENTER && kind != EV_LEAVE)
			continue;
		const uint32_t region = region_of(w, what);
		const uint32_t depth =
			kind == EV_MARK ? 0 : trace_callpath(w->trace, what_id(what))->depth;
		if (!v->from)
			v->from = cursor_time(&c);
		v->to = cursor_time(&c);
		over = kind == EV_ENTER && w->finalize[region];
		if (kind == EV_LEAVE && w->init[region])
			v->from = cursor_time(&c);
		if (kind == EV_LEAVE && within && depth <= within) {
			within = 0;
			v->end = cursor_time(&c);
		} else if (kind != EV_LEAVE && w->named[region] && !within) {
			vec_push(&v->begin, cursor_time(&c));
			within = depth;
			if (v->path == UINT32_MAX)
				v->path = kind == EV_MARK ? 0 : what_id(what);
		}
	}
	if (v->path == 0 || within || v->end < v->from)
		v->end = v->to;
	if (v->begin.n)
		vec_push(&v->begin, v->end);
}

/* ---- all locations ---- */

ORDERING_OF_NUMBERS(by_number, uint64_t)

/* The number that most locations have, of equally frequent ones the largest. */
static uint64_t most_frequent(uint64_t *numbers, size_t n)
{
	uint64_t best = 0;
	size_t most = 0;

	SORT(numbers, n, by_number);
	for (size_t i = 0, from = 0; i < n; i++) {
		if (numbers[i] != numbers[from])
			from = i;
		if (numbers[i] && i - from + 1 >= most) {
			most = i - from + 1;
			best = numbers[i];
		}
	}
	return best;
}

static void fill_level(struct iteration_level *level, struct exchange *x, uint64_t n,
		       const struct named_visits *of, uint32_t locations)
{
	OWNED uint64_t *paths = xcalloc((size_t)locations + 1, sizeof *paths);
	double *covers = xcalloc((size_t)locations + 1, sizeof *covers);
	struct {
		double *data;
		size_t n, cap;
	} all = { covers, 0, (size_t)locations + 1 };
	uint64_t path = UINT64_MAX;

	for (uint32_t l = 0; l < locations; l++) {
		const struct named_visits *v = &of[l];
		if (v->begin.n != n + 1)
			continue;
		path = v->path < path ? v->path : path;
		all.data[all.n++] = v->to > v->from ? (double)(v->end - v->begin.data[0]) /
							      (double)(v->to - v->from)
						    : 0;
	}
	exchange_least(x, &path, 1);
	exchange_rows(x, &all);
	*level = (struct iteration_level){ .n = (uint32_t)n,
					   .visits = (uint32_t)n,
					   .path = path == UINT64_MAX ? 0 : (uint32_t)path,
					   .similar = 1,
					   .cover = median_of(all.data, all.n),
					   .members = 1 };
	free(all.data);
}

static void walk_init(struct naming_walk *w, const char *name)
{
	const uint32_t n = trace_region_count(w->trace);

	w->named = xcalloc((size_t)n + 1, sizeof *w->named);
	w->init = xcalloc((size_t)n + 1, sizeof *w->init);
	w->finalize = xcalloc((size_t)n + 1, sizeof *w->finalize);
	for (uint32_t r = 0; r < n; r++) {
		const enum call_kind call = region_meaning(w->trace, r).call;
		w->named[r] = strcmp(trace_region_name(w->trace, r), name) == 0;
		w->init[r] = call == CALL_INIT;
		w->finalize[r] = call == CALL_FINALIZE;
	}
}

bool iterations_find_named(const struct trace *trace, enum time_base base, const char *name,
			   const struct progress *progress, struct iteration_level *level,
			   int64_t **begin)
{
	struct exchange *x = trace_exchange(trace);
	const uint32_t locations = trace_location_count(trace);
	struct naming_walk w = { .trace = trace, .base = base };
	OWNED struct named_visits *of = xcalloc((size_t)locations + 1, sizeof *of);
	OWNED uint64_t *numbers = xcalloc((size_t)locations + 1, sizeof *numbers);
	uint64_t n;
	bool stopped = false;

	walk_init(&w, name);
	for (uint32_t l = 0; l < locations && !stopped; l++) {
		if (!trace_has_location(trace, l))
			continue;
		find_visits(&w, l, &of[l]);
		numbers[l] = of[l].begin.n ? of[l].begin.n - 1 : 0;
		stopped = !progress_wanted(progress, "searching for iterations", l, locations);
	}
	stopped = exchange_any(x, stopped);
	exchange_sums(x, numbers, locations);
	n = most_frequent(numbers, locations);
	*level = (struct iteration_level){ 0 };
	if (!stopped && n >= 2 && n < UINT32_MAX)
		fill_level(level, x, n, of, locations);
	for (uint32_t l = 0; l < locations; l++) {
		begin[l] = NULL;
		if (level->n && of[l].begin.n == n + 1)
			begin[l] = of[l].begin.data;
		else
			vec_fini(&of[l].begin);
	}
	free_all(w.named, w.init, w.finalize);
	return !stopped;
}
