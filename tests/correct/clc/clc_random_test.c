/* The controlled logical clock on thousands of made-up runs: what must hold of its result, and the
 * same numbers from a slow implementation of the specification. */
#include <math.h>
#include <stdlib.h>

#include "correct/clc/clc_reference.h"
#include "correct/clc/clc_state.h"
#include "correct/clocks/clocked_run.h"
#include "harness/random.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/trace/base_write.h"

enum { TRACES = 3000, CONSISTENT = 1000, ABSURD = 400 };

/* One made-up run and its correction. */
struct setting {
	struct clocked_options options;
	struct clc_options clc;
	struct lmin lmin;
	struct reference_options reference;
	struct trace *trace;
	struct logical *logical;
	struct clc_report report;
};

static void open_setting(struct setting *s, uint64_t seed, bool consistent)
{
	/* Odd ones: halves of ticks would be rounded by chance. */
	static const double gammas[] = { 0, 0, 0.99912345678, 0.90012345678, 0.50012345678, 1 };
	static const double slopes[] = { 0, 0, 0.1, 1, 0.001 };
	struct err err = ERR_INIT;
	uint64_t r = seed * 7919 + 13;
	double spacing;

	*s = (struct setting){ .options = clocked_options(seed, consistent) };
	s->trace = clocked_run(&s->options);
	s->logical = logical_new(s->trace, NULL, &err);
	assert_non_null(s->logical);
	xorshift_below(&r, 2);
	s->lmin = (struct lmin){ .trace = s->trace };
	s->lmin.inter = s->options.latency - (consistent ? s->options.coarse : 0);
	if (s->lmin.inter < 0)
		s->lmin.inter = 0;
	s->lmin.intra = (int64_t)xorshift_below(&r, (uint64_t)s->lmin.inter + 1);
	if (xorshift_below(&r, 5) == 0) { /* nonsense, but somebody may ask for it */
		const int64_t inter = s->lmin.inter;
		s->lmin.inter = s->lmin.intra;
		s->lmin.intra = inter;
	}
	s->clc = (struct clc_options){ .gamma = gammas[xorshift_below(&r, 6)],
				       .slope = slopes[xorshift_below(&r, 5)] };
	spacing = (double)s->options.per_second * 1e-9;
	s->reference = (struct reference_options){
		.inter = s->lmin.inter,
		.intra = s->lmin.intra,
		.gamma = s->clc.gamma > 0 ? s->clc.gamma : 0.99999,
		.slope = s->clc.slope > 0 ? s->clc.slope : 0.01,
		.delta = spacing > 1 ? spacing : 1,
		.whole = true,
	};
}

static void close_setting(struct setting *s)
{
	logical_free(s->logical);
	trace_free(s->trace);
	clc_report_fini(&s->report);
}

static void run(struct setting *s, enum time_base from)
{
	struct err err = ERR_INIT;

	assert_true(clc_run(&s->report, s->trace, s->logical, from, &s->lmin, &s->clc, NULL, &err));
	assert_int_equal(s->report.done, trace_has_base(s->trace, BASE_CLC));
	assert_int_equal(s->report.done, s->report.violated_all > 0);
}

/* ---- what must hold ---- */

static void order_is_kept(const struct trace *trace)
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor in, out;
		int64_t before_in = 0, before_out = 0;
		bool first = true;
		for (bool ok = cursor_first(&in, trace, BASE_MEASURED, l) &&
			       cursor_first(&out, trace, BASE_CLC, l);
		     ok; ok = cursor_next(&in) && cursor_next(&out)) {
			assert_int_equal(in.id, out.id);
			assert_true(cursor_time(&out) >= cursor_time(&in));
			if (first)
				assert_int_equal(cursor_time(&out), cursor_time(&in));
			else
				assert_true(cursor_time(&out) >= before_out);
			if (!first && cursor_time(&in) > before_in)
				assert_true(cursor_time(&out) > before_out);
			before_in = cursor_time(&in);
			before_out = cursor_time(&out);
			first = false;
		}
	}
}

static uint64_t violating(const struct trace *trace, const struct reference *r, enum time_base base)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->edges.n; i++) {
		const struct edge *e = &r->edges.data[i];
		n += trace_event_time(trace, base, e->recv_id) <
		     trace_event_time(trace, base, e->send_id) + e->lmin;
	}
	return n;
}

/* What the report counts, counted again. */
static void report_is_right(const struct setting *s, const struct reference *r)
{
	uint64_t moved = 0, messages = 0, by_class = 0, events = 0, forward = 0, violated = 0;
	int64_t most = 0, most_reported = 0;

	for (size_t i = 0; i < r->events.n; i++) {
		const struct reference_event *e = &r->events.data[i];
		const int64_t by = trace_event_time(s->trace, BASE_CLC, e->id) - e->in;
		moved += by > 0;
		most = by > most ? by : most;
		events++;
	}
	for (uint32_t i = 0; i < trace_message_count(s->trace); i++) {
		const struct message *m = trace_message(s->trace, i);
		if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
			continue;
		messages += trace_event_time(s->trace, BASE_CLC, m->send) !=
				    trace_event_time(s->trace, BASE_MEASURED, m->send) ||
			    trace_event_time(s->trace, BASE_CLC, m->recv) !=
				    trace_event_time(s->trace, BASE_MEASURED, m->recv);
	}
	for (int cls = 0; cls < LOGICAL_CLASSES; cls++)
		by_class += s->report.violated[cls];
	for (uint32_t l = 0; l < s->report.n_locations; l++) {
		const struct clc_location *location = &s->report.locations[l];
		struct cursor c;
		forward += location->corrected;
		violated += location->violated;
		if (location->max_move > most_reported)
			most_reported = location->max_move;
		if (location->max_event != EVENT_NONE)
			assert_int_equal(location->max_move,
					 trace_event_time(s->trace, BASE_CLC, location->max_event) -
						 trace_event_time(s->trace, BASE_MEASURED,
								  location->max_event));
		if (cursor_last(&c, s->trace, BASE_CLC, l))
			assert_int_equal(location->lead,
					 cursor_time(&c) -
						 trace_event_time(s->trace, BASE_MEASURED, c.id));
	}
	assert_int_equal(s->report.corrected_final, moved);
	assert_int_equal(s->report.corrected, forward);
	assert_int_equal(s->report.messages_moved, messages);
	assert_int_equal(s->report.violated_all, by_class);
	assert_int_equal(s->report.violated_all, violated);
	assert_int_equal(s->report.events, events);
	assert_int_equal(most_reported, most);
}

/* The corrected times as the input of another run. */
static void second_run_finds_nothing(struct setting *s)
{
	struct err err = ERR_INIT;

	assert_true(base_begin(s->trace, BASE_FITTED, &err));
	for (uint32_t l = 0; l < trace_location_count(s->trace); l++) {
		struct cursor c;
		int64_t t[BLOCK_EVENTS];
		for (bool ok = cursor_first(&c, s->trace, BASE_CLC, l); ok; ok = cursor_next(&c)) {
			t[c.slot] = cursor_time(&c);
			if (c.slot + 1 == c.block->n)
				assert_true(base_put(s->trace, BASE_FITTED, c.id / BLOCK_EVENTS, t,
						     &err));
		}
	}
	base_commit(s->trace, BASE_FITTED);
	clc_report_fini(&s->report);
	run(s, BASE_FITTED);
	assert_false(s->report.done);
	assert_int_equal(s->report.passes, 1);
}

TEST(properties_hold)
{
	uint64_t done = 0, edges = 0, before = 0;

	for (uint64_t seed = 1; seed <= rounds(TRACES); seed++) {
		struct setting s;
		struct reference *r;
		open_setting(&s, seed, false);
		s.clc.passes = (int)(seed % 4);
		r = reference_new(s.trace, BASE_MEASURED, &s.reference);
		run(&s, BASE_MEASURED);
		edges += r->edges.n;
		before += violating(s.trace, r, BASE_MEASURED);
		if (!s.options.impossible)
			assert_int_equal(s.report.done, violating(s.trace, r, BASE_MEASURED) > 0);
		if (s.report.done) {
			done++;
			order_is_kept(s.trace);
			report_is_right(&s, r);
			if (s.report.forced == 0) {
				assert_int_equal(violating(s.trace, r, BASE_CLC), 0);
				second_run_finds_nothing(&s);
			}
		}
		reference_free(r);
		close_setting(&s);
	}
	assert_true(done > rounds(TRACES) / 3 && done < rounds(TRACES));
	assert_true(edges > 50 * rounds(TRACES) && before > 5 * rounds(TRACES));
}

TEST(consistent_traces_stay)
{
	for (uint64_t seed = 1; seed <= rounds(CONSISTENT); seed++) {
		struct setting s;
		open_setting(&s, seed, true);
		run(&s, BASE_MEASURED);
		assert_false(s.report.done);
		assert_int_equal(s.report.corrected, 0);
		close_setting(&s);
	}
}

/* Clocks that are years apart, up to where times end: there a shift has no room for single ticks,
 * and the order is kept all the same; before that the clock condition holds, too. */
TEST(absurd_clocks_keep_the_order)
{
	for (uint64_t seed = 1; seed <= rounds(ABSURD); seed++) {
		struct setting s;
		struct reference *r;
		open_setting(&s, seed, false);
		close_setting(&s);
		s.options.offset = seed % 2 ? 2.2e18 : 1e17;
		s.options.jump = seed % 2 ? 1e18 : 1e13;
		s.trace = clocked_run(&s.options);
		s.lmin.trace = s.trace;
		s.logical = logical_new(s.trace, NULL, &(struct err)ERR_INIT);
		run(&s, BASE_MEASURED);
		for (uint32_t l = 0; s.report.done && l < s.options.locations; l++) {
			struct cursor c;
			int64_t before = INT64_MIN;
			for (bool ok = cursor_first(&c, s.trace, BASE_CLC, l); ok;
			     ok = cursor_next(&c)) {
				assert_true(cursor_time(&c) >= before);
				before = cursor_time(&c);
				assert_true(before >=
					    trace_event_time(s.trace, BASE_MEASURED, c.id));
			}
		}
		r = reference_new(s.trace, BASE_MEASURED, &s.reference);
		if (seed % 2 == 0 && s.report.done && s.report.forced == 0)
			assert_int_equal(violating(s.trace, r, BASE_CLC), 0);
		reference_free(r);
		close_setting(&s);
	}
}

/* ---- the same as the specification ---- */

/* Ticks that whole senders' times may be off after some messages, against parts of ticks. A few
 * events are: where the one before is moved by a hair's breadth or not, one delta comes in or not
 * (A10). */
enum { DRIFT_OF_ROUNDING = 4 };

/* How many events are further off. */
static uint64_t forward_is_the_same(struct setting *s, struct reference *r)
{
	uint64_t off = 0;
	struct err err = ERR_INIT;
	struct clc clc;
	struct reference_options fine = s->reference;

	clc_init(&clc, s->trace, s->logical, BASE_MEASURED, &s->lmin, &s->clc);
	assert_true(base_begin(s->trace, BASE_CLC, &err));
	assert_true(clc_forward(&clc, s->reference.gamma));
	base_commit(s->trace, BASE_CLC);
	fine.whole = false;
	reference_forward(r, &fine);
	for (size_t i = 0; i < r->events.n; i++) {
		const struct reference_event *e = &r->events.data[i];
		const double t = (double)trace_event_time(s->trace, BASE_CLC, e->id);
		off += fabs(t - e->forward) > DRIFT_OF_ROUNDING;
	}
	reference_forward(r, &s->reference);
	for (size_t i = 0; i < r->events.n; i++) {
		const struct reference_event *e = &r->events.data[i];
		const double t = (double)trace_event_time(s->trace, BASE_CLC, e->id);
		assert_true(fabs(t - e->forward) <= 0.501);
	}
	for (size_t i = 0; i < clc.jumps.n; i++) {
		const struct clc_jump *jump = &clc.jumps.data[i];
		assert_true(fabs(jump->jump - r->events.data[r->index[jump->event]].jump) < 1e-3);
	}
	clc_fini(&clc);
	base_drop(s->trace, BASE_CLC);
	return off;
}

TEST(specification_says_the_same)
{
	uint64_t compared = 0, steep = 0, off = 0;

	for (uint64_t seed = 1; seed <= rounds(TRACES); seed++) {
		struct setting s;
		struct reference *r;
		open_setting(&s, seed, false);
		r = reference_new(s.trace, BASE_MEASURED, &s.reference);
		reference_forward(r, &s.reference);
		if (!r->impossible) {
			off += forward_is_the_same(&s, r);
			run(&s, BASE_MEASURED);
			reference_backward(r, &s.reference);
			for (size_t i = 0; s.report.done && i < r->events.n; i++) {
				const struct reference_event *e = &r->events.data[i];
				const double t = (double)trace_event_time(s.trace, BASE_CLC, e->id);
				assert_true(fabs(t - e->final) <= 1);
				compared++;
			}
			if (s.report.done)
				assert_true(fabs(s.report.max_slope - r->max_slope) <=
					    1e-6 * r->max_slope);
			steep += r->max_slope > 0.02;
		}
		reference_free(r);
		close_setting(&s);
	}
	assert_true(compared > 20 * rounds(TRACES) && off < compared / 1000);
	assert_true(steep > rounds(TRACES) / 20);
}
