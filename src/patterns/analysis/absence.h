/* absence: a sender that is outside of MPI while its message is on its way. Most libraries move
 * large messages only in calls of both sides. */
#pragma once

#include "model/trace/trace.h"

/* The first stretch outside of MPI in [from, to); empty: there is none. */
struct absence {
	int64_t from, to;   /* ticks */
	uint32_t path, pad; /* in which it is longest */
};

/* `location` is here. O(log events, and those in between). */
struct absence absence_find(const struct trace *trace, enum time_base base, uint32_t location,
			    int64_t from, int64_t to);
/* Whether a message that was on its way from `from` to `to` made no progress meanwhile: data that
 * arrives before the sender is back needed no call of it. */
bool absence_stops(const struct absence *absence, int64_t from, int64_t to);
