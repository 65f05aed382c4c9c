/* The iterator over visits against a stack that is kept by hand, in random windows of random
 * traces. */
#include "base/mem.h"
#include "base/vec.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/trace/visit_walk.h"

/* What is known of a location after each of its events, by a stack. */
struct seen {
	int64_t time;
	uint32_t event, path;
	bool traced;
};

struct seen_all {
	bool traced; /* before the first one */
	uint32_t path;
	struct seen *data;
	size_t n, cap;
};

static bool starts_traced(const struct trace *t, uint32_t location)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, t, BASE_MEASURED, location); ok; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) == EV_TRACING_ON ||
		    what_kind(cursor_what(&c)) == EV_TRACING_OFF)
			return what_kind(cursor_what(&c)) == EV_TRACING_OFF;
	return trace_location(t, location)->type != LOCATION_METRICS;
}

static void look(const struct trace *t, uint32_t location, struct seen_all *all)
{
	VEC(uint32_t) stack = VEC_INIT;
	struct cursor c;
	bool traced =
		starts_traced(t, location) && trace_location(t, location)->type != LOCATION_METRICS;

	*all = (struct seen_all){ .traced = traced };
	for (bool ok = cursor_first(&c, t, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const uint32_t id = what_id(cursor_what(&c));
		if (all->n == 0) {
			all->path = cursor_path_before(&c);
			for (uint32_t d = 1; d <= trace_callpath(t, all->path)->depth; d++)
				vec_push(&stack, callpath_at_depth(t, all->path, d));
		}
		switch (what_kind(cursor_what(&c))) {
		case EV_ENTER:
			assert_int_equal(trace_callpath(t, id)->parent,
					 stack.n ? *vec_last(&stack) : 0);
			vec_push(&stack, id);
			break;
		case EV_LEAVE:
			while (vec_pop(&stack) != id)
				continue;
			break;
		case EV_TRACING_ON: traced = true; break;
		case EV_TRACING_OFF: traced = false; break;
		default: break;
		}
		vec_push(all, ((struct seen){ cursor_time(&c), c.id,
					      stack.n ? *vec_last(&stack) : 0, traced }));
	}
	vec_fini(&stack);
}

static int64_t within(int64_t t, int64_t t0, int64_t t1)
{
	return t < t0 ? t0 : t > t1 ? t1 : t;
}

/* The i-th event is a step: what is said of the stretch before it, and of what comes after. */
static void assert_step(const struct visit_walk *w, const struct seen_all *all, size_t i)
{
	const int64_t before = i ? all->data[i - 1].time : all->data[0].time;

	assert_false(w->at_end);
	assert_int_equal(w->c.id, all->data[i].event);
	assert_int_equal(w->time, all->data[i].time);
	assert_int_equal(w->from, within(before, w->t0, w->t1));
	assert_int_equal(w->to, within(w->time, w->t0, w->t1));
	assert_int_equal(w->path, i ? all->data[i - 1].path : all->path);
	assert_int_equal(w->traced, i ? all->data[i - 1].traced : all->traced);
	assert_int_equal(w->next, all->data[i].path);
	assert_int_equal(w->traced_next, all->data[i].traced);
}

static void check_window(const struct trace *t, uint32_t location, const struct seen_all *all,
			 int64_t t0, int64_t t1)
{
	struct visit_walk w;
	bool ok = visit_walk_begin(&w, t, BASE_MEASURED, location, t0, t1);
	size_t i = 0;

	while (i < all->n && all->data[i].time < t0)
		i++;
	for (; i < all->n && all->data[i].time < t1; i++, ok = visit_walk_next(&w)) {
		assert_true(ok);
		assert_step(&w, all, i);
	}
	if (i < all->n && i > 0 && within(all->data[i - 1].time, t0, t1) < t1) {
		assert_true(ok && w.at_end);
		assert_int_equal(visit_walk_kind(&w), EV_KINDS);
		assert_int_equal(w.from, within(all->data[i - 1].time, t0, t1));
		assert_int_equal(w.to, t1);
		assert_int_equal(w.path, all->data[i - 1].path);
		ok = visit_walk_next(&w);
	}
	assert_false(ok);
}

/* Stretches that are taken together: each single one is in one of them, and is like it. */
static void check_changes(const struct trace *t, uint32_t location, int64_t t0, int64_t t1)
{
	struct visit_walk w, single;
	bool ok = visit_walk_begin(&w, t, BASE_MEASURED, location, t0, t1);
	bool more = visit_walk_begin(&single, t, BASE_MEASURED, location, t0, t1);
	int64_t end = w.from;

	for (; ok; ok = visit_walk_next_change(&w)) {
		assert_int_equal(w.from, end);
		end = w.to;
		for (; more && single.to <= w.to; more = visit_walk_next(&single)) {
			if (single.from == single.to)
				continue;
			assert_true(single.from >= w.from);
			assert_int_equal(single.path, w.path);
			assert_int_equal(single.traced, w.traced);
		}
	}
	for (; more; more = visit_walk_next(&single))
		assert_int_equal(single.to, end);
}

static void check_all(const struct trace *t, uint32_t location, const struct seen_all *all,
		      int64_t t0, int64_t t1)
{
	struct visit_walk w;
	bool ok = visit_walk_begin_all(&w, t, BASE_MEASURED, location, t0, t1);

	for (size_t i = 0; i < all->n; i++, ok = visit_walk_next(&w)) {
		assert_true(ok);
		assert_step(&w, all, i);
	}
	assert_false(ok);
}

static int64_t any_time(struct rng *rng, const struct seen_all *all)
{
	switch (rng_below(rng, 8)) {
	case 0: return INT64_MIN;
	case 1: return INT64_MAX;
	default:
		return all->n ? all->data[rng_below(rng, (uint32_t)all->n)].time +
					(int64_t)rng_below(rng, 3) - 1
			      : 0;
	}
}

TEST(is_the_stack_in_any_window)
{
	struct rng rng = { 1 };

	for (uint64_t seed = 1; seed <= 12; seed++) {
		OWNED_TRACE *t = random_trace(seed, 150, 1000000);
		for (uint32_t l = 0; l < trace_location_count(t); l++) {
			struct seen_all all;
			look(t, l, &all);
			check_window(t, l, &all, INT64_MIN, INT64_MAX);
			check_all(t, l, &all, INT64_MIN, INT64_MAX);
			for (int i = 0; i < 40; i++) {
				const int64_t a = any_time(&rng, &all);
				const int64_t b = any_time(&rng, &all);
				const int64_t t0 = a < b ? a : b, t1 = a < b ? b : a;
				check_window(t, l, &all, t0, t1);
				check_changes(t, l, t0, t1);
				check_all(t, l, &all, t0, t1);
			}
			vec_fini(&all);
		}
	}
}

TEST(a_chain_has_the_ancestors_in_their_order)
{
	OWNED_TRACE *t = random_trace(3, 150, 1000000);
	uint32_t deepest = 0;

	for (uint32_t path = 0; path < trace_callpath_count(t); path++) {
		const uint32_t depth = trace_callpath(t, path)->depth;
		OWNED uint32_t *chain = callpath_chain(t, path);
		for (uint32_t d = 0; d < depth; d++) {
			assert_int_equal(trace_callpath(t, chain[d])->depth, d + 1);
			assert_int_equal(trace_callpath(t, chain[d])->parent, d ? chain[d - 1] : 0);
		}
		assert_int_equal(depth ? chain[depth - 1] : 0, path);
		deepest = depth > deepest ? depth : deepest;
	}
	assert_true(deepest > 2);
}
