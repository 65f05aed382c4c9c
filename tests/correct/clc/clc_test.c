/* The controlled logical clock on traces whose corrected times were worked out by hand, and on vectors
 * of an independent implementation: V1 to V5 (specs: correction and patterns, section 7). Ticks are
 * picoseconds, so that whole numbers show twelve digits. */
#include <math.h>
#include <stdlib.h>

#include "correct/clc/clc_impl.h"
#include "correct/clocks/clock_check.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/base_write.h"

static const struct timescale picoseconds = { 1000000000000, 12 };

enum what { END_OF_LIST, MARK, SEND, RECV, BEGIN, END, ENTER, LEAVE };

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

/* An event of a made-up location. */
struct point {
	enum what what;
	int64_t time;
	int peer; /* rank */
};

struct made {
	const char *operation; /* of BEGIN and END; of ENTER and LEAVE */
	int root;              /* -1: none */
	const struct point *locations[4];
	int64_t per_second; /* 0: 10^12 */
	const char *nodes;  /* a letter for each location; NULL: unknown */
};

static void add_point(struct builder *b, const struct made *made, uint32_t l, const struct point *p)
{
	const struct message_end end = { .rank = p->peer, .process = -1, .tag = 7, .bytes = 8 };
	const uint32_t region =
		builder_region(b, made->operation ? made->operation : "work", CLASS_COLLECTIVE, 40);

	switch (p->what) {
	case MARK:
		builder_mark(b, l, p->time,
			     builder_site(b, builder_region(b, "work", CLASS_USER, 1), 0, 0, 1));
		break;
	case SEND: builder_send(b, l, p->time, &end); break;
	case RECV: builder_recv(b, l, p->time, &end); break;
	case BEGIN: builder_collective_begin(b, l, p->time, 0, region, made->root, 8, 8); break;
	case END: builder_collective_end(b, l, p->time, 8, 8); break;
	case ENTER: builder_enter(b, l, p->time, builder_site(b, region, 0, 0, 40)); break;
	case LEAVE: builder_leave(b, l, p->time, builder_site(b, region, 0, 0, 40)); break;
	default: break;
	}
}

static struct trace *make(const struct made *made)
{
	const struct timescale scale = { made->per_second ? made->per_second
							  : picoseconds.per_second,
					 12 };
	struct err err = ERR_INIT;
	struct builder *b = builder_new("made", &scale, &err);
	struct trace *trace;

	for (int l = 0; l < 4 && made->locations[l]; l++) {
		struct location location = { .rank = l, .process = -1 };
		if (made->nodes)
			location.node = builder_string(b, made->nodes + l, 1);
		builder_location(b, &location);
	}
	for (uint32_t l = 0; l < 4 && made->locations[l]; l++)
		for (const struct point *p = made->locations[l]; p->what; p++)
			add_point(b, made, l, p);
	trace = builder_finish(b, NULL, NULL, &err);
	assert_non_null(trace);
	return trace;
}

static void times_are(const struct trace *trace, enum time_base base, uint32_t location,
		      const int64_t *expected, size_t n)
{
	struct cursor c;
	size_t i = 0;

	for (bool ok = cursor_first(&c, trace, base, location); ok; ok = cursor_next(&c)) {
		assert_true(i < n);
		assert_int_equal(cursor_time(&c), expected[i]);
		i++;
	}
	assert_int_equal(i, n);
}
#define TIMES(trace, base, location, ...)                                  \
	times_are(trace, base, location, (const int64_t[]){ __VA_ARGS__ }, \
		  sizeof(const int64_t[]){ __VA_ARGS__ } / sizeof(int64_t))

/* One microsecond everywhere. */
static struct lmin microsecond(const struct trace *trace)
{
	const int64_t us = trace_scale(trace)->per_second / 1000000;

	return (struct lmin){ .inter = us, .intra = us, .omp = us, .trace = trace };
}

struct corrected {
	struct trace *trace;
	struct logical *logical;
	struct lmin lmin;
	struct clc_report report;
};

static struct corrected correct_with(const struct made *made, struct clc_options options)
{
	struct err err = ERR_INIT;
	struct corrected c = { .trace = make(made) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	assert_true(clc_run(&c.report, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options, NULL,
			    &err));
	assert_int_equal(c.report.done, trace_has_base(c.trace, BASE_CLC));
	return c;
}

static struct corrected correct(const struct made *made)
{
	return correct_with(made, (struct clc_options){ 0 });
}

/* What the forward pass alone makes of it, in the column. */
static struct corrected forward(const struct made *made, struct clc *clc)
{
	static const struct clc_options options;
	struct err err = ERR_INIT;
	struct corrected c = { .trace = make(made) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	clc_init(clc, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options);
	assert_true(base_begin(c.trace, BASE_CLC, &err));
	assert_true(clc_forward(clc, 0.99999));
	base_commit(c.trace, BASE_CLC);
	return c;
}

static void fini(struct corrected *c)
{
	logical_free(c->logical);
	clc_report_fini(&c->report);
	trace_free(c->trace);
}

#define POINTS(...)                       \
	(const struct point[])            \
	{                                 \
		__VA_ARGS__,              \
		{                         \
			END_OF_LIST, 0, 0 \
		}                         \
	}

/* ---- V1: a message that arrives before it was sent ---- */

static const struct point v1_sender[] = {
	{ MARK, 0, 0 }, { SEND, 10000000000, 1 }, { MARK, 20000000000, 0 }, { END_OF_LIST, 0, 0 }
};
static const struct point v1_receiver[] = { { MARK, 0, 0 },           { MARK, 4000000000, 0 },
					    { MARK, 9900000000, 0 },  { RECV, 9950000000, 0 },
					    { MARK, 12000000000, 0 }, { MARK, 30000000000, 0 },
					    { END_OF_LIST, 0, 0 } };
static const struct made v1 = { .locations = { v1_sender, v1_receiver } };

TEST(v1_forward)
{
	struct clc clc;
	struct corrected c = forward(&v1, &clc);

	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 20000000000);
	/* .010001 + .99999 * .00205, then + .99999 * .018; the specification prints both with eleven
	 * digits, cut off. */
	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9900000000, 10001000000, 12050979500,
	      30050799500);
	assert_int_equal(clc.jumps.n, 1);
	assert_near(clc.jumps.data[0].jump, 51000000, 1e-6);
	clc_fini(&clc);
	fini(&c);
}

TEST(v1_backward)
{
	struct corrected c = correct(&v1);

	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 20000000000);
	/* The ramp begins at .00485: .0099 + .01 * .00505. */
	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9950500000, 10001000000, 12050979500,
	      30050799500);
	assert_int_equal(c.report.violated_all, 1);
	assert_int_equal(c.report.violated[LOGICAL_P2P], 1);
	assert_int_equal(c.report.corrected, 3);
	assert_int_equal(c.report.corrected_final, 4);
	assert_int_equal(c.report.messages_moved, 1);
	assert_int_equal(c.report.events, 9);
	assert_near(c.report.max_error, 51000000, 1e-6);
	assert_near(c.report.max_slope, 0.01, 1e-15);
	assert_int_equal(c.report.passes, 1);
	assert_near(c.report.gamma, 0.99999, 0);
	assert_int_equal(c.report.locations[1].violated, 1);
	assert_int_equal(c.report.locations[1].corrected, 3);
	assert_int_equal(c.report.locations[1].max_move, 51000000);
	assert_int_equal(trace_event_time(c.trace, BASE_MEASURED, c.report.locations[1].max_event),
			 9950000000);
	assert_int_equal(c.report.locations[1].lead, 50799500); /* A20 */
	assert_int_equal(c.report.locations[0].lead, 0);
	/* .0000507995 of .0300507995 */
	assert_near(c.report.error_at_final, 0.0000507995 / 0.0300507995, 1e-12);
	fini(&c);
}

/* ---- V2: a send before the jump has little room ---- */

TEST(v2)
{
	static const struct point middle[] = { { MARK, 0, 0 },           { MARK, 4000000000, 0 },
					       { SEND, 9800000000, 2 },  { RECV, 9950000000, 0 },
					       { MARK, 12000000000, 0 }, { MARK, 30000000000, 0 },
					       { END_OF_LIST, 0, 0 } };
	static const struct point last[] = { { MARK, 0, 0 },
					     { RECV, 9811000000, 1 },
					     { MARK, 40000000000, 0 },
					     { END_OF_LIST, 0, 0 } };
	static const struct made made = { .locations = { v1_sender, middle, last } };
	struct corrected c = correct(&made);

	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9810000000, 10001000000, 12050979500,
	      30050799500);
	TIMES(c.trace, BASE_CLC, 2, 0, 9811000000, 40000000000);
	assert_int_equal(c.report.violated_all, 1);
	assert_near(c.report.max_slope, 4.1e-5 / 1.5e-4, 1e-12);
	fini(&c);
}

/* The same with an event on the left piece: from (.00485, 0) to (.0098, 1e-5). */
TEST(v2_left_of_the_send)
{
	static const struct point middle[] = { { MARK, 0, 0 },          { MARK, 7325000000, 0 },
					       { SEND, 9800000000, 2 }, { MARK, 9875000000, 0 },
					       { RECV, 9950000000, 0 }, { MARK, 12000000000, 0 },
					       { END_OF_LIST, 0, 0 } };
	static const struct point last[] = { { MARK, 0, 0 },
					     { RECV, 9811000000, 1 },
					     { END_OF_LIST, 0, 0 } };
	static const struct made made = { .locations = { v1_sender, middle, last } };
	struct corrected c = correct(&made);

	/* Half way to the send: 5e-6; half way from there to the jump: (1e-5 + 5.1e-5) / 2. */
	TIMES(c.trace, BASE_CLC, 1, 0, 7330000000, 9810000000, 9905500000, 10001000000,
	      12050979500);
	fini(&c);
}

/* ---- V3: MPI_Allreduce on three ranks ---- */

#define COLLECTIVE(b, e) \
	POINTS({ MARK, 0, 0 }, { BEGIN, b, 0 }, { END, e, 0 }, { MARK, 20000000000, 0 })

TEST(v3)
{
	const struct made made = { .operation = "MPI_Allreduce",
				   .root = -1,
				   .locations = { COLLECTIVE(10000000000, 10100000000),
						  COLLECTIVE(9800000000, 9900000000),
						  COLLECTIVE(9950000000, 10050000000) } };
	struct corrected c = correct(&made);

	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 10100000000, 20000000000);
	/* The ramp begins with the location: .0098 * (1 + 1.01e-4 / .0099). */
	TIMES(c.trace, BASE_CLC, 1, 0, 9899979798, 10001000000, 20100899000);
	TIMES(c.trace, BASE_CLC, 2, 0, 9950000000, 10050000000, 20000000000);
	assert_int_equal(c.report.violated[LOGICAL_N_TO_N], 1);
	assert_int_equal(c.report.violated_all, 1);
	assert_near(c.report.max_error, 101000000, 1e-6);
	fini(&c);
}

/* ---- V4 and V5: MPI_Bcast from rank 2, MPI_Reduce to rank 0 ---- */

static struct made rooted(const char *operation, int root)
{
	static const struct point p[3][5] = { { { MARK, 0, 0 },
						{ BEGIN, 10000000000, 0 },
						{ END, 10100000000, 0 },
						{ MARK, 20000000000, 0 },
						{ END_OF_LIST, 0, 0 } },
					      { { MARK, 0, 0 },
						{ BEGIN, 9800000000, 0 },
						{ END, 9900000000, 0 },
						{ MARK, 20000000000, 0 },
						{ END_OF_LIST, 0, 0 } },
					      { { MARK, 0, 0 },
						{ BEGIN, 10200000000, 0 },
						{ END, 10300000000, 0 },
						{ MARK, 20000000000, 0 },
						{ END_OF_LIST, 0, 0 } } };

	return (struct made){ .operation = operation,
			      .root = root,
			      .locations = { p[0], p[1], p[2] } };
}

TEST(v4)
{
	const struct made made = rooted("MPI_Bcast", 2);
	struct corrected c = correct(&made);

	/* .010201 + .99999 * .0099 and + .99999 * .0101 */
	TIMES(c.trace, BASE_CLC, 0, 0, 10100000000, 10201000000, 20100901000);
	/* The ramp begins with the location: .0098 * (1 + 3.01e-4 / .0099). */
	TIMES(c.trace, BASE_CLC, 1, 0, 10097959596, 10201000000, 20300899000);
	TIMES(c.trace, BASE_CLC, 2, 0, 10200000000, 10300000000, 20000000000);
	assert_int_equal(c.report.violated[LOGICAL_ONE_TO_N], 2);
	assert_near(c.report.max_error, 301000000, 1e-6);
	assert_near(c.report.max_slope, 0.01, 1e-15);
	fini(&c);
}

TEST(v5)
{
	const struct made made = rooted("MPI_Reduce", 0);
	struct corrected c = correct(&made);
	struct bounds_nodes *nodes = bounds_nodes_new(c.trace);
	struct group group = { 0 };
	struct bounds_party parties[3];
	struct bounds bounds;

	TIMES(c.trace, BASE_CLC, 0, 0, 10100000000, 10201000000, 20100901000);
	TIMES(c.trace, BASE_CLC, 1, 0, 9800000000, 9900000000, 20000000000);
	TIMES(c.trace, BASE_CLC, 2, 0, 10200000000, 10300000000, 20000000000);
	assert_int_equal(c.report.violated[LOGICAL_N_TO_ONE], 1);
	/* U of the begins of ranks 1 and 2: .0102. */
	assert_true(logical_group(c.logical, 0, &group));
	bounds_start(&bounds, parties, &group, nodes, true);
	parties[0].value = -10201000000;
	assert_int_equal(bounds_limit(&bounds, parties, &group, &c.lmin, 1), -10200000000);
	assert_int_equal(bounds_limit(&bounds, parties, &group, &c.lmin, 2), -10200000000);
	group_fini(&group);
	bounds_nodes_free(nodes);
	fini(&c);
}

/* ---- choices (specs: correction and patterns, section 11) ---- */

/* A4: the sender that binds is not the latest one: rank 1 is earlier, but on another node. */
TEST(a4_latencies_of_each_pair)
{
	const struct made made = { .operation = "MPI_Barrier",
				   .root = -1,
				   .nodes = "aba",
				   .locations = { COLLECTIVE(10000000000, 10100000000),
						  COLLECTIVE(9999900000, 10100000000),
						  COLLECTIVE(9900000000, 9950000000) } };
	static const struct clc_options options;
	struct err err = ERR_INIT;
	struct corrected c = { .trace = make(&made) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	c.lmin.intra = 100000;
	assert_true(clc_run(&c.report, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options, NULL,
			    &err));
	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 10100000000, 20000000000);
	TIMES(c.trace, BASE_CLC, 1, 0, 9999900000, 10100000000, 20000000000);
	/* 9999.9 + 1 us, not 10000 + 0.1 us */
	assert_int_equal(trace_event_time(c.trace, BASE_CLC, c.report.locations[2].max_event),
			 10000900000);
	assert_int_equal(c.report.violated[LOGICAL_BARRIER], 1);
	fini(&c);
}

/* A5, A9: a receive that had to go on without its sender leaves that no room: it stays, and the ramp
 * ends there. */
TEST(a5_no_room_is_no_move)
{
	const struct made made = {
		.per_second = 1000000,
		.locations = { POINTS({ MARK, 0, 0 }, { RECV, 500, 1 }, { MARK, 850, 0 },
				      { SEND, 900, 1 }, { MARK, 950, 0 }, { RECV, 1000, 2 }),
			       POINTS({ MARK, 0, 0 }, { RECV, 100, 0 }, { SEND, 200, 0 }),
			       POINTS({ SEND, 1099, 0 }) }
	};
	struct corrected c = correct(&made);

	assert_int_equal(c.report.forced, 1);
	/* From 0 at the send to 100 at the receive. */
	TIMES(c.trace, BASE_CLC, 0, 0, 500, 850, 900, 1000, 1100);
	TIMES(c.trace, BASE_CLC, 1, 0, 100, 200);
	fini(&c);
}

/* A third of the run is lead. */
static const struct point a6_sender[] = { { SEND, 2000000, 1 }, { END_OF_LIST, 0, 0 } };
static const struct point a6_receiver[] = { { MARK, 0, 0 },
					    { RECV, 1000000, 0 },
					    { MARK, 1500000, 0 },
					    { MARK, 2000000, 0 },
					    { END_OF_LIST, 0, 0 } };
static const struct made a6 = { .per_second = 1000000, .locations = { a6_sender, a6_receiver } };

/* A6, A27: every pass begins at the input: three passes end as the third alone. */
TEST(a6_passes_start_anew)
{
	struct corrected three = correct_with(&a6, (struct clc_options){ .passes = 3 });
	struct corrected last = correct_with(&a6, (struct clc_options){ .gamma = 0.999 });
	struct corrected more = correct_with(&a6, (struct clc_options){ .passes = 5 });

	assert_int_equal(three.report.passes, 3);
	assert_near(three.report.gamma, 0.999, 1e-15);
	assert_int_equal(last.report.passes, 1);
	/* 2000001 at the receive; from there .999 of the time. */
	TIMES(three.trace, BASE_CLC, 1, 0, 2000001, 2499501, 2999001);
	TIMES(last.trace, BASE_CLC, 1, 0, 2000001, 2499501, 2999001);
	assert_int_equal(three.report.violated_all, 1);
	assert_int_equal(three.report.corrected, 3);
	assert_near(three.report.error_at_final, 999001.0 / 2999001, 1e-6);
	assert_int_equal(more.report.passes, 5);
	assert_near(more.report.gamma, 0.999 * 0.9 * 0.9, 1e-12);
	fini(&three);
	fini(&last);
	fini(&more);
}

/* The lead at the end of V1 is a five-hundredth: no more passes, however many are allowed. */
TEST(enough_is_enough)
{
	struct corrected c = correct_with(&v1, (struct clc_options){ .passes = 4 });

	assert_int_equal(c.report.passes, 1);
	fini(&c);
}

TEST(gamma_lets_the_clock_catch_up)
{
	struct corrected c = correct_with(&v1, (struct clc_options){ .gamma = 0.9 });

	/* .010001 + .9 * .00205 is before .012. */
	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9950500000, 10001000000, 12000000000,
	      30000000000);
	assert_int_equal(c.report.corrected, 1);
	assert_int_equal(c.report.locations[1].lead, 0);
	fini(&c);
}

/* A11: what is counted includes what the correction itself turns round: the second message was right. */
TEST(a11_follow_ups_count)
{
	const struct made made = { .locations = {
					   v1_sender,
					   POINTS({ MARK, 0, 0 }, { RECV, 9950000000, 0 },
						  { SEND, 9960000000, 2 }),
					   POINTS({ MARK, 0, 0 }, { RECV, 9970000000, 1 }) } };
	struct corrected c = correct(&made);
	struct check check;

	assert_true(check_make(&check, c.logical, BASE_MEASURED, &c.lmin, NULL));
	assert_int_equal(check.all.violating, 1);
	check_fini(&check);
	assert_int_equal(c.report.violated_all, 2);
	/* .010001 + .99999 * .00001 and a microsecond later */
	TIMES(c.trace, BASE_CLC, 1, 0, 10001000000, 10010999900);
	TIMES(c.trace, BASE_CLC, 2, 0, 10011999900);
	fini(&c);
}

/* A8: a run of one event has no length. */
TEST(a8_no_run_is_no_error)
{
	const struct made made = { .locations = { v1_sender, POINTS({ RECV, 5, 0 }) } };
	struct corrected c = correct(&made);

	assert_true(c.report.done);
	TIMES(c.trace, BASE_CLC, 1, 10001000000); /* the first event, too, if it is a receive */
	assert_near(c.report.error_at_final, 0, 0);
	fini(&c);
}

/* A10: ties stay ties before the jump; behind it they are a tick apart where a tick is more than a
 * nanosecond, else a nanosecond. Where the clock has caught up they are ties again. */
TEST(a10_spacing)
{
	struct made made = { .per_second = 1000000,
			     .locations = { POINTS({ SEND, 1000, 1 }),
					    POINTS({ MARK, 100, 0 }, { MARK, 100, 0 },
						   { RECV, 900, 0 }, { MARK, 900, 0 },
						   { MARK, 900, 0 }, { MARK, 5000, 0 },
						   { MARK, 5000, 0 }) } };
	struct corrected c = correct_with(&made, (struct clc_options){ .gamma = 0.5 });

	TIMES(c.trace, BASE_CLC, 1, 100, 100, 1001, 1002, 1003, 5000, 5000);
	fini(&c);
	made.per_second = 4000000000; /* a nanosecond is four ticks, a microsecond 4000 */
	c = correct_with(&made, (struct clc_options){ .gamma = 0.5 });
	TIMES(c.trace, BASE_CLC, 1, 100, 100, 5000, 5004, 5008, 7058, 7062);
	fini(&c);
}

/* What nobody violates makes no base. */
TEST(consistent_is_left_alone)
{
	const struct made made = { .locations = { v1_sender, POINTS({ MARK, 0, 0 },
								    { RECV, 10001000000, 0 }) } };
	struct corrected c = correct(&made);

	assert_false(c.report.done);
	assert_int_equal(c.report.violated_all, 0);
	assert_false(trace_has_base(c.trace, BASE_CLC));
	fini(&c);
}

static bool never(void *context, const char *what, uint64_t done, uint64_t all)
{
	(void)context, (void)what, (void)done, (void)all;
	return false;
}

/* Work that nobody wants any more leaves nothing behind, and that is no error. */
TEST(dropped_is_gone)
{
	static const struct clc_options options;
	const struct progress progress = { .step = never };
	struct err err = ERR_INIT;
	struct corrected c = { .trace = make(&v1) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	assert_false(clc_run(&c.report, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options,
			     &progress, &err));
	assert_int_equal(err.status, 0);
	assert_false(c.report.done);
	assert_false(trace_has_base(c.trace, BASE_CLC));
	fini(&c);
}
