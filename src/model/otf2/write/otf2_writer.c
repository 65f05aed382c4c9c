/* What all files of the writer need: references, strings, and tview's own attributes. */
#include "model/otf2/write/otf2_writer.h"

void otf2_check(struct otf2_writer *w, OTF2_ErrorCode code)
{
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

/* ---- references ---- */

/* tview's own attributes and parameters are numbered after those of the trace, in order of use. */
static uint32_t own_ref(struct otf2_writer *w, enum otf2_own_attribute attribute)
{
	if (w->own[attribute] == 0)
		w->own[attribute] = ++w->owns;
	return w->objects_of[OBJECT_ATTRIBUTE] + w->own[attribute] - 1;
}

uint32_t otf2_record_ref(struct otf2_writer *w, enum otf2_own_record parameter)
{
	if (w->records[parameter] == 0)
		w->records[parameter] = ++w->records_used;
	return w->objects_of[OBJECT_PARAMETER] + w->records[parameter] - 1;
}

uint32_t otf2_source_ref(struct otf2_writer *w, uint32_t file, uint32_t line)
{
	uint32_t *ref = keymap_add(&w->source_places, KEY_OF(file, line));

	if (*ref == UINT32_MAX) {
		*ref = (uint32_t)w->source_refs.n;
		vec_push(&w->source_refs, ((struct otf2_source_place){ file, line }));
	}
	return *ref;
}

uint32_t otf2_context_ref(struct otf2_writer *w, uint32_t site)
{
	uint32_t *ref = keymap_add(&w->contexts, KEY_OF(site));

	if (*ref == UINT32_MAX) {
		*ref = (uint32_t)w->context_sites.n;
		vec_push(&w->context_sites, site);
	}
	return *ref;
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

static void map_places(struct otf2_out_comm *out, const struct comm *comm)
{
	out->mapped = true;
	out->identity = comm->kind == COMM_PROCESSES;
	for (uint32_t i = 0; i < comm->size && out->identity; i++)
		out->identity = comm->ranks[i] == (int32_t)i;
	if (out->identity)
		return;
	for (uint32_t i = 0; i < comm->size; i++)
		*keymap_add(&out->places, KEY_OF((uint32_t)comm->ranks[i])) = i;
	/* The groups of an inter-communicator have no member in common. */
	for (uint32_t i = 0; i < comm->remote_size; i++)
		*keymap_add(&out->places, KEY_OF((uint32_t)comm->remote[i])) = i;
}

uint32_t otf2_out_place(struct otf2_writer *w, uint32_t id, int32_t rank)
{
	const struct comm *comm = trace_comm(w->trace, id);
	struct otf2_out_comm *out = &w->comms[id];
	const uint32_t *place;

	if (!out->mapped)
		map_places(out, comm);
	if (out->identity)
		return rank >= 0 && (uint32_t)rank < comm->size ? (uint32_t)rank
								: OTF2_UNDEFINED_UINT32;
	place = keymap_find(&out->places, KEY_OF((uint32_t)rank));
	return place ? *place : OTF2_UNDEFINED_UINT32;
}
