/* What all files of the writer need: references, strings, and tview's own attributes. */
#include <string.h>

#include "model/otf2/write/otf2_writer.h"

void otf2_check(struct otf2_writer *w, OTF2_ErrorCode code)
{
	w->broken |= code != OTF2_SUCCESS;
	if (code == OTF2_SUCCESS || w->failed)
		return;
	w->failed = true;
	err_set(w->err, STATUS_IO, "cannot write the OTF2 archive: %s",
		OTF2_Error_GetDescription(code));
}

OTF2_TimeStamp otf2_stamp(const struct otf2_writer *w, int64_t ticks)
{
	return (OTF2_TimeStamp)(w->zero + ticks);
}

uint32_t otf2_out_string(struct otf2_writer *w, const char *text)
{
	OTF2_DEFINE(String, w->strings, text);
	return w->strings++;
}

void otf2_root_property(struct otf2_writer *w, uint32_t root, const char *name, uint32_t value)
{
	OTF2_AttributeValue v = { .uint64 = 0 };

	v.stringRef = value;
	OTF2_DEFINE(SystemTreeNodeProperty, root, otf2_out_string(w, name), OTF2_TYPE_STRING, v);
}

/* ---- references ----
 *
 * What the events need is defined in the order of need, location after location. A thread that
 * needs something new waits until it is its location's turn, or until an earlier location needed
 * the same; what is known already it keeps. */

/* The ref of a need: tables have row + 1, maps the ref. */
static uint32_t table_find(const uint32_t *row)
{
	return *row ? *row - 1 : UINT32_MAX;
}

static uint32_t map_find(const struct keymap *map, struct key key)
{
	const uint32_t *ref = keymap_find(map, key);

	return ref ? *ref : UINT32_MAX;
}

static uint32_t find(const struct otf2_writer *w, struct otf2_needed needed)
{
	switch (needed.what) {
	case OTF2_NEED_OWN: return table_find(&w->own[needed.first]);
	case OTF2_NEED_RECORD: return table_find(&w->records[needed.first]);
	case OTF2_NEED_SOURCE:
		return map_find(&w->source_places, KEY_OF(needed.first, needed.second));
	default: return map_find(&w->contexts, KEY_OF(needed.first));
	}
}

static void keep(struct otf2_writer *w, struct otf2_needed needed, uint32_t ref)
{
	switch (needed.what) {
	case OTF2_NEED_OWN: w->own[needed.first] = ref + 1; break;
	case OTF2_NEED_RECORD: w->records[needed.first] = ref + 1; break;
	case OTF2_NEED_SOURCE:
		*keymap_add(&w->source_places, KEY_OF(needed.first, needed.second)) = ref;
		break;
	default: *keymap_add(&w->contexts, KEY_OF(needed.first)) = ref; break;
	}
}

static uint32_t define(struct otf2_writer *w, struct otf2_needed needed)
{
	uint32_t ref;

	switch (needed.what) {
	case OTF2_NEED_OWN: ref = w->owns++; break;
	case OTF2_NEED_RECORD: ref = w->records_used++; break;
	case OTF2_NEED_SOURCE:
		ref = (uint32_t)w->source_refs.n;
		vec_push(&w->source_refs,
			 ((struct otf2_source_place){ needed.first, needed.second }));
		break;
	default:
		ref = (uint32_t)w->context_sites.n;
		vec_push(&w->context_sites, needed.first);
		break;
	}
	keep(w, needed, ref);
	return ref;
}

void otf2_define_needed(struct otf2_writer *w, struct otf2_needed needed)
{
	if (find(w, needed) == UINT32_MAX)
		define(w, needed);
}

void otf2_forget_refs(struct otf2_writer *w)
{
	memset(w->own, 0, sizeof w->own);
	memset(w->records, 0, sizeof w->records);
	w->owns = w->records_used = 0;
	keymap_fini(&w->contexts);
	keymap_fini(&w->source_places);
	w->context_sites.n = w->source_refs.n = 0;
}

static uint32_t define_in_turn(struct otf2_writer *w, struct otf2_needed needed)
{
	struct otf2_writer *whole = w->whole;
	uint32_t ref;

	pthread_mutex_lock(&whole->lock);
	while ((ref = find(whole, needed)) == UINT32_MAX && whole->turn != w->turn)
		pthread_cond_wait(&whole->moved, &whole->lock);
	if (ref == UINT32_MAX) {
		ref = define(whole, needed);
		needed.location = w->turn;
		needed.number = (uint32_t)whole->needs.n;
		vec_push(&whole->needs, needed);
		pthread_cond_broadcast(&whole->moved);
	}
	pthread_mutex_unlock(&whole->lock);
	keep(w, needed, ref);
	return ref;
}

static inline uint32_t ref_of(struct otf2_writer *w, struct otf2_needed needed)
{
	const uint32_t ref = find(w, needed);

	if (ref != UINT32_MAX)
		return ref;
	return w->whole ? define_in_turn(w, needed) : define(w, needed);
}

/* tview's own attributes and parameters are numbered after those of the trace, in order of use. */
static uint32_t own_ref(struct otf2_writer *w, enum otf2_own_attribute attribute)
{
	return w->objects_of[OBJECT_ATTRIBUTE] +
	       ref_of(w, (struct otf2_needed){ .what = OTF2_NEED_OWN, .first = attribute });
}

uint32_t otf2_record_ref(struct otf2_writer *w, enum otf2_own_record parameter)
{
	return w->objects_of[OBJECT_PARAMETER] +
	       ref_of(w, (struct otf2_needed){ .what = OTF2_NEED_RECORD, .first = parameter });
}

uint32_t otf2_source_ref(struct otf2_writer *w, uint32_t file, uint32_t line)
{
	return ref_of(w, (struct otf2_needed){
				 .what = OTF2_NEED_SOURCE, .first = file, .second = line });
}

uint32_t otf2_context_ref(struct otf2_writer *w, uint32_t site)
{
	return ref_of(w, (struct otf2_needed){ .what = OTF2_NEED_CONTEXT, .first = site });
}

void otf2_add_own(struct otf2_writer *w, enum otf2_own_attribute attribute, uint64_t value)
{
	OTF2_AttributeValue v = { .uint64 = value };

	switch (otf2_own_attributes[attribute].type) {
	case OTF2_TYPE_UINT16: v.uint16 = (uint16_t)value; break;
	case OTF2_TYPE_INT32: v.int32 = (int32_t)value; break;
	case OTF2_TYPE_STRING: v.stringRef = (OTF2_StringRef)value; break;
	case OTF2_TYPE_REGION: v.regionRef = (OTF2_RegionRef)value; break;
	case OTF2_TYPE_COMM: v.commRef = (OTF2_CommRef)value; break;
	case OTF2_TYPE_SOURCE_CODE_LOCATION:
		v.sourceCodeLocationRef = (OTF2_SourceCodeLocationRef)value;
		break;
	default: break;
	}
	otf2_check(w, OTF2_AttributeList_AddAttribute(w->list, own_ref(w, attribute),
						      otf2_own_attributes[attribute].type, v));
}

/* ---- places in communicators ---- */

enum { SECOND_GROUP = 1u << 30 };

static void map_places(struct otf2_out_comm *out, const struct comm *comm)
{
	out->identity = comm->kind == COMM_PROCESSES;
	for (uint32_t i = 0; i < comm->size && out->identity; i++)
		out->identity = comm->ranks[i] == (int32_t)i;
	if (out->identity)
		return;
	for (uint32_t i = 0; i < comm->size; i++)
		*keymap_add(&out->places, KEY_OF((uint32_t)comm->ranks[i])) = i;
	/* The groups of an inter-communicator have no member in common. */
	for (uint32_t i = 0; i < comm->remote_size; i++)
		*keymap_add(&out->places, KEY_OF((uint32_t)comm->remote[i])) = i | SECOND_GROUP;
}

/* The communicators are the archive's: all threads see them. */
static void map_once(struct otf2_writer *w, struct otf2_out_comm *out, const struct comm *comm)
{
	pthread_mutex_t *lock = &(w->whole ? w->whole : w)->lock;

	pthread_mutex_lock(lock);
	if (!out->mapped)
		map_places(out, comm);
	__atomic_store_n(&out->mapped, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(lock);
}

static uint32_t place_in_group(struct otf2_writer *w, uint32_t id, int32_t rank)
{
	const struct comm *comm = trace_comm(w->trace, id);
	struct otf2_out_comm *out = &w->comms[id];
	const uint32_t *place;

	if (!__atomic_load_n(&out->mapped, __ATOMIC_ACQUIRE))
		map_once(w, out, comm);
	if (out->identity)
		return rank >= 0 && (uint32_t)rank < comm->size ? (uint32_t)rank
								: OTF2_UNDEFINED_UINT32;
	place = keymap_find(&out->places, KEY_OF((uint32_t)rank));
	return place ? *place : OTF2_UNDEFINED_UINT32;
}

uint32_t otf2_out_place(struct otf2_writer *w, uint32_t id, int32_t rank)
{
	const uint32_t place = place_in_group(w, id, rank);

	return place == OTF2_UNDEFINED_UINT32 ? place : place & ~(uint32_t)SECOND_GROUP;
}

bool otf2_out_beside(struct otf2_writer *w, uint32_t id, int32_t a, int32_t b)
{
	return !((place_in_group(w, id, a) ^ place_in_group(w, id, b)) & SECOND_GROUP);
}
