#include "views/tables/view_calls.h"

#include <stdlib.h>

#include "base/clock.h"
#include "model/trace/gap.h"
#include "views/facts/call_walk.h"
#include "views/facts/cause_words.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/place_words.h"
#include "views/facts/wait_find.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                              \
	ROW(C_DURATION, "duration_s", "took", COLUMN_DURATION, 10, true, true)    \
	ROW(C_BEGIN, "begin_s", "from [s]", COLUMN_TIME, 13, true, true)          \
	ROW(C_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                   \
	ROW(C_REGION, "region", "region", COLUMN_NAME, 16, true, true)            \
	ROW(C_WAITING, "waiting_s", "waiting", COLUMN_DURATION, 10, true, true)   \
	ROW(C_FOR, "waits_for_rank", "for rank", COLUMN_RANK, 8, true, true)      \
	ROW(C_KIND, "wait", "wait", COLUMN_TEXT, 14, true, true)                  \
	ROW(C_CAUSE, "cause", "cause", COLUMN_TEXT, 24, true, true)               \
	ROW(C_REMARKS, "remarks", "remarks", COLUMN_TEXT, 9, true, true)          \
	ROW(C_EXCLUSIVE, "exclusive_s", "own", COLUMN_DURATION, 10, true, true)   \
	ROW(C_BYTES, "bytes", "bytes", COLUMN_BYTES, 9, true, true)               \
	ROW(C_PARTNER, "partner_rank", "with", COLUMN_RANK, 5, true, true)        \
	ROW(C_COMM, "comm", "comm", COLUMN_TEXT, 12, true, true)                  \
	ROW(C_SOURCE, "line", "line", COLUMN_TEXT, 14, true, true)                \
	ROW(C_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, true)      \
	ROW(C_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)             \
	ROW(C_LOCATION, "location", "location", COLUMN_TEXT, 0, true, false)      \
	ROW(C_OPEN, "open_at_end", "open at the end", COLUMN_INT, 3, true, false) \
	ROW(C_EVENT, "event", "event", COLUMN_INT, 10, true, false)               \
	ROW(C_CALLPATH_ID, "callpath_id", "path", COLUMN_INT, 8, true, false)
enum calls_column { COLUMNS(COLUMN_ID) C_COLUMNS };
static const struct column columns[C_COLUMNS] = { COLUMNS(COLUMN_ROW) };

/* What both tables have beside their rows. */
struct calls_common {
	struct query query;
	struct analysis *analysis;    /* of waits; NULL: not known */
	struct cause_ends *ends;      /* of their causes; NULL: not known */
	struct str path, line, cause; /* texts of the row */
};

static void common_init(struct calls_common *c, const struct query *query)
{
	c->query = *query;
	str_init(&c->path);
	str_init(&c->line);
	str_init(&c->cause);
}

/* Where waits and their causes are known. */
static void common_take(struct calls_common *c, struct analysis *analysis)
{
	const struct causes *causes = analysis ? query_causes(&c->query, analysis) : NULL;

	c->analysis = analysis;
	if (causes)
		c->ends = cause_ends_new(causes);
}

static void common_fini(struct calls_common *c)
{
	str_fini(&c->path);
	str_fini(&c->line);
	str_fini(&c->cause);
	cause_ends_free(c->ends);
}

/* ---- cells ---- */

static void add_cause(struct calls_common *c, uint32_t location, const struct wait *wait)
{
	size_t n;
	const struct wait *waits = analysis_waits(c->analysis, location, &n);
	const struct cause_end end = cause_ends_of(c->ends, location, (uint32_t)(wait - waits));

	str_clear(&c->cause);
	words_cause_end(c->query.trace, &end, &c->cause);
}

/* Whether its longest wait may be none. */
static bool is_unsure(const struct calls_common *c, uint32_t location, const struct wait *wait)
{
	const struct query *q = &c->query;

	return wait && q->corrections &&
	       clock_bounds_unsure(&q->corrections->room, q->trace, q->base, location, wait);
}

static void wait_cells(struct calls_common *c, const struct call *call, struct value *v)
{
	struct visit_waits waits = { NULL, 0, 0 };
	const struct wait *longest;

	if (c->analysis)
		waits = waits_of_visit(c->analysis, call->location, call->path, call->begin,
				       call->end);
	longest = waits.longest;
	v[C_WAITING] = value_integer(c->analysis && trace_callpath_class(c->query.trace,
									 call->path) != CLASS_USER,
				     waits.length);
	v[C_FOR] = value_partner(c->query.trace,
				 longest ? wait_partner(c->query.trace, longest) : UINT32_MAX);
	v[C_KIND] = value_text(longest ? cube_metric_info((enum cube_metric)longest->metric)->title
				       : NULL);
	if (longest && c->ends)
		add_cause(c, call->location, longest);
	v[C_CAUSE] = value_text(longest && c->ends ? c->cause.text : NULL);
	v[C_REMARKS] = value_text(is_unsure(c, call->location, longest) ? "uncertain" : NULL);
}

static void traffic_cells(const struct calls_common *c, const struct call_source *source,
			  const struct call *call, struct value *v)
{
	const struct call_traffic t = call_traffic(source, call);

	v[C_BYTES] = value_bytes(t.bytes);
	v[C_PARTNER] = value_rank(t.partner);
	v[C_COMM] = value_comm(c->query.trace, t.comm);
}

static void place_cells(struct calls_common *c, const struct call *call, struct value *v)
{
	const struct trace *trace = c->query.trace;
	const struct location *location = trace_location(trace, call->location);
	const struct site *site = trace_site(trace, trace_callpath(trace, call->path)->site);

	str_clear(&c->path);
	trace_callpath_text(trace, call->path, &c->path);
	str_clear(&c->line);
	words_source(trace, site->file, site->line, &c->line);
	v[C_RANK] = value_rank(location->rank);
	v[C_THREAD] = value_integer(true, location->thread);
	v[C_LOCATION] = value_location(trace, call->location);
	v[C_REGION] =
		value_text(trace_region_name(trace, trace_callpath_region(trace, call->path)));
	v[C_SOURCE] = value_text(c->line.text);
	v[C_CALLPATH] = value_text(c->path.text);
}

static void call_cells(struct calls_common *c, const struct call_source *source,
		       const struct call *call, struct value *v)
{
	const int64_t duration = call->end - call->begin;
	const double estimated = (double)gap_time_of_visit(c->query.trace, c->query.base,
							   call->location, call->begin, call->end);

	v[C_DURATION] = value_integer(true, duration);
	value_estimated(&v[C_DURATION], estimated, (double)duration);
	v[C_BEGIN] = value_integer(true, call->begin);
	v[C_EXCLUSIVE] = value_integer(true, call->exclusive);
	value_estimated(&v[C_EXCLUSIVE], estimated, (double)call->exclusive);
	v[C_OPEN] = value_integer(true, call->leave == EVENT_NONE);
	v[C_EVENT] = value_event(c->query.trace, call->enter);
	v[C_CALLPATH_ID] = value_callpath_id(c->query.trace, call->path);
	place_cells(c, call, v);
	wait_cells(c, call, v);
	traffic_cells(c, source, call, v);
}

/* ---- all of them, by begin ---- */

struct calls_table {
	struct table table;
	struct calls_common common;
	struct call_walk walk;
};

static struct calls_table *calls_of_table(struct table *table)
{
	return (struct calls_table *)table;
}

static void walk_free(struct table *table)
{
	OWNED struct calls_table *t = calls_of_table(table);

	call_walk_fini(&t->walk);
	common_fini(&t->common);
}

static uint64_t walk_first(struct table *table)
{
	return call_walk_first(&calls_of_table(table)->walk);
}

static uint64_t walk_next(struct table *table, uint64_t row)
{
	return call_walk_next(&calls_of_table(table)->walk, row);
}

static void walk_cells(struct table *table, uint64_t row, struct value *v)
{
	struct calls_table *t = calls_of_table(table);
	const struct call call = call_walk_call(&t->walk, row);

	call_cells(&t->common, &t->walk.source, &call, v);
}

static const struct table_ops walk_ops = {
	.free = walk_free, .first = walk_first, .next = walk_next, .cells = walk_cells
};

static struct row_key key_of(const struct table *table, uint64_t row)
{
	return call_walk_key(&((const struct calls_table *)(const void *)table)->walk, row);
}

struct table *calls_table_new(const struct query *query, struct err *err)
{
	struct calls_table *t;
	struct analysis *analysis;

	if (!query_analysis(query, &analysis, err))
		return NULL;
	t = xcalloc(1, sizeof *t);
	common_init(&t->common, query);
	common_take(&t->common, analysis);
	call_walk_init(&t->walk, &t->common.query);
	t->table = (struct table){ .ops = &walk_ops,
				   .columns = columns,
				   .n_columns = C_COLUMNS,
				   .scale = trace_scale(query->trace),
				   .rows = call_walk_most(&t->walk) };
	return table_gather_walked(&t->table, trace_exchange(query->trace), key_of);
}

/* ---- the first ones in the order of a column ---- */

struct longest_calls {
	struct list_table list;
	struct table_ops own_ops; /* the list's, but for sorting */
	struct calls_common common;
	struct call_source source;
	struct calls calls; /* its chosen ones are the items */
	struct calls_wish wish;
	struct calls_choice *choice; /* NULL: all has been seen */
	int64_t shown;               /* ns of CPU time: when its rows were made */
};

/* CPU time until the first rows, and between two looks at them. */
enum { FIRST_NS = 10000000, AGAIN_NS = 150000000 };

static const uint8_t order_of[C_COLUMNS] = {
	[C_BEGIN] = CALLS_BEGIN,     [C_DURATION] = CALLS_DURATION, [C_EXCLUSIVE] = CALLS_EXCLUSIVE,
	[C_WAITING] = CALLS_WAITING, [C_BYTES] = CALLS_BYTES,       [C_RANK] = CALLS_RANK,
	[C_REGION] = CALLS_REGION,
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct longest_calls *t = (struct longest_calls *)list;

	call_cells(&t->common, &t->source, &t->calls.chosen.data[item], v);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct longest_calls *t = (const struct longest_calls *)list;

	return (struct row_thing){ THING_EVENT, t->calls.chosen.data[item].enter, 0 };
}

static void fini(struct list_table *list)
{
	struct longest_calls *t = (struct longest_calls *)list;

	calls_choice_free(t->choice);
	calls_fini(&t->calls);
	call_source_fini(&t->source);
	common_fini(&t->common);
}

/* Columns in which all rows would be empty, or equal, leave their room to the others. */
static void hide_columns(struct longest_calls *t)
{
	const struct trace *trace = t->list.trace;
	const struct naming naming = query_naming(&t->common.query);
	bool waits = false, traffic = false, unsure = false;

	for (size_t i = 0; i < t->calls.chosen.n && !(waits && traffic && unsure); i++) {
		const struct call *call = &t->calls.chosen.data[i];
		struct visit_waits of = { NULL, 0, 0 };
		if (t->common.analysis)
			of = waits_of_visit(t->common.analysis, call->location, call->path,
					    call->begin, call->end);
		waits = waits || of.n > 0;
		unsure = unsure || is_unsure(&t->common, call->location, of.longest);
		traffic = traffic || call_traffic(&t->source, call).comm != UINT32_MAX;
	}
	for (unsigned c = C_WAITING; c <= C_CAUSE; c++)
		t->list.columns[c].on_screen = waits && (c != C_FOR || naming.ranks);
	t->list.columns[C_REMARKS].on_screen = unsure;
	for (unsigned c = C_BYTES; c <= C_PARTNER; c++)
		t->list.columns[c].on_screen = traffic;
	t->list.columns[C_LOCATION].on_screen = naming.names;
	t->list.columns[C_RANK].on_screen = naming.ranks;
	t->list.columns[C_COMM].on_screen = traffic && trace_comm_count(trace) > 1;
	t->list.columns[C_SOURCE].on_screen = false; /* the call path has it */
}

/* Makes the rows of the calls seen so far. */
static void show(struct longest_calls *t)
{
	calls_choice_take(t->choice, &t->calls);
	t->list.order.n = 0;
	list_table_add_all(&t->list, t->calls.chosen.n);
	hide_columns(t);
	t->shown = clock_cpu_ns();
}

bool longest_calls_work(struct table *table, int64_t nanoseconds, bool *changed)
{
	struct longest_calls *t = (struct longest_calls *)table;
	bool more;

	*changed = false;
	if (!t->choice)
		return false;
	more = calls_choice_work(t->choice, nanoseconds);
	if (more && clock_cpu_ns() - t->shown < AGAIN_NS)
		return true;
	show(t);
	*changed = true;
	if (!more) {
		calls_choice_free(t->choice);
		t->choice = NULL;
	}
	return more;
}

double longest_calls_done(const struct table *table)
{
	const struct longest_calls *t = (const struct longest_calls *)(const void *)table;

	return t->choice ? calls_choice_done(t->choice) : 1;
}

/* From the first event on. */
static void choose(struct longest_calls *t)
{
	bool changed;

	calls_choice_free(t->choice);
	t->choice = calls_choice_new(&t->source, &t->common.query, &t->wish);
	t->shown = INT64_MIN / 2;
	longest_calls_work(&t->list.table, FIRST_NS, &changed);
}

/* Where there are more than the list has, or may be, others come first in another order. */
static bool sort(struct table *table, unsigned column, bool descending)
{
	struct longest_calls *t = (struct longest_calls *)table;

	if ((!t->choice && t->calls.matching <= t->calls.chosen.n) || column == COLUMN_NONE)
		return list_table_sort(table, column, descending);
	if (column != C_BEGIN && order_of[column] == CALLS_BEGIN)
		return false;
	t->wish.order = (enum calls_order)order_of[column];
	t->wish.descending = descending;
	choose(t);
	table->sorted_by = column;
	table->descending = descending;
	return true;
}

struct table *longest_calls_new(const struct query *query, uint32_t region, int64_t shortest,
				int64_t longest, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini, .thing = thing };
	struct longest_calls *t = list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);

	(void)err;
	common_init(&t->common, query);
	call_source_init(&t->source, query);
	common_take(&t->common, analyses_peek(query->analyses, query->base));
	t->wish = (struct calls_wish){ .order = CALLS_DURATION,
				       .descending = true,
				       .most = CALLS_MOST,
				       .region = region,
				       .shortest = shortest,
				       .longest = longest,
				       .analysis = t->common.analysis };
	t->own_ops = *t->list.table.ops;
	t->own_ops.sort = sort;
	t->list.table.ops = &t->own_ops;
	t->list.table.second = C_LOCATION;
	t->list.table.sorted_by = C_DURATION;
	t->list.table.descending = true;
	choose(t);
	return list_table_done(&t->list, true);
}

uint64_t longest_calls_matching(const struct table *table)
{
	return ((const struct longest_calls *)(const void *)table)->calls.matching;
}

const uint64_t *longest_calls_bins(const struct table *table)
{
	return ((const struct longest_calls *)(const void *)table)->calls.bins;
}
