/* Records or messages: what the fitted clocks and the trace's records say to level.h, and what is
 * done with its answer. Several processes: each says what it has of its clocks and their pairs, the
 * first one answers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_room.h"
#include "correct/fit/fit_state.h"
#include "correct/fit/level.h"
#include "model/trace/store.h"

/* ns: half of a round trip that was not measured; a record is never better than its clock. */
#define HALF_UNKNOWN 150e3
#define HALF_LEAST   1.0
#define U_MOST       1.5 /* how far records may be outside of the run, in halves of it */

/* A record, with its clock. */
struct numbered_record {
	uint64_t clock;
	struct level_record record;
};

struct leveling {
	const struct clocks *clocks;
	const struct fit_edges *edges;
	struct fit_share *share;
	const struct model *model;
	const double *x;
	VEC(struct level_pair) pairs;
	VEC(struct level_shape) shapes;
	VEC(struct numbered_record) records;
	size_t tight; /* of the shapes, the first ones */
	double curl;
	struct level_line *lines; /* [clocks] */
	struct fit_level *level;
};

/* ---- what is known of pairs ---- */

static uint32_t node_of(const struct clocks *clocks, uint32_t clock)
{
	return trace_location(clocks->trace, clocks->location[clock])->node;
}

static uint32_t window_of(const struct model *model, double t)
{
	const double u = (t - model->first) / (model->step * (model->knots - 1)) * LEVEL_WINDOWS;

	return u <= 0 ? 0 : u >= LEVEL_WINDOWS ? LEVEL_WINDOWS - 1 : (uint32_t)u;
}

/* Adds the messages of a pair in one direction, those before `end`. */
static void add_direction(struct leveling *l, size_t i, size_t end)
{
	const uint32_t from = share_clock(l->share, l->edges->data[i].from);
	const uint32_t to = share_clock(l->share, l->edges->data[i].to);
	const bool up = from < to;
	struct level_pair pair = { up ? from : to, up ? to : from, .near = false };
	bool any = false;

	if (pair.i - share_begin(l->share) >= l->share->own)
		return;
	pair.near = node_of(l->clocks, pair.i) == node_of(l->clocks, pair.j);
	for (int w = 0; w < LEVEL_WINDOWS; w++)
		pair.up[w] = pair.down[w] = INFINITY;
	for (; i < end; i++) {
		const struct fit_edge *e = &l->edges->data[i];
		double *least = &(up ? pair.up : pair.down)[window_of(l->model, e->recv)];
		if (!(l->edges->flags[i] & EDGE_TWO_SIDED) || l->edges->flags[i] & EDGE_DROPPED)
			continue;
		const struct term term = model_term(l->model, e, true);
		*least = fmin(*least, term_slack(&term, l->x));
		any = true;
	}
	if (any)
		vec_push(&l->pairs, pair);
}

ORDERING(by_pair, struct level_pair, i, j)

/* Of the pairs whose first clock is this process'. */
static void find_pairs(struct leveling *l)
{
	OWNED uint32_t *first = NULL;

	for (size_t i = 0, end; i < l->edges->n; i = end) {
		end = edges_pair_end(l->edges, i);
		add_direction(l, i, end);
	}
	vec_sort(&l->pairs, by_pair);
	for (size_t i = 0; i + 1 < l->pairs.n; i++) {
		struct level_pair *a = &l->pairs.data[i], *b = a + 1;
		struct level_shape shape;
		if (by_pair(a, b) != 0)
			continue;
		for (int w = 0; w < LEVEL_WINDOWS; w++) {
			a->up[w] = fmin(a->up[w], b->up[w]);
			a->down[w] = fmin(a->down[w], b->down[w]);
		}
		shape = level_shape_of(a);
		if (shape.windows >= 2)
			vec_push(&l->shapes, shape);
	}
	if (!l->share->job)
		return;
	first = xcalloc(l->shapes.n + 1, sizeof *first);
	exchange_deal_rows(l->share->job, &l->shapes, first);
}

/* ---- records ---- */

static struct level_record record_of(const struct leveling *l, uint32_t slot,
				     const struct offset *o)
{
	const struct fit_found found = { .model = l->model, .x = l->x };
	const double half = l->model->step * (l->model->knots - 1) / 2;
	const double goal = clocks_record_goal(l->clocks, o);
	const double t = clocks_record_time(l->clocks, o);
	const double u = (goal - l->model->first) / half - 1;

	return (struct level_record){
		.residual = goal - t - found_correction(&found, slot, t),
		.u = fmin(fmax(u, -U_MOST), U_MOST),
		.half = o->rtt > 0 ? fmax((double)o->rtt * l->clocks->ns / 2, HALF_LEAST)
				   : HALF_UNKNOWN,
	};
}

/* Of own clocks that messages in both directions place: the others' are in the fit. */
static void find_records(struct leveling *l, const uint32_t *size)
{
	OWNED uint32_t *first = NULL;

	for (size_t i = 0; i < trace_offset_count(l->clocks->trace); i++) {
		const struct offset *o = clocks_offset(l->clocks, i);
		const uint32_t clock = l->clocks->of[o->location];
		const uint32_t slot = clock - share_begin(l->share);
		if (clock == 0 || slot >= l->share->own || size[l->edges->part[clock]] < 2 ||
		    clocks_follow(l->clocks, o->location))
			continue;
		vec_push(&l->records, ((struct numbered_record){ clock, record_of(l, slot, o) }));
	}
	if (!l->share->job)
		return;
	first = xcalloc(l->records.n + 1, sizeof *first);
	exchange_deal_rows(l->share->job, &l->records, first);
}

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
static void list_asked(const struct leveling *l, const double *length, asked_vec *asked)
{
	const uint32_t *part = l->edges->part;
	OWNED bool *known = xcalloc(l->clocks->n + 1u, sizeof *known);
	const struct numbered_record *r;

	vec_each (r, &l->records)
		known[part[r->clock]] = true;
	for (uint32_t c = 1; c < l->clocks->n; c++)
		if (known[part[c]])
			vec_push(asked, ((struct asked_clock){ part[c], c, length[c] }));
	vec_sort(asked, by_part);
}

/* How far messages may be wrong about each clock. */
struct level_ways {
	double *symmetric, *excess, *length; /* [clocks] */
	uint32_t *parent;
};

static void find_ways(const struct leveling *l, const uint32_t *root, const double *half,
		      struct level_ways *ways)
{
	const uint32_t n = l->clocks->n;
	OWNED uint32_t *root_of = xcalloc(n + 1u, sizeof *root_of);

	ways->symmetric = xcalloc(n + 1u, sizeof *ways->symmetric);
	ways->excess = xcalloc(n + 1u, sizeof *ways->excess);
	ways->length = xcalloc(n + 1u, sizeof *ways->length);
	ways->parent = xcalloc(n + 1u, sizeof *ways->parent);
	for (uint32_t c = 0; c < n; c++)
		root_of[c] = root[l->edges->part[c]];
	level_paths(l->shapes.data, l->shapes.n, n, root_of, ways->symmetric, ways->excess,
		    ways->parent);
	for (uint32_t c = 0; c < n; c++) {
		const double most = fmin(half[c], LEVEL_UNKNOWN);
		ways->length[c] = hypot(ways->symmetric[c], ways->excess[c]);
		ways->symmetric[c] = ways->symmetric[c] < 0 ? most : fmin(ways->symmetric[c], most);
		ways->excess[c] = fmin(fmax(ways->excess[c], 0), most);
	}
}

static void set_clocks(const struct leveling *l, const struct level_ways *ways,
		       const asked_vec *asked, const double *half, struct level_clock *of)
{
	OWNED uint32_t *place = xmalloc((l->clocks->n + 1u) * sizeof *place);

	for (uint32_t c = 0; c < l->clocks->n; c++)
		place[c] = LEVEL_ROOT;
	for (size_t i = 0; i < asked->n; i++) {
		const uint32_t c = (uint32_t)asked->data[i].clock, parent = ways->parent[c];
		place[c] = (uint32_t)i;
		of[i].part = (uint32_t)asked->data[i].part;
		of[i].parent = parent == LEVEL_ROOT ? LEVEL_ROOT : place[parent];
		of[i].most = fmin(half[c], LEVEL_UNKNOWN);
		of[i].symmetric = ways->symmetric[c];
		of[i].excess = ways->excess[c];
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
	struct level_ways ways;
	struct level_question question = { .records = records, .parts = n, .island = island };

	find_ways(l, root, half, &ways);
	list_asked(l, ways.length, &asked);
	of = xcalloc(asked.n + 1, sizeof *of);
	set_clocks(l, &ways, &asked, half, of);
	sort_records(l, records, of, asked.data, asked.n);
	for (uint32_t c = 0; c < n; c++)
		island[l->edges->part[c]] = root[l->edges->part[c]] != 0;
	question.clocks = of;
	question.n = asked.n;
	question.noise = level_noise(l->shapes.data, l->tight);
	question.half_length = l->model->step * (l->model->knots - 1) / 2;
	question.curl = l->curl;
	question.loops = l->level->loops;
	said.clock = xcalloc(asked.n + 1, sizeof *said.clock);
	level_solve(&question, &said);
	for (size_t i = 0; i < asked.n; i++)
		l->lines[asked.data[i].clock] = said.clock[i];
	l->level->kappa = said.kappa;
	l->level->eta = said.eta;
	free_all(said.clock, ways.symmetric, ways.excess, ways.length, ways.parent);
	vec_fini(&asked);
}

/* ---- what is done ---- */

static void move_clocks(const struct leveling *l, double *x)
{
	const uint32_t knots = l->model->knots;

	for (uint32_t slot = l->model->held; slot < l->share->own; slot++) {
		const struct level_line line = l->lines[share_clock(l->share, slot)];
		for (uint32_t k = 0; k < knots; k++)
			x[(size_t)slot * knots + k] +=
				line.level + line.tilt * (2.0 * k / (knots - 1) - 1);
	}
	share_refresh(l->share, x, knots);
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
	bool ok = true;

	*level = (struct fit_level){ -1, -1, 0, 0 };
	find_pairs(&l);
	find_records(&l, size);
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
		move_clocks(&l, x);
		ok = repair_run(solver, model, edges, share, x, progress);
	}
	vec_fini(&l.pairs);
	vec_fini(&l.shapes);
	vec_fini(&l.records);
	return ok;
}
