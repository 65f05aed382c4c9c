#include "correct/fit/fit_room.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/trace/store.h"

/* The mean rate of interpolated offsets, of each clock. */
static double *find_rates(const struct clocks *clocks)
{
	OWNED const struct offset **first = xcalloc(clocks->n + 1u, sizeof *first);
	double *rates = xcalloc(clocks->n + 1u, sizeof *rates);

	for (size_t i = 0; clocks->base == BASE_LINEAR && i < trace_offset_count(clocks->trace);
	     i++) {
		const struct offset *o = clocks_offset(clocks, i);
		const uint32_t c = clocks->of[o->location];
		if (o->location != clocks->location[c])
			continue;
		if (!first[c])
			first[c] = o;
		else if (o->time > first[c]->time)
			rates[c] = (double)(o->offset - first[c]->offset) /
				   (double)(o->time - first[c]->time);
	}
	return rates;
}

static double corrected(const struct model *model, const double *x, uint32_t slot, double t)
{
	return t + place_value(model_place(model, slot, t), x);
}

/* Means and bends of the own clocks. */
static void add_rates(struct room *room, const struct clocks *clocks, const struct fit_share *share,
		      const struct model *model, const double *x)
{
	const double length = model->step * (model->knots - 1);
	OWNED double *rates = find_rates(clocks);

	for (uint32_t slot = 0; slot < share->own; slot++) {
		const double *row = x + (size_t)slot * model->knots;
		const double mean = length > 0 ? (row[model->knots - 1] - row[0]) / length : 0;
		const uint32_t c = share_clock(share, slot);
		double bend = 0;
		for (uint32_t k = 0; k + 1 < model->knots && length > 0; k++)
			bend = fmax(bend, fabs((row[k + 1] - row[k]) / model->step - mean));
		room_rate(room, c, rates[c] + clocks->line[c].drift + mean, bend);
	}
}

void fit_room_bounds(struct room_bounds *bounds, const struct clocks *clocks,
		     const struct fit_edges *edges, const struct fit_share *share,
		     const struct model *model, const double *x)
{
	const double last = model->first + model->step * (model->knots - 1);
	struct room *room = room_new(clocks->n, model->first, last, clocks->ns);

	add_rates(room, clocks, share, model, x);
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		if (edges_counts(share, e) && !(edges->flags[i] & EDGE_DROPPED))
			room_message(room, share_clock(share, e->from),
				     corrected(model, x, e->from, e->send),
				     share_clock(share, e->to),
				     corrected(model, x, e->to, e->recv));
	}
	room_share(room, share->job);
	room_solve(room, share->job, bounds);
	room_free(room);
}

/* ---- which locations share a clock ---- */

void clocks_map(struct clock_map *map, const struct clocks *clocks)
{
	const uint32_t locations = trace_location_count(clocks->trace);

	map->n = clocks->n;
	map->of = xmalloc((locations + 1u) * sizeof *map->of);
	map->location = xmalloc((clocks->n + 1u) * sizeof *map->location);
	memcpy(map->of, clocks->of, locations * sizeof *map->of);
	memcpy(map->location, clocks->location, clocks->n * sizeof *map->location);
}

void clock_map_make(struct clock_map *map, const struct trace *trace, enum time_base base)
{
	ENDED_BY(clocks_fini) struct clocks clocks;

	clocks_make(&clocks, trace, base, NULL);
	clocks_map(map, &clocks);
}

void clock_map_fini(struct clock_map *map)
{
	free_all(map->of, map->location);
	*map = (struct clock_map){ 0 };
}
