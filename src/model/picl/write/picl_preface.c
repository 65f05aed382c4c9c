/* The header of a written file (doc/format.md): PICL's own definitions first, then what only tview
 * understands, as messages to everybody. A trace that needs none of it gets none, so that a plain
 * PICL file is written as it was. */
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "model/meaning/picl_types.h"
#include "model/picl/picl_header.h"
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
}

bool picl_preface_replaces(const struct picl_writer *w, const char *text)
{
	return w->own && picl_is_loose_definition(text, REC_SUBSET_PROCESSES);
}

/* ---- lines ---- */

static bool is_default_name(int32_t type, const char *name)
{
	const char *standard = picl_type_name(type);
	struct str made = STR_INIT;
	bool same;

	if (!standard)
		str_add_fmt(&made, "event %d", type);
	same = strcmp(standard ? standard : made.text, name) == 0;
	str_fini(&made);
	return same;
}

static void write_labels(struct picl_writer *w, int64_t time)
{
	uint32_t n;
	struct picl_out_type *list = picl_out_types(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = trace_region_name(w->trace, list[i].region);
		if (!picl_is_labelled(w, list[i].type) && !is_default_name(list[i].type, name))
			picl_text_record(w, REC_LABEL, list[i].type, time, name);
	}
	free(list);
}

static void write_subsets(struct picl_writer *w, int64_t time)
{
	for (uint32_t c = 0; w->own && c < trace_comm_count(w->trace); c++) {
		const struct comm *comm = trace_comm(w->trace, c);
		picl_compose_head(w, REC_SUBSET_PROCESSES, -1, time, -1, -1);
		str_add_fmt(&w->text, "%u 2 %d", comm->size + 1, PICL_WORLD - (int32_t)c);
		for (uint32_t i = 0; i < comm->size; i++) {
			str_add_char(&w->text, ' ');
			str_add_int(&w->text, comm->kind == COMM_THREADS
						      ? picl_value_out(w, VALUE_LOCATION,
								       (uint64_t)comm->ranks[i])
						      : comm->ranks[i]);
		}
		str_add_char(&w->text, '\n');
	}
}

static void write_properties(struct picl_writer *w, int64_t time)
{
	const size_t plain = picl_properties_odd(w->trace) ? 0 : trace_property_count(w->trace);
	struct str value = STR_INIT;

	str_add_int(&value, PICL_WORLD);
	picl_preface_line(w, time, "world", value.text);
	for (size_t i = 0; i < plain; i++) {
		const struct property *p = trace_property(w->trace, i);
		if (save_has_property(w->trace, p, w->options->base))
			picl_preface_line(w, time, trace_string(w->trace, p->key),
					  trace_string(w->trace, p->value));
	}
	if (w->options->base > BASE_LINEAR)
		picl_preface_line(w, time, SAVE_TIMES, time_base_name(w->options->base));
	for (uint32_t c = 0; c < trace_comm_count(w->trace); c++) {
		const char *name = trace_string(w->trace, trace_comm(w->trace, c)->name);
		if (c == 0 || !*name)
			continue;
		str_clear(&value);
		str_add_fmt(&value, "%d %s", PICL_WORLD - (int)c, name);
		picl_preface_line(w, time, "comm", value.text);
	}
	str_fini(&value);
}

static void write_locations(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;

	for (uint32_t l = 0; l < trace_location_count(w->trace); l++) {
		const struct location *location = trace_location(w->trace, l);
		const struct picl_out_place *place = &w->places[l];
		if (location->thread || place->process != location->process) {
			str_clear(&value);
			str_add_fmt(&value, "%d %d %d %d", place->processor, place->process,
				    location->thread, location->process);
			picl_preface_line(w, time, "thread", value.text);
		}
		if (location->node) {
			str_clear(&value);
			str_add_fmt(&value, "%d %d %s", place->processor, place->process,
				    trace_string(w->trace, location->node));
			picl_preface_line(w, time, "node", value.text);
		}
	}
	str_fini(&value);
}

static void write_regions(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;
	uint32_t n;
	struct picl_out_type *list = picl_out_types(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct region *region = trace_region(w->trace, list[i].region);
		const enum region_class cls = (enum region_class)region->cls;
		if (!region->file && !region->line && cls == picl_type_class(list[i].type))
			continue;
		str_clear(&value);
		str_add_fmt(&value, "%d %s %u", list[i].type, region_class_name(cls), region->line);
		if (region->file)
			str_add_fmt(&value, " %s", trace_string(w->trace, region->file));
		picl_preface_line(w, time, "region", value.text);
	}
	str_fini(&value);
	free(list);
}

static void write_calls(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;
	uint32_t n, id = 0;
	struct picl_source *list = picl_sources(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (i && picl_by_source(&list[i - 1], &list[i]) == 0)
			continue;
		id++;
		if (picl_text_is_odd(list[i].file))
			continue; /* the tables have it */
		str_clear(&value);
		str_add_fmt(&value, "%u %u %s", id, list[i].line, list[i].file);
		picl_preface_line(w, time, "site", value.text);
	}
	str_fini(&value);
	free(list);
}

static void write_topology(struct picl_writer *w, int64_t time, const struct topology *t)
{
	struct str value = STR_INIT;

	str_add_fmt(&value, "%d %u", PICL_WORLD - (int)t->comm, t->dims);
	for (uint32_t d = 0; d < t->dims; d++)
		str_add_fmt(&value, " %d", t->size[d]);
	for (uint32_t d = 0; d < t->dims; d++)
		str_add_fmt(&value, " %d", t->periodic[d]);
	str_add_fmt(&value, " %s", trace_string(w->trace, t->name));
	picl_preface_line(w, time, "topology", value.text);
	for (uint32_t i = 0; t->coords && i < trace_comm(w->trace, t->comm)->size; i++) {
		str_clear(&value);
		str_add_fmt(&value, "%u", i);
		for (uint32_t d = 0; d < t->dims; d++)
			str_add_fmt(&value, " %d", t->coords[(size_t)i * t->dims + d]);
		picl_preface_line(w, time, "coords", value.text);
	}
	str_fini(&value);
}

static void write_offsets(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;

	/* Times of another base are corrected by them already. */
	for (size_t i = 0; w->options->base == BASE_MEASURED && i < trace_offset_count(w->trace);
	     i++) {
		const struct offset *o = trace_offset(w->trace, i);
		str_clear(&value);
		str_add_fmt(&value, "%d %d", w->places[o->location].processor,
			    w->places[o->location].process);
		picl_preface_seconds(w, &value, o->time);
		picl_preface_seconds(w, &value, o->offset);
		if (o->rtt < 0)
			str_add(&value, " -");
		else
			picl_preface_seconds(w, &value, o->rtt);
		picl_preface_line(w, time, "offset", value.text);
	}
	str_fini(&value);
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
static void write_format(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;

	/* The oldest version that has all of it: 1.2 added statements, 1.3 classes. */
	str_add_fmt(&value, "%d.%d", TVIEW_FORMAT_MAJOR,
		    has_new_class(w)             ? TVIEW_FORMAT_MINOR
		    : picl_program_is_written(w) ? 2
						 : 1);
	picl_preface_line(w, time, "format", value.text);
	if (has_own_rate(w)) {
		str_clear(&value);
		str_add_int(&value, trace_scale(w->trace)->per_second);
		picl_preface_line(w, time, "tick-rate", value.text);
	}
	str_fini(&value);
}

void picl_preface_write(struct picl_writer *w, int64_t time)
{
	if (w->own)
		write_format(w, time);
	write_labels(w, time);
	write_subsets(w, time);
	if (!w->own)
		return;
	write_properties(w, time);
	if (w->tables)
		picl_tables_write(w, time);
	write_locations(w, time);
	write_regions(w, time);
	write_calls(w, time);
	for (uint32_t i = 0; i < trace_topology_count(w->trace); i++)
		write_topology(w, time, trace_topology(w->trace, i));
	write_offsets(w, time);
}
