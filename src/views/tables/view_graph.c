/* view_graph: the program graph as a table: the program, then procedures by cost, each followed by
 * its contents in the program's order. By rank, one row for each node and rank that executed it; by
 * destination, one for each communication statement and destination. */
#include <stdlib.h>

#include "base/order.h"
#include "model/trace/gap.h"
#include "views/facts/graph_text.h"
#include "views/facts/graph_time.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

/* Column sets: one bit for each kind of rows. */
enum { WHOLE = 1, BY_RANK = 2, BY_DESTINATION = 4, EVERY = 7 };

#define ALL_COLUMNS(ROW)                                                                         \
	ROW(C_PATH, EVERY, "path", "path", COLUMN_TEXT, 40, true, true)                          \
	ROW(C_KIND, EVERY, "kind", "kind", COLUMN_TEXT, 13, true, true)                          \
	ROW(C_NAME, EVERY, "name", "name", COLUMN_NAME, 20, true, false)                         \
	ROW(C_FILE, EVERY, "file", "file", COLUMN_TEXT, 16, true, false)                         \
	ROW(C_LINE, EVERY, "line", "line", COLUMN_INT, 6, true, false)                           \
	ROW(C_COUNT, EVERY, "count", "count", COLUMN_COUNT, 10, true, true)                      \
	ROW(C_TIME, EVERY, "time_s", "time", COLUMN_DURATION, 10, true, true)                    \
	ROW(C_EXCLUSIVE, EVERY, "exclusive_s", "own", COLUMN_DURATION, 10, true, true)           \
	ROW(C_TRANS, EVERY, "trans_s", "transfer", COLUMN_DURATION, 10, true, true)              \
	ROW(C_SYNC, EVERY, "sync_s", "waiting", COLUMN_DURATION, 10, true, true)                 \
	ROW(C_RANK, BY_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                         \
	ROW(C_DESTINATION, BY_DESTINATION, "destination", "destination", COLUMN_TEXT, 11, true,  \
	    true)                                                                                \
	ROW(C_COMM, BY_DESTINATION, "comm", "communicator", COLUMN_TEXT, 16, true, true)         \
	ROW(C_SHARE, EVERY, "share", "share", COLUMN_SHARE, 7, true, true)                       \
	ROW(C_CALLER, EVERY, "caller", "caller", COLUMN_NAME, 20, true, false)                   \
	ROW(C_CALLEE, WHOLE | BY_RANK, "callee", "callee", COLUMN_NAME, 20, true, false)         \
	ROW(C_ITERATIONS, WHOLE | BY_RANK, "iterations", "iterations", COLUMN_COUNT, 11, true,   \
	    true)                                                                                \
	ROW(C_EACH, WHOLE | BY_RANK, "iteration_s", "each", COLUMN_PART, 10, true, true)         \
	ROW(C_QUICKEST, WHOLE | BY_RANK, "quickest_s", "quickest", COLUMN_PART, 10, true, false) \
	ROW(C_SLOWEST, WHOLE | BY_RANK, "slowest_s", "slowest", COLUMN_PART, 10, true, false)    \
	ROW(C_LEAST, WHOLE, "location_min_s", "least", COLUMN_DURATION, 10, true, true)          \
	ROW(C_MEAN, WHOLE, "location_mean_s", "mean", COLUMN_PART, 10, true, true)               \
	ROW(C_MOST, WHOLE, "location_max_s", "most", COLUMN_DURATION, 10, true, true)            \
	ROW(C_MIN, EVERY, "min_s", "min", COLUMN_DURATION, 10, true, false)                      \
	ROW(C_MAX, EVERY, "max_s", "max", COLUMN_DURATION, 10, true, false)                      \
	ROW(C_SENT, EVERY, "sent_bytes", "sent", COLUMN_BYTES, 10, true, false)                  \
	ROW(C_RECEIVED, EVERY, "received_bytes", "received", COLUMN_BYTES, 10, true, false)      \
	ROW(C_INNER, WHOLE | BY_RANK, "inner", "inner", COLUMN_COUNT, 8, true, false)            \
	ROW(C_TOLD, EVERY, "told", "known", COLUMN_COUNT, 10, true, false)                       \
	ROW(C_CARRIED, EVERY, "carried", "carried", COLUMN_COUNT, 10, true, false)               \
	ROW(C_FLAGS, EVERY, "flags", "marks", COLUMN_TEXT, 16, true, true)                       \
	ROW(C_REASON, WHOLE, "reason", "reason", COLUMN_TEXT, 20, true, false)                   \
	ROW(C_FROM, EVERY, "from", "from", COLUMN_TEXT, 7, true, false)                          \
	ROW(C_APPROXIMATE, EVERY, "approximate", "approximate", COLUMN_INT, 3, true, false)      \
	ROW(C_TIME_LOW, EVERY, "time_low_s", "at least", COLUMN_PART, 10, true, false)           \
	ROW(C_TIME_HIGH, EVERY, "time_high_s", "at most", COLUMN_PART, 10, true, false)          \
	ROW(C_OWN_LOW, EVERY, "exclusive_low_s", "own, at least", COLUMN_PART, 10, true, false)  \
	ROW(C_OWN_HIGH, EVERY, "exclusive_high_s", "own, at most", COLUMN_PART, 10, true, false) \
	ROW(C_OVERHEAD, EVERY, "overhead_s", "overhead", COLUMN_PART, 10, true, false)
enum column_id { ALL_COLUMNS(COLUMN_ID) COLUMNS };
_Static_assert((int)COLUMNS <= (int)TABLE_COLUMNS, "as many as a table may have");

static const struct column_of all_columns[COLUMNS] = { ALL_COLUMNS(COLUMN_ROW_WITH) };

struct graph_row {
	uint32_t node;
	int32_t rank;    /* by rank; by destination the partner */
	uint32_t comm;   /* by destination */
	uint32_t values; /* index of extra values; UINT32_MAX: the node's own */
};

struct graph_table {
	struct list_table list;
	struct graph *graph;
	struct time_parts whole; /* 100 % */
	const char *from;
	VEC(struct graph_values) values;
};

/* ---- cells ---- */

/* The procedure that contains a statement. */
static void add_caller(const struct graph_table *t, uint32_t node, struct str *out)
{
	const struct graph_node *n = graph_node(t->graph, node);

	if (n->kind == GRAPH_KIND_PROGRAM || n->kind == GRAPH_KIND_PROCEDURE)
		return;
	while (n->parent != GRAPH_NONE && n->parent != GRAPH_PROGRAM) {
		node = n->parent;
		n = graph_node(t->graph, node);
		if (n->kind == GRAPH_KIND_PROCEDURE) {
			graph_words_short(t->graph, node, out);
			return;
		}
	}
}

static void add_flags(const struct graph_node *node, const struct graph_values *values,
		      struct str *out)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {
		{ GRAPH_CYCLE, "cycle" },         { GRAPH_ALONE, "alone" },
		{ GRAPH_POINTER, "pointer" },     { GRAPH_LIMITED, "limited" },
		{ GRAPH_UNCOUNTED, "uncounted" }, { GRAPH_OVERHEAD, "overhead" },
		{ GRAPH_UNTIMED, "untimed" },     { GRAPH_UNVISITED, "unvisited" },
		{ GRAPH_UNPLACED, "unplaced" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (node->flags & names[i].flag)
			str_add_fmt(out, "%s%s", out->n ? " " : "", names[i].name);
	if (values->flags & RECORD_LOST)
		str_add_fmt(out, "%sunreturned", out->n ? " " : "");
	if (values->flags & RECORD_DETECTED)
		str_add_fmt(out, "%sdetected", out->n ? " " : "");
	if (values->flags & RECORD_TORN)
		str_add_fmt(out, "%storn", out->n ? " " : "");
}

static void text_cells(struct graph_table *t, uint32_t id, const struct graph_values *values,
		       struct value *v)
{
	const struct graph_node *node = graph_node(t->graph, id);
	struct list_table *list = &t->list;
	struct str *path = list_table_text(list), *name = list_table_text(list);
	struct str *flags = list_table_text(list), *caller = list_table_text(list);
	struct str *callee = list_table_text(list);

	graph_path(t->graph, id, path);
	graph_words_short(t->graph, id, name);
	add_flags(node, values, flags);
	add_caller(t, id, caller);
	if (node->kind == GRAPH_KIND_CALL && node->callee != GRAPH_NONE)
		graph_words_short(t->graph, node->callee, callee);
	v[C_PATH] = value_text(path->text);
	v[C_KIND] = value_text(graph_kind_name((enum graph_kind)node->kind));
	v[C_NAME] = value_text(name->text);
	v[C_FILE] = value_text(trace_string(t->list.trace, node->file));
	v[C_LINE] = value_integer(node->line, node->line);
	v[C_FLAGS] = value_text(flags->text);
	v[C_CALLER] = value_text(caller->text);
	v[C_CALLEE] = value_text(callee->text);
	v[C_REASON] = value_text(trace_string(t->list.trace, node->reason));
	v[C_FROM] = value_text(t->from);
}

static void time_cells(const struct graph_table *t, uint32_t id, const struct graph_values *values,
		       struct value *v)
{
	const struct graph_node *node = graph_node(t->graph, id);
	const bool timed = graph_is_timed(node);
	const bool visits = graph_counts_visits(node);
	const bool each = timed && visits && values->count > values->inner;
	const bool split = graph_is_split(node, values);

	v[C_COUNT] = value_integer(visits, (int64_t)values->count);
	v[C_TIME] = value_integer(timed, values->time);
	v[C_EXCLUSIVE] = value_integer(timed, values->exclusive);
	v[C_TRANS] = value_integer(split, values->trans);
	v[C_SYNC] = value_integer(split, values->sync);
	v[C_SHARE] = value_real(timed, graph_time_share(t->graph, id, values->time, t->whole));
	v[C_MIN] = value_integer(each, values->min);
	v[C_MAX] = value_integer(each, values->max);
	v[C_SENT] = value_bytes(values->sent);
	v[C_RECEIVED] = value_bytes(values->received);
	v[C_INNER] = value_integer(visits, (int64_t)values->inner);
	v[C_TOLD] = value_count(values->own + values->told);
	v[C_CARRIED] = value_count(values->carried);
}

static void loop_cells(const struct graph_node *node, const struct graph_values *values,
		       struct value *v)
{
	const bool is = node->kind == GRAPH_KIND_LOOP && values->iterations > 0;
	const bool spread = is && values->slowest > 0;

	v[C_ITERATIONS] = value_integer(is, (int64_t)values->iterations);
	v[C_EACH] = value_real(is && !(node->flags & GRAPH_UNTIMED), graph_iteration_time(values));
	v[C_QUICKEST] = value_real(spread, values->quickest);
	v[C_SLOWEST] = value_real(spread, values->slowest);
}

/* Bounds of times without measurement overhead, and the overhead. */
static void bound_cells(const struct graph_values *values, struct value *v)
{
	const struct cost_range *time = &values->probes, *own = &values->probes_own;
	const double whole = (double)values->time + time->best;
	const double exclusive = (double)values->exclusive + own->best;

	v[C_TIME_LOW] = value_real(true, whole - time->high);
	v[C_TIME_HIGH] = value_real(true, whole - time->low);
	v[C_OWN_LOW] = value_real(true, exclusive - own->high);
	v[C_OWN_HIGH] = value_real(true, exclusive - own->low);
	v[C_OVERHEAD] = value_real(true, time->best);
}

/* Marks times that were estimated in gaps. */
static void mark_cells(const struct graph_values *values, struct value *v)
{
	static const uint8_t of_time[] = { C_TIME, C_SHARE, C_EACH,     C_LEAST,   C_MEAN,
					   C_MOST, C_MIN,   C_QUICKEST, C_SLOWEST, C_MAX };
	const double time = (double)values->estimated, own = (double)values->estimated_own;
	bool any = value_estimated(&v[C_EXCLUSIVE], own, (double)values->exclusive);

	for (size_t i = 0; i < ARRAY_SIZE(of_time); i++)
		any |= value_estimated(&v[of_time[i]], time, (double)values->time);
	v[C_APPROXIMATE] = value_integer(true, any);
}

static void spread_cells(const struct graph_table *t, uint32_t node, struct value *v)
{
	const bool timed = graph_is_timed(graph_node(t->graph, node));
	struct graph_spread s;

	graph_spread(t->graph, node, &s);
	v[C_LEAST] = value_integer(timed, s.min);
	v[C_MEAN] = value_real(timed, s.mean);
	v[C_MOST] = value_integer(timed, s.max);
}

static void destination_cells(struct graph_table *t, const struct graph_row *row, struct value *v)
{
	struct str *destination = list_table_text(&t->list);

	if (row->rank == PARTNER_MANY)
		str_add(destination, "all");
	else if (row->rank == RANK_HOST)
		str_add(destination, "host");
	else if (row->rank >= 0)
		str_add_int(destination, row->rank);
	v[C_RANK] = value_rank(row->rank);
	v[C_DESTINATION] = value_text(destination->text);
	v[C_COMM] = value_comm(t->list.trace, row->comm);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct graph_table *t = (struct graph_table *)list;
	const struct graph_row *row = list_table_row(list, item);
	const struct graph_node *node = graph_node(t->graph, row->node);
	struct graph_values own;
	const struct graph_values *values = &own;

	if (row->values == UINT32_MAX)
		graph_values(t->graph, row->node, &own);
	else
		values = &t->values.data[row->values];
	text_cells(t, row->node, values, v);
	time_cells(t, row->node, values, v);
	loop_cells(node, values, v);
	spread_cells(t, row->node, v);
	mark_cells(values, v);
	bound_cells(values, v);
	destination_cells(t, row, v);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	return (struct row_thing){ THING_STATEMENT,
				   ((struct graph_row *)list_table_row(list, item))->node, 0 };
}

static void fini(struct list_table *list)
{
	struct graph_table *t = (struct graph_table *)list;

	vec_fini(&t->values);
	graph_free(t->graph);
}

/* ---- rows ---- */

struct adding {
	struct graph_table *table;
	const struct query *query;
	uint32_t *by_rank; /* locations */
	void (*add)(struct adding *adding, uint32_t node);
};

static void add_whole(struct adding *adding, uint32_t node)
{
	const struct graph_row row = { node, RANK_UNKNOWN, UINT32_MAX, UINT32_MAX };

	list_table_add_row(&adding->table->list, &row);
}

static void sum_up(struct graph_values *sum, const struct graph_values *part)
{
	const bool first = !sum->count;

	if (!part->count)
		return;
	sum->min = first || part->min < sum->min ? part->min : sum->min;
	sum->max = part->max > sum->max ? part->max : sum->max;
	sum->quickest = first || part->quickest < sum->quickest ? part->quickest : sum->quickest;
	sum->slowest = part->slowest > sum->slowest ? part->slowest : sum->slowest;
	sum->count += part->count;
	sum->inner += part->inner;
	sum->earlier += part->earlier;
	sum->iterations += part->iterations;
	sum->iterated += part->iterated;
	sum->time += part->time;
	sum->exclusive += part->exclusive;
	sum->trans += part->trans;
	sum->sync += part->sync;
	sum->probes = cost_sum(sum->probes, part->probes, 1);
	sum->probes_own = cost_sum(sum->probes_own, part->probes_own, 1);
	sum->caused += part->caused;
	sum->estimated += part->estimated;
	sum->estimated_own += part->estimated_own;
	sum->own += part->own;
	sum->carried += part->carried;
	sum->told += part->told;
	sum->sent += part->sent;
	sum->received += part->received;
	sum->flags |= part->flags;
}

/* A rank may have several locations. */
static void add_ranks(struct adding *adding, uint32_t node)
{
	struct graph_table *t = adding->table;
	const uint32_t n = query_location_count(adding->query);

	for (uint32_t i = 0, end; i < n; i = end) {
		struct graph_values sum = { 0 }, part;
		struct graph_row row = { node,
					 trace_location(t->list.trace, adding->by_rank[i])->rank,
					 UINT32_MAX, (uint32_t)t->values.n };
		end = query_rank_end(adding->query, adding->by_rank, i);
		for (uint32_t l = i; l < end; l++) {
			graph_values_at(t->graph, node, adding->by_rank[l], &part);
			sum_up(&sum, &part);
		}
		if (!sum.count && !sum.time)
			continue;
		vec_push(&t->values, sum);
		list_table_add_row(&t->list, &row);
	}
}

static void add_destinations(struct adding *adding, uint32_t node)
{
	struct graph_table *t = adding->table;
	struct graph_part *parts = NULL;
	uint32_t n;

	if (graph_node(t->graph, node)->kind != GRAPH_KIND_COMMUNICATION)
		return;
	n = graph_destinations(t->graph, node, UINT32_MAX, &parts);
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_row row = { node, parts[i].partner, parts[i].comm,
					       (uint32_t)t->values.n };
		vec_push(&t->values, parts[i].values);
		list_table_add_row(&t->list, &row);
	}
	free(parts);
}

/* Adds the contents of a procedure or loop in the program's order; called procedures are
 * elsewhere. */
static bool add_inside(struct adding *adding, uint32_t root)
{
	const struct graph *graph = adding->table->graph;
	OWNED_VEC(uint32_t) open = VEC_INIT;
	bool go_on = true;

	vec_push(&open, root);
	while (open.n && go_on) {
		const uint32_t node = vec_pop(&open);
		uint32_t n = 0;
		const uint32_t *inside = NULL;
		adding->add(adding, node);
		if (graph_node(graph, node)->kind != GRAPH_KIND_CALL)
			inside = graph_children(graph, node, &n);
		for (uint32_t i = n; i-- > 0;)
			vec_push(&open, inside[i]);
		go_on = !query_stopped(adding->query);
	}
	return go_on;
}

struct cost {
	uint32_t node;
	int64_t time;
};

static int compare_costs(const void *pa, const void *pb)
{
	const struct cost *a = pa, *b = pb;

	ORDER_BY(b->time, a->time);
	return ORDER(a->node, b->node);
}

/* True for procedures, and for statements outside all procedures. */
static bool is_top(const struct graph *graph, uint32_t node)
{
	const struct graph_node *n = graph_node(graph, node);

	return n->kind == GRAPH_KIND_PROCEDURE || n->parent == GRAPH_PROGRAM;
}

static bool add_all(struct adding *adding)
{
	const struct graph *graph = adding->table->graph;
	OWNED_VEC(struct cost) costs = VEC_INIT;
	bool go_on = true;

	for (uint32_t node = 0; node < graph_node_count(graph); node++)
		if (node != GRAPH_PROGRAM && is_top(graph, node)) {
			struct graph_values values;
			graph_values(graph, node, &values);
			const struct cost cost = { node, values.time };
			vec_push(&costs, cost);
		}
	vec_sort(&costs, compare_costs);
	adding->add(adding, GRAPH_PROGRAM);
	for (size_t i = 0; i < costs.n && go_on; i++)
		go_on = add_inside(adding, costs.data[i].node);
	return go_on;
}

/* ---- the table ---- */

struct table *graph_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = {
		.cells = cells, .fini = fini, .row_size = sizeof(struct graph_row), .thing = thing
	};
	struct graph *graph = query_graph(query, err);
	struct adding adding = { .query = query, .add = add_whole };
	unsigned of = WHOLE;
	struct column columns[COLUMNS];
	struct graph_table *t;
	struct graph_origin origin;
	bool done;

	if (!graph)
		return NULL;
	if (query->export.by_rank || query->export.by_destination) {
		of = query->export.by_rank ? BY_RANK : BY_DESTINATION;
		adding.add = query->export.by_rank ? add_ranks : add_destinations;
	}
	table_columns_of(all_columns, COLUMNS, of, columns);
	columns[C_APPROXIMATE].exported = trace_has_gaps(query->trace);
	graph_origin(graph, &origin);
	for (unsigned c = C_TIME_LOW; c <= C_OVERHEAD; c++)
		columns[c].exported = origin.compensated;
	t = adding.table = list_table_new(sizeof *t, &ops, columns, COLUMNS, query->trace);
	t->graph = graph;
	t->whole = graph_time_whole(query, graph);
	t->from = origin.records ? "records" : "events";
	adding.by_rank = query_by_rank(query);
	done = add_all(&adding);
	free(adding.by_rank);
	return list_table_done(&t->list, done);
}
