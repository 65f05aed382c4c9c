/* What all callbacks of events need: windows, partners, attributes. */
#include "model/otf2/read/otf2_feed.h"
#include "base/order.h"

/* A definition is missing: the first pass stops here, the second adds a spare one. */
OTF2_CallbackCode otf2_feed_spare(struct otf2_feed *f)
{
	f->wants_spare = true;
	return OTF2_CALLBACK_INTERRUPT;
}

int64_t otf2_feed_beyond(struct otf2_feed *f)
{
	f->beyond++;
	builder_finding(
		f->b, FINDING_DAMAGE, "time-beyond-clock", 0,
		"an event is far outside the time that the clock properties give: it was put "
		"where the event before it is");
	return f->time;
}

bool otf2_feed_in_window(struct otf2_feed *f, int64_t t)
{
	if (f->past)
		return false;
	if (t >= f->from && f->held.n) {
		for (size_t i = 0; i < f->held.n; i++)
			builder_enter(f->b, f->location, f->held.data[i].time,
				      f->held.data[i].site);
		f->held.n = 0;
	}
	f->past = t >= f->until;
	return true;
}

/* ---- who is meant ---- */

static bool holds(const int32_t *sorted, uint32_t n, int32_t rank)
{
	uint32_t low = 0, high = n;

	BISECT(low, high, middle, sorted[middle] < rank);
	return low < n && sorted[low] == rank;
}

uint32_t otf2_feed_comm(struct otf2_feed *f, uint32_t id)
{
	const struct otf2_comm *comm = otf2_comm(f->a, id);

	if (!comm) {
		builder_finding(
			f->b, FINDING_GUESS, "communicator-undefined", 0,
			"an event names a communicator that is not defined: the world is assumed");
		return 0;
	}
	if (comm->kind == COMM_SELF)
		return f->rank >= 0 && (uint32_t)f->rank < comm->size ? comm->id + (uint32_t)f->rank
								      : 0;
	return comm->id;
}

static int32_t member(const int32_t *ranks, uint32_t n, uint32_t i)
{
	return i < n ? ranks[i] : RANK_UNKNOWN;
}

int32_t otf2_feed_rank(struct otf2_feed *f, uint32_t id, uint32_t partner)
{
	const struct otf2_comm *comm = otf2_comm(f->a, id);
	int32_t rank;

	if (f->a->own && partner == OTF2_UNDEFINED_UINT32)
		return RANK_UNKNOWN; /* and no one knew it */
	if (!comm)
		rank = partner < (uint32_t)f->a->ranks ? (int32_t)partner : RANK_UNKNOWN;
	else if (comm->kind == COMM_SELF)
		rank = f->rank;
	else if (comm->kind == COMM_INTER && holds(comm->sorted, comm->size, f->rank))
		rank = member(comm->remote, comm->remote_size, partner);
	else
		rank = member(comm->ranks, comm->size, partner);
	/* A team's members are locations, which are rows of places. */
	if (comm && comm->kind == COMM_THREADS && rank != RANK_UNKNOWN)
		rank = rank < 0 ? RANK_UNKNOWN : f->a->places.data[rank].rank;
	if (rank < 0) {
		builder_finding(f->b, FINDING_ODDITY, "partner-unknown", 0,
				"an event names a rank that its communicator does not have");
		return RANK_UNKNOWN;
	}
	return rank;
}

int32_t otf2_feed_root(struct otf2_feed *f, uint32_t comm, uint32_t root)
{
	if (root == OTF2_COLLECTIVE_ROOT_NONE)
		return -1;
	if (root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
		return RANK_UNKNOWN; /* the ranks of the other group name it */
	if (root == OTF2_COLLECTIVE_ROOT_SELF)
		return f->rank;
	return otf2_feed_rank(f, comm, root);
}

/* ---- attributes ---- */

/* A value, references as the store's ids. */
static uint64_t value_of(const struct otf2_archive *a, OTF2_Type type, OTF2_AttributeValue value)
{
	const struct otf2_place *place;
	uint32_t row;

	switch (type) {
	case OTF2_TYPE_STRING: return otf2_string(a, value.stringRef);
	case OTF2_TYPE_ATTRIBUTE: return otf2_object(a, OBJECT_ATTRIBUTE, value.attributeRef);
	case OTF2_TYPE_LOCATION:
		place = otf2_place(a, value.locationRef);
		return place ? place->location : UINT64_MAX;
	case OTF2_TYPE_REGION:
		row = otf2_ids_get(&a->region_ids, value.regionRef);
		return row == UINT32_MAX ? UINT64_MAX : a->regions.data[row].region;
	case OTF2_TYPE_GROUP: return otf2_object(a, OBJECT_GROUP, value.groupRef);
	case OTF2_TYPE_METRIC: return otf2_known(&a->metric_sets, value.metricRef);
	case OTF2_TYPE_COMM:
		return otf2_comm(a, value.commRef) ? otf2_comm(a, value.commRef)->id : UINT64_MAX;
	case OTF2_TYPE_PARAMETER: return otf2_object(a, OBJECT_PARAMETER, value.parameterRef);
	case OTF2_TYPE_RMA_WIN: return otf2_object(a, OBJECT_RMA_WINDOW, value.rmaWinRef);
	case OTF2_TYPE_SOURCE_CODE_LOCATION:
		row = otf2_ids_get(&a->code_places, value.sourceCodeLocationRef);
		return row == UINT32_MAX
			       ? UINT64_MAX
			       : (uint64_t)otf2_string(a, a->defs.places.data[row].file) << 32 |
					 a->defs.places.data[row].line;
	case OTF2_TYPE_CALLING_CONTEXT:
		row = otf2_ids_get(&a->context_ids, value.callingContextRef);
		return row == UINT32_MAX ? UINT64_MAX : a->contexts.data[row].site;
	case OTF2_TYPE_INTERRUPT_GENERATOR:
		return otf2_object(a, OBJECT_GENERATOR, value.interruptGeneratorRef);
	case OTF2_TYPE_IO_FILE: return otf2_object(a, OBJECT_IO_FILE, value.ioFileRef);
	case OTF2_TYPE_IO_HANDLE: return otf2_object(a, OBJECT_IO_HANDLE, value.ioHandleRef);
	case OTF2_TYPE_LOCATION_GROUP: return otf2_known(&a->processes, value.locationGroupRef);
	default: return otf2_number(type, value);
	}
}

void otf2_feed_take_attributes(struct otf2_feed *f, OTF2_AttributeList *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		OTF2_AttributeRef attribute;
		OTF2_AttributeValue value;
		OTF2_Type type;
		uint64_t object;

		if (OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type, &value) !=
		    OTF2_SUCCESS)
			continue;
		object = otf2_object(f->a, OBJECT_ATTRIBUTE, attribute);
		if (otf2_own_of(f->a, OTF2_OWN_ATTRIBUTES, KEY_OF(attribute), UINT32_MAX) !=
		    UINT32_MAX)
			continue;
		if (object == UINT64_MAX)
			builder_finding(f->b, FINDING_ODDITY, "attribute-undefined", 0,
					"an event has an attribute that is not defined: skipped");
		else
			builder_attribute(f->b, f->location, (uint32_t)object,
					  value_of(f->a, type, value));
	}
}
