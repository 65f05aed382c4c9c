/* The tables of a written file's header (doc/format.md, 1.1): what OTF2 archives say beyond PICL.
 * Everything is numbered in the order of the trace's own tables, so that a reader has them
 * again. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/picl/picl_header.h"
#include "model/picl/picl_values.h"
#include "model/picl/write/picl_out.h"

/* ---- are they needed? ---- */

static bool is_rich_region(const struct region *r)
{
	return r->role || r->paradigm || r->flags || r->end_line || r->canonical || r->description;
}

static bool is_rich_location(const struct picl_writer *w, const struct location *l)
{
	struct str name = STR_INIT;
	bool same;

	if (l->owner != UINT32_MAX || l->type || l->source_id || l->source_name ||
	    l->rank == RANK_UNKNOWN)
		return true;
	/* A label of the source names it. */
	if (w->all_labelled || keymap_find(&w->labelled, KEY_OF((uint32_t)TYPE_ALL)))
		return false;
	location_default_name(l, 0, &name);
	same = strcmp(name.text, trace_string(w->trace, l->name)) == 0;
	str_fini(&name);
	return !same;
}

static bool is_rich_comm(const struct comm *c)
{
	return c->kind != COMM_PROCESSES || c->flags || c->remote_size || c->parent != UINT32_MAX;
}

/* Two regions of one name and class: only their files tell them apart. */
static bool has_namesakes(const struct trace *t)
{
	struct keymap seen = { NULL, 0, 0 };
	bool found = false;

	for (uint32_t r = 0; r < trace_region_count(t) && !found; r++) {
		const struct region *region = trace_region(t, r);
		uint32_t *first = keymap_add(&seen, KEY_OF(region->name, (uint32_t)region->cls));
		found = *first != UINT32_MAX;
		*first = r;
	}
	keymap_fini(&seen);
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

/* Numbers the strings that events name and no definition does, in an order that does not depend on
 * that of the events; and notes the sorts of details. */
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

static void add(struct str *out, int64_t value)
{
	if (out->n)
		str_add_char(out, ' ');
	str_add_int(out, value);
}

static void add_string(struct picl_writer *w, struct str *out, uint32_t id)
{
	add(out, picl_string_number(w, id));
}

/* An id, or -1 for UINT32_MAX. */
static void add_id(struct str *out, uint32_t id)
{
	add(out, id == UINT32_MAX ? -1 : (int64_t)id);
}

static void put(struct picl_writer *w, int64_t time, const char *key, struct str *value)
{
	picl_preface_line(w, time, key, value->text);
	str_clear(value);
}

static void write_values(struct picl_writer *w, struct str *out, enum detail_type type,
			 const struct detail *detail)
{
	const uint64_t *values = trace_detail_values(w->trace, detail);

	for (uint32_t i = 0; i < detail->n; i++)
		add(out, picl_value_out(w, picl_value_of(type, i), values[i]));
}

static void write_regions(struct picl_writer *w, int64_t time, struct str *s)
{
	uint32_t n;
	struct picl_out_type *types = picl_out_types(w, &n);

	for (uint32_t i = 0; i < trace_region_count(w->trace); i++) {
		const struct region *r = trace_region(w->trace, i);
		str_add(s, region_class_name((enum region_class)r->cls));
		add(s, r->picl);
		add(s, r->role);
		add(s, r->paradigm);
		add(s, r->flags);
		add(s, r->line);
		add(s, r->end_line);
		add_string(w, s, r->name);
		add_string(w, s, r->file);
		add_string(w, s, r->canonical);
		add_string(w, s, r->description);
		put(w, time, "def-region", s);
	}
	for (uint32_t i = 0; i < n; i++) {
		add(s, types[i].type);
		add(s, types[i].region);
		add(s, types[i].picl);
		put(w, time, "def-type", s);
	}
	free(types);
}

/* Call sites in files whose names no line "tview:site" can say. */
static void write_odd_sites(struct picl_writer *w, int64_t time, struct str *s)
{
	uint32_t n;
	struct picl_source *list = picl_sources(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t site = list[i].site;
		if (!picl_text_is_odd(list[i].file) ||
		    (i && picl_by_source(&list[i - 1], &list[i]) == 0))
			continue;
		add(s, w->sites[site].call);
		add(s, list[i].line);
		add_string(w, s, trace_site(w->trace, site)->file);
		put(w, time, "def-site", s);
	}
	free(list);
}

static void write_comms(struct picl_writer *w, int64_t time, struct str *s)
{
	for (uint32_t i = 1; i < trace_comm_count(w->trace); i++) {
		const struct comm *c = trace_comm(w->trace, i);
		add(s, picl_comm_number(w, i));
		add(s, c->kind);
		add(s, c->parent == UINT32_MAX ? -1 : picl_comm_number(w, c->parent));
		add(s, c->flags);
		add_string(w, s, c->name);
		for (uint32_t k = 0; k < c->remote_size; k++)
			add(s, c->remote[k]);
		put(w, time, "def-comm", s);
	}
}

static void write_places(struct picl_writer *w, int64_t time, struct str *s)
{
	for (uint32_t i = 0; i < trace_tree_node_count(w->trace); i++) {
		const struct tree_node *node = trace_tree_node(w->trace, i);
		add_id(s, node->parent);
		add_string(w, s, node->cls);
		add_string(w, s, node->name);
		put(w, time, "def-tree", s);
	}
	for (uint32_t i = 0; i < trace_process_count(w->trace); i++) {
		const struct process *p = trace_process(w->trace, i);
		add_id(s, p->node);
		add(s, p->type);
		add_id(s, p->creator);
		add_string(w, s, p->name);
		put(w, time, "def-process", s);
	}
	for (uint32_t i = 0; i < trace_location_count(w->trace); i++) {
		const struct location *l = trace_location(w->trace, i);
		if (w->places[i].number < 0)
			continue;
		add(s, w->places[i].processor);
		add(s, w->places[i].process);
		add(s, l->rank);
		add(s, l->process);
		add(s, l->thread);
		add(s, l->type);
		add_id(s, l->owner);
		add(s, (int64_t)l->source_id);
		add_string(w, s, l->name);
		add_string(w, s, l->node);
		add_string(w, s, l->source_name);
		put(w, time, "def-location", s);
	}
}

static void write_objects(struct picl_writer *w, int64_t time, struct str *s)
{
	for (uint32_t i = 0; i < trace_object_count(w->trace); i++) {
		const struct object *o = trace_object(w->trace, i);
		str_add(s, detail_info((enum detail_type)o->detail.type)->name);
		add_string(w, s, o->name);
		write_values(w, s, (enum detail_type)o->detail.type, &o->detail);
		put(w, time, "def-object", s);
	}
	for (uint32_t i = 0; i < trace_metric_count(w->trace); i++) {
		const struct metric *m = trace_metric(w->trace, i);
		add(s, m->type);
		add(s, m->mode);
		add(s, m->value);
		add(s, m->base);
		add(s, m->exponent);
		add_string(w, s, m->name);
		add_string(w, s, m->description);
		add_string(w, s, m->unit);
		put(w, time, "def-metric", s);
	}
	for (uint32_t i = 0; i < trace_metric_set_count(w->trace); i++) {
		const struct metric_set *m = trace_metric_set(w->trace, i);
		add(s, m->recorder == UINT32_MAX ? -1 : location_number(w, m->recorder));
		add(s, m->occurrence);
		add(s, m->scope_kind);
		add(s, (int64_t)m->scope);
		for (uint32_t k = 0; k < m->n; k++)
			add(s, m->metrics[k]);
		put(w, time, "def-metrics", s);
	}
}

/* A detail's number in the records is that of its type here; its name tells what it is. */
static void write_details(struct picl_writer *w, int64_t time, struct str *s)
{
	for (int i = 0; i < DETAIL_TYPES; i++) {
		const struct detail_info *info = detail_info((enum detail_type)i);
		if (!w->detail_used[i] || i == DETAIL_METRIC)
			continue;
		str_add_fmt(s, "%d %s", i, info->name);
		for (unsigned k = 0; k < info->fields; k++)
			str_add_fmt(s, " %s", info->field[k].name);
		put(w, time, "def-detail", s);
	}
}

static void write_markers(struct picl_writer *w, int64_t time, struct str *s)
{
	const size_t odd = picl_properties_odd(w->trace) ? trace_property_count(w->trace) : 0;

	for (size_t i = 0; i < trace_marker_count(w->trace); i++) {
		const struct marker *m = trace_marker(w->trace, i);
		picl_preface_seconds(w, s, m->time);
		picl_preface_seconds(w, s, m->duration);
		add(s, m->severity);
		add(s, m->scope_kind);
		add(s, m->scope_kind == 1 ? location_number(w, m->scope) : (int64_t)m->scope);
		add_string(w, s, m->category);
		add_string(w, s, m->text);
		put(w, time, "def-marker", s);
	}
	for (size_t i = 0; i < odd; i++) {
		const struct property *p = trace_property(w->trace, i);
		if (!save_has_property(w->trace, p, w->options->base))
			continue;
		add_string(w, s, p->key);
		add_string(w, s, p->value);
		put(w, time, "def-property", s);
	}
}

/* With what would end the line, and '%', written "%0A". */
static void write_strings(struct picl_writer *w, int64_t time, struct str *s)
{
	for (size_t i = 0; i < w->strings.n; i++) {
		const char *text = trace_string(w->trace, w->strings.data[i]);
		const bool odd = picl_text_is_odd(text);

		for (; *text; text++)
			if (odd && ((unsigned char)*text < ' ' || *text == 127 || *text == '%'))
				str_add_fmt(s, "%%%02X", (unsigned char)*text);
			else
				str_add_char(s, *text);
		put(w, time, odd ? "def-escaped" : "def-string", s);
	}
}

void picl_tables_write(struct picl_writer *w, int64_t time)
{
	struct str body = STR_INIT, value = STR_INIT, before;

	w->string_numbers = xcalloc((size_t)trace_string_count(w->trace) + 1, sizeof(uint32_t));
	/* The strings come first, but the lines after them know which. */
	before = w->text;
	w->text = body;
	write_regions(w, time, &value);
	write_odd_sites(w, time, &value);
	write_comms(w, time, &value);
	write_places(w, time, &value);
	write_objects(w, time, &value);
	write_markers(w, time, &value);
	picl_program_write(w, time);
	note_events(w);
	write_details(w, time, &value);
	body = w->text;
	w->text = before;
	write_strings(w, time, &value);
	str_add_n(&w->text, body.text, body.n);
	str_fini(&body);
	str_fini(&value);
}

void picl_tables_fini(struct picl_writer *w)
{
	free(w->string_numbers);
	vec_fini(&w->strings);
}
