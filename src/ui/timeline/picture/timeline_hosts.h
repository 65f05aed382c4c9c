/* timeline_hosts: locations that belong under the row of another one: streams of a device under the
 * last thread of the process that created them, locations with nothing but counters under that of
 * their process. */
#pragma once

#include "model/trace/trace.h"

/* [locations of the trace] the host of each of `locations` among these, UINT32_MAX: it has a row of
 * its own; the caller's. */
uint32_t *timeline_hosts(const struct trace *trace, const uint32_t *locations, uint32_t n);
/* The locations that each one hosts, in the order of `locations`: first[host], then next[] of each,
 * UINT32_MAX ends it. */
struct timeline_hosted {
	uint32_t *first, *next; /* [locations of the trace]; owned */
};
void timeline_hosted_make(struct timeline_hosted *hosted, const struct trace *trace,
			  const uint32_t *hosts, const uint32_t *locations, uint32_t n);
void timeline_hosted_fini(struct timeline_hosted *hosted);
/* Puts the streams after their hosts; locations of counters alone that have a host are taken out.
 * Returns how many are left. */
uint32_t timeline_hosts_order(const struct timeline_hosted *hosted, const struct trace *trace,
			      const uint32_t *hosts, uint32_t *locations, uint32_t n);
