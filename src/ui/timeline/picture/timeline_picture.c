#include "ui/timeline/picture/timeline_picture.h"

#include <string.h>

#include "ui/timeline/picture/timeline_hits.h"

struct span timeline_window(const struct query *query)
{
	struct span w = { query->t0, query->t1 };
	int64_t begin, end;

	trace_span(query->trace, query->base, &begin, &end);
	if (w.t0 == INT64_MIN)
		w.t0 = begin;
	if (w.t1 == INT64_MAX)
		w.t1 = end < INT64_MAX ? end + 1 : end;
	if (w.t1 <= w.t0)
		w = w.t0 < INT64_MAX ? (struct span){ w.t0, w.t0 + 1 }
				     : (struct span){ w.t0 - 1, w.t0 };
	return w;
}

struct span timeline_run(const struct query *query)
{
	struct query whole = *query;

	whole.t0 = INT64_MIN;
	whole.t1 = INT64_MAX;
	return timeline_window(&whole);
}

/* ---- lanes ---- */

static void add_lane(struct timeline_picture *p, uint32_t nth, unsigned level, int line, int lines)
{
	const int y = timeline_row_y(p, nth) + line;
	const bool of_group = timeline_shown(p, nth)->kind == ROW_GROUP;

	if (y < p->options.height)
		vec_push(&p->lanes,
			 ((struct timeline_lane){ .nth = nth,
						  .location = timeline_shown(p, nth)->location,
						  .level = level,
						  .y = y,
						  .lines = lines,
						  .of_group = of_group,
						  .mix = NO_MIX }));
}

static void make_lanes(struct timeline_picture *p)
{
	for (uint32_t i = 0; i < p->visible; i++) {
		const enum row_kind kind = timeline_shown(p, i)->kind;

		if (kind == ROW_GROUP || (kind == ROW_LOCATION && p->options.depth == 0))
			add_lane(p, i, 0, 0, p->bar);
		for (unsigned level = 0;
		     timeline_shown(p, i)->kind == ROW_LOCATION && level < p->options.depth;
		     level++)
			add_lane(p, i, level + 1, (int)level, 1);
	}
}

/* ---- the whole ---- */

/* For the next picture; what is large enough for one is kept, as the kernel clears new pages. */
static void clear_picture(struct timeline_picture *p)
{
	struct timeline_picture kept = { .mixes = { p->mixes.data, 0, p->mixes.cap } };

	p->mixes.data = NULL;
	p->mixes.n = p->mixes.cap = 0;
	timeline_picture_fini(p);
	*p = kept;
}

void timeline_picture_fini(struct timeline_picture *p)
{
	free_all(p->cells, p->moves, p->critical);
	vec_fini(&p->passages);
	vec_fini(&p->lanes);
	vec_fini(&p->mixes);
	vec_fini(&p->shown);
	vec_fini(&p->counters);
	vec_fini(&p->values);
	vec_fini(&p->labels);
	vec_fini(&p->arrows);
	vec_fini(&p->density);
	vec_fini(&p->parts);
	timeline_rows_fini(&p->own);
	*p = (struct timeline_picture){ 0 };
}

bool timeline_picture_make(struct timeline_picture *p, const struct query *query,
			   struct timeline_shades *shades, const struct timeline_options *options,
			   struct err *err)
{
	const struct span w = timeline_window(query);

	clear_picture(p);
	p->options = *options;
	p->options.difference = query->difference;
	p->options.critical_path = query->critical_path;
	p->under = query->difference + query->critical_path;
	if (p->options.width < 1)
		p->options.width = 1;
	if (p->options.depth > TIMELINE_DEPTH_LIMIT)
		p->options.depth = TIMELINE_DEPTH_LIMIT;
	p->scale = (struct time_scale){ w.t0, w.t1, p->options.width };
	p->rows = options->rows ? options->rows : &p->own;
	if (!options->rows && !timeline_rows_make(&p->own, query, shades, err))
		return false;
	p->options.rows = p->rows;
	timeline_choose_rows(p);
	make_lanes(p);
	if (!timeline_cells_fill(p, query, shades, err))
		return false;
	timeline_share(p, trace_exchange(query->trace));
	timeline_hits_add(p, query);
	timeline_critical_add(p, query);
	return true;
}
