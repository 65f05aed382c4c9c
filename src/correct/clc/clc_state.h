/* clc_state: what the files of the controlled logical clock share; tests look at the forward
 * result.
 *
 * A corrected time is the input time, an integer, plus a shift in ticks and parts of ticks, so that
 * no bit is lost where ticks are many. The column holds the sum to the nearest tick; the shift
 * itself goes on along the location. The integers satisfy the clock condition as they are: a
 * receive that is late enough for a sum is late enough for an integer, and the backward pass gives
 * each send at most the whole ticks that it has left. */
#pragma once

#include "base/vec.h"
#include "correct/clc/bounds.h"
#include "correct/clc/clc.h"
#include "correct/clocks/replay.h"

/* A location as far as the forward pass has come. */
struct clc_place {
	double shift;      /* of its last event */
	int64_t in;        /* its input time */
	int64_t out;       /* its corrected time */
	int64_t first_out; /* of its first event */
	bool begun;
	uint64_t violated, moved;
	int64_t max_move;
	uint32_t max_event;
	double max_shift;
};

/* A receive that was moved to where its senders allow it. */
struct clc_jump {
	uint32_t event;
	uint32_t location;
	double jump; /* ticks: by how much */
};

struct clc {
	struct trace *trace;
	const struct logical *logical;
	const struct lmin *lmin;
	enum time_base from;
	const struct progress *progress;
	struct err *err;
	struct bounds_nodes *nodes;
	double delta; /* ticks: least distance of two events of which the first was moved (A10) */
	double slope; /* of the backward ramp */
	const struct clc_gap *gaps;
	size_t n_gaps;
	/* One forward pass. */
	double gamma;
	struct clc_place *places;   /* [locations] */
	VEC(struct clc_jump) jumps; /* each location's in order */
	uint64_t violated[LOGICAL_CLASSES];
	uint64_t forced;
	double max_shift;
	/* The backward pass. */
	double max_slope;
	uint64_t moved_back; /* events that it moved and the forward pass did not */
};

void clc_init(struct clc *clc, struct trace *trace, const struct logical *logical,
	      enum time_base from, const struct lmin *lmin, const struct clc_options *options);
void clc_fini(struct clc *clc);
/* Writes the column of BASE_CLC (base_begin() is the caller's); again from the input where it is
 * called again (A6). False where progress dropped it or with err. */
bool clc_forward(struct clc *clc, double gamma);
/* 0..1: largest share that the last shift of a location has of its run (section 3.1). */
double clc_error_at_final(const struct clc *clc);
/* Raises what comes before each jump, in the column. */
bool clc_backward(struct clc *clc);

/* ---- clc_limits.c: how far the sends before jumps may go ---- */

struct clc_limit {
	uint32_t event;
	int64_t limit; /* ticks; INT64_MAX: no receiver */
};

/* The ramp before a jump. */
struct clc_ramp {
	uint32_t event;  /* the receive */
	uint32_t nth;    /* block of its location */
	int64_t receive; /* its corrected time */
	double jump;     /* ticks */
	double from;     /* ticks, not above -jump, relative to `receive`: where it begins */
	int64_t low;     /* nothing at or before this is touched by this or a later ramp */
};

struct clc_ramps {
	struct clc_ramp *ramps; /* by location, then in order */
	size_t *of;             /* [locations + 1] */
	VEC(struct clc_limit) limits;
	size_t *limits_of; /* [locations + 1] in `limits`, each location's in order */
};

bool clc_ramps_make(struct clc_ramps *ramps, struct clc *clc);
void clc_ramps_fini(struct clc_ramps *ramps);
