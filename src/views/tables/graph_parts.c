#include "views/tables/graph_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/facts/graph_text.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define BY(what) (1u << PARTS_BY_##what)
enum { EVERY = BY(PARTNER) | BY(CALLER) | BY(CALLEE) | BY(LOCATION) };

#define ALL_COLUMNS(ROW)                                                                          \
	ROW(C_WHO, EVERY, "who", "", COLUMN_TEXT, 0, true, true)                                  \
	ROW(C_COMM, BY(PARTNER), "comm", "communicator", COLUMN_TEXT, 14, true, true)             \
	ROW(C_COUNT, EVERY, "count", "count", COLUMN_COUNT, 7, true, true)                        \
	ROW(C_TIME, EVERY, "time_s", "time", COLUMN_DURATION, 8, true, true)                      \
	ROW(C_SHARE, EVERY, "share", "share", COLUMN_SHARE, 7, true, true)                        \
	ROW(C_BAR, EVERY, "bar", "", COLUMN_TEXT, 8, false, true)                                 \
	ROW(C_SYNC, EVERY, "sync_s", "waiting", COLUMN_DURATION, 8, true, true)                   \
	ROW(C_TRANS, EVERY, "trans_s", "transfer", COLUMN_DURATION, 8, true, true)                \
	ROW(C_BYTES, BY(PARTNER), "bytes", "bytes", COLUMN_BYTES, 9, true, true)                  \
	ROW(C_SENT, BY(PARTNER), "sent", "sent", COLUMN_BYTES, 9, true, true)                     \
	ROW(C_RECEIVED, BY(PARTNER), "received", "received", COLUMN_BYTES, 9, true, true)         \
	ROW(C_OWN, BY(LOCATION), "exclusive_s", "own", COLUMN_DURATION, 8, true, true)            \
	ROW(C_ITERATIONS, BY(LOCATION), "iterations", "iterations", COLUMN_COUNT, 11, true, true) \
	ROW(C_EACH, BY(LOCATION), "iteration_s", "each", COLUMN_PART, 8, true, true)
enum column_id { ALL_COLUMNS(COLUMN_ID) COLUMNS };

static const struct {
	struct column column;
	unsigned of;
} all_columns[COLUMNS] = { ALL_COLUMNS(COLUMN_ROW_WITH) };

struct part_row {
	uint32_t node;     /* GRAPH_NONE */
	uint32_t location; /* by location */
	int32_t partner;
	uint32_t comm;
	struct graph_values values;
};

struct graph_parts {
	struct list_table list;
	const struct graph *graph;
	enum graph_parts_by by;
	uint32_t of; /* whose parts: the call that is marked among those of its procedure */
	int64_t whole;
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
	struct graph_part *parts = NULL;
	const uint32_t n = graph_destinations(graph, node, UINT32_MAX, &parts);
	const bool has = n > 1 || (n == 1 && parts[0].partner != RANK_UNKNOWN);

	free(parts);
	return has;
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

/* "by partner", "called from", "leads to", "by location". */
static const char *graph_parts_title(enum graph_parts_by by)
{
	static const char *const titles[] = {
		[PARTS_BY_PARTNER] = "by partner",
		[PARTS_BY_CALLER] = "called from",
		[PARTS_BY_CALLEE] = "leads to",
		[PARTS_BY_LOCATION] = "by location",
	};

	return titles[by];
}

/* ---- cells ---- */

/* "rank 3", "all of the communicator", "several", "unknown". */
static void graph_parts_partner(int32_t partner, struct str *out)
{
	if (partner == PARTNER_MANY)
		str_add(out, "all");
	else if (partner == RANK_HOST)
		str_add(out, "host");
	else if (partner < 0)
		str_add(out, "unknown");
	else
		str_add_fmt(out, "rank %d", partner);
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

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct graph_parts *t = (struct graph_parts *)list;
	const struct part_row *row = list_table_row(list, item);
	const struct graph_values *values = &row->values;
	const bool loops = values->iterations > 0;
	struct str *who = list_table_text(list);

	add_who(t, row, who);
	v[C_WHO] = value_text(who->text);
	v[C_COMM] = value_comm(t->list.trace, row->comm);
	v[C_COUNT] = value_count(values->count);
	v[C_TIME] = value_integer(true, values->time);
	v[C_OWN] = value_integer(true, values->exclusive);
	v[C_SHARE] = value_real(t->whole > 0,
				t->whole > 0 ? (double)values->time / (double)t->whole : 0);
	v[C_BAR] = (struct value){ .known = true, .text = "" };
	v[C_TRANS] = value_integer(true, values->trans);
	v[C_SYNC] = value_integer(true, values->sync);
	v[C_BYTES] = value_bytes(values->sent + values->received);
	v[C_SENT] = value_bytes(values->sent);
	v[C_RECEIVED] = value_bytes(values->received);
	v[C_ITERATIONS] = value_integer(loops, (int64_t)values->iterations);
	v[C_EACH] = value_real(loops, graph_iteration_time(values));
}

static unsigned sort_column(unsigned column)
{
	return column == C_BAR ? C_SHARE : column;
}

static enum text_role role(const struct list_table *list, uint32_t item, unsigned column)
{
	const struct part_row *row = list_table_row(list, item);

	(void)column;
	return row->values.count ? TEXT_PLAIN : TEXT_MUTED;
}

static bool chart(const struct list_table *list, uint32_t item, unsigned column, int width,
		  struct table_chart *chart)
{
	const struct part_row *row = list_table_row(list, item);

	(void)width;
	if (column != C_BAR)
		return false;
	graph_words_bar(&row->values, ((const struct graph_parts *)list)->whole, chart);
	return true;
}

/* ---- making ---- */

static void add_parts(struct graph_parts *t, uint32_t node)
{
	struct graph_part *parts = NULL;
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
		list_table_add_row(&t->list, &row);
	}
	free(parts);
}

static void add_locations(struct graph_parts *t, uint32_t node, struct graph_chosen chosen)
{
	for (uint32_t i = 0; i < chosen.n; i++) {
		struct part_row row = { .node = GRAPH_NONE,
					.location = chosen.locations ? chosen.locations[i] : i,
					.partner = RANK_UNKNOWN,
					.comm = UINT32_MAX };
		graph_values_at(t->graph, node, row.location, &row.values);
		list_table_add_row(&t->list, &row);
	}
}

/* As wide as the longest of the first ones. */
static void size_names(struct graph_parts *t, int width)
{
	enum { LEAST = 16, MOST = 40, LOOKED_AT = 1000, BESIDE = 56 };
	struct str who = STR_INIT;
	int w = LEAST;

	for (uint32_t i = 0; i < list_table_row_count(&t->list) && i < LOOKED_AT && w < MOST; i++) {
		str_clear(&who);
		add_who(t, list_table_row(&t->list, i), &who);
		w = text_width(who.text) > w ? text_width(who.text) : w;
	}
	str_fini(&who);
	w = w < MOST ? w : MOST;
	if (w > width - BESIDE)
		w = width - BESIDE;
	t->list.columns[C_WHO].width = w < LEAST ? 0 : w;
}

struct table *graph_parts_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      enum graph_parts_by by, struct graph_chosen chosen, int width)
{
	enum { COMM_FROM = 100, BAR_FROM = 60 };
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct part_row),
					     .thing = thing,
					     .role = role,
					     .chart = chart,
					     .sort_column = sort_column };
	const struct graph_node *n = graph_node(graph, node);
	struct column columns[COLUMNS];
	struct graph_values values;
	struct graph_parts *t;

	for (unsigned c = 0; c < COLUMNS; c++) {
		columns[c] = all_columns[c].column;
		columns[c].on_screen = (all_columns[c].of & 1u << by) != 0;
	}
	columns[C_COMM].on_screen &= width >= COMM_FROM;
	columns[C_BAR].on_screen &= width >= BAR_FROM;
	columns[C_WHO].title = graph_parts_title(by);
	t = list_table_new(sizeof *t, &ops, columns, COLUMNS, trace);
	t->graph = graph;
	t->by = by;
	t->of = node;
	if (by == PARTS_BY_CALLER && n->kind == GRAPH_KIND_CALL)
		node = n->callee;
	graph_values(graph, node, &values);
	t->whole = values.time;
	if (by == PARTS_BY_LOCATION)
		add_locations(t, node, chosen);
	else
		add_parts(t, node);
	size_names(t, width);
	if (by == PARTS_BY_LOCATION)
		t->list.table.sorted_by = C_WHO;
	else
		list_table_sort(&t->list.table, C_TIME, true);
	return &t->list.table;
}
