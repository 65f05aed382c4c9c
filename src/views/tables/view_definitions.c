/* view_definitions: the definitions of a trace: sizes, properties, nodes, locations, communicators,
 * offsets, metrics, windows, files, parameters, markers, in one table of kind, name and value. */
#include <stdlib.h>

#include "model/trace/detail.h"
#include "model/trace/program.h"
#include "views/facts/sizes.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum definitions_column { D_KIND, D_NAME, D_VALUE, D_COLUMNS };

static const struct column columns[D_COLUMNS] = {
	[D_KIND] = { "kind", "kind", COLUMN_TEXT, 12, true, true },
	[D_NAME] = { "name", "name", COLUMN_TEXT, 24, true, true },
	[D_VALUE] = { "value", "value", COLUMN_TEXT, 0, true, true },
};

enum kind {
	KIND_SIZE,
	KIND_PROPERTY,
	KIND_NODE,
	KIND_PROCESS,
	KIND_LOCATION,
	KIND_COMM,
	KIND_OFFSET,
	KIND_METRIC,
	KIND_OBJECT,
	KIND_MARKER
};

struct definition_row {
	enum kind kind;
	uint32_t id;
};

enum { SIZE_EVENTS, SIZE_RECORDS };

struct definitions_table {
	struct list_table list;
	struct graph_sizes sizes;
};

/* Writes "38, 768 B as tvrun records them (20.2 B each)"; returns the name. */
static const char *describe_size(const struct graph_sizes *sizes, uint32_t id, struct str *out)
{
	const uint64_t n = id == SIZE_EVENTS ? sizes->events : sizes->records;
	const uint64_t bytes = id == SIZE_EVENTS ? sizes->event_bytes : sizes->record_bytes;

	units_count(out, n);
	str_add(out, ", ");
	units_bytes(out, bytes);
	str_add_fmt(out, " as tvrun records them (%.1f B each)", (double)bytes / (double)n);
	return id == SIZE_EVENTS ? "events" : "statement records";
}

static uint32_t describe_property(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct property *property = trace_property(trace, id);

	str_add(out, trace_string(trace, property->value));
	return property->key;
}

static uint32_t describe_object(const struct trace *trace, uint32_t id, struct str *out)
{
	trace_object_text(trace, id, out);
	return trace_object(trace, id)->name;
}

static const char *object_kind(const struct trace *trace, uint32_t id)
{
	return detail_info((enum detail_type)trace_object(trace, id)->detail.type)->name;
}

static uint32_t describe_location(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct location *l = trace_location(trace, id);
	const struct timescale *scale = trace_scale(trace);

	units_count(out, l->events);
	str_add(out, " events from ");
	units_seconds(out, l->begin, scale, scale->digits);
	str_add(out, " s to ");
	units_seconds(out, l->end, scale, scale->digits);
	str_add(out, " s");
	if (l->node)
		str_add_fmt(out, " on %s", trace_string(trace, l->node));
	if (l->begin_inferred || l->end_inferred)
		str_add(out, ", lifetime taken from its first and last record");
	if (l->cut_off)
		str_add(out, ", ends with regions open");
	if (l->unfinished)
		str_add(out, ", ends without MPI_Finalize");
	return l->name;
}

/* Writes "0-3,8": world ranks as --ranks takes them, neighbours joined. */
static void add_ranks(const int32_t *ranks, uint32_t n, const char *what, struct str *out)
{
	str_add_fmt(out, "%u %s%s", n, what, n == 1 ? "" : "s");
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && ranks[end] == ranks[end - 1] + 1;)
			end++;
		str_add_fmt(out, "%s%d", i ? "," : ": ", ranks[i]);
		if (end - i > 1)
			str_add_fmt(out, "-%d", ranks[end - 1]);
	}
}

static uint32_t describe_comm(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct comm *comm = trace_comm(trace, id);

	switch (comm->kind) {
	case COMM_SELF:
		str_add(out, "each process on its own");
		if (comm->size > 0)
			str_add(out, ", ");
		if (comm->size > 0)
			add_ranks(comm->ranks, comm->size, "rank", out);
		break;
	case COMM_INTER:
		str_add(out, "between ");
		add_ranks(comm->ranks, comm->size, "rank", out);
		str_add(out, " and ");
		add_ranks(comm->remote, comm->remote_size, "rank", out);
		break;
	case COMM_THREADS: add_ranks(comm->ranks, comm->size, "location", out); break;
	default: add_ranks(comm->ranks, comm->size, "rank", out);
	}
	if (comm->parent < trace_comm_count(trace))
		str_add_fmt(out, ", created from %s",
			    trace_string(trace, trace_comm(trace, comm->parent)->name));
	return comm->name;
}

static uint32_t describe_node(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct tree_node *node = trace_tree_node(trace, id);

	str_add(out, trace_string(trace, node->cls));
	if (node->parent < trace_tree_node_count(trace))
		str_add_fmt(out, " in %s",
			    trace_string(trace, trace_tree_node(trace, node->parent)->name));
	return node->name;
}

static uint32_t describe_process(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct process *process = trace_process(trace, id);

	str_add(out, process->type == 2 ? "accelerator" : "process");
	if (process->node < trace_tree_node_count(trace))
		str_add_fmt(out, " on %s",
			    trace_string(trace, trace_tree_node(trace, process->node)->name));
	if (process->creator < trace_process_count(trace))
		str_add_fmt(out, ", created by %s",
			    trace_string(trace, trace_process(trace, process->creator)->name));
	return process->name;
}

static uint32_t describe_metric(const struct trace *trace, uint32_t id, struct str *out)
{
	static const char *const modes[METRIC_MODES] = {
		"sum since the start",
		"sum since the start, at points",
		"sum since the last value",
		"sum until the next value",
		"value at points",
		"value since the last one",
		"value until the next one",
		"difference at points",
		"difference since the last one",
		"difference until the next one",
	};
	const struct metric *metric = trace_metric(trace, id);

	str_add(out, metric->mode < METRIC_MODES ? modes[metric->mode] : "value");
	if (metric->unit)
		str_add_fmt(out, ", in %s", trace_string(trace, metric->unit));
	if (metric->exponent)
		str_add_fmt(out, ", times %u^%lld", metric->base, (long long)metric->exponent);
	if (metric->description)
		str_add_fmt(out, ": %s", trace_string(trace, metric->description));
	return metric->name;
}

static uint32_t describe_marker(const struct trace *trace, uint32_t id, struct str *out)
{
	static const char *const severities[] = { "", "low, ", "medium, ", "high, " };
	const struct marker *marker = trace_marker(trace, id);
	const struct timescale *scale = trace_scale(trace);

	str_add(out, marker->severity < ARRAY_SIZE(severities) ? severities[marker->severity] : "");
	str_add(out, "at ");
	units_seconds(out, marker->time, scale, scale->digits);
	str_add(out, " s");
	if (marker->duration > 0) {
		str_add(out, " for ");
		units_human_time(out, marker->duration, scale, 4);
	}
	if (marker->scope_kind == 1 && marker->scope < trace_location_count(trace))
		str_add_fmt(out, ", %s",
			    trace_string(trace,
					 trace_location(trace, (uint32_t)marker->scope)->name));
	str_add_fmt(out, ": %s", trace_string(trace, marker->text));
	return marker->category;
}

static uint32_t describe_offset(const struct trace *trace, uint32_t id, struct str *out)
{
	const struct offset *o = trace_offset(trace, id);
	const struct timescale *scale = trace_scale(trace);

	units_seconds(out, o->offset, scale, units_export_digits(scale));
	str_add(out, " s at ");
	units_seconds(out, o->time, scale, scale->digits);
	str_add(out, " s");
	if (o->rtt >= 0) {
		str_add(out, ", round trip ");
		units_human_time(out, o->rtt, scale, 4);
	}
	return trace_location(trace, o->location)->name;
}

/* Each writes the value and returns its name. */
static const struct {
	const char *name;
	uint32_t (*describe)(const struct trace *trace, uint32_t id, struct str *out);
} kinds[] = {
	[KIND_SIZE] = { "size", NULL },
	[KIND_PROPERTY] = { "property", describe_property },
	[KIND_NODE] = { "system node", describe_node },
	[KIND_PROCESS] = { "process", describe_process },
	[KIND_LOCATION] = { "location", describe_location },
	[KIND_COMM] = { "communicator", describe_comm },
	[KIND_OFFSET] = { "offset", describe_offset },
	[KIND_METRIC] = { "metric", describe_metric },
	[KIND_OBJECT] = { NULL, describe_object },
	[KIND_MARKER] = { "marker", describe_marker },
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct trace *trace = list->trace;
	const struct definition_row *row = list_table_row(list, item);
	struct str *value = list_table_text(list);
	const char *name =
		row->kind == KIND_SIZE
			? describe_size(&((struct definitions_table *)list)->sizes, row->id, value)
			: trace_string(trace, kinds[row->kind].describe(trace, row->id, value));

	v[D_KIND] = value_text(row->kind == KIND_OBJECT ? object_kind(trace, row->id)
							: kinds[row->kind].name);
	v[D_NAME] = value_text(name);
	v[D_VALUE] = value_text(value->text);
}

struct table *definitions_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct definition_row) };
	const struct trace *trace = query->trace;
	const size_t counts[] = {
		[KIND_PROPERTY] = trace_property_count(trace),
		[KIND_NODE] = trace_tree_node_count(trace),
		[KIND_PROCESS] = trace_process_count(trace),
		[KIND_LOCATION] = trace_location_count(trace),
		[KIND_COMM] = trace_comm_count(trace),
		[KIND_OFFSET] = trace_offset_count(trace),
		[KIND_METRIC] = trace_metric_count(trace),
		[KIND_OBJECT] = trace_object_count(trace),
		[KIND_MARKER] = trace_marker_count(trace),
	};
	struct definitions_table *t = list_table_new(sizeof *t, &ops, columns, D_COLUMNS, trace);
	struct list_table *list = &t->list;

	(void)err;
	graph_sizes_of_trace(trace, NULL, &t->sizes);
	if (t->sizes.events && !trace_records_alone(trace))
		list_table_add_row(list, &(struct definition_row){ KIND_SIZE, SIZE_EVENTS });
	if (t->sizes.records)
		list_table_add_row(list, &(struct definition_row){ KIND_SIZE, SIZE_RECORDS });
	for (size_t kind = KIND_PROPERTY; kind < ARRAY_SIZE(counts); kind++)
		for (uint32_t i = 0; i < counts[kind]; i++)
			list_table_add_row(list, &(struct definition_row){ (enum kind)kind, i });
	return &list->table;
}
