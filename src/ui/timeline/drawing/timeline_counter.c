/* Rows of counters: drawing and text. */
#include <string.h>

#include "ui/timeline/drawing/timeline_draw.h"
#include "views/facts/place_words.h"

enum { STEPS = 8 };

/* ---- drawing ---- */

/* Steps of a bar of `all`: at least one where there is something above the scale's foot. */
static int height_of(const struct timeline_counter *c, double value, int all)
{
	const double span = c->high - c->low;
	const int height = span > 0 ? (int)((value - c->low) / span * all + 0.5) : 0;

	if (height < 1)
		return value > c->low ? 1 : 0;
	return height > all ? all : height;
}

void timeline_counter_draw(const struct timeline_picture *p, const struct timeline_counter *c,
			   struct rect r, struct canvas *canvas)
{
	for (int x = 0; x < p->options.width && x < r.w; x++) {
		const struct timeline_value *v = &p->values.data[c->first + (size_t)x];
		const int height = v->known ? height_of(c, v->value, STEPS * r.h) : 0;

		for (int y = 0; y < r.h; y++) {
			const int below = STEPS * (r.h - 1 - y);
			const int here = height - below > STEPS ? STEPS : height - below;
			uint32_t ch = ' ';

			if (here > 0)
				ch = theme_glyph((enum glyph)(GLYPH_BAR_1 + here - 1),
						 canvas->ascii);
			else if (!c->summed)
				ch = theme_glyph(GLYPH_DOT, canvas->ascii);
			else if (v->known && y == r.h - 1)
				ch = canvas->ascii ? '_' : 0x2581; /* known to be nothing */
			canvas_put(canvas, r.x + x, r.y + y, ch,
				   here > 0 ? ROLE_PROGRESS : ROLE_FRAME, ROLE_DEFAULT, 0);
		}
	}
}

/* ---- words ---- */

/* "1.21 G", "340 m", "-12": three digits and a step of a thousand. */
static void timeline_number_text(struct str *out, double value)
{
	static const char steps[] = "pnum kMGTPE";
	const double size = value < 0 ? -value : value;
	double shown = value;
	int step = 4;

	if (size > 0 && (size < 1e-12 || size >= 1e21)) {
		str_add_fmt(out, "%.3g", value);
		return;
	}
	for (; (shown >= 999.5 || shown <= -999.5) && step < 10; step++)
		shown /= 1000;
	for (; size > 0 && shown < 0.9995 && shown > -0.9995 && step > 0; step--)
		shown *= 1000;
	str_add_fmt(out, "%.3g", shown);
	if (steps[step] != ' ')
		str_add_fmt(out, " %c", steps[step]);
}

static void add_unit(struct str *out, const struct trace *trace, const struct metric *metric)
{
	const char *unit = trace_string(trace, metric->unit);

	if (*unit && strcmp(unit, "#") != 0) {
		if (out->n && out->text[out->n - 1] >= '0' && out->text[out->n - 1] <= '9')
			str_add_char(out, ' ');
		str_add_clean_text(out, unit);
	}
	if (metric_is_rate(metric))
		str_add(out, "/s");
}

void timeline_counter_name(const struct trace *trace, uint32_t metric, struct str *out)
{
	const char *name = trace_string(trace, trace_metric(trace, metric)->name);

	if (*name)
		str_add_clean_text(out, name);
	else
		str_add_fmt(out, "metric %u", metric);
}

void timeline_counter_scale_text(const struct timeline_counter *c, const struct trace *trace,
				 struct str *out)
{
	timeline_number_text(out, c->low);
	str_add(out, c->low < 0 ? " to " : "-");
	timeline_number_text(out, c->high);
	add_unit(out, trace, trace_metric(trace, c->metric));
}

/* The value at the last sample not after t1. */
static void add_sample(struct str *out, const struct counter_series *s, int64_t t0, int64_t t1,
		       const struct timescale *units)
{
	size_t first;
	const size_t n = counter_samples(s, t0, t1, &first);

	units_count(out, n);
	str_add(out, n == 1 ? " value here" : " values here");
	if (first + n == 0)
		return;
	str_add(out, "; last ");
	timeline_number_text(out, s->value[first + n - 1]);
	str_add(out, " at ");
	units_human_time(out, s->t[first + n - 1], units, 6);
}

void timeline_counter_text(const struct timeline_picture *p, const struct query *query,
			   struct timeline_shades *shades, uint32_t row, int64_t time,
			   struct str *what, struct str *where)
{
	const struct timeline_row *r = &p->rows->list.data[row];
	const int32_t nth = timeline_nth_of(p, row);
	const struct timeline_counter *c = nth < 0 ? NULL : timeline_counter_of(p, (uint32_t)nth);
	const int64_t column = time_scale_column(&p->scale, time);
	const struct metric *metric = trace_metric(query->trace, r->metric);
	const char *about = trace_string(query->trace, metric->description);
	struct span w;

	if (r->of_group) {
		grouping_name(&p->rows->grouping, p->rows->trace, r->group, what);
		str_add(what, metric_is_rate(metric) ? "  sum of " : "  mean of ");
	} else {
		words_location(query->trace, r->location, false, what);
		str_add(what, "  ");
	}
	timeline_counter_name(query->trace, r->metric, what);
	if (!c || column < 0 || column >= p->scale.n)
		return;
	w = time_scale_window(&p->scale, (int)column);
	str_add(what, "  ");
	units_span(what, w.t0, w.t1, trace_scale(query->trace), 3);
	str_add(what, "  ");
	if (p->values.data[c->first + (size_t)column].known) {
		timeline_number_text(what, p->values.data[c->first + (size_t)column].value);
		add_unit(what, query->trace, metric);
	} else {
		str_add(what, c->summed ? "no value here" : "still being summed");
	}
	str_add(what, "  of ");
	timeline_counter_scale_text(c, query->trace, what);
	if (!r->of_group) {
		const struct counter_series *s =
			counters_series(timeline_shades_counters(shades, query->trace), query->base,
					r->location, r->metric);

		if (s)
			add_sample(where, s, w.t0, w.t1, trace_scale(query->trace));
	} else {
		str_add(where, metric_is_rate(metric) ? "sum of the group's rates"
						      : "mean of the group's values");
	}
	if (*about) {
		str_add(where, "; ");
		str_add_clean_text(where, about);
	}
}
