/* The header of a written file (doc/format.md): PICL's own definitions first, then what only tview
 * understands, as messages to all. A trace that does not need the latter gets none, so that a plain
 * PICL file is written as it was. */
#include <string.h>

#include "base/version.h"
#include "model/meaning/picl_types.h"
#include "model/picl/picl_text.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/record_type.h"

/* ---- is there a header? ---- */

static bool is_plain_region(const struct region *region)
{
	return region->file == 0 && region->line == 0 &&
	       region->cls == picl_type_class(region->picl);
}

/* True where the digits of the times do not tell what a tick is. */
static bool has_own_rate(const struct picl_writer *w)
{
	int64_t rate = 1000000000;

	for (int digits = 9; digits < w->digits; digits++)
		rate *= 10;
	return trace_scale(w->trace)->per_second != rate;
}

static bool needs_header(const struct picl_writer *w)
{
	const struct trace *t = w->trace;
	int32_t id;

	if (has_own_rate(w))
		return true;
	if (trace_property_count(t) || trace_topology_count(t) || trace_offset_count(t))
		return true;
	for (uint32_t c = 1; c < trace_comm_count(t); c++)
		if (!picl_defined_loosely(w, trace_comm(t, c), &id))
			return true;
	for (uint32_t s = 0; s < trace_site_count(t); s++)
		if (trace_site(t, s)->file || trace_site(t, s)->line)
			return true;
	for (uint32_t r = 0; r < trace_region_count(t); r++)
		if (!is_plain_region(trace_region(t, r)))
			return true;
	for (uint32_t l = 0; l < trace_location_count(t); l++)
		if (trace_location(t, l)->node || trace_location(t, l)->thread)
			return true;
	return false;
}

void picl_preface_init(struct picl_writer *w)
{
	picl_note_labels(w);
	w->tables = picl_tables_needed(w);
	w->own = w->tables || needs_header(w);
	picl_number_comms(w);
	picl_number_types(w);
	picl_number_calls(w);
	picl_list_types(w);
}

bool picl_preface_replaces(const struct picl_writer *w, const char *text)
{
	return w->own && picl_is_loose_definition(text, REC_SUBSET_PROCESSES);
}

/* ---- lines ---- */

static bool is_default_name(int32_t type, const char *name)
{
	const char *standard = picl_type_name(type);
	OWNED_STR made = STR_INIT;

	if (!standard)
		str_add_fmt(&made, "event %d", type);
	return strcmp(standard ? standard : made.text, name) == 0;
}

static void write_labels(struct picl_writer *w)
{
	const struct picl_out_type *type;

	vec_each (type, &w->types) {
		const char *name = trace_region_name(w->trace, type->region);
		if (!picl_is_labelled(w, type->type) && !is_default_name(type->type, name))
			picl_text_record(w, REC_LABEL, type->type, name);
	}
}

static void write_subsets(struct picl_writer *w)
{
	for (uint32_t c = 0; w->own && c < trace_comm_count(w->trace); c++) {
		const struct comm *comm = trace_comm(w->trace, c);
		picl_header_head(w, REC_SUBSET_PROCESSES, TYPE_ALL);
		str_add_fmt(&w->text, "%u 2 %d", comm->size + 1, PICL_WORLD - (int32_t)c);
		for (uint32_t i = 0; i < comm->size; i++)
			picl_add_value(&w->text, comm->kind == COMM_THREADS
							 ? picl_value_out(w, VALUE_LOCATION,
									  (uint64_t)comm->ranks[i])
							 : comm->ranks[i]);
		str_add_char(&w->text, '\n');
	}
}

static void write_properties(struct picl_writer *w)
{
	const size_t plain = picl_properties_odd(w->trace) ? 0 : trace_property_count(w->trace);

	picl_line(w, "world", "%d", PICL_WORLD);
	for (size_t i = 0; i < plain; i++) {
		const struct property *p = trace_property(w->trace, i);
		if (save_has_property(w->trace, p, w->options->base))
			picl_line(w, trace_string(w->trace, p->key), "%s",
				  trace_string(w->trace, p->value));
	}
	if (w->options->base > BASE_LINEAR)
		picl_line(w, SAVE_TIMES, "%s", time_base_name(w->options->base));
	for (uint32_t c = 1; c < trace_comm_count(w->trace); c++) {
		const char *name = trace_string(w->trace, trace_comm(w->trace, c)->name);
		if (*name)
			picl_line(w, "comm", "%d %s", PICL_WORLD - (int)c, name);
	}
}

static void write_locations(struct picl_writer *w)
{
	for (uint32_t l = 0; l < trace_location_count(w->trace); l++) {
		const struct location *location = trace_location(w->trace, l);
		const struct picl_out_place *place = &w->places[l];
		if (location->thread || place->process != location->process)
			picl_line(w, "thread", "%d %d %d %d", place->processor, place->process,
				  location->thread, location->process);
		if (location->node)
			picl_line(w, "node", "%d %d %s", place->processor, place->process,
				  trace_string(w->trace, location->node));
	}
}

static void write_regions(struct picl_writer *w)
{
	const struct picl_out_type *type;

	vec_each (type, &w->types) {
		const struct region *region = trace_region(w->trace, type->region);
		const enum region_class cls = (enum region_class)region->cls;
		if (!region->file && !region->line && cls == picl_type_class(type->type))
			continue;
		str_add_fmt(&w->line, "%d %s %u", type->type, region_class_name(cls), region->line);
		if (region->file)
			str_add_fmt(&w->line, " %s", trace_string(w->trace, region->file));
		picl_line_end(w, "region");
	}
}

static void write_calls(struct picl_writer *w)
{
	for (size_t i = 0; i < w->sources.n; i++) {
		const struct picl_source *source = &w->sources.data[i];
		/* The others are in the tables. */
		if (!picl_text_is_odd(source->file))
			picl_line(w, "site", "%zu %u %s", i + 1, source->line, source->file);
	}
}

static void write_topology(struct picl_writer *w, const struct topology *t)
{
	picl_line_add(w, PICL_WORLD - (int)t->comm);
	picl_line_add(w, t->dims);
	for (uint32_t d = 0; d < t->dims; d++)
		picl_line_add(w, t->size[d]);
	for (uint32_t d = 0; d < t->dims; d++)
		picl_line_add(w, t->periodic[d]);
	picl_line(w, "topology", " %s", trace_string(w->trace, t->name));
	for (uint32_t i = 0; t->coords && i < trace_comm(w->trace, t->comm)->size; i++) {
		picl_line_add(w, i);
		for (uint32_t d = 0; d < t->dims; d++)
			picl_line_add(w, t->coords[(size_t)i * t->dims + d]);
		picl_line_end(w, "coords");
	}
}

static void write_offsets(struct picl_writer *w)
{
	/* Offsets are applied to the times of other bases already. */
	for (size_t i = 0; w->options->base == BASE_MEASURED && i < trace_offset_count(w->trace);
	     i++) {
		const struct offset *o = trace_offset(w->trace, i);
		picl_line_add(w, w->places[o->location].processor);
		picl_line_add(w, w->places[o->location].process);
		picl_line_seconds(w, o->time);
		picl_line_seconds(w, o->offset);
		if (o->rtt < 0)
			str_add(&w->line, " -");
		else
			picl_line_seconds(w, o->rtt);
		picl_line_end(w, "offset");
	}
}

/* True if the header names a class that 1.2 does not know. */
static bool has_new_class(const struct picl_writer *w)
{
	for (uint32_t i = 0; i < trace_region_count(w->trace); i++) {
		const struct region *region = trace_region(w->trace, i);

		if ((region->cls == CLASS_RMA || region->cls == CLASS_START_END ||
		     region->cls == CLASS_DEVICE) &&
		    (w->tables || !is_plain_region(region)))
			return true;
	}
	return false;
}

/* What a reader must know before the first time it reads: within the file's first bytes. */
static void write_format(struct picl_writer *w)
{
	/* The oldest version that has all of it: 1.2 added statements, 1.3 classes. */
	picl_line(w, "format", "%d.%d", TVIEW_FORMAT_MAJOR,
		  has_new_class(w)             ? TVIEW_FORMAT_MINOR
		  : picl_program_is_written(w) ? 2
					       : 1);
	if (has_own_rate(w)) {
		picl_line_add(w, trace_scale(w->trace)->per_second);
		picl_line_end(w, "tick-rate");
	}
}

void picl_preface_write(struct picl_writer *w)
{
	if (w->own)
		write_format(w);
	write_labels(w);
	write_subsets(w);
	if (!w->own && w->text.n == 0 && w->is_vague)
		write_format(w);
	if (!w->own)
		return;
	write_properties(w);
	if (w->tables)
		picl_tables_write(w);
	write_locations(w);
	write_regions(w);
	write_calls(w);
	for (uint32_t i = 0; i < trace_topology_count(w->trace); i++)
		write_topology(w, trace_topology(w->trace, i));
	write_offsets(w);
}
