/* What holds clocks beside edges: offsets that were measured, usual rates, and where lines may not
 * turn. */
#include <math.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"
#include "model/trace/store.h"

/* ns. A line that few messages hold stays within LIMIT; an offset is wrong by half its round trip
 * at most, a bound that holds however messages are delayed, taken for two deviations. */
#define LIMIT        1e6
#define FIXED        1.0
#define RECORD_LEAST 5e3
#define RECORD_MOST  75e3 /* also where the round trip is unknown */
/* Of very many clocks, which begin at their records: along a path of them that are held at its ends
 * alone conjugate gradients would need a step for each. */
#define LIMIT_MANY   1e5
/* A knot that changes by this costs as much as a message reversed by 30 ns. */
#define CHANGED      1e5

static void add_anchor(struct model *model, uint32_t slot, double t, double limit)
{
	vec_push(&model->anchors,
		 ((struct clock_anchor){ .place = model_place(model, slot, t), .limit = limit }));
}

static double record_width(const struct clocks *clocks, const struct offset *o)
{
	if (o->rtt <= 0)
		return RECORD_MOST;
	return fmax((double)o->rtt * clocks->ns / 4, RECORD_LEAST);
}

void anchors_of_offsets(struct model *model, const struct clocks *clocks,
			const struct fit_edges *edges, const struct fit_share *share)
{
	OWNED uint32_t *size = xcalloc(clocks->n + 1u, sizeof *size);

	for (uint32_t c = 0; c < clocks->n; c++)
		size[edges->part[c]]++;
	for (size_t i = 0; i < trace_offset_count(clocks->trace); i++) {
		const struct offset *o = clocks_offset(clocks, i);
		const uint32_t clock = clocks->of[o->location];
		const uint32_t slot = clock - share_begin(share);
		if (clock != 0 && slot < share->own && size[edges->part[clock]] == 1 &&
		    !clocks_follow(clocks, o->location))
			add_anchor(model, slot, clocks_record_goal(clocks, o),
				   record_width(clocks, o));
	}
}

void anchors_of_lines(struct model *model, const struct clocks *clocks,
		      const struct fit_share *share, const bool *stays)
{
	const double length = model->step * (model->knots - 1);

	for (uint32_t slot = model->held; slot < share->own; slot++) {
		const uint32_t clock = share_clock(share, slot);
		const bool records = clocks_keep_records(clocks, clock);
		const double limit = stays[clock] ? FIXED : records ? LIMIT_MANY : LIMIT;
		add_anchor(model, slot, model->first, limit);
		add_anchor(model, slot, model->first + length, limit);
		vec_push(&model->rates,
			 ((struct clock_rate){ slot, length * clocks_slope(clocks, clock) }));
	}
}

void anchors_of_all(struct model *model)
{
	for (uint32_t slot = model->held; slot < model->clocks; slot++)
		for (uint32_t k = 0; k < model->knots; k++)
			add_anchor(model, slot, model->first + k * model->step, CHANGED);
}
