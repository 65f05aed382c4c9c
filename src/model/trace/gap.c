#include "model/trace/gap.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/trace/record_type.h"
#include "model/trace/store.h"

/* "2 2 records read", "3 2 records read noted". */
static bool read_counts(const char *text, struct gap_counts *c)
{
	unsigned n;

	if (sscanf(text, "%u 2 %" SCNu32 " %" SCNu32 " %" SCNu32, &n, &c->records, &c->read,
		   &c->noted) < 3 ||
	    (n != 2 && n != 3))
		return false;
	if (n == 2)
		c->noted = c->records;
	return c->records > 0 && c->read <= c->noted && c->noted <= c->records;
}

bool gap_of_event(const struct trace *trace, uint32_t what, struct gap_counts *counts)
{
	struct gap_counts read = { 0, 0, 0 };
	const struct record *record;

	if (what_kind(what) != EV_DATA)
		return false;
	record = trace_record(trace, what_id(what));
	if (record->rectype != REC_GAP || !read_counts(trace_string(trace, record->text), &read))
		return false;
	*counts = read;
	return true;
}

bool trace_has_gaps(const struct trace *trace)
{
	return exchange_any(trace->exchange, trace->gaps.n > 0);
}

const struct gap *gaps_of(const struct trace *trace, uint32_t location, size_t *n)
{
	const struct gap *all = trace->gaps.data;
	size_t low = 0, high = trace->gaps.n, first;

	BISECT(low, high, middle, all[middle].location < location);
	first = low;
	high = trace->gaps.n;
	BISECT(low, high, middle, all[middle].location <= location);
	*n = low - first;
	return all + first;
}

const struct gap_part *gap_parts(const struct trace *trace, const struct gap *gap, size_t *n)
{
	const bool last = gap + 1 == trace->gaps.data + trace->gaps.n;

	*n = (last ? trace->gap_parts.n : gap[1].first_part) - gap->first_part;
	return trace->gap_parts.data + gap->first_part;
}

int64_t gap_begin_time(const struct trace *trace, enum time_base base, const struct gap *gap)
{
	return store_event_time(trace, base, gap->begin);
}

int64_t gap_end_time(const struct trace *trace, enum time_base base, const struct gap *gap)
{
	return store_event_time(trace, base, gap->end);
}

/* The first gap of a location that ends after t; *stop is the end of its gaps. */
static const struct gap *first_after(const struct trace *trace, enum time_base base,
				     uint32_t location, int64_t t, const struct gap **stop)
{
	size_t n, low = 0, high;
	const struct gap *gaps = gaps_of(trace, location, &n);

	high = n;
	BISECT(low, high, middle, gap_end_time(trace, base, &gaps[middle]) <= t);
	*stop = gaps + n;
	return gaps + low;
}

const struct gap *gap_at(const struct trace *trace, enum time_base base, uint32_t location,
			 int64_t t)
{
	const struct gap *stop, *gap;

	if (trace->gaps.n == 0)
		return NULL;
	gap = first_after(trace, base, location, t, &stop);
	return gap < stop && gap_begin_time(trace, base, gap) < t ? gap : NULL;
}

int64_t gap_time_in(const struct trace *trace, enum time_base base, uint32_t location, int64_t from,
		    int64_t to)
{
	const struct gap *stop, *gap;
	int64_t sum = 0;

	if (trace->gaps.n == 0)
		return 0;
	for (gap = first_after(trace, base, location, from, &stop); gap < stop; gap++) {
		const int64_t begin = gap_begin_time(trace, base, gap);
		const int64_t end = gap_end_time(trace, base, gap);
		if (begin >= to)
			break;
		sum += (end < to ? end : to) - (begin > from ? begin : from);
	}
	return sum;
}

int64_t gap_time_of_visit(const struct trace *trace, enum time_base base, uint32_t location,
			  int64_t from, int64_t to)
{
	const struct gap *first = gap_at(trace, base, location, from);
	const struct gap *last = gap_at(trace, base, location, to);

	if (first && first == last)
		return to - from;
	return (first ? gap_end_time(trace, base, first) - from : 0) +
	       (last ? to - gap_begin_time(trace, base, last) : 0);
}

bool gap_matters(double estimated, double time)
{
	return estimated > 0 && estimated > GAP_SHARE * time;
}

const char *gap_mark(double estimated, double time)
{
	return gap_matters(estimated, time) ? GAP_MARK : "";
}

/* ---- walking ---- */

static void look(struct gap_walk *w)
{
	const bool more = w->gap < w->stop;

	w->from = more ? gap_begin_time(w->trace, w->base, w->gap) : INT64_MAX;
	w->to = more ? gap_end_time(w->trace, w->base, w->gap) : INT64_MAX;
}

struct gap_walk gap_walk_begin(const struct trace *trace, enum time_base base, uint32_t location,
			       int64_t from)
{
	struct gap_walk w = { .trace = trace, .base = base };

	if (trace->gaps.n)
		w.gap = first_after(trace, base, location, from, &w.stop);
	look(&w);
	return w;
}

void gap_walk_next(struct gap_walk *w)
{
	if (w->gap < w->stop)
		w->gap++;
	look(w);
}
