/* view_definitions: what a trace says of itself: properties, locations, communicators, offsets, in
 * one table of kind, name and value. */
#include <stdlib.h>

#include "ui/table_list.h"
#include "ui/view_common.h"

enum definitions_column { D_KIND, D_NAME, D_VALUE, D_COLUMNS };

static const struct column columns[D_COLUMNS] = {
	[D_KIND] = { "kind", "kind", COLUMN_TEXT, 12, true, true },
	[D_NAME] = { "name", "name", COLUMN_TEXT, 24, true, true },
	[D_VALUE] = { "value", "value", COLUMN_TEXT, 0, true, true },
};

enum kind { KIND_PROPERTY, KIND_LOCATION, KIND_COMM, KIND_OFFSET };

struct row {
	enum kind kind;
	uint32_t id;
};

struct definitions_table {
	struct list_table list;
	const struct trace *trace;
	VEC(struct row) rows;
	struct str value;
};

static void location_value(const struct trace *trace, const struct location *l, struct str *out)
{
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
}

/* "0-3,8": world ranks as --ranks takes them, runs of neighbours together. */
static void comm_value(const struct comm *comm, struct str *out)
{
	str_add_fmt(out, comm->size == 1 ? "%u rank: " : "%u ranks: ", comm->size);
	for (uint32_t i = 0, end; i < comm->size; i = end) {
		for (end = i + 1; end < comm->size && comm->ranks[end] == comm->ranks[end - 1] + 1;)
			end++;
		str_add_fmt(out, "%s%d", i ? "," : "", comm->ranks[i]);
		if (end - i > 1)
			str_add_fmt(out, "-%d", comm->ranks[end - 1]);
	}
}

static void offset_value(const struct trace *trace, const struct offset *o, struct str *out)
{
	const struct timescale *scale = trace_scale(trace);

	units_seconds(out, o->offset, scale, units_export_digits(scale));
	str_add(out, " s at ");
	units_seconds(out, o->time, scale, scale->digits);
	str_add(out, " s");
	if (o->rtt >= 0) {
		str_add(out, ", round trip ");
		units_human_time(out, o->rtt, scale, 4);
	}
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct definitions_table *t = (struct definitions_table *)list;
	const struct trace *trace = t->trace;
	const struct row *row = &t->rows.data[item];
	const struct property *property;

	str_clear(&t->value);
	switch (row->kind) {
	case KIND_PROPERTY:
		property = trace_property(trace, row->id);
		v[D_KIND] = value_text("property");
		v[D_NAME] = value_text(trace_string(trace, property->key));
		str_add(&t->value, trace_string(trace, property->value));
		break;
	case KIND_LOCATION:
		v[D_KIND] = value_text("location");
		v[D_NAME] = value_text(trace_string(trace, trace_location(trace, row->id)->name));
		location_value(trace, trace_location(trace, row->id), &t->value);
		break;
	case KIND_COMM:
		v[D_KIND] = value_text("communicator");
		v[D_NAME] = value_comm(trace, row->id);
		comm_value(trace_comm(trace, row->id), &t->value);
		break;
	case KIND_OFFSET:
		v[D_KIND] = value_text("offset");
		v[D_NAME] = value_text(trace_string(
			trace,
			trace_location(trace, trace_offset(trace, row->id)->location)->name));
		offset_value(trace, trace_offset(trace, row->id), &t->value);
		break;
	}
	v[D_VALUE] = value_text(t->value.text);
}

static void fini(struct list_table *list)
{
	struct definitions_table *t = (struct definitions_table *)list;

	vec_fini(&t->rows);
	str_fini(&t->value);
}

static void add_rows(struct definitions_table *t, enum kind kind, size_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct row row = { kind, i };
		vec_push(&t->rows, row);
		list_table_add(&t->list, (uint32_t)t->rows.n - 1);
	}
}

struct table *definitions_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	struct definitions_table *t = xcalloc(1, sizeof *t);

	(void)err;
	t->trace = query->trace;
	str_init(&t->value);
	list_table_init(&t->list, &ops, columns, D_COLUMNS, trace_scale(query->trace));
	add_rows(t, KIND_PROPERTY, trace_property_count(t->trace));
	add_rows(t, KIND_LOCATION, trace_location_count(t->trace));
	add_rows(t, KIND_COMM, trace_comm_count(t->trace));
	add_rows(t, KIND_OFFSET, trace_offset_count(t->trace));
	return &t->list.table;
}
