#include "views/tables/profile_records.h"

#include "base/keymap.h"
#include "model/meaning/meaning.h"
#include "views/tables/records_table.h"

#define COLUMNS(ROW)                                                                  \
	ROW(R_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                       \
	ROW(R_REGION, "region", "region", COLUMN_NAME, 24, true, true)                \
	ROW(R_COUNT, "count", "count", COLUMN_COUNT, 10, true, true)                  \
	ROW(R_INCLUSIVE, "inclusive_s", "inclusive", COLUMN_DURATION, 10, true, true) \
	ROW(R_EXCLUSIVE, "exclusive_s", "exclusive", COLUMN_DURATION, 10, true, true) \
	ROW(R_MIN, "min_s", "min", COLUMN_DURATION, 10, true, true)                   \
	ROW(R_MEAN, "mean_s", "mean", COLUMN_PART, 10, true, true)                    \
	ROW(R_MAX, "max_s", "max", COLUMN_DURATION, 10, true, true)                   \
	ROW(R_SHARE, "exclusive_share", "share", COLUMN_SHARE, 7, true, true)         \
	ROW(R_WAITING, "sync_s", "waiting", COLUMN_DURATION, 10, true, true)          \
	ROW(R_CLASS, "class", "class", COLUMN_TEXT, 11, true, false)                  \
	ROW(R_CLASS_TITLE, "class_title", "class", COLUMN_TEXT, 17, false, true)      \
	ROW(R_FILE, "file", "file", COLUMN_TEXT, 16, true, false)                     \
	ROW(R_LINE, "line", "line", COLUMN_INT, 6, true, false)
enum { COLUMNS(COLUMN_ID) R_COLUMNS };

struct record_row {
	uint32_t node; /* procedure, or the first call of a function of MPI */
	int32_t rank;
	uint64_t count;
	int64_t inclusive, exclusive, sync, min, max; /* ticks */
	bool counted, timed;
};

/* ---- sums ---- */

static void add_own(struct record_row *row, const struct graph_values *v)
{
	row->exclusive += v->exclusive;
}

static void add_all(struct record_row *row, const struct graph_values *v,
		    const struct graph_node *n)
{
	if (v->count && (!row->count || v->min < row->min))
		row->min = v->min;
	row->max = v->max > row->max ? v->max : row->max;
	row->count += v->count;
	row->inclusive += v->time;
	row->sync += v->sync;
	row->counted |= graph_counts_visits(n);
	row->timed |= graph_is_timed(n);
	add_own(row, v);
}

/* The procedure that a loop is in; GRAPH_NONE: none. */
static uint32_t procedure_of(const struct graph *graph, uint32_t node)
{
	while (node != GRAPH_NONE && graph_node(graph, node)->kind == GRAPH_KIND_LOOP)
		node = graph_node(graph, node)->parent;
	return node != GRAPH_NONE && graph_node(graph, node)->kind == GRAPH_KIND_PROCEDURE
		       ? node
		       : GRAPH_NONE;
}

/* Which row a node's time belongs to, as a key: a procedure by itself, MPI by name. */
static bool key_of(const struct graph *graph, uint32_t node, struct key *key)
{
	const struct graph_node *n = graph_node(graph, node);
	uint32_t of = node;

	if (n->kind == GRAPH_KIND_COMMUNICATION) {
		*key = KEY_OF(1, n->name);
		return true;
	}
	if (n->kind == GRAPH_KIND_LOOP)
		of = procedure_of(graph, node);
	if (of == GRAPH_NONE || (n->kind != GRAPH_KIND_LOOP && n->kind != GRAPH_KIND_PROCEDURE))
		return false;
	*key = KEY_OF(0, of);
	return true;
}

static void add_rows(struct records_table *t, uint32_t location, int32_t rank)
{
	VEC(struct record_row) rows = VEC_INIT;
	struct keymap items = { 0 };
	const struct record_row *row;

	for (uint32_t node = 1; node < graph_node_count(t->graph); node++) {
		const struct graph_node *n = graph_node(t->graph, node);
		struct graph_values v;
		struct key key;
		uint32_t at;

		if (!key_of(t->graph, node, &key))
			continue;
		if (keymap_new(&items, key, rows.n, &at))
			vec_push(&rows, ((struct record_row){ .node = node, .rank = rank }));
		records_table_values(t, node, location, &v);
		if (n->kind == GRAPH_KIND_LOOP)
			add_own(&rows.data[at], &v);
		else
			add_all(&rows.data[at], &v, n);
		if (n->kind == GRAPH_KIND_PROCEDURE)
			rows.data[at].node = node;
	}
	vec_each (row, &rows)
		if (row->count || row->exclusive || row->inclusive)
			list_table_add_row(&t->list, row);
	vec_fini(&rows);
	keymap_fini(&items);
}

/* ---- cells ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct records_table *t = (const struct records_table *)list;
	const struct record_row *row = list_table_row(list, item);
	const struct graph_node *n = graph_node(t->graph, row->node);
	const char *name = trace_string(list->trace, n->name);
	const bool mpi = n->kind == GRAPH_KIND_COMMUNICATION, each = row->counted && row->count;
	const enum region_class cls =
		mpi ? meaning_of_region(name, CLASS_COUNT, 0, 0).cls : CLASS_USER;

	v[R_RANK] = value_rank(row->rank);
	v[R_REGION] = value_text(name);
	v[R_COUNT] = value_integer(row->counted, (int64_t)row->count);
	v[R_INCLUSIVE] = value_integer(row->timed, row->inclusive);
	v[R_EXCLUSIVE] = value_integer(row->timed, row->exclusive);
	v[R_MIN] = value_integer(each && row->timed, row->min);
	v[R_MEAN] = value_real(each && row->timed,
			       each ? (double)row->inclusive / (double)row->count : 0);
	v[R_MAX] = value_integer(each && row->timed, row->max);
	v[R_SHARE] = value_real(t->total > 0, (double)row->exclusive / t->total);
	v[R_WAITING] = value_integer(mpi, row->sync);
	v[R_CLASS] = value_text(region_class_name(cls));
	v[R_CLASS_TITLE] = value_text(region_class_title(cls));
	/* A function of MPI is called at many lines. */
	v[R_FILE] = value_text(mpi ? NULL : trace_string(list->trace, n->file));
	v[R_LINE] = value_integer(!mpi && n->line, n->line);
}

struct table *profile_records_new(const struct query *query, struct err *err)
{
	static const struct column columns[R_COLUMNS] = { COLUMNS(COLUMN_ROW) };
	static const struct list_ops ops = { .cells = cells,
					     RECORDS_OPS,
					     .row_size = sizeof(struct record_row) };
	struct records_table *t =
		records_table_new(query, &ops, columns, R_COLUMNS, R_RANK, add_rows, err);

	if (!t)
		return NULL;
	t->list.table.second = query->export.by_rank ? 0 : R_SHARE;
	list_table_sort(&t->list.table, R_REGION, false);
	list_table_sort(&t->list.table, R_EXCLUSIVE, true);
	if (query->export.by_rank)
		list_table_sort(&t->list.table, R_RANK, false);
	return list_table_done(&t->list, !query_stopped(query));
}
