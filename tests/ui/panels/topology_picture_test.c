/* The picture of a grid: whatever its dimensions, the area and the look, the place under the cursor
 * is seen, a click on it hits it, keys reach every place, and nothing is drawn outside. */
#include <string.h>

#include "base/mem.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "ui/panels/topology/topology_picture.h"

static struct trace *trace_of(uint32_t ranks)
{
	struct builder *b = builder_new("made.trc", &units_nanoseconds, NULL);
	struct err err = ERR_INIT;
	struct trace *trace;

	for (uint32_t r = 0; r < ranks; r++)
		builder_location(b, &(struct location){ .rank = (int32_t)r, .process = -1 });
	trace = builder_finish(b, NULL, NULL, &err);
	assert_non_null(trace);
	return trace;
}

struct scene {
	struct trace *trace;
	struct grids grids;
	struct topology_values values;
	struct topology_range range;
	struct rect area;
	struct topology_look look;
	uint32_t ranks;
};

static void scene_init(struct scene *s, struct rng *rng)
{
	struct str wish = STR_INIT;
	const uint32_t dims = 1 + rng_below(rng, 5), most = dims > 3 ? 3 : dims > 1 ? 9 : 200;
	struct err err = ERR_INIT;
	uint32_t places = 1;

	*s = (struct scene){ .range = { 0 } };
	for (uint32_t d = 0; d < dims; d++) {
		const uint32_t size = 1 + rng_below(rng, most);
		str_add_fmt(&wish, "%s%u", d ? "x" : "", size);
		places *= size;
	}
	s->ranks = 1 + rng_below(rng, places); /* some places may stay empty */
	s->trace = trace_of(s->ranks);
	assert_true(grids_make(&s->grids, s->trace, wish.text, &err));
	str_fini(&wish);
	s->values = (struct topology_values){ .trace = s->trace,
					      .grids = &s->grids,
					      .metric = CUBE_TIME,
					      .callpath = UINT32_MAX,
					      .n = s->ranks,
					      .chosen = xcalloc(s->ranks, sizeof(bool)),
					      .of = xcalloc(s->ranks, sizeof(double)) };
	for (uint32_t l = 0; l < s->ranks; l++) {
		s->values.chosen[l] = rng_below(rng, 10) > 0;
		s->values.of[l] = rng_below(rng, 1000000);
	}
	s->range = topology_range(&s->values, &s->grids.grid[0]);
	s->area = (struct rect){ 2, 3, 12 + (int)rng_below(rng, 120), 5 + (int)rng_below(rng, 40) };
	s->look = (struct topology_look){ .turn = rng_below(rng, 12),
					  .size = rng_below(rng, TOPOLOGY_SIZES),
					  .reversed = rng_below(rng, 2) };
}

static void scene_fini(struct scene *s)
{
	free_all(s->values.chosen, s->values.of);
	grids_fini(&s->grids);
	trace_free(s->trace);
}

static bool same(const struct grid *grid, const int32_t *a, const int32_t *b)
{
	return memcmp(a, b, grid->dims * sizeof *a) == 0;
}

/* Some cell of the area is the cursor's. */
static bool is_seen(const struct topology_layout *layout, const int32_t *cursor)
{
	int32_t coords[GRID_DIMS];

	for (int y = layout->area.y; y < layout->area.y + layout->area.h; y++)
		for (int x = layout->area.x; x < layout->area.x + layout->area.w; x++)
			if (topology_hit(layout, x, y, coords) &&
			    same(layout->grid, coords, cursor))
				return true;
	return false;
}

/* Outside of the area nothing was drawn. */
static void expect_inside(const struct canvas *canvas, struct rect area)
{
	for (int y = 0; y < canvas->h; y++)
		for (int x = 0; x < canvas->w; x++) {
			const struct cell *cell = &canvas->cells[y * canvas->w + x];
			if (x >= area.x && x < area.x + area.w && y >= area.y &&
			    y < area.y + area.h)
				continue;
			assert_int_equal(cell->ch, ' ');
		}
}

TEST(the_cursor_is_seen_and_hit)
{
	struct rng rng = { 40 };

	for (int round = 0; round < 300; round++) {
		struct scene s;
		struct canvas canvas;
		const struct grid *grid;
		int32_t cursor[GRID_DIMS] = { 0 };
		struct topology_layout layout;
		scene_init(&s, &rng);
		grid = &s.grids.grid[0];
		for (uint32_t d = 0; d < grid->dims; d++)
			cursor[d] = (int32_t)rng_below(&rng, grid->size[d]);
		layout = topology_layout(grid, &s.look, s.area, cursor);
		/* Larger cells than the area has no place on it. */
		if (layout.cell_h + layout.head <= s.area.h &&
		    layout.cell_w + layout.label <= s.area.w)
			assert_true(is_seen(&layout, cursor));
		canvas_init(&canvas, s.area.w + 5, s.area.h + 6, round % 2);
		canvas.mono = round % 3 == 0;
		canvas_clear(&canvas);
		topology_draw(&layout, &s.values, &s.range, cursor, &canvas);
		expect_inside(&canvas, s.area);
		canvas_fini(&canvas);
		scene_fini(&s);
	}
}

/* From the first place keys lead to the last, and never off the grid. */
TEST(keys_stay_on_the_grid)
{
	struct rng rng = { 41 };

	for (int round = 0; round < 200; round++) {
		struct scene s;
		const struct grid *grid;
		int32_t cursor[GRID_DIMS] = { 0 }, last[GRID_DIMS] = { 0 };
		struct topology_layout layout;
		scene_init(&s, &rng);
		grid = &s.grids.grid[0];
		layout = topology_layout(grid, &s.look, s.area, cursor);
		for (int i = 0; i < 200; i++) {
			topology_move(&layout, cursor, (int64_t)rng_below(&rng, 7) - 3,
				      (int64_t)rng_below(&rng, 7) - 3,
				      (int64_t)rng_below(&rng, 3) - 1);
			for (uint32_t d = 0; d < grid->dims; d++)
				assert_true(cursor[d] >= 0 && (uint32_t)cursor[d] < grid->size[d]);
		}
		topology_move_end(&layout, last, true);
		topology_move_end(&layout, cursor, false);
		topology_move(&layout, cursor, 0, 0, INT32_MAX);
		topology_move(&layout, cursor, INT32_MAX, INT32_MAX, 0);
		assert_true(same(grid, cursor, last));
		scene_fini(&s);
	}
}
