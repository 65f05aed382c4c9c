#include "ui/timeline/picture/timeline_names.h"

#include <string.h>

#include "base/name_text.h"
#include "base/text.h"
#include "model/trace/visit_walk.h"

enum { NAME_SIZE = 256 };

int timeline_name(const struct trace *trace, uint32_t region, char *out, size_t size)
{
	const char *name = trace_region_name(trace, region);

	str_clean(out, size, name, strlen(name));
	return text_width(out);
}

/* ---- visits ---- */

struct walk {
	struct timeline_picture *p;
	struct timeline_cell *cells; /* of the lane */
	const struct query *query;
	const struct timeline_level *level;
	uint32_t *region;  /* [width] */
	const bool *pure;  /* [width]: all of the cell's time is of one state */
	int64_t begin;     /* of the open segment */
	uint32_t path;     /* open call path */
	uint32_t previous; /* region of the last segment that covered a cell, NO_REGION without or
			      where something unknown is after it */
};

static uint32_t shown(const struct walk *w, uint32_t path)
{
	return w->level->shown ? w->level->shown[path] : path;
}

static uint32_t region_of(const struct walk *w, uint32_t path)
{
	const struct trace *trace = w->query->trace;
	const uint32_t p = shown(w, path);

	if (p == NO_PATH || trace_callpath(trace, p)->depth == 0)
		return NO_REGION;
	if (w->level->slot_of && w->level->state[w->level->slot_of[path]] == STATE_FILTERED)
		return NO_REGION;
	return trace_callpath_region(trace, p);
}

static void cut(struct timeline_cell *cell)
{
	cell->cut = !cell->estimated;
}

/* The segment that is open ends at `end`: what it covers wholly is its own. */
static void segment_end(struct walk *w, int64_t end)
{
	const struct time_scale *s = &w->p->scale;
	const uint32_t region = region_of(w, w->path);
	const int64_t from = w->begin > s->t0 ? w->begin : s->t0;
	const int64_t to = end < s->t1 ? end : s->t1;
	int x0, x1;

	w->begin = end;
	if (to <= from)
		return;
	x0 = (int)time_scale_column(s, from);
	x0 += time_scale_edge(s, x0) != from;
	x1 = to == s->t1 ? s->n : (int)time_scale_column(s, to);
	/* Too short to be seen: what meets across it looks as if it touched. */
	if (x1 <= x0)
		return;
	for (int x = x0; x < x1; x++)
		if (region != NO_REGION && !w->cells[x].estimated &&
		    w->cells[x].whole == timeline_state_of(w->query, region))
			w->region[x] = region;
	/* Two visits that look the same, each long enough to be seen. */
	if (w->previous != NO_REGION && region != NO_REGION && from > s->t0 &&
	    timeline_state_of(w->query, w->previous) == timeline_state_of(w->query, region))
		cut(&w->cells[time_scale_column(s, from - 1)]);
	w->previous = region;
}

/* Is the visit that the level draws another one after the event? A leave of the drawn visit ends
 * it even where the same call path is entered again at once. */
static bool other_visit(const struct walk *w, uint32_t path)
{
	return shown(w, path) != shown(w, w->path);
}

/* The first column from `column` on that one state has to itself: only such a column can be inside
 * a visit. */
static int next_pure(const struct walk *w, int column)
{
	while (column < w->p->options.width && !w->pure[column])
		column++;
	return column;
}

/* Walks from the edge of a column, not knowing what is before it; the column to go on at. */
static int walk_from(struct walk *w, uint32_t location, int column)
{
	const struct time_scale *s = &w->p->scale;
	int64_t edge = time_scale_edge(s, column + 1); /* of the next column */
	int here = 0, mixed = 0;
	struct visit_walk v;
	bool ok;

	w->begin = time_scale_edge(s, column);
	w->previous = NO_REGION;
	ok = visit_walk_begin(&v, w->query->trace, w->query->base, location, w->begin, s->t1);
	w->path = ok ? v.path : 0;
	for (; ok && !v.at_end; ok = visit_walk_next(&v)) {
		while (v.time >= edge && mixed < 2) {
			edge = time_scale_edge(s, ++column + 1);
			mixed = w->pure[column] ? 0 : mixed + 1;
			here = 0;
		}
		/* What is not one state to the end is skipped. A single mixed column is not:
		 * visits may meet in it. */
		if (mixed == 2 || here++ == BUSY_EVENTS) {
			segment_end(w, mixed == 2 ? time_scale_edge(s, column) : v.time);
			return next_pure(w, column + 1);
		}
		if (other_visit(w, v.next))
			segment_end(w, v.time);
		w->path = v.next;
	}
	segment_end(w, s->t1);
	return s->n;
}

/* ---- labels ---- */

/* Writes the name in the middle of cells [x0, x1) where it fits; where it is tight without its
 * MPI_, its arguments, its qualifiers. */
static bool place(struct timeline_picture *p, size_t lane, const struct trace *trace,
		  uint32_t region, int x0, int x1)
{
	char name[NAME_SIZE];
	int width = timeline_name(trace, region, name, sizeof name);
	size_t bytes = strlen(name);
	uint8_t skip = 0;

	if (width > x1 - x0 && strncmp(name, "MPI_", 4) == 0 && name[4]) {
		skip = 4;
		width -= 4;
	}
	if (width > x1 - x0 && name_text_bare(name) < bytes) {
		bytes = name_text_bare(name);
		name[bytes] = '\0';
		width = text_width(name);
	}
	/* "borders" of "LAMMPS_NS::CommBrick::borders". */
	if (width > x1 - x0 && !skip && name_text_last(name) <= UINT8_MAX) {
		skip = (uint8_t)name_text_last(name);
		width = text_width(name + skip);
	}
	if (width == 0 || width > x1 - x0)
		return false;
	vec_push(&p->labels, ((struct timeline_label){ .lane = (uint32_t)lane,
						       .x = x0 + (x1 - x0 - width) / 2,
						       .width = width,
						       .region = region,
						       .skip = skip,
						       .end = (uint16_t)bytes }));
	return true;
}

/* Names of a run of cells of one region, [begin, end): of each visit that is seen, or, where none
 * of them has room, of all together. */
static void place_run(struct timeline_picture *p, size_t lane, const struct trace *trace,
		      uint32_t region, int begin, int end)
{
	const struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	bool some = false;

	for (int from = begin, x = begin; x < end; x++) {
		if (x + 1 < end && !cells[x].cut)
			continue;
		/* The cell of the cut shows a gap at its end. */
		some |= place(p, lane, trace, region, from, x + !cells[x].cut);
		from = x + 1;
	}
	if (!some)
		place(p, lane, trace, region, begin, end);
}

void timeline_names_add(struct timeline_picture *p, size_t lane, const struct query *query,
			const struct timeline_level *level, uint32_t *region, const bool *pure)
{
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	struct walk w = { .p = p,
			  .cells = cells,
			  .query = query,
			  .level = level,
			  .region = region,
			  .pure = pure };
	int begin = 0;

	for (int column = next_pure(&w, 0); column < p->options.width;)
		column = walk_from(&w, p->lanes.data[lane].location, column);
	for (int x = 0; x < p->options.width; x++) {
		if (x + 1 < p->options.width && region[x + 1] == region[x])
			continue;
		if (region[x] != NO_REGION)
			place_run(p, lane, query->trace, region[x], begin, x + 1);
		begin = x + 1;
	}
}
