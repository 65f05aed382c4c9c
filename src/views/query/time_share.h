/* time_share: shares of time, and what 100 % of them is.
 *
 * 100 % is the time of the locations that the figure is about: total time, the run's length times
 * its ranks (or processes, threads), for what these do or wait; the time of devices' streams for
 * what happens on streams; both together for what is on both. So what ranks wait for a device and
 * what its streams compute meanwhile are not parts of one sum, and no share exceeds 100 %.
 * Locations with counters alone have no time. A trace of streams alone has theirs as total time. */
#pragma once

struct location;
struct query;

struct time_parts {
	double hosts, streams; /* ticks: of locations that run code; of devices */
};

/* Of the query's locations, in its window. */
struct time_parts query_time(const struct query *query);
void time_parts_add(struct time_parts *parts, const struct location *location, double ticks);
/* 0 of nothing. */
double time_share(struct time_parts part, struct time_parts whole);
/* "total time", "the streams' time", "total time and the streams'". */
const char *time_share_of(struct time_parts part, struct time_parts whole);
