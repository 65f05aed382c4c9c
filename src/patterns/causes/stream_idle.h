/* stream_idle: why a stream of a device had nothing to do.
 *
 * A stream that takes part in collectives is made late to one by others: by kernels of the process'
 * other streams, which its next kernel needs, or by its host, which launches late. So the time in
 * which nothing is open on such a stream belongs to these: to kernels of another stream, of several
 * to that of the lowest location; where no stream works, to the call path that is open in the host,
 * of several threads the one that launched something last before the stream goes on. The rest (the
 * host is in nothing that was recorded) stays without a call path.
 *
 *	struct idle_walk w = stream_idle_walk(idle, location, t0);
 *	for (; w.at < w.end && w.at->from < t1; w.at++)
 *		use(w.at, idle_from(w.at, t0), idle_to(w.at, t1));
 *
 * Memory: 32 bytes for each piece. Time: O(events of the process) for each such stream. Threads:
 * made, any number may read. */
#pragma once

#include "base/progress.h"
#include "patterns/causes/interval.h"

/* A stretch of idle time with its call path. */
struct idle_piece {
	int64_t from, to;  /* ticks */
	uint32_t path;     /* canonical, not 0 */
	uint32_t location; /* where that is open: another stream, or the host */
	uint32_t event;    /* that begins it there */
	bool enters;       /* a visit, of which this is the first piece */
};

struct stream_idle;

/* Only of streams that have points. */
struct stream_idle *stream_idle_new(const struct trace *trace, enum time_base base,
				    const struct points *points, unsigned jobs);
void stream_idle_free(struct stream_idle *idle);
/* Whether a location is such a stream. */
bool stream_idle_has(const struct stream_idle *idle, uint32_t location);

/* Pieces by time, without overlap. */
struct idle_walk {
	const struct idle_piece *at, *end;
};

/* From the first one that ends after t0. O(log pieces). */
struct idle_walk stream_idle_walk(const struct stream_idle *idle, uint32_t location, int64_t t0);

static inline int64_t idle_from(const struct idle_piece *piece, int64_t t0)
{
	return piece->from > t0 ? piece->from : t0;
}

static inline int64_t idle_to(const struct idle_piece *piece, int64_t t1)
{
	return piece->to < t1 ? piece->to : t1;
}

/* Adds a stretch, `sign` times, in which nothing is open on the location. */
void stream_idle_add(const struct stream_idle *idle, uint32_t location, int64_t from, int64_t to,
		     int sign, struct path_sheet *sheet);
