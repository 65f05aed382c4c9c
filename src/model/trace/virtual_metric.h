/* virtual_metric: virtual times in a trace (tvrun --virtual-time): each call of MPI has, right
 * before its leave, an event with these metrics, by whose names the set is known. Values are signed
 * nanoseconds. Intrusion is what recording has cost the location so far, with the waiting that
 * recording caused: virtual time is measured time less intrusion. */
#pragma once

enum virtual_metric {
	VIRTUAL_SINCE,  /* the call was entered so long before the event */
	VIRTUAL_BEFORE, /* intrusion where it was entered, */
	VIRTUAL_LEFT,   /* and where it was left */
	VIRTUAL_AFTER,  /* what recording took right after that */
	VIRTUAL_ERROR,  /* bound of the error of VIRTUAL_LEFT; below 0: none */
	VIRTUAL_INSIDE, /* from its entry until it went on into MPI: recording, and a hold; -1: no
			   call, but a wait for a thread that no event shows, or a birth */
	VIRTUAL_UNSURE, /* bound of the error of VIRTUAL_BEFORE; below 0: none */
	VIRTUAL_TIMED,  /* of VIRTUAL_BEFORE, since the call before: what was timed */
	VIRTUAL_METRICS
};

/* {name, description} [enum virtual_metric] */
extern const char *const virtual_metric_text[VIRTUAL_METRICS][2];
