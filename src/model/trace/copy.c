#include "model/trace/copy.h"

#include "base/exchange.h"
#include "base/order.h"
#include "model/trace/store.h"

/* ---- ends ---- */

uint32_t copy_from(const struct trace *trace, const struct copy *copy)
{
	return copy->put ? trace_event_location(trace, copy->begin) : copy->other;
}

uint32_t copy_to(const struct trace *trace, const struct copy *copy)
{
	return copy->put ? copy->other : trace_event_location(trace, copy->begin);
}

static bool is_device(const struct trace *trace, uint32_t location)
{
	return location < trace->locations.n &&
	       trace->locations.data[location].type == LOCATION_ACCELERATOR;
}

enum copy_direction copy_direction_of(const struct trace *trace, uint32_t from, uint32_t to)
{
	if (!is_device(trace, to))
		return COPY_TO_HOST;
	return is_device(trace, from) ? COPY_ON_DEVICE : COPY_TO_DEVICE;
}

enum copy_direction copy_direction(const struct trace *trace, const struct copy *copy)
{
	return copy_direction_of(trace, copy_from(trace, copy), copy_to(trace, copy));
}

const char *copy_direction_name(enum copy_direction direction)
{
	static const char *const names[] = { "to device", "to host", "on device" };

	return names[direction];
}

bool copy_span(const struct trace *trace, enum time_base base, const struct copy *copy,
	       int64_t *begin, int64_t *end)
{
	const bool complete = copy->end != EVENT_NONE;

	*begin = store_event_time(trace, base, copy->begin);
	*end = complete ? store_event_time(trace, base, copy->end) : *begin;
	return complete;
}

int64_t copy_rate(const struct trace *trace, uint64_t bytes, int64_t ticks)
{
	const double per_second =
		(double)bytes / units_part_seconds((double)ticks, trace_scale(trace));

	return per_second < 1e18 ? (int64_t)(per_second + 0.5) : INT64_MAX;
}

/* ---- words ---- */

static void add_location(const struct trace *trace, const char *before, uint32_t location,
			 struct str *out)
{
	str_add(out, before);
	if (location < trace->locations.n)
		str_add_clean_text(out, trace_string(trace, trace->locations.data[location].name));
	else
		str_add(out, "an unknown location");
}

void copy_text(const struct trace *trace, const struct copy *copy, struct str *out)
{
	const enum copy_direction direction = copy_direction(trace, copy);
	int64_t begin, end;

	str_add_fmt(out, "copy %s", copy_direction_name(direction));
	if (direction != COPY_TO_HOST)
		add_location(trace, " from ", copy_from(trace, copy), out);
	if (direction != COPY_TO_DEVICE)
		add_location(trace, " to ", copy_to(trace, copy), out);
	str_add(out, ", ");
	units_bytes(out, copy->bytes);
	if (!copy_span(trace, BASE_MEASURED, copy, &begin, &end)) {
		str_add(out, ", no end recorded");
		return;
	}
	str_add(out, " in ");
	units_human_time(out, end - begin, trace_scale(trace), 4);
	if (end > begin) {
		str_add(out, " (");
		units_bytes(out, (uint64_t)copy_rate(trace, copy->bytes, end - begin));
		str_add(out, "/s)");
	}
}

/* ---- where ---- */

static const struct copy *row_at(const struct trace *trace, uint32_t row)
{
	return &trace->copies.data[row];
}

/* The first row of a location above `location`. */
static uint32_t rows_up_to(const struct trace *trace, uint32_t from, uint32_t location)
{
	uint32_t low = from, high = (uint32_t)trace->copies.n;

	BISECT(low, high, mid, trace_event_location(trace, row_at(trace, mid)->begin) <= location);
	return low;
}

static uint32_t first_row(const struct trace *trace, uint32_t location)
{
	return location ? rows_up_to(trace, 0, location - 1) : 0;
}

/* Of rows from .. to - 1, of one location, the first that does not begin before t. */
static uint32_t begun_before(const struct trace *trace, enum time_base base, uint32_t from,
			     uint32_t to, int64_t t)
{
	uint32_t low = from, high = to;

	BISECT(low, high, mid, store_event_time(trace, base, row_at(trace, mid)->begin) < t);
	return low;
}

bool trace_has_copies(const struct trace *trace)
{
	return exchange_any(trace->exchange, trace->copies.n > 0);
}

uint32_t trace_copy_of(const struct trace *trace, uint32_t event)
{
	uint32_t location, low, high, first;
	uint64_t ordinal;

	if (trace->copies.n == 0 || what_kind(trace_event_what(trace, event)) != EV_RMA)
		return UINT32_MAX;
	location = trace_event_location(trace, event);
	ordinal = trace_event_ordinal(trace, event);
	low = first = first_row(trace, location);
	high = rows_up_to(trace, first, location);
	BISECT(low, high, mid, trace_event_ordinal(trace, row_at(trace, mid)->begin) <= ordinal);
	if (low == first)
		return UINT32_MAX;
	/* One that ends here is not complete when the last one before here begins. */
	for (uint32_t row = low, n = row_at(trace, low - 1)->back + 1; n > 0; n--) {
		const struct copy *copy = row_at(trace, --row);

		if (copy->begin == event || copy->end == event)
			return row;
	}
	return UINT32_MAX;
}

/* ---- windows ---- */

void copies_in_window(struct copy_query *q, const struct trace *trace, enum time_base base,
		      int64_t t0, int64_t t1)
{
	*q = (struct copy_query){
		.trace = trace, .base = base, .t0 = t0, .t1 = t1, .end = (uint32_t)trace->copies.n
	};
}

/* To the rows of the next location. Those that end in or after the window are not complete when the
 * last one before it begins. */
static void next_location(struct copy_query *q)
{
	const struct trace *trace = q->trace;
	const uint32_t first = q->after;
	uint32_t before;

	q->after =
		rows_up_to(trace, first, trace_event_location(trace, row_at(trace, first)->begin));
	q->stop = begun_before(trace, q->base, first, q->after, q->t1);
	before = begun_before(trace, q->base, first, q->stop, q->t0);
	q->next = before > first ? before - 1 - row_at(trace, before - 1)->back : first;
}

void copies_of_location(struct copy_query *q, const struct trace *trace, enum time_base base,
			uint32_t location, int64_t t0, int64_t t1)
{
	copies_in_window(q, trace, base, t0, t1);
	q->after = first_row(trace, location);
	q->end = rows_up_to(trace, q->after, location);
}

bool copy_query_next(struct copy_query *q, uint32_t *row)
{
	int64_t begin, end;

	for (;;) {
		while (q->next < q->stop) {
			*row = q->next++;
			copy_span(q->trace, q->base, row_at(q->trace, *row), &begin, &end);
			if (end >= q->t0)
				return true;
		}
		if (q->after >= q->end)
			return false;
		next_location(q);
	}
}

uint64_t copies_before(const struct trace *trace, enum time_base base, int64_t t)
{
	uint64_t n = 0;

	for (uint32_t first = 0, after; first < trace->copies.n; first = after) {
		after = rows_up_to(trace, first,
				   trace_event_location(trace, row_at(trace, first)->begin));
		n += begun_before(trace, base, first, after, t) - first;
	}
	return n;
}
