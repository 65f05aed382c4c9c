/* Markers of the trace on the ruler, and their texts. */
#include <string.h>

#include "base/order.h"
#include "model/trace/detail.h"
#include "ui/timeline/drawing/timeline_draw.h"

enum { LOOKED_AT = 16 };

/* The first marker that is not before t. */
static size_t first_marker(const struct trace *trace, int64_t t)
{
	size_t low = 0, high = trace_marker_count(trace);

	BISECT(low, high, mid, trace_marker(trace, mid)->time < t);
	return low;
}

static enum role role_of(uint8_t severity)
{
	return severity >= 3 ? ROLE_ERROR : severity == 2 ? ROLE_WARNING : ROLE_GOOD;
}

void timeline_markers_draw(const struct trace *trace, const struct time_scale *scale, int x0, int y,
			   struct canvas *canvas)
{
	const size_t n = trace_marker_count(trace);
	size_t i = first_marker(trace, scale->t0);

	/* One search a column, however many markers there are. */
	while (i < n && trace_marker(trace, i)->time < scale->t1) {
		const int x = (int)time_scale_column(scale, trace_marker(trace, i)->time);
		const int64_t end = time_scale_edge(scale, x + 1);
		uint8_t worst = 0;

		for (size_t k = i; k < n && k < i + LOOKED_AT && trace_marker(trace, k)->time < end;
		     k++)
			if (trace_marker(trace, k)->severity > worst)
				worst = trace_marker(trace, k)->severity;
		canvas_put(canvas, x0 + x, y, theme_glyph(GLYPH_ARROW_DOWN, canvas->ascii),
			   role_of(worst), ROLE_DEFAULT, ATTR_BOLD);
		i = first_marker(trace, end);
	}
}

bool timeline_marker_text(const struct trace *trace, const struct time_scale *scale, int64_t time,
			  struct str *out)
{
	const int64_t column = time_scale_column(scale, time);
	const struct marker *m;
	size_t i, more;
	int64_t end;

	if (column < 0 || column >= scale->n || trace_marker_count(trace) == 0)
		return false;
	end = time_scale_edge(scale, (int)column + 1);
	i = first_marker(trace, time_scale_edge(scale, (int)column));
	more = first_marker(trace, end) - i;
	if (more == 0)
		return false;
	m = trace_marker(trace, i);
	str_add(out, "marker ");
	str_add_clean_text(out, trace_string(trace, m->category));
	str_add(out, ": ");
	str_add_clean_text(out, trace_string(trace, m->text));
	str_add(out, "  at ");
	units_human_time(out, m->time, trace_scale(trace), 6);
	if (m->duration > 0) {
		str_add(out, " for ");
		units_human_time(out, m->duration, trace_scale(trace), 4);
	}
	if (more > 1) {
		str_add(out, "  and ");
		units_count(out, more - 1);
		str_add(out, " more");
	}
	return true;
}

const struct marker *timeline_next_marker(const struct trace *trace, int64_t time)
{
	const size_t n = trace_marker_count(trace);
	const size_t i = time < INT64_MAX ? first_marker(trace, time + 1) : n;

	return n ? trace_marker(trace, i < n ? i : 0) : NULL;
}
