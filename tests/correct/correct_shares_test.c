/* Corrections that several processes make of a trace that they share are those of one that has all
 * of it, to the last bit: what is counted, the least latencies, the clock condition. */
#include <string.h>

#include "base/mem.h"
#include "correct/clocks/clocked_run.h"
#include "correct/correct.h"
#include "correct/room/same_room.h"
#include "harness/files.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "model/trace/halo.h"
#include "simulate/write.h"

enum { MOST = 8 };

/* What each process has. */
struct corrected_share {
	struct trace *trace;
	bool *own; /* [locations] it has their events */
	struct corrections *corrections;
	struct err err;
};

struct sharing {
	const char *path;
	const struct correct_options *options;
	struct corrected_share shares[MOST];
};

static void correct(struct corrected_share *s, const char *path,
		    const struct correct_options *options, struct exchange *x)
{
	const struct load_options how = { .jobs = 1, .no_cache = true, .exchange = x };

	s->trace = trace_load(path, &how, NULL, &s->err);
	if (s->trace)
		s->corrections = correct_run(s->trace, options, NULL, &s->err);
}

static void correct_share(struct exchange *x, void *context)
{
	struct sharing *sharing = context;
	struct corrected_share *s = &sharing->shares[x->process];

	correct(s, sharing->path, sharing->options, x);
	if (!s->trace)
		return;
	s->own = xcalloc(trace_location_count(s->trace) + 1u, sizeof *s->own);
	for (uint32_t l = 0; l < trace_location_count(s->trace); l++)
		s->own[l] = trace_has_location(s->trace, l);
}

static void forget(struct corrected_share *s)
{
	corrections_free(s->corrections);
	trace_free(s->trace);
	free(s->own);
}

/* ---- comparison ---- */

static void assert_same_sum(const struct check_sum *a, const struct check_sum *b)
{
	assert_int_equal(a->messages, b->messages);
	assert_int_equal(a->reversed, b->reversed);
	assert_int_equal(a->violating, b->violating);
	assert_int_equal(a->worst, b->worst);
	assert_int_equal(a->worst_violation, b->worst_violation);
	assert_true(a->sum == b->sum);
}

static void assert_same_check(const struct check *a, const struct check *b)
{
	assert_same_sum(&a->all, &b->all);
	for (int cls = 0; cls < LOGICAL_CLASSES; cls++)
		assert_same_sum(&a->by_class[cls], &b->by_class[cls]);
	assert_int_equal(a->n_pairs, b->n_pairs);
	assert_int_equal(a->more_pairs, b->more_pairs);
	for (size_t i = 0; i < a->n_pairs; i++) {
		assert_int_equal(a->pairs[i].from, b->pairs[i].from);
		assert_int_equal(a->pairs[i].to, b->pairs[i].to);
		assert_same_sum(&a->pairs[i].sum, &b->pairs[i].sum);
	}
}

static void assert_same_fit(const struct fit_report *a, const struct fit_report *b)
{
	struct fit_report rest = *a;

	assert_int_equal(a->n_clocks, b->n_clocks);
	if (a->n_clocks)
		assert_memory_equal(a->clocks, b->clocks, a->n_clocks * sizeof *a->clocks);
	rest.clocks = b->clocks;
	assert_int_equal(a->n_steps, b->n_steps);
	if (a->n_steps)
		assert_memory_equal(a->steps, b->steps, a->n_steps * sizeof *a->steps);
	rest.steps = b->steps;
	assert_memory_equal(&rest, b, sizeof rest);
}

static void assert_same_clc(const struct corrected_share *one, const struct clc_report *a,
			    const struct clc_report *b)
{
	struct clc_report rest = *a;

	assert_int_equal(a->n_locations, b->n_locations);
	assert_int_equal(!a->locations, !b->locations);
	for (uint32_t l = 0; a->locations && l < a->n_locations; l++) {
		const struct clc_location *x = &a->locations[l], *y = &b->locations[l];
		assert_int_equal(x->violated, y->violated);
		assert_int_equal(x->corrected, y->corrected);
		assert_int_equal(x->max_move, y->max_move);
		assert_int_equal(x->lead, y->lead);
		if (one->own[l] && x->max_event != EVENT_NONE)
			assert_int_equal(trace_event_number(one->trace, x->max_event),
					 y->max_event);
	}
	rest.locations = b->locations;
	assert_memory_equal(&rest, b, sizeof rest);
}

static void assert_same_overhead(const struct overhead_report *a, const struct overhead_report *b)
{
	struct overhead_report rest = *a;

	assert_int_equal(a->n_locations, b->n_locations);
	assert_int_equal(a->n_regions, b->n_regions);
	for (uint32_t l = 0; a->done && l < a->n_locations; l++) {
		const struct overhead_location *x = &a->locations[l], *y = &b->locations[l];
		assert_memory_equal(&x->time, &y->time, sizeof x->time);
		assert_true(x->event == y->event && x->carried == y->carried);
		assert_true(x->sampled == y->sampled && x->sampled_used == y->sampled_used);
		assert_true(x->blocking == y->blocking && x->ratio == y->ratio);
	}
	if (a->done)
		assert_memory_equal(a->regions, b->regions, a->n_regions * sizeof *a->regions);
	rest.locations = b->locations;
	rest.regions = b->regions;
	assert_memory_equal(&rest, b, sizeof rest);
}

static void assert_same_corrections(const struct corrected_share *one, const struct corrections *b)
{
	const struct corrections *a = one->corrections;

	assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
	assert_int_equal(a->lmin.inter, b->lmin.inter);
	assert_int_equal(a->lmin.intra, b->lmin.intra);
	assert_int_equal(a->lmin.inter_source, b->lmin.inter_source);
	assert_int_equal(a->lmin.intra_source, b->lmin.intra_source);
	assert_int_equal(a->presync, b->presync);
	for (int base = 0; base < BASE_COUNT; base++) {
		assert_int_equal(a->checked[base], b->checked[base]);
		assert_same_check(&a->check[base], &b->check[base]);
	}
	assert_same_fit(&a->fit, &b->fit);
	assert_true(a->room.done);
	assert_same_room(&a->room, &b->room);
	assert_same_clc(one, &a->clc, &b->clc);
	assert_same_overhead(&a->overhead, &b->overhead);
	assert_memory_equal(&a->virtual_time, &b->virtual_time, sizeof a->virtual_time);
	assert_memory_equal(&a->compared, &b->compared, sizeof a->compared);
	for (int i = 0; i < CORRECT_NOTES; i++)
		assert_string_equal(a->notes[i], b->notes[i]);
}

static void assert_same_times(const struct corrected_share *one,
			      const struct corrected_share *whole, enum time_base base)
{
	assert_int_equal(trace_has_base(one->trace, base), trace_has_base(whole->trace, base));
	for (uint32_t l = 0; l < trace_location_count(one->trace); l++) {
		struct cursor a, b;
		bool more = one->own[l] && trace_has_base(one->trace, base) &&
			    cursor_first(&a, one->trace, base, l);
		for (bool ok = more && cursor_first(&b, whole->trace, base, l); more;
		     more = cursor_next(&a), ok = cursor_next(&b)) {
			assert_true(ok);
			assert_int_equal(cursor_time(&a), cursor_time(&b));
		}
	}
}

static void assert_shares(const char *path, const struct correct_options *options,
			  const struct corrected_share *whole, uint32_t n)
{
	struct sharing sharing = { .path = path, .options = options };

	processes_run(n, correct_share, &sharing);
	for (uint32_t p = 0; p < n; p++) {
		const struct corrected_share *one = &sharing.shares[p];
		if (!one->corrections)
			fail_msg("%u of %u: %s", p, n, one->err.text);
		assert_same_corrections(one, whole->corrections);
		for (int base = 0; base < BASE_COUNT; base++)
			assert_same_times(one, whole, (enum time_base)base);
	}
	for (uint32_t p = 0; p < n; p++)
		forget(&sharing.shares[p]);
}

/* Takes the trace; returns how many steps of clocks it has. */
static uint32_t assert_all_shares(struct trace *trace, const struct correct_options *options)
{
	struct corrected_share whole = { 0 };
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	struct err err = ERR_INIT;
	uint32_t steps;

	folder_make(folder, "corrected");
	str_add_fmt(&path, "%s/run.otf2", folder);
	if (!trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	trace_free(trace);
	correct(&whole, path.text, options, NULL);
	if (!whole.corrections)
		fail_msg("%s", whole.err.text);
	for (uint32_t n = 2; n <= MOST; n += n == 2 ? 1 : 5)
		assert_shares(path.text, options, &whole, n);
	steps = whole.corrections->fit.n_steps;
	forget(&whole);
	folder_remove(folder);
	return steps;
}

/* ---- traces ---- */

static struct trace *clocked(uint64_t seed)
{
	struct clocked_options options = clocked_options(seed, false);

	options.operations *= 4;
	options.impossible = options.impossible || seed % 3 == 0;
	return clocked_run(&options);
}

TEST(clocks_are_checked_in_shares)
{
	struct correct_options options = CORRECT_DEFAULTS;

	options.want = BASE_COUNT;
	options.presync = PRESYNC_OFFSETS;
	for (uint64_t seed = 1; seed <= rounds(8); seed++)
		assert_all_shares(clocked(seed), &options);
}

TEST(clocks_of_odd_traces_are_checked_in_shares)
{
	struct correct_options options = CORRECT_DEFAULTS;

	options.want = BASE_COUNT;
	options.presync = PRESYNC_OFFSETS;
	for (uint64_t seed = 1; seed <= rounds(4); seed++)
		assert_all_shares(random_trace_of_messages(seed, 400, 1000000000, seed % 2),
				  &options);
}

TEST(the_cost_of_recording_is_removed_in_shares)
{
	struct correct_options options = CORRECT_DEFAULTS;

	options.want = BASE_COUNT;
	options.presync = PRESYNC_OFFSETS;
	options.overhead.event = 2e-8;
	for (uint64_t seed = 18 - rounds(7); seed <= 17; seed++) {
		options.overhead.model = seed < 16    ? OVERHEAD_INSITU
					 : seed == 16 ? OVERHEAD_PAPER
						      : OVERHEAD_PAPER_ALIKE;
		assert_all_shares(clocked(seed), &options);
	}
	for (uint64_t seed = 3; seed <= 4; seed++)
		assert_all_shares(random_trace_of_messages(seed, 400, 1000000000, seed % 2),
				  &options);
}

TEST(clocks_are_fitted_in_shares)
{
	struct correct_options options = CORRECT_DEFAULTS;

	options.want = BASE_COUNT;
	options.presync = PRESYNC_MESSAGES;
	for (uint64_t seed = 1; seed <= rounds(4); seed++)
		assert_all_shares(clocked(seed), &options);
	for (uint64_t seed = 1; seed <= rounds(2); seed++)
		assert_all_shares(random_trace_of_messages(seed, 400, 1000000000, seed % 2),
				  &options);
}

/* `recorded`: with the cost of records in the header, a part of them left out, and what ranks that
 * keep virtual time measured. */
static void assert_program(const char *program, uint32_t ranks, uint32_t offsets, bool nodes,
			   bool recorded)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct settings settings = SETTINGS_DEFAULTS;
	struct err err = ERR_INIT;
	struct run run;

	options.want = BASE_COUNT;
	settings.program = program;
	settings.ranks = ranks;
	settings.steps = 10;
	settings.node_ranks = nodes ? 4 : 1;
	settings.clock_of_node = nodes;
	settings.clock_offset = 1e-3;
	settings.clock_drift = 5e-5;
	settings.offset_noise = 4.2e-5; /* as when ranks are more than cores */
	settings.offset_count = offsets;
	if (recorded) {
		settings.overhead = 1e-6;
		settings.insitu = 0.3;
		settings.keep = true;
	}
	assert_true(engine_run(&run, &settings, true, NULL));
	assert_all_shares(write_trace(&run, &settings, false, "simulated", &err), &options);
	run_fini(&run);
}

TEST(clocks_of_programs_are_fitted_in_shares)
{
	assert_program("stencil", 11, 0, false, false);
	/* Enough clocks to be divided, the tree of those without offsets, too. */
	assert_program("stencil", 40, 0, false, false);
	assert_program("stencil", 11, 2, true, true);
	assert_program("ring", 11, 0, true, true);
	assert_program("farm", 11, 2, true, true);
	/* Groups of which the last ones to begin are looked for, then again by fitted clocks. */
	assert_program("collectives", 40, 2, false, true);
}

/* A clock is set: each pair's messages are in one process, the clock's events in another. */
TEST(steps_are_found_in_shares)
{
	static const char *const programs[] = { "stencil", "farm", "collectives" };

	for (uint64_t i = 0; i < rounds(6); i++) {
		struct correct_options options = CORRECT_DEFAULTS;
		struct settings settings = SETTINGS_DEFAULTS;
		struct err err = ERR_INIT;
		struct run run;
		settings.program = programs[i % 3];
		settings.ranks = 9;
		settings.steps = 40;
		settings.work = 1e-3;
		settings.clock_offset = 1e-3;
		settings.step_rank = i < 3 ? 5 : 0;
		settings.step_at = 0.02;
		settings.step = i == 1 ? -1e-3 : 0.05;
		settings.offset_count = i == 2 ? 0 : 2;
		options.want = BASE_COUNT;
		assert_true(engine_run(&run, &settings, true, NULL));
		assert_int_equal(assert_all_shares(write_trace(&run, &settings, false, "simulated",
							       &err),
						   &options),
				 1);
		run_fini(&run);
	}
}
