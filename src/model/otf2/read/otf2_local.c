/* The definitions of one location. */
#include "model/otf2/read/otf2_own_read.h"

struct clock {
	const struct otf2_archive *a;
	struct otf2_place *place;
};

/* tview writes it where OTF2 has the standard deviation; others write 0, which says nothing. */
static int64_t round_trip(const struct clock *clock, double deviation)
{
	if (!clock->a->own || !(deviation >= 0 && deviation < 1e18))
		return -1;
	if (deviation > 0)
		return otf2_scaled(clock->a, (int64_t)deviation);
	return otf2_own_of_place(clock->a, clock->place->id, OTF2_PLACE_TRIPS, 0) ? 0 : -1;
}

static OTF2_CallbackCode on_clock_offset(void *context, OTF2_TimeStamp time, int64_t offset,
					 double deviation)
{
	const struct clock *clock = context;

	vec_push(&clock->place->offsets, ((struct offset){ .location = clock->place->location,
							   .time = otf2_time(clock->a, time),
							   .offset = otf2_scaled(clock->a, offset),
							   .rtt = round_trip(clock, deviation) }));
	return OTF2_CALLBACK_SUCCESS;
}

bool otf2_local_read(const struct otf2_archive *a, OTF2_Reader *reader, struct otf2_place *place)
{
	OTF2_DefReader *defs;
	OTF2_DefReaderCallbacks *callbacks;
	struct clock clock = { a, place };
	uint64_t n;
	bool ok;

	if (a->cut)
		otf2_guard_clear(a->chunks.defs);
	defs = OTF2_Reader_GetDefReader(reader, place->id);
	if (!defs)
		return false;
	callbacks = OTF2_DefReaderCallbacks_New();
	OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
	OTF2_Reader_RegisterDefCallbacks(reader, defs, callbacks, &clock);
	OTF2_DefReaderCallbacks_Delete(callbacks);
	ok = OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n) == OTF2_SUCCESS;
	OTF2_Reader_CloseDefReader(reader, defs);
	return ok;
}
