/* shading: the time of each of up to 16 slots in any interval of a location, without looking at its
 * events.
 *
 * A shading is a time base and a slot for every call path; the caller's table decides the slots (by
 * the innermost open region, or the one at a nesting depth). Sums of time by slot are kept at every
 * block, 32 bits relative to a superblock of 1,024 events; 'how much of each slot in [t0,t1)' is
 * the difference of two prefix sums and two walks of at most 64 events. A row of cells is swept
 * with one cursor. Drawing therefore costs cells, not events. */
#pragma once

#include "model/trace/trace.h"

enum { SHADING_SLOTS = 16 };

struct shading;

/* The default shading of the measured base, made with the store: slots are enum region_class. */
const struct shading *trace_class_shading(const struct trace *trace, enum time_base base);

/* Any other: slot_of[callpath] < slots for every call path of the trace (copied). The base must be
 * made. One linear pass. NULL with err if address space runs out, NULL with err untouched if
 * cancelled. */
struct shading *shading_new(const struct trace *trace, enum time_base base, const uint8_t *slot_of,
			    unsigned slots, uint8_t outside_slot, const struct progress *progress,
			    struct err *err);
void shading_free(struct shading *shading);
unsigned shading_slots(const struct shading *shading);

/* sums[slot] = ticks of the slot within [t0, t1) on a location; time outside the traced spans
 * counts in the outside slot. The sums add up to t1 - t0. */
void shading_window(const struct shading *shading, uint32_t location, int64_t t0, int64_t t1,
		    uint64_t sums[SHADING_SLOTS]);
/* The same for cells [edges[i], edges[i+1]), i < cells; edges ascend. sums[cell * SHADING_SLOTS +
 * slot]. */
void shading_sweep(const struct shading *shading, uint32_t location, const int64_t *edges,
		   size_t cells, uint64_t *sums);
/* About how many events a location has within [t0, t1), to a block of them. */
uint64_t shading_events(const struct shading *shading, uint32_t location, int64_t t0, int64_t t1);
