/* view_lines: cost of the program's source lines (patterns/graph/graph.h), most exclusive time
 * first, with their text if the file is found: for logs of automatic runs, and for scripts. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/exchange.h"
#include "base/order.h"
#include "views/facts/graph_time.h"
#include "views/facts/source_costs.h"
#include "views/facts/source_find.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                                       \
	ROW(L_FILE, "file", "file", COLUMN_TEXT, 16, true, true)                           \
	ROW(L_LINE, "line", "line", COLUMN_INT, 6, true, true)                             \
	ROW(L_KIND, "kind", "kind", COLUMN_TEXT, 13, true, true)                           \
	ROW(L_NAME, "name", "name", COLUMN_NAME, 16, true, true)                           \
	ROW(L_COUNT, "count", "count", COLUMN_COUNT, 9, true, true)                        \
	ROW(L_TIME, "time_s", "time", COLUMN_DURATION, 10, true, true)                     \
	ROW(L_OWN, "own_s", "own time", COLUMN_DURATION, 10, true, true)                   \
	ROW(L_SHARE, "own_share", "share", COLUMN_SHARE, 7, true, true)                    \
	ROW(L_TRANS, "trans_s", "transfer", COLUMN_DURATION, 12, true, false)              \
	ROW(L_SYNC, "sync_s", "waiting", COLUMN_DURATION, 10, true, true)                  \
	ROW(L_ITERATIONS, "iterations", "iterations", COLUMN_COUNT, 11, true, false)       \
	ROW(L_MIN, "min_s", "least", COLUMN_DURATION, 10, true, false)                     \
	ROW(L_MAX, "max_s", "most", COLUMN_DURATION, 10, true, false)                      \
	ROW(L_LEAST, "location_min_s", "least location", COLUMN_DURATION, 10, true, false) \
	ROW(L_MOST, "location_max_s", "most location", COLUMN_DURATION, 10, true, false)   \
	ROW(L_TEXT, "text", "source", COLUMN_TEXT, 0, true, true)                          \
	ROW(L_REMARKS, "remarks", "remarks", COLUMN_TEXT, 0, true, false)
enum { COLUMNS(COLUMN_ID) L_COLUMNS };
static const struct column columns[L_COLUMNS] = { COLUMNS(COLUMN_ROW) };

/* Longest text of a line, without leading blanks. */
enum { TEXT_BYTES = 160 };

struct line_row {
	uint32_t node;
	char *text;        /* clean; NULL: not found */
	const char *notes; /* static */
};

struct lines_table {
	struct list_table list;
	struct graph *graph;     /* owned */
	struct time_parts whole; /* 100 % */
};

static struct line_row *row_of(const struct lines_table *t, size_t i)
{
	return list_table_row(&t->list, (uint32_t)i);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	return (struct row_thing){ THING_STATEMENT,
				   row_of((const struct lines_table *)list, item)->node, 0 };
}

/* ---- text ---- */

/* Exports end up in logs that others read: a trace must not be able to print files other than
 * sources. */
static bool is_source(const char *file)
{
	static const char *const endings[] = { "c",   "h",   "cc",  "cp",  "cpp", "cxx", "c++",
					       "hh",  "hpp", "hxx", "h++", "inc", "ipp", "tpp",
					       "f",   "for", "ftn", "fpp", "f77", "f90", "f95",
					       "f03", "f08", "f18", "cu",  "cuh", "cl",  "m",
					       "rs",  "jl",  "py",  NULL };
	const char *dot = strrchr(file, '.');

	for (int i = 0; dot && endings[i]; i++)
		if (strcasecmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

static char *line_text(const struct source_text *text, uint32_t line, struct str *scratch)
{
	size_t n, blanks;

	if (line > source_text_lines(text))
		return NULL;
	source_text_line(text, line, scratch);
	blanks = strspn(scratch->text, " ");
	n = scratch->n - blanks;
	while (n > TEXT_BYTES || (n > 0 && scratch->text[blanks + n - 1] == ' '))
		n--;
	/* Do not cut within a character. */
	while (n > 0 && ((unsigned char)scratch->text[blanks + n] & 0xc0) == 0x80)
		n--;
	return xstrndup(scratch->text + blanks, n);
}

/* Reads the text of rows [from, to), which are of one file. */
static void read_texts(struct lines_table *t, const struct source_roots *roots, size_t from,
		       size_t to)
{
	const struct graph_node *first = graph_node(t->graph, row_of(t, from)->node);
	const char *file = trace_string(t->list.trace, first->file);
	struct source_found found = { 0 };
	struct source_text text = { 0 };
	OWNED_STR scratch = STR_INIT;
	const char *notes = NULL;

	if (!is_source(file))
		notes = "not a source file";
	else if (!source_find(roots, file, &found, NULL))
		notes = "no such file";
	else if (!source_text_read(&text, found.path, NULL))
		notes = "not a text file";
	else if (found.newer)
		notes = "changed since the run";
	for (size_t i = from; i < to; i++) {
		struct line_row *row = row_of(t, i);
		if (text.bytes)
			row->text =
				line_text(&text, graph_node(t->graph, row->node)->line, &scratch);
		row->notes = notes;
	}
	source_text_fini(&text);
	source_found_fini(&found);
}

/* ---- rows ---- */

struct seat {
	uint32_t file, line, node;
};

ORDERING(compare_seats, struct seat, file, line, node)

static void collect(struct lines_table *t)
{
	OWNED_VEC(struct seat) seats = VEC_INIT;

	for (uint32_t id = 0; id < graph_node_count(t->graph); id++) {
		const struct graph_node *node = graph_node(t->graph, id);
		if (node->file && node->line)
			vec_push(&seats, ((struct seat){ node->file, node->line, id }));
	}
	vec_sort(&seats, compare_seats);
	for (size_t i = 0; i < seats.n; i++)
		list_table_add_row(&t->list, &(struct line_row){ seats.data[i].node, NULL, NULL });
}

static void read_sources(struct lines_table *t, const struct query *query)
{
	const size_t n = list_table_row_count(&t->list);
	struct source_roots roots;
	size_t from = 0;

	source_roots_of(&roots, t->list.trace, query->source_path);
	for (size_t i = 1; i <= n; i++) {
		const uint32_t file = graph_node(t->graph, row_of(t, from)->node)->file;
		if (i < n && graph_node(t->graph, row_of(t, i)->node)->file == file)
			continue;
		read_texts(t, &roots, from, i);
		from = i;
	}
	source_roots_fini(&roots);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct lines_table *t = (struct lines_table *)list;
	const struct line_row *row = row_of(t, item);
	const struct graph_node *node = graph_node(t->graph, row->node);
	struct graph_values values;
	struct graph_spread spread;
	int64_t own;

	graph_values(t->graph, row->node, &values);
	graph_spread(t->graph, row->node, &spread);
	own = source_own(node, &values);
	v[L_FILE] = value_text(trace_string(t->list.trace, node->file));
	v[L_LINE] = value_integer(true, node->line);
	v[L_KIND] = value_text(graph_kind_name((enum graph_kind)node->kind));
	v[L_NAME] = value_text(graph_name(t->graph, row->node));
	v[L_COUNT] = value_integer(graph_counts_visits(node), (int64_t)values.count);
	v[L_TIME] = value_integer(true, values.time);
	v[L_OWN] = value_integer(true, own);
	v[L_SHARE] = value_real(true, graph_time_share(t->graph, row->node, own, t->whole));
	v[L_TRANS] = value_integer(true, values.trans);
	v[L_SYNC] = value_integer(true, values.sync);
	v[L_ITERATIONS] = value_count(values.iterations);
	v[L_ITERATIONS].known = node->kind == GRAPH_KIND_LOOP && !(node->flags & GRAPH_UNCOUNTED);
	v[L_MIN] = value_integer(values.count, values.min);
	v[L_MAX] = value_integer(values.count, values.max);
	v[L_LEAST] = value_integer(values.count, spread.min);
	v[L_MOST] = value_integer(values.count, spread.max);
	v[L_TEXT] = value_text(row->text);
	v[L_REMARKS] = value_text(row->notes);
}

static void fini(struct list_table *list)
{
	struct lines_table *t = (struct lines_table *)list;

	for (size_t i = 0; i < list_table_row_count(list); i++)
		free(row_of(t, i)->text);
	graph_free(t->graph);
}

struct table *lines_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = {
		.cells = cells, .fini = fini, .row_size = sizeof(struct line_row), .thing = thing
	};
	struct graph *graph = query_graph(query, err);
	struct lines_table *t;

	if (!graph)
		return NULL;
	t = list_table_new(sizeof *t, &ops, columns, L_COLUMNS, query->trace);
	t->graph = graph;
	t->whole = graph_time_whole(query, graph);
	/* Of several processes the first one writes, and may alone have the sources. */
	if (exchange_process(trace_exchange(query->trace)) == 0)
		collect(t);
	if (list_table_row_count(&t->list))
		read_sources(t, query);
	list_table_sort(&t->list.table, L_OWN, true);
	return &t->list.table;
}
