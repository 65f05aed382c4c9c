/* What bounds the differences of clocks: logical messages between two of them (doc/references.md),
 * thinned where there are many. */
#include <math.h>
#include <stdlib.h>

#include "base/components.h"
#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"

/* ---- all of them ---- */

/* Of a large group, first and last ones that represent all; fewer of a very large one, which has
 * its cost. */
enum { EXTREMES = 8, EXTREMES_FEW = 4, GROUP_HUGE = 256 };

/* A group's parties as the fit sees them. */
struct fit_party {
	double begin, end;
	double begins, ends; /* the same with the corrections found so far */
	uint32_t clock;
};

struct group_edge {
	struct fit_party *at;
	uint32_t cap;
	const struct group *group;
	edge_use use;
	void *context;
};

static void meet(const struct group_edge *m, uint32_t from, uint32_t to)
{
	const struct fit_edge edge = { m->at[from].begin, m->at[to].end, m->at[from].clock,
				       m->at[to].clock };

	if (edge.from != edge.to)
		m->use(m->context, &edge);
}

static void meet_all(const struct group_edge *m)
{
	for (uint32_t from = 0; from < m->group->n; from++)
		for (uint32_t to = 0; to < m->group->n; to++)
			if (from != to && group_sends_to(m->group, from, to))
				meet(m, from, to);
}

/* Puts a party among the `n` of largest key, most first, at most `room`; returns how many there
 * are. */
static uint32_t among(uint32_t *most, double *keys, uint32_t n, uint32_t room, uint32_t party,
		      double key)
{
	uint32_t at = n;

	if (n == room && key <= keys[n - 1])
		return n;
	if (n < room)
		n++;
	else
		at--;
	for (; at > 0 && keys[at - 1] < key; at--) {
		most[at] = most[at - 1];
		keys[at] = keys[at - 1];
	}
	most[at] = party;
	keys[at] = key;
	return n;
}

/* From every rank to every rank: from the last ones to begin, and to the first ones to end. */
static void meet_extremes(const struct group_edge *m)
{
	const struct group *group = m->group;
	uint32_t last[EXTREMES], first[EXTREMES], lasts = 0, firsts = 0;
	const uint32_t room = group->n > GROUP_HUGE ? EXTREMES_FEW : EXTREMES;
	double begins[EXTREMES], ends[EXTREMES];

	for (uint32_t i = 0; i < group->n; i++) {
		if (group->parties[i].sends)
			lasts = among(last, begins, lasts, room, i, m->at[i].begins);
		if (group->parties[i].receives)
			firsts = among(first, ends, firsts, room, i, -m->at[i].ends);
	}
	for (uint32_t i = 0; i < group->n; i++) {
		for (uint32_t j = 0; j < lasts && group->parties[i].receives; j++)
			if (last[j] != i)
				meet(m, last[j], i);
		for (uint32_t j = 0; j < firsts && group->parties[i].sends; j++)
			if (first[j] != i)
				meet(m, i, first[j]);
	}
}

/* Of lower ranks to higher ones: from the last to begin of those below, to the first to end of
 * those above. */
static void meet_prefix(const struct group_edge *m)
{
	const struct group *group = m->group;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < group->n; i++) {
		if (best != UINT32_MAX && group->parties[i].receives)
			meet(m, best, i);
		if (group->parties[i].sends &&
		    (best == UINT32_MAX || m->at[i].begins > m->at[best].begins))
			best = i;
	}
	best = UINT32_MAX;
	for (uint32_t i = group->n; i-- > 0;) {
		if (best != UINT32_MAX && group->parties[i].sends)
			meet(m, i, best);
		if (group->parties[i].receives &&
		    (best == UINT32_MAX || m->at[i].ends < m->at[best].ends))
			best = i;
	}
}

static void meet_neighbours(const struct group_edge *m)
{
	for (uint32_t to = 0; to < m->group->n; to++) {
		uint32_t n;
		const uint32_t *list = neighbours_of(m->group->neighbourhood, to, &n);
		for (uint32_t i = 0; i < n; i++)
			if (group_sends_to(m->group, list[i], to))
				meet(m, list[i], to);
	}
}

static double event_time(const struct clocks *clocks, uint32_t location, uint32_t event)
{
	return clocks_time(clocks, clocks->of[location], clocks_ticks(clocks, location, event));
}

static double guessed(const struct clocks *clocks, uint32_t clock, double t)
{
	return clocks->guess ? t + apply_correction(clocks->guess, clocks->x, clock, t) : t;
}

/* False where all parties have one clock (threads of a process). */
static bool look_at(struct group_edge *m, const struct clocks *clocks, const struct group *group)
{
	bool several = false;

	if (group->n > m->cap) {
		m->cap = group->n + group->n / 2;
		m->at = xrealloc(m->at, m->cap * sizeof *m->at);
	}
	m->group = group;
	for (uint32_t i = 0; i < group->n; i++) {
		m->at[i].clock = clocks->of[group->parties[i].location];
		several = several || m->at[i].clock != m->at[0].clock;
	}
	if (!several)
		return false;
	for (uint32_t i = 0; i < group->n; i++) {
		const struct party *party = &group->parties[i];
		if (party->sends) {
			m->at[i].begin = event_time(clocks, party->location, party->begin);
			m->at[i].begins = guessed(clocks, m->at[i].clock, m->at[i].begin);
		}
		if (party->receives) {
			m->at[i].end = event_time(clocks, party->location, party->end);
			m->at[i].ends = guessed(clocks, m->at[i].clock, m->at[i].end);
		}
	}
	return true;
}

static bool each_group(struct clocks *clocks, const struct logical *logical,
		       const struct progress *progress, edge_use use, void *context)
{
	const uint32_t n = logical_group_count(logical);
	struct group group = { 0 };
	struct group_edge m = { .use = use, .context = context };
	bool ok = true;

	for (uint32_t id = 0; id < n && ok; id++) {
		if (id % 1024 == 0)
			ok = fit_goes_on(progress, id, n);
		if (!logical_group(logical, id, &group) || !look_at(&m, clocks, &group))
			continue;
		clocks->large = clocks->large || group.n > GROUP_FULL;
		if (group.cls == LOGICAL_NEIGHBOURS)
			meet_neighbours(&m);
		else if (group.n <= GROUP_FULL || group.cls == LOGICAL_ONE_TO_N ||
			 group.cls == LOGICAL_N_TO_ONE)
			meet_all(&m);
		else if (group.cls == LOGICAL_PREFIX)
			meet_prefix(&m);
		else
			meet_extremes(&m);
	}
	group_fini(&group);
	free(m.at);
	return ok;
}

bool edges_each(struct clocks *clocks, const struct logical *logical,
		const struct progress *progress, edge_use use, void *context)
{
	const uint32_t n = trace_message_count(clocks->trace);

	for (uint32_t row = 0; row < n; row++) {
		struct fit_edge edge;
		if (row % 65536 == 0 && !fit_goes_on(progress, row, n))
			return false;
		if (!logical_message_here(logical, row))
			continue;
		const struct message *m = trace_message(clocks->trace, row);
		const uint32_t from = trace_event_location(clocks->trace, m->send);
		const uint32_t to = trace_event_location(clocks->trace, m->recv);
		edge.from = clocks->of[from];
		edge.to = clocks->of[to];
		if (edge.from == edge.to)
			continue;
		edge.send = event_time(clocks, from, m->send);
		edge.recv = event_time(clocks, to, m->recv);
		use(context, &edge);
	}
	return each_group(clocks, logical, progress, use, context);
}

/* ---- those that are kept ---- */

/* Of the run, for the thinning: a fraction of the time between two knots, in which no clock goes
 * far. */
enum { INTERVALS = 8 * FIT_KNOTS, INTERVALS_LEAST = 2 * FIT_KNOTS };

void edges_init(struct fit_edges *edges, const struct clocks *clocks, size_t limit)
{
	*edges = (struct fit_edges){
		.limit = limit, .room = limit, .intervals = INTERVALS, .length = clocks->length
	};
	edges->clocks = clocks->n;
	edges->of_clock = xcalloc(clocks->n + 1, sizeof *edges->of_clock);
	edges->begin = xcalloc(clocks->n + 1, sizeof *edges->begin);
	for (uint32_t c = 0; c < clocks->n; c++)
		edges->begin[c] = clocks->line[c].offset;
}

void edges_fini(struct fit_edges *edges)
{
	free_all(edges->data, edges->flags, edges->of_clock, edges->begin);
	*edges = (struct fit_edges){ 0 };
}

ORDERING(by_pair_time, struct fit_edge, from, to, recv, send)

/* By the receiver's own time: clocks may be days apart. */
static uint32_t interval_of(const struct fit_edges *edges, const struct fit_edge *edge)
{
	const double width = fmax(edges->length / edges->intervals, 1e-3);
	const double u = (edge->recv - edges->begin[edge->to]) / width;

	return u <= 0 ? 0 : u >= edges->intervals ? edges->intervals - 1 : (uint32_t)u;
}

static double latency(const struct fit_edge *edge)
{
	return edge->recv - edge->send;
}

/* Keeps the tightest edge of each pair and interval. */
static void thin(struct fit_edges *edges)
{
	size_t kept = 0;

	vec_sort(edges, by_pair_time);
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *edge = &edges->data[i];
		struct fit_edge *last = kept > 0 ? &edges->data[kept - 1] : NULL;
		if (!last || last->from != edge->from || last->to != edge->to ||
		    interval_of(edges, last) != interval_of(edges, edge))
			edges->data[kept++] = *edge;
		else if (latency(edge) < latency(last))
			*last = *edge;
	}
	edges->n = kept;
}

/* Widens the intervals while more than half of the limit is kept; which ones that leaves does not
 * depend on the order in which edges came. */
static void thin_to_limit(struct fit_edges *edges)
{
	thin(edges);
	while (edges->n > edges->limit / 2 && edges->intervals > INTERVALS_LEAST) {
		edges->intervals /= 2;
		thin(edges);
	}
}

void edges_add(struct fit_edges *edges, const struct fit_edge *edge)
{
	if (edges->n >= edges->room) {
		thin_to_limit(edges);
		while (edges->n > edges->room / 2)
			edges->room *= 2;
	}
	vec_push(edges, *edge);
	edges->seen++;
	edges->reversed += edge->recv < edge->send;
	edges->of_clock[edge->from]++;
	edges->of_clock[edge->to]++;
}

static void add_edge(void *context, const struct fit_edge *edge)
{
	edges_add(context, edge);
}

/* ---- components ---- */

/* Strongly connected components of the graph of clocks: component[c], ids from 0. edges are sorted.
 * A pair needs JOINED_BY messages to be joined: what only MPI_Init and MPI_Finalize lead back is
 * bounded from one side. */
static void find_components(const struct fit_edges *edges, uint32_t *component)
{
	uint32_t *from = xmalloc((edges->n + 1) * sizeof *from);
	uint32_t *to = xmalloc((edges->n + 1) * sizeof *to);
	size_t n = 0;

	for (size_t i = 0, end; i < edges->n; i = end) {
		const struct fit_edge *e = &edges->data[i];
		end = edges_pair_end(edges, i);
		if (end - i < JOINED_BY)
			continue;
		from[n] = e->from;
		to[n++] = e->to;
	}
	components_find(edges->clocks, from, to, n, component);
	free_all(from, to);
}

/* ---- sorted, with flags ---- */

void edges_sort(struct fit_edges *edges)
{
	OWNED uint32_t *component = xcalloc(edges->clocks + 1, sizeof *component);

	if (edges->seen > edges->limit)
		thin_to_limit(edges);
	else
		vec_sort(edges, by_pair_time);
	free(edges->flags);
	edges->flags = xcalloc(edges->n + 1, 1);
	find_components(edges, component);
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		if ((uint32_t)i * 2654435761u >> 31)
			edges->flags[i] |= EDGE_FOLD;
		if (component[e->from] == component[e->to])
			edges->flags[i] |= EDGE_TWO_SIDED;
	}
}

/* ---- several processes ---- */

static void share_counts(struct fit_edges *edges, struct exchange *x)
{
	const size_t n = edges->clocks;
	OWNED int128 *sums = xmalloc((n + 2) * sizeof *sums);

	for (size_t c = 0; c < n; c++)
		sums[c] = edges->of_clock[c];
	sums[n] = edges->seen;
	sums[n + 1] = edges->reversed;
	exchange_sum(x, sums, n + 2);
	for (size_t c = 0; c < n; c++)
		edges->of_clock[c] = (uint64_t)sums[c];
	edges->seen = (uint64_t)sums[n];
	edges->reversed = (uint64_t)sums[n + 1];
}

/* Where one process has too many for its intervals, so have all together. */
void edges_share(struct fit_edges *edges, struct exchange *x)
{
	OWNED_VEC(uint32_t) intervals = VEC_INIT;
	const uint32_t *some;

	if (!x)
		return;
	share_counts(edges, x);
	if (edges->seen > edges->limit)
		thin_to_limit(edges);
	vec_push(&intervals, edges->intervals);
	exchange_rows(x, &intervals);
	vec_each (some, &intervals)
		edges->intervals = *some < edges->intervals ? *some : edges->intervals;
	exchange_rows(x, edges);
}

bool edges_collect(struct fit_edges *edges, struct clocks *clocks, const struct logical *logical,
		   const struct progress *progress)
{
	struct exchange *x = trace_exchange(clocks->trace);

	if (!edges_each(clocks, logical, progress, add_edge, edges))
		return false;
	clocks->large = exchange_any(x, clocks->large);
	edges_share(edges, x);
	edges_sort(edges);
	return true;
}
