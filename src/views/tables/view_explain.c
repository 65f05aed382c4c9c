/* The table of explanations, as the key e shows them, for scripts and reports. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/exchange.h"
#include "model/trace/halo.h"
#include "views/explain/explain_keep.h"
#include "views/facts/place_words.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/tables/view_waits.h"

#define COLUMNS(ROW)                                                               \
	ROW(X_WAIT, "wait", "wait", COLUMN_INT, 4, true, true)                     \
	ROW(X_DEPTH, "depth", "depth", COLUMN_INT, 4, true, false)                 \
	ROW(X_EXPLAINS, "explains_s", "explains", COLUMN_DURATION, 10, true, true) \
	ROW(X_SHARE, "share", "share", COLUMN_SHARE, 7, true, true)                \
	ROW(X_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                    \
	ROW(X_TIME, "time_s", "at [s]", COLUMN_TIME, 13, true, true)               \
	ROW(X_SOURCE, "source", "place", COLUMN_TEXT, 14, true, true)              \
	ROW(X_LOCATION, "location", "location", COLUMN_TEXT, 0, true, false)       \
	ROW(X_EVENT, "event", "event", COLUMN_INT, 10, true, true)                 \
	ROW(X_METRIC, "metric", "metric", COLUMN_TEXT, 0, true, false)             \
	ROW(X_LOWER, "lower_s", "least", COLUMN_DURATION, 10, true, false)         \
	ROW(X_UPPER, "upper_s", "most", COLUMN_DURATION, 10, true, false)          \
	ROW(X_HOP, "hop", "hop", COLUMN_INT, 4, true, false)                       \
	ROW(X_TEXT, "sentence", "sentence", COLUMN_TEXT, 0, true, false)           \
	ROW(X_SENTENCE, "indented", "explanation", COLUMN_TEXT, 0, false, true)
enum { COLUMNS(COLUMN_ID) X_COLUMNS };
static const struct column columns[X_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct explain_row {
	struct explain_line line;
	uint64_t event; /* trace_event_number(), UINT64_MAX none */
	struct explain_sum sum;
	uint32_t wait;  /* number of the wait, from 1 */
	uint8_t metric; /* of the explained wait; CUBE_NONE: there is none */
	bool head;      /* the first of a chain */
	uint32_t hop;   /* of the chain, from 1; 0: none leads to the line */
};

/* ---- cells ---- */

static void add_source(const struct trace *trace, uint32_t path, struct str *out)
{
	const struct site *site;
	const struct region *region;

	if (path >= trace_callpath_count(trace) || trace_callpath(trace, path)->depth == 0)
		return;
	site = trace_site(trace, trace_callpath(trace, path)->site);
	region = trace_region(trace, site->region);
	words_source(trace, site->file ? site->file : region->file,
		     site->file ? site->line : region->line, out);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct explain_row *r = list_table_row(list, item);
	const struct explain_line *line = &r->line;
	const bool leads = line->location != UINT32_MAX;
	struct str *source = list_table_text(list), *indented = list_table_text(list);

	add_source(list->trace, line->path, source);
	str_add_fmt(indented, "%*s%s", 2 * (int)line->depth, "", line->text);
	v[X_WAIT] = value_integer(true, r->wait);
	v[X_DEPTH] = value_integer(true, line->depth);
	v[X_EXPLAINS] = value_duration(!isnan(line->ticks), line->ticks);
	v[X_SHARE] = value_real(r->sum.wait > 0 && !isnan(line->ticks),
				line->ticks / (r->sum.wait > 0 ? r->sum.wait : 1));
	v[X_RANK] = value_rank(leads ? trace_location(list->trace, line->location)->rank : -1);
	v[X_TIME] = value_integer(leads, line->time);
	v[X_SOURCE] = value_text(source->text);
	v[X_LOCATION] = leads ? value_location(list->trace, line->location) : value_text(NULL);
	v[X_EVENT] = value_event_number(list->trace, r->event);
	v[X_METRIC] = value_text(r->metric == CUBE_NONE
					 ? NULL
					 : cube_metric_info((enum cube_metric)r->metric)->name);
	v[X_LOWER] = value_duration(r->head && !isnan(r->sum.low), r->sum.low);
	v[X_UPPER] = value_duration(r->head && !isnan(r->sum.high), r->sum.high);
	v[X_HOP] = value_integer(r->hop > 0, r->hop);
	v[X_TEXT] = value_text(line->text);
	v[X_SENTENCE] = value_text(indented->text);
}

static void fini(struct list_table *list)
{
	for (uint32_t i = 0; i < list_table_row_count(list); i++)
		free(((struct explain_row *)list_table_row(list, i))->line.text);
}

/* ---- rows ---- */

/* The metric of the explained wait. */
static uint8_t metric_of(const struct explain *e, const struct trace *trace,
			 const struct analysis *analysis)
{
	const struct explain_subject *s = &e->subject;
	uint8_t metric = CUBE_NONE;
	size_t n = 0;
	const struct wait *waits =
		s->wait == UINT32_MAX ? NULL : analysis_waits(analysis, s->location, &n);

	if (s->wait < n)
		metric = waits[s->wait].metric;
	exchange_from(trace_exchange(trace), trace_process_of(trace, s->location), &metric,
		      sizeof metric);
	return metric;
}

static uint32_t hop_of(const struct explain *e, size_t line)
{
	for (size_t i = 0; i < e->hops.n; i++)
		if (e->hops.data[i].line == line)
			return (uint32_t)i + 1;
	return 0;
}

/* Moves the lines of `e` into the list. */
static void add_lines(struct list_table *list, struct explain *e, const struct analysis *analysis,
		      uint32_t nth)
{
	const uint8_t metric = metric_of(e, list->trace, analysis);

	for (size_t i = 0; i < e->lines.n; i++) {
		struct explain_line *line = &e->lines.data[i];

		/* Waits have the event at which they were found. */
		if (line->event == EVENT_NONE && line->wait != UINT32_MAX) {
			size_t n;
			const struct wait *of = analysis_waits(analysis, line->location, &n);
			if (line->wait < n) {
				line->event = of[line->wait].event;
				line->path = of[line->wait].path;
			}
		}
		list_table_add_row(list, &(struct explain_row){
						 *line, UINT64_MAX, e->sum, nth, metric,
						 metric != CUBE_NONE && i == 0, hop_of(e, i) });
		line->text = NULL;
	}
}

/* Where a line leads, in a trace that is shared. */
struct lead {
	uint32_t row, location, path;
	int64_t time;
	uint64_t event; /* number */
};

/* Events as numbers. Where a line leads the process knows that has the event: it tells all. */
static void share_leads(struct list_table *list)
{
	struct exchange *x = trace_exchange(list->trace);
	OWNED_VEC(struct lead) leads = VEC_INIT;
	const struct lead *lead;

	for (uint32_t i = 0; i < list_table_row_count(list); i++) {
		const struct explain_line *l =
			&((struct explain_row *)list_table_row(list, i))->line;
		if (l->event != EVENT_NONE)
			vec_push(&leads,
				 ((struct lead){ i, l->location, l->path, l->time,
						 trace_event_number(list->trace, l->event) }));
	}
	exchange_rows(x, &leads);
	vec_each (lead, &leads) {
		struct explain_row *row = list_table_row(list, lead->row);
		row->line.location = lead->location;
		row->line.path = lead->path;
		row->line.time = lead->time;
		row->event = lead->event;
	}
}

/* ---- with the trace ---- */

static const char keep_name[] = "longest-waits";

struct kept_row {
	struct explain_sum sum;
	uint64_t event;
	uint32_t wait, hop, metric, head;
};

static bool keeps(const struct query *query)
{
	return explain_keeps(query) && !query->export.at_event && !query->export.explain &&
	       (query->export.worst == 0 || query->export.worst == EXPLAIN_WORST);
}

static void keep_rows(const struct list_table *list, const struct query *query)
{
	const size_t n = list_table_row_count(list);
	OWNED struct explain_line *lines = xcalloc(n + 1, sizeof *lines);
	OWNED struct kept_row *rows = xcalloc(n + 1, sizeof *rows);
	struct piece piece = { VEC_INIT };

	for (uint32_t i = 0; i < n; i++) {
		const struct explain_row *row = list_table_row(list, i);

		lines[i] = row->line;
		rows[i] = (struct kept_row){ row->sum, row->event,  row->wait,
					     row->hop, row->metric, row->head };
	}
	piece_add(&piece, rows, n, sizeof *rows);
	explain_lines_add(&piece, query->trace, lines, n);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static void take_row(struct list_table *list, const struct kept_row *kept,
		     struct explain_line *line)
{
	list_table_add_row(list,
			   &(struct explain_row){
				   .line = *line,
				   .event = kept->event,
				   .sum = kept->sum,
				   .wait = kept->wait,
				   .metric = kept->metric < CUBE_METRICS ? (uint8_t)kept->metric
									 : (uint8_t)CUBE_NONE,
				   .head = kept->head != 0,
				   .hop = kept->hop,
			   });
	line->text = NULL;
}

static bool take_kept(struct list_table *list, const struct query *query)
{
	struct piece_reader reader;
	const struct kept_row *rows;
	struct explain_line *lines;
	size_t n, n_lines;
	bool ok;

	if (!keeps(query) || !piece_find(&reader, query->trace, keep_name, query->base))
		return false;
	rows = piece_next(&reader, sizeof *rows, &n);
	lines = explain_lines_next(&reader, query->trace, &n_lines);
	ok = lines && piece_ends(&reader) && n_lines == n;
	for (size_t i = 0; i < n && ok; i++)
		take_row(list, &rows[i], &lines[i]);
	if (lines)
		explain_lines_free(lines, n_lines);
	return ok;
}

/* ---- the longest waits ---- */

static bool add_worst(struct list_table *list, const struct query *query, struct analysis *analysis,
		      struct err *err)
{
	const uint32_t most = query->export.worst ? query->export.worst : EXPLAIN_WORST;
	const struct causes *causes = causes_of(analysis, query->progress, err);
	struct wait_places waits = VEC_INIT;
	struct wait_bounds bounds;
	const struct wait_place *wait;
	uint32_t nth = 0;

	if (!causes)
		return false;
	waits_longest(query, analysis, most, &waits);
	wait_bounds_begin(&bounds, query,
			  query->export.waits_for_bounds ? BOUNDS_WAIT : BOUNDS_PEEK);
	vec_each (wait, &waits) {
		struct explain e = { .subject = { .location = wait->location,
						  .wait = wait->index,
						  .enter = EVENT_NONE,
						  .message = UINT32_MAX } };

		if (query_stopped(query))
			break;
		explain_chain(&e, query, analysis, causes, &bounds);
		add_lines(list, &e, analysis, ++nth);
		explain_fini(&e);
	}
	vec_fini(&waits);
	return true;
}

/* The process that has the event that is asked about. */
static uint32_t process_that_has_it(const struct query *query)
{
	struct exchange *x = trace_exchange(query->trace);
	const int64_t process = exchange_process(x);

	return (uint32_t)exchange_latest(x, query->export.event != EVENT_NONE ? process : -1);
}

static struct explain_subject subject_of(const struct query *query)
{
	struct exchange *x = trace_exchange(query->trace);
	struct explain_subject subject;

	if (query->export.event != EVENT_NONE)
		explain_event(&subject, query, query->export.event);
	exchange_from(x, process_that_has_it(query), &subject, sizeof subject);
	return subject;
}

static void add_subject(struct list_table *list, const struct query *query,
			const struct analysis *analysis, const struct explain_subject *subject)
{
	struct explain e = { 0 };

	explain_begin(&e, query, subject);
	while (!query_stopped(query) && explain_work(&e, query, SLICE_NS))
		;
	add_lines(list, &e, analysis, 1);
	explain_fini(&e);
}

struct table *explain_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .row_size = sizeof(struct explain_row) };
	struct list_table *list;
	struct analysis *analysis;
	bool ok = true;

	list = list_table_new(sizeof *list, &ops, columns, X_COLUMNS, query->trace);
	if (take_kept(list, query))
		return list_table_done(list, true);
	if (!query_analysis(query, &analysis, err))
		return list_table_done(list, false);
	if (query->export.at_event) {
		const struct explain_subject subject = subject_of(query);
		add_subject(list, query, analysis, &subject);
	} else if (query->export.explain) {
		add_subject(list, query, analysis, query->export.explain);
	} else {
		ok = !analysis || add_worst(list, query, analysis, err);
	}
	share_leads(list);
	if (ok && analysis && keeps(query))
		keep_rows(list, query);
	return list_table_done(list, ok);
}
