/* What bounds the differences of clocks: logical messages between two of them
 * (doc/references.md). */
#include <stdlib.h>

#include "base/mem.h"
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
				       m->at[to].clock, m->group->cls == LOGICAL_WORLD };

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

/* An event that comes too early bounds nothing as a receive. */
static bool is_held(const struct clocks *clocks, uint32_t location, uint32_t event)
{
	return clocks->steps && steps_held(clocks->steps, clocks->of[location],
					   trace_event_time(clocks->trace, BASE_MEASURED, event));
}

static double guessed(const struct clocks *clocks, uint32_t clock, double t)
{
	return clocks->guess ? t + found_correction(clocks->guess, clock, t) : t;
}

/* False where all parties have one clock (threads of a process). */
static bool look_at(struct group_edge *m, const struct clocks *clocks, struct group *group)
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
		struct party *party = &group->parties[i];
		if (party->receives && is_held(clocks, party->location, party->end))
			party->receives = false;
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
		struct fit_edge edge = { 0 };
		if (row % 65536 == 0 && !fit_goes_on(progress, row, n))
			return false;
		if (!logical_message_here(logical, row))
			continue;
		const struct message *m = trace_message(clocks->trace, row);
		const uint32_t from = trace_event_location(clocks->trace, m->send);
		const uint32_t to = trace_event_location(clocks->trace, m->recv);
		edge.from = clocks->of[from];
		edge.to = clocks->of[to];
		if (edge.from == edge.to || is_held(clocks, to, m->recv))
			continue;
		edge.send = event_time(clocks, from, m->send);
		edge.recv = event_time(clocks, to, m->recv);
		use(context, &edge);
	}
	return each_group(clocks, logical, progress, use, context);
}
