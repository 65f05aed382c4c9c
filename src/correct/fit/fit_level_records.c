/* What offset records say of fitted clocks: where tight messages are near, of their level; where
 * they are far, of how clocks bend. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/fit/fit_level_state.h"
#include "model/trace/store.h"

/* ns: half of a round trip that was not measured; a record is never better than its clock. */
#define HALF_UNKNOWN 150e3
#define HALF_LEAST   1.0
/* By how much rates change from the run to a record that was measured long before or after it. */
#define WANDER       1e-7
/* By how much rates wander in a second (rms; by the root of the time in more): free running clocks
 * change by a few ppm in a day. */
#define WALK         17e-9
/* Messages count where they leave TIGHT times as much room as the tightest ones of a clock, of
 * which less than TIGHT_LEAST (ns) is luck. */
#define TIGHT        2.0
#define TIGHT_LEAST  1e3
/* A record tells of bends where the fit may be off by this share of the record's own error. */
#define LOOSE        0.25
#define ANCHOR_LEAST 100.0 /* ns */

double *leveling_find_tightness(const struct leveling *l)
{
	const size_t n = (size_t)l->share->own * l->model->knots;
	double *to = xmalloc((n + 1) * sizeof *to);
	OWNED double *from = xmalloc((n + 1) * sizeof *from);

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] = INFINITY;
	for (size_t i = 0; i < l->edges->n; i++) {
		const struct fit_edge *e = &l->edges->data[i];
		const struct term term = model_term(l->model, e, true);
		const double slack = fmax(term_slack(&term, l->x), 0);
		if (!(l->edges->flags[i] & EDGE_TWO_SIDED) || l->edges->flags[i] & EDGE_DROPPED)
			continue;
		if (e->from < l->share->own)
			from[term.send.at] = fmin(from[term.send.at], slack);
		if (e->to < l->share->own)
			to[term.recv.at] = fmin(to[term.recv.at], slack);
	}
	for (size_t i = 0; i < n; i++)
		to[i] = (to[i] + from[i]) / 2;
	return to;
}

/* Knots from a place to the nearest one that tight messages hold. */
static double distance(const double *tightness, uint32_t knots, double at)
{
	double d = knots, least = INFINITY;

	for (uint32_t k = 0; k + 1 < knots; k++)
		least = fmin(least, tightness[k]);
	for (uint32_t k = 0; k + 1 < knots; k++)
		if (tightness[k] <= TIGHT * fmax(least, TIGHT_LEAST))
			d = fmin(d, fmax(fmax(k - at, at - (k + 1)), 0));
	return d;
}

/* rms of a clock's bends at knots */
static double bend_of(const double *row, uint32_t knots)
{
	double sum = 0;

	for (uint32_t k = 0; k + 2 < knots; k++) {
		const double bend = row[k] - 2 * row[k + 1] + row[k + 2];
		sum += bend * bend;
	}
	return sqrt(sum / (knots - 2));
}

/* Second difference per knot of a clock that the fit takes for a straight one, as far as messages
 * tell, ns: at least that of a clock that is let run. */
static double bends_of(const struct model *model)
{
	const double seconds = 1e-9 * model->step;

	return fmax(model->sigma, 1e9 * WALK * sqrt(2.0 / 3) * seconds * sqrt(seconds));
}

/* How far off the fit may be where a record is: clocks bend, and tight messages are away. The error
 * of a rate that wanders by sigma a knot, which is what the fit expects of it, and of one that goes
 * on as it bends elsewhere. */
static void find_looseness(const struct leveling *l, const double *tightness, uint32_t slot,
			   double goal, struct numbered_record *r)
{
	const uint32_t knots = l->model->knots;
	const size_t row = (size_t)slot * knots;
	const double at = (goal - l->model->first) / l->model->step;
	const double d = 1 + distance(tightness + row, knots, at);

	r->wander = bends_of(l->model) * sqrt(d * d * d / 3);
	r->bend = hypot(r->wander, bend_of(l->x + row, knots) * d * d / 2);
	r->inside = at >= 0 && at <= knots - 1;
}

double leveling_half(const struct clocks *clocks, const struct offset *o)
{
	return o->rtt > 0 ? fmax((double)o->rtt * clocks->ns / 2, HALF_LEAST) : HALF_UNKNOWN;
}

static struct numbered_record record_of(const struct leveling *l, uint32_t slot,
					const double *tightness, const struct offset *o)
{
	const struct fit_found found = { .model = l->model, .x = l->x };
	const double goal = clocks_record_goal(l->clocks, o);
	const double t = clocks_record_time(l->clocks, o);
	const double u = (goal - l->middle) / l->half;
	struct numbered_record r = { .clock = share_clock(l->share, slot) };

	find_looseness(l, tightness, slot, goal, &r);
	r.record = (struct level_record){
		.residual = goal - t - found_correction(&found, slot, t),
		.u = u,
		.half = leveling_half(l->clocks, o),
		.loose = hypot(r.bend, WANDER * fmax(fabs(u) - 1, 0) * l->half),
	};
	return r;
}

void leveling_find_records(struct leveling *l, const uint32_t *size)
{
	OWNED double *tightness = leveling_find_tightness(l);

	for (size_t i = 0; i < trace_offset_count(l->clocks->trace); i++) {
		const struct offset *o = clocks_offset(l->clocks, i);
		const uint32_t clock = l->clocks->of[o->location];
		const uint32_t slot = clock - share_begin(l->share);
		if (clock == 0 || slot >= l->share->own || size[l->edges->part[clock]] < 2 ||
		    clocks_follow(l->clocks, o->location))
			continue;
		vec_push(&l->records, record_of(l, slot, tightness, o));
	}
}

bool leveling_anchor(const struct leveling *l, struct model *model, const numbered_records *own)
{
	const struct numbered_record *of;
	size_t added = 0;

	vec_each (of, own) {
		const struct level_record *r = &of->record;
		const struct level_line line = l->lines[of->clock];
		const uint32_t slot = (uint32_t)of->clock - share_begin(l->share);
		const double limit = l->level->eta * r->half;
		const struct clock_place place =
			model_place(model, slot, r->u * l->half + l->middle);
		if (!of->inside || of->bend <= LOOSE * limit)
			continue;
		vec_push(&model->anchors,
			 ((struct clock_anchor){
				 .place = place,
				 .limit = fmax(limit * of->wander / of->bend, ANCHOR_LEAST),
				 .expected = place_value(place, l->x) + r->residual - line.level -
					     line.tilt * r->u }));
		added++;
	}
	if (!exchange_any(l->share->x, added > 0))
		return false;
	model->sigma = bends_of(model);
	return true;
}
