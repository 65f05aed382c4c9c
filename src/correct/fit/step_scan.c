#include "correct/fit/step_scan.h"

#include <math.h>

#include "base/order.h"

enum { LOOK = 400, SCANS = 16 }; /* points on each side of a step; scans of one pair */

#define RATE_LEAST 1e-3
#define RATE_MOST  0.5
#define RATE_TIMES 10 /* what the trace demands */
#define RATE_FINE  2e-4

ORDERING(by_time, struct step_point, time, upper, value)

void step_points_sort(step_point_vec *points)
{
	for (size_t i = 1; i < points->n; i++)
		if (by_time(&points->data[i - 1], &points->data[i]) > 0) {
			vec_sort(points, by_time);
			return;
		}
}

double step_fine_rate(double rate)
{
	return fmin(rate, fmax(RATE_FINE, rate / 5));
}

/* ---- the scan ---- */

/* A contradiction: bound `before` does not reach the one at `at`. */
struct contradiction {
	size_t before, at;
	bool up;
};

typedef VEC(struct contradiction) contradiction_vec;

static void find_contradictions(const step_point_vec *points, double rate, contradiction_vec *out)
{
	size_t upper = 0, lower = 0; /* the bounds that count, + 1; 0: none */
	const struct step_point *p = points->data;

	out->n = 0;
	for (size_t i = 0; i < points->n; i++) {
		/* A lower bound is an upper bound of the negative. */
		const double sign = p[i].upper ? 1 : -1;
		size_t *mine = p[i].upper ? &upper : &lower;
		size_t *theirs = p[i].upper ? &lower : &upper;
		if (*theirs) {
			const struct step_point *q = &p[*theirs - 1];
			if (sign * (p[i].value - q->value) < -rate * (p[i].time - q->time)) {
				vec_push(out,
					 ((struct contradiction){ *theirs - 1, i, !p[i].upper }));
				*mine = i + 1;
				*theirs = 0;
				continue;
			}
		}
		if (!*mine || sign * (p[i].value - p[*mine - 1].value) <
				      rate * (p[i].time - p[*mine - 1].time))
			*mine = i + 1;
	}
}

static size_t count_kind(const step_point_vec *points, size_t from, size_t to, bool upper)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += points->data[i].upper == upper;
	return n;
}

/* Removes contradictions with too few witnesses, and marks these points (NaN). Returns how many. */
static size_t mark_mismatched(step_point_vec *points, contradiction_vec *found)
{
	size_t kept = 0, marked = 0;

	for (size_t k = 0; k < found->n; k++) {
		const struct contradiction c = found->data[k];
		const bool last = k + 1 == found->n;
		const size_t end = last ? points->n : found->data[k + 1].at;
		if (count_kind(points, c.at, end, !c.up) >= STEP_WITNESSES) {
			found->data[kept++] = c;
			continue;
		}
		for (size_t i = c.at; i < end; i++)
			if (points->data[i].upper == !c.up) {
				points->data[i].value = NAN;
				marked++;
			}
		k += !last && found->data[k + 1].up != c.up; /* the way back */
	}
	found->n = kept;
	return marked;
}

static void remove_marked(step_point_vec *points)
{
	size_t kept = 0;

	for (size_t i = 0; i < points->n; i++)
		if (!isnan(points->data[i].value))
			points->data[kept++] = points->data[i];
	points->n = kept;
}

/* ---- place and size ---- */

/* The latest point before that any later one contradicts, of the kind that does. */
static size_t last_before(const step_point_vec *points, const struct contradiction *c, size_t first,
			  size_t end, double rate)
{
	const struct step_point *p = points->data;
	const double sign = c->up ? 1 : -1;
	double most = -INFINITY; /* what later ones demand, carried back to time 0 */

	for (size_t i = c->at; i < end; i++)
		if (p[i].upper == !c->up)
			most = fmax(most, sign * p[i].value - rate * (p[i].time - p[c->at].time));
	for (size_t i = c->at; i-- > first;)
		if (p[i].upper == c->up &&
		    sign * p[i].value < most - rate * (p[c->at].time - p[i].time))
			return i;
	return c->before;
}

/* The bounds that points from .. to - 1 leave at a time. */
static void bounds_at(const step_point_vec *points, size_t from, size_t to, double time,
		      double rate, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (size_t i = from; i < to; i++) {
		const struct step_point *p = &points->data[i];
		const double room = rate * fabs(p->time - time);
		if (p->upper)
			*high = fmin(*high, p->value + room);
		else
			*low = fmax(*low, p->value - room);
	}
}

static struct pair_step describe(const step_point_vec *points, const struct contradiction *c,
				 size_t low, size_t high, double rate)
{
	const struct step_point *p = points->data;
	const size_t first = c->at > low + LOOK ? c->at - LOOK : low;
	const size_t end = high > c->at + LOOK ? c->at + LOOK : high;
	const size_t last = last_before(points, c, first, end, rate);
	const double time = (p[last].time + p[c->at].time) / 2, fine = step_fine_rate(rate);
	double low_before, high_before, low_after, high_after;
	struct pair_step s = { .from = p[last].time, .to = p[c->at].time };
	const double a = p[last].time + p[last].value, b = p[c->at].time + p[c->at].value;

	bounds_at(points, first, last + 1, time, fine, &low_before, &high_before);
	bounds_at(points, c->at, end, time, fine, &low_after, &high_after);
	s.other_from = fmin(a, b);
	s.other_to = fmax(a, b);
	s.least = low_after - high_before;
	s.most = high_after - low_before;
	if (s.least > s.most) {
		const double least = s.most;
		s.most = s.least;
		s.least = least;
	}
	return s;
}

static bool has_both(const step_point_vec *points)
{
	const size_t uppers = count_kind(points, 0, points->n, true);

	return uppers >= STEP_WITNESSES && points->n - uppers >= STEP_WITNESSES;
}

uint64_t step_scan(step_point_vec *points, double rate, pair_step_vec *out)
{
	contradiction_vec found = VEC_INIT;
	uint64_t removed = 0;
	size_t marked = 0;

	for (int scan = 0; scan < SCANS && has_both(points); scan++) {
		find_contradictions(points, rate, &found);
		marked = mark_mismatched(points, &found);
		if (marked == 0)
			break;
		removed += marked;
		remove_marked(points);
	}
	for (size_t k = 0; k < found.n && marked == 0 && has_both(points); k++) {
		const struct contradiction *c = &found.data[k];
		const size_t low = k ? c[-1].at : 0;
		const size_t high = k + 1 < found.n ? c[1].before + 1 : points->n;
		vec_push(out, describe(points, c, low, high > c->at ? high : c->at + 1, rate));
	}
	vec_fini(&found);
	return removed;
}

static size_t first_not_before(const step_point_vec *points, double time)
{
	size_t low = 0, high = points->n;

	BISECT(low, high, middle, points->data[middle].time < time);
	return low;
}

void step_room(const step_point_vec *points, double time, double fine, double *least, double *most)
{
	const size_t at = first_not_before(points, time);
	const size_t end = at + LOOK < points->n ? at + LOOK : points->n;
	double low_before, high_before, low_after, high_after;

	bounds_at(points, at > LOOK ? at - LOOK : 0, at, time, fine, &low_before, &high_before);
	bounds_at(points, at, end, time, fine, &low_after, &high_after);
	*least = low_after - high_before;
	*most = high_after - low_before;
}

bool step_middle(const step_point_vec *points, double time, double *middle)
{
	const size_t at = first_not_before(points, time);
	double low, high;

	bounds_at(points, at > LOOK ? at - LOOK : 0, at, time, 0, &low, &high);
	*middle = (low + high) / 2;
	return isfinite(low) && isfinite(high);
}

/* ---- the rate ---- */

/* Between these rates the bins are 5 % wide; below the first one and above the last the rate that
 * is used is the same. */
#define BIN_FIRST (RATE_LEAST / RATE_TIMES)
#define BIN_WIDTH 1.05

static void count_rate(struct step_rates *rates, int level, double rate)
{
	const double bin = rate > BIN_FIRST ? ceil(log(rate / BIN_FIRST) / log(BIN_WIDTH)) : 0;

	rates->count[level][bin < RATE_BINS ? (int)bin : RATE_BINS - 1]++;
}

enum { PARTS_MOST = 64, POINTS_A_PART = 4 };

void step_rates_add(struct step_rates *rates, const step_point_vec *points)
{
	for (int level = 0; level < RATE_LEVELS; level++) {
		const int parts = PARTS_MOST >> level;
		double high[PARTS_MOST], low[PARTS_MOST], width;
		if (points->n < POINTS_A_PART * (size_t)parts)
			continue;
		width = (vec_last(points)->time - points->data[0].time) / parts;
		if (width <= 0)
			return;
		for (int k = 0; k < parts; k++) {
			high[k] = INFINITY;
			low[k] = -INFINITY;
		}
		for (size_t i = 0; i < points->n; i++) {
			const struct step_point *p = &points->data[i];
			const double u = (p->time - points->data[0].time) / width;
			const int k = u < parts ? (int)u : parts - 1;
			if (p->upper)
				high[k] = fmin(high[k], p->value);
			else
				low[k] = fmax(low[k], p->value);
		}
		for (int k = 0; k + 2 < parts; k++) {
			const double a = fmax(low[k + 2] - high[k], low[k] - high[k + 2]);
			if (isfinite(a))
				count_rate(rates, level, fmax(0, a) / (2 * width));
		}
	}
}

double step_rate(const struct step_rates *rates)
{
	double most = 0;

	for (int level = 0; level < RATE_LEVELS; level++) {
		const uint64_t *count = rates->count[level];
		uint64_t all = 0, below = 0;
		int bin = 0;
		for (int k = 0; k < RATE_BINS; k++)
			all += count[k];
		if (all == 0)
			continue;
		while (below + count[bin] <= (all - 1) / 2)
			below += count[bin++];
		most = fmax(most, bin ? BIN_FIRST * pow(BIN_WIDTH, bin) : 0);
	}
	return fmin(fmax(RATE_TIMES * most, RATE_LEAST), RATE_MOST);
}
