/* fit_room: bounds of clocks (correct/room) as the fit asks for them: from its edges, with the
 * corrections so far. */
#pragma once

#include "correct/fit/fit_state.h"
#include "correct/room/room.h"

/* The bounds of all clocks in ns, from messages alone, of the times that the corrections x (rows of
 * the slots) make; room_half() of a clock says how far it could be wrong. All processes call it,
 * and get the same. O(edges log edges). room_bounds_fini(). */
void fit_room_bounds(struct room_bounds *bounds, const struct clocks *clocks,
		     const struct fit_edges *edges, const struct fit_share *share,
		     const struct model *model, const double *x);
