#include "views/tables/patterns_records.h"

#include "model/meaning/meaning.h"
#include "patterns/severity/cube_metric.h"
#include "views/tables/records_table.h"

#define COLUMNS(ROW)                                                             \
	ROW(R_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                  \
	ROW(R_TITLE, "pattern", "pattern", COLUMN_TEXT, 18, false, true)         \
	ROW(R_METRIC, "metric", "metric", COLUMN_TEXT, 20, true, false)          \
	ROW(R_WAITING, "severity_s", "waiting", COLUMN_DURATION, 10, true, true) \
	ROW(R_SHARE, "share", "of the run", COLUMN_SHARE, 10, true, true)        \
	ROW(R_REGION, "region", "in", COLUMN_NAME, 20, true, true)               \
	ROW(R_FILE, "file", "file", COLUMN_TEXT, 16, true, true)                 \
	ROW(R_LINE, "line", "line", COLUMN_INT, 6, true, true)                   \
	ROW(R_COUNT, "count", "count", COLUMN_COUNT, 10, true, true)             \
	ROW(R_TIME, "time_s", "time", COLUMN_DURATION, 10, true, true)           \
	ROW(R_TRANSFER, "transfer_s", "transfer", COLUMN_DURATION, 10, true, true)
enum { COLUMNS(COLUMN_ID) R_COLUMNS };

struct waiting_row {
	uint32_t node;
	int32_t rank; /* -1: all chosen ones */
	bool split;   /* waiting and transfer are known */
	uint64_t count;
	int64_t time, sync, trans; /* ticks */
};

/* The wait state of an operation: of records nothing else is known. CUBE_MPI: of several kinds. */
static enum cube_metric wait_of(const struct meaning *m)
{
	switch (m->collective) {
	case COLLECTIVE_BARRIER: return CUBE_MPI_BARRIER_WAIT;
	case COLLECTIVE_ONE_TO_ALL: return CUBE_MPI_LATEBROADCAST;
	case COLLECTIVE_ALL_TO_ONE: return CUBE_MPI_EARLYREDUCE;
	case COLLECTIVE_ALL_TO_ALL:
	case COLLECTIVE_VECTOR:
	case COLLECTIVE_NEIGHBOURS: return CUBE_MPI_WAIT_NXN;
	case COLLECTIVE_PREFIX: return CUBE_MPI_EARLYSCAN;
	case COLLECTIVE_FINALIZE: return CUBE_MPI_FINALIZE_WAIT;
	case COLLECTIVE_CREATES:
	case COLLECTIVE_RELEASES: return CUBE_MPI_COMM_WAIT;
	default: break;
	}
	switch (m->call) {
	case CALL_SEND: return CUBE_MPI_LATERECEIVER;
	case CALL_RECV: return CUBE_MPI_LATESENDER;
	case CALL_PROBE: return CUBE_MPI_PROBE_WAIT;
	default: return CUBE_MPI;
	}
}

/* Functions that only ask, such as MPI_Comm_rank, do not. */
static bool can_wait(const struct records_table *t, const struct graph_node *n)
{
	const struct meaning m =
		meaning_of_region(trace_string(t->list.trace, n->name), CLASS_COUNT, 0, 0);

	return m.collective != COLLECTIVE_NONE || (m.call != CALL_OTHER && m.call != CALL_TEST &&
						   m.call != CALL_PEEK && m.call != CALL_POST);
}

static void add_rows(struct records_table *t, uint32_t location, int32_t rank)
{
	for (uint32_t i = 1; i < graph_node_count(t->graph); i++) {
		const struct graph_node *n = graph_node(t->graph, i);
		struct graph_values v;
		bool split;

		if (n->kind != GRAPH_KIND_COMMUNICATION)
			continue;
		records_table_values(t, i, location, &v);
		split = graph_is_split(n, &v);
		if (!v.count || (split ? v.sync <= 0 : !can_wait(t, n)))
			continue;
		list_table_add_row(&t->list, &(struct waiting_row){ i, rank, split, v.count, v.time,
								    v.sync, v.trans });
	}
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct records_table *t = (const struct records_table *)list;
	const struct waiting_row *row = list_table_row(list, item);
	const struct graph_node *n = graph_node(t->graph, row->node);
	const char *name = trace_string(list->trace, n->name);
	const struct meaning m = meaning_of_region(name, CLASS_COUNT, 0, 0);
	const enum cube_metric metric = wait_of(&m);

	v[R_RANK] = value_rank(row->rank);
	v[R_TITLE] = value_text(!row->split          ? "not measured"
				: metric == CUBE_MPI ? "waiting"
						     : cube_metric_info(metric)->title);
	v[R_METRIC] = value_text(row->split && metric != CUBE_MPI ? cube_metric_info(metric)->name
								  : NULL);
	v[R_WAITING] = value_integer(row->split, row->sync);
	v[R_SHARE] = value_real(row->split && t->total > 0, (double)row->sync / t->total);
	v[R_REGION] = value_text(name);
	v[R_FILE] = value_text(trace_string(list->trace, n->file));
	v[R_LINE] = value_integer(n->line > 0, n->line);
	v[R_COUNT] = value_integer(graph_counts_visits(n), (int64_t)row->count);
	v[R_TIME] = value_integer(graph_is_timed(n), row->time);
	v[R_TRANSFER] = value_integer(row->split, row->trans);
}

struct table *patterns_records_new(const struct query *query, struct err *err)
{
	static const struct column columns[R_COLUMNS] = { COLUMNS(COLUMN_ROW) };
	static const struct list_ops ops = { .cells = cells,
					     RECORDS_OPS,
					     .row_size = sizeof(struct waiting_row) };
	struct records_table *t =
		records_table_new(query, &ops, columns, R_COLUMNS, R_RANK, add_rows, err);

	if (!t)
		return NULL;
	list_table_sort(&t->list.table, R_WAITING, true);
	return list_table_done(&t->list, !query_stopped(query));
}
