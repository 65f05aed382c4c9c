#include "views/tables/graph_level.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/facts/graph_text.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

/* In the order in which they are wanted: what does not fit is to the right. Those in front go first
 * where there is little room: from which width on a column is there. */
#define ALL_COLUMNS(ROW)                                                               \
	ROW(C_KIND, 56, "kind", "kind", COLUMN_TEXT, 4, true, true)                    \
	ROW(C_NAME, 0, "name", "contains", COLUMN_TEXT, 0, true, true)                 \
	ROW(C_LINE, 62, "line", "line", COLUMN_INT, 5, true, true)                     \
	ROW(C_COUNT, 44, "count", "count", COLUMN_COUNT, 7, true, true)                \
	ROW(C_TIME, 0, "time_s", "time", COLUMN_DURATION, 8, true, true)               \
	ROW(C_SHARE, 0, "share", "share", COLUMN_SHARE, 7, true, true)                 \
	ROW(C_BAR, 70, "bar", "", COLUMN_TEXT, 8, false, true)                         \
	ROW(C_SYNC, 0, "sync_s", "waiting", COLUMN_DURATION, 8, true, true)            \
	ROW(C_TRANS, 0, "trans_s", "transfer", COLUMN_DURATION, 8, true, true)         \
	ROW(C_OWN, 0, "exclusive_s", "own", COLUMN_DURATION, 8, true, true)            \
	ROW(C_LOCATIONS, 0, "locations", "by location", COLUMN_TEXT, 12, false, true)  \
	ROW(C_MIN, 0, "location_min_s", "least", COLUMN_DURATION, 8, true, true)       \
	ROW(C_MEAN, 0, "location_mean_s", "mean", COLUMN_PART, 8, true, true)          \
	ROW(C_MAX, 0, "location_max_s", "most", COLUMN_DURATION, 8, true, true)        \
	ROW(C_ITERATIONS, 0, "iterations", "iterations", COLUMN_COUNT, 11, true, true) \
	ROW(C_EACH, 0, "iteration_s", "each", COLUMN_PART, 8, true, true)              \
	ROW(C_QUICKEST, 0, "quickest_s", "quickest", COLUMN_PART, 8, true, true)       \
	ROW(C_SLOWEST, 0, "slowest_s", "slowest", COLUMN_PART, 8, true, true)
enum column_id { ALL_COLUMNS(COLUMN_ID) COLUMNS };

static const struct {
	struct column column;
	int from;
} all_columns[COLUMNS] = { ALL_COLUMNS(COLUMN_ROW_WITH) };

struct level_row {
	uint32_t node;
	struct graph_values values;
};

struct graph_level {
	struct list_table list;
	const struct graph *graph;
	uint32_t *locations; /* NULL: all */
	uint32_t n;
	int64_t whole; /* time of the node that it is in */
};

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct level_row *row = list_table_row(list, item);

	return (struct row_thing){ THING_STATEMENT, row->node, 0 };
}

/* ---- cells ---- */

static void spread_cells(const struct graph_level *t, const struct level_row *row, struct value *v)
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

static void loop_cells(const struct graph_node *node, const struct graph_values *values,
		       struct value *v)
{
	const bool is = node->kind == GRAPH_KIND_LOOP && values->iterations > 0;

	v[C_ITERATIONS] = value_integer(is, (int64_t)values->iterations);
	v[C_EACH] = value_real(is, graph_iteration_time(values));
	v[C_QUICKEST] = value_real(is && values->slowest > 0, values->quickest);
	v[C_SLOWEST] = value_real(is && values->slowest > 0, values->slowest);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct graph_level *t = (struct graph_level *)list;
	const struct level_row *row = list_table_row(list, item);
	const struct graph_values *values = &row->values;
	const struct graph_node *node = graph_node(t->graph, row->node);
	/* The time of a call within a cycle is with another one; what has no probe was never
	 * seen. */
	const bool timed = !(node->flags & GRAPH_ALONE) &&
			   !(node->kind == GRAPH_KIND_CALL && (node->flags & GRAPH_CYCLE));
	const bool talks = timed && (values->trans || values->sync);

	struct str *name = list_table_text(list);

	if (list->sorting_by == COLUMN_NONE || list->sorting_by == C_NAME)
		graph_words_name(t->graph, row->node, name);
	v[C_KIND] = value_text(graph_words_kind(t->graph, row->node));
	v[C_NAME] = value_text(name->text);
	v[C_LINE] = value_integer(node->line, node->line);
	v[C_COUNT] = value_integer(!(node->flags & GRAPH_ALONE), (int64_t)values->count);
	v[C_TIME] = value_integer(timed, values->time);
	v[C_OWN] = value_integer(timed, values->exclusive);
	v[C_SHARE] = value_real(timed && t->whole > 0,
				t->whole > 0 ? (double)values->time / (double)t->whole : 0);
	v[C_BAR] = (struct value){ .known = true, .text = "" };
	v[C_TRANS] = value_integer(talks, values->trans);
	v[C_SYNC] = value_integer(talks, values->sync);
	v[C_LOCATIONS] = v[C_BAR];
	spread_cells(t, row, v);
	loop_cells(node, values, v);
}

/* A bar is ordered by what it shows. */
static unsigned sort_column(unsigned column)
{
	return column == C_BAR ? C_SHARE : column == C_LOCATIONS ? C_MAX : column;
}

static enum text_role role(const struct list_table *list, uint32_t item, unsigned column)
{
	const struct level_row *row = list_table_row(list, item);
	const struct graph_node *node =
		graph_node(((const struct graph_level *)list)->graph, row->node);
	const bool muted = (node->flags & (GRAPH_ALONE | GRAPH_OVERHEAD)) || column == C_KIND ||
			   !row->values.count;

	return muted ? TEXT_MUTED : TEXT_PLAIN;
}

static bool chart(const struct list_table *list, uint32_t item, unsigned column, int width,
		  struct table_chart *chart)
{
	const struct graph_level *t = (const struct graph_level *)list;
	const struct level_row *row = list_table_row(list, item);

	if (column == C_BAR)
		graph_words_bar(&row->values, t->whole, chart);
	else if (column == C_LOCATIONS)
		graph_words_histogram(t->graph, row->node, t->locations, t->n, width, chart);
	return column == C_BAR || column == C_LOCATIONS;
}

static void fini(struct list_table *list)
{
	free(((struct graph_level *)list)->locations);
}

/* ---- making ---- */

/* Of a call the procedures as it called them. */
static void add_callees(struct graph_level *t, uint32_t call)
{
	struct graph_part *parts = NULL;
	const uint32_t n = graph_callees(t->graph, call, UINT32_MAX, &parts);

	for (uint32_t i = 0; i < n; i++)
		if (parts[i].node != GRAPH_NONE) {
			const struct level_row row = { parts[i].node, parts[i].values };
			list_table_add_row(&t->list, &row);
		}
	free(parts);
}

static void add_rows(struct graph_level *t, uint32_t node)
{
	uint32_t n;
	const uint32_t *children = graph_children(t->graph, node, &n);

	if (graph_node(t->graph, node)->kind == GRAPH_KIND_CALL) {
		add_callees(t, node);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct level_row row = { .node = children[i] };
		graph_values(t->graph, children[i], &row.values);
		list_table_add_row(&t->list, &row);
	}
}

/* As wide as the longest name, if the fixed columns leave the room. */
static void size_names(struct graph_level *t, int width)
{
	enum { LEAST = 14, MOST = 40, BESIDE = 66 };
	struct str name = STR_INIT;
	int w = LEAST;

	for (uint32_t i = 0; i < list_table_row_count(&t->list) && w < MOST; i++) {
		const struct level_row *row = list_table_row(&t->list, i);
		str_clear(&name);
		graph_words_name(t->graph, row->node, &name);
		w = text_width(name.text) > w ? text_width(name.text) : w;
	}
	w = w < MOST ? w : MOST;
	if (w > width - BESIDE)
		w = width - BESIDE;
	t->list.columns[C_NAME].width = w < LEAST ? 0 : w;
	str_fini(&name);
}

struct table *graph_level_new(const struct graph *graph, const struct trace *trace, uint32_t node,
			      struct graph_chosen chosen, int width)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .row_size = sizeof(struct level_row),
					     .thing = thing,
					     .role = role,
					     .chart = chart,
					     .sort_column = sort_column };
	struct column columns[COLUMNS];
	struct graph_level *t;
	struct graph_values values;

	for (unsigned c = 0; c < COLUMNS; c++) {
		columns[c] = all_columns[c].column;
		columns[c].on_screen = width >= all_columns[c].from;
	}
	t = list_table_new(sizeof *t, &ops, columns, COLUMNS, trace);
	t->graph = graph;
	t->n = chosen.n;
	if (chosen.locations) {
		t->locations = xcalloc(chosen.n, sizeof *t->locations);
		memcpy(t->locations, chosen.locations, chosen.n * sizeof *t->locations);
	}
	graph_values(graph, node, &values);
	t->whole = values.time;
	add_rows(t, node);
	size_names(t, width);
	list_table_sort(&t->list.table, C_TIME, true);
	return &t->list.table;
}
