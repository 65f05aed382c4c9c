/* What measuring cost, taken out again: made-up programs of which the truth is known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "correct/clocks/clock_check.h"
#include "correct/overhead/overhead.h"
#include "correct/overhead/overhead_aid.h"
#include "harness/invariants.h"
#include "harness/owners.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"

FREES(aid_free, struct aid_program)

static void everybody(struct aid_program *p, enum aid_op op, int root)
{
	for (uint32_t l = 0; l < p->ranks; l++)
		aid_add(p, l, (struct aid_step){ op, root, 0, 0, 64 });
}

/* Rank 0 sends, rank 1 receives; whoever has more to do is late. */
static struct aid_program *one_way(int rounds, int calls_0, int calls_1)
{
	struct aid_program *p = aid_new(2);

	everybody(p, AID_BARRIER, 0);
	for (int i = 0; i < rounds; i++) {
		aid_call(p, 0, 0, 5000, calls_0);
		aid_call(p, 1, 1, 7000, calls_1);
		aid_add(p, 0, (struct aid_step){ AID_SEND, 1, 0, 60000, 8 });
		aid_add(p, 1, (struct aid_step){ AID_RECV, 0, 0, 0, 8 });
	}
	everybody(p, AID_BARRIER, 0);
	return p;
}

static void exact(struct aid_program *p, const char *what)
{
	ENDED_BY(aid_trace_fini) struct aid_trace t;
	ENDED_BY(overhead_report_fini) struct overhead_report report;

	aid_one_cost(p, 10000);
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	assert_true(report.done);
	assert_int_equal(report.source, OVERHEAD_LOOP);
	printf("# %s: measured is off by %lld ps, compensated by %lld\n", what,
	       (long long)aid_error(&t, BASE_MEASURED), (long long)aid_error(&t, BASE_COMPENSATED));
	assert_true(aid_error(&t, BASE_MEASURED) > 100000);
	assert_true(aid_error(&t, BASE_COMPENSATED) <= 2);
	assert_int_equal(report.violations, 0);
	assert_true(report.carried_share == 0);
	aid_free(p);
}

TEST(late_senders_are_exact)
{
	exact(one_way(30, 100, 10), "late sender");
}

TEST(late_receivers_are_exact)
{
	struct aid_program *p = one_way(60, 10, 100);

	/* What a message takes is known from receivers that waited. */
	for (int i = 0; i < 30; i++) {
		aid_add(p, 0, (struct aid_step){ AID_WORK, 0, 0, 5000000, 0 });
		aid_add(p, 0, (struct aid_step){ AID_SEND, 1, 0, 60000, 8 });
		aid_add(p, 1, (struct aid_step){ AID_RECV, 0, 0, 0, 8 });
	}
	exact(p, "late receiver");
}

TEST(both_kinds_in_turn_are_exact)
{
	struct aid_program *p = aid_new(2);

	everybody(p, AID_BARRIER, 0);
	for (uint32_t i = 0; i < 120; i++) {
		aid_call(p, 0, 0, 5000, i % 2 ? 100 : 10);
		aid_call(p, 1, 1, 7000, i % 3 ? 20 : 60);
		aid_add(p, i % 2, (struct aid_step){ AID_SEND, i % 2 ? 0 : 1, 0, 60000, 8 });
		aid_add(p, 1 - i % 2, (struct aid_step){ AID_RECV, i % 2 ? 1 : 0, 0, 0, 8 });
	}
	everybody(p, AID_BARRIER, 0);
	exact(p, "in turn");
}

TEST(collectives_of_every_class_are_exact)
{
	static const enum aid_op ops[] = { AID_BARRIER, AID_ALLREDUCE, AID_BCAST, AID_REDUCE,
					   AID_SCAN };

	for (size_t op = 0; op < sizeof ops / sizeof *ops; op++) {
		struct aid_program *p = aid_new(5);
		/* Whether the last to come would have waited, had it come sooner, no trace
		 * tells. */
		if (ops[op] == AID_SCAN)
			p->sync = p->receive;
		everybody(p, AID_BARRIER, 0);
		for (int i = 0; i < 40; i++) {
			/* The latest is another one every time, by work or by recording. */
			for (uint32_t l = 0; l < 5; l++) {
				aid_call(p, l, 0, 5000, 20 + 40 * (((int)l + i) % 5));
				aid_add(p, l,
					(struct aid_step){
						AID_WORK, 0, 0,
						ops[op] == AID_BCAST && l != 1 ? 0 : 3000000, 0 });
			}
			everybody(p, ops[op], 1);
		}
		exact(p, "collective");
	}
}

TEST(requests_and_exchanges_are_exact)
{
	struct aid_program *p = aid_new(4);

	everybody(p, AID_BARRIER, 0);
	for (int i = 0; i < 40; i++) {
		for (uint32_t l = 0; l < 4; l++)
			aid_call(p, l, 0, 5000, 20 + 30 * (((int)l + i) % 4));
		for (int l = 0; l < 4; l++)
			aid_add(p, (uint32_t)l,
				(struct aid_step){ AID_SENDRECV, (l + 1) % 4, (l + 3) % 4, 0, 8 });
		aid_add(p, 0, (struct aid_step){ AID_SELF, 0, 0, 0, 0 });
		aid_add(p, 1, (struct aid_step){ AID_IRECV, 2, 0, 0, 8 });
		aid_call(p, 2, 0, 5000, 200);
		aid_add(p, 2, (struct aid_step){ AID_SEND, 1, 0, 60000, 8 });
		aid_add(p, 1, (struct aid_step){ AID_WAITALL, 0, 0, 0, 0 });
	}
	everybody(p, AID_BARRIER, 0);
	exact(p, "requests");
}

/* The measurement's own work goes whole, whatever it took and whoever waited for it. */
TEST(flushes_go_whole)
{
	struct aid_program *p = one_way(40, 100, 10);

	for (int i = 0; i < 20; i++) {
		aid_call(p, 0, 0, 5000, 30);
		aid_add(p, 0, (struct aid_step){ AID_FLUSH, 0, 0, 90000000, 0 });
		aid_call(p, 0, 0, 5000, 30);
		aid_add(p, 0, (struct aid_step){ AID_SEND, 1, 0, 60000, 8 });
		aid_add(p, 1, (struct aid_step){ AID_RECV, 0, 0, 0, 8 });
	}
	/* In MPI_Finalize, where clocks are read, it is at work inside of a call. */
	for (uint32_t l = 0; l < 2; l++)
		aid_add(p, l, (struct aid_step){ AID_BARRIER, 0, 0, 70000000 + 9000000 * l, 0 });
	exact(p, "flushes");
}

/* ---- probes left out ---- */

/* Two ranks, each with a tiny function of its own, meet at every round: the second waits. */
static struct aid_program *two_functions_interrupted(double skip, int every, int64_t ticks)
{
	struct aid_program *p = aid_new(2);

	p->function[0] = 5600;
	p->function[1] = 8500;
	p->loop = 9800;
	p->call = 2 * p->loop;
	p->skip = skip;
	everybody(p, AID_BARRIER, 0);
	for (int i = 0; i < 600; i++) {
		aid_call(p, 0, 0, 4000, 60);
		if (every && i % every == every / 2)
			aid_add(p, 0, (struct aid_step){ AID_INTERRUPT, 0, 0, ticks, 0 });
		aid_call(p, 0, 0, 4000, 40);
		aid_call(p, 1, 1, 1500, 100);
		everybody(p, AID_BARRIER, 0);
	}
	return p;
}

static struct aid_program *two_functions(double skip)
{
	return two_functions_interrupted(skip, 0, 0);
}

/* Time of all locations in calls, summed. */
static int64_t calls_time(const struct overhead_report *report, const struct trace *trace)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < report->n_regions; i++)
		if (trace_region(trace, i)->cls != CLASS_USER)
			sum += report->regions[i].compensated;
	return sum;
}

TEST(costs_of_each_class_restore_the_wait)
{
	FREED_BY(aid_free) struct aid_program *p = two_functions(0.1);
	ENDED_BY(aid_trace_fini) struct aid_trace t = aid_run(p);
	ENDED_BY(overhead_report_fini) struct overhead_report report = aid_compensate(&t, NULL);
	const double wait = (double)calls_time(&report, t.trace) / (double)t.true_wait;

	assert_int_equal(report.source, OVERHEAD_SAMPLED);
	assert_int_equal(report.classes, 2);
	assert_int_equal(report.classes_sampled, 2);
	assert_true(report.event_low > 5.59e-9 && report.event_low < 5.61e-9);
	assert_true(report.event_high > 8.49e-9 && report.event_high < 8.51e-9);
	assert_true(report.loop > 9.79e-9 && report.loop < 9.81e-9);
	assert_true(report.sampled_share > 0.05 && report.sampled_share < 0.15);
	printf("# off by %lld ps, was %lld; wait %.4f of the true one\n",
	       (long long)aid_error(&t, BASE_COMPENSATED), (long long)aid_error(&t, BASE_MEASURED),
	       wait);
	assert_true(aid_error(&t, BASE_COMPENSATED) <= 600); /* a tick a segment */
	assert_true(wait > 0.999 && wait < 1.001);
}

/* Functions that are open on one side of a stretch without probes are left and entered at its ends,
 * by nobody: that costs nothing, and does not spoil the samples. */
TEST(levels_across_gaps_cost_nothing)
{
	FREED_BY(aid_free) struct aid_program *p = aid_new(3);
	ENDED_BY(overhead_report_fini) struct overhead_report report;
	ENDED_BY(aid_trace_fini) struct aid_trace t;

	aid_one_cost(p, 9800);
	p->function[0] = 6000;
	p->skip = 0.15;
	everybody(p, AID_BARRIER, 0);
	for (int i = 0; i < 300; i++) {
		for (uint32_t l = 0; l < 3; l++) {
			aid_call(p, l, 0, 4000, 30 + 20 * (int)l);
			aid_add(p, l, (struct aid_step){ AID_OPEN, 0, 0, 0, 0 });
			aid_call(p, l, 0, 4000, 20);
		}
		everybody(p, AID_BARRIER, 0);
		for (uint32_t l = 0; l < 3; l++) {
			aid_call(p, l, 0, 4000, 20);
			aid_add(p, l, (struct aid_step){ AID_CLOSE, 0, 0, 0, 0 });
			aid_call(p, l, 0, 4000, 60 - 20 * (int)l);
		}
		everybody(p, AID_ALLREDUCE, 0);
	}
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	assert_int_equal(report.source, OVERHEAD_SAMPLED);
	assert_int_equal(report.classes, 9); /* the first segments are like no others */
	assert_int_equal(report.classes_sampled, 6);
	assert_true(report.event_low > 5.99e-9 && report.event_high < 6.01e-9);
	printf("# off by %lld ps, was %lld\n", (long long)aid_error(&t, BASE_COMPENSATED),
	       (long long)aid_error(&t, BASE_MEASURED));
	assert_true(aid_error(&t, BASE_COMPENSATED) <= 600);
}

/* In gaps every record is there, and costs less: what a note costs by itself is known. */
TEST(gaps_restore_the_wait)
{
	struct aid_program *p = two_functions(0.1);
	struct aid_trace t;
	struct overhead_report report;
	double wait;

	p->note = 1900;
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	wait = (double)calls_time(&report, t.trace) / (double)t.true_wait;
	printf("# off by %lld ps, was %lld; wait %.4f of the true one; a record %.4f to %.4f ns\n",
	       (long long)aid_error(&t, BASE_COMPENSATED), (long long)aid_error(&t, BASE_MEASURED),
	       wait, report.event_low * 1e9, report.event_high * 1e9);
	assert_int_equal(report.source, OVERHEAD_SAMPLED);
	assert_int_equal(report.classes_sampled, 2);
	assert_true(report.event_low > 5.59e-9 && report.event_low < 5.61e-9);
	assert_true(report.event_high > 8.49e-9 && report.event_high < 8.51e-9);
	assert_true(report.sampled_share > 0.05 && report.sampled_share < 0.15);
	/* Within a gap the cost of readings is shared by the records around. */
	assert_true(aid_error(&t, BASE_COMPENSATED) <= 20000);
	assert_true(wait > 0.999 && wait < 1.001);
	assert_true(report.run.lower <= t.true_span && t.true_span <= report.run.upper);
	overhead_report_fini(&report);
	aid_trace_fini(&t);
	aid_free(p);
}

/* Three quarters of the time are in probes: what came between then need not have come without. It
 * may have, and so may the program have taken longer: that is the upper bound. */
TEST(interruptions_are_within_the_bounds)
{
	enum { EVERY = 60, LONG = 40000000 };
	FREED_BY(aid_free)
	struct aid_program *p = two_functions_interrupted(0.1, EVERY, LONG);
	ENDED_BY(aid_trace_fini) struct aid_trace t;
	ENDED_BY(overhead_report_fini) struct overhead_report report;

	p->note = 1900;
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	printf("# true %lld, bounds %lld to %lld\n", (long long)t.true_span,
	       (long long)report.run.lower, (long long)report.run.upper);
	assert_int_equal(report.source, OVERHEAD_SAMPLED);
	assert_true(report.run.lower <= t.true_span);
	assert_true(report.run.upper >= t.true_span + 600 / EVERY * LONG);
	assert_true(2 * report.run.lower >= t.true_span);
}

/* One cost for both, as a loop measures it, takes half of the wait away with the overhead. */
TEST(one_cost_does_not)
{
	FREED_BY(aid_free) struct aid_program *p = two_functions(0);
	ENDED_BY(aid_trace_fini) struct aid_trace t = aid_run(p);
	ENDED_BY(overhead_report_fini) struct overhead_report report = aid_compensate(&t, NULL);

	assert_int_equal(report.source, OVERHEAD_LOOP);
	assert_int_equal(report.classes, 0);
	assert_true(aid_error(&t, BASE_COMPENSATED) > 1000000);
	assert_true(report.carried_share > 0.05);
	/* But the truth is between the bounds. */
	assert_true(report.run.lower <= t.true_span && t.true_span <= report.run.upper);
}

/* The bounds hold wherever the true cost of a record is in the range that is measured in real
 * functions: half of a loop's to 1.05 times that, and what a guard costs. */
TEST(bounds_hold_without_samples)
{
	static const int64_t costs[] = { 4900, 5600, 8240, 9800, 11390 };

	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		FREED_BY(aid_free) struct aid_program *p = aid_new(1);
		ENDED_BY(aid_trace_fini) struct aid_trace t;
		ENDED_BY(overhead_report_fini) struct overhead_report report;

		aid_one_cost(p, costs[i]);
		p->loop = 9800;
		everybody(p, AID_BARRIER, 0);
		aid_call(p, 0, 0, 15000, 30000);
		everybody(p, AID_BARRIER, 0);
		t = aid_run(p);
		report = aid_compensate(&t, NULL);
		assert_int_equal(report.source, OVERHEAD_LOOP);
		/* Of calls of MPI it takes 0.5 to 1.05 times what the header says. */
		assert_true(report.run.lower <= t.true_span + 100000 &&
			    t.true_span - 100000 <= report.run.upper);
		assert_true(report.event_low > 4.89e-9 && report.event_low < 4.91e-9);
		assert_true(report.event_high > 11.38e-9 && report.event_high < 11.40e-9);
	}
}

/* ---- properties ---- */

static int64_t time_at(const struct aid_trace *t, enum time_base base, uint32_t event)
{
	return trace_event_time(t->trace, base, event);
}

/* Order within locations and between the bases; nothing later than it was measured. */
static void times_are_in_order(const struct aid_trace *t)
{
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		int64_t last[BASE_COUNT] = { 0 };
		struct cursor c;
		bool first = true;
		for (bool ok = cursor_first(&c, t->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c), first = false) {
			const int64_t lower = time_at(t, BASE_LOWER, c.id),
				      best = time_at(t, BASE_COMPENSATED, c.id),
				      upper = time_at(t, BASE_UPPER, c.id);
			assert_true(lower <= best && best <= upper && upper <= cursor_time(&c));
			if (first)
				assert_true(lower == cursor_time(&c));
			else
				assert_true(lower >= last[BASE_LOWER] &&
					    best >= last[BASE_COMPENSATED] &&
					    upper >= last[BASE_UPPER]);
			last[BASE_LOWER] = lower;
			last[BASE_COMPENSATED] = best;
			last[BASE_UPPER] = upper;
		}
	}
}

static void nothing_arrives_before_it_was_sent(const struct trace *trace, uint64_t but)
{
	struct err err = ERR_INIT;
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	const struct lmin none = { .trace = trace };

	for (int base = BASE_COMPENSATED; base <= BASE_UPPER; base++) {
		ENDED_BY(check_fini) struct check check = { 0 };
		assert_true(check_make(&check, logical, (enum time_base)base, &none, NULL));
		assert_true(check.all.reversed <= but);
	}
}

/* Times of regions add up to those of the locations, but for what lies outside of all. */
static void regions_add_up(const struct overhead_report *report, const struct trace *trace)
{
	struct overhead_sum sum = { 0 };
	uint64_t records = 0;

	(void)trace;
	for (uint32_t i = 0; i < report->n_regions; i++) {
		sum.measured += report->regions[i].measured;
		sum.compensated += report->regions[i].compensated;
		sum.lower += report->regions[i].lower;
		sum.upper += report->regions[i].upper;
	}
	for (uint32_t l = 0; l < report->n_locations; l++)
		records += report->locations[l].time.records;
	assert_true(sum.measured <= report->local.measured);
	assert_true(sum.compensated <= report->local.compensated);
	assert_true(sum.lower <= report->local.lower);
	assert_true(sum.upper <= report->local.upper);
	assert_int_equal(records, report->local.records);
}

TEST(random_programs_keep_order_and_bounds)
{
	int between = 0, programs = 0;
	double sum_removed = 0;

	for (uint64_t seed = 1; seed <= rounds(300); seed++) {
		FREED_BY(aid_free)
		struct aid_program *p = aid_random(seed, 2 + (uint32_t)(seed % 5), 60);
		ENDED_BY(overhead_report_fini) struct overhead_report report;
		ENDED_BY(aid_trace_fini) struct aid_trace t;
		double removed, dilation;

		aid_one_cost(p, 9000);
		if (seed % 2) {
			p->skip = 0.1;
			for (int i = 0; i < AID_FUNCTIONS; i++)
				p->function[i] = 5000 + 1200 * i;
		}
		t = aid_run(p);
		report = aid_compensate(&t, NULL);
		assert_true(report.done);
		times_are_in_order(&t);
		nothing_arrives_before_it_was_sent(t.trace, 0);
		assert_null(trace_broken(t.trace));
		regions_add_up(&report, t.trace);
		assert_int_equal(report.violations, 0);
		dilation = (double)(report.run.measured - t.true_span);
		removed = (double)(report.run.measured - report.run.compensated) / dilation;
		if (getenv("TVIEW_OVERHEAD_TABLE"))
			printf("# %llu: source %d removed %.4f lower %.4f upper %.4f\n",
			       (unsigned long long)seed, report.source, removed,
			       (double)report.run.lower / (double)t.true_span,
			       (double)report.run.upper / (double)t.true_span);
		if (seed % 2 == 0) {
			programs++;
			between +=
				report.run.lower <= t.true_span && t.true_span <= report.run.upper;
			sum_removed += removed;
		}
	}
	printf("# truth between the bounds in %d of %d, removed %.4f of the dilation on average\n",
	       between, programs, sum_removed / programs);
	assert_int_equal(between, programs);
	assert_true(sum_removed / programs > 0.95 && sum_removed / programs < 1.15);
}

/* What cost nothing moves nothing, whoever waited for whom; of receives that complete together only
 * the last has the time of the call. */
static void nothing_moves(const struct aid_trace *t)
{
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, t->trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c))
			if (what_kind(cursor_what(&c)) != EV_RECV)
				assert_int_equal(time_at(t, BASE_COMPENSATED, c.id),
						 cursor_time(&c));
	}
}

TEST(without_overhead_nothing_moves)
{
	const struct overhead_options free_of_cost = { OVERHEAD_INSITU, 0, -1 };
	uint64_t programs = 0;

	for (uint64_t seed = 1; seed <= rounds(200); seed++) {
		FREED_BY(aid_free)
		struct aid_program *p = aid_random(seed, 2 + (uint32_t)(seed % 5), 10);
		ENDED_BY(overhead_report_fini) struct overhead_report report;
		ENDED_BY(aid_trace_fini) struct aid_trace t;
		aid_one_cost(p, 9000);
		t = aid_run(p);
		report = aid_compensate(&t, &free_of_cost);
		if (report.flushes == 0) { /* they go all the same */
			programs++;
			nothing_moves(&t);
		}
	}
	assert_true(programs > rounds(200) / 10);
}

/* Anything that the store can hold, with costs of any size. */
TEST(any_trace_is_taken)
{
	for (uint64_t seed = 1; seed <= rounds(60); seed++) {
		struct overhead_options options = OVERHEAD_DEFAULTS;
		struct aid_trace t = { .trace = random_trace(seed, 300, 1000000000) };
		struct overhead_report report;
		options.model = (enum overhead_model)(seed % 3);
		options.event = seed % 3 ? 1e-9 * (double)seed : 1e3;
		options.copy_cost = seed % 5 ? 1e-9 : -1;
		report = aid_compensate(&t, &options);
		assert_true(report.done);
		assert_int_equal(report.source, OVERHEAD_GIVEN);
		assert_null(trace_broken(t.trace));
		/* But for what cannot have happened. */
		nothing_arrives_before_it_was_sent(t.trace, report.violations);
		overhead_report_fini(&report);
		trace_free(t.trace);
	}
}

/* Where no function was recorded only the records of calls are taken out: two a call. */
TEST(calls_alone_have_their_own_cost)
{
	FREED_BY(aid_free) struct aid_program *p = aid_new(2);
	ENDED_BY(overhead_report_fini) struct overhead_report report;
	ENDED_BY(aid_trace_fini) struct aid_trace t;

	aid_one_cost(p, 9000);
	everybody(p, AID_BARRIER, 0);
	for (int i = 0; i < 50; i++) {
		for (uint32_t l = 0; l < 2; l++)
			aid_add(p, l, (struct aid_step){ AID_WORK, 0, 0, 2000000, 0 });
		everybody(p, AID_BARRIER, 0);
	}
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	assert_true(report.done);
	assert_int_equal(report.local.records, 2 * 51 * 2);
	/* Of 18 ns between two stamps each, but before the first. */
	assert_int_equal(report.run.measured - report.run.compensated, 101 * 18000);
	assert_true(aid_error(&t, BASE_COMPENSATED) <= 2);
}

/* A large send that ends behind the begin of its receive waited for it, or may have: its time is
 * kept, and its share told. A small one has not. */
TEST(sends_that_wait_are_kept)
{
	static const uint64_t sizes[] = { 100000, 8 };

	for (int i = 0; i < 2; i++) {
		FREED_BY(aid_free) struct aid_program *p = aid_new(2);
		ENDED_BY(overhead_report_fini) struct overhead_report report;
		ENDED_BY(aid_trace_fini) struct aid_trace t;
		aid_one_cost(p, 9000);
		everybody(p, AID_BARRIER, 0);
		aid_add(p, 0, (struct aid_step){ AID_SEND, 1, 0, 30000000, sizes[i] });
		aid_add(p, 1, (struct aid_step){ AID_WORK, 0, 0, 2000000, 0 });
		aid_add(p, 1, (struct aid_step){ AID_RECV, 0, 0, 0, sizes[i] });
		everybody(p, AID_BARRIER, 0);
		t = aid_run(p);
		report = aid_compensate(&t, NULL);
		assert_true(report.done);
		/* 30 us and the 18 ns of the records, of all the time of two ranks. */
		assert_true(i == 1 ? report.blocking_share == 0
				   : fabs(report.blocking_share -
					  30018000. / (double)report.local.measured) < 1e-9);
		assert_true(aid_error(&t, BASE_COMPENSATED) <= 2);
	}
}

/* Without costs nothing is made, and a sentence says why; a cost that is given does. */
TEST(without_costs_nothing_is_made)
{
	struct overhead_options options = OVERHEAD_DEFAULTS;
	FREED_BY(aid_free) struct aid_program *p = one_way(10, 50, 50);
	struct overhead_report report;
	ENDED_BY(aid_trace_fini) struct aid_trace t;

	aid_one_cost(p, 10000);
	p->loop = 0;
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	assert_false(report.done);
	assert_int_equal(report.source, OVERHEAD_NONE);
	assert_true(report.why[0] != '\0');
	assert_false(trace_has_base(t.trace, BASE_COMPENSATED));
	overhead_report_fini(&report);
	options.event = 10e-9;
	report = aid_compensate(&t, &options);
	assert_true(report.done);
	assert_int_equal(report.source, OVERHEAD_GIVEN);
	assert_true(trace_has_base(t.trace, BASE_LOWER) && trace_has_base(t.trace, BASE_UPPER));
	assert_true(report.event > 9.99e-9 && report.event < 10.01e-9);
	overhead_report_fini(&report);
}
