/* Bounds of clocks: the vectors of the method's description, by hand, and what holds of any run. */
#include <math.h>

#include "correct/room/room_state.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/test.h"

/* A run so short that drift makes no more than NEARLY. */
#define SHORT  ROOM_WINDOWS
#define NEARLY 0.05

static struct room *short_room(uint32_t clocks)
{
	return room_new(clocks, 0, SHORT, 0);
}

/* A message with this slack at a time. */
static void slack_at(struct room *room, uint32_t from, uint32_t to, double slack, double time)
{
	room_message(room, from, time, to, time + slack);
}

static void assert_span(const struct room_span *spans, uint32_t clock, uint32_t window, double low,
			double high)
{
	assert_float_equal(spans[clock * ROOM_WINDOWS + window].low, low, NEARLY);
	assert_float_equal(spans[clock * ROOM_WINDOWS + window].high, high, NEARLY);
}

/* ---- by hand ---- */

TEST(two_clocks)
{
	struct room *room = short_room(2);
	struct room_bounds bounds;

	slack_at(room, 0, 1, 30, 0);
	slack_at(room, 1, 0, 10, 0);
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, -30, 10);
	assert_span(bounds.all, 0, 0, 0, 0);
	assert_float_equal(bounds.reversed, 0, 0);
	room_bounds_fini(&bounds);
	room_free(room);
}

TEST(a_third_clock_bounds)
{
	struct room *room = short_room(3);
	struct room_bounds bounds;

	slack_at(room, 0, 1, 30, 0);
	slack_at(room, 1, 0, 10, 0);
	slack_at(room, 1, 2, 5, 0);
	slack_at(room, 2, 1, 25, 0);
	slack_at(room, 0, 2, 12, 0);
	room_solve(room, NULL, &bounds);
	/* x_2 >= -12 from clock 0 alone; by clock 1 it would be -35. */
	assert_span(bounds.all, 1, 0, -30, 10);
	assert_span(bounds.all, 2, 0, -12, 35);
	room_bounds_fini(&bounds);
	room_free(room);
}

/* The wait of 2 for 1: 0 bounds each of them to within 40 and 200, the two messages between them to
 * within 10. By the sum of both it would be 240. Along 1 -> 3 -> 2 no message is needed. */
TEST(two_clocks_among_others)
{
	struct room *room = short_room(4);
	struct room_bounds bounds;
	struct room_span span;

	slack_at(room, 0, 1, 30, 0);
	slack_at(room, 1, 0, 10, 0);
	slack_at(room, 0, 2, 100, 0);
	slack_at(room, 2, 0, 100, 0);
	slack_at(room, 1, 3, 2, 0);
	slack_at(room, 3, 2, 4, 0);
	slack_at(room, 2, 1, 7, 0);
	room_solve(room, NULL, &bounds);
	/* x_1 - x_2 <= 6 by 3, x_2 - x_1 <= 7. */
	span = room_between(&bounds, 1, 0, 2, 0);
	assert_float_equal(span.low, -6, NEARLY);
	assert_float_equal(span.high, 7, NEARLY);
	span = room_between(&bounds, 2, 0, 1, 0);
	assert_float_equal(span.low, -7, NEARLY);
	assert_float_equal(span.high, 6, NEARLY);
	/* Against the reference it is what all are bounded by. */
	span = room_between(&bounds, 0, 0, 2, 0);
	assert_span(bounds.all, 2, 0, span.low, span.high);
	assert_float_equal(span.low, -36, NEARLY);
	assert_float_equal(span.high, 17, NEARLY);
	room_bounds_fini(&bounds);
	room_free(room);
}

/* Windows of 10,000: 200 ppm are 2 from one to the next, and 1 beside a message. */
TEST(bounds_are_carried_to_other_windows)
{
	struct room *room = room_new(2, 0, ROOM_WINDOWS * 1e4, 0);
	struct room_bounds bounds;

	slack_at(room, 0, 1, 29, 100);
	slack_at(room, 1, 0, 9, 100);
	slack_at(room, 0, 1, 99, 20100);
	slack_at(room, 1, 0, 3, 20100);
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, -30, 8);
	assert_span(bounds.all, 1, 1, -32, 6);
	assert_span(bounds.all, 1, 2, -34, 4);
	assert_span(bounds.all, 1, 3, -36, 6);
	room_bounds_fini(&bounds);
	room_free(room);
}

static void barrier(struct room_party parties[3])
{
	static const double begins[] = { 10, 20, 30 }, ends[] = { 33, 34, 36 };

	for (uint32_t i = 0; i < 3; i++)
		parties[i] = (struct room_party){ i, begins[i], ends[i] };
}

TEST(a_barrier_by_pairs_and_by_a_hub)
{
	struct room_party parties[3];

	for (int hub = 0; hub < 2; hub++) {
		struct room *room = short_room(3);
		struct room_bounds bounds;
		barrier(parties);
		if (hub)
			room_keep_group(room, parties, 3, ROOM_ALL);
		else
			room_group(room, parties, 3, ROOM_ALL);
		room_solve(room, NULL, &bounds);
		assert_span(bounds.all, 1, 63, -24, 13);
		assert_span(bounds.all, 2, 63, -26, 3);
		room_bounds_fini(&bounds);
		room_free(room);
	}
}

TEST(a_record_narrows)
{
	struct room *room = short_room(2);
	struct room_bounds bounds;

	slack_at(room, 0, 1, 30, 0);
	slack_at(room, 1, 0, 10, 0);
	room_record(room, 1, 0, 3, 10);
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, -7, 10);
	assert_int_equal(bounds.records, 1);
	assert_int_equal(bounds.dropped, 0);
	room_bounds_fini(&bounds);
	room_free(room);
}

TEST(a_record_that_messages_exclude_is_dropped)
{
	struct room *room = short_room(2);
	struct room_bounds bounds;

	slack_at(room, 0, 1, 30, 0);
	slack_at(room, 1, 0, 10, 0);
	room_record(room, 1, 0, 30, 10); /* 20 to 40 */
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, -30, 10);
	assert_int_equal(bounds.dropped, 1);
	room_bounds_fini(&bounds);
	room_free(room);
}

/* Clocks 2 and 3 exchange nothing with the others: a part of its own, of which a record of one
 * clock says where it is. */
TEST(an_island)
{
	for (int record = 0; record < 2; record++) {
		struct room *room = short_room(4);
		struct room_bounds bounds;
		for (int i = 0; i < 3; i++) {
			slack_at(room, 0, 1, 30, 0);
			slack_at(room, 1, 0, 10, 0);
			slack_at(room, 2, 3, 4, 0);
			slack_at(room, 3, 2, 6, 0);
		}
		if (record)
			room_record(room, 2, 0, 1, 20);
		room_solve(room, NULL, &bounds);
		assert_int_equal(bounds.of[1].part, 0);
		assert_int_equal(bounds.of[2].part, 2);
		assert_int_equal(bounds.of[3].part, 2);
		assert_span(bounds.inside, 2, 0, 0, 0);
		assert_span(bounds.inside, 3, 0, -4, 6);
		assert_span(bounds.all, 2, 0, record ? -19 : -INFINITY, record ? 21 : INFINITY);
		assert_span(bounds.all, 3, 0, record ? -23 : -INFINITY, record ? 27 : INFINITY);
		assert_float_equal(room_half(&bounds, 1), 20, NEARLY);
		assert_float_equal(room_half(&bounds, 3), 5, NEARLY);
		room_bounds_fini(&bounds);
		room_free(room);
	}
}

/* What is sent one way bounds one side. */
TEST(one_way)
{
	struct room *room = short_room(2);
	struct room_bounds bounds;

	for (int i = 0; i < 5; i++)
		slack_at(room, 0, 1, 30, 0);
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, -30, INFINITY);
	assert_int_equal(bounds.of[1].part, 1);
	room_bounds_fini(&bounds);
	room_free(room);
}

/* A clock is set at the middle of window 1: what is known before it is carried across with the
 * width of what the step may be, and no window has both sides. */
TEST(a_step_is_a_border)
{
	const struct room_set set = { .clock = 1, .at = 1.5, .spread = 7 };
	struct room *room = room_new(2, 0, SHORT, 0);
	const struct room_windows *windows = room_windows(room);
	struct room_bounds bounds;

	room_steps(room, &set, 1);
	assert_int_equal(room_window(windows, 1, 1.4), 0);
	assert_int_equal(room_window(windows, 1, 1.6), 1);
	assert_int_equal(room_window(windows, 0, 1.4), 1);
	slack_at(room, 0, 1, 30, -28.6); /* received in window 0 */
	slack_at(room, 1, 0, 10, 1.4);
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, -30, 10);
	assert_span(bounds.all, 1, 1, -37, 17);
	assert_span(bounds.all, 1, 63, -37, 17);
	room_bounds_fini(&bounds);
	room_free(room);
}

/* Shown times that messages contradict: clock 1 is behind by 5 to 30. */
TEST(a_clock_that_is_wrong)
{
	struct room *room = short_room(2);
	struct room_bounds bounds;

	slack_at(room, 0, 1, -5, 0);
	slack_at(room, 1, 0, 30, 0);
	room_solve(room, NULL, &bounds);
	assert_span(bounds.all, 1, 0, 5, 30);
	assert_float_equal(bounds.reversed, 5, 0);
	assert_false(bounds.of[1].is_loose);
	room_bounds_fini(&bounds);
	room_free(room);
}

/* Clock 1 is set by 1000 between windows 31 and 32, and nobody said so: what messages say before
 * and after cannot both be true if clocks drift, and holds each where it is. */
TEST(a_step_that_is_not_known)
{
	struct room *room = room_new(2, 0, ROOM_WINDOWS * 1e4, 0);
	struct room_bounds bounds;

	for (int w = 0; w < ROOM_WINDOWS; w++) {
		const double error = w < 32 ? 0 : 1000;
		slack_at(room, 0, 1, 10 - error, (w + 0.5) * 1e4);
		slack_at(room, 1, 0, 10 + error, (w + 0.5) * 1e4);
	}
	room_solve(room, NULL, &bounds);
	assert_int_equal(bounds.of[1].is_loose, 1);
	for (size_t w = 0; w < ROOM_WINDOWS; w++) {
		const struct room_span *span = &bounds.all[ROOM_WINDOWS + w];
		const double error = w < 32 ? 0 : 1000;
		assert_true(span->low <= error && span->high >= error);
		if (w < 20 || w > 44)
			assert_true(span->high - span->low < 25);
	}
	room_bounds_fini(&bounds);
	room_free(room);
}

/* ---- random runs, whose truth is known ---- */

enum { CLOCKS = 24, MESSAGES = 600, LENGTH = 1000000 };

struct made {
	double offset[CLOCKS], drift[CLOCKS]; /* error at 0, and a unit of time */
	double least[2];                      /* latency towards larger and smaller clocks */
	uint64_t seed;
	double shift; /* of all times */
};

static double uniform(uint64_t *seed)
{
	return (double)xorshift_below(seed, 1u << 30) / (1u << 30);
}

static struct made make(uint64_t seed)
{
	struct made m = { .seed = seed, .least = { 2, 40 } };

	for (int c = 1; c < CLOCKS; c++) {
		m.offset[c] = (uniform(&seed) - 0.5) * 2;
		m.drift[c] = (uniform(&seed) - 0.5) * 4e-6;
	}
	return m;
}

/* What a clock shows at a true time: its error is what has to be added. */
static double shown(const struct made *m, uint32_t clock, double time)
{
	return time - (clock ? m->offset[clock] + m->drift[clock] * time : 0) + m->shift;
}

static void add_messages(struct room *room, const struct made *m, uint64_t seed, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t from = (uint32_t)xorshift_below(&seed, CLOCKS);
		const uint32_t to = (uint32_t)xorshift_below(&seed, CLOCKS);
		const double time = uniform(&seed) * LENGTH;
		const double latency = m->least[from < to] - 10 * log(1 - uniform(&seed));
		room_message(room, from, shown(m, from, time), to, shown(m, to, time + latency));
	}
}

static void add_group(struct room *room, const struct made *m, uint64_t *seed, bool whole,
		      enum room_group kind)
{
	const double time = uniform(seed) * (LENGTH - 2000);
	struct room_party parties[CLOCKS];
	double begin[CLOCKS], last = 0;

	for (uint32_t c = 0; c < CLOCKS; c++) {
		begin[c] = time + uniform(seed) * 300;
		last = fmax(last, begin[c]);
	}
	for (uint32_t c = 0; c < CLOCKS; c++) {
		double ready = begin[c];
		for (uint32_t p = 0; kind == ROOM_PREFIX && p < c; p++)
			ready = fmax(ready, begin[p]);
		ready = kind == ROOM_PREFIX ? ready : last;
		parties[c] = (struct room_party){ c, shown(m, c, begin[c]),
						  shown(m, c, ready + 3 + uniform(seed) * 20) };
	}
	if (whole)
		room_keep_group(room, parties, CLOCKS, kind);
	else
		for (uint32_t i = 0; i < CLOCKS; i++)
			for (uint32_t j = kind == ROOM_PREFIX ? i + 1 : 0; j < CLOCKS; j++)
				room_message(room, i, parties[i].begin, j, parties[j].end);
}

static struct room *made_room(const struct made *m)
{
	return room_new(CLOCKS, m->shift, LENGTH + m->shift, 0);
}

/* The truth in the middle of a window is in its span. */
static void assert_truth_inside(const struct made *m, const struct room_bounds *bounds)
{
	for (uint32_t c = 1; c < CLOCKS; c++)
		for (uint32_t w = 0; w < ROOM_WINDOWS; w++) {
			const struct room_span *s = &bounds->all[c * ROOM_WINDOWS + w];
			const double x =
				m->offset[c] + m->drift[c] * LENGTH * (w + 0.5) / ROOM_WINDOWS;
			assert_true(s->low <= x && x <= s->high);
			assert_true(s->low <= 0 && s->high >= 0);
		}
}

TEST(the_truth_is_inside)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		const struct made m = make(seed);
		struct room *room = made_room(&m);
		struct room_bounds bounds;
		add_messages(room, &m, seed + 100, MESSAGES * (seed % 4));
		for (uint64_t i = 0, s = seed; i < 20 * (seed % 3); i++)
			add_group(room, &m, &s, true, i % 2 ? ROOM_ALL : ROOM_PREFIX);
		room_solve(room, NULL, &bounds);
		assert_truth_inside(&m, &bounds);
		/* Not because nothing is known. */
		if (seed % 4 > 1)
			assert_true(room_half(&bounds, 1) < 100);
		room_bounds_fini(&bounds);
		room_free(room);
	}
}

/* A node for a collective says what its pairs say. */
TEST(hubs_are_exact)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		const struct made m = make(seed);
		struct room_bounds bounds[2];
		for (int whole = 0; whole < 2; whole++) {
			struct room *room = made_room(&m);
			uint64_t s = seed;
			for (int i = 0; i < 6; i++)
				add_group(room, &m, &s, whole, i % 2 ? ROOM_ALL : ROOM_PREFIX);
			room_solve(room, NULL, &bounds[whole]);
			room_free(room);
		}
		for (uint32_t i = 0; i < CLOCKS * ROOM_WINDOWS; i++) {
			assert_float_equal(bounds[0].all[i].low, bounds[1].all[i].low, 1e-6);
			assert_float_equal(bounds[0].all[i].high, bounds[1].all[i].high, 1e-6);
		}
		room_bounds_fini(&bounds[0]);
		room_bounds_fini(&bounds[1]);
	}
}

static void assert_narrower(const struct room_bounds *a, const struct room_bounds *b)
{
	for (uint32_t i = 0; i < CLOCKS * ROOM_WINDOWS; i++) {
		assert_true(b->all[i].low >= a->all[i].low - 1e-6);
		assert_true(b->all[i].high <= a->all[i].high + 1e-6);
	}
}

TEST(more_messages_never_widen)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		const struct made m = make(seed);
		struct room *room = made_room(&m);
		struct room_bounds before, after;
		add_messages(room, &m, seed, 300);
		room_solve(room, NULL, &before);
		for (uint64_t more = 1; more <= 5; more++) {
			add_messages(room, &m, seed + 1000 * more, 1 + (uint32_t)(more * 40));
			room_solve(room, NULL, &after);
			assert_narrower(&before, &after);
			room_bounds_fini(&before);
			before = after;
		}
		room_bounds_fini(&before);
		room_free(room);
	}
}

TEST(records_with_huge_round_trips_change_nothing)
{
	const struct made m = make(7);
	struct room_bounds bounds[2];

	for (int with = 0; with < 2; with++) {
		struct room *room = made_room(&m);
		add_messages(room, &m, 9, MESSAGES);
		for (uint32_t c = 1; with && c < CLOCKS; c++)
			room_record(room, c, 1000, 500, 1e9);
		room_solve(room, NULL, &bounds[with]);
		room_free(room);
	}
	assert_int_equal(bounds[1].dropped, 0);
	assert_memory_equal(bounds[0].all, bounds[1].all,
			    CLOCKS * ROOM_WINDOWS * sizeof *bounds[0].all);
	room_bounds_fini(&bounds[0]);
	room_bounds_fini(&bounds[1]);
}

TEST(a_constant_changes_nothing)
{
	struct made m = make(3);
	struct room_bounds bounds[2];

	for (int shift = 0; shift < 2; shift++) {
		struct room *room;
		m.shift = shift * 3.7e8;
		room = made_room(&m);
		add_messages(room, &m, 9, MESSAGES);
		room_solve(room, NULL, &bounds[shift]);
		room_free(room);
	}
	for (uint32_t i = 0; i < CLOCKS * ROOM_WINDOWS; i++) {
		assert_float_equal(bounds[0].all[i].low, bounds[1].all[i].low, 1e-4);
		assert_float_equal(bounds[0].all[i].high, bounds[1].all[i].high, 1e-4);
	}
	room_bounds_fini(&bounds[0]);
	room_bounds_fini(&bounds[1]);
}

/* A shown rate that is corrected is another range of the drift, not another width. */
TEST(a_rate_that_lines_took_out_narrows_nothing)
{
	const struct made m = make(5);
	struct room_bounds bounds[2];

	for (int lines = 0; lines < 2; lines++) {
		struct room *room = made_room(&m);
		add_messages(room, &m, 9, MESSAGES);
		for (uint32_t c = 0; c < CLOCKS; c++)
			room_rate(room, c, lines * 1e-5, 0);
		room_solve(room, NULL, &bounds[lines]);
		room_free(room);
	}
	for (uint32_t i = ROOM_WINDOWS; i < CLOCKS * ROOM_WINDOWS; i++) {
		const double a = bounds[0].all[i].high - bounds[0].all[i].low;
		const double b = bounds[1].all[i].high - bounds[1].all[i].low;
		assert_true(fabs(a - b) <= 0.01 * a);
	}
	room_bounds_fini(&bounds[0]);
	room_bounds_fini(&bounds[1]);
}

/* ---- several processes ---- */

struct divided {
	struct room_bounds of_one;
	struct made m;
};

static void add_part(struct room *room, const struct made *m, uint32_t process, uint32_t processes)
{
	for (uint64_t part = 0, s = 5; part < 24; part++) {
		uint64_t of_group = s + part;
		if (part % processes != process)
			continue;
		add_messages(room, m, 11 + part, 50);
		for (int i = 0; i < 10; i++)
			add_group(room, m, &of_group, true, i % 2 ? ROOM_ALL : ROOM_PREFIX);
		room_record(room, 1 + (uint32_t)part % (CLOCKS - 1), 500, 3, 70);
		room_rate(room, (uint32_t)part, 1e-6 * (double)part, 1e-7 * (double)part);
	}
}

static void solve_part(struct exchange *x, void *context)
{
	const struct divided *d = context;
	struct room *room = made_room(&d->m);
	const size_t bytes = CLOCKS * ROOM_WINDOWS * sizeof(struct room_span);
	struct room_bounds bounds;

	add_part(room, &d->m, exchange_process(x), exchange_processes(x));
	room_share(room, x);
	room_solve(room, x, &bounds);
	assert_memory_equal(bounds.all, d->of_one.all, bytes);
	assert_memory_equal(bounds.inside, d->of_one.inside, bytes);
	assert_memory_equal(bounds.of, d->of_one.of, CLOCKS * sizeof *bounds.of);
	assert_int_equal(bounds.records, d->of_one.records);
	assert_int_equal(bounds.dropped, d->of_one.dropped);
	room_bounds_fini(&bounds);
	room_free(room);
}

TEST(the_bits_are_those_of_one_process)
{
	struct divided d = { .m = make(2) };
	struct room *room = made_room(&d.m);

	add_part(room, &d.m, 0, 1);
	room_solve(room, NULL, &d.of_one);
	room_free(room);
	for (uint32_t n = 1; n <= 13; n += 3)
		processes_run(n, solve_part, &d);
	room_bounds_fini(&d.of_one);
}
