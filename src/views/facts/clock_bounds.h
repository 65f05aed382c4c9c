/* clock_bounds: bounds of clock errors (correct/correct_room.h) in words. */
#pragma once

#include "correct/correct.h"
#include "patterns/analysis/wait.h"
#include "views/facts/phrases.h"
#include "views/query/view.h"

/* Appends "-12.4 us .. +61.0 us"; "+-12.4 us" if both sides are equal to within a tenth; ">= -12.4
 * us" if only one is known; "0"; "unknown". */
void clock_bounds_text(struct str *out, struct room_span span, const struct timescale *scale);
const char *clock_bounds_phrase(struct phrases *phrases, struct room_span span);

/* The median and the worst over the run's windows of a location's clock. Unknown without. */
struct room_span clock_bounds_usual(const struct clock_room *room, uint32_t location);
struct room_span clock_bounds_worst(const struct clock_room *room, uint32_t location);
/* Of a clock that messages do not join to the reference both ways: the clock that is the zero of
 * its island, and its bounds against it, the median; UINT32_MAX: it is joined. */
struct clock_island {
	uint32_t zero;
	struct room_span usual;
};
struct clock_island clock_island_of(const struct clock_room *room, uint32_t location);
/* True for a wait that may be none: it is not longer than the clocks of both locations may be wrong
 * against each other. Needs no event of the other one; what the logical clock moved is not in it.
 * O(log events). */
bool clock_bounds_unsure(const struct clock_room *room, const struct trace *trace,
			 enum time_base base, uint32_t location, const struct wait *wait);

/* ---- sentences; "" where there is nothing to say ---- */

/* "Clock errors against rank 0 are within -131 us .. +129 us (rank 4, the least certain)."; "Clocks
 * unknown: ..." without messages and offsets. */
const char *clock_bounds_sentence(struct phrases *phrases, const struct corrections *corrections);
bool clock_bounds_lacking(const struct corrections *corrections, const struct trace *trace);
/* Ranks that messages do not join to rank 0 both ways: `said` is called for each group of them, at
 * most for a few; `unknown`: nothing bounds them against rank 0. */
void clock_bounds_islands(struct phrases *phrases, const struct corrections *corrections,
			  void (*said)(void *context, const char *sentence, bool unknown),
			  void *context);
/* What is known of the drift that bounds are made with. `exceeded`: it is, or may be, more than the
 * usual 200 ppm, and bounds may not hold. */
const char *clock_bounds_drift(struct phrases *phrases, const struct corrections *corrections,
			       bool *exceeded);
/* "assumed", "shown", "doubtful", "exceeded". */
const char *clock_drift_name(enum room_drift drift);
/* "1 of 10 offset records contradicts messages and is not used to bound clocks." */
const char *clock_bounds_records(struct phrases *phrases, const struct corrections *corrections);

/* "the clocks allow 1.2 us to 31.0 us": what the difference of two times, shown as `length`, may
 * be. */
const char *clock_bounds_length(struct phrases *phrases, double length, struct room_span span);
/* A wait of a location from a time on that another one ended, if it is not longer than the clocks
 * may be wrong; the sentence without a capital and a full stop. */
const char *clock_bounds_wait(struct phrases *phrases, const struct clock_room *room,
			      const struct clock_place *begin, const struct clock_place *end,
			      double length);
