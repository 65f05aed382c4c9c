/* Events, call paths, shadings and profiles of random traces against a naive model: arrays of
 * structs, a stack walked from the start for every question, time summed event by event. */
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"

enum { LOCATIONS = 3, REGIONS = 6, DEPTH = 64, MOST = 5000 };

/* ---- the naive model ---- */

struct seen {
	int64_t time;
	enum event_kind kind; /* as appended */
	uint32_t region;
	/* worked out: */
	uint32_t stack[DEPTH]; /* regions open behind it, outermost first */
	uint32_t depth;
	bool traced; /* behind it */
	bool stray;
};

struct naive {
	struct seen events[LOCATIONS][MOST];
	uint32_t n[LOCATIONS];
	uint32_t start[LOCATIONS][DEPTH]; /* regions open at the start */
	uint32_t start_depth[LOCATIONS];
	bool start_traced[LOCATIONS];
};

static void sort_stably(struct seen *e, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k > 0 && e[k - 1].time > e[k].time; k--) {
			const struct seen swap = e[k];
			e[k] = e[k - 1];
			e[k - 1] = swap;
		}
}

static int find_open(const uint32_t *stack, uint32_t depth, uint32_t region)
{
	for (int d = (int)depth - 1; d >= 0; d--)
		if (stack[d] == region)
			return d;
	return -1;
}

/* Regions that were open at the start: leaves without enters, if the first of all is a leave. */
static void work_out_start(struct naive *naive, int l)
{
	uint32_t stack[DEPTH], depth = 0, out[MOST], outs = 0;
	bool first = true;

	for (uint32_t i = 0; i < naive->n[l]; i++) {
		const struct seen *e = &naive->events[l][i];
		if (e->kind != EV_ENTER && e->kind != EV_LEAVE)
			continue;
		if (first && e->kind == EV_ENTER)
			break;
		first = false;
		if (e->kind == EV_ENTER) {
			stack[depth++] = e->region;
		} else if (find_open(stack, depth, e->region) >= 0) {
			depth = (uint32_t)find_open(stack, depth, e->region);
		} else if (depth == 0) {
			out[outs++] = e->region;
		}
	}
	assert_true(outs < DEPTH);
	naive->start_depth[l] = outs;
	for (uint32_t i = 0; i < outs; i++)
		naive->start[l][i] = out[outs - 1 - i];
}

static void work_out(struct naive *naive, int l)
{
	uint32_t stack[DEPTH], depth;
	bool traced = true;

	sort_stably(naive->events[l], naive->n[l]);
	work_out_start(naive, l);
	depth = naive->start_depth[l];
	memcpy(stack, naive->start[l], sizeof stack);
	for (uint32_t i = 0; i < naive->n[l]; i++) {
		if (naive->events[l][i].kind == EV_TRACING_ON)
			traced = false;
		if (naive->events[l][i].kind == EV_TRACING_ON ||
		    naive->events[l][i].kind == EV_TRACING_OFF)
			break;
	}
	naive->start_traced[l] = traced;
	for (uint32_t i = 0; i < naive->n[l]; i++) {
		struct seen *e = &naive->events[l][i];
		const int open = find_open(stack, depth, e->region);
		if (e->kind == EV_ENTER)
			stack[depth++] = e->region;
		else if (e->kind == EV_LEAVE && open >= 0)
			depth = (uint32_t)open;
		else if (e->kind == EV_LEAVE)
			e->stray = true;
		else if (e->kind == EV_TRACING_ON || e->kind == EV_TRACING_OFF)
			traced = e->kind == EV_TRACING_ON;
		assert_true(depth < DEPTH);
		memcpy(e->stack, stack, sizeof stack);
		e->depth = depth;
		e->traced = traced;
	}
}

static void naive_path(const uint32_t *stack, uint32_t depth, char *text)
{
	*text = '\0';
	for (uint32_t d = 0; d < depth; d++) {
		char name[] = " > a";
		name[3] = (char)('a' + stack[d]);
		strcat(text, d == 0 ? name + 3 : name);
	}
}

/* Class slot between event i and the next. */
static unsigned naive_state(const struct naive *naive, int l, uint32_t i)
{
	const struct seen *e = &naive->events[l][i];

	if (!e->traced)
		return CLASS_OUTSIDE;
	return e->depth == 0 ? CLASS_USER : e->stack[e->depth - 1] % (CLASS_OUTSIDE - 1);
}

static void naive_window(const struct naive *naive, int l, int64_t t0, int64_t t1, uint64_t *sums)
{
	const struct seen *e = naive->events[l];
	uint64_t inside = 0;

	memset(sums, 0, SHADING_SLOTS * sizeof *sums);
	for (uint32_t i = 0; i + 1 < naive->n[l]; i++) {
		const int64_t a = e[i].time > t0 ? e[i].time : t0;
		const int64_t b = e[i + 1].time < t1 ? e[i + 1].time : t1;
		if (a >= b)
			continue;
		sums[naive_state(naive, l, i)] += (uint64_t)(b - a);
		inside += (uint64_t)(b - a);
	}
	sums[CLASS_OUTSIDE] += (uint64_t)(t1 - t0) - inside;
}

/* ---- making both ---- */

struct made {
	struct naive *naive;
	struct trace *trace;
};

/* FITTING: every leave fits. ORDERLY: that, and times may be equal. Else no two times are equal,
 * for the order of equal times would be mended where the nesting does not come out even
 * (builder_test.c). */
enum shape {
	ORDERLY = 1,
	WIDE = 2,
	UNSORTED = 4,
	WRAPPED = 8,
	GAPS = 16,
	FEW_PATHS = 32,
	FITTING = 64,
};

static int64_t next_time(struct rng *rng, int64_t t, unsigned shape)
{
	if (shape & UNSORTED && rng_below(rng, 50) == 0)
		return t - rng_below(rng, 500);
	if (shape & WIDE && rng_below(rng, 40) == 0)
		return t + ((int64_t)rng_next(rng) & 0x3ffffffff);
	return rng_below(rng, 3) == 0 ? t : t + rng_below(rng, 100);
}

static enum event_kind next_kind(struct rng *rng, unsigned shape, uint32_t depth, uint32_t i)
{
	const uint32_t dice = rng_below(rng, 100);

	if (shape & WRAPPED && i < 12)
		return rng_below(rng, 3) == 0 ? EV_ENTER : EV_LEAVE;
	if (shape & GAPS && dice < 6)
		return dice < 3 ? EV_TRACING_ON : EV_TRACING_OFF;
	if (dice < 15)
		return EV_MARK;
	return (dice < 58 && depth < 10) || depth == 0 ? EV_ENTER : EV_LEAVE;
}

static void append(struct builder *b, uint32_t location, const struct seen *e, const uint32_t *site)
{
	const uint32_t s = site[e->region];

	switch (e->kind) {
	case EV_ENTER: builder_enter(b, location, e->time, s); break;
	case EV_LEAVE: builder_leave(b, location, e->time, s); break;
	case EV_MARK: builder_mark(b, location, e->time, s); break;
	default: builder_tracing(b, location, e->time, s, e->kind == EV_TRACING_ON);
	}
}

static void make(struct made *made, uint64_t seed, uint32_t events, unsigned shape)
{
	struct rng rng = { seed * 2654435761u + 1 };
	struct builder *b = built_begin(LOCATIONS);
	uint32_t site[REGIONS], depth[LOCATIONS] = { 0 }, open[LOCATIONS][MOST];
	int64_t now[LOCATIONS] = { -300, 0, 77 };
	const uint32_t most = events < MOST ? events : MOST;

	made->naive = test_calloc(1, sizeof *made->naive);
	for (uint32_t r = 0; r < REGIONS; r++) {
		const char name[2] = { (char)('a' + r), '\0' };
		site[r] = built_site(b, name, (enum region_class)(r % (CLASS_OUTSIDE - 1)),
				     (int32_t)r);
	}
	for (uint32_t i = 0; i < events; i++) {
		/* The last location stays nearly empty. */
		const uint32_t l = i == 5 ? 2 : rng_below(&rng, 2);
		struct seen *e = &made->naive->events[l][made->naive->n[l]];
		if (made->naive->n[l] == most)
			continue;
		now[l] = next_time(&rng, now[l], shape);
		e->time = shape & ORDERLY ? now[l] : now[l] * MOST + made->naive->n[l];
		e->kind = next_kind(&rng, shape, depth[l], made->naive->n[l]++);
		e->region = rng_below(&rng, REGIONS);
		/* As a program that calls the same again and again: a > b > c > a > b ... */
		if (shape & FEW_PATHS && e->kind != EV_LEAVE && rng_below(&rng, 200) > 0)
			e->region = depth[l] % 3;
		if (e->kind == EV_ENTER)
			open[l][depth[l]++] = e->region;
		else if (e->kind == EV_LEAVE && depth[l] > 0 && shape & (ORDERLY | FITTING))
			e->region = open[l][--depth[l]];
		else if (e->kind == EV_LEAVE && depth[l] > 0)
			depth[l]--;
		append(b, l, e, site);
	}
	made->trace = built_end(b);
	for (int l = 0; l < LOCATIONS; l++)
		work_out(made->naive, l);
}

static void drop(struct made *made)
{
	trace_free(made->trace);
	test_free(made->naive);
}

/* ---- comparing ---- */

static void same_events(const struct made *made, int l)
{
	const struct naive *naive = made->naive;
	const struct trace *t = made->trace;
	struct cursor c;
	uint32_t i = 0;
	char path[8 * DEPTH];

	for (bool ok = cursor_first(&c, t, BASE_MEASURED, (uint32_t)l); ok;
	     ok = cursor_next(&c), i++) {
		const struct seen *e = &naive->events[l][i];
		struct cursor again;
		assert_true(i < naive->n[l]);
		assert_int_equal(cursor_time(&c), e->time);
		assert_int_equal(what_kind(cursor_what(&c)), e->stray ? EV_STRAY_LEAVE : e->kind);
		naive_path(e->stack, e->depth, path);
		assert_path(t, cursor_path(&c), path);
		if (i == 0)
			naive_path(naive->start[l], naive->start_depth[l], path);
		else
			naive_path(e[-1].stack, e[-1].depth, path);
		assert_path(t, cursor_path_before(&c), path);
		assert_int_equal(cursor_ordinal(&c), i);
		assert_true(cursor_nth(&again, t, BASE_MEASURED, (uint32_t)l, i));
		assert_int_equal(again.id, c.id);
		assert_int_equal(trace_event_time(t, BASE_MEASURED, c.id), e->time);
	}
	assert_int_equal(i, naive->n[l]);
	assert_int_equal(i, trace_location(t, (uint32_t)l)->events);
}

static void same_seeks(const struct made *made, struct rng *rng, int l)
{
	const struct seen *e = made->naive->events[l];
	const uint32_t n = made->naive->n[l];
	struct cursor c;

	for (int k = 0; k < 50; k++) {
		const int64_t t = e[rng_below(rng, n)].time + (int64_t)rng_below(rng, 3) - 1;
		uint32_t i = 0;
		while (i < n && e[i].time < t)
			i++;
		if (i == n) {
			assert_false(cursor_seek(&c, made->trace, BASE_MEASURED, (uint32_t)l, t));
			continue;
		}
		assert_true(cursor_seek(&c, made->trace, BASE_MEASURED, (uint32_t)l, t));
		assert_int_equal(cursor_ordinal(&c), i);
	}
}

static void same_shading(const struct made *made, struct rng *rng, int l)
{
	enum { CELLS = 40 };
	const struct shading *s = trace_class_shading(made->trace, BASE_MEASURED);
	const struct seen *e = made->naive->events[l];
	const uint32_t n = made->naive->n[l];
	int64_t edges[CELLS + 1];
	uint64_t swept[CELLS * SHADING_SLOTS], sums[SHADING_SLOTS], naive[SHADING_SLOTS];

	for (int k = 0; k < 20; k++) {
		const int64_t t0 = e[rng_below(rng, n)].time - rng_below(rng, 200);
		const int64_t step =
			k < 10 ? rng_below(rng, 60) : (e[n - 1].time - e[0].time) / (CELLS / 2);
		for (int i = 0; i <= CELLS; i++)
			edges[i] = t0 + i * step;
		shading_sweep(s, (uint32_t)l, edges, CELLS, swept);
		for (int i = 0; i < CELLS; i++) {
			naive_window(made->naive, l, edges[i], edges[i + 1], naive);
			assert_memory_equal(swept + i * SHADING_SLOTS, naive, sizeof naive);
		}
		shading_window(s, (uint32_t)l, edges[0], edges[CELLS], sums);
		naive_window(made->naive, l, edges[0], edges[CELLS], naive);
		assert_memory_equal(sums, naive, sizeof naive);
	}
}

/* ---- profiles ---- */

static int64_t clip(int64_t t, int64_t t0, int64_t t1)
{
	return t < t0 ? t0 : t > t1 ? t1 : t;
}

static void naive_visit(struct profile_row *row, int64_t enter, int64_t leave, bool outermost,
			int64_t t0, int64_t t1)
{
	if (outermost)
		row->inclusive += clip(leave, t0, t1) - clip(enter, t0, t1);
	if (enter < t0 || enter >= t1)
		return;
	if (row->count == 0 || leave - enter < row->min)
		row->min = leave - enter;
	if (row->count == 0 || leave - enter > row->max)
		row->max = leave - enter;
	row->count++;
	row->visit_sum += leave - enter;
}

/* The end of the visit on level d (0 outermost) that is open behind event i. */
static int64_t naive_end(const struct naive *naive, int l, uint32_t i, uint32_t d)
{
	for (i++; i < naive->n[l]; i++)
		if (naive->events[l][i].depth <= d)
			return naive->events[l][i].time;
	return naive->events[l][naive->n[l] - 1].time;
}

static void naive_profile(const struct naive *naive, int l, int64_t t0, int64_t t1,
			  struct profile_row *rows)
{
	const struct seen *e = naive->events[l];

	for (uint32_t d = 0; naive->n[l] > 0 && d < naive->start_depth[l]; d++) {
		const uint32_t region = naive->start[l][d];
		const int64_t end = e[0].depth <= d ? e[0].time : naive_end(naive, l, 0, d);
		naive_visit(&rows[region], e[0].time, end,
			    find_open(naive->start[l], d, region) < 0, t0, t1);
	}
	for (uint32_t i = 0; i < naive->n[l]; i++) {
		const uint32_t d = e[i].depth - 1;
		if (e[i].kind == EV_ENTER)
			naive_visit(&rows[e[i].region], e[i].time, naive_end(naive, l, i, d),
				    find_open(e[i].stack, d, e[i].region) < 0, t0, t1);
		if (e[i].kind == EV_MARK)
			naive_visit(&rows[e[i].region], e[i].time, e[i].time, false, t0, t1);
		if (i + 1 < naive->n[l] && e[i].depth > 0 && e[i].traced)
			rows[e[i].stack[d]].exclusive +=
				clip(e[i + 1].time, t0, t1) - clip(e[i].time, t0, t1);
	}
}

/* By call path: the paths of a region add up to the region, whose outermost ones have its inclusive
 * time; the traced time is the root's. */
static void same_by_path(const struct made *made, const struct profile *regions, int64_t t0,
			 int64_t t1)
{
	const struct trace *t = made->trace;
	struct profile_row rows[REGIONS];
	ENDED_BY(profile_fini) struct profile paths;
	int64_t traced = 0;

	memset(rows, 0, sizeof rows);
	assert_true(profile_make(&paths, t, BASE_MEASURED, PROFILE_CALLPATH, NULL, 0, t0, t1, NULL,
				 NULL));
	assert_int_equal(paths.n, trace_callpath_count(t));
	for (uint32_t p = 1; p < paths.n; p++) {
		const uint32_t region = trace_callpath_region(t, p);
		const struct profile_row *path = &paths.rows[p];
		struct profile_row *row = &rows[region];
		bool outermost = true;
		for (uint32_t up = trace_callpath(t, p)->parent; up;
		     up = trace_callpath(t, up)->parent)
			outermost = outermost && trace_callpath_region(t, up) != region;
		row->count += path->count;
		row->exclusive += path->exclusive;
		row->inclusive += outermost ? path->inclusive : 0;
		row->visit_sum += path->visit_sum;
		if (path->count > 0) {
			assert_true(path->min >= regions->rows[region].min);
			assert_true(path->max <= regions->rows[region].max);
		}
		traced += path->exclusive;
	}
	assert_int_equal(paths.rows[0].inclusive, traced + paths.rows[0].exclusive);
	for (uint32_t r = 0; r < REGIONS; r++) {
		/* Marks are visits of regions, but of no call path. */
		assert_true(rows[r].count <= regions->rows[r].count);
		assert_int_equal(rows[r].exclusive, regions->rows[r].exclusive);
		assert_int_equal(rows[r].inclusive, regions->rows[r].inclusive);
		assert_int_equal(rows[r].visit_sum, regions->rows[r].visit_sum);
	}
}

static void same_profile(const struct made *made, int64_t t0, int64_t t1)
{
	struct profile_row rows[REGIONS];
	ENDED_BY(profile_fini) struct profile profile;

	memset(rows, 0, sizeof rows);
	for (int l = 0; l < LOCATIONS; l++)
		naive_profile(made->naive, l, t0, t1, rows);
	assert_true(profile_make(&profile, made->trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, t0,
				 t1, NULL, NULL));
	assert_int_equal(profile.n, REGIONS);
	for (uint32_t r = 0; r < REGIONS; r++) {
		assert_int_equal(profile.rows[r].count, rows[r].count);
		assert_int_equal(profile.rows[r].inclusive, rows[r].inclusive);
		assert_int_equal(profile.rows[r].exclusive, rows[r].exclusive);
		assert_int_equal(profile.rows[r].min, rows[r].min);
		assert_int_equal(profile.rows[r].max, rows[r].max);
		assert_int_equal(profile.rows[r].visit_sum, rows[r].visit_sum);
	}
	same_by_path(made, &profile, t0, t1);
}

static void compare(uint64_t seed, uint32_t events, unsigned shape)
{
	struct rng rng = { seed + 99 };
	struct made made;

	make(&made, seed, events, shape);
	for (int l = 0; l < LOCATIONS; l++) {
		same_events(&made, l);
		if (made.naive->n[l] == 0)
			continue;
		same_seeks(&made, &rng, l);
		same_shading(&made, &rng, l);
	}
	same_profile(&made, INT64_MIN, INT64_MAX);
	for (int k = 0; k < 10 && made.naive->n[0] > 0; k++) {
		const struct seen *e = made.naive->events[0];
		const int64_t a = e[rng_below(&rng, made.naive->n[0])].time;
		const int64_t b = e[rng_below(&rng, made.naive->n[0])].time;
		same_profile(&made, a < b ? a : b, a < b ? b : a);
	}
	drop(&made);
}

TEST(orderly)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		compare(seed, 20 + 250 * (uint32_t)seed % 2900, ORDERLY);
}

TEST(wide_times)
{
	for (uint64_t seed = 21; seed <= 30; seed++)
		compare(seed, 2600, WIDE);
}

TEST(unsorted)
{
	for (uint64_t seed = 31; seed <= 38; seed++)
		compare(seed, 1500, UNSORTED | (seed % 2 ? WIDE : 0u));
}

TEST(wrapped)
{
	for (uint64_t seed = 41; seed <= 70; seed++)
		compare(seed, 300, WRAPPED | (seed % 2 ? GAPS : 0u));
}

TEST(gaps)
{
	for (uint64_t seed = 81; seed <= 90; seed++)
		compare(seed, 2000, GAPS);
}

/* Windows that begin and end at, just before and just behind the superblocks' first events, over
 * locations of more than three of them. */
static void compare_supers(uint64_t seed, unsigned shape)
{
	enum { SUPER = 1024 };
	struct rng rng = { seed + 7 };
	struct made made;

	make(&made, seed, 9000, shape);
	for (int k = 0; k < 25; k++) {
		const int l = (int)rng_below(&rng, 2);
		const struct seen *e = made.naive->events[l];
		const uint32_t n = made.naive->n[l];
		int64_t t[2];
		assert_true(n > 3 * SUPER);
		for (int i = 0; i < 2; i++)
			t[i] = k % 3 == i ? e[rng_below(&rng, n)].time
					  : e[SUPER * rng_below(&rng, n / SUPER + 1)].time +
						    (int64_t)rng_below(&rng, 3) - 1;
		same_profile(&made, t[0] < t[1] ? t[0] : t[1], t[0] < t[1] ? t[1] : t[0]);
	}
	same_profile(&made, INT64_MIN, made.naive->events[0][2 * SUPER].time);
	same_profile(&made, made.naive->events[0][2 * SUPER].time, INT64_MAX);
	same_profile(&made, INT64_MIN, INT64_MAX);
	drop(&made);
}

TEST(profiles_over_superblocks)
{
	static const unsigned shapes[] = { ORDERLY,         WIDE,           UNSORTED,
					   UNSORTED | WIDE, GAPS | FITTING, WRAPPED | FITTING };

	for (unsigned i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++)
		compare_supers(101 + i, shapes[i / 2] | (i % 2 ? FEW_PATHS : 0u));
}
