/* The header of a written file (doc/format.md): PICL's own definitions first, then what only tview
 * understands, as messages to everybody. A trace that needs none of it gets none, so that a plain
 * PICL file is written as it was. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "model/picl/picl_header.h"
#include "model/picl/picl_writer.h"

/* ---- what the loose records define already ---- */

static const char *word(const char *text, int n)
{
	while (n-- && text) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text ? text : "";
}

static bool is_definition(const char *text, int32_t rectype)
{
	return strtol(text, NULL, 10) == rectype;
}

static void note_labels(struct picl_writer *w)
{
	for (size_t i = 0; i < trace_loose_count(w->trace); i++) {
		const char *text = trace_string(w->trace, trace_loose(w->trace, i)->text);
		long type;
		if (!is_definition(text, REC_LABEL))
			continue;
		type = strtol(word(text, 1), NULL, 10);
		if (type <= -1000)
			w->all_labelled = true;
		*keymap_add(&w->labelled, (struct key){ { (uint32_t)type } }) = 1;
	}
}

static bool is_labelled(const struct picl_writer *w, int32_t type)
{
	return w->all_labelled || keymap_find(&w->labelled, (struct key){ { (uint32_t)type } });
}

/* The subset id under which a loose record defines exactly these ranks; false where none does. */
static bool defined_loosely(const struct picl_writer *w, const struct comm *comm, int32_t *id)
{
	for (size_t i = 0; i < trace_loose_count(w->trace); i++) {
		const char *p = trace_string(w->trace, trace_loose(w->trace, i)->text);
		char *end;
		uint32_t n = 0;
		if (!is_definition(p, REC_SUBSET_PROCESSES))
			continue;
		p = word(p, 7);
		*id = (int32_t)strtol(p, &end, 10);
		if (end == p || *id != comm->picl_subset)
			continue;
		for (p = end; *p == ' '; p = end, n++) {
			const long rank = strtol(p, &end, 10);
			if (end == p || n >= comm->size || rank != comm->ranks[n])
				break;
		}
		if (n == comm->size && *p == '\0')
			return true;
	}
	return false;
}

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
		if (!defined_loosely(w, trace_comm(t, c), &id))
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

/* ---- numbers ---- */

static void number_comms(struct picl_writer *w)
{
	const uint32_t n = trace_comm_count(w->trace);

	w->comm_ids = xmalloc((n + 1) * sizeof *w->comm_ids);
	w->comm_ids[0] = -1;
	for (uint32_t c = 1; c < n; c++)
		if (w->own || !defined_loosely(w, trace_comm(w->trace, c), &w->comm_ids[c]))
			w->comm_ids[c] = PICL_WORLD - (int32_t)c;
}

/* The type of the same call that waited, or did not; 0 none. Both are labelled when one occurs: which
 * of them do is decided late, and a file that is read and written again keeps its labels. */
static int32_t twin(int32_t type)
{
	static const int32_t pairs[][2] = { { -30, -31 }, { -51, -52 }, { -60, -61 } };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (type == pairs[i][0] || type == pairs[i][1])
			return pairs[i][type == pairs[i][0]];
	return 0;
}

/* A free number for a region whose own one stands for another region. */
static int32_t type_for(struct picl_writer *w, struct keymap *taken, struct keymap *given,
			const struct site *site, int32_t *next)
{
	const int32_t other = w->own ? twin(site->picl) : 0;
	/* A call that waits has the label of the one that does not: the pair is one region's. */
	const int32_t key = other > site->picl ? other : site->picl;
	uint32_t *owner, *mine;

	owner = keymap_add(taken, (struct key){ { (uint32_t)(other ? key : site->picl) } });

	if (*owner == UINT32_MAX)
		*owner = site->region;
	if (*owner == site->region || (!w->tables && is_labelled(w, site->picl)))
		return site->picl;
	mine = keymap_add(given, (struct key){ { site->region, (uint32_t)site->picl } });
	if (*mine == UINT32_MAX)
		*mine = (uint32_t)(*next)++;
	return (int32_t)*mine;
}

static void number_types(struct picl_writer *w)
{
	const uint32_t n = trace_site_count(w->trace);
	struct keymap taken = { NULL, 0, 0 }, given = { NULL, 0, 0 };
	int32_t next = 0;

	w->sites = xcalloc(n + 1, sizeof *w->sites);
	w->region_type = xcalloc(trace_region_count(w->trace) + 1, sizeof *w->region_type);
	for (uint32_t r = 0; r < trace_region_count(w->trace); r++)
		w->region_type[r] = trace_region(w->trace, r)->picl;
	for (uint32_t s = 0; s < n; s++)
		if (trace_site(w->trace, s)->picl >= next &&
		    trace_site(w->trace, s)->picl < INT32_MAX)
			next = trace_site(w->trace, s)->picl + 1;
	for (uint32_t r = 0; w->tables && r < trace_region_count(w->trace); r++)
		if (w->region_type[r] >= next && w->region_type[r] < INT32_MAX)
			next = w->region_type[r] + 1;
	for (uint32_t s = 0; s < n; s++) {
		const struct site *site = trace_site(w->trace, s);
		const struct picl_type *type;

		w->sites[s].type = type_for(w, &taken, &given, site, &next);
		type = picl_type_find(w->sites[s].type);
		w->sites[s].cls = trace_region(w->trace, site->region)->cls;
		w->sites[s].role = type ? type->role : ROLE_PLAIN;
		if (!type && w->own &&
		    trace_region(w->trace, site->region)->cls == CLASS_COLLECTIVE)
			w->sites[s].role = ROLE_ROOTED;
		if (site->picl == trace_region(w->trace, site->region)->picl)
			w->region_type[site->region] = w->sites[s].type;
	}
	for (uint32_t r = 0; w->tables && r < trace_region_count(w->trace); r++) {
		const struct site any = { .region = r, .picl = w->region_type[r] };
		w->region_type[r] = type_for(w, &taken, &given, &any, &next);
	}
	keymap_fini(&taken);
	keymap_fini(&given);
}

/* ---- call sites: numbered by file and line, so that a file read and written has them again ---- */

struct place_in_source {
	const char *file;
	uint32_t line;
	uint32_t site;
};

static int by_source(const void *a, const void *b)
{
	const struct place_in_source *x = a, *y = b;
	const int order = strcmp(x->file, y->file);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return 0;
}

/* The places in source files, sorted; the caller frees them. */
static struct place_in_source *sources(const struct picl_writer *w, uint32_t *n)
{
	struct place_in_source *list = xmalloc((trace_site_count(w->trace) + 1) * sizeof *list);

	*n = 0;
	for (uint32_t s = 0; s < trace_site_count(w->trace); s++) {
		const struct site *site = trace_site(w->trace, s);
		if (site->file || site->line)
			list[(*n)++] = (struct place_in_source){ trace_string(w->trace, site->file),
								 site->line, s };
	}
	if (*n)
		qsort(list, *n, sizeof *list, by_source);
	return list;
}

static void number_calls(struct picl_writer *w)
{
	uint32_t n, id = 0;
	struct place_in_source *list = sources(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || by_source(&list[i - 1], &list[i]) != 0)
			id++;
		w->sites[list[i].site].call = id;
	}
	free(list);
}

void picl_preface_init(struct picl_writer *w)
{
	note_labels(w);
	w->tables = picl_tables_needed(w);
	w->own = w->tables || needs_header(w);
	number_comms(w);
	number_types(w);
	number_calls(w);
}

bool picl_preface_replaces(const struct picl_writer *w, const char *text)
{
	return w->own && is_definition(text, REC_SUBSET_PROCESSES);
}

/* ---- lines ---- */

static void add_printable(struct str *out, const char *text)
{
	for (; *text; text++)
		str_add_char(out, (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
}

static void text_record(struct picl_writer *w, int32_t rectype, int32_t evtype, int64_t time,
			const char *text)
{
	picl_compose_head(w, rectype, evtype, time, -1, -1);
	str_add_fmt(&w->text, "%zu \"%%c\" ", strlen(text));
	add_printable(&w->text, text);
	str_add_char(&w->text, '\n');
}

/* One line "tview:KEY=..."; the caller has put what stands behind the '=' into `value`. */
void picl_preface_line(struct picl_writer *w, int64_t time, const char *key, const char *value)
{
	struct str text = STR_INIT;

	str_add(&text, PICL_HEADER_PREFIX);
	str_add(&text, key);
	str_add_char(&text, '=');
	str_add(&text, value);
	text_record(w, REC_MESSAGE, -1, time, text.text);
	str_fini(&text);
}

struct labelled_type {
	int32_t type;
	uint32_t region;
};

static int by_type(const void *a, const void *b)
{
	const struct labelled_type *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

/* The types that occur, each once, ascending; the caller frees them. */
static struct labelled_type *types(const struct picl_writer *w, uint32_t *n)
{
	const uint32_t sites = trace_site_count(w->trace);
	struct labelled_type *list = xmalloc((2 * sites + 1) * sizeof *list);
	uint32_t all = 0, kept = 0;

	for (uint32_t s = 0; s < sites; s++) {
		const uint32_t region = trace_site(w->trace, s)->region;
		const int32_t other = twin(w->sites[s].type);
		list[all++] = (struct labelled_type){ w->sites[s].type, region };
		if (other && w->own)
			list[all++] = (struct labelled_type){ other, region };
	}
	if (all)
		qsort(list, all, sizeof *list, by_type);
	for (uint32_t i = 0; i < all; i++)
		if (i == 0 || list[i].type != list[kept - 1].type)
			list[kept++] = list[i];
	*n = kept;
	return list;
}

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
	struct labelled_type *list = types(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = trace_region_name(w->trace, list[i].region);
		if (!is_labelled(w, list[i].type) && !is_default_name(list[i].type, name))
			text_record(w, REC_LABEL, list[i].type, time, name);
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
			str_add_int(&w->text, comm->ranks[i]);
		}
		str_add_char(&w->text, '\n');
	}
}

static void write_properties(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;

	str_add_int(&value, PICL_WORLD);
	picl_preface_line(w, time, "world", value.text);
	for (size_t i = 0; i < trace_property_count(w->trace); i++) {
		const struct property *p = trace_property(w->trace, i);
		if (!picl_property_is_odd(w->trace, p))
			picl_preface_line(w, time, trace_string(w->trace, p->key),
					  trace_string(w->trace, p->value));
	}
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
	struct labelled_type *list = types(w, &n);

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
	struct place_in_source *list = sources(w, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (i && by_source(&list[i - 1], &list[i]) == 0)
			continue;
		str_clear(&value);
		str_add_fmt(&value, "%u %u %s", ++id, list[i].line, list[i].file);
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

/* In ticks' digits: offsets are finer than a file's times may be. */
void picl_preface_seconds(const struct picl_writer *w, struct str *out, int64_t ticks)
{
	if (out->n)
		str_add_char(out, ' ');
	units_seconds(out, ticks, trace_scale(w->trace),
		      units_export_digits(trace_scale(w->trace)));
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

/* What a reader must know before the first time it reads: within the file's first bytes. */
static void write_format(struct picl_writer *w, int64_t time)
{
	struct str value = STR_INIT;

	str_add_fmt(&value, "%d.%d", TVIEW_FORMAT_MAJOR, TVIEW_FORMAT_MINOR);
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
