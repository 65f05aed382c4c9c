/* Places, event types and communicators that the records of a PICL file mention. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/meaning/picl_types.h"
#include "model/picl/read/picl_header_state.h"
#include "model/trace/record_type.h"

enum { KIND_FIRST = -2048, KIND_LAST = 6143, MOST_CALLS = 1 << 24 };

/* ---- event types ---- */

static struct picl_kind *make_kind(struct picl_reader *r, int32_t type)
{
	const struct picl_type *info = picl_type_find(type);
	struct picl_kind *kind = xcalloc(1, sizeof *kind);

	kind->type = type;
	kind->site = UINT32_MAX;
	kind->region = UINT32_MAX;
	kind->known = info != NULL;
	kind->cls = (uint8_t)picl_type_class(type);
	if (info) {
		kind->role = info->role;
		kind->mode = info->mode;
		kind->blocked = info->blocked;
	}
	vec_push(&r->all_kinds, kind);
	return kind;
}

struct picl_kind *picl_kind(struct picl_reader *r, int32_t type)
{
	uint32_t index;

	if (type >= KIND_FIRST && type <= KIND_LAST) {
		struct picl_kind **slot = &r->kinds[type - KIND_FIRST];
		if (!*slot)
			*slot = make_kind(r, type);
		return *slot;
	}
	if (keymap_new(&r->other_kinds, KEY_OF((uint32_t)type), r->all_kinds.n, &index))
		make_kind(r, type);
	return r->all_kinds.data[index];
}

void picl_kinds_reset(struct picl_reader *r)
{
	for (size_t i = 0; i < r->all_kinds.n; i++) {
		struct picl_kind *kind = r->all_kinds.data[i];
		kind->site = UINT32_MAX;
		kind->scoped = false;
		keymap_fini(&kind->calls);
		kind->calls = (struct keymap){ 0 };
		kind->last_call = 0;
	}
}

static const char *name_of(const struct picl_reader *r, const struct picl_place *place,
			   const struct picl_kind *kind, char *buffer, size_t size)
{
	const struct picl_scope scope = { kind->type, place ? place->processor : -1,
					  place ? place->process : -1 };
	const char *name = r->defs.labels.rows.n ? picl_defs_label_of(&r->defs, &scope) : NULL;

	if (!name)
		name = picl_type_name(kind->type);
	if (!name) {
		snprintf(buffer, size, "event %d", kind->type);
		name = buffer;
	}
	return name;
}

uint32_t picl_region_of(struct picl_reader *r, const struct picl_place *place,
			const struct picl_kind *kind)
{
	char buffer[32];

	if (kind->region != UINT32_MAX)
		return kind->region;
	if (picl_divided_is_dealt(r))
		return picl_divided_region(r, kind);
	return builder_region(r->builder, name_of(r, place, kind, buffer, sizeof buffer),
			      (enum region_class)kind->cls, kind->type);
}

uint32_t picl_make_site(struct picl_reader *r, const struct picl_place *place,
			const struct picl_kind *kind, uint32_t call)
{
	const uint32_t region = picl_region_of(r, place, kind);
	const bool in_tables = kind->region != UINT32_MAX;
	const struct picl_call from = r->calls.data[call];

	/* From the header; strings are interned, so setting it again is cheap. */
	if ((kind->file || kind->line) && !in_tables)
		builder_region_source(r->builder, region, kind->file ? kind->file : "", kind->line);
	return builder_site(r->builder, region, from.file, from.line,
			    in_tables ? kind->stands_for : kind->type);
}

uint32_t picl_site(struct picl_reader *r, const struct picl_place *place, struct picl_kind *kind,
		   uint32_t call)
{
	uint32_t *slot = &kind->site;

	if (r->defs.scoped_labels)
		return picl_make_site(r, place, kind, call);
	if (call && call == kind->last_call)
		return kind->last_site;
	if (call)
		slot = keymap_add(&kind->calls, KEY_OF(call));
	if (*slot == UINT32_MAX)
		*slot = picl_divided_is_dealt(r) ? picl_divided_site(r, kind, call)
						 : picl_make_site(r, place, kind, call);
	if (call) {
		kind->last_call = call;
		kind->last_site = *slot;
	}
	return *slot;
}

bool picl_header_site(struct picl_reader *r, int64_t id, uint32_t line, uint32_t file)
{
	if (id < 1 || id > MOST_CALLS)
		return false;
	while (r->calls.n <= (size_t)id)
		vec_add(&r->calls);
	r->calls.data[id] = (struct picl_call){ file, line };
	return true;
}

/* ---- places ---- */

void picl_header_place(struct picl_reader *r, int32_t processor, int32_t process,
		       const struct location *location)
{
	uint32_t row;

	if (keymap_new(&r->header->place_rows, KEY_OF((uint32_t)processor, (uint32_t)process),
		       r->header->places.n, &row))
		vec_push(&r->header->places, *location);
}

static bool header_thread(const struct picl_reader *r, int32_t processor, int32_t process,
			  struct location *location)
{
	const uint32_t *row =
		keymap_find(&r->header->place_rows, KEY_OF((uint32_t)processor, (uint32_t)process));

	if (row)
		*location = r->header->places.data[*row];
	return row != NULL;
}

static struct picl_place *make_place(struct picl_reader *r, int32_t processor, int32_t process)
{
	struct picl_place *place = xcalloc(1, sizeof *place);
	const struct picl_scope scope = { TYPE_ALL, processor, process };
	const char *label = r->defs.labels.rows.n ? picl_defs_label_of(&r->defs, &scope) : NULL;
	struct location location = { .rank = processor, .process = process }, own;
	uint32_t first;

	if (processor == PROCESSOR_HOST_OLD)
		location.rank = RANK_HOST;
	if (label)
		location.name = builder_string(r->builder, label, strlen(label));
	if (header_thread(r, processor, process, &own)) {
		own.name = own.name ? own.name : location.name;
		location = own;
	}
	place->processor = processor;
	place->process = process;
	place->named = r->at;
	place->ordinals = true;
	str_init(&place->pending.payload);
	str_init(&place->pending.time_text);
	place->skipped = !picl_part_has(r, location.rank);
	place->location = place->skipped ? UINT32_MAX : builder_location(r->builder, &location);
	builder_fork_locations(r->feed);
	picl_part_place(r, place);
	picl_shared_place(r, place);
	*keymap_add(&r->place_ids, KEY_OF((uint32_t)processor, (uint32_t)process)) =
		(uint32_t)r->places.n;
	keymap_new(&r->by_processor, KEY_OF((uint32_t)processor), r->places.n, &first);
	vec_push(&r->places, place);
	return place;
}

/* A processor's records without a process id and those of its only process are one place. */
static struct picl_place *merged(struct picl_reader *r, int32_t processor, int32_t process)
{
	const uint32_t *first = keymap_find(&r->by_processor, KEY_OF((uint32_t)processor));
	struct picl_place *place;

	if (!first)
		return NULL;
	place = r->places.data[*first];
	if (process != -1 && place->process != -1)
		return NULL;
	picl_note(r, FINDING_ODDITY, "process-merged", r->at,
		  "a processor's records with process -1 were joined with those of its process");
	*keymap_add(&r->place_ids, KEY_OF((uint32_t)processor, (uint32_t)process)) = *first;
	/* From now on it has a process: a third one is another place. */
	if (process != -1) {
		place->process = process;
		place->named = r->at;
	}
	return place;
}

bool picl_is_for_all(const struct picl_reader *r, const struct picl_record *record)
{
	const struct picl_place *place;
	const uint32_t *first;

	if (record->process != -1 || (record->rectype <= REC_MARK && record->rectype >= REC_EXIT))
		return false;
	first = keymap_find(&r->by_processor, KEY_OF((uint32_t)record->processor));
	place = first ? r->places.data[*first] : NULL;
	return place && place->process != -1 && place->named < record->line;
}

struct picl_place *picl_place(struct picl_reader *r, int32_t processor, int32_t process)
{
	/* Records of many processors alternate. */
	struct picl_place **recent = &r->recent[(uint32_t)processor % PICL_RECENT];
	struct picl_place *place = *recent;
	const uint32_t *index;
	struct location own;

	if (place && place->processor == processor && place->process == process)
		return place;
	if ((processor < 0 && processor != PROCESSOR_HOST_OLD) || process < -1)
		return NULL;
	index = keymap_find(&r->place_ids, KEY_OF((uint32_t)processor, (uint32_t)process));
	if (index)
		return *recent = r->places.data[*index];
	if (header_thread(r, processor, process, &own) || !(place = merged(r, processor, process)))
		place = make_place(r, processor, process);
	if (processor == PROCESSOR_HOST_OLD)
		picl_note(r, FINDING_ODDITY, "host-number", r->at,
			  "the host is written as processor -32768, as PICL 1.x did; it is 32767");
	*recent = place;
	return place;
}

/* ---- communicators ---- */

/* Members of a team are locations, by the tables' numbers. */
static const int32_t *team_of(struct picl_header *h, const struct picl_subset *subset)
{
	h->team.n = 0;
	vec_reserve(&h->team, subset->n + 1);
	for (size_t i = 0; i < subset->n; i++) {
		const size_t number = (size_t)subset->members[i];
		vec_push(&h->team,
			 number < h->locations.n ? (int32_t)h->locations.data[number] : -1);
	}
	return h->team.data;
}

/* Adds what the tables say of a communicator. */
static void take_tables(struct picl_reader *r, const struct picl_subset *subset, struct comm *comm)
{
	const uint32_t *row = keymap_find(&r->header->comm_rows, KEY_OF((uint32_t)subset->id));
	const struct picl_own_comm *own;

	if (!row)
		return;
	own = &r->header->comms.data[*row];
	/* Parents come before their children, so there is no cycle. */
	if (own->parent == -1 || own->parent <= subset->id ||
	    !picl_comm_of(r, own->parent, &comm->parent))
		comm->parent = UINT32_MAX;
	if (own->kind == COMM_THREADS)
		comm->ranks = team_of(r->header, subset);
	comm->name = own->name;
	comm->remote_size = (uint32_t)own->remote.n;
	comm->remote = own->remote.data;
	comm->kind = own->kind;
	comm->flags = own->flags;
}

static uint32_t make_comm(struct picl_reader *r, const struct picl_subset *subset)
{
	const uint32_t *name = keymap_find(&r->header->comm_names, KEY_OF((uint32_t)subset->id));
	struct comm comm = { .name = name ? *name : 0,
			     .size = (uint32_t)subset->n,
			     .ranks = subset->members,
			     .picl_subset = subset->id,
			     .parent = UINT32_MAX };

	take_tables(r, subset, &comm);
	return builder_comm_define(r->builder, &comm);
}

bool picl_comm_of(struct picl_reader *r, int64_t id, uint32_t *comm)
{
	const struct picl_subset *subset;
	size_t index;

	*comm = 0;
	if (id == -1)
		return true;
	if (id > INT32_MAX || id < INT32_MIN)
		return false;
	subset = picl_defs_subset_of(&r->defs, REC_SUBSET_PROCESSES, (int32_t)id);
	if (!subset)
		return false;
	if (r->own && id == r->world)
		return true;
	index = (size_t)(subset - r->defs.subsets.data);
	while (r->comms.n <= index)
		vec_push(&r->comms, UINT32_MAX);
	if (r->comms.data[index] == UINT32_MAX)
		r->comms.data[index] = make_comm(r, subset);
	*comm = r->comms.data[index];
	return true;
}

void picl_header_comms(struct picl_reader *r)
{
	uint32_t comm;

	for (size_t i = 0; i < r->defs.subsets.n; i++)
		if (r->defs.subsets.data[i].rectype == REC_SUBSET_PROCESSES)
			picl_comm_of(r, r->defs.subsets.data[i].id, &comm);
}

/* ---- the end ---- */

void picl_places_init(struct picl_reader *r)
{
	r->kinds = xcalloc(KIND_LAST - KIND_FIRST + 1, sizeof(struct picl_kind *));
}

void picl_places_fini(struct picl_reader *r)
{
	for (size_t i = 0; i < r->places.n; i++) {
		OWNED struct picl_place *place = r->places.data[i];
		str_fini(&place->pending.payload);
		str_fini(&place->pending.time_text);
		vec_fini(&place->open);
		vec_fini(&place->renamed);
		vec_fini(&place->early);
		vec_fini(&place->offsets);
	}
	for (size_t i = 0; i < r->all_kinds.n; i++) {
		keymap_fini(&r->all_kinds.data[i]->calls);
		free(r->all_kinds.data[i]->file);
		free(r->all_kinds.data[i]);
	}
	vec_fini(&r->places);
	vec_fini(&r->all_kinds);
	vec_fini(&r->comms);
	keymap_fini(&r->other_kinds);
	keymap_fini(&r->place_ids);
	keymap_fini(&r->by_processor);
	free(r->kinds);
	r->kinds = NULL;
	memset(r->recent, 0, sizeof r->recent);
}
