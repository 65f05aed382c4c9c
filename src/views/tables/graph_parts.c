#include "views/tables/graph_parts.h"
#include "model/trace/gap.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/facts/graph_text.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define BY(what) (1u << PARTS_BY_##what)
enum { CONTENT = 1u << PARTS_CONTAINED };
enum { EVERY = CONTENT | BY(PARTNER) | BY(CALLER) | BY(CALLEE) | BY(LOCATION) };

/* Columns, with the tables that have them, most important first: if room is short, the last ones
 * are dropped. The third value is for the contents of a node: the smallest width of the table at
 * which the column is shown. */
#define ALL_COLUMNS(ROW)                                                                           \
	ROW(C_KIND, CONTENT, 56, "kind", "kind", COLUMN_TEXT, 4, true, true)                       \
	ROW(C_NAME, EVERY, 0, "name", "", COLUMN_NAME, 0, true, true)                              \
	ROW(C_LINE, CONTENT, 62, "line", "line", COLUMN_INT, 5, true, true)                        \
	ROW(C_COMM, BY(PARTNER), 0, "comm", "communicator", COLUMN_TEXT, 14, true, true)           \
	ROW(C_COUNT, EVERY, 44, "count", "count", COLUMN_COUNT, 7, true, true)                     \
	ROW(C_TIME, EVERY, 0, "time_s", "time", COLUMN_DURATION, 8, true, true)                    \
	ROW(C_SHARE, EVERY, 0, "share", "of it", COLUMN_SHARE, 7, true, true)                      \
	ROW(C_BAR, EVERY, 70, "bar", "", COLUMN_TEXT, 8, false, true)                              \
	ROW(C_SYNC, EVERY, 0, "sync_s", "waiting", COLUMN_DURATION, 8, true, true)                 \
	ROW(C_TRANS, EVERY, 0, "trans_s", "transfer", COLUMN_DURATION, 8, true, true)              \
	ROW(C_BYTES, BY(PARTNER), 0, "bytes", "bytes", COLUMN_BYTES, 9, true, true)                \
	ROW(C_SENT, BY(PARTNER), 0, "sent", "sent", COLUMN_BYTES, 9, true, true)                   \
	ROW(C_RECEIVED, BY(PARTNER), 0, "received", "received", COLUMN_BYTES, 9, true, true)       \
	ROW(C_OWN, CONTENT | BY(LOCATION), 0, "exclusive_s", "own", COLUMN_DURATION, 8, true,      \
	    true)                                                                                  \
	ROW(C_LOCATIONS, CONTENT, 0, "locations", "by location", COLUMN_TEXT, 12, false, true)     \
	ROW(C_MIN, CONTENT, 0, "location_min_s", "least", COLUMN_DURATION, 8, true, true)          \
	ROW(C_MEAN, CONTENT, 0, "location_mean_s", "mean", COLUMN_PART, 8, true, true)             \
	ROW(C_MAX, CONTENT, 0, "location_max_s", "most", COLUMN_DURATION, 8, true, true)           \
	ROW(C_ITERATIONS, CONTENT | BY(LOCATION), 0, "iterations", "iterations", COLUMN_COUNT, 11, \
	    true, true)                                                                            \
	ROW(C_EACH, CONTENT | BY(LOCATION), 0, "iteration_s", "each", COLUMN_PART, 8, true, true)  \
	ROW(C_QUICKEST, CONTENT, 0, "quickest_s", "quickest", COLUMN_PART, 8, true, true)          \
	ROW(C_SLOWEST, CONTENT, 0, "slowest_s", "slowest", COLUMN_PART, 8, true, true)
enum column_id { ALL_COLUMNS(COLUMN_ID) COLUMNS };

#define PARTS_ROW(id, of, from, ...) [id] = { { __VA_ARGS__ }, of, from },
static const struct {
	struct column column;
	unsigned of;
	int from;
} all_columns[COLUMNS] = { ALL_COLUMNS(PARTS_ROW) };

struct part_row {
	uint32_t node;     /* GRAPH_NONE: none */
	uint32_t location; /* by location */
	int32_t partner;
	uint32_t comm;
	struct graph_values values;
};

struct graph_parts {
	struct list_table list;
	const struct graph *graph;
	enum graph_parts_by by;
	uint32_t of;         /* node whose parts they are, or call to mark in its procedure */
	int64_t whole;       /* time of the node whose parts are listed */
	uint32_t *locations; /* NULL: all */
	uint32_t n;
};

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct graph_parts *t = (const struct graph_parts *)list;
	const struct part_row *row = list_table_row(list, item);

	if (t->by == PARTS_BY_LOCATION)
		return (struct row_thing){ THING_LOCATION, row->location, 0 };
	return (struct row_thing){ THING_STATEMENT, row->node, 0 };
}

/* False for MPI_Init and the like, which have no partner. */
static bool has_partners(const struct graph *graph, uint32_t node)
{
	OWNED struct graph_part *parts = NULL;
	const uint32_t n = graph_destinations(graph, node, UINT32_MAX, &parts);

	return n > 1 || (n == 1 && parts[0].partner != RANK_UNKNOWN);
}

enum graph_parts_by graph_parts_own(const struct graph *graph, uint32_t node)
{
	const struct graph_node *n = graph_node(graph, node);

	switch (n->kind) {
	case GRAPH_KIND_COMMUNICATION:
		return has_partners(graph, node) ? PARTS_BY_PARTNER : PARTS_BY_LOCATION;
	case GRAPH_KIND_PROCEDURE: return PARTS_BY_CALLER;
	case GRAPH_KIND_CALL: return n->callee == GRAPH_NONE ? PARTS_BY_CALLEE : PARTS_BY_CALLER;
	default: return PARTS_BY_LOCATION;
	}
}

static const char *title_of(enum graph_parts_by by)
{
	static const char *const titles[] = {
		[PARTS_CONTAINED] = "contains",      [PARTS_BY_PARTNER] = "by partner",
		[PARTS_BY_CALLER] = "called from",   [PARTS_BY_CALLEE] = "leads to",
		[PARTS_BY_LOCATION] = "by location",
	};

	return titles[by];
}

/* ---- cells ---- */

/* Writes "rank 3", "all of the communicator", "several" or "unknown". */
static void graph_parts_partner(int32_t partner, struct str *out)
{
	if (partner == PARTNER_MANY)
		str_add(out, "all");
	else
		rank_name(partner, "unknown", out);
}

static uint32_t procedure_of(const struct graph *graph, uint32_t node)
{
	while (node != GRAPH_NONE && graph_node(graph, node)->kind != GRAPH_KIND_PROCEDURE &&
	       graph_node(graph, node)->kind != GRAPH_KIND_PROGRAM)
		node = graph_node(graph, node)->parent;
	return node;
}

/* "main ring.c:12". */
static void add_caller(const struct graph_parts *t, uint32_t call, struct str *out)
{
	if (call == GRAPH_NONE) {
		str_add(out, "from outside");
		return;
	}
	graph_words_short(t->graph, procedure_of(t->graph, call), out);
	str_add_char(out, ' ');
	graph_words_place(t->graph, t->list.trace, call, out);
	if (call == t->of)
		str_add(out, " (here)");
}

static void add_who(const struct graph_parts *t, const struct part_row *row, struct str *out)
{
	const char *name;

	switch (t->by) {
	case PARTS_BY_PARTNER: graph_parts_partner(row->partner, out); break;
	case PARTS_BY_CALLER: add_caller(t, row->node, out); break;
	case PARTS_CONTAINED:
	case PARTS_BY_CALLEE:
		if (row->node == GRAPH_NONE)
			str_add(out, "unknown");
		else
			graph_words_name(t->graph, row->node, out);
		break;
	case PARTS_BY_LOCATION:
		name = trace_string(t->list.trace,
				    trace_location(t->list.trace, row->location)->name);
		str_add_clean(out, name, strlen(name));
		break;
	}
}

/* The node of a row of contents; NULL for other rows, of which all numbers are known. */
static const struct graph_node *node_of(const struct graph_parts *t, const struct part_row *row)
{
	return t->by == PARTS_CONTAINED ? graph_node(t->graph, row->node) : NULL;
}

static void spread_cells(const struct graph_parts *t, const struct part_row *row, struct value *v)
{
	const bool wanted = t->list.sorting_by == COLUMN_NONE
				    ? t->list.columns[C_MIN].on_screen
				    : t->list.sorting_by >= C_MIN && t->list.sorting_by <= C_MAX;
	struct graph_spread s = { 0 };

	if (wanted)
		graph_spread(t->graph, row->node, &s);
	v[C_MIN] = value_integer(wanted, s.min);
	v[C_MEAN] = value_real(wanted, s.mean);
	v[C_MAX] = value_integer(wanted, s.max);
}

/* Times with those of gaps in them: marked where that matters. */
static const uint8_t of_time[] = { C_TIME, C_SHARE, C_EACH,     C_MIN,
				   C_MEAN, C_MAX,   C_QUICKEST, C_SLOWEST };

static void mark_cells(const struct graph_values *values, struct value *v)
{
	value_estimated(&v[C_OWN], (double)values->estimated_own, (double)values->exclusive);
	for (size_t i = 0; i < ARRAY_SIZE(of_time); i++)
		value_estimated(&v[of_time[i]], (double)values->estimated, (double)values->time);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct graph_parts *t = (struct graph_parts *)list;
	const struct part_row *row = list_table_row(list, item);
	const struct graph_values *values = &row->values;
	const struct graph_node *node = node_of(t, row);
	const bool visits =
		(!node || graph_counts_visits(node)) &&
		(t->by == PARTS_CONTAINED || graph_counts_visits(graph_node(t->graph, t->of)));
	const bool timed = !node || graph_is_timed(node);
	const bool split = node ? graph_is_split(node, values)
				: !(graph_node(t->graph, t->of)->flags & GRAPH_UNSPLIT);
	const bool loops = values->iterations > 0 && (!node || node->kind == GRAPH_KIND_LOOP);
	struct str *name = list_table_text(list);

	if (list->sorting_by == COLUMN_NONE || list->sorting_by == C_NAME)
		add_who(t, row, name);
	v[C_KIND] = value_text(node ? graph_words_kind(t->graph, row->node) : NULL);
	v[C_NAME] = value_text(name->text);
	v[C_LINE] = value_integer(node && node->line, node ? node->line : 0);
	v[C_COMM] = value_comm(t->list.trace, row->comm);
	v[C_COUNT] = value_integer(visits, (int64_t)values->count);
	v[C_TIME] = value_integer(timed, values->time);
	v[C_OWN] = value_integer(timed, values->exclusive);
	v[C_SHARE] = value_real(timed && t->whole > 0,
				t->whole > 0 ? (double)values->time / (double)t->whole : 0);
	v[C_BAR] = v[C_LOCATIONS] = (struct value){ .known = true, .text = "" };
	v[C_TRANS] = value_integer(split, values->trans);
	v[C_SYNC] = value_integer(split, values->sync);
	v[C_BYTES] = value_bytes(values->sent + values->received);
	v[C_SENT] = value_bytes(values->sent);
	v[C_RECEIVED] = value_bytes(values->received);
	v[C_ITERATIONS] = value_integer(loops, (int64_t)values->iterations);
	v[C_EACH] = value_real(loops, graph_iteration_time(values));
	v[C_QUICKEST] = value_real(loops && values->slowest > 0, values->quickest);
	v[C_SLOWEST] = value_real(loops && values->slowest > 0, values->slowest);
	spread_cells(t, row, v);
	mark_cells(values, v);
}

/* A chart is sorted by the value that it shows. */
static unsigned sort_column(unsigned column)
{
	return column == C_BAR ? C_SHARE : column == C_LOCATIONS ? C_MAX : column;
}

static enum text_role role(const struct list_table *list, uint32_t item, unsigned column)
{
	const struct part_row *row = list_table_row(list, item);
	const struct graph_node *node = node_of((const struct graph_parts *)list, row);
	const bool muted =
		node && ((node->flags & (GRAPH_ALONE | GRAPH_OVERHEAD)) || column == C_KIND);

	return muted || (!row->values.count && !row->values.time) ? TEXT_MUTED : TEXT_PLAIN;
}

static bool chart(const struct list_table *list, uint32_t item, unsigned column, int width,
		  struct table_chart *chart)
{
	const struct graph_parts *t = (const struct graph_parts *)list;
	const struct part_row *row = list_table_row(list, item);

	if (column == C_BAR)
		graph_words_bar(&row->values, t->whole, chart);
	else if (column == C_LOCATIONS)
		graph_words_histogram(t->graph, row->node, t->locations, t->n, width, chart);
	return column == C_BAR || column == C_LOCATIONS;
}

static void fini(struct list_table *list)
{
	free(((struct graph_parts *)list)->locations);
}

/* ---- making ---- */

/* Adds the parts of a node; those of a call are the procedures as it called them. */
static void add_parts(struct graph_parts *t, uint32_t node)
{
	OWNED struct graph_part *parts = NULL;
	uint32_t n;

	if (t->by == PARTS_BY_PARTNER)
		n = graph_destinations(t->graph, node, UINT32_MAX, &parts);
	else if (t->by == PARTS_BY_CALLER)
		n = graph_callers(t->graph, node, UINT32_MAX, &parts);
	else
		n = graph_callees(t->graph, node, UINT32_MAX, &parts);
	for (uint32_t i = 0; i < n; i++) {
		const struct part_row row = { .node = parts[i].node,
					      .location = UINT32_MAX,
					      .partner = parts[i].partner,
					      .comm = parts[i].comm,
					      .values = parts[i].values };
		if (t->by != PARTS_CONTAINED || row.node != GRAPH_NONE)
			list_table_add_row(&t->list, &row);
	}
}

static void add_children(struct graph_parts *t, uint32_t node)
{
	uint32_t n;
	const uint32_t *children = graph_children(t->graph, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct part_row row = { .node = children[i], .comm = UINT32_MAX };
		graph_values(t->graph, row.node, &row.values);
		list_table_add_row(&t->list, &row);
	}
}

static void add_locations(struct graph_parts *t, uint32_t node)
{
	OWNED uint32_t *reached = xmalloc((t->n + 1) * sizeof *reached);
	const uint32_t n = graph_reach(t->graph, node, t->locations, t->n, reached);

	for (uint32_t i = 0; i < n; i++) {
		struct part_row row = { .node = GRAPH_NONE,
					.location = reached[i],
					.partner = RANK_UNKNOWN,
					.comm = UINT32_MAX };
		graph_values_at(t->graph, node, row.location, &row.values);
		list_table_add_row(&t->list, &row);
	}
}

/* Width of the others up to a column. */
static int width_beside(const struct graph_parts *t, unsigned last)
{
	enum { EDGES = 3 };
	int w = EDGES;

	for (unsigned c = 0; c <= last; c++) {
		const struct column *column = &t->list.columns[c];
		const int title = text_width(column->title) + 1; /* the mark of the order */
		if (column->on_screen && c != C_NAME)
			w += 1 + (title > column->width ? title : column->width);
	}
	return w;
}

/* Makes names as wide as the longest of the first ones, if the fixed columns leave the room. */
static void size_names(struct graph_parts *t, int width)
{
	enum { MOST = 40, LOOKED_AT = 1000, ENOUGH = 24 };
	const int least = t->by == PARTS_CONTAINED ? 14 : 16;
	OWNED_STR name = STR_INIT;
	bool lines = false;
	int w = least, room;

	for (uint32_t i = 0; i < list_table_row_count(&t->list) && i < LOOKED_AT; i++) {
		const struct part_row *row = list_table_row(&t->list, i);
		const struct graph_node *node = node_of(t, row);
		str_clear(&name);
		add_who(t, row, &name);
		w = text_width(name.text) > w ? text_width(name.text) : w;
		lines |= node && node->line;
	}
	t->list.columns[C_LINE].on_screen &= lines;
	w = w < MOST ? w : MOST;
	room = width - width_beside(t, C_TRANS);
	/* A name says more than transfer. */
	if (t->by == PARTS_CONTAINED && w > room && room < ENOUGH)
		room = width - width_beside(t, C_SYNC);
	w = w < room ? w : room;
	t->list.columns[C_NAME].width = w < least ? 0 : w;
}

static void choose_columns(struct column *columns, enum graph_parts_by by, int width)
{
	enum { COMM_FROM = 100, BAR_FROM = 60 };

	for (unsigned c = 0; c < COLUMNS; c++)
		columns[c].on_screen = (all_columns[c].of & 1u << by) != 0 &&
				       (by != PARTS_CONTAINED || width >= all_columns[c].from);
	columns[C_COMM].on_screen &= width >= COMM_FROM;
	columns[C_BAR].on_screen &= width >= BAR_FROM;
	columns[C_NAME].title = title_of(by);
}

struct table *graph_parts_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      enum graph_parts_by by, struct graph_chosen chosen, int width)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .row_size = sizeof(struct part_row),
					     .thing = thing,
					     .role = role,
					     .chart = chart,
					     .sort_column = sort_column };
	const struct graph_node *n = graph_node(graph, node);
	struct column columns[COLUMNS];
	struct graph_values values;
	struct graph_parts *t;

	for (unsigned c = 0; c < COLUMNS; c++)
		columns[c] = all_columns[c].column;
	for (size_t i = 0; i < ARRAY_SIZE(of_time); i++)
		columns[of_time[i]].width += trace_has_gaps(trace);
	choose_columns(columns, by, width);
	t = list_table_new(sizeof *t, &ops, columns, COLUMNS, trace);
	t->graph = graph;
	t->by = by;
	t->of = node;
	t->n = chosen.n;
	if (chosen.locations) {
		t->locations = xcalloc(chosen.n, sizeof *t->locations);
		memcpy(t->locations, chosen.locations, chosen.n * sizeof *t->locations);
	}
	if (by == PARTS_BY_CALLER && n->kind == GRAPH_KIND_CALL)
		node = n->callee;
	graph_values(graph, node, &values);
	t->whole = values.time;
	if (by == PARTS_BY_LOCATION)
		add_locations(t, node);
	else if (by == PARTS_CONTAINED && n->kind != GRAPH_KIND_CALL)
		add_children(t, node);
	else
		add_parts(t, node);
	size_names(t, width);
	if (by != PARTS_BY_LOCATION)
		list_table_sort(&t->list.table, C_TIME, true);
	return &t->list.table;
}
