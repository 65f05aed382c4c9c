/* Reading what tview adds to a PICL file (doc/format.md): messages (-7) to all whose text
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

	location.thread = (int32_t)picl_next_within(w, 0, INT32_MAX);
	location.process = picl_next_int32(w);
	if (w->ok)
		picl_header_place(r, processor, process, &location);
	return w->ok;
}

/* The place that the next two words name (processor, process), NULL if they name none. */
static struct picl_place *next_place(struct picl_reader *r, struct picl_words *w)
{
	const int32_t processor = picl_next_int32(w);
	const int32_t process = picl_next_int32(w);

	return w->ok ? picl_place(r, processor, process) : NULL;
}

/* What is left of the line, as a string. */
static uint32_t rest_string(struct picl_words *w)
{
	size_t n;
	const char *text = picl_rest(w, &n);

	return builder_string(w->r->builder, text, n);
}

static bool take_node(struct picl_reader *r, struct picl_words *w)
{
	const struct picl_place *place = next_place(r, w);

	/* With tables, the locations have theirs already. */
	if (place && !r->header->locations.n && !place->skipped)
		builder_location_node(r->builder, place->location, rest_string(w));
	return place;
}

static bool take_region(struct picl_reader *r, struct picl_words *w)
{
	const int32_t type = picl_next_int32(w);
	size_t n;
	const char *word = picl_next_word(w, &n);
	const int64_t line = picl_next_within(w, 0, INT32_MAX);
	const enum region_class cls = region_class_find(word, n);
	struct picl_kind *kind;

	if (!w->ok || cls == CLASS_COUNT)
		return false;
	kind = picl_kind(r, type);
	kind->cls = (uint8_t)cls;
	kind->line = (uint32_t)line;
	/* Collectives without a number have the fields of a rooted one. */
	if (cls == CLASS_COLLECTIVE && kind->role == ROLE_PLAIN)
		kind->role = ROLE_ROOTED;
	word = picl_rest(w, &n);
	if (n) {
		free(kind->file);
		kind->file = xstrndup(word, n);
	}
	return true;
}

static bool take_site(struct picl_reader *r, struct picl_words *w)
{
	const int64_t id = picl_next_integer(w);
	const int64_t line = picl_next_within(w, 0, INT32_MAX);

	return w->ok && picl_header_site(r, id, (uint32_t)line, rest_string(w));
}

static bool take_comm(struct picl_reader *r, struct picl_words *w)
{
	const int32_t id = picl_next_int32(w);
	uint32_t *row;

	if (!w->ok)
		return false;
	row = keymap_add(&r->header->comm_names, KEY_OF((uint32_t)id));
	if (*row == UINT32_MAX)
		*row = rest_string(w);
	return true;
}

static bool take_topology(struct picl_reader *r, struct picl_words *w)
{
	struct picl_own_topology t = { .comm = picl_next_int32(w) };

	t.dims = (uint32_t)picl_next_within(w, 1, PICL_MAX_DIMS);
	for (uint32_t d = 0; w->ok && d < t.dims; d++)
		t.size[d] = picl_next_int32(w);
	for (uint32_t d = 0; w->ok && d < t.dims; d++)
		t.periodic[d] = picl_next_int32(w) != 0;
	if (!w->ok)
		return false;
	t.name = rest_string(w);
	vec_push(&r->header->topologies, t);
	return true;
}

/* "RANK C1 C2 ..." of the preceding topology; RANK is the one in its communicator. */
static bool take_coords(struct picl_reader *r, struct picl_words *w)
{
	const size_t rank = (size_t)picl_next_within(w, 0, MOST_RANKS);
	struct picl_own_topology *t;

	if (!w->ok || !r->header->topologies.n)
		return false;
	t = vec_last(&r->header->topologies);
	while (t->coords.n < (rank + 1) * t->dims)
		vec_push(&t->coords, -1);
	for (uint32_t d = 0; d < t->dims; d++)
		t->coords.data[rank * t->dims + d] = picl_next_int32(w);
	return w->ok;
}

/* "PROCESSOR PROCESS TIME OFFSET ROUNDTRIP", in seconds; an unknown round trip is "-". */
static bool take_offset(struct picl_reader *r, struct picl_words *w)
{
	struct picl_place *place = next_place(r, w);
	struct offset offset = { .rtt = -1 };

	offset.time = picl_next_time(w);
	offset.offset = picl_next_time(w);
	if (w->end - w->p != 2 || memcmp(w->p, " -", 2) != 0)
		offset.rtt = picl_next_time(w);
	if (!place || !w->ok || place->skipped)
		return place && w->ok;
	offset.location = place->location;
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

static const struct picl_key keys[] = {
#define KEY(key, take) { key, take },
#include "model/picl/picl_header.def"
	{ NULL, NULL },
};

static picl_take_key *find_key(const struct picl_key *list, const char *key, size_t n)
{
	while (list->key && (strlen(list->key) != n || memcmp(list->key, key, n) != 0))
		list++;
	return list->take;
}

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
	struct picl_words w = { .r = r, .ok = true };
	picl_take_key *take;
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
	take = find_key(keys, key, n);
	if (!take)
		take = find_key(picl_table_keys, key, n);
	if (!take)
		take_property(r, key, n, w.p, (size_t)(w.end - w.p));
	else if (!take(r, &w))
		picl_note(r, FINDING_DAMAGE, "header-line", record->line,
			  "a line of tview's header cannot be understood: skipped");
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

/* An integer that other text may follow: "1.0" as a whole is not one. */
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
	vec_add(&r->calls);
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
	struct topology t = { .name = own->name,
			      .dims = own->dims,
			      .size = own->size,
			      .periodic = own->periodic,
			      .coords = own->coords.data };
	const struct picl_subset *subset =
		picl_defs_subset_of(&r->defs, REC_SUBSET_PROCESSES, own->comm);

	if (!subset || !picl_comm_of(r, own->comm, &t.comm)) {
		picl_note(r, FINDING_DAMAGE, "header-line", 0,
			  "a topology of tview's header names a communicator that is not defined");
		return;
	}
	builder_topology(r->builder, &t, (uint32_t)(own->coords.n / own->dims));
}

void picl_header_end(struct picl_reader *r)
{
	const struct picl_subset *world =
		picl_defs_subset_of(&r->defs, REC_SUBSET_PROCESSES, r->world);

	if (r->own && r->world && world)
		builder_world(r->builder, world->members, (uint32_t)world->n);
	if (r->own)
		picl_header_comms(r);
	for (size_t i = 0; i < r->header->topologies.n; i++)
		make_topology(r, &r->header->topologies.data[i]);
	picl_part_begin(r);
	picl_shared_begin(r);
}

void picl_header_fini(struct picl_reader *r)
{
	struct picl_header *h = r->header;

	if (!h)
		return;
	for (size_t i = 0; i < h->topologies.n; i++)
		vec_fini(&h->topologies.data[i].coords);
	vec_fini(&h->places);
	keymap_fini(&h->place_rows);
	keymap_fini(&h->comm_names);
	picl_tables_drop(h);
	vec_fini(&h->topologies);
	vec_fini(&r->calls);
	free(h);
	r->header = NULL;
}
