#include "views/facts/match_search.h"

#include <stdlib.h>

#include "base/clock.h"
#include "views/query/view_common.h"

/* Events between two looks at the clock. */
enum { LOOK = 1 << 12 };

struct match_search {
	struct query query;
	uint32_t *locations; /* in the order of ranks */
	uint32_t n, next;
	struct sequence_finder *finder; /* of the one before `next`, where inside */
	bool inside;
	sequence_matches matches;
	struct {
		size_t first;
		uint32_t n;
	} * of;             /* [location] */
	uint64_t done, all; /* events */
};

struct match_search *match_search_new(const struct query *query)
{
	struct match_search *m = xcalloc(1, sizeof *m);

	m->query = *query;
	m->locations = query_by_rank(query);
	m->n = query_location_count(query);
	m->of = xcalloc((size_t)trace_location_count(query->trace) + 1, sizeof *m->of);
	m->finder = sequence_finder_new(query->sequence, query->base, query->filter);
	for (uint32_t i = 0; i < m->n; i++)
		m->all += trace_location(query->trace, m->locations[i])->events;
	return m;
}

void match_search_free(struct match_search *m)
{
	if (!m)
		return;
	sequence_finder_free(m->finder);
	vec_fini(&m->matches);
	free_all(m->locations, m->of, m);
}

bool match_search_is_of(const struct match_search *m, const struct query *query)
{
	return m && m->query.sequence == query->sequence && m->query.base == query->base &&
	       m->query.filter == query->filter;
}

static void begin(struct match_search *m)
{
	const uint32_t location = m->locations[m->next++];

	m->inside = filter_location(m->query.filter, location);
	if (m->inside)
		sequence_find_begin(m->finder, location);
	else
		m->done += trace_location(m->query.trace, location)->events;
}

static void go_on(struct match_search *m)
{
	const uint32_t location = m->locations[m->next - 1];
	const size_t before = m->matches.n;

	m->inside = sequence_find_more(m->finder, LOOK, &m->matches);
	m->done += LOOK;
	m->of[location].first = before;
	m->of[location].n = (uint32_t)(m->matches.n - before);
}

bool match_search_work(struct match_search *m, int64_t nanoseconds)
{
	const int64_t deadline = clock_cpu_ns() + nanoseconds;

	do {
		if (m->inside)
			go_on(m);
		else if (m->next < m->n)
			begin(m);
	} while (!match_search_ended(m) && clock_cpu_ns() < deadline);
	return !match_search_ended(m);
}

bool match_search_ended(const struct match_search *m)
{
	return !m->inside && m->next == m->n;
}

double match_search_done(const struct match_search *m)
{
	return match_search_ended(m) ? 1 : m->done < m->all ? (double)m->done / (double)m->all : 1;
}

size_t match_search_count(const struct match_search *m)
{
	return m->matches.n;
}

const struct sequence_match *match_search_at(const struct match_search *m, uint32_t location,
					     uint32_t *n)
{
	*n = m ? m->of[location].n : 0;
	return *n ? &m->matches.data[m->of[location].first] : NULL;
}

/* ---- of a query ---- */

static bool search_all(struct match_search *m, const struct progress *progress)
{
	while (match_search_work(m, SLICE_NS))
		if (!progress_step(progress, "searching", m->done, m->all))
			return false;
	return true;
}

static void collect(const struct match_search *m, const struct query *q, found_matches *matches)
{
	OWNED uint32_t *locations = query_by_rank(q);

	for (uint32_t place = 0; place < query_location_count(q); place++) {
		uint32_t n;
		const struct sequence_match *all = match_search_at(m, locations[place], &n);
		for (uint32_t i = 0; i < n; i++)
			if (all[i].begin >= q->t0 && (all[i].begin < q->t1 || q->t1 == INT64_MAX))
				vec_push(matches, ((struct found_match){ all[i], place }));
	}
}

bool matches_collect(const struct query *q, found_matches *matches)
{
	struct match_search *own;
	bool ok;

	if (!q->sequence)
		return true;
	if (match_search_is_of(q->found, q)) {
		collect(q->found, q, matches);
		return true;
	}
	own = match_search_new(q);
	ok = search_all(own, q->progress);
	if (ok)
		collect(own, q, matches);
	match_search_free(own);
	return ok;
}
