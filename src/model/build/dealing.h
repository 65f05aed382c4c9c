/* dealing: which process of several (base/exchange.h) has what of a trace that they share: units
 * that stay together, in their order, as many to each as make its share of the weight; and whether
 * a process then has room for its part.
 *
 *	uint32_t *process = xmalloc(n * sizeof *process);
 *	uint64_t most = dealing_deal(&(struct dealing){ weight, n }, processes, process); */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct dealing {
	const uint64_t *weight; /* [n] of units: events, or bytes of a file */
	size_t n;
};

/* Sets the process of each unit (NULL: they do not matter). Gives the weight of the process that
 * has most. */
uint64_t dealing_deal(const struct dealing *d, uint32_t processes, uint32_t *process);

/* What a process needs for an event: measured with patterns, which need most: 48 to 70. */
enum { DEALING_EVENT = 70 };

/* False with a sentence on the trace `name`, with the number of processes that would do, if a
 * process with `most` needs more than `limit` bytes (0: no limit), `bytes` for one of weight. */
bool dealing_has_room(const struct dealing *d, uint64_t most, uint64_t bytes, uint64_t limit,
		      const char *name, struct err *err);
