#include "ui/timeline_picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/timeline_hits.h"
#include "ui/timeline_names.h"

struct time_window timeline_window(const struct query *query)
{
	struct time_window w = { query->t0, query->t1 };
	int64_t begin, end;

	trace_span(query->trace, query->base, &begin, &end);
	if (w.t0 == INT64_MIN)
		w.t0 = begin;
	if (w.t1 == INT64_MAX)
		w.t1 = end < INT64_MAX ? end + 1 : end;
	if (w.t1 <= w.t0)
		w = w.t0 < INT64_MAX ? (struct time_window){ w.t0, w.t0 + 1 }
				     : (struct time_window){ w.t0 - 1, w.t0 };
	return w;
}

/* ---- rows and lines ---- */

/* Rows get as many lines as there is room for, up to three for the bar and three between: where
 * messages are drawn without covering a state. */
static void choose_lines(uint32_t rows, const struct timeline_options *o, int *bar, int *gap)
{
	static const struct {
		int bar, gap;
	} flat[] = { { 3, 3 }, { 2, 3 }, { 2, 2 }, { 1, 2 }, { 1, 1 }, { 1, 0 } };
	const int64_t n = rows ? rows : 1;

	if (o->depth) {
		*bar = (int)o->depth;
		*gap = n * (*bar + 2) - 2 <= o->height ? 2 : n * (*bar + 1) - 1 <= o->height;
		if (*bar > 1 && *gap == 0)
			*gap = 1; /* stacks that touch cannot be told apart */
		return;
	}
	for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
		*bar = flat[i].bar;
		*gap = flat[i].gap;
		if (n * (*bar + *gap) - *gap <= o->height)
			return;
	}
}

uint32_t timeline_rows_fit(uint32_t rows, const struct timeline_options *options)
{
	int bar, gap;
	uint32_t fit;

	choose_lines(rows, options, &bar, &gap);
	fit = options->height < 1 ? 0 : (uint32_t)((options->height + gap) / (bar + gap));
	if (fit == 0)
		fit = 1;
	return fit < rows ? fit : rows;
}

uint32_t timeline_scroll(uint32_t first, uint32_t row, uint32_t rows,
			 const struct timeline_options *options)
{
	const uint32_t fit = timeline_rows_fit(rows, options);

	if (rows == 0)
		return 0;
	if (row >= rows)
		row = rows - 1;
	if (first + fit > rows)
		first = rows - fit;
	if (row < first)
		first = row;
	if (row >= first + fit)
		first = row - fit + 1;
	return first;
}

int timeline_row_y(const struct timeline_picture *p, uint32_t nth)
{
	return (int)nth * (p->bar + p->gap);
}

static void make_lanes(struct timeline_picture *p, const uint32_t *rows)
{
	const unsigned levels = p->options.depth ? p->options.depth : 1;

	for (uint32_t i = 0; i < p->visible; i++) {
		for (unsigned level = 0; level < levels; level++) {
			const int y = timeline_row_y(p, i) + (int)level;
			const int lines = p->options.depth ? 1 : p->bar;

			if (y >= p->options.height)
				break;
			vec_push(&p->lanes,
				 ((struct timeline_lane){ .row = p->first + i,
							  .location = rows[p->first + i],
							  .level = p->options.depth ? level + 1 : 0,
							  .y = y,
							  .lines = lines }));
		}
	}
}

/* ---- cells ---- */

/* Half columns: edges to sweep between, and which interval each half shows. A window with fewer
 * ticks than halves is swept tick by tick. */
struct halves {
	int n;          /* halves of a row */
	int64_t *edges; /* [intervals + 1] */
	size_t intervals;
	uint32_t *of; /* [n]: interval of a half */
};

static void halves_init(struct halves *h, const struct time_scale *scale, bool ascii)
{
	const struct time_scale fine = { scale->t0, scale->t1, ascii ? scale->n : 2 * scale->n };

	h->n = fine.n;
	h->edges = xcalloc((size_t)h->n + 2, sizeof *h->edges);
	h->of = xcalloc((size_t)h->n, sizeof *h->of);
	h->intervals = 0;
	h->edges[0] = fine.t0;
	for (int i = 0; i < h->n; i++) {
		const int64_t next = time_scale_edge(&fine, i + 1);

		if (next > h->edges[h->intervals])
			h->edges[++h->intervals] = next;
		/* A half without a tick lies inside the tick that the last interval ends with. */
		h->of[i] = (uint32_t)(h->intervals ? h->intervals - 1 : 0);
	}
}

static void halves_fini(struct halves *h)
{
	free(h->edges);
	free(h->of);
}

/* Sums by state, and the region that has nearly all of the time. */
struct mix {
	uint64_t of[STATE_COUNT];
	uint64_t all;
	uint32_t region;
};

static void mix_add(struct mix *mix, const struct timeline_level *level, const uint64_t *slots)
{
	mix->region = NO_REGION;
	for (unsigned s = 0; s < level->slots; s++) {
		mix->of[level->state[s]] += slots[s];
		mix->all += slots[s];
	}
	for (unsigned s = 0; s < level->slots; s++)
		if (level->region[s] != NO_REGION && slots[s] > mix->all - mix->all / 8 - 1 &&
		    slots[s])
			mix->region = level->region[s];
}

static unsigned longest(const struct mix *mix, unsigned not1, unsigned not2)
{
	unsigned best = STATE_NONE;

	for (unsigned s = 0; s < STATE_COUNT; s++)
		if (s != not1 && s != not2 && mix->of[s] &&
		    (best == STATE_NONE || mix->of[s] > mix->of[best]))
			best = s;
	return best;
}

static struct timeline_cell cell_of(const struct mix *left, const struct mix *right)
{
	struct mix whole = *left;
	struct timeline_cell cell = { .second = STATE_NONE };
	unsigned second;

	for (unsigned s = 0; s < STATE_COUNT; s++)
		whole.of[s] += right->of[s];
	whole.all += right->all;
	cell.left = (uint8_t)longest(left, STATE_NONE, STATE_NONE);
	cell.right = (uint8_t)longest(right, STATE_NONE, STATE_NONE);
	cell.whole = (uint8_t)longest(&whole, STATE_NONE, STATE_NONE);
	second = longest(&whole, cell.left, cell.right);
	if (second != STATE_NONE && second != CLASS_OUTSIDE &&
	    whole.of[second] >= (whole.all + 7) / 8) {
		cell.second = (uint8_t)second;
		cell.eighths = (uint8_t)(whole.of[second] * 8 / whole.all);
	}
	return cell;
}

/* Sweeps one lane: cells, and per cell the region that it belongs to as far as the sums tell. */
static void fill_lane(struct timeline_picture *p, size_t lane, const struct timeline_level *level,
		      const struct halves *h, uint64_t *sums, uint32_t *region, bool *pure)
{
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	const int per_cell = h->n / p->options.width;

	memset(sums, 0, h->intervals * SHADING_SLOTS * sizeof *sums);
	shading_sweep(level->shading, p->lanes.data[lane].location, h->edges, h->intervals, sums);
	for (int x = 0; x < p->options.width; x++) {
		struct mix left = { .all = 0 }, right = { .all = 0 };
		const uint32_t l = h->of[x * per_cell], r = h->of[x * per_cell + per_cell - 1];

		mix_add(&left, level, sums + (size_t)l * SHADING_SLOTS);
		mix_add(&right, level, sums + (size_t)r * SHADING_SLOTS);
		region[x] = left.region == right.region ? left.region : NO_REGION;
		cells[x] = cell_of(&left, &right);
		pure[x] = cells[x].left == cells[x].right && cells[x].left < STATE_COUNT &&
			  left.of[cells[x].left] == left.all &&
			  right.of[cells[x].right] == right.all;
	}
}

static bool fill_cells(struct timeline_picture *p, const struct query *query,
		       struct timeline_shades *shades, struct err *err)
{
	const size_t width = (size_t)p->options.width;
	struct halves h;
	uint64_t *sums;
	uint32_t *region;
	bool *pure;
	bool ok = true;

	halves_init(&h, &p->scale, p->options.ascii);
	sums = xcalloc((h.intervals + 1) * SHADING_SLOTS, sizeof *sums);
	region = xcalloc(width, sizeof *region);
	pure = xcalloc(width, sizeof *pure);
	p->cells = xcalloc(p->lanes.n * width + 1, sizeof *p->cells);
	for (size_t i = 0; ok && i < p->lanes.n; i++) {
		const struct timeline_level *level =
			timeline_shades_get(shades, query, p->lanes.data[i].level, err);

		ok = level != NULL;
		if (ok) {
			fill_lane(p, i, level, &h, sums, region, pure);
			timeline_names_add(p, i, query, level, region, pure);
		}
	}
	halves_fini(&h);
	free(sums);
	free(region);
	free(pure);
	return ok;
}

/* ---- the whole ---- */

void timeline_picture_fini(struct timeline_picture *p)
{
	free(p->cells);
	vec_fini(&p->lanes);
	vec_fini(&p->labels);
	vec_fini(&p->arrows);
	vec_fini(&p->ties);
	*p = (struct timeline_picture){ 0 };
}

uint32_t *timeline_rows(const struct query *query, uint32_t *n)
{
	const uint32_t all = query_location_count(query);
	uint32_t *rows = xcalloc((size_t)all + 1, sizeof *rows);

	*n = 0;
	for (uint32_t i = 0; i < all; i++) {
		const uint32_t location = query_location(query, i);

		if (!query->filter || filter_location(query->filter, location))
			rows[(*n)++] = location;
	}
	return rows;
}

bool timeline_picture_make(struct timeline_picture *p, const struct query *query,
			   struct timeline_shades *shades, const struct timeline_options *options,
			   struct err *err)
{
	const struct time_window w = timeline_window(query);
	uint32_t *rows;
	bool ok = true;

	timeline_picture_fini(p);
	p->options = *options;
	if (p->options.width < 1)
		p->options.width = 1;
	if (p->options.depth > TIMELINE_DEPTH_LIMIT)
		p->options.depth = TIMELINE_DEPTH_LIMIT;
	p->scale = (struct time_scale){ w.t0, w.t1, p->options.width };
	rows = timeline_rows(query, &p->rows);
	choose_lines(p->rows, &p->options, &p->bar, &p->gap);
	p->visible = options->height < 1 ? 0 : timeline_rows_fit(p->rows, &p->options);
	p->first = options->first + p->visible > p->rows ? p->rows - p->visible : options->first;
	make_lanes(p, rows);
	ok = fill_cells(p, query, shades, err);
	if (ok)
		timeline_hits_add(p, query, rows);
	free(rows);
	return ok;
}

/* ---- the strip ---- */

static bool is_mpi(unsigned state)
{
	return state != CLASS_USER && state != CLASS_OUTSIDE && state != CLASS_OVERHEAD &&
	       state != STATE_FILTERED;
}

bool timeline_strip_make(struct timeline_strip *strip, const struct query *query,
			 struct timeline_shades *shades, int width, struct err *err)
{
	struct query whole = *query;
	const struct timeline_level *level;
	struct halves h;
	struct time_window w;
	uint64_t *sums, *mpi, *traced;
	uint32_t n, *rows;

	whole.t0 = INT64_MIN;
	whole.t1 = INT64_MAX;
	timeline_strip_fini(strip);
	level = timeline_shades_get(shades, &whole, 0, err);
	if (!level || width < 1)
		return level != NULL;
	w = timeline_window(&whole);
	halves_init(&h, &(struct time_scale){ w.t0, w.t1, width }, true);
	sums = xcalloc((h.intervals + 1) * SHADING_SLOTS, sizeof *sums);
	mpi = xcalloc(2 * (h.intervals + 1), sizeof *mpi);
	traced = mpi + h.intervals + 1;
	rows = timeline_rows(query, &n);
	for (uint32_t r = 0; r < n; r++) {
		memset(sums, 0, h.intervals * SHADING_SLOTS * sizeof *sums);
		shading_sweep(level->shading, rows[r], h.edges, h.intervals, sums);
		for (size_t i = 0; i < h.intervals; i++) {
			for (unsigned s = 0; s < level->slots; s++) {
				const uint64_t t = sums[i * SHADING_SLOTS + s];

				mpi[i] += is_mpi(level->state[s]) ? t : 0;
				traced[i] += level->state[s] == CLASS_OUTSIDE ? 0 : t;
			}
		}
	}
	strip->width = width;
	strip->eighths = xcalloc((size_t)width, 1);
	for (int x = 0; x < width; x++) {
		const uint32_t i = h.of[x];

		if (mpi[i])
			strip->eighths[x] = (uint8_t)(1 + (uint64_t)((double)mpi[i] * 7.49 /
								     (double)traced[i]));
	}
	halves_fini(&h);
	free(sums);
	free(mpi);
	free(rows);
	return true;
}

void timeline_strip_fini(struct timeline_strip *strip)
{
	free(strip->eighths);
	*strip = (struct timeline_strip){ 0 };
}
