/* What a record costs, fitted to segments: those of a specification, and made ones of which the
 * truth is known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "correct/overhead/overhead_fit.h"
#include "harness/test.h"

enum { VECTOR = 16 };

/* Made with O = 9, c = 500, a = 60 + 0.25 t and noise of up to 50 ticks. */
static void vector(struct fit_segment *out)
{
	static const double records[VECTOR] = { 100, 140, 90,  120, 110, 80, 150, 100,
						130, 95,  105, 125, 115, 85, 135, 100 };
	static const double took[VECTOR] = { 7430, 10145, 5965, 8910, 8170, 5410, 11055, 7625,
					     8520, 7268,  8027, 9458, 8810, 6621, 10297, 6835 };

	for (int i = 0; i < VECTOR; i++) {
		const bool gap = i == 2 || i == 5 || i == 8 || i == 15;
		out[i] = (struct fit_segment){ took[i], records[i], gap ? 0 : records[i],
					       i,       gap,        false };
	}
}

/* The specification's own figures are of durations that were not rounded to ticks. */
static bool near(double a, double b)
{
	return fabs(a - b) < 0.004;
}

TEST(the_specification)
{
	struct fit_segment s[VECTOR];
	struct record_fit fit;

	vector(s);
	fit = fit_record_cost(s, VECTOR, 0);
	printf("# %.4f %.4f\n", fit.cost, fit.error);
	assert_true(fit.known);
	assert_true(near(fit.cost, 9.249) && fabs(fit.error - 0.172) < 0.001);
	s[6].duration += 500000;
	fit = fit_record_cost(s, VECTOR, 0);
	printf("# %.4f %.4f\n", fit.cost, fit.error);
	assert_true(near(fit.cost, 9.249) && fabs(fit.error - 0.179) < 0.001);
	vector(s);
	s[8].duration += 500000;
	fit = fit_record_cost(s, VECTOR, 0);
	printf("# %.4f %.4f\n", fit.cost, fit.error);
	assert_true(near(fit.cost, 9.232) && fabs(fit.error - 0.237) < 0.001);
}

TEST(without_noise_it_is_exact)
{
	struct fit_segment s[VECTOR];
	struct record_fit fit;

	vector(s);
	for (int i = 0; i < VECTOR; i++)
		s[i].duration = 500 + (60 + 0.25 * i) * s[i].records + 9 * s[i].read;
	fit = fit_record_cost(s, VECTOR, 0);
	assert_true(fit.known && fabs(fit.cost - 9) < 1e-6 && fit.error < 1e-6);
	/* Where the clock was read for some of a gap's records, too. */
	for (int i = 0; i < VECTOR; i++) {
		s[i].read = s[i].gap ? s[i].records / 16 : s[i].records;
		s[i].duration = 500 + (60 + 0.25 * i) * s[i].records + 9 * s[i].read;
	}
	fit = fit_record_cost(s, VECTOR, 0);
	assert_true(fit.known && fabs(fit.cost - 9) < 1e-6);
}

/* With blank gaps the cost is against a probe that does nothing, and a note's is known, too. */
TEST(blank_gaps_tell_what_is_beside)
{
	struct fit_segment s[VECTOR];
	struct record_fit fit;

	vector(s);
	for (int i = 0; i < VECTOR; i++) {
		s[i].gap = i == 1 || i == 5 || i == 7 || i == 10 || i == 14;
		s[i].blank = s[i].gap && i != 7 && i != 1;
		s[i].read = !s[i].gap ? s[i].records : s[i].blank ? 0 : 10;
		s[i].duration = 500 + (60 + 0.25 * i) * s[i].records + 12 * s[i].read +
				(s[i].gap && !s[i].blank ? 7 * (s[i].records - 10) : 0);
	}
	fit = fit_record_cost(s, VECTOR, 0);
	assert_true(fit.known && fit.blank);
	assert_true(fabs(fit.cost - 12) < 1e-6 && fabs(fit.note - 7) < 1e-6);
	/* Two are too few: what a record costs more than a note. */
	s[14].blank = false;
	s[14].duration += 7 * s[14].records;
	fit = fit_record_cost(s, VECTOR, 0);
	assert_true(fit.known && !fit.blank);
	assert_true(fabs(fit.cost - 5) < 1e-6 && fit.note < 1e-6);
}

/* Probes are delayed by 500 ticks for an experiment, those of gaps are not: a reading of the clock
 * in a gap costs 12 ticks, not 512. */
TEST(gaps_have_no_delays)
{
	const double delay = 500;
	struct fit_segment s[VECTOR];
	struct record_fit fit;

	vector(s);
	for (int i = 0; i < VECTOR; i++) {
		s[i].blank = s[i].gap && i != 2;
		s[i].read = !s[i].gap ? s[i].records : s[i].blank ? 0 : s[i].records / 16;
		s[i].duration = 500 + (60 + 0.25 * i) * s[i].records + 12 * s[i].read +
				(s[i].gap && !s[i].blank ? 7 * (s[i].records - s[i].read) : 0) +
				(s[i].gap ? 0 : delay * s[i].records);
	}
	fit = fit_record_cost(s, VECTOR, delay);
	assert_true(fit.known && fit.blank);
	assert_true(fabs(fit.cost - 512) < 1e-6 && fabs(fit.note - 7) < 1e-6);
	/* A gap in which the clock was read each time says nothing of notes. */
	s[2].read = s[2].records;
	s[2].duration = 500 + (60 + 0.25 * 2 + 12) * s[2].records;
	fit = fit_record_cost(s, VECTOR, delay);
	assert_true(fit.known && fit.blank);
	assert_true(fabs(fit.cost - 512) < 1e-6 && fit.note < 1e-6);
}

TEST(too_few_gaps_tell_nothing)
{
	struct fit_segment s[VECTOR];

	vector(s);
	assert_false(fit_record_cost(s, 0, 0).known);
	assert_false(fit_record_cost(s, 8, 0).known); /* two gaps */
	assert_true(fit_record_cost(s, VECTOR, 0).known);
	for (int i = 0; i < VECTOR; i++)
		s[i].gap = true;
	assert_false(fit_record_cost(s, VECTOR, 0).known);
}

/* A normal deviate: the sum of twelve uniform ones. */
static double deviate(unsigned *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*state = *state * 1664525u + 1013904223u;
		sum += (double)(*state >> 8) / (1 << 24);
	}
	return sum;
}

/* se/O = cv (D/E) sqrt(b/((b - 1) G)), b = 4, within 20 %, over 200 draws. */
TEST(the_error_is_what_it_says)
{
	enum { GAPS = 24, N = 4 * GAPS, DRAWS = 200 };
	const double cost = 9, own = 60, cv = 0.03;
	const double expected = cv * own / cost * sqrt(4. / (3. * GAPS));
	struct fit_segment s[N];
	double squares = 0, said = 0;
	unsigned state = 1;

	for (int draw = 0; draw < DRAWS; draw++) {
		struct record_fit fit;
		for (int i = 0; i < N; i++) {
			const bool gap = i % 4 == (i / 4 * 7 + draw) % 4;
			const double read = gap ? 0 : 200;
			s[i] = (struct fit_segment){
				200 * own * (1 + cv * deviate(&state)) + cost * read,
				200,
				read,
				i,
				gap,
				false
			};
		}
		fit = fit_record_cost(s, N, 0);
		assert_true(fit.known);
		squares += (fit.cost / cost - 1) * (fit.cost / cost - 1) / DRAWS;
		said += fit.error / cost / DRAWS;
	}
	printf("# error %.4f, said %.4f, expected %.4f\n", sqrt(squares), said, expected);
	assert_true(sqrt(squares) > 0.8 * expected && sqrt(squares) < 1.2 * expected);
	assert_true(said > 0.8 * expected && said < 1.2 * expected);
}

/* On a busy machine: some stretches of the run are slower, records there cost up to six times as
 * much, and some segments lose their core. The mean cost of the run's records is within the bounds
 * that are made of the estimate. */
TEST(the_truth_is_within_the_bounds)
{
	enum { BLOCKS = 48, N = 4 * BLOCKS, DRAWS = 400 };
	static const double busy[] = { 1, 1.3, 6 };
	struct fit_segment s[N];
	unsigned state = 7;
	int inside = 0, narrow = 0;

	for (int draw = 0; draw < DRAWS; draw++) {
		const double slow = busy[draw % 3];
		double sum = 0, n = 0, factor = 1;
		struct record_fit fit;
		for (int i = 0; i < N; i++) {
			const bool gap = i % 4 == (i / 4 * 7 + draw) % 4,
				   blank = gap && i / 4 % 4 != 0;
			const double cost = 12;
			if (i % 24 == 0)
				factor = 1 + (slow - 1) * fmax(0, 0.3 * deviate(&state));
			s[i] = (struct fit_segment){ 200 * 20 * (1 + 0.03 * deviate(&state)),
						     200,
						     gap ? 0 : 200,
						     i,
						     gap,
						     blank };
			s[i].duration += cost * s[i].read + (gap && !blank ? 6 * 200 : 0);
			s[i].duration *= factor;
			if (deviate(&state) > 2.3)
				s[i].duration += 50000;
			sum += gap ? 0 : cost * factor;
			n += !gap;
		}
		fit = fit_record_cost(s, N, 0);
		assert_true(fit.known && fit.blank);
		inside += fabs(fit.cost - sum / n) <= 0.05 * fit.cost + 2 * fit.error;
		narrow += slow < 1.1 && fit.error < 0.06 * fit.cost;
	}
	printf("# %d of %d inside, %d narrow\n", inside, DRAWS, narrow);
	assert_true(inside >= 0.95 * DRAWS);
	assert_true(narrow >= 0.3 * DRAWS);
}
