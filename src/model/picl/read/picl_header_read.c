/* Reading what tview adds to a PICL file (doc/format.md): messages (-7) to everybody whose text
 * begins with "tview:". */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "model/picl/picl_header.h"
#include "model/picl/read/picl_header_state.h"

enum { MOST_RANKS = 1 << 24 };

/* ---- lines ---- */

static bool take_thread(struct picl_reader *r, struct picl_words *w)
{
	const int32_t processor = picl_next_int32(w);
	const int32_t process = picl_next_int32(w);
	struct location location = { .rank = processor };

	location.thread = picl_next_int32(w);
	location.process = picl_next_int32(w);
	if (!w->ok || location.thread < 0)
		return false;
	picl_header_place(r, processor, process, &location);
	return true;
}

static bool take_node(struct picl_reader *r, struct picl_words *w)
{
	const int32_t processor = picl_next_int32(w);
	const int32_t process = picl_next_int32(w);
	struct picl_place *place;
	const char *name;
	size_t n;

	name = picl_rest(w, &n);
	place = w->ok ? picl_place(r, processor, process) : NULL;
	if (!place)
		return false;
	/* Where there are tables they have said it. */
	if (r->header->locations.n || place->skipped)
		return true;
	builder_location_node(r->builder, place->location, builder_string(r->builder, name, n));
	return true;
}

static bool take_region(struct picl_reader *r, struct picl_words *w)
{
	const int32_t type = picl_next_int32(w);
	size_t n;
	const char *word = picl_next_word(w, &n);
	const int32_t line = picl_next_int32(w);
	const enum region_class cls = region_class_find(word, n);
	struct picl_kind *kind;

	if (!w->ok || cls == CLASS_COUNT || line < 0)
		return false;
	kind = picl_kind(r, type);
	kind->cls = (uint8_t)cls;
	kind->line = (uint32_t)line;
	/* Collectives without a number have the fields of a rooted one. */
	if (cls == CLASS_COLLECTIVE && kind->role == ROLE_PLAIN)
		kind->role = ROLE_ROOTED;
	word = picl_rest(w, &n);
	if (n) {
		vec_push(&r->header->strings, xstrndup(word, n));
		kind->file = (uint32_t)r->header->strings.n;
	}
	return true;
}

static bool take_site(struct picl_reader *r, struct picl_words *w)
{
	const int64_t id = picl_next_integer(w);
	const int32_t line = picl_next_int32(w);
	const char *file;
	size_t n;

	file = picl_rest(w, &n);
	return w->ok && line >= 0 &&
	       picl_header_site(r, id, (uint32_t)line, builder_string(r->builder, file, n));
}

static bool take_comm(struct picl_reader *r, struct picl_words *w)
{
	const int32_t id = picl_next_int32(w);
	const char *text;
	uint32_t *row;
	size_t n;

	if (!w->ok)
		return false;
	text = picl_rest(w, &n);
	row = keymap_add(&r->header->comm_names, KEY_OF((uint32_t)id));
	if (*row == UINT32_MAX) {
		vec_push(&r->header->strings, xstrndup(text, n));
		*row = (uint32_t)r->header->strings.n;
	}
	return true;
}

static bool take_topology(struct picl_reader *r, struct picl_words *w)
{
	struct picl_own_topology *t = xcalloc(1, sizeof *t);
	const char *text;
	int32_t dims;
	size_t n;

	t->comm = picl_next_int32(w);
	dims = picl_next_int32(w);
	w->ok = w->ok && dims >= 1 && dims <= PICL_MAX_DIMS;
	for (int32_t d = 0; w->ok && d < dims; d++)
		t->size[d] = picl_next_int32(w);
	for (int32_t d = 0; w->ok && d < dims; d++)
		t->periodic[d] = picl_next_int32(w) != 0;
	if (!w->ok) {
		free(t);
		return false;
	}
	t->dims = (uint32_t)dims;
	text = picl_rest(w, &n);
	t->name = xstrndup(text, n);
	vec_push(&r->header->topologies, t);
	return true;
}

/* "RANK C1 C2 ...", of the topology before: by rank in its communicator. */
static bool take_coords(struct picl_reader *r, struct picl_words *w)
{
	const int32_t rank = picl_next_int32(w);
	struct picl_own_topology *t;

	if (!w->ok || !r->header->topologies.n || rank < 0 || rank > MOST_RANKS)
		return false;
	t = *vec_last(&r->header->topologies);
	while (t->coords.n < ((size_t)rank + 1) * t->dims)
		vec_push(&t->coords, -1);
	for (uint32_t d = 0; d < t->dims; d++)
		t->coords.data[(size_t)rank * t->dims + d] = picl_next_int32(w);
	return w->ok;
}

/* "PROCESSOR PROCESS TIME OFFSET ROUNDTRIP", in seconds; an unknown round trip is "-". */
static bool take_offset(struct picl_reader *r, struct picl_words *w)
{
	const int32_t processor = picl_next_int32(w);
	const int32_t process = picl_next_int32(w);
	struct picl_place *place = w->ok ? picl_place(r, processor, process) : NULL;
	struct offset offset = { .rtt = -1 };

	if (!place || !picl_next_time(r, w, &offset.time) || !picl_next_time(r, w, &offset.offset))
		return false;
	if (w->end - w->p != 2 || memcmp(w->p, " -", 2) != 0)
		if (!picl_next_time(r, w, &offset.rtt))
			return false;
	offset.location = place->location;
	if (place->skipped)
		return true;
	builder_offset(r->builder, &offset);
	picl_part_offset(place, &offset);
	return true;
}

static bool take_world(struct picl_reader *r, struct picl_words *w)
{
	r->world = picl_next_int32(w);
	return w->ok && r->world < -1;
}

static bool take_statistics(struct picl_reader *r, struct picl_words *w)
{
	size_t n;
	const char *word = picl_next_word(w, &n);

	r->own_statistics = w->ok && n == strlen(PICL_STATISTICS_MADE) &&
			    memcmp(word, PICL_STATISTICS_MADE, n) == 0;
	return r->own_statistics;
}

static bool take_nothing(struct picl_reader *r, struct picl_words *w)
{
	(void)r;
	(void)w;
	return true;
}

static const struct {
	const char *key;
	picl_take_key *take;
} keys[] = {
#define KEY(key, take) { key, take },
#include "model/picl/picl_header.def"
#include "model/trace/record_type.h"
};

static void take_property(struct picl_reader *r, const char *key, size_t key_n, const char *value,
			  size_t value_n)
{
	char *k = xstrndup(key, key_n);
	char *v = xstrndup(value, value_n);

	builder_property(r->builder, k, v);
	free_all(k, v);
}

bool picl_header_take(struct picl_reader *r, const struct picl_record *record)
{
	const size_t prefix = strlen(PICL_HEADER_PREFIX);
	const char *key, *equals;
	struct picl_words w = { NULL, NULL, true };
	picl_take_key *take = NULL;
	size_t n;

	if (!r->own || !record->text || record->text_n < prefix ||
	    memcmp(record->text, PICL_HEADER_PREFIX, prefix) != 0)
		return false;
	key = record->text + prefix;
	w.end = record->text + record->text_n;
	equals = memchr(key, '=', (size_t)(w.end - key));
	if (!equals)
		return false;
	n = (size_t)(equals - key);
	w.p = equals + 1;
	for (size_t i = 0; i < sizeof keys / sizeof *keys && !take; i++)
		if (strlen(keys[i].key) == n && memcmp(keys[i].key, key, n) == 0)
			take = keys[i].take;
	if (!take)
		take = picl_tables_key(key, n);
	if (take) {
		if (!take(r, &w))
			picl_note(r, FINDING_DAMAGE, "header-line", record->line,
				  "a line of tview's header cannot be understood: skipped");
		return true;
	}
	take_property(r, key, n, w.p, (size_t)(w.end - w.p));
	return true;
}

/* ---- before and after ---- */

/* What is after "tview:KEY=" in the file's first bytes, NULL without. */
static const char *find_value(const char *bytes, size_t n, const char *key)
{
	const size_t length = strlen(key);
	const char *end = bytes + n;

	for (const char *p = bytes; (size_t)(end - p) > length; p++) {
		p = memchr(p, *key, (size_t)(end - p) - length);
		if (!p)
			return NULL;
		if (memcmp(p, key, length) == 0)
			return p + length;
	}
	return NULL;
}

/* A number up to what ends it: "1.0" as a whole would be no integer. */
static int64_t number_at(const char *p, const char *end, int64_t most)
{
	int64_t value = 0;

	while (p && p < end && *p >= '0' && *p <= '9' && value <= most)
		value = value * 10 + (*p++ - '0');
	return value;
}

void picl_header_init(struct picl_reader *r, const char *bytes, size_t n)
{
	const char *format = find_value(bytes, n, PICL_HEADER_PREFIX "format=");
	const int64_t most = 1000000000000;
	int64_t major, rate;

	r->header = xcalloc(1, sizeof *r->header);
	vec_push(&r->calls.file, 0u);
	vec_push(&r->calls.line, 0u);
	if (!format)
		return;
	major = number_at(format, bytes + n, 1000000);
	r->own = major >= 1 && major <= TVIEW_FORMAT_MAJOR;
	r->newer = !r->own;
	if (r->newer)
		return;
	rate = number_at(find_value(bytes, n, PICL_HEADER_PREFIX "tick-rate="), bytes + n, most);
	if (rate > 0 && rate <= most)
		picl_clock_rate(&r->clock, &r->times, rate);
}

static void make_topology(struct picl_reader *r, struct picl_own_topology *own)
{
	struct topology t = { .dims = own->dims, .size = own->size, .periodic = own->periodic };
	const struct picl_subset *subset =
		picl_defs_subset_of(&r->defs, REC_SUBSET_PROCESSES, own->comm);

	if (!subset || !picl_comm_of(r, own->comm, &t.comm)) {
		picl_note(r, FINDING_DAMAGE, "header-line", 0,
			  "a topology of tview's header names a communicator that is not defined");
		return;
	}
	t.coords = own->coords.data;
	t.name = builder_string(r->builder, own->name, strlen(own->name));
	builder_topology(r->builder, &t, (uint32_t)(own->coords.n / own->dims));
}

void picl_header_end(struct picl_reader *r)
{
	const struct picl_subset *world =
		picl_defs_subset_of(&r->defs, REC_SUBSET_PROCESSES, r->world);

	if (!r->own) {
		picl_part_begin(r);
		return;
	}
	if (r->world && world)
		builder_world(r->builder, world->members, (uint32_t)world->n);
	picl_header_comms(r);
	for (size_t i = 0; i < r->header->topologies.n; i++)
		make_topology(r, r->header->topologies.data[i]);
	picl_part_begin(r);
}

void picl_header_fini(struct picl_reader *r)
{
	struct picl_header *h = r->header;

	if (!h)
		return;
	for (size_t i = 0; i < h->strings.n; i++)
		free(h->strings.data[i]);
	for (size_t i = 0; i < h->topologies.n; i++) {
		free(h->topologies.data[i]->name);
		vec_fini(&h->topologies.data[i]->coords);
		free(h->topologies.data[i]);
	}
	vec_fini(&h->strings);
	vec_fini(&h->places);
	keymap_fini(&h->place_rows);
	keymap_fini(&h->comm_names);
	picl_tables_drop(h);
	vec_fini(&h->topologies);
	vec_fini(&r->calls.file);
	vec_fini(&r->calls.line);
	free(h);
	r->header = NULL;
}
