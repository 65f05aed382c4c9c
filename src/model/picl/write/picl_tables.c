/* The tables of a written file's header (doc/format.md, 1.1): what OTF2 archives say beyond PICL.
 * Everything is numbered in the order of the trace's own tables, so that a reader restores
 * them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/picl/picl_header.h"
#include "model/picl/picl_rows.h"
#include "model/picl/picl_text.h"
#include "model/picl/picl_values.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/program.h"

/* ---- are they needed? ---- */

static bool is_rich_region(const struct region *r)
{
	return r->role || r->paradigm || r->flags || r->end_line || r->canonical || r->description;
}

static bool is_rich_location(const struct picl_writer *w, const struct location *l)
{
	OWNED_STR name = STR_INIT;
	bool same;

	if (l->owner != UINT32_MAX || l->type || l->source_id || l->source_name ||
	    l->rank == RANK_UNKNOWN)
		return true;
	/* A label of the source names it already. */
	if (w->all_labelled || keymap_find(&w->labelled, KEY_OF((uint32_t)TYPE_ALL)))
		return false;
	location_default_name(l, 0, &name);
	same = strcmp(name.text, trace_string(w->trace, l->name)) == 0;
	return !same;
}

static bool is_rich_comm(const struct comm *c)
{
	return c->kind != COMM_PROCESSES || c->flags || c->remote_size || c->parent != UINT32_MAX;
}

/* True if two regions have one name and class, so that only their files distinguish them. */
static bool has_namesakes(const struct trace *t)
{
	ENDED_BY(keymap_fini) struct keymap seen = { NULL, 0, 0 };
	bool found = false;

	for (uint32_t r = 0; r < trace_region_count(t) && !found; r++) {
		const struct region *region = trace_region(t, r);
		uint32_t *first = keymap_add(&seen, KEY_OF(region->name, (uint32_t)region->cls));
		found = *first != UINT32_MAX;
		*first = r;
	}
	return found;
}

static bool is_odd_property(const struct trace *trace, const struct property *p)
{
	const char *key = trace_string(trace, p->key);

	return strchr(key, '=') || picl_header_is_key(key) || picl_text_is_odd(key) ||
	       picl_text_is_odd(trace_string(trace, p->value));
}

bool picl_properties_odd(const struct trace *trace)
{
	for (size_t i = 0; i < trace_property_count(trace); i++)
		if (is_odd_property(trace, trace_property(trace, i)))
			return true;
	return false;
}

bool picl_tables_needed(const struct picl_writer *w)
{
	const struct trace *t = w->trace;

	if (trace_detail_count(t) || trace_object_count(t) || trace_metric_count(t) ||
	    trace_metric_set_count(t) || trace_attribute_count(t) || trace_marker_count(t) ||
	    trace_tree_node_count(t) || trace_process_count(t) || picl_program_is_written(w) ||
	    has_namesakes(t))
		return true;
	for (uint32_t r = 0; r < trace_region_count(t); r++)
		if (is_rich_region(trace_region(t, r)))
			return true;
	for (uint32_t l = 0; l < trace_location_count(t); l++)
		if (is_rich_location(w, trace_location(t, l)))
			return true;
	for (uint32_t c = 1; c < trace_comm_count(t); c++)
		if (is_rich_comm(trace_comm(t, c)))
			return true;
	for (uint32_t c = 0; c < trace_collective_count(t); c++)
		if (trace_collective(t, c)->flags & COLL_REQUEST)
			return true;
	for (uint32_t s = 0; s < trace_site_count(t); s++)
		if (picl_text_is_odd(trace_string(t, trace_site(t, s)->file)))
			return true;
	return picl_properties_odd(t);
}

/* ---- values ---- */

static int64_t location_number(const struct picl_writer *w, uint64_t id)
{
	return id < trace_location_count(w->trace) ? w->places[id].number : -1;
}

int64_t picl_value_out(struct picl_writer *w, enum picl_value sort, uint64_t value)
{
	if (sort != VALUE_PLAIN && value == UINT64_MAX)
		return -1;
	switch (sort) {
	case VALUE_STRING: return picl_string_number(w, (uint32_t)value);
	case VALUE_COMM: return picl_comm_number(w, value);
	case VALUE_LOCATION: return location_number(w, value);
	case VALUE_SITE:
		if (value >= trace_site_count(w->trace))
			return -1;
		return (int64_t)((uint64_t)w->sites[value].call << 32 |
				 (uint32_t)w->sites[value].type);
	case VALUE_SOURCE:
		return (int64_t)((uint64_t)picl_string_number(w, (uint32_t)(value >> 32)) << 32 |
				 (uint32_t)value);
	case VALUE_REGION:
	case VALUE_PLAIN: break;
	}
	return (int64_t)value;
}

int64_t picl_attribute_out(struct picl_writer *w, const struct event_attribute *a)
{
	const struct object *object;

	if (a->object >= trace_object_count(w->trace))
		return (int64_t)a->value;
	object = trace_object(w->trace, a->object);
	/* description, type */
	return picl_value_out(w,
			      picl_value_of_attribute(
				      trace_detail_values(w->trace, &object->detail)[1]),
			      a->value);
}

struct named {
	const char *text;
	uint32_t id;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->text, ((const struct named *)b)->text);
}

/* Numbers the strings that only events name, in an order that does not depend on that of the
 * events, and notes the types of details. */
static void note_events(struct picl_writer *w)
{
	const size_t before = w->strings.n;
	struct named *list;
	size_t n;

	for (uint32_t i = 0; i < trace_detail_count(w->trace); i++) {
		const struct detail *detail = trace_detail(w->trace, i);
		const uint64_t *values = trace_detail_values(w->trace, detail);

		w->detail_used[detail->type] = true;
		for (uint32_t k = 0; k < detail->n; k++)
			if (picl_value_of((enum detail_type)detail->type, k) == VALUE_STRING)
				picl_string_number(w, (uint32_t)values[k]);
	}
	for (size_t i = 0; i < trace_attribute_count(w->trace); i++)
		picl_attribute_out(w, trace_attribute(w->trace, i));
	n = w->strings.n - before;
	list = xmalloc((n + 1) * sizeof *list);
	for (size_t i = 0; i < n; i++) {
		const uint32_t id = w->strings.data[before + i];
		list[i] = (struct named){ trace_string(w->trace, id), id };
	}
	SORT(list, n, by_text);
	for (size_t i = 0; i < n; i++) {
		w->strings.data[before + i] = list[i].id;
		w->string_numbers[list[i].id] = (uint32_t)(before + i + 1);
	}
	free(list);
}

/* ---- lines ---- */

static void add_class(struct picl_writer *w, uint8_t cls)
{
	str_add(&w->line, region_class_name((enum region_class)cls));
}

static void add_uint64(struct picl_writer *w, uint64_t value)
{
	picl_line_add(w, (int64_t)value);
}

static void add_row(struct picl_writer *w, uint32_t row)
{
	picl_line_add(w, row == UINT32_MAX ? -1 : (int64_t)row);
}

static void add_location(struct picl_writer *w, uint32_t id)
{
	picl_line_add(w, location_number(w, id));
}

static void add_text(struct picl_writer *w, uint32_t id)
{
	picl_line_add(w, picl_string_number(w, id));
}

#define add_byte         picl_line_add
#define add_int32        picl_line_add
#define add_uint32       picl_line_add
#define add_int64        picl_line_add
#define add_time         picl_line_seconds
#define ADD(field, sort) add_##sort(w, row->field);

static void write_regions(struct picl_writer *w)
{
	const struct picl_out_type *type;

	for (uint32_t i = 0; i < trace_region_count(w->trace); i++) {
		const struct region *row = trace_region(w->trace, i);
		PICL_REGION(ADD)
		picl_line_end(w, "def-region");
	}
	vec_each (type, &w->types)
		picl_line(w, "def-type", "%d %u %d", type->type, type->region, type->picl);
}

/* Call sites in files whose names cannot be written in a "tview:site" line. */
static void write_odd_sites(struct picl_writer *w)
{
	for (size_t i = 0; i < w->sources.n; i++) {
		const struct picl_source *source = &w->sources.data[i];
		if (!picl_text_is_odd(source->file))
			continue;
		picl_line_add(w, (int64_t)i + 1);
		picl_line_add(w, source->line);
		add_text(w, trace_site(w->trace, source->site)->file);
		picl_line_end(w, "def-site");
	}
}

static void write_comms(struct picl_writer *w)
{
	for (uint32_t i = 1; i < trace_comm_count(w->trace); i++) {
		const struct comm *c = trace_comm(w->trace, i);
		picl_line_add(w, picl_comm_number(w, i));
		picl_line_add(w, c->kind);
		picl_line_add(w, picl_comm_number(w, c->parent));
		picl_line_add(w, c->flags);
		add_text(w, c->name);
		for (uint32_t k = 0; k < c->remote_size; k++)
			picl_line_add(w, c->remote[k]);
		picl_line_end(w, "def-comm");
	}
}

static void write_places(struct picl_writer *w)
{
	for (uint32_t i = 0; i < trace_tree_node_count(w->trace); i++) {
		const struct tree_node *row = trace_tree_node(w->trace, i);
		PICL_TREE_NODE(ADD)
		picl_line_end(w, "def-tree");
	}
	for (uint32_t i = 0; i < trace_process_count(w->trace); i++) {
		const struct process *row = trace_process(w->trace, i);
		PICL_PROCESS(ADD)
		picl_line_end(w, "def-process");
	}
	for (uint32_t i = 0; i < trace_location_count(w->trace); i++) {
		const struct location *row = trace_location(w->trace, i);
		if (w->places[i].number < 0)
			continue;
		picl_line_add(w, w->places[i].processor);
		picl_line_add(w, w->places[i].process);
		PICL_LOCATION(ADD)
		picl_line_end(w, "def-location");
	}
}

static void write_objects(struct picl_writer *w)
{
	for (uint32_t i = 0; i < trace_object_count(w->trace); i++) {
		const struct object *o = trace_object(w->trace, i);
		const enum detail_type type = (enum detail_type)o->detail.type;
		const uint64_t *values = trace_detail_values(w->trace, &o->detail);
		str_add(&w->line, detail_info(type)->name);
		add_text(w, o->name);
		for (uint32_t k = 0; k < o->detail.n; k++)
			picl_line_add(w, picl_value_out(w, picl_value_of(type, k), values[k]));
		picl_line_end(w, "def-object");
	}
	for (uint32_t i = 0; i < trace_metric_count(w->trace); i++) {
		const struct metric *row = trace_metric(w->trace, i);
		PICL_METRIC(ADD)
		picl_line_end(w, "def-metric");
	}
	for (uint32_t i = 0; i < trace_metric_set_count(w->trace); i++) {
		const struct metric_set *row = trace_metric_set(w->trace, i);
		PICL_METRIC_SET(ADD)
		for (uint32_t k = 0; k < row->n; k++)
			picl_line_add(w, row->metrics[k]);
		picl_line_end(w, "def-metrics");
	}
}

/* A detail's number in the records is that of its type here; its name tells what it is. */
static void write_details(struct picl_writer *w)
{
	for (int i = 0; i < DETAIL_TYPES; i++) {
		const struct detail_info *info = detail_info((enum detail_type)i);
		if (!w->detail_used[i] || i == DETAIL_METRIC)
			continue;
		str_add_fmt(&w->line, "%d %s", i, info->name);
		for (unsigned k = 0; k < info->fields; k++)
			str_add_fmt(&w->line, " %s", info->field[k].name);
		picl_line_end(w, "def-detail");
	}
}

static void write_markers(struct picl_writer *w)
{
	const size_t odd = picl_properties_odd(w->trace) ? trace_property_count(w->trace) : 0;

	for (size_t i = 0; i < trace_marker_count(w->trace); i++) {
		struct marker marker = *trace_marker(w->trace, i), *row = &marker;
		if (row->scope_kind == 1)
			row->scope = (uint64_t)location_number(w, row->scope);
		PICL_MARKER(ADD)
		picl_line_end(w, "def-marker");
	}
	for (size_t i = 0; i < odd; i++) {
		const struct property *row = trace_property(w->trace, i);
		if (!save_has_property(w->trace, row, w->options->base))
			continue;
		PICL_PROPERTY(ADD)
		picl_line_end(w, "def-property");
	}
}

static void write_statements(struct picl_writer *w)
{
	if (w->account)
		picl_line(w, PICL_STATISTICS_KEY, PICL_STATISTICS_MADE);
	for (uint32_t i = 0; picl_program_is_written(w) && i < trace_statement_count(w->trace);
	     i++) {
		const struct statement *row = trace_statement(w->trace, i);
		int64_t values[STATEMENT_VALUES];
		statement_values(row, values);
		for (int k = 0; k < STATEMENT_VALUES; k++)
			picl_line_add(w, values[k]);
		PICL_STATEMENT(ADD)
		picl_line_end(w, "def-statement");
	}
}

/* Characters that would end the line, and '%', are written as "%0A". */
static void write_strings(struct picl_writer *w)
{
	for (size_t i = 0; i < w->strings.n; i++) {
		const char *text = trace_string(w->trace, w->strings.data[i]);
		const bool odd = picl_text_is_odd(text);

		for (; *text; text++)
			if (odd && ((unsigned char)*text < ' ' || *text == 127 || *text == '%'))
				str_add_fmt(&w->line, "%%%02X", (unsigned char)*text);
			else
				str_add_char(&w->line, *text);
		picl_line_end(w, odd ? "def-escaped" : "def-string");
	}
}

void picl_tables_write(struct picl_writer *w)
{
	struct str body = STR_INIT, before = w->text;

	w->string_numbers = xcalloc((size_t)trace_string_count(w->trace) + 1, sizeof(uint32_t));
	/* The strings come first, but the lines after them decide which ones. */
	w->text = body;
	write_regions(w);
	write_odd_sites(w);
	write_comms(w);
	write_places(w);
	write_objects(w);
	write_markers(w);
	write_statements(w);
	note_events(w);
	write_details(w);
	body = w->text;
	w->text = before;
	write_strings(w);
	str_add_n(&w->text, body.text, body.n);
	str_fini(&body);
}

void picl_tables_fini(struct picl_writer *w)
{
	free(w->string_numbers);
	vec_fini(&w->strings);
}
