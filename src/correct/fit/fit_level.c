/* Records or messages: what the fitted clocks and the trace's records say to level.h, and what is
 * done with its answer. Several processes: each says what it has of its clocks and their pairs, the
 * first one answers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_level_state.h"
#include "correct/fit/fit_room.h"
#include "correct/fit/level_state.h"

/* half[clocks]: how far messages may be wrong about each clock. All processes call it. */
static void find_rooms(const struct leveling *l, double *half)
{
	struct room_bounds bounds;

	fit_room_bounds(&bounds, l->clocks, l->edges, l->share, l->model, l->x);
	for (uint32_t c = 0; c < l->clocks->n; c++)
		half[c] = room_half(&bounds, c);
	room_bounds_fini(&bounds);
}

/* ---- the question ---- */

static void count_parts(const struct leveling *l, uint32_t *clocks, uint32_t *parts)
{
	OWNED bool *seen = xcalloc(l->clocks->n + 1u, sizeof *seen);
	OWNED bool *part = xcalloc(l->clocks->n + 1u, sizeof *part);
	const struct level_shape *shape;

	*clocks = *parts = 0;
	for (shape = l->shapes.data; shape < l->shapes.data + l->tight; shape++) {
		*parts += !part[l->edges->part[shape->i]];
		part[l->edges->part[shape->i]] = true;
		*clocks += (uint32_t)!seen[shape->i] + (uint32_t)!seen[shape->j];
		seen[shape->i] = seen[shape->j] = true;
	}
}

static void find_loops(struct leveling *l)
{
	uint32_t clocks, parts;

	l->tight = level_tight_first(l->shapes.data, l->shapes.n);
	count_parts(l, &clocks, &parts);
	l->curl = level_curl(l->shapes.data, l->tight, clocks, parts, &l->level->loops);
}

/* A clock that is asked about, and how long the path to it is. */
struct asked_clock {
	uint64_t part, clock;
	double length;
};
ORDERING(by_part, struct asked_clock, part, length, clock)

/* Numbers the records of each clock one after the other. */
static void sort_records(struct leveling *l, struct level_record *records, struct level_clock *of,
			 const struct asked_clock *asked, size_t n)
{
	OWNED size_t *at = xcalloc(l->clocks->n + 1u, sizeof *at);
	const struct numbered_record *r;
	size_t next = 0;

	vec_each (r, &l->records)
		at[r->clock]++;
	for (size_t i = 0; i < n; i++) {
		of[i].first = next;
		of[i].n = at[asked[i].clock];
		at[asked[i].clock] = next;
		next += of[i].n;
	}
	vec_each (r, &l->records)
		records[at[r->clock]++] = r->record;
}

typedef VEC(struct asked_clock) asked_vec;

/* The clocks of the parts that have records, but the reference, those nearest to their roots
 * first: the tree of paths needs parents first. */
static void list_asked(const struct leveling *l, const struct level_way *ways, asked_vec *asked)
{
	const uint32_t *part = l->edges->part;
	OWNED bool *known = xcalloc(l->clocks->n + 1u, sizeof *known);
	const struct numbered_record *r;

	vec_each (r, &l->records)
		known[part[r->clock]] = true;
	for (uint32_t c = 1; c < l->clocks->n; c++)
		if (known[part[c]])
			vec_push(asked, ((struct asked_clock){ part[c], c,
							       hypot(ways[c].level.symmetric,
								     ways[c].level.excess) }));
	vec_sort(asked, by_part);
}

/* How far messages may be wrong about each clock. */
static struct level_way *find_ways(const struct leveling *l, const uint32_t *root,
				   const double *half)
{
	const uint32_t n = l->clocks->n;
	struct level_way *ways = xcalloc(n + 1u, sizeof *ways);
	OWNED uint32_t *root_of = xcalloc(n + 1u, sizeof *root_of);
	OWNED double *around = xcalloc(n + 1u, sizeof *around);

	for (uint32_t c = 0; c < n; c++)
		root_of[c] = root[l->edges->part[c]];
	level_paths(l->shapes.data, l->shapes.n, n, root_of, ways);
	level_cycles(l->hops.data, l->hops.n, n, root_of, around);
	for (uint32_t c = 0; c < n; c++) {
		struct level_way *way = &ways[c];
		const double most = fmin(half[c], LEVEL_UNKNOWN);
		if (!way->reached)
			way->level.symmetric = around[c] < 0 ? most : fmin(around[c], most);
		if (!way->reached)
			way->turn.symmetric = way->level.symmetric / 2;
	}
	return ways;
}

static void set_clocks(const struct leveling *l, const struct level_way *ways,
		       const asked_vec *asked, const double *half, struct level_clock *of)
{
	OWNED uint32_t *place = xmalloc((l->clocks->n + 1u) * sizeof *place);

	for (uint32_t c = 0; c < l->clocks->n; c++)
		place[c] = LEVEL_ROOT;
	for (size_t i = 0; i < asked->n; i++) {
		const uint32_t c = (uint32_t)asked->data[i].clock, parent = ways[c].parent;
		place[c] = (uint32_t)i;
		of[i].part = (uint32_t)asked->data[i].part;
		of[i].parent = parent == LEVEL_ROOT ? LEVEL_ROOT : place[parent];
		of[i].most = fmin(half[c], LEVEL_UNKNOWN);
		of[i].level = ways[c].level;
		of[i].turn = ways[c].turn;
	}
}

/* Fills the lines of all clocks. */
static void answer(struct leveling *l, const double *half)
{
	const uint32_t n = l->clocks->n;
	OWNED uint32_t *root = align_roots(l->clocks, l->edges->part);
	OWNED struct level_record *records = xcalloc(l->records.n + 1, sizeof *records);
	OWNED bool *island = xcalloc(n + 1u, sizeof *island);
	asked_vec asked = VEC_INIT;
	OWNED struct level_clock *of = NULL;
	struct level_answer said;
	OWNED struct level_way *ways = find_ways(l, root, half);
	struct level_question question = { .records = records, .parts = n, .island = island };

	list_asked(l, ways, &asked);
	of = xcalloc(asked.n + 1, sizeof *of);
	set_clocks(l, ways, &asked, half, of);
	sort_records(l, records, of, asked.data, asked.n);
	for (uint32_t c = 0; c < n; c++)
		island[l->edges->part[c]] = root[l->edges->part[c]] != 0;
	question.clocks = of;
	question.n = asked.n;
	question.half_length = l->half;
	question.curl = l->curl;
	question.curl_noise = level_curl_noise(l->shapes.data, l->tight);
	question.loops = l->level->loops;
	said.clock = xcalloc(asked.n + 1, sizeof *said.clock);
	level_solve(&question, &said);
	for (size_t i = 0; i < asked.n; i++)
		l->lines[asked.data[i].clock] = said.clock[i];
	l->level->kappa = said.kappa;
	l->level->eta = said.eta;
	free(said.clock);
	vec_fini(&asked);
}

/* ---- what is done ---- */

/* The first process gets the records; own ones are copied before. */
static void deal_records(struct leveling *l, numbered_records *own)
{
	OWNED uint32_t *first = NULL;

	for (size_t i = 0; i < l->records.n; i++)
		vec_push(own, l->records.data[i]);
	if (!l->share->job)
		return;
	first = xcalloc(l->records.n + 1, sizeof *first);
	exchange_deal_rows(l->share->job, &l->records, first);
}

static void move_clocks(const struct leveling *l, double *x)
{
	const uint32_t knots = l->model->knots;

	for (uint32_t slot = l->model->held; slot < l->share->own; slot++) {
		const struct level_line line = l->lines[share_clock(l->share, slot)];
		for (uint32_t k = 0; k < knots; k++)
			x[(size_t)slot * knots + k] +=
				line.level +
				line.tilt * (l->model->first + k * l->model->step - l->middle) /
					l->half;
	}
	share_refresh(l->share, x, knots);
}

bool level_find_later(struct fit_edges *edges, const struct clocks *clocks, struct fit_share *share,
		      const struct model *model, const double *x)
{
	struct leveling l = {
		.clocks = clocks, .edges = edges, .share = share, .model = model, .x = x
	};
	OWNED uint64_t *held = xcalloc(clocks->n + 1u, sizeof *held);
	const struct level_shape *shape;
	bool any = false;

	leveling_find_pairs(&l);
	vec_each (shape, &l.shapes)
		if (shape->agree && shape->scatter >= 0 && 2 * shape->windows >= LEVEL_WINDOWS)
			held[shape->i] = held[shape->j] = 1;
	exchange_sums(share->job, held, clocks->n);
	for (size_t i = 0; i < edges->n; i++) {
		const uint32_t from = share_clock(share, edges->data[i].from);
		const uint32_t to = share_clock(share, edges->data[i].to);
		if (edges->data[i].bound && edges->part[from] == edges->part[to] && held[from] &&
		    held[to]) {
			edges->flags[i] |= EDGE_LATER;
			any = true;
		}
	}
	vec_fini(&l.shapes);
	vec_fini(&l.hops);
	return exchange_any(share->job, any);
}

static uint32_t *part_sizes(const struct clocks *clocks, const uint32_t *part)
{
	uint32_t *size = xcalloc(clocks->n + 1u, sizeof *size);

	for (uint32_t c = 0; c < clocks->n; c++)
		size[part[c]]++;
	return size;
}

bool level_run(struct fit_level *level, struct solver *solver, struct model *model,
	       struct fit_edges *edges, const struct clocks *clocks, struct fit_share *share,
	       double *x, const struct progress *progress)
{
	OWNED uint32_t *size = part_sizes(clocks, edges->part);
	OWNED double *half = xcalloc(clocks->n + 1u, sizeof *half);
	OWNED struct level_line *lines = xcalloc(clocks->n + 1u, sizeof *lines);
	struct leveling l = { .clocks = clocks,
			      .edges = edges,
			      .share = share,
			      .model = model,
			      .x = x,
			      .lines = lines,
			      .level = level };
	numbered_records own = VEC_INIT;
	bool ok = true;

	*level = (struct fit_level){ -1, -1, 0, 0 };
	leveling_find_pairs(&l);
	leveling_find_records(&l, size);
	deal_records(&l, &own);
	level->records = exchange_count(share->job, l.records.n);
	if (level->records > 0)
		find_rooms(&l, half);
	if (exchange_process(share->job) == 0)
		find_loops(&l);
	if (exchange_process(share->job) == 0 && l.records.n > 0)
		answer(&l, half);
	exchange_from(share->job, 0, level, sizeof *level);
	exchange_from(share->job, 0, lines, clocks->n * sizeof *lines);
	if (level->records > 0) {
		if (leveling_anchor(&l, model, &own))
			ok = solver_fit(solver, model, edges, 0, EDGE_LEFT_OUT, x, progress);
		move_clocks(&l, x);
	}
	vec_fini(&l.shapes);
	vec_fini(&l.hops);
	vec_fini(&l.records);
	vec_fini(&own);
	return ok;
}
