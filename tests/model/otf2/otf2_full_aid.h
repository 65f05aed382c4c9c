/* otf2_full_aid: an archive with every sort of definition, written by libotf2, to which a test adds
 * records.
 *
 *	ARCHIVE aid = otf2_full_begin(1000000000);
 *	OTF2_EvtWriter *w = otf2_aid_events(&aid, LOCATION_1);
 *
 *	EVENT(Enter, 1234, R_MAIN);
 *	otf2_aid_events_end(&aid, w);
 *	OWNED_TRACE *trace = otf2_full_load(&aid, 1);
 *
 * What goes wrong fails the test. */
#pragma once

#include "base/mem.h"
#include "harness/otf2_aid.h"
#include "model/trace/trace.h"

enum { NONE = -1, LOCATION_0 = 9, LOCATION_1 = 7, THREAD = 20, STREAM = 30 };
#define LOCATION_2 5000000000u

#define DEFINE(record, ...) OTF2_GlobalDefWriter_Write##record(aid->defs, __VA_ARGS__)
#define EVENT(record, ...)  OTF2_EvtWriter_##record(w, NULL, __VA_ARGS__)

/* Regions, in the order of their ids; the first has a source line. */
enum { R_MAIN, R_SSEND, R_IBCAST, R_WAIT, R_BARRIER, R_ISEND, R_FLUSH, R_OFF, REGIONS };

/* Communicators; write_comms() in otf2_full_aid.c says their members. */
enum { C_WORLD, C_PART, C_SELF, C_INTER, C_TEAM };

/* Its definitions; the clock has that many ticks a second. */
struct otf2_aid otf2_full_begin(uint64_t resolution);
#define ARCHIVE ENDED_BY(otf2_aid_remove) struct otf2_aid

/* Ends the archive and reads it with that many threads. */
struct trace *otf2_full_load(struct otf2_aid *aid, int jobs);
/* The location of an archive's, UINT32_MAX none. */
uint32_t otf2_full_location(const struct trace *trace, uint64_t id);
