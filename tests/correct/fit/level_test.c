/* Records or messages: by hand, by vectors of the specification (V7, V8), and by properties. */
#include <math.h>
#include <string.h>

#include "correct/fit/level.h"
#include "harness/random.h"
#include "harness/test.h"

static bool near(double a, double b, double least)
{
	return fabs(a - b) <= least;
}

static struct level_question question_of(const struct level_clock *clocks, size_t n,
					 const struct level_record *records)
{
	static const bool island[] = { false };

	return (struct level_question){ .clocks = clocks,
					.n = n,
					.records = records,
					.parts = 1,
					.island = island,
					.half_length = 1e8 };
}

/* V7: A = 20 us, tau = 0.5, two records of 100 us round trip that say +6 and +10. There lines turn by
 * half of the share, here by a fifth of 50 us. */
TEST(one_clock_by_hand)
{
	const struct level_record records[] = { { 6e3, -1, 50e3, 0 }, { 10e3, 1, 50e3, 0 } };
	const struct level_clock clock = { .parent = LEVEL_ROOT,
					   .level = { 20e3, 500 },
					   .turn = { 50e3, 500 },
					   .most = 20e3,
					   .n = 2 };
	const struct level_question question = question_of(&clock, 1, records);
	struct level_line line;

	level_given(&question, 0.03, 0.3, &line);
	assert_true(near(line.level, 43.14, 0.01));
	assert_true(near(line.tilt, 6.026, 0.001));
	level_given(&question, 1, 0.3, &line);
	assert_true(near(line.level, 6244.76, 0.01));
	assert_true(near(line.tilt, 942.42, 0.01));
}

enum { TREE = 6 };

/* x = m^-1 v, by elimination; m is positive. */
static void dense_solve(double m[TREE][TREE], double *v)
{
	for (int i = 0; i < TREE; i++)
		for (int j = i + 1; j < TREE; j++) {
			const double f = m[j][i] / m[i][i];
			for (int k = i; k < TREE; k++)
				m[j][k] -= f * m[i][k];
			v[j] -= f * v[i];
		}
	for (int i = TREE; i-- > 0;) {
		for (int k = i + 1; k < TREE; k++)
			v[i] -= m[i][k] * v[k];
		v[i] /= m[i][i];
	}
}

/* Variance that two clocks have in common: that of the way to where their ways part. */
static double in_common(const struct level_clock *clocks, uint32_t a, uint32_t b, double kappa)
{
	while (a != b && a != LEVEL_ROOT && b != LEVEL_ROOT)
		if (a > b)
			a = clocks[a].parent;
		else
			b = clocks[b].parent;
	if (a != b)
		return 0;
	return kappa * kappa * clocks[a].level.symmetric * clocks[a].level.symmetric +
	       clocks[a].level.excess * clocks[a].level.excess;
}

/* A tree of six clocks, of which one has no record: means of the whole covariance matrix. Records
 * in the middle of the run say nothing of tilts. */
TEST(a_tree_is_like_dense_matrices)
{
	const double kappa = 0.5, eta = 0.4;
	const struct level_clock clocks[TREE] = {
		{ .parent = LEVEL_ROOT, .level = { 10e3, 0 }, .first = 0, .n = 1 },
		{ .parent = LEVEL_ROOT, .level = { 30e3, 2e3 }, .first = 1, .n = 2 },
		{ .parent = 0, .level = { 18e3, 1e3 }, .first = 3, .n = 0 },
		{ .parent = 0, .level = { 14e3, 0 }, .first = 3, .n = 1 },
		{ .parent = 2, .level = { 25e3, 9e3 }, .first = 4, .n = 1 },
		{ .parent = 2, .level = { 21e3, 1e3 }, .first = 5, .n = 3 },
	};
	const struct level_record records[] = {
		{ 4e3, 0, 20e3, 0 },  { -9e3, 0, 50e3, 0 }, { 2e3, 0, 30e3, 0 },
		{ 12e3, 0, 10e3, 0 }, { -5e3, 0, 60e3, 0 }, { 1e3, 0, 40e3, 0 },
		{ 8e3, 0, 40e3, 0 },  { 3e3, 0, 25e3, 0 },
	};
	const struct level_question question = question_of(clocks, TREE, records);
	struct level_line lines[TREE];
	double m[TREE][TREE], c[TREE][TREE], v[TREE];

	level_given(&question, kappa, eta, lines);
	for (uint32_t i = 0; i < TREE; i++) {
		double weight = 1e-30;
		v[i] = 0;
		for (size_t k = clocks[i].first; k < clocks[i].first + clocks[i].n; k++) {
			const double w = 1 / (eta * eta * records[k].half * records[k].half);
			weight += w;
			v[i] += w * records[k].residual;
		}
		v[i] /= weight;
		for (uint32_t j = 0; j < TREE; j++)
			c[i][j] = m[i][j] = in_common(clocks, i, j, kappa);
		m[i][i] += 1 / weight;
	}
	dense_solve(m, v);
	for (int i = 0; i < TREE; i++) {
		double is = 0;
		for (int j = 0; j < TREE; j++)
			is += c[i][j] * v[j];
		assert_true(near(lines[i].level, is, 1e-6 * fabs(is) + 1e-3));
		assert_true(fabs(lines[i].tilt) < 1e-9);
	}
}

static struct level_shape shape(uint32_t i, uint32_t j, double up, double down)
{
	struct level_pair pair = { i, j, .near = false };

	for (int w = 0; w < LEVEL_WINDOWS; w++) {
		pair.up[w] = up;
		pair.down[w] = down;
	}
	return level_shape_of(&pair);
}

/* V8: around a ring 10 us one way and 30 back: half of the room is one-sided. With 10 up in rank
 * and 30 down, potentials of 2/3 and 4/3 of 10 us take the rest. */
TEST(what_goes_round_is_seen)
{
	const struct level_shape ring[] = { shape(0, 1, 10e3, 30e3), shape(1, 2, 10e3, 30e3),
					    shape(0, 2, 30e3, 10e3) };
	const double third = 20e3 / 3;
	const struct level_shape ranks[] = { shape(0, 1, 10e3 + third, 30e3 - third),
					     shape(1, 2, 10e3 + third, 30e3 - third),
					     shape(0, 2, 10e3 + 2 * third, 30e3 - 2 * third) };
	uint32_t loops;

	assert_true(ring[0].apart == -10e3 && ring[0].room == 20e3);
	assert_true(near(level_curl(ring, 3, 3, 1, &loops), 0.75, 1e-9));
	assert_int_equal(loops, 1);
	assert_true(near(fabs(ranks[0].apart), 3333.3, 0.1));
	assert_true(near(level_curl(ranks, 3, 3, 1, &loops), 0.0833, 1e-4));
	/* A chain has no loop. */
	assert_true(level_curl(ring, 2, 3, 1, &loops) == 0);
	assert_int_equal(loops, 0);
}

static bool is_room(struct level_room room, double symmetric, double excess)
{
	return near(room.symmetric, symmetric, 1e-6) && near(room.excess, excess, 1e-4);
}

/* 0 - 1 - 2 with rooms of 3 and 4 us, and 0 - 2 with 8: the way over 1 is shorter, errors of hops being
 * independent. 2 - 3 has 10 us, of which 4.5 are 1.5 times the best link. A line turns by 16/15 of
 * the room, for the middles of the first and the last window are 15/16 from the middle, and half of
 * that counts. Each hop has an error of 10 ns at least, and a line through 16 windows turns by
 * 3^0.5 of it. */
TEST(paths_by_hand)
{
	const struct level_shape pairs[] = { shape(0, 1, 3e3, 3e3), shape(1, 2, 4e3, 4e3),
					     shape(0, 2, 8e3, 8e3), shape(2, 3, 10e3, 10e3) };
	const uint32_t root_of[] = { 0, 0, 0, 0, 4, 0 };
	struct level_way ways[6];

	level_paths(pairs, 4, 6, root_of, ways);
	assert_true(ways[0].parent == LEVEL_ROOT && ways[4].parent == LEVEL_ROOT);
	assert_true(ways[1].parent == 0 && ways[2].parent == 1 && ways[3].parent == 2);
	assert_true(ways[0].reached && ways[3].reached && ways[4].reached && !ways[5].reached);
	assert_true(is_room(ways[0].level, 0, 0) && is_room(ways[4].level, 0, 0));
	assert_true(is_room(ways[1].level, 3e3, 10) &&
		    is_room(ways[1].turn, 1.6e3, sqrt(300) * 16 / 15));
	assert_true(is_room(ways[2].level, 5e3, sqrt(200)));
	assert_true(is_room(ways[3].level, sqrt(25e6 + 4.5e3 * 4.5e3), sqrt(5.5e3 * 5.5e3 + 300)));
	assert_true(is_room(ways[3].turn, ways[3].level.symmetric * 8 / 15,
			    sqrt(5.5e3 * 5.5e3 / 4 + 900) * 16 / 15));
}

/* 0 -> 1 -> 2 -> 0 with slacks of 2, 4, 6 us, and both ways between 0 and 3 with 3 and 9: half of
 * the squares around. Nothing leads back from 4. */
TEST(rings_by_hand)
{
	const struct level_hop hops[] = { { 0, 1, 2e3 }, { 1, 2, 4e3 }, { 2, 0, 6e3 },
					  { 0, 3, 3e3 }, { 3, 0, 9e3 }, { 2, 4, 1e3 },
					  { 0, 2, 9e3 } };
	const uint32_t root_of[] = { 0, 0, 0, 0, 0 };
	double room[5];

	level_cycles(hops, 7, 5, root_of, room);
	assert_true(room[0] == 0 && room[4] < 0);
	assert_true(near(room[1], sqrt((4 + 16 + 36) / 2.0) * 1e3, 1e-6));
	assert_true(near(room[2], room[1], 1e-6));
	assert_true(near(room[3], sqrt((9 + 81) / 2.0) * 1e3, 1e-6));
	level_cycles(hops, 2, 5, root_of, room);
	assert_true(room[1] < 0 && room[2] < 0 && room[4] < 0);
}

/* The second tightest of five windows or more, the tightest of fewer. */
TEST(the_room_of_a_pair_is_that_of_tight_windows)
{
	struct level_pair pair = { 0, 1, .near = false };

	for (int w = 0; w < LEVEL_WINDOWS; w++) {
		pair.up[w] = w < 5 ? 100e3 - 10e3 * w : INFINITY;
		pair.down[w] = 20e3;
	}
	assert_true(level_shape_of(&pair).room == 45e3);
	/* 20, 25 and so on to 40 us apart; those of 40, 45, ... 60 us count, all five. */
	assert_true(level_shape_of(&pair).apart == 30e3);
	pair.up[0] = INFINITY;
	assert_true(level_shape_of(&pair).room == 40e3);
}

static struct level_pair without_messages(void)
{
	struct level_pair pair = { 0, 1, .near = false };

	for (int w = 0; w < LEVEL_WINDOWS; w++)
		pair.up[w] = pair.down[w] = INFINITY;
	return pair;
}

/* 10 us at the begin and 20 at the end: a line has 15 in the middle, and turns by 30 over 15/8.
 * Or 1 us just after the middle, 8 at the end: what is tight in one place turns about it. */
TEST(lines_through_two_windows)
{
	struct level_pair pair = without_messages();
	struct level_shape of;

	pair.up[0] = pair.down[0] = 10e3;
	pair.up[15] = pair.down[15] = 20e3;
	of = level_shape_of(&pair);
	assert_true(near(of.level, 15e3, 1e-6) && near(of.turn, 16e3, 1e-6) && !of.agree);
	pair = without_messages();
	pair.up[8] = pair.down[8] = 1e3;
	pair.up[15] = pair.down[15] = 8e3;
	of = level_shape_of(&pair);
	assert_true(near(of.level, (15 + 8) / 14.0 * 1e3, 1e-6) && near(of.turn, 72e3 / 7, 1e-6));
}

/* The least and the most of level and turn over the corners of what all windows leave. */
static void find_corners(const struct level_pair *pair, double least[2], double most[2])
{
	double u[2 * LEVEL_WINDOWS], bound[2 * LEVEL_WINDOWS];

	for (int i = 0; i < 2 * LEVEL_WINDOWS; i++) {
		u[i] = (i - i % 2 + 1) / 16.0 - 1;
		bound[i] = i % 2 ? -pair->down[i / 2] : pair->up[i / 2];
	}
	least[0] = least[1] = INFINITY;
	most[0] = most[1] = -INFINITY;
	for (int i = 0; i < 2 * LEVEL_WINDOWS; i++)
		for (int j = i + 1; j < 2 * LEVEL_WINDOWS; j++) {
			const double turn = (bound[j] - bound[i]) / (u[j] - u[i]);
			const double line[2] = { bound[i] - turn * u[i], turn };
			bool inside = i / 2 != j / 2;
			for (int w = 0; w < LEVEL_WINDOWS && inside; w++) {
				const double at = line[0] + turn * u[2 * w];
				inside = at <= pair->up[w] + 1e-6 && at >= -pair->down[w] - 1e-6;
			}
			for (int k = 0; k < 2 && inside; k++) {
				least[k] = fmin(least[k], line[k]);
				most[k] = fmax(most[k], line[k]);
			}
		}
}

TEST(rooms_are_those_of_the_corners)
{
	struct rng rng = { 1 };

	for (int i = 0; i < 200; i++) {
		struct level_pair pair = { 0, 1, .near = false };
		struct level_shape of;
		double least[2], most[2];
		for (int w = 0; w < LEVEL_WINDOWS; w++) {
			pair.up[w] = 1e3 + rng_below(&rng, i % 2 ? 20000 : 1000000);
			pair.down[w] = 1e3 + rng_below(&rng, i % 3 ? 20000 : 1000000);
		}
		of = level_shape_of(&pair);
		find_corners(&pair, least, most);
		assert_true(near(of.level, (most[0] - least[0]) / 2, 1e-3));
		assert_true(near(of.turn, (most[1] - least[1]) / 2, 1e-3));
	}
}

/* Late receivers: two windows of 16 are tight, the others by chance. Their room is not a link's, so
 * all of it may be one-sided. */
TEST(late_receivers_tell_nothing_of_links)
{
	const uint32_t root_of[] = { 0, 0 };
	struct level_pair pair = { 0, 1, .near = false };
	struct level_shape of;
	struct level_way ways[2];

	for (int w = 0; w < LEVEL_WINDOWS; w++)
		pair.up[w] = pair.down[w] = w == 4 || w == 11 ? 50e3 : 200e3 + 10e3 * w;
	of = level_shape_of(&pair);
	assert_false(of.agree);
	assert_true(near(of.level, 50e3, 1e-6));
	level_paths(&of, 1, 2, root_of, ways);
	assert_true(ways[1].level.symmetric <= 150 && ways[1].level.excess >= 49.8e3);
	/* Four of them: a quarter. */
	pair.up[2] = pair.down[2] = pair.up[7] = pair.down[7] = 60e3;
	of = level_shape_of(&pair);
	assert_true(of.agree);
	level_paths(&of, 1, 2, root_of, ways);
	assert_true(is_room(ways[1].level, 50e3, 10));
}

/* Records at the ends say how a clock turns that few tight messages hold. */
TEST(records_turn_what_messages_leave_free)
{
	const struct level_clock held = {
		.parent = LEVEL_ROOT, .level = { 0, 20e3 }, .turn = { 0, 500 }, .most = 20e3, .n = 2
	};
	const struct level_record records[] = { { -30e3, -1, 10e3, 0 }, { 30e3, 1, 10e3, 0 } };
	struct level_clock free_one = held;
	struct level_question question = question_of(&held, 1, records);
	struct level_line line;

	level_given(&question, 0.03, 1, &line);
	assert_true(line.tilt < 200);
	free_one.turn.excess = 100e3;
	question.clocks = &free_one;
	level_given(&question, 0.03, 1, &line);
	/* Two records of 10 us against a turn of 100: 30 us but for 1 in 200. */
	assert_true(near(line.tilt, 30e3 / (1 + 1 / 200.0), 10));
}

/* A record far from messages of a clock that bends says little: it is as if it were one of a longer
 * round trip. */
TEST(loose_records_weigh_less)
{
	const struct level_clock clock = { .parent = LEVEL_ROOT,
					   .level = { 20e3, 500 },
					   .turn = { 20e3, 500 },
					   .most = 20e3,
					   .n = 2 };
	const struct level_record loose[] = { { 6e3, -1, 30e3, 12e3 }, { 10e3, 1, 30e3, 12e3 } };
	const struct level_record longer[] = { { 6e3, -1, 50e3, 0 }, { 10e3, 1, 50e3, 0 } };
	const struct level_question a = question_of(&clock, 1, loose);
	const struct level_question b = question_of(&clock, 1, longer);
	struct level_line line, as;

	/* 0.3 * 30 and 12 us are 15, 0.3 * 50. */
	level_given(&a, 1, 0.3, &line);
	level_given(&b, 1, 0.3, &as);
	assert_true(near(line.level, as.level, 1e-6) && near(line.tilt, as.tilt, 1e-6));
	assert_true(near(line.level, 6244.76, 0.01));
}

TEST(noise_is_the_scatter_of_tight_windows)
{
	struct level_pair pair = { 0, 1, .near = false };
	struct level_shape of;

	/* a = 0, 1, 0, 1 us ...; in one window ranks came a millisecond late. */
	for (int w = 0; w < LEVEL_WINDOWS; w++) {
		pair.up[w] = w % 2 ? 11e3 : 10e3;
		pair.down[w] = w % 2 ? 9e3 : 10e3;
	}
	pair.up[5] += 1e6;
	of = level_shape_of(&pair);
	assert_int_equal(of.windows, LEVEL_WINDOWS);
	assert_true(near(of.room, 10e3, 1e-6));
	assert_true(near(of.scatter, 1.05 * 1e3 / sqrt(15), 1e-6));
	assert_true(near(level_noise(&of, 1), of.scatter, 1e-9));
	assert_true(near(level_curl_noise(&of, 1), 4e-4 + of.scatter * of.scatter / 1e8, 1e-9));
	pair.up[5] = INFINITY;
	for (int w = 2; w < LEVEL_WINDOWS; w++)
		pair.down[w] = INFINITY;
	of = level_shape_of(&pair);
	assert_int_equal(of.windows, 2);
	assert_true(level_noise(&of, 1) == 5e3);
	const struct level_shape many[] = { shape(0, 1, 50e3, 50e3), shape(0, 2, 10e3, 10e3),
					    shape(1, 2, 19e3, 19e3) };
	struct level_shape sorted[3];
	memcpy(sorted, many, sizeof many);
	assert_int_equal(level_tight_first(sorted, 3), 2);
	assert_true(sorted[0].room == 10e3 && sorted[1].room == 19e3);
}

enum { CLOCKS = 8 };

/* Clocks whose messages are wrong by `wrong` (as shares of 40 us) and records by `noise`. */
struct drawn {
	struct level_clock clocks[CLOCKS];
	struct level_record records[2 * CLOCKS];
	double error[CLOCKS]; /* that messages left */
};

static double gauss(struct rng *rng)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_below(rng, 1000000) / 1e6;
	return sum;
}

static void make_drawn(struct drawn *d, struct rng *rng, double wrong, double noise, double moved)
{
	for (size_t c = 0; c < CLOCKS; c++) {
		d->error[c] = 40e3 * wrong * gauss(rng) + moved;
		d->clocks[c] = (struct level_clock){ .parent = LEVEL_ROOT,
						     .level = { 40e3, 0 },
						     .turn = { 40e3, 0 },
						     .most = 60e3,
						     .first = 2 * c,
						     .n = 2 };
		for (size_t k = 0; k < 2; k++)
			d->records[2 * c + k] =
				(struct level_record){ d->error[c] + noise * gauss(rng), k ? 1 : -1,
						       50e3, 0 };
	}
}

static double solve(const struct drawn *d, bool island, double *kappa, double *eta)
{
	struct level_line lines[CLOCKS] = { 0 };
	struct level_answer answer = { .clock = lines };
	struct level_question question;
	double sum = 0;

	question = question_of(d->clocks, CLOCKS, d->records);
	question.island = &island;
	level_solve(&question, &answer);
	*kappa = answer.kappa;
	*eta = answer.eta;
	for (int c = 0; c < CLOCKS; c++)
		sum += (lines[c].level - d->error[c]) * (lines[c].level - d->error[c]);
	return sqrt(sum / CLOCKS);
}

/* What is left, of 40 draws each (ns, rms), against records alone and messages alone. */
TEST(the_better_one_wins)
{
	static const struct {
		double wrong, noise, of_records, of_messages; /* shares, at most */
	} cases[] = {
		{ 0.01, 20e3, 0.3, INFINITY }, /* messages alike both ways, noisy records */
		/* One-sided messages, records better than their round trips. */
		{ 0.9, 1e3, INFINITY, 0.1 },
		{ 0.01, 300e3, 0.02, INFINITY }, /* records far worse than their round trips */
		{ 0.9, 20e3, 1.2, 0.6 },
	};
	struct rng rng = { 3 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double left = 0, records = 0, messages = 0, kappa, eta;
		for (int try = 0; try < 40; try++) {
			struct drawn d;
			make_drawn(&d, &rng, cases[i].wrong, cases[i].noise, 0);
			left += solve(&d, false, &kappa, &eta) / 40;
			for (int c = 0; c < CLOCKS; c++) {
				const double mean = (d.records[2 * c].residual +
						     d.records[2 * c + 1].residual) /
						    2;
				records += fabs(mean - d.error[c]) / (40 * CLOCKS);
				messages += fabs(d.error[c]) / (40 * CLOCKS);
			}
		}
		/* A mean of absolute values is 0.8 of the rms. */
		assert_true(left <= cases[i].of_records * records / 0.8);
		assert_true(left <= cases[i].of_messages * messages / 0.8);
	}
}

/* An island is moved as a whole where its clocks' records agree, whatever its messages say. */
TEST(islands_are_moved_as_a_whole)
{
	struct rng rng = { 5 };
	double kappa, eta;
	struct drawn d;

	make_drawn(&d, &rng, 0.01, 20e3, 5e6);
	/* The mean of 16 records wrong by 20 us is wrong by 5. */
	assert_true(solve(&d, true, &kappa, &eta) < 15e3);
}
