#include "ui/timeline/picture/timeline_scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

enum { FAR = 1 << 30 };

int64_t time_scale_edge(const struct time_scale *s, int i)
{
	const __int128 span = (__int128)s->t1 - s->t0;

	return (int64_t)(s->t0 + (span * i + s->n - 1) / s->n);
}

int64_t time_scale_tick(const struct time_scale *s, int i)
{
	const __int128 span = (__int128)s->t1 - s->t0;
	const int64_t edge = time_scale_edge(s, i);

	if (edge < time_scale_edge(s, i + 1))
		return edge;
	return (int64_t)(s->t0 + span * i / s->n);
}

struct span time_scale_window(const struct time_scale *s, int i)
{
	const int64_t t0 = time_scale_tick(s, i), t1 = time_scale_edge(s, i + 1);

	return (struct span){ t0, t1 > t0 ? t1 : t0 + 1 };
}

int64_t time_scale_column(const struct time_scale *s, int64_t t)
{
	const __int128 span = (__int128)s->t1 - s->t0;
	const __int128 scaled = ((__int128)t - s->t0) * s->n;
	__int128 column = scaled / span;

	if (scaled < 0 && column * span != scaled)
		column--;
	return column < -FAR ? -FAR : column > FAR ? FAR : (int64_t)column;
}

/* ---- cells ---- */

void time_cells_init(struct time_cells *cells, const struct time_scale *scale)
{
	cells->n = scale->n;
	cells->edges = xcalloc((size_t)scale->n + 2, sizeof *cells->edges);
	cells->of = xcalloc((size_t)scale->n, sizeof *cells->of);
	cells->intervals = 0;
	cells->edges[0] = scale->t0;
	for (int i = 0; i < scale->n; i++) {
		const int64_t next = time_scale_edge(scale, i + 1);

		if (next > cells->edges[cells->intervals])
			cells->edges[++cells->intervals] = next;
		/* A column without a tick is inside the tick that the last interval ends with. */
		cells->of[i] = (uint32_t)(cells->intervals ? cells->intervals - 1 : 0);
	}
}

void time_cells_fini(struct time_cells *cells)
{
	free_all(cells->edges, cells->of);
	*cells = (struct time_cells){ .n = 0 };
}

/* ---- ruler ---- */

struct step {
	int mantissa; /* 1, 2, 5 */
	int exponent; /* of seconds */
	int unit;     /* exponent of the unit that labels are in */
};

static int step_label(struct str *out, const struct step *step, int64_t k)
{
	const int decimals = step->exponent < step->unit ? step->unit - step->exponent : 0;
	/* The label is of the round number itself, not of the tick next to it. */
	const struct timescale tenths = { 1000000000000, 12 };
	const __int128 value = (__int128)k * step->mantissa;
	struct timescale scale = tenths;
	int64_t number = (int64_t)value;

	str_clear(out);
	if (step->exponent >= 0) {
		scale.per_second = 1;
		for (int i = 0; i < step->exponent; i++)
			number *= 10;
	} else {
		for (int i = 12; i > -step->exponent; i--)
			scale.per_second /= 10;
	}
	units_in(out, number, &scale, step->unit, decimals);
	str_add_fmt(out, " %s", units_exponent_name(step->unit));
	return (int)out->n;
}

static long double step_ticks(const struct step *step, const struct timescale *units)
{
	long double ticks = (long double)units->per_second * step->mantissa;

	for (int e = step->exponent; e < 0; e++)
		ticks /= 10;
	for (int e = step->exponent; e > 0; e--)
		ticks *= 10;
	return ticks;
}

/* The finest step whose labels fit, with two columns between them. */
static struct step step_choose(const struct time_scale *s, const struct timescale *units,
			       struct str *text)
{
	static const int mantissas[] = { 1, 2, 5 };
	const int64_t first = s->t0 < 0 && s->t0 != INT64_MIN ? -s->t0 : s->t0;
	const int64_t last = s->t1 < 0 ? -s->t1 : s->t1;
	const long double span = (long double)s->t1 - (long double)s->t0;
	struct step step = { 1, -12, units_exponent(first > last ? first : last, units) };

	for (int i = 0; i < 3 * 24; i++) {
		long double ticks;
		int width, other;

		step.mantissa = mantissas[i % 3];
		step.exponent = -12 + i / 3;
		ticks = step_ticks(&step, units);
		/* A label takes at least three columns, and the mantissa must stay small. */
		if (ticks < 1 || ticks * s->n < span * 3)
			continue;
		width = step_label(text, &step, (int64_t)((long double)s->t0 / ticks));
		other = step_label(text, &step, (int64_t)((long double)s->t1 / ticks));
		if (other > width)
			width = other;
		if (ticks * s->n >= span * (width + 3))
			break;
	}
	return step;
}

void ruler_make(struct ruler *ruler, const struct time_scale *s, const struct timescale *units)
{
	OWNED_STR text = STR_INIT;
	const struct step step = step_choose(s, units, &text);
	const long double ticks = step_ticks(&step, units);
	int64_t k = (int64_t)((long double)s->t0 / ticks) - 1;

	ruler->n = 0;
	for (; ruler->n < RULER_TICKS; k++) {
		const int64_t t = units_ticks(k * step.mantissa, step.exponent, units);
		struct ruler_tick *tick = &ruler->ticks[ruler->n];

		if (t < s->t0)
			continue;
		if (t >= s->t1)
			break;
		tick->column = (int)time_scale_column(s, t);
		tick->width = (uint8_t)step_label(&text, &step, k);
		if (text.n >= sizeof tick->label || tick->column + 1 + (int)text.n > s->n) {
			tick->width = 0; /* the tick alone: no label is cut */
			str_clear(&text);
		}
		memcpy(tick->label, text.text, text.n + 1);
		ruler->n++;
	}
}

/* ---- iterations ---- */

/* The first iteration that begins at or after t, 0 .. n. */
static uint32_t iteration_from(const int64_t *begin, uint32_t n, int64_t t)
{
	uint32_t low = 0, high = n;

	BISECT(low, high, k, begin[k] < t);
	return low;
}

/* The least of 1, 2, 5, 10 ... iterations that are as wide as a label on average. */
static uint32_t iteration_step(double each, int width)
{
	static const uint32_t steps[] = { 1, 2, 5 };

	for (uint32_t power = 1; power < UINT32_MAX / 50; power *= 10)
		for (int i = 0; i < 3; i++)
			if (steps[i] * power * each >= width)
				return steps[i] * power;
	return UINT32_MAX;
}

/* A tick where an iteration begins, unless it is before column `from`; returns the next one that is
 * free. No label is cut at the end. */
static int add_iteration(struct ruler *ruler, const struct time_scale *s, int64_t begin,
			 uint32_t number, int from)
{
	const int64_t column = time_scale_column(s, begin);
	struct ruler_tick *tick = &ruler->ticks[ruler->n];

	if (column < from || column >= s->n || ruler->n == RULER_TICKS)
		return from;
	ruler->n++;
	tick->column = (int)column;
	tick->width = (uint8_t)snprintf(tick->label, sizeof tick->label, "%" PRIu32, number);
	if (number == 0 || column + 1 + tick->width > s->n) {
		tick->width = 0;
		tick->label[0] = '\0';
	}
	return (int)column + tick->width + 2;
}

/* The one that the window begins in; returns the next column that is free. */
static int add_begun(struct ruler *ruler, uint32_t number, int64_t room)
{
	struct ruler_tick *tick = &ruler->ticks[0];
	const int width = snprintf(tick->label, sizeof tick->label, "in %" PRIu32, number);

	if (width + 1 >= room)
		return 0;
	tick->column = -1;
	tick->width = (uint8_t)width;
	ruler->n = 1;
	return width + 1;
}

void ruler_make_iterations(struct ruler *ruler, const struct time_scale *s, const int64_t *begin,
			   uint32_t n)
{
	const uint32_t first = iteration_from(begin, n, s->t0);
	const uint32_t end = iteration_from(begin, n, s->t1);
	char last[16];
	const int width = 3 + snprintf(last, sizeof last, "%" PRIu32, end);
	const uint32_t some = end > first ? end - first : 1;
	const int64_t left = first < end ? time_scale_column(s, begin[first]) : 0;
	const int64_t right = time_scale_column(s, begin[end]);
	const double columns = (double)((right < s->n ? right : s->n) - left);
	const uint32_t step = iteration_step(columns / some, width);
	int from = 0;

	ruler->n = 0;
	if (first > 0 && begin[first] > s->t0)
		from = add_begun(ruler, first, first < end ? left : s->n);
	if (first == 0 && end > 0 && step > 1)
		from = add_iteration(ruler, s, begin[0], 1, from);
	for (uint64_t number = (first / (uint64_t)step + 1) * step; number <= end; number += step)
		from = add_iteration(ruler, s, begin[number - 1], (uint32_t)number, from);
	/* The end of the last one. */
	if (begin[n] >= s->t0 && begin[n] < s->t1)
		add_iteration(ruler, s, begin[n], 0, from);
}

/* ---- zoom ---- */

struct span zoom_in(struct span w, int64_t at)
{
	const __int128 span = (__int128)w.t1 - w.t0;
	__int128 half = (span + 1) / 2;
	struct span in;

	if (at < w.t0)
		at = w.t0;
	if (at >= w.t1)
		at = w.t1 - 1;
	if (half < ZOOM_MIN_TICKS)
		half = ZOOM_MIN_TICKS < span ? ZOOM_MIN_TICKS : span;
	in.t0 = (int64_t)(at - ((__int128)at - w.t0) * half / span);
	in.t1 = (int64_t)(in.t0 + half);
	return in;
}

static bool about(int64_t a, int64_t b)
{
	const __int128 d = (__int128)a - b;

	return d >= -2 && d <= 2;
}

struct span zoom_out(struct span w, int64_t at, struct span run, const struct span *before)
{
	const __int128 span = (__int128)w.t1 - w.t0;
	__int128 t0, t1;

	if (at < w.t0)
		at = w.t0;
	if (at >= w.t1)
		at = w.t1 - 1;
	t0 = at - ((__int128)at - w.t0) * 2;
	t1 = t0 + span * 2;
	if (t0 < run.t0) {
		t1 += run.t0 - t0;
		t0 = run.t0;
	}
	if (t1 > run.t1) {
		t0 -= t1 - run.t1;
		t1 = run.t1;
	}
	if (t0 < run.t0)
		t0 = run.t0;
	w = (struct span){ (int64_t)t0, (int64_t)t1 };
	if (before && about(w.t0, before->t0) && about(w.t1, before->t1))
		w = *before;
	return w;
}
