/* level: offset records or messages. Messages bound clocks from both sides and the fit takes the
 * middle, which is right if they take equally long both ways; records are round trips whose middle
 * may be wrong as well. How far each is wrong is estimated from the trace: messages by a share
 * kappa of half of their room, records by a share eta of half of their round trip, one number each
 * for all clocks (doc/references.md). Then each clock is moved and turned by the mean of the lines
 * that this leaves possible: good records correct asymmetric messages, bad ones do not disturb good
 * messages.
 *
 * Times in nanoseconds. O(clocks + records), times 600 points of a grid. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room of messages where nothing is known of it: far more than any record is wrong by. */
#define LEVEL_UNKNOWN 1e12

/* An offset record of a clock. */
struct level_record {
	double residual; /* what it would add to the clock where it was measured */
	double u;        /* when: -1 at the first message, 1 at the last one */
	double half;     /* half of its round trip, above 0 */
	double loose;    /* random error of the fit there, where its messages are far */
};

enum { LEVEL_ROOT = UINT32_MAX };

/* Room of messages, of which they may be wrong. */
struct level_room {
	double symmetric; /* by a share */
	double excess;    /* as a whole: one-sided delays */
};

/* A clock. What may be added to it is a line: level + tilt * u. Errors of messages add up along the
 * path from the part's root, so neighbours share most of theirs, and what their records say. */
struct level_clock {
	uint32_t part;   /* of the clocks that messages join */
	uint32_t parent; /* its place among the clocks, before this one; LEVEL_ROOT: the root */
	struct level_room level; /* on the way from the part's root */
	struct level_room turn;  /* half of the way that a line may turn until u = 1 */
	double most;             /* half of the interval that messages leave */
	size_t first, n;         /* records */
};

struct level_line {
	double level, tilt;
};

struct level_question {
	const struct level_clock *clocks; /* [n] by part, parents first; not the reference */
	size_t n;
	const struct level_record *records;
	uint32_t parts;
	const bool *island; /* [parts] without the reference: it is moved as a whole, too */
	double half_length; /* half of the time in which messages go both ways */
	uint32_t loops;     /* independent ways around in the graph of pairs */
	double curl;        /* mean square of the one-sided share around them */
	double curl_noise;  /* what noise makes of it */
};

struct level_answer {
	double kappa, eta;        /* geometric means */
	struct level_line *clock; /* [n], the caller's: of each clock, with its part's */
};

/* Fills the answer, whose array is zeroed first. */
void level_solve(const struct level_question *question, struct level_answer *answer);

/* The lines of clocks of one part with the reference, where both shares are known. */
void level_given(const struct level_question *question, double kappa, double eta,
		 struct level_line *lines);

/* ---- pairs of clocks ---- */

enum { LEVEL_WINDOWS = 16 };

/* Smallest slacks of a pair i < j in parts of the run; INFINITY none. */
struct level_pair {
	uint32_t i, j;
	bool near;                                     /* on one node */
	double up[LEVEL_WINDOWS], down[LEVEL_WINDOWS]; /* i -> j, j -> i */
};

/* What a pair shows; `windows` below 2: too little. */
struct level_shape {
	uint32_t i, j;
	uint32_t windows; /* with both directions */
	bool near;
	double apart; /* half of the difference of the two, median */
	double room;  /* half of their sum: a good window's */
	double level; /* half of the room for a line through all windows, in the middle */
	double turn;  /* and by how much it may turn until u = 1 */
	double span;  /* from the first window to the last one: with as much room in all, a line may
			   turn by 2 / span of it */
	bool agree;   /* windows alone leave about as much room: that of the link */
	double scatter; /* of `apart` over time, negative unknown */
	double slope;   /* of `apart`, until u = 1: what the fit turned the clocks off its middle */
};
struct level_shape level_shape_of(const struct level_pair *pair);

/* Puts the pairs first whose room is that of links, and returns how many: one that is several times
 * the best of its kind shows how late ranks came to receive, and neither asymmetry nor noise. */
size_t level_tight_first(struct level_shape *pairs, size_t n);
/* Mean square of apart / room over the loops of n pairs, of `clocks` clocks in `parts` parts;
 * *loops: how many there are. */
double level_curl(const struct level_shape *pairs, size_t n, uint32_t clocks, uint32_t parts,
		  uint32_t *loops);
/* What noise makes of that. */
double level_curl_noise(const struct level_shape *pairs, size_t n);
/* The random error of the fit: median over pairs; 5 us if none tells. */
double level_noise(const struct level_shape *pairs, size_t n);
/* The way of pairs to a clock from its root. Errors of pairs are independent. */
struct level_way {
	struct level_room level, turn;
	uint32_t parent; /* the clock before it; LEVEL_ROOT: it is the root, or there is no way */
	bool reached;
};
/* Fills ways[clocks], the shortest ones. */
void level_paths(const struct level_shape *pairs, size_t n, uint32_t clocks,
		 const uint32_t *root_of, struct level_way *ways);

/* Messages from one clock to another one of its part: their slack. */
struct level_hop {
	uint32_t from, to;
	double slack;
};
/* room[clocks]: of the way from each clock's root and back along the hops, whose errors are
 * independent; of one pair it is half of the sum of both. Negative: there is no such way. */
void level_cycles(const struct level_hop *hops, size_t n, uint32_t clocks, const uint32_t *root_of,
		  double *room);
