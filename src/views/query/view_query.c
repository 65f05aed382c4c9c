/* view_query: the query's helpers, and names that several views write the same way. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/trace/gap.h"
#include "patterns/graph/graph.h"
#include "views/query/analyses.h"
#include "views/query/table_gather.h"
#include "views/query/view.h"
#include "views/query/view_common.h"

uint32_t query_location_count(const struct query *query)
{
	return query->locations ? query->n_locations : trace_location_count(query->trace);
}

uint32_t query_location(const struct query *query, uint32_t i)
{
	return query->locations ? query->locations[i] : i;
}

struct graph *query_graph(const struct query *query, struct err *err)
{
	const struct graph_options options = {
		.base = query->base,
		.t0 = query->t0,
		.t1 = query->t1,
		.filter = query->filter,
		.locations = query->locations,
		.n_locations = query->n_locations,
		.jobs = query->analyses ? analyses_options(query->analyses)->jobs : 0,
		.kept = true,
	};
	struct graph *graph = graph_new(query->trace, &options, query->progress, err);

	if (graph)
		graph_keep(graph);
	return graph;
}

bool query_is_whole(const struct query *query)
{
	return query->t0 == INT64_MIN && query->t1 == INT64_MAX;
}

bool query_is_all(const struct query *query)
{
	int64_t t0, t1;

	trace_span(query->trace, query->base, &t0, &t1);
	return !query->locations && query->t0 <= t0 && query->t1 > t1;
}

void query_span(const struct query *query, int64_t *t0, int64_t *t1)
{
	trace_span(query->trace, query->base, t0, t1);
	if (query->t0 > *t0)
		*t0 = query->t0;
	if (query->t1 < *t1)
		*t1 = query->t1;
	if (*t1 < *t0)
		*t1 = *t0;
}

bool *query_chosen(const struct query *query)
{
	bool *chosen = xcalloc(trace_location_count(query->trace), sizeof *chosen);

	for (uint32_t i = 0; i < query_location_count(query); i++)
		chosen[query_location(query, i)] = true;
	return chosen;
}

struct naming query_naming(const struct query *query)
{
	struct naming naming = { false, false };

	for (uint32_t i = 0; i < query_location_count(query); i++) {
		const uint32_t id = query_location(query, i);

		if (trace_location(query->trace, id)->rank != RANK_UNKNOWN)
			naming.ranks = true;
		else
			naming.names = true;
	}
	naming.ranks = naming.ranks || !naming.names;
	return naming;
}

struct seat {
	int32_t rank;
	uint32_t location;
};

ORDERING(compare_seats, struct seat, rank, location)

uint32_t *query_by_rank(const struct query *query)
{
	const uint32_t n = query_location_count(query);
	OWNED struct seat *seats = xcalloc(n, sizeof *seats);
	uint32_t *locations = xcalloc(n, sizeof *locations);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t location = query_location(query, i);
		seats[i] = (struct seat){ trace_location(query->trace, location)->rank, location };
	}
	SORT(seats, n, compare_seats);
	for (uint32_t i = 0; i < n; i++)
		locations[i] = seats[i].location;
	return locations;
}

uint32_t query_rank_end(const struct query *query, const uint32_t *locations, uint32_t i)
{
	const uint32_t n = query_location_count(query);
	const int32_t rank = trace_location(query->trace, locations[i])->rank;

	do
		i++;
	while (i < n && trace_location(query->trace, locations[i])->rank == rank);
	return i;
}

static bool is_elsewhere(const struct query *query, const struct query_group *group)
{
	struct cursor c;

	for (uint32_t i = 0; i < group->n; i++)
		if (cursor_first(&c, query->trace, BASE_MEASURED, group->locations[i]))
			return false;
	return true;
}

/* A rank has all its locations in one process; those without rank may be anywhere. */
bool query_group_next(const struct query *query, const uint32_t *locations, bool by_rank,
		      struct query_group *group)
{
	struct exchange *x = trace_exchange(query->trace);
	const uint32_t all = query_location_count(query);
	uint32_t first = group->locations ? (uint32_t)(group->locations - locations) + group->n : 0;
	bool ranked;

	for (; first < all; first += group->n) {
		ranked = by_rank &&
			 trace_location(query->trace, locations[first])->rank != RANK_UNKNOWN;
		group->locations = locations + first;
		group->n = (by_rank ? query_rank_end(query, locations, first) : all) - first;
		group->exchange = ranked ? NULL : x;
		group->has_rows = !by_rank || !exchange_process(group->exchange);
		if (!ranked || !x || !is_elsewhere(query, group))
			return true;
	}
	return false;
}

ORDERING(compare_places, struct row_place, time, rank, thread, location, event, row)

int row_place_compare(const void *a, const void *b)
{
	return compare_places(a, b);
}

struct row_place row_place_of(const struct query *query, uint32_t event, uint32_t row)
{
	const uint32_t location = trace_event_location(query->trace, event);
	const struct location *l = trace_location(query->trace, location);
	const int64_t time = trace_event_time(query->trace, query->base, event);

	return (struct row_place){ time, l->rank, l->thread, location, event, row };
}

/* Ids of events and rows decide only among those of one location, which one process has. */
static struct row_key key_of(const struct row_place *p)
{
	return (struct row_key){ { p->time, p->rank, p->thread, p->location, p->event, p->row } };
}

struct table *list_table_of_places(struct list_table *list, struct row_places *places)
{
	struct exchange *x = trace_exchange(places->query->trace);
	OWNED_VEC(struct row_key) keys = VEC_INIT;
	const struct row_place *place;
	bool sorted = true;

	for (size_t i = 1; sorted && i < places->list.n; i++)
		sorted = row_place_compare(&places->list.data[i - 1], &places->list.data[i]) <= 0;
	if (!sorted)
		vec_sort(&places->list, row_place_compare);
	vec_each (place, &places->list) {
		list_table_add(list, place->row);
		if (x)
			vec_push(&keys, key_of(place));
	}
	vec_fini(&places->list);
	return table_gather(list_table_done(list, !query_stopped(places->query)), x, keys.data);
}

struct value value_text(const char *text)
{
	return (struct value){ .known = text && *text, .text = text };
}

struct value value_integer(bool known, int64_t integer)
{
	return (struct value){ .known = known, .integer = integer };
}

struct value value_count(uint64_t count)
{
	return value_integer(true, (int64_t)count);
}

struct value value_real(bool known, double real)
{
	return (struct value){ .known = known && isfinite(real), .real = real };
}

bool value_estimated(struct value *value, double estimated, double time)
{
	value->approximate = gap_matters(estimated, time);
	return value->approximate;
}

struct value value_duration(bool known, double ticks)
{
	known = known && isfinite(ticks) && fabs(ticks) < 9e18;
	return value_integer(known, known ? llround(ticks) : 0);
}

struct value value_rank(int32_t rank)
{
	return value_integer(rank >= 0, rank);
}

struct value value_partner(const struct trace *trace, uint32_t partner)
{
	const struct location *location =
		partner == UINT32_MAX ? NULL : trace_location(trace, partner);

	return value_rank(location && location->type != LOCATION_ACCELERATOR ? location->rank
									     : RANK_UNKNOWN);
}

struct value value_region_id(uint32_t region)
{
	return value_integer(true, region);
}

struct value value_callpath_id(const struct trace *trace, uint32_t callpath)
{
	return value_integer(callpath && !trace_partial(trace)->is,
			     trace_callpath(trace, callpath)->canon);
}

struct value value_event_number(const struct trace *trace, uint64_t number)
{
	return value_integer(number <= INT64_MAX && !trace_partial(trace)->is, (int64_t)number);
}

struct value value_event(const struct trace *trace, uint32_t event)
{
	return value_event_number(trace, event == EVENT_NONE ? UINT64_MAX
							     : trace_event_number(trace, event));
}

struct value value_bytes(uint64_t bytes)
{
	return value_integer(bytes != UINT64_MAX, (int64_t)bytes);
}

struct value value_comm(const struct trace *trace, uint32_t comm)
{
	if (comm >= trace_comm_count(trace))
		return value_text(NULL);
	return value_text(trace_string(trace, trace_comm(trace, comm)->name));
}

struct value value_location(const struct trace *trace, uint32_t location)
{
	if (location >= trace_location_count(trace))
		return value_text(NULL);
	return value_text(trace_string(trace, trace_location(trace, location)->name));
}

struct value value_region_at(const struct trace *trace, uint32_t event)
{
	const uint32_t path = trace_event_path(trace, event);

	if (path == 0)
		return value_text(NULL);
	return value_text(trace_region_name(trace, trace_callpath_region(trace, path)));
}
