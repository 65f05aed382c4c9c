/* library_figures: severities, and the nodes of the program graph, as records that are made when a
 * cursor is opened. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "library/library_cursor.h"
#include "patterns/graph/graph.h"
#include "views/facts/severity_rows.h"

static bool next_made(tview_cursor *c, void *record, size_t size)
{
	if (c->made.at >= c->made.n)
		return false;
	memcpy(record, (const char *)c->made.data + c->made.at++ * size, size);
	return true;
}

static void close_made(tview_cursor *c)
{
	free(c->made.data);
}

/* ---- severities ---- */

static const struct tview_field severity_fields[] = { LIBRARY_FIELD(tview_severity, value, 'd'),
						      LIBRARY_FIELD(tview_severity, metric, 'I'),
						      LIBRARY_FIELD(tview_severity, callpath, 'I'),
						      LIBRARY_FIELD(tview_severity, location, 'I'),
						      { NULL, 0, 0, { 0 } } };

struct figure_list {
	VEC(struct tview_severity) list;
};

static void add_severities(struct figure_list *to, struct severity_rows *s, unsigned metric)
{
	const struct timescale *scale = trace_scale(s->query->trace);
	const bool ticks = cube_metric_info((enum cube_metric)metric)->unit == UNIT_TICKS;
	const struct severity *rows;
	const size_t n = severity_rows_of(s, (enum cube_metric)metric, &rows);

	for (size_t i = 0; i < n; i++)
		if (rows[i].value != 0)
			vec_push(&to->list,
				 ((struct tview_severity){
					 .value = ticks ? units_part_seconds(rows[i].value, scale)
							: rows[i].value,
					 .metric = metric,
					 .callpath = rows[i].path,
					 .location = rows[i].location }));
}

static bool open_severities(tview_cursor *c, struct err *err)
{
	const unsigned metric = c->query->metric;
	struct figure_list made = { VEC_INIT };
	struct severity_rows s;
	const bool ok = severity_rows_init(&s, c->query, SEVERITY_BY_ALL, err);

	for (unsigned m = 0; ok && m < CUBE_METRICS; m++)
		if ((metric == CUBE_NONE || metric == m) &&
		    severity_rows_has(&s, (enum cube_metric)m))
			add_severities(&made, &s, m);
	severity_rows_fini(&s);
	c->made.data = made.list.data;
	c->made.n = made.list.n;
	return ok;
}

static bool next_severity(tview_cursor *c, void *record)
{
	return next_made(c, record, sizeof(struct tview_severity));
}

const struct library_kind library_severities = { "severities",    sizeof(struct tview_severity),
						 severity_fields, open_severities,
						 next_severity,   close_made };

bool tview_metric(uint32_t id, struct tview_metric *metric)
{
	static const char *const units[] = {
		[UNIT_TICKS] = "s", [UNIT_COUNT] = "occ", [UNIT_BYTES] = "bytes"
	};
	const struct cube_metric_info *info;

	if (id >= CUBE_METRICS)
		return false;
	info = cube_metric_info((enum cube_metric)id);
	*metric = (struct tview_metric){ .name = info->name,
					 .title = info->title,
					 .text = info->text,
					 .unit = units[info->unit],
					 .parent = info->parent == CUBE_NONE
							   ? TVIEW_NONE
							   : (uint32_t)info->parent };
	return true;
}

/* ---- nodes ---- */

_Static_assert((int)TVIEW_NODE_PROGRAM == (int)GRAPH_KIND_PROGRAM &&
		       (int)TVIEW_NODE_COMMUNICATION == (int)GRAPH_KIND_COMMUNICATION,
	       "kinds of the header");

static const struct tview_field node_fields[] = {
	LIBRARY_FIELD(tview_node, time, 'q'),     LIBRARY_FIELD(tview_node, exclusive, 'q'),
	LIBRARY_FIELD(tview_node, waiting, 'q'),  LIBRARY_FIELD(tview_node, transfer, 'q'),
	LIBRARY_FIELD(tview_node, count, 'Q'),    LIBRARY_FIELD(tview_node, id, 'I'),
	LIBRARY_FIELD(tview_node, kind, 'I'),     LIBRARY_FIELD(tview_node, parent, 'I'),
	LIBRARY_FIELD(tview_node, callee, 'I'),   LIBRARY_FIELD(tview_node, name, 'I'),
	LIBRARY_FIELD(tview_node, file, 'I'),     LIBRARY_FIELD(tview_node, line, 'I'),
	LIBRARY_FIELD(tview_node, end_line, 'I'), { NULL, 0, 0, { 0 } }
};

static struct tview_node node_of(const struct graph *graph, uint32_t id)
{
	const struct graph_node *node = graph_node(graph, id);
	struct graph_values v;

	graph_values(graph, id, &v);
	return (struct tview_node){ .time = v.time,
				    .exclusive = v.exclusive,
				    .waiting = v.sync,
				    .transfer = v.trans,
				    .count = v.count,
				    .id = id,
				    .kind = node->kind,
				    .parent = node->parent,
				    .callee = node->callee,
				    .name = node->name,
				    .file = node->file,
				    .line = node->line,
				    .end_line = node->end_line };
}

static bool open_nodes(tview_cursor *c, struct err *err)
{
	struct graph *graph = query_graph(c->query, err);
	struct tview_node *nodes;

	if (!graph)
		return false;
	c->made.n = graph_node_count(graph);
	c->made.data = nodes = xcalloc(c->made.n + 1, sizeof *nodes);
	for (uint32_t i = 0; i < c->made.n; i++)
		nodes[i] = node_of(graph, i);
	graph_free(graph);
	return true;
}

static bool next_node(tview_cursor *c, void *record)
{
	return next_made(c, record, sizeof(struct tview_node));
}

const struct library_kind library_nodes = { "nodes",     sizeof(struct tview_node),
					    node_fields, open_nodes,
					    next_node,   close_made };
