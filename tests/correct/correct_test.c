/* The steps in their order, on real traces; what is kept; what is left when somebody stops them. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correct/clocks/clocked_run.h"
#include "correct/correct.h"
#include "correct/room/same_room.h"
#include "harness/cache_aid.h"
#include "harness/invariants.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/formats/save.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

static const struct correct_options defaults = CORRECT_DEFAULTS;

static struct corrections *correct(struct trace *t, const struct correct_options *options,
				   const struct progress *progress)
{
	struct err err = ERR_INIT;
	struct corrections *c = correct_run(t, options, progress, &err);

	if (err.status)
		fail_msg("%s", err.text);
	return c;
}

static bool noted(const struct corrections *c, const char *words)
{
	for (int i = 0; i < CORRECT_NOTES; i++)
		if (strstr(c->notes[i], words))
			return true;
	return false;
}

/* ---- counts ---- */

/* What another analyser counted in archives of four ranks (its summaries, with the same names):
 * comms_recv and syncs_coll over all ranks, and, of collectives with data, those that only receive
 * and that only send; a message of a rank to itself is a message there. */
struct counted {
	const char *path;
	uint64_t received, barriers, destinations, sources;
};

static const struct counted counted[] = {
	{ "traces/otf2/comd-4", 984, 20, 3, 0 },
	{ "traces/otf2/mg.S-4", 1776, 24, 21, 3 },
	{ "traces/otf2/sweep3d-4", 1920, 12, 12, 0 },
	{ "otf2/ft.S-4", 0, 4, 15, 18 }, /* of TVIEW_TRACES */
};

/* Promises of every step, whatever the trace. */
static void assert_promises(const struct trace *t, const struct corrections *c)
{
	enum time_base before = trace_has_base(t, BASE_LINEAR) ? BASE_LINEAR : BASE_MEASURED;

	assert_true(c->checked[BASE_MEASURED]);
	assert_true(c->checked[before]);
	assert_int_equal(c->fit.done, trace_has_base(t, BASE_FITTED));
	assert_int_equal(c->clc.done, trace_has_base(t, BASE_CLC));
	assert_int_equal(c->overhead.done, trace_has_base(t, BASE_COMPENSATED));
	if (c->fit.done) {
		assert_true(c->check[BASE_FITTED].all.reversed <= c->check[before].all.reversed);
		before = BASE_FITTED;
	}
	if (c->clc.done) {
		assert_int_equal(c->check[BASE_CLC].all.violating, 0);
		before = BASE_CLC;
	}
	assert_int_equal(trace_default_base(t), before);
}

TEST(test_counts)
{
	const char *more = getenv("TVIEW_TRACES");

	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		const bool ours = strncmp(counted[i].path, "traces/", 7) == 0;
		char path[512];
		snprintf(path, sizeof path, "%s%s%s", ours || !more ? "" : more, ours ? "" : "/",
			 counted[i].path);
		if (!ours && !more)
			continue;
		OWNED_TRACE *t = load_trace(path);
		FREED_BY(corrections_free) struct corrections *c = correct(t, &defaults, NULL);
		FREED_BY(logical_free) struct logical *logical = logical_new(t, NULL, NULL);
		const struct logical_counts *counts = logical_counts(logical);
		const struct check_sum *measured = c->check[BASE_MEASURED].by_class;

		assert_int_equal(counts->messages + counts->self, counted[i].received);
		assert_int_equal(measured[LOGICAL_P2P].messages, counts->messages);
		/* Each of four ranks waits for the three others. */
		assert_int_equal(measured[LOGICAL_BARRIER].messages, 3 * counted[i].barriers);
		assert_int_equal(measured[LOGICAL_ONE_TO_N].messages, counted[i].destinations);
		assert_int_equal(measured[LOGICAL_N_TO_ONE].messages, counted[i].sources);
		assert_int_equal(measured[LOGICAL_WORLD].messages, 2 * 4 * 3);
		assert_int_equal(counts->unmatched + counts->incomplete, 0);
		assert_promises(t, c);
	}
}

/* Four ranks on one node whose clocks are one: offsets that were measured turn 15 messages
 * round. */
TEST(test_noisy_offsets)
{
	struct correct_options options = CORRECT_DEFAULTS;
	OWNED_TRACE *t = load_trace("traces/otf2/comd-4");
	struct corrections *c = correct(t, &options, NULL);

	assert_int_equal(c->check[BASE_MEASURED].all.violating, 0);
	assert_int_equal(c->check[BASE_LINEAR].by_class[LOGICAL_P2P].reversed, 15);
	assert_true(c->fit.done);
	assert_int_equal(c->presync, PRESYNC_MESSAGES);
	assert_int_equal(c->check[BASE_FITTED].all.reversed, 0);
	/* One machine: its ranks share a clock, and what was measured is true. */
	assert_true(noted(c, "share one clock"));
	assert_int_equal(trace_default_base(t), BASE_FITTED);
	for (uint32_t l = 0; l < trace_location_count(t); l++) {
		struct cursor e;
		for (bool ok = cursor_first(&e, t, BASE_FITTED, l); ok; ok = cursor_next(&e))
			assert_int_equal(cursor_time(&e), trace_event_time(t, BASE_MEASURED, e.id));
	}
	corrections_free(c);
	options.presync = PRESYNC_OFFSETS;
	c = correct(t, &options, NULL);
	assert_false(c->fit.done);
	assert_int_equal(c->presync, PRESYNC_OFFSETS);
	assert_false(trace_has_base(t, BASE_FITTED));
	assert_true(noted(c, "Clock offsets make it worse"));
	corrections_free(c);
}

TEST(test_all_samples)
{
	const char *more = getenv("TVIEW_TRACES");
	char pattern[512];
	glob_t found;

	glob("traces/*.trc", 0, NULL, &found);
	glob("traces/otf2/*/*.otf2", GLOB_APPEND, NULL, &found);
	if (more) {
		snprintf(pattern, sizeof pattern, "%s/otf2/*/*.otf2", more);
		glob(pattern, GLOB_APPEND, NULL, &found);
	}
	assert_true(found.gl_pathc >= 10);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		OWNED_TRACE *t = load_trace(found.gl_pathv[i]);
		FREED_BY(corrections_free) struct corrections *c = correct(t, &defaults, NULL);
		assert_promises(t, c);
	}
	globfree(&found);
}

/* Traces of programs that never were, with everything in them that a trace can hold. */
TEST(test_random)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		OWNED_TRACE *t = random_trace(seed, 200, seed % 2 ? 1000000000 : 1000000);
		FREED_BY(corrections_free) struct corrections *c = correct(t, &defaults, NULL);
		const char *broken = trace_broken(t);
		if (broken)
			fail_msg("seed %d: %s", (int)seed, broken);
		assert_true(c->checked[BASE_MEASURED]);
		if (c->clc.done)
			assert_true(c->check[BASE_CLC].all.violating <=
				    c->clc.forced * (uint64_t)trace_location_count(t));
	}
}

/* ---- progress ---- */

struct counter {
	uint64_t steps, most; /* so far; the one that says no */
	bool dropped;
};

static bool count_step(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct counter *counter = context;

	assert_non_null(what);
	assert_true(all == 0 || done <= all);
	return ++counter->steps <= counter->most;
}

static bool is_dropped(void *context)
{
	return ((const struct counter *)context)->dropped;
}

static struct trace *made_up(void)
{
	const struct clocked_options options = { .seed = 5,
						 .locations = 6,
						 .operations = 60,
						 .per_second = 1000000000,
						 .latency = 2000,
						 .step = 20000,
						 .offset = 1e6,
						 .drift = 1e-4,
						 .coarse = 1 };

	return clocked_run(&options);
}

static void assert_bare(const struct trace *t)
{
	for (int base = BASE_FITTED; base < BASE_COUNT; base++)
		assert_false(trace_has_base(t, (enum time_base)base));
}

TEST(test_stops)
{
	OWNED_TRACE *t = made_up();
	struct counter counter = { .most = UINT64_MAX };
	const struct progress progress = { count_step, &counter, is_dropped, NULL };
	struct correct_options other = CORRECT_DEFAULTS;
	struct corrections *c;
	uint64_t all;

	c = correct(t, &defaults, &progress);
	all = counter.steps;
	assert_true(c->check[BASE_MEASURED].all.reversed > 0);
	assert_true(all > 4);
	corrections_free(c);
	for (uint64_t k = 0; k < all; k++) {
		/* Other options than those before, so that there is work to do. */
		other.gamma = 0.5 + 0.4 * (double)k / (double)all;
		counter = (struct counter){ .most = k, .dropped = true };
		assert_null(correct(t, &other, &progress));
		assert_bare(t);
		counter = (struct counter){ .most = k, .dropped = false };
		c = correct(t, &other, &progress);
		assert_non_null(c);
		if (c->checked[BASE_MEASURED])
			assert_promises(t, c); /* what could not be stopped any more */
		else
			assert_bare(t);
		assert_true(c->checked[BASE_MEASURED] ||
			    strstr(c->notes[0], "The correction was cancelled"));
		corrections_free(c);
	}
}

/* ---- kept ---- */

static void assert_same(const struct corrections *a, const struct corrections *b)
{
	assert_int_equal(a->lmin.inter, b->lmin.inter);
	assert_int_equal(a->lmin.inter_source, b->lmin.inter_source);
	assert_int_equal(a->presync, b->presync);
	for (int base = 0; base < BASE_COUNT; base++) {
		const struct check *x = &a->check[base], *y = &b->check[base];
		assert_int_equal(a->checked[base], b->checked[base]);
		assert_int_equal(x->n_pairs, y->n_pairs);
		assert_memory_equal(&x->all, &y->all, sizeof x->all);
		assert_memory_equal(x->by_class, y->by_class, sizeof x->by_class);
		if (x->n_pairs)
			assert_memory_equal(x->pairs, y->pairs, x->n_pairs * sizeof *x->pairs);
	}
	assert_int_equal(a->fit.done, b->fit.done);
	assert_int_equal(a->fit.n_clocks, b->fit.n_clocks);
	if (a->fit.n_clocks)
		assert_memory_equal(a->fit.clocks, b->fit.clocks,
				    a->fit.n_clocks * sizeof *a->fit.clocks);
	assert_true(a->room.done);
	assert_same_room(&a->room, &b->room);
	assert_int_equal(a->clc.done, b->clc.done);
	assert_int_equal(a->clc.n_locations, b->clc.n_locations);
	if (a->clc.n_locations)
		assert_memory_equal(a->clc.locations, b->clc.locations,
				    a->clc.n_locations * sizeof *a->clc.locations);
	assert_int_equal(a->overhead.done, b->overhead.done);
	assert_memory_equal(a->notes, b->notes, sizeof a->notes);
}

TEST(test_kept)
{
	OWNED_TRACE *t = made_up();
	struct counter counter = { .most = UINT64_MAX };
	const struct progress progress = { count_step, &counter, is_dropped, NULL };
	struct correct_options other = CORRECT_DEFAULTS;
	struct corrections *a = correct(t, &defaults, &progress), *b;

	counter.steps = 0;
	b = correct(t, &defaults, &progress);
	assert_int_equal(counter.steps, 0); /* nothing was done */
	assert_same(a, b);
	corrections_free(b);
	other.want = BASE_CLC; /* less than there is */
	b = correct(t, &other, &progress);
	assert_int_equal(counter.steps, 0);
	corrections_free(b);
	other.lmin.inter = other.lmin.intra = 5e-6; /* as given where clocks are not fitted */
	other.presync = PRESYNC_OFFSETS;
	b = correct(t, &other, &progress);
	assert_true(counter.steps > 0);
	assert_int_equal(b->lmin.inter, 5000);
	assert_int_equal(b->lmin.inter_source, LMIN_OPTION);
	assert_promises(t, b);
	corrections_free(b);
	b = correct(t, &defaults, &progress);
	assert_same(a, b);
	corrections_free(b);
	corrections_free(a);
}

/* A trace that comes from its cache file has its bases and what was said of them. */
TEST(test_cached)
{
	OWNED char *path = aid_path("kept.trc");
	struct trace *made = made_up(), *t, *again;
	struct counter counter = { .most = UINT64_MAX };
	const struct progress progress = { count_step, &counter, is_dropped, NULL };
	struct corrections *a, *b;
	struct err err = ERR_INIT;

	if (!trace_save(made, SAVE_PICL, path, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	trace_free(made);
	t = aid_open(path);
	a = correct(t, &defaults, NULL);
	assert_true(a->fit.done || a->clc.done);
	aid_keep(t);
	again = aid_open(path);
	assert_true(trace_is_cached(again));
	b = correct(again, &defaults, &progress);
	assert_int_equal(counter.steps, 0);
	assert_same(a, b);
	assert_int_equal(trace_default_base(again), trace_default_base(t));
	for (uint32_t l = 0; l < trace_location_count(t); l++) {
		const enum time_base base = trace_default_base(t);
		struct cursor x, y;
		bool more = cursor_first(&x, t, base, l);
		assert_int_equal(more, cursor_first(&y, again, base, l));
		for (; more; more = cursor_next(&x)) {
			assert_int_equal(cursor_time(&x), cursor_time(&y));
			cursor_next(&y);
		}
	}
	corrections_free(b);
	/* Other options: what the file has is dropped, and made anew. */
	b = correct(again,
		    &(struct correct_options){ .presync = PRESYNC_OFFSETS,
					       .lmin = { 3e-6, 3e-6 },
					       .overhead = OVERHEAD_DEFAULTS,
					       .want = BASE_COUNT },
		    NULL);
	assert_int_equal(b->lmin.inter, 3000);
	assert_promises(again, b);
	corrections_free(b);
	corrections_free(a);
	trace_free(again);
	trace_free(t);
}

/* The logical clock must not push what the fit got right: no latency is above the smallest that the
 * fitted clocks left, whoever gave it. */
TEST(test_least_latency)
{
	struct correct_options options = CORRECT_DEFAULTS;
	OWNED_TRACE *t = made_up();
	FREED_BY(corrections_free) struct corrections *c;

	options.lmin.inter = options.lmin.intra = 1e-3;
	c = correct(t, &options, NULL);
	assert_true(c->fit.done);
	assert_true((double)c->lmin.inter <= c->fit.min_slack);
	assert_int_equal(c->lmin.inter_source, LMIN_FITTED);
	assert_int_equal(c->lmin.intra_source, LMIN_FITTED);
	assert_true(noted(c, "The given minimum latency"));
	assert_promises(t, c);
}

/* ---- what is wanted ---- */

TEST(test_wanted)
{
	struct correct_options options = CORRECT_DEFAULTS;
	OWNED_TRACE *t = load_trace("traces/otf2/mg.S-4");
	struct corrections *c;

	options.want = BASE_MEASURED;
	c = correct(t, &options, NULL);
	assert_bare(t);
	assert_false(c->checked[BASE_MEASURED]);
	corrections_free(c);
	options.want = BASE_LINEAR;
	c = correct(t, &options, NULL);
	assert_bare(t);
	assert_int_equal(trace_default_base(t), BASE_LINEAR);
	corrections_free(c);
	options.want = BASE_FITTED;
	c = correct(t, &options, NULL);
	assert_true(trace_has_base(t, BASE_FITTED));
	assert_false(trace_has_base(t, BASE_CLC));
	corrections_free(c);
}
