/* correct_room: bounds of the clocks' errors (room/room.h) in the best times that the logical clock
 * starts from: what has to be added to the time of a location, and to the difference of two.
 *
 * They hold whatever latencies are; where nothing bounds a clock they are infinite: unknown. A time
 * that the logical clock or a compensation moved by m has the bounds less m; what compensation
 * itself may be wrong by is in its own bounds (overhead/overhead.h). */
#pragma once

#include <math.h>

#include "base/progress.h"
#include "correct/clocks/logical.h"
#include "correct/fit/fit.h"
#include "correct/room/room.h"

/* Of more clocks nothing is bounded: it would take 3 kB each. */
enum { CLOCKS_BOUNDED = 16384 };

struct clock_room {
	bool done;
	uint32_t too_many; /* clocks, where they are more than CLOCKS_BOUNDED */
	enum time_base base;
	uint32_t locations;
	uint32_t *of;              /* [locations] clock */
	int64_t origin;            /* ticks: zero of the bounds' times */
	struct room_bounds bounds; /* ticks */
	uint64_t n_rows;
	struct room_row *rows; /* [n_rows] ticks: the tightest messages of each two clocks */
};

/* Of a base, with the clocks and steps of the fit that made it; NULL: another one made it. A pass
 * over the messages. Several processes get the same. False: dropped. */
bool clock_room_make(struct clock_room *room, const struct trace *trace,
		     const struct logical *logical, enum time_base base,
		     const struct fit_report *fit, const struct progress *progress);
void clock_room_fini(struct clock_room *room);

/* A time of a location: in the room's base, and by how much a base moved it from there. */
struct clock_place {
	uint32_t location;
	bool known;
	double time, moved; /* ticks from the room's origin; ticks */
};

/* Of an event, or of a location's first event from a time of the base on, in the process that has
 * it. Not known where the room bounds a later base, and without a room (NULL, or not done). */
struct clock_place clock_place_of(const struct clock_room *room, const struct trace *trace,
				  enum time_base base, uint32_t event);
struct clock_place clock_place_at(const struct clock_room *room, const struct trace *trace,
				  enum time_base base, uint32_t location, int64_t time);
/* The bounds at a place, ticks. Infinite: unknown. O(log steps). */
struct room_span clock_room_at(const struct clock_room *room, const struct clock_place *place);
/* Those of the difference of two times, `to` less `from`: of a message's, or of a wait's that
 * another location ends. Of one clock what its rate may be wrong by. O(log rows). */
struct room_span clock_room_between(const struct clock_room *room, const struct clock_place *from,
				    const struct clock_place *to);
/* The same by the shortest paths between the two clocks, over any others: for details of one.
 * O(bounds). */
struct room_span clock_room_closely(const struct clock_room *room, const struct clock_place *from,
				    const struct clock_place *to);
/* Whether both bounds are known. */
static inline bool room_span_known(struct room_span span)
{
	return span.low > -INFINITY && span.high < INFINITY;
}
