/* virtual_teams: virtual time through teams of OpenMP. The threads of a team follow its fork; all
 * wait for the last one at its barriers, and the first one for all at the end: what recording cost
 * the last one goes on to the others, as between ranks.
 *
 * A team is known by its number (teams.h), in a table of the process; where more teams than it has
 * room for are open at once, those that lose their place are as without. Of each meeting the
 * threads keep two maxima, of real and of virtual arrivals. Arrivals only grow, so two places are
 * enough for all barriers of a team: a thread that enters the next but one knows that all have
 * left. */
#pragma once

#include "capture/lib/record.h"
#include "capture/lib/recorder.h"

/* TV_JOIN: before the record; TV_FORK, TV_TEAM_BEGIN, TV_TEAM_PART, TV_TEAM_END: after it, which
 * has the time `now`. */
void tv_virtual_team(struct tv_thread *t, enum tv_kind kind, uint32_t number, uint64_t now);
/* After a barrier of the innermost team was entered, before it is left. */
void tv_virtual_barrier(struct tv_thread *t, bool enters);
