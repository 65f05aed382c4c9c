#include "correct/fit/fit_room.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/trace/store.h"

/* Mean and bend of an own clock. */
static void add_rate(struct room *room, const struct clocks *clocks, const struct fit_share *share,
		     const struct model *model, const double *x, uint32_t slot)
{
	const double *row = x + (size_t)slot * model->knots;
	const double chord = (row[model->knots - 1] - row[0]) / (model->step * (model->knots - 1));
	const uint32_t clock = share_clock(share, slot);
	double bend = 0;

	for (uint32_t k = 0; k + 1 < model->knots; k++)
		bend = fmax(bend, fabs((row[k + 1] - row[k]) / model->step - chord));
	room_rate(room, clock, (1 + clocks_slope(clocks, clock)) * (1 + chord) - 1, bend);
}

static void add_edge(struct room *room, const struct fit_edge *e, const struct fit_share *share,
		     const struct fit_found *found)
{
	const uint32_t from = share_clock(share, e->from), to = share_clock(share, e->to);
	const double send = e->send + found_correction(found, e->from, e->send);
	const double recv = e->recv + found_correction(found, e->to, e->recv);

	if (e->bound)
		room_group(room, (struct room_party[]){ { from, send, NAN }, { to, NAN, recv } }, 2,
			   ROOM_WORLD);
	else
		room_message(room, from, send, to, recv);
}

void fit_room_bounds(struct room_bounds *bounds, const struct clocks *clocks,
		     const struct fit_edges *edges, const struct fit_share *share,
		     const struct model *model, const double *x)
{
	const double last = model->first + model->step * (model->knots - 1);
	const struct fit_found found = { .model = model, .x = x };
	struct room *room = room_new(clocks->n, model->first, last, clocks->ns);

	for (uint32_t slot = 0; slot < share->own; slot++)
		add_rate(room, clocks, share, model, x, slot);
	for (size_t i = 0; i < edges->n; i++)
		if (edges_counts(share, &edges->data[i]) && !(edges->flags[i] & EDGE_DROPPED))
			add_edge(room, &edges->data[i], share, &found);
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
