/* virtual_compare: the two estimates of the program's times without recording beside each other:
 * virtual times, which the ranks kept, and compensated ones, which were computed afterwards. Both
 * have bounds: virtual times the error E that travels with them, compensated times `lower` and
 * `upper`. Where no time is within both, one of them is wrong: a cost of recording, a latency, or
 * an order that recording changed. */
#pragma once

#include "model/trace/crowd.h"

enum virtual_compared {
	VIRTUAL_NOT_KEPT,       /* the trace has no virtual times */
	VIRTUAL_NO_COMPENSATED, /* it has no compensated ones */
	VIRTUAL_UNBOUNDED,      /* no event has a bound */
	VIRTUAL_COMPARED,
};

struct virtual_comparison {
	enum virtual_compared state;
	uint64_t events;  /* with bounds, */
	uint64_t without; /* and without */
	uint64_t beyond;  /* those that differ by more than their bounds, */
	int64_t most;     /* ticks: at most by so much; */
	/* Of these the first in virtual time: where and when. */
	uint32_t first_location, first_path;
	int64_t first_time;
	struct crowd crowd;
};

/* The trace's columns of these bases are made. */
void virtual_compare(struct virtual_comparison *out, const struct trace *trace);

/* Whether the two bases are those two, and both have bounds. */
bool virtual_compares(const struct trace *trace, enum time_base base, enum time_base against);

/* Ticks: by how much the two times of an event may differ; negative without `virtual_bound`. */
struct virtual_pair {
	int64_t difference; /* virtual - compensated */
	int64_t virtual_bound;
	int64_t compensated_bound; /* on the side of the virtual time */
	bool beyond;
};
/* `bounds`: virtual_bounds_new(). */
struct virtual_pair virtual_pair_of(const struct trace *trace, const int64_t *bounds,
				    uint32_t event);
