#include "views/tables/view_waits.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "patterns/analysis/wait_numbers.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/place_words.h"
#include "views/facts/time_range.h"
#include "views/facts/wait_find.h"
#include "views/query/analyses.h"
#include "views/query/table_gather.h"
#include "views/query/view_common.h"
#include "views/query/wait_sums.h"

#define ALL_COLUMNS(ROW)                                                                \
	ROW(W_WAITED, "waited_s", "waited", COLUMN_DURATION, 10, true, true)            \
	ROW(W_RANGE, "bounds", "bounds", COLUMN_TEXT, 15, false, false)                 \
	ROW(W_BEGIN, "begin_s", "from [s]", COLUMN_TIME, 13, true, true)                \
	ROW(W_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                         \
	ROW(W_REGION, "region", "in", COLUMN_NAME, 16, true, true)                      \
	ROW(W_SOURCE, "line", "line", COLUMN_TEXT, 14, true, true)                      \
	ROW(W_PARTNER, "partner_rank", "for rank", COLUMN_RANK, 8, true, true)          \
	ROW(W_BYTES, "bytes", "message", COLUMN_BYTES, 9, true, true)                   \
	ROW(W_OPERATION, "operation", "collective", COLUMN_TEXT, 14, true, true)        \
	ROW(W_KIND, "kind", "kind", COLUMN_TEXT, 0, false, true)                        \
	ROW(W_METRIC, "metric", "metric", COLUMN_TEXT, 0, true, false)                  \
	ROW(W_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, false)           \
	ROW(W_LOCATION, "location", "location", COLUMN_TEXT, 0, true, false)            \
	ROW(W_REMARKS, "remarks", "remarks", COLUMN_TEXT, 16, true, true)               \
	ROW(W_EVENT, "event", "event", COLUMN_INT, 10, true, false)                     \
	ROW(W_PARTNER_EVENT, "partner_event", "its event", COLUMN_INT, 10, true, false) \
	ROW(W_LOWER, "lower_s", "least", COLUMN_DURATION, 10, true, false)              \
	ROW(W_UPPER, "upper_s", "most", COLUMN_DURATION, 10, true, false)               \
	ROW(W_CALLPATH_ID, "callpath_id", "path", COLUMN_INT, 8, true, false)
enum { ALL_COLUMNS(COLUMN_ID) W_COLUMNS };
static const struct column all_columns[W_COLUMNS] = { ALL_COLUMNS(COLUMN_ROW) };

struct waits_table {
	struct list_table list;
	const struct analysis *analysis;
	struct wait_numbers
		*numbers; /* [rows] where several processes share the trace, else NULL */
	struct wait_bounds bounds;
	struct wait_statistics statistics;
	const struct clock_room *room; /* NULL: clocks were not compared */
	enum time_base base;
};

static const struct wait *wait_at(const struct waits_table *t, uint32_t item)
{
	const struct wait_place *place = list_table_row(&t->list, item);
	size_t n;

	return analysis_waits(t->analysis, place->location, &n) + place->index;
}

/* ---- cells ---- */

/* The message that an event sends, receives or completes; NULL: none. */
static const struct message *message_at(const struct trace *trace, uint32_t event)
{
	const uint32_t what = event == EVENT_NONE ? 0 : trace_event_what(trace, event);

	switch (event == EVENT_NONE ? EV_ENTER : what_kind(what)) {
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
		return what_id(what) < trace_message_count(trace)
			       ? trace_message(trace, what_id(what))
			       : NULL;
	default: return NULL;
	}
}

static const char *operation_at(const struct trace *trace, uint32_t event)
{
	const uint32_t what = event == EVENT_NONE ? 0 : trace_event_what(trace, event);

	switch (event == EVENT_NONE ? EV_ENTER : what_kind(what)) {
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END:
		return trace_region_name(trace,
					 trace_collective(trace,
							  trace_member_collective(trace,
										  what_id(what)))
						 ->region);
	default: return NULL;
	}
}

/* A device has no rank: the name of its stream identifies it. */
static const char *remark(const struct trace *trace, const struct wait *w)
{
	if (w->metric == CUBE_DEVICE_WAIT && w->partner != EVENT_NONE)
		return trace_string(trace,
				    trace_location(trace, trace_event_location(trace, w->partner))
					    ->name);
	if (w->flags & WAIT_WRONG_ORDER)
		return w->flags & WAIT_SAME_SOURCE ? "wrong order, same source" : "wrong order";
	return w->flags & WAIT_EXTENDED ? "extension" : NULL;
}

static void add_remarks(const struct waits_table *t, uint32_t location, const struct wait *w,
			struct str *out)
{
	const struct trace *trace = t->list.trace;
	const char *one = remark(trace, w);

	if (one)
		str_add(out, one);
	if (clock_bounds_unsure(t->room, trace, t->base, location, w))
		str_add_fmt(out, "%suncertain", out->n ? ", " : "");
}

/* The widest bounds of a clock, ticks; 0 without. */
static double widest(const struct waits_table *t)
{
	double most = 0;

	for (uint32_t l = 0; t->room && t->room->done && l < t->room->locations; l++) {
		const struct room_span usual = clock_bounds_usual(t->room, l);
		most = fmax(most, usual.high - usual.low);
	}
	return most;
}

static void add_source(const struct trace *trace, uint32_t path, struct str *out)
{
	const struct site *site = trace_site(trace, trace_callpath(trace, path)->site);

	if (path)
		words_source(trace, site->file, site->line, out);
}

static void range_cells(struct waits_table *t, uint32_t location, const struct wait *w,
			struct value *v)
{
	double low, high;
	const bool known = wait_range(&t->bounds, location, w, &low, &high);
	struct str *range = list_table_text(&t->list);

	if (known)
		time_range_text(range, low, high, 4, trace_scale(t->list.trace));
	v[W_RANGE] = value_text(range->text);
	v[W_LOWER] = value_duration(known, low);
	v[W_UPPER] = value_duration(known, high);
}

static struct value number_cell(const struct waits_table *t, uint64_t number)
{
	return value_event_number(t->list.trace, number < EVENT_NONE ? number : UINT64_MAX);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct waits_table *t = (struct waits_table *)list;
	const struct wait *w = wait_at(t, item);
	const uint32_t location = ((struct wait_place *)list_table_row(list, item))->location;
	const struct message *m = message_at(t->list.trace, w->event);
	struct str *path = list_table_text(list), *source = list_table_text(list);
	struct str *remarks = list_table_text(list);

	if (w->path)
		trace_callpath_text(t->list.trace, w->path, path);
	add_source(t->list.trace, w->path, source);
	v[W_WAITED] = value_integer(true, w->length);
	range_cells(t, location, w, v);
	v[W_BEGIN] = value_integer(true, w->begin);
	v[W_EVENT] = number_cell(t, t->numbers ? t->numbers[item].event : w->event);
	v[W_PARTNER_EVENT] = number_cell(t, t->numbers ? t->numbers[item].partner : w->partner);
	v[W_RANK] = value_rank(trace_location(t->list.trace, location)->rank);
	v[W_REGION] = value_text(
		w->path ? trace_region_name(t->list.trace,
					    trace_callpath_region(t->list.trace, w->path))
			: NULL);
	v[W_SOURCE] = value_text(source->text);
	v[W_PARTNER] = value_partner(t->list.trace, wait_partner(t->list.trace, w));
	v[W_BYTES] = value_bytes(m && !(m->flags & MSG_NO_BYTES) ? message_bytes(m) : UINT64_MAX);
	v[W_OPERATION] = value_text(operation_at(t->list.trace, w->event));
	v[W_KIND] = value_text(cube_metric_info((enum cube_metric)w->metric)->title);
	v[W_METRIC] = value_text(cube_metric_info((enum cube_metric)w->metric)->name);
	v[W_CALLPATH] = value_text(path->text);
	v[W_CALLPATH_ID] = value_callpath_id(t->list.trace, w->path);
	v[W_LOCATION] = value_location(t->list.trace, location);
	add_remarks(t, location, w, remarks);
	v[W_REMARKS] = value_text(remarks->text);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct wait_place *place = list_table_row(list, item);

	return (struct row_thing){ THING_WAIT, place->index, place->location };
}

/* ---- which rows ---- */

/* [call path]: true if it is the query's or below it. The caller frees it. */
static bool *paths_within(const struct query *query)
{
	const struct trace *trace = query->trace;
	const uint32_t n = trace_callpath_count(trace);
	bool *within = xcalloc((size_t)n + 1, sizeof *within);
	const uint32_t top =
		query->callpath < n ? trace_callpath(trace, query->callpath)->canon : UINT32_MAX;

	/* Parents of canonical call paths have smaller numbers than their children. */
	for (uint32_t p = 0; p < n; p++)
		within[p] =
			top == UINT32_MAX || p == top ||
			(p &&
			 within[trace_callpath(trace, trace_callpath(trace, p)->parent)->canon]);
	/* If the root is chosen, only time outside all regions counts. */
	for (uint32_t p = 1; top == 0 && p < n; p++)
		within[p] = false;
	return within;
}

static bool is_wanted(const struct query *query, const bool *within, uint32_t location,
		      const struct wait *w)
{
	return within[w->path] && wait_is_of(w, (enum cube_metric)query->metric) &&
	       (wait_counts(w) || w->metric == query->metric) &&
	       (query->t1 == INT64_MAX || w->begin < query->t1) &&
	       (query->t0 == INT64_MIN || w->begin + w->length > query->t0) &&
	       filter_callpath(query->filter, location, w->path);
}

struct sorted {
	int64_t length, begin;
	struct wait_place place;
};

static int by_length(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	ORDER_BY(y->length, x->length);
	ORDER_BY(x->begin, y->begin);
	ORDER_BY(x->place.location, y->place.location);
	return ORDER(x->place.index, y->place.index);
}

typedef VEC(struct sorted) sorted_waits;

/* False if stopped. */
static bool collect(const struct analysis *analysis, const struct query *query, sorted_waits *found)
{
	OWNED bool *within = paths_within(query);
	bool going = true;

	for (uint32_t i = 0; going && i < query_location_count(query); i++) {
		const uint32_t location = query_location(query, i);
		size_t n;
		const struct wait *waits = analysis_waits(analysis, location, &n);
		for (size_t k = 0; k < n; k++)
			if (is_wanted(query, within, location, &waits[k])) {
				const struct sorted s = { waits[k].length,
							  waits[k].begin,
							  { location, (uint32_t)k } };
				vec_push(found, s);
			}
		going = !query_stopped(query);
	}
	if (found->n)
		vec_sort(found, by_length);
	return going;
}

void waits_longest(const struct query *query, const struct analysis *analysis, size_t most,
		   struct wait_places *longest)
{
	struct exchange *x = trace_exchange(query->trace);
	sorted_waits found = VEC_INIT;

	collect(analysis, query, &found);
	found.n = found.n < most ? found.n : most;
	exchange_rows(x, &found);
	vec_sort(&found, by_length);
	for (size_t i = 0; i < found.n && i < most; i++)
		vec_push(longest, found.data[i].place);
	vec_fini(&found);
}

/* The value at (n - 1) p in ascending order; `waits` are in descending order. */
static int64_t quantile(const sorted_waits *waits, double p)
{
	const double at = (double)(waits->n - 1) * p;
	const size_t low = (size_t)at, high = low + 1 < waits->n ? low + 1 : low;
	const double a = (double)waits->data[waits->n - 1 - low].length;
	const double b = (double)waits->data[waits->n - 1 - high].length;

	return llround(a + (b - a) * (at - (double)low));
}

static void make_statistics(struct wait_statistics *s, const sorted_waits *waits)
{
	double squares = 0;

	*s = (struct wait_statistics){ .count = waits->n };
	if (waits->n == 0)
		return;
	for (size_t i = 0; i < waits->n; i++)
		s->sum += (double)waits->data[i].length;
	s->mean = s->sum / (double)waits->n;
	/* Around the mean: a sum of squares would lose small differences. */
	for (size_t i = 0; i < waits->n; i++)
		squares += ((double)waits->data[i].length - s->mean) *
			   ((double)waits->data[i].length - s->mean);
	s->variance = squares / (double)waits->n;
	s->max = waits->data[0].length;
	s->min = waits->data[waits->n - 1].length;
	s->lower = quantile(waits, 0.25);
	s->median = quantile(waits, 0.5);
	s->upper = quantile(waits, 0.75);
}

/* Hides columns in which all rows would be empty or equal. */
static void hide_columns(struct waits_table *t)
{
	enum { OF_GROUP, OF_MESSAGE, LINES, MARKED, WITH };
	uint64_t with[WITH + CUBE_METRICS] = { 0 }; /* rows */
	const double short_ones = widest(t);
	unsigned kinds = 0;

	for (uint32_t i = 0; i < list_table_row_count(&t->list); i++) {
		const struct wait *w = wait_at(t, i);
		with[OF_GROUP] += (w->flags & WAIT_COLLECTIVE) != 0;
		with[OF_MESSAGE] += message_at(t->list.trace, w->event) != NULL;
		with[MARKED] += (double)w->length < short_ones || remark(t->list.trace, w) != NULL;
		with[WITH + w->metric]++;
		with[LINES] += w->path && trace_site(t->list.trace,
						     trace_callpath(t->list.trace, w->path)->site)
						  ->line;
	}
	exchange_sums(trace_exchange(t->list.trace), with, ARRAY_SIZE(with));
	for (int m = 0; m < CUBE_METRICS; m++)
		kinds += with[WITH + m] > 0;
	t->list.columns[W_SOURCE].on_screen = with[LINES] > 0;
	t->list.columns[W_BYTES].on_screen = with[OF_MESSAGE] > 0;
	t->list.columns[W_OPERATION].on_screen = with[OF_GROUP] > 0;
	t->list.columns[W_KIND].on_screen = kinds > 1;
	t->list.columns[W_REMARKS].on_screen = with[MARKED] > 0;
}

static void fini(struct list_table *list)
{
	free(((struct waits_table *)list)->numbers);
}

static const struct list_ops ops = {
	.cells = cells, .fini = fini, .row_size = sizeof(struct wait_place), .thing = thing
};

static bool fill(struct waits_table *t, const struct query *query, sorted_waits *found)
{
	const bool all = collect(t->analysis, query, found);

	for (size_t i = 0; all && i < found->n; i++)
		list_table_add_row(&t->list, &found->data[i].place);
	hide_columns(t);
	if (all)
		make_statistics(&t->statistics, found);
	return all;
}

/* The rows of all processes. */
static struct table *share(struct waits_table *t, struct exchange *x, const sorted_waits *found)
{
	OWNED struct row_key *keys = xcalloc(found->n + 1, sizeof *keys);

	t->numbers = wait_numbers_of(t->analysis, list_table_row(&t->list, 0), found->n);
	for (size_t i = 0; i < found->n; i++) {
		const struct sorted *s = &found->data[i];
		keys[i] = (struct row_key){ { -s->length, s->begin, s->place.location,
					      s->place.index } };
	}
	return table_gather(&t->list.table, x, keys);
}

struct table *waits_table_new(const struct query *query, struct err *err)
{
	struct exchange *x = trace_exchange(query->trace);
	sorted_waits found = VEC_INIT;
	struct waits_table *t;
	struct analysis *analysis;
	struct table *table;

	if (!query_analysis(query, &analysis, err))
		return NULL;
	t = list_table_new(sizeof *t, &ops, all_columns, W_COLUMNS, query->trace);
	t->list.table.sorted_by = W_WAITED;
	t->list.table.descending = true;
	t->analysis = analysis;
	t->room = query->corrections ? &query->corrections->room : NULL;
	t->base = query->base;
	wait_bounds_begin(&t->bounds, query,
			  query->export.waits_for_bounds ? BOUNDS_WAIT : BOUNDS_PEEK);
	t->list.columns[W_RANGE].on_screen = t->bounds.of[0] != NULL;
	table = list_table_done(&t->list, !analysis || fill(t, query, &found));
	if (table && analysis && x)
		table = share(t, x, &found);
	vec_fini(&found);
	return table;
}

const struct wait *waits_table_wait(const struct table *table, uint64_t row)
{
	const struct waits_table *t = (const struct waits_table *)(const void *)table;

	return wait_at(t, list_table_item(&t->list, row));
}

const struct wait_statistics *waits_table_statistics(const struct table *table)
{
	return &((const struct waits_table *)(const void *)table)->statistics;
}
