#include "views/facts/sample_sums.h"

#include <math.h>
#include <string.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/order.h"
#include "model/trace/detail.h"
#include "model/trace/visit_walk.h"

/* A row as it is added up. */
struct sampled {
	struct sample_sum sum;
	uint32_t key;        /* its site by line, else its region */
	uint64_t first, nth; /* location with its first sample, row of the process */
	struct fixed_pair time, squares;
};

struct sample_counter {
	const struct query *query;
	VEC(struct sampled) rows;
	struct keymap known; /* (region, by line site; inside; rank) -> row */
	unsigned by;
	int32_t rank;
	size_t location; /* of those that are asked for */
	/* The draw under way: samples of one time and site on one location. */
	int64_t time;
	uint32_t site, draws, row;
	double period;
};

/* Ticks of a generator's period; 0 if it does not count time (OTF2_INTERRUPT_GENERATOR_MODE_TIME is
 * 0). */
static double period_of(const struct trace *trace, uint64_t generator)
{
	const struct object *object;
	const uint64_t *v;

	if (generator >= trace_object_count(trace))
		return 0;
	object = trace_object(trace, (uint32_t)generator);
	if (object->detail.type != OBJECT_GENERATOR)
		return 0;
	v = trace_detail_values(trace, &object->detail);
	if (v[1] != 0)
		return 0;
	return (double)v[4] * pow((double)v[2], (double)(int64_t)v[3]) *
	       (double)trace_scale(trace)->per_second;
}

static uint32_t row_of(struct sample_counter *c, uint32_t site, uint32_t path)
{
	const struct trace *trace = c->query->trace;
	const struct site *s = trace_site(trace, site);
	const bool outside = !path || c->by & SAMPLES_BY_REGION;
	const struct sample_sum fresh = {
		.region = s->region,
		.inside = outside ? UINT32_MAX : trace_callpath_region(trace, path),
		.file = c->by & SAMPLES_BY_LINE ? s->file : 0,
		.line = c->by & SAMPLES_BY_LINE ? s->line : 0,
		.rank = c->by & SAMPLES_BY_RANK ? c->rank : RANK_UNKNOWN
	};
	const uint32_t key = c->by & SAMPLES_BY_LINE ? site : s->region;
	uint32_t row = (uint32_t)c->rows.n;

	if (keymap_new(&c->known, KEY_OF(key, fresh.inside, (uint32_t)fresh.rank), row, &row))
		vec_push(&c->rows,
			 ((struct sampled){
				 .sum = fresh, .key = key, .first = c->location, .nth = row }));
	return row;
}

static void end_draw(struct sample_counter *c)
{
	const double time = c->draws * c->period;

	if (c->draws)
		fixed_pair_add(&c->rows.data[c->row].squares, time * time);
	c->draws = 0;
}

static void count_sample(struct sample_counter *c, const struct visit_walk *w)
{
	const struct trace *trace = c->query->trace;
	const struct detail *detail = trace_detail(trace, what_id(w->what));
	const uint64_t *v;
	uint32_t row;

	if (detail->type != DETAIL_SAMPLE)
		return;
	v = trace_detail_values(trace, detail);
	if (v[0] >= trace_site_count(trace) ||
	    !filter_event(c->query->filter, c->query->base, w->c.id))
		return;
	row = row_of(c, (uint32_t)v[0], w->path);
	if (c->draws && (w->time != c->time || v[0] != c->site || row != c->row))
		end_draw(c);
	c->time = w->time;
	c->site = (uint32_t)v[0];
	c->row = row;
	c->draws++;
	c->period = period_of(trace, v[2]);
	c->rows.data[row].sum.count++;
	fixed_pair_add(&c->rows.data[row].time, c->period);
}

/* ---- several processes ---- */

ORDERING(by_first, struct sampled, first, nth)

static void join(struct sample_counter *c, const struct sampled *more)
{
	uint32_t row = (uint32_t)c->rows.n;
	struct sampled *of;

	if (keymap_new(&c->known, KEY_OF(more->key, more->sum.inside, (uint32_t)more->sum.rank),
		       row, &row)) {
		vec_push(&c->rows, *more);
		return;
	}
	of = &c->rows.data[row];
	of->sum.count += more->sum.count;
	fixed_pair_join(&of->time, &more->time);
	fixed_pair_join(&of->squares, &more->squares);
}

/* The rows of all processes, as one that has all locations would have met them. */
static void share(struct sample_counter *c, struct exchange *x)
{
	OWNED_VEC(struct sampled) all = VEC_INIT;
	const struct sampled *row;

	exchange_rows(x, &c->rows);
	memcpy(&all, &c->rows, sizeof all);
	memset(&c->rows, 0, sizeof c->rows);
	keymap_fini(&c->known);
	vec_sort(&all, by_first);
	vec_each (row, &all)
		join(c, row);
}

void sample_sums_make(struct sample_sums *sums, const struct query *query,
		      const uint32_t *locations, size_t n, unsigned by, struct exchange *x)
{
	struct sample_counter c = { .query = query, .by = by };
	struct sampled *row;

	*sums = (struct sample_sums){ 0 };
	for (size_t i = 0; i < n && !query_stopped(query); i++) {
		struct visit_walk w;
		c.location = i;
		c.rank = trace_location(query->trace, locations[i])->rank;
		for (bool ok = visit_walk_begin(&w, query->trace, query->base, locations[i],
						query->t0, query->t1);
		     ok; ok = visit_walk_next(&w)) {
			if (w.traced && !w.path)
				sums->outside += w.to - w.from;
			if (visit_walk_kind(&w) == EV_OTHER)
				count_sample(&c, &w);
		}
		end_draw(&c);
	}
	if (x)
		share(&c, x);
	exchange_ticks(x, &sums->outside, 1);
	vec_each (row, &c.rows) {
		row->sum.time = fixed_pair_value(&row->time);
		row->sum.squares = fixed_pair_value(&row->squares);
		vec_push(&sums->rows, row->sum);
	}
	vec_fini(&c.rows);
	keymap_fini(&c.known);
}

void sample_sums_fini(struct sample_sums *sums)
{
	vec_fini(&sums->rows);
}

double sample_sums_outside(const struct sample_sums *sums)
{
	const struct sample_sum *row;
	double time = 0;

	vec_each (row, &sums->rows)
		if (row->inside == UINT32_MAX)
			time += row->time;
	return time;
}
