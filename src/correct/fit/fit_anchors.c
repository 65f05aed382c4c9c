/* What holds clocks beside edges: measured offsets, and where lines may not turn. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"
#include "model/trace/store.h"

/* Offsets are measured to within some 50 us on a busy machine, sometimes worse, but not off by
 * milliseconds. */
#define ANCHOR_WIDTH 50e3
#define ANCHOR_LIMIT 1e6
#define ANCHOR_LEAST 5e3
#define FIXED        1.0

static void add_anchor(struct model *model, uint32_t slot, double t, double width, double limit)
{
	vec_push(&model->anchors,
		 ((struct clock_anchor){ model_place(model, slot, t), width, limit }));
}

/* True if the location's offsets are not used. */
static bool follows(const struct clocks *clocks, uint32_t location)
{
	const int64_t *tied = clocks->tied;

	return tied && tied[location] != NOT_TIED && tied[location] != location;
}

/* An offset is wrong by half its round trip at most, a bound that holds however messages are
 * delayed (ns); `most` where there is none. Taken for two deviations: in real sweeps on shared
 * cores, whose messages are ten times as fast one way as the other, the fit is then nearer to the
 * truth than interpolation. */
static double wrong_by(const struct clocks *clocks, const struct offset *o, double most)
{
	if (o->rtt <= 0)
		return most;
	return fmin(fmax((double)o->rtt * clocks->ns / 4, ANCHOR_LEAST), most);
}

void anchors_of_offsets(struct model *model, const struct clocks *clocks,
			const struct fit_share *share)
{
	for (size_t i = 0; i < trace_offset_count(clocks->trace); i++) {
		const struct offset *o = clocks_offset(clocks, i);
		const uint32_t clock = clocks->of[o->location];
		const uint32_t slot = clock - share_begin(share);
		if (clock != 0 && slot < share->own && !follows(clocks, o->location))
			add_anchor(model, slot, clocks_time(clocks, clock, o->time + o->offset),
				   wrong_by(clocks, o, ANCHOR_WIDTH),
				   wrong_by(clocks, o, ANCHOR_LIMIT));
	}
}

void anchors_of_lines(struct model *model, const struct fit_share *share, const bool *stays)
{
	for (uint32_t slot = model->held; slot < share->own; slot++) {
		const double limit = stays[share_clock(share, slot)] ? FIXED : ANCHOR_LIMIT;
		add_anchor(model, slot, model->first, 0, limit);
		add_anchor(model, slot, model->first + model->step * model->knots, 0, limit);
	}
}

void anchors_leave_loose(struct fit_edges *edges, struct fit_share *share)
{
	const uint32_t n = share_slots(share);
	double *in = xcalloc(n + 1, sizeof *in), *out = xcalloc(n + 1, sizeof *out);
	double *room = xcalloc(n + 1, sizeof *room);

	for (uint32_t c = 0; c < n; c++)
		in[c] = out[c] = share_clock(share, c) == 0 ? -INFINITY : INFINITY;
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		in[e->to] = fmin(in[e->to], e->recv - e->send);
		out[e->from] = fmin(out[e->from], e->recv - e->send);
	}
	for (uint32_t c = 0; c < share->own; c++)
		room[c] = in[c] + out[c];
	share_refresh(share, room, 1);
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		if (room[e->from] > ANCHOR_WIDTH || room[e->to] > ANCHOR_WIDTH)
			edges->flags[i] &= (uint8_t)~EDGE_TWO_SIDED;
	}
	free_all(in, out, room);
}
