/* copy: copies between a host and its accelerators, from one-sided operations that an accelerator's
 * stream recorded, or that name one as their other end. They are rows of their own, never messages:
 * no clock is compared by them, and no rank waits for one.
 *
 * Score-P writes them for CUDA, HIP, OpenCL and OpenMP's devices: a get (to the device) or a put
 * (to the host) when the copy begins, and its completion when it ends, both on the device's stream.
 * Within a device the other end is a stream, too.
 *
 *	struct copy_query q;
 *	uint32_t row;
 *	copies_in_window(&q, trace, base, t0, t1);
 *	while (copy_query_next(&q, &row))
 *		use(trace_copy(trace, row));
 *
 * Ownership and threads: as in trace.h. Where several processes share the trace, each has those of
 * its own locations. */
#pragma once

#include "model/trace/trace.h"

struct copy {
	uint32_t begin, end; /* events of one location; `end` EVENT_NONE: no completion */
	uint32_t other;      /* location at the other end, UINT32_MAX unknown */
	uint32_t back; /* so many rows before this one, of the same location, the first may be that
			  is not complete when this one begins */
	uint64_t bytes;
	bool put; /* from the location of the events to the other one */
	uint8_t reserved[7];
};

/* Of the attribute that names the other location of an operation: OTF2 names it by its place in a
 * communicator. */
#define COPY_OTHER "tview:other location"

enum copy_direction { COPY_TO_DEVICE, COPY_TO_HOST, COPY_ON_DEVICE };

/* Locations, UINT32_MAX unknown. */
uint32_t copy_from(const struct trace *trace, const struct copy *copy);
uint32_t copy_to(const struct trace *trace, const struct copy *copy);
enum copy_direction copy_direction_of(const struct trace *trace, uint32_t from, uint32_t to);
enum copy_direction copy_direction(const struct trace *trace, const struct copy *copy);
/* "to device", "to host", "on device". */
const char *copy_direction_name(enum copy_direction direction);
/* Begin and end in ticks; false: it has no end, which is then the begin. */
bool copy_span(const struct trace *trace, enum time_base base, const struct copy *copy,
	       int64_t *begin, int64_t *end);
/* Bytes a second of a duration in ticks, above 0. */
int64_t copy_rate(const struct trace *trace, uint64_t bytes, int64_t ticks);
/* "copy to device from rank 0, 1.0 MiB in 100 us (10.5 GB/s)". */
void copy_text(const struct trace *trace, const struct copy *copy, struct str *out);

/* Whether any process has copies; where several share the trace, all call it. */
bool trace_has_copies(const struct trace *trace);
/* The copy that an event begins or ends; UINT32_MAX: none. O(log copies). */
uint32_t trace_copy_of(const struct trace *trace, uint32_t event);

struct copy_query {
	const struct trace *trace;
	enum time_base base;
	int64_t t0, t1;
	uint32_t next, stop; /* rows of a location that begin before t1 */
	uint32_t after, end; /* first row of the next location; of those that are not asked */
};

/* Copies that cross [t0, t1): begin < t1, end >= t0; by location, then begin. O(log copies) for
 * each location, and the hits. */
void copies_in_window(struct copy_query *q, const struct trace *trace, enum time_base base,
		      int64_t t0, int64_t t1);
bool copy_query_next(struct copy_query *q, uint32_t *row);
/* The same of one location's. */
void copies_of_location(struct copy_query *q, const struct trace *trace, enum time_base base,
			uint32_t location, int64_t t0, int64_t t1);
/* How many begin before t. */
uint64_t copies_before(const struct trace *trace, enum time_base base, int64_t t);
