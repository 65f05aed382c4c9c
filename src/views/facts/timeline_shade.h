/* timeline_shade: the state in which a call path is drawn at a nesting level, and the shadings
 * (sums of time by slot) from which rows of cells are swept. The last few are kept.
 *
 * Level 0 shows the innermost open region; level d shows the region open at depth d, and nothing
 * where fewer are open. A slot represents one region where there are few enough of them (its name
 * can then be written into a cell without looking at an event), else a class. Calls that the filter
 * excludes have a slot of their own. Waiting in the calls that the level draws is summed separately
 * (wait_sums.h), once the query's analysis has found it. */
#pragma once

#include "model/sums/counter.h"
#include "model/sums/moves.h"
#include "model/sums/shading.h"
#include "views/query/view.h"
#include "views/query/wait_sums.h"

/* States of a cell: enum region_class and excluded by the filter, which shadings have, then the
 * kinds of waiting (enum wait_kind): the waiting part of a call does not count for its class. By
 * function (query.colouring) they are its functions, all others, not recorded, and excluded by the
 * filter; waiting is then part of the functions. */
enum {
	STATE_FILTERED = CLASS_COUNT,
	SHADED_STATES,
	STATE_WAIT = SHADED_STATES,
	STATE_FUNCTION = STATE_WAIT + WAIT_KINDS,
	STATE_OTHERS = STATE_FUNCTION + COLOURED_FUNCTIONS,
	STATE_COUNT
};
#define NO_REGION UINT32_MAX
#define NO_PATH   UINT32_MAX

/* True if the time of a state counts as MPI. */
static inline bool timeline_is_mpi(unsigned state)
{
	return state < CLASS_COUNT && region_class_is_mpi((enum region_class)state);
}

struct timeline_level {
	const struct shading *shading;
	const uint32_t *shown;          /* [call paths]: the call path that is drawn for one at this
					   level, NO_PATH nothing; NULL: each for itself */
	const uint8_t *slot_of;         /* [call paths], NULL: slots are classes */
	uint8_t state[SHADING_SLOTS];   /* of a slot */
	uint32_t region[SHADING_SLOTS]; /* of a slot, NO_REGION for several */
	unsigned slots;
	uint8_t outside; /* slot of time that was not recorded, where slots are not classes */
	const struct wait_sums *waits; /* of the calls that are drawn; NULL: not known (yet) */
};

/* The title on the screen: "user code", "wait: late sender"; appends it, or the name of a
 * function. */
const char *timeline_state_title(unsigned state);
void timeline_state_text(const struct query *query, unsigned state, struct str *out);
/* The state in which the query draws the time of a region. */
unsigned timeline_state_of(const struct query *query, uint32_t region);

enum { TIMELINE_LEVELS = 16 };

struct timeline_shades; /* the kept ones, of one trace */

struct timeline_shades *timeline_shades_new(void);
void timeline_shades_free(struct timeline_shades *shades);
/* The trace's counters, kept with the shades; found at the first call. */
struct counters *timeline_shades_counters(struct timeline_shades *shades,
					  const struct trace *trace);

/* How far the query's base moved events from the base that it is compared with; kept with the
 * shades. NULL if progress cancelled. */
const struct moves *timeline_shades_moves(struct timeline_shades *shades,
					  const struct query *query);

/* The level's shading under the query's base and filter; made by one pass over the trace where it
 * is not kept. Valid until TIMELINE_LEVELS other ones were asked for. NULL with err. */
const struct timeline_level *timeline_shades_get(struct timeline_shades *shades,
						 const struct query *query, unsigned level,
						 struct err *err);

/* The deepest nesting of the trace. */
unsigned timeline_depth_max(const struct trace *trace);
