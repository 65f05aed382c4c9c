/* cause_ends: for each wait state where the chain of its causes ends: the largest reason of the
 * wait; where that is a wait, the largest reason of it, and so on. What causes_explain() says at
 * length of one wait, of delays that were found already, so that it is cheap for all of them.
 *
 *	struct cause_ends *ends = cause_ends_new(causes);
 *	const struct cause_end end = cause_ends_of(ends, location, wait);
 *	cause_ends_free(ends);
 *
 * A wait costs O(call paths in which more was done + log points) a hop, CAUSE_HOPS at most.
 * Memory: 8 bytes a point of the locations that were asked about. Where several processes share the
 * trace all call cause_ends_new(), which then finds the ends of all waits; each asks for those of
 * its own locations. Threads: one. Borrows the causes. */
#pragma once

#include "patterns/causes/causes.h"

enum { CAUSE_HOPS = 16 }; /* as many as explain follows */

enum cause_end_kind {
	CAUSE_END_NONE,    /* a wait of a kind whose causes are not searched for */
	CAUSE_END_UNKNOWN, /* less than half of the wait is explained */
	CAUSE_END_WORK,    /* the location spent more in the call path than the one that waited */
	CAUSE_END_WAIT,    /* it waited itself in the call path; no reason of that is known */
};

struct cause_end {
	enum cause_end_kind kind;
	uint32_t location, path; /* CAUSE_END_WORK, CAUSE_END_WAIT; the path is canonical */
};

struct cause_ends;

struct cause_ends *cause_ends_new(const struct causes *causes);
void cause_ends_free(struct cause_ends *ends);
/* Of a wait, by its index in the list of its location. */
struct cause_end cause_ends_of(struct cause_ends *ends, uint32_t location, uint32_t wait);
