/* Virtual time and control of receives from any source: rule by rule by hand, then programs on a
 * simulated machine against their run without probes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/lib/virtual_order.h"
#include "capture/lib/virtual_time.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "simulate/clock.h"
#include "simulate/engine.h"
#include "simulate/random_script.h"

/* ---- the rule alone; units of a tenth ---- */

static struct virtual_entry entry(int64_t time, int64_t intrusion, int64_t lag)
{
	return (struct virtual_entry){ time, intrusion, lag, 0 };
}

/* Rank 0 sends at 13, of which its probe took 3; rank 1 is ready at 23 of which 15 are probes: the
 * receive finds its message and ends at 23.3. Without probes it is entered at 8 and waits for the
 * send at 10, to end at 11. */
TEST(a_message_that_lies_there_was_waited_for)
{
	struct virtual_sum sum;
	struct virtual_end end;

	virtual_begin(&sum, entry(230, 150, 3), 233);
	virtual_depend(&sum, entry(130, 30, 10), virtual_about(10, 0));
	end = virtual_complete(&sum, VIRTUAL_PAIR);
	assert_int_equal(233 - end.intrusion, 110);
	assert_int_equal(end.synchronisation, 20);
	assert_int_equal(end.transmission, 10);
}

/* A wait of the program swallows intrusion: 8 before, 1.3 after. */
TEST(intrusion_falls_in_a_wait)
{
	struct virtual_sum sum;

	virtual_begin(&sum, entry(120, 80, 3), 123);
	virtual_depend(&sum, entry(100, 0, 10), virtual_about(10, 0));
	assert_int_equal(virtual_complete(&sum, VIRTUAL_PAIR).intrusion, 13);
}

TEST(what_is_later_than_the_end_was_no_dependency)
{
	struct virtual_sum sum;
	struct virtual_end end;

	virtual_begin(&sum, entry(100, 10, 0), 102);
	virtual_depend(&sum, entry(500, 400, 3), virtual_about(3, 0));
	end = virtual_complete(&sum, VIRTUAL_PAIR);
	assert_int_equal(sum.refuted, 1);
	assert_int_equal(end.intrusion, 10);
	assert_int_equal(end.synchronisation, 0);
}

/* A lag that is too large would let the call end before it began: it was at most 1. */
TEST(virtual_time_does_not_run_backwards)
{
	struct virtual_sum sum;
	struct virtual_end end;

	virtual_begin(&sum, entry(100, 10, 0), 101);
	virtual_depend(&sum, entry(100, 90, 95), virtual_about(95, 0));
	end = virtual_complete(&sum, VIRTUAL_PAIR);
	assert_int_equal(101 - end.intrusion, 90);
	assert_int_equal(end.transmission, 0);
}

/* Who depends on whom, of five ranks with root 2. */
TEST(classes_of_collectives)
{
	static const struct {
		enum virtual_rule rule;
		const char *depends[5]; /* of each rank, on these */
	} classes[] = {
		{ VIRTUAL_ALONE, { "", "", "", "", "" } },
		{ VIRTUAL_ALL, { "1234", "0234", "0134", "0124", "0123" } },
		{ VIRTUAL_FROM_ROOT, { "2", "2", "", "2", "2" } },
		{ VIRTUAL_TO_ROOT, { "", "", "0134", "", "" } },
		{ VIRTUAL_BELOW, { "", "0", "01", "012", "0123" } },
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		for (int me = 0; me < 5; me++)
			for (int other = 0; other < 5; other++)
				assert_int_equal(virtual_depends(classes[i].rule, 2, me, other),
						 strchr(classes[i].depends[me], '0' + other) !=
							 NULL);
}

/* Polls from 10 on (virtual 8), every 1; the send at 20 has intrusion 7 (virtual 13). Poll by poll the
 * last one, entered at 20.5, would be the own entry: virtual 18.5. */
TEST(a_loop_of_polls_is_one_wait)
{
	struct virtual_poll poll = { .open = false };
	struct virtual_sum sum;
	struct virtual_entry own;

	for (int64_t t = 100; t < 200; t += 10)
		virtual_poll_false(&poll, 7, t, 20, t + 5, 20);
	own = virtual_poll_true(&poll, 7, 205, 20, 20);
	assert_int_equal(own.time, 100);
	virtual_begin(&sum, own, 212);
	virtual_depend(&sum, entry(200, 70, 10), virtual_about(10, 0));
	/* R 210, V 140. */
	assert_int_equal(212 - virtual_complete(&sum, VIRTUAL_PAIR).intrusion, 142);
	/* Other requests, work in between, another call: each is a wait of its own. */
	virtual_poll_false(&poll, 7, 300, 20, 305, 20);
	assert_int_equal(virtual_poll_true(&poll, 8, 306, 20, 20).time, 306);
	virtual_poll_false(&poll, 7, 300, 20, 305, 20);
	assert_int_equal(virtual_poll_true(&poll, 7, 405, 20, 20).time, 405);
	virtual_poll_false(&poll, 7, 300, 20, 305, 20);
	virtual_poll_end(&poll);
	assert_int_equal(virtual_poll_true(&poll, 7, 306, 20, 20).time, 306);
}

/* min I <= I <= max I; no intrusion, none after; the same virtual end whatever the probes cost. */
TEST(intrusion_stays_between_those_of_the_dependencies)
{
	uint64_t seed = 1;

	for (int i = 0; i < 100000; i++) {
		struct virtual_entry of[5], plain[5];
		const int n = 2 + (int)random_script_draw(&seed, 4);
		int64_t least = INT64_MAX, most = 0, real = 0, moved = 0;
		struct virtual_sum sum;
		struct virtual_end end;

		for (int k = 0; k < n; k++) {
			const int64_t lag = (int64_t)random_script_draw(&seed, 20),
				      cost = (int64_t)random_script_draw(&seed, 100);
			plain[k] = entry(100 + (int64_t)random_script_draw(&seed, 100), 0, lag);
			of[k] = entry(plain[k].time + cost, cost, lag);
			least = cost < least ? cost : least;
			most = cost > most ? cost : most;
			real = virtual_max(real, of[k].time + lag);
			moved = virtual_max(moved, plain[k].time + lag);
		}
		virtual_begin(&sum, of[0], real + 5);
		for (int k = 1; k < n; k++)
			virtual_depend(&sum, of[k], virtual_about(of[k].lag, 0));
		end = virtual_complete(&sum, VIRTUAL_PAIR);
		assert_true(least <= end.intrusion && end.intrusion <= most);
		assert_int_equal(real + 5 - end.intrusion, moved + 5);
		assert_true(end.synchronisation >= 0 && end.transmission >= 0);
	}
}

/* Latencies that are wrong by at most u, entries by at most their errors: the end is not wrong by
 * more than its own bound. */
TEST(the_bound_covers_the_error)
{
	uint64_t seed = 5;

	for (int i = 0; i < 200000; i++) {
		const int64_t u = (int64_t)random_script_draw(&seed, 8);
		const int64_t L = 20 + (int64_t)random_script_draw(&seed, 10), r = 5;
		int64_t at[2], cost[2], error[2], wrong[2];
		struct virtual_sum sum;
		struct virtual_end end;
		int64_t plain, real, said;

		for (int k = 0; k < 2; k++) {
			at[k] = 100 + (int64_t)random_script_draw(&seed, 100);
			cost[k] = 50 + (int64_t)random_script_draw(&seed, 100);
			error[k] = (int64_t)random_script_draw(&seed, 10);
			wrong[k] =
				(int64_t)random_script_draw(&seed, (uint64_t)(2 * error[k] + 1)) -
				error[k];
		}
		plain = virtual_max(at[0] + r, at[1] + L);
		real = virtual_max(at[0] + cost[0] + r, at[1] + cost[1] + L);
		virtual_begin(&sum,
			      (struct virtual_entry){ at[0] + cost[0], cost[0] - wrong[0], r,
						      error[0] },
			      real);
		said = L + (int64_t)random_script_draw(&seed, (uint64_t)(2 * u + 1)) - u;
		virtual_depend(&sum,
			       (struct virtual_entry){ at[1] + cost[1], cost[1] - wrong[1], said,
						       error[1] },
			       virtual_about(said, u));
		end = virtual_complete(&sum, VIRTUAL_PAIR);
		if (!sum.refuted)
			assert_true(llabs(real - end.intrusion - plain) <= end.error);
	}
}

/* Nor has an end a bound if one of its sides has none. */
TEST(no_bound_stays_none)
{
	for (int64_t partner = 100; partner <= 300; partner += 100) {
		struct virtual_sum sum;

		virtual_begin(&sum, (struct virtual_entry){ 200, 50, 5, 3 }, 400);
		virtual_depend(&sum, (struct virtual_entry){ partner, 20, 10, INT64_MAX },
			       virtual_about(10, 2));
		assert_true(virtual_complete(&sum, VIRTUAL_PAIR).error == INT64_MAX);
	}
}

/* ---- programs ---- */

enum { MOST = SCRIPT_RANKS };

/* A receive that waits ends 1 after the send, one whose message is there takes 0.3, a send 0.2, a
 * collective of 3 ranks 2 after the last. */
static struct settings machine(const char *const *script)
{
	struct settings settings = SETTINGS_DEFAULTS;

	settings.program = "script";
	settings.script = script;
	settings.ranks = 0;
	while (settings.ranks < MOST && script[settings.ranks])
		settings.ranks++;
	settings.node_ranks = settings.ranks;
	settings.latency_intra = 1e-6;
	settings.bandwidth = 1e30;
	settings.send = 0.2e-6;
	settings.take = 0.3e-6;
	settings.jitter = settings.call = settings.copy = settings.noise = 0;
	return settings;
}

struct runs {
	struct run plain, free, controlled;
};

static void runs_fini(struct runs *runs)
{
	run_fini(&runs->plain);
	run_fini(&runs->free);
	run_fini(&runs->controlled);
}

/* All end: a run that hangs fails. */
static struct runs run_all(struct settings settings)
{
	struct runs runs;

	assert_true(engine_run(&runs.plain, &settings, false, NULL));
	assert_true(engine_run(&runs.free, &settings, true, NULL));
	settings.control = true;
	assert_true(engine_run(&runs.controlled, &settings, true, NULL));
	return runs;
}

static double micro(int64_t time)
{
	return (double)(time - SIMULATION_START) * 1e-6;
}

/* Places at which two runs receive from another source. */
static unsigned differs(const struct run *a, const struct run *b)
{
	unsigned n = 0;

	for (uint32_t r = 0; r < a->ranks; r++) {
		assert_int_equal(a->of[r].sources.n, b->of[r].sources.n);
		for (size_t i = 0; i < a->of[r].sources.n; i++)
			n += a->of[r].sources.data[i] != b->of[r].sources.data[i];
	}
	return n;
}

/* The largest difference of the plain run's times and the other one's virtual times. */
static int64_t error_of(const struct run *plain, const struct run *other)
{
	int64_t most = 0;

	for (uint32_t r = 0; r < plain->ranks; r++) {
		assert_int_equal(plain->of[r].ends.n, other->of[r].ends.n);
		for (size_t i = 0; i < plain->of[r].ends.n; i++) {
			const struct call_end *p = &plain->of[r].ends.data[i],
					      *o = &other->of[r].ends.data[i];
			most = virtual_max(most, llabs(o->moved - p->real));
			most = virtual_max(most, llabs(o->synchronisation - p->synchronisation));
		}
	}
	return most;
}

/* The end of a rank's nth call: without probes, and with probes and control; and from which rank
 * its receives from any source take, in order: without probes, with probes alone. */
struct expected {
	uint32_t rank, call;
	double plain, real; /* real 0: depends on when within a computation its probes come */
};

static void check_vector(const char *const *script, const struct expected *expected, size_t n)
{
	ENDED_BY(runs_fini) struct runs runs = run_all(machine(script));

	assert_int_equal(differs(&runs.plain, &runs.controlled), 0);
	assert_int_equal(error_of(&runs.plain, &runs.controlled), 0);
	for (size_t i = 0; i < n; i++) {
		const struct expected *x = &expected[i];
		assert_float_equal(micro(runs.plain.of[x->rank].ends.data[x->call].real), x->plain,
				   1e-6);
		assert_float_equal(micro(runs.controlled.of[x->rank].ends.data[x->call].moved),
				   x->plain, 1e-6);
		if (x->real > 0)
			assert_float_equal(
				micro(runs.controlled.of[x->rank].ends.data[x->call].real), x->real,
				2e-3);
	}
}

static void check_order(const char *const *script, uint32_t rank, const char *plain,
			const char *uncontrolled)
{
	ENDED_BY(runs_fini) struct runs runs = run_all(machine(script));
	const char *wanted[] = { plain, uncontrolled, plain };
	const struct run *of[] = { &runs.plain, &runs.free, &runs.controlled };

	for (int i = 0; i < 3; i++) {
		assert_int_equal(of[i]->of[rank].sources.n, strlen(wanted[i]));
		for (size_t k = 0; k < strlen(wanted[i]); k++)
			assert_int_equal(of[i]->of[rank].sources.data[k], wanted[i][k] - '0');
	}
}

#define SCRIPT(...) ((const char *const[MOST + 1]){ __VA_ARGS__ })
#define VECTOR(script, ...)                                                \
	check_vector((script), ((const struct expected[]){ __VA_ARGS__ }), \
		     sizeof((const struct expected[]){ __VA_ARGS__ }) / sizeof(struct expected))

TEST(v1_a_receiver_with_more_probes)
{
	VECTOR(SCRIPT("c10 p3 s1", "c8 p15 r0"), { 1, 0, 11.0, 23.3 });
}

TEST(v2_probes_swap_two_senders)
{
	const char *const *script = SCRIPT("c1 a a", "c5 p10 s0", "c9 s0");

	VECTOR(script, { 0, 0, 6.0, 16.0 }, { 0, 1, 10.0, 16.3 });
	check_order(script, 0, "12", "21");
}

/* The case of paper 1: rank 0 may not take the message of rank 1 before rank 2 has got further,
 * which waits for rank 3, which waits for rank 0. */
TEST(v3_a_cycle_of_waits_through_the_receive)
{
	const char *const *script = SCRIPT("c1 a s3 a", "c10 s0", "c3 r3 c1 s0", "c2 r0 c1 s2");

	VECTOR(script, { 0, 0, 11.0, 11.0 }, { 0, 2, 16.0, 16.0 }, { 2, 0, 14.0, 0 },
	       { 3, 0, 12.0, 0 });
	check_order(script, 0, "12", "12");
}

TEST(v4_a_ring_of_receives_from_any)
{
	const char *const *script =
		SCRIPT("c1 a s1", "c1 a s2", "c1 a s3", "c1 a s0", "c7 p18 s2 c2 p6 s0");

	VECTOR(script, { 0, 0, 10.0, 0 }, { 1, 0, 11.0, 0 }, { 2, 0, 8.0, 26.0 }, { 3, 0, 9.0, 0 });
	check_order(script, 0, "3", "3");
	check_order(script, 1, "0", "0");
	check_order(script, 2, "4", "4");
	check_order(script, 3, "2", "2");
}

TEST(v5_two_are_held_at_once)
{
	const char *const *script =
		SCRIPT("c1 a a s1", "c1 a a", "c4 p12 s0 c5 p2 s1", "c6 s1 c1 s0");

	VECTOR(script, { 0, 0, 5.0, 17.0 }, { 0, 1, 8.2, 0 }, { 1, 0, 7.0, 0 }, { 1, 1, 9.2, 0 });
	check_order(script, 0, "23", "32");
	check_order(script, 1, "30", "30");
}

/* A rank that computes for long does not hold up those that are earlier. */
TEST(v6_a_rank_computes)
{
	const char *const *script = SCRIPT("c1 a a", "c5 p10 s0", "c9 s0", "c1000");

	VECTOR(script, { 0, 0, 6.0, 16.0 }, { 0, 1, 10.0, 16.3 });
}

TEST(v7_the_others_wait_in_a_barrier)
{
	const char *const *script = SCRIPT("c1 a a b", "c5 p10 s0 b", "c9 s0 b");

	VECTOR(script, { 0, 2, 12.0, 18.3 });
	check_order(script, 0, "12", "21");
}

TEST(v8_a_wait_swallows_intrusion)
{
	VECTOR(SCRIPT("c10 s1", "c4 p8 r0"), { 1, 0, 11.0, 12.3 });
}

TEST(v9_a_synchronous_send)
{
	VECTOR(SCRIPT("c10 p6 S1", "c14 r0"), { 0, 0, 14.3, 17.0 }, { 1, 0, 14.3, 17.0 });
}

TEST(v10_a_barrier)
{
	VECTOR(SCRIPT("c10 p6 b", "c14 b", "c3 p3 b"), { 0, 0, 16.0, 18.0 }, { 1, 0, 16.0, 18.0 });
}

/* The ring of receives from any source, of sub-groups by tag; who is held waits for a rank that is
 * held for another one. */
TEST(rings_of_receives_from_any_end)
{
	const char *const *script =
		SCRIPT("c2 p9 s1 a", "c1 a s2", "c1 p5 a s3", "p2 c3 a s0", "c30 s1.2", "c50 s1.2");
	const char *const *two = SCRIPT("p3 a.1 s1.1 a.2 s1.2", "c4 s0.1 a.1 c1 p7 s0.2 a.2",
					"c9 p1 a.3 s3.4 a.5", "c1 s2.3 a.4 p20 c2 s2.5");

	{
		ENDED_BY(runs_fini) struct runs runs = run_all(machine(script));
		assert_int_equal(differs(&runs.plain, &runs.controlled), 0);
		assert_int_equal(error_of(&runs.plain, &runs.controlled), 0);
	}
	ENDED_BY(runs_fini) struct runs runs = run_all(machine(two));
	assert_int_equal(error_of(&runs.plain, &runs.controlled), 0);
}

/* ---- random programs ---- */

static struct runs run_drawn(uint64_t seed, uint64_t cost_seed)
{
	ENDED_BY(random_script_fini) struct random_script d;
	struct settings settings;

	random_script_init(&d, seed, cost_seed ? SCRIPT_COSTS : SCRIPT_NONE, cost_seed);
	settings = machine(d.script);
	settings.call = 0.01e-6;
	return run_all(settings);
}

static void check_monotone(const struct run *run)
{
	for (uint32_t r = 0; r < run->ranks; r++)
		for (size_t i = 0; i < run->of[r].ends.n; i++) {
			const struct call_end *end = &run->of[r].ends.data[i];
			assert_true(end->moved <= end->real);
			assert_true(!i || end[-1].moved <= end->moved);
		}
}

/* Li and Zhang's claim, on 1,000 programs with probes of random costs, in 0.3 s: all end, each
 * receive from any source takes the sender that it takes without probes, and each call ends at
 * the plain time. */
TEST(random_programs_end_in_the_plain_order_at_the_plain_times)
{
	unsigned receives = 0, swapped = 0, programs = 0;
	uint64_t held = 0;

	for (uint64_t seed = 1; seed <= 1000; seed++) {
		ENDED_BY(runs_fini) struct runs runs = run_drawn(seed * 7919, seed);
		const unsigned n = differs(&runs.plain, &runs.free);
		assert_int_equal(differs(&runs.plain, &runs.controlled), 0);
		assert_int_equal(error_of(&runs.plain, &runs.controlled), 0);
		/* Without control the times are right where the order is. */
		if (!n)
			assert_int_equal(error_of(&runs.plain, &runs.free), 0);
		check_monotone(&runs.controlled);
		check_monotone(&runs.free);
		receives += (unsigned)runs.controlled.from_any;
		swapped += n;
		programs += n > 0;
		held += runs.controlled.held;
	}
	print_message("%u receives from any source, %" PRIu64 " held; without control %u differ in "
		      "%u programs\n",
		      receives, held, swapped, programs);
	/* The programs are such that control matters. */
	assert_true(receives > 10000 && swapped > 500);
}

/* Probes of other costs: the same virtual times. None: no intrusion. */
TEST(virtual_times_do_not_depend_on_what_probes_cost)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		ENDED_BY(runs_fini) struct runs one = run_drawn(seed * 104729, seed);
		ENDED_BY(runs_fini) struct runs other = run_drawn(seed * 104729, seed + 1000);
		ENDED_BY(runs_fini) struct runs none = run_drawn(seed * 104729, 0);
		for (uint32_t r = 0; r < one.plain.ranks; r++)
			for (size_t i = 0; i < one.plain.of[r].ends.n; i++) {
				const struct call_end *end = &none.free.of[r].ends.data[i];
				assert_int_equal(one.controlled.of[r].ends.data[i].moved,
						 other.controlled.of[r].ends.data[i].moved);
				assert_int_equal(end->moved, end->real);
			}
	}
}
