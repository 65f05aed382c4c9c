/* Fills the lanes of a picture: cells, and the names in them. */
#include <string.h>

#include "base/mem.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_names.h"
#include "ui/timeline/picture/timeline_picture.h"

/* The region that has nearly all of the time. */
static uint32_t region_of(const struct timeline_level *level, const uint64_t *slots, uint64_t all)
{
	for (unsigned s = 0; s < level->slots; s++)
		if (level->region[s] != NO_REGION && slots[s] > all - all / 8 - 1 && slots[s])
			return level->region[s];
	return NO_REGION;
}

/* What the lanes of one picture are filled with. */
struct filling {
	const struct query *query;
	struct timeline_shades *shades;
	struct time_cells halves, columns;
	struct timeline_sums *kept; /* of groups: the options', or made for this picture */
	uint64_t *sums;
	uint64_t *waits;  /* [intervals][WAIT_SLOTS] of a lane */
	uint32_t *region; /* [width] */
	bool *pure;       /* [width] */
};

/* More calls a column: a boundary inside a cell is of no one call; its shares say more, at half
 * the price. */
enum { DENSE_EVENTS = 64 };

/* What a lane is summed in. */
static const struct time_cells *cells_of_lane(const struct filling *f,
					      const struct timeline_level *level, uint32_t location)
{
	const int64_t *edges = f->columns.edges;
	const uint64_t events =
		shading_events(level->shading, location, edges[0], edges[f->columns.intervals]);

	return events > (uint64_t)f->columns.n * DENSE_EVENTS ? &f->columns : &f->halves;
}

static bool is_nothing(const uint64_t *waits, unsigned n)
{
	for (unsigned s = 0; s < n; s++)
		if (waits[s])
			return false;
	return true;
}

/* The halves of a cell; of one sample, or shorter than a tick, they are the same. */
struct halves {
	struct timeline_mix left, right;
	bool same;
};

/* What a cell shows of its halves. */
static void set_cell(struct timeline_picture *p, struct timeline_cell *cell, const struct halves *h)
{
	const struct timeline_cell before = *cell;

	*cell = timeline_cell_of(&h->left, &h->right);
	cell->cut = before.cut;
	cell->estimated = before.estimated;
	if (cell->left == cell->right && !cell->mixed)
		return;
	cell->mix = before.mix == NO_MIX ? (uint32_t)p->mixes.n : before.mix;
	vec_reserve(&p->mixes, 1);
	p->mixes.n += before.mix == NO_MIX;
	p->mixes.data[cell->mix] = h->same ? h->left : timeline_mix_sum(&h->left, &h->right);
}

/* The cells of a lane where something waited, drawn again. Names are what they would be without
 * it. */
static void wait_lane(struct timeline_picture *p, size_t lane, const struct timeline_level *level,
		      const struct time_cells *h, struct filling *f)
{
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	const int per_cell = h->n / p->options.width;
	const unsigned n = level->waits ? wait_sums_slots(level->waits, NULL) : 0;
	uint64_t *const waits = f->waits;

	if (n == 0)
		return;
	memset(waits, 0, h->intervals * n * sizeof *waits);
	wait_sums_add(level->waits, p->lanes.data[lane].location, h->edges, h->intervals, waits);
	for (int x = 0; x < p->options.width; x++) {
		const size_t l = (size_t)h->of[x * per_cell];
		const size_t r = (size_t)h->of[x * per_cell + per_cell - 1];
		struct halves halves = { .same = l == r };

		if (is_nothing(waits + l * n, n) && is_nothing(waits + r * n, n))
			continue;
		timeline_mix_add(&halves.left, level, f->sums + l * SHADING_SLOTS);
		timeline_mix_add(&halves.right, level, f->sums + r * SHADING_SLOTS);
		timeline_mix_wait(&halves.left, level->waits, waits + l * n);
		timeline_mix_wait(&halves.right, level->waits, waits + r * n);
		set_cell(p, &cells[x], &halves);
	}
}

/* Sweeps one lane: cells, and per cell the region that it belongs to as far as the sums tell. */
static void fill_lane(struct timeline_picture *p, size_t lane, const struct timeline_level *level,
		      struct filling *f)
{
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	const struct time_cells *h = cells_of_lane(f, level, p->lanes.data[lane].location);
	const int per_cell = h->n / p->options.width;

	timeline_gaps_add(p, lane, f->query);
	shading_sweep(level->shading, p->lanes.data[lane].location, h->edges, h->intervals,
		      f->sums);
	for (int x = 0; x < p->options.width; x++) {
		const uint64_t *l = f->sums + (size_t)h->of[x * per_cell] * SHADING_SLOTS;
		const uint64_t *r =
			f->sums + (size_t)h->of[x * per_cell + per_cell - 1] * SHADING_SLOTS;
		const bool estimated = cells[x].estimated;
		struct halves halves = { .same = l == r };

		timeline_mix_add(&halves.left, level, l);
		if (halves.same)
			halves.right = halves.left;
		else
			timeline_mix_add(&halves.right, level, r);
		f->region[x] = region_of(level, l, halves.left.all);
		if (f->region[x] != region_of(level, r, halves.right.all) || estimated)
			f->region[x] = NO_REGION;
		cells[x].mix = NO_MIX;
		set_cell(p, &cells[x], &halves);
		f->pure[x] = !estimated && cells[x].left == cells[x].right &&
			     cells[x].left < STATE_COUNT &&
			     halves.left.of[cells[x].left] == halves.left.all &&
			     halves.right.of[cells[x].right] == halves.right.all;
	}
	timeline_names_add(p, lane, f->query, level, f->region, f->pure);
	wait_lane(p, lane, level, h, f);
}

static uint8_t shown_as(uint8_t state, uint32_t hidden)
{
	return state < STATE_COUNT && hidden >> state & 1 ? STATE_FILTERED : state;
}

/* Hidden states of a lane become what the filter leaves out. */
static void hide_states(struct timeline_picture *p, size_t lane, uint32_t hidden)
{
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;

	for (int x = 0; hidden && x < p->options.width; x++) {
		struct timeline_mix *mix =
			cells[x].mix == NO_MIX ? NULL : &p->mixes.data[cells[x].mix];

		cells[x].left = shown_as(cells[x].left, hidden);
		cells[x].right = shown_as(cells[x].right, hidden);
		cells[x].whole = shown_as(cells[x].whole, hidden);
		for (unsigned s = 0; mix && s < STATE_COUNT; s++) {
			if (!(hidden >> s & 1) || s == STATE_FILTERED)
				continue;
			mix->of[STATE_FILTERED] += mix->of[s];
			mix->of[s] = 0;
			mix->states |= UINT32_C(1) << STATE_FILTERED;
		}
	}
}

static void fill_group(struct timeline_picture *p, size_t lane, const struct timeline_level *level,
		       struct filling *f)
{
	static const struct timeline_mix nothing;
	struct timeline_lane *l = &p->lanes.data[lane];
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	struct timeline_mix *mixes = p->mixes.data + l->mix;
	const uint32_t group = timeline_shown(p, l->nth)->group;
	const uint64_t *waits;
	unsigned n;

	l->sums = (uint8_t)timeline_sums_get(f->kept, group, f->sums);
	waits = timeline_sums_waits(f->kept, group);
	n = waits ? wait_sums_slots(level->waits, NULL) : 0;
	for (int x = 0; x < p->options.width; x++) {
		timeline_mix_add(&mixes[x], level,
				 f->sums + (size_t)f->columns.of[x] * SHADING_SLOTS);
		if (waits)
			timeline_mix_wait(&mixes[x], level->waits,
					  waits + (size_t)f->columns.of[x] * n);
		cells[x] = timeline_cell_of(&mixes[x], &nothing);
		cells[x].left = cells[x].right = cells[x].whole;
		cells[x].mix = l->mix + (uint32_t)x;
	}
}

/* Tells the keeper of sums what this frame is summed in. */
static bool begin_sums(struct timeline_picture *p, struct filling *f, struct err *err)
{
	const struct timeline_level *level;

	if (p->mixes.n == 0)
		return true;
	level = timeline_shades_get(f->shades, f->query, 0, err);
	if (level)
		timeline_sums_begin(f->kept, level, p->rows, p->options.rows_generation, f->query,
				    &f->columns);
	return level != NULL;
}

static bool fill_lanes(struct timeline_picture *p, struct filling *f, struct err *err)
{
	for (size_t i = 0; i < p->lanes.n; i++) {
		const struct timeline_lane *lane = &p->lanes.data[i];
		const struct timeline_level *level =
			timeline_shades_get(f->shades, f->query, lane->level, err);

		if (!level)
			return false;
		if (lane->of_group)
			fill_group(p, i, level, f);
		else if (trace_has_location(f->query->trace, lane->location))
			fill_lane(p, i, level, f);
		if (f->query->colouring)
			hide_states(p, i, f->query->colouring->hidden);
	}
	return true;
}

bool timeline_cells_fill(struct timeline_picture *p, const struct query *query,
			 struct timeline_shades *shades, struct err *err)
{
	const size_t width = (size_t)p->options.width;
	const struct time_scale halves = { p->scale.t0, p->scale.t1,
					   (int)(p->options.ascii ? width : 2 * width) };
	struct timeline_sums *own = p->options.sums ? NULL : timeline_sums_new(INT64_MAX, 0);
	struct filling f = { .query = query,
			     .shades = shades,
			     .kept = own ? own : p->options.sums };
	bool ok;

	time_cells_init(&f.halves, &halves);
	time_cells_init(&f.columns, &p->scale);
	f.sums = xcalloc((f.halves.intervals + 1) * SHADING_SLOTS, sizeof *f.sums);
	f.waits = xcalloc((f.halves.intervals + 1) * WAIT_SLOTS, sizeof *f.waits);
	f.region = xcalloc(width, sizeof *f.region);
	f.pure = xcalloc(width, sizeof *f.pure);
	p->cells = xcalloc(p->lanes.n * width + 1, sizeof *p->cells);
	for (size_t i = 0; i < p->lanes.n; i++) {
		if (!p->lanes.data[i].of_group)
			continue;
		p->lanes.data[i].mix = (uint32_t)p->mixes.n;
		for (size_t x = 0; x < width; x++)
			vec_push(&p->mixes, (struct timeline_mix){ .all = 0 });
	}
	ok = begin_sums(p, &f, err) && fill_lanes(p, &f, err);
	timeline_counters_add(p, query, shades, &f.columns);
	ok = ok && timeline_difference_add(p, query, shades, &f.columns);
	timeline_sums_free(own);
	time_cells_fini(&f.halves);
	time_cells_fini(&f.columns);
	free_all(f.sums, f.waits, f.region, f.pure);
	return ok;
}
