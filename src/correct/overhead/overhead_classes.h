/* overhead_classes: what a function's record costs at its place, estimated from segments whose
 * probes were left out at random (doc/references.md).
 *
 * A segment is what a location does between two MPI calls; its class is (location, call site
 * before, call site after). With x1 and x0 the mean durations of segments with and without probes,
 * each without its longest 2 %, and n the mean records of one with probes:
 *
 *	O = (x1 - x0) / n,  se = sqrt(s1^2 + s0^2) / n
 *
 * A class is known by itself with >= 20 segments with and >= 8 without probes and n >= 20; else,
 * beyond the specification, it takes the cost of the same class of all locations, and then of all
 * classes. An estimate is drawn towards that of the others, and theirs towards what loops measured
 * when the run began and ended (cost_uncalibrated()), the more the larger its error is.
 *
 * In traces with gaps (capture/lib/gaps.h) all records are there, and O is fitted to the segments
 * around the gaps of a class (overhead_fit.h): known by itself where that gives a result, however
 * uncertain. A class that is not known has the error of the others, and what classes differ by
 * (tau, a quarter of the cost). Where there were blank
 * gaps, O is what a record costs more than a probe that does nothing, else more than a note; what
 * these cost themselves was measured when the run began, and is beside it (overhead_cost.h).
 *
 * Segments in which no function was called belong to a class, too. If all others of the class are
 * much longer, empty segments without probes are recognised by their length, and all empty ones
 * are left out: they would only add noise. */
#pragma once

#include <stdbool.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "correct/overhead/overhead_cost.h"
#include "correct/overhead/overhead_fit.h"
#include "correct/overhead/overhead_outliers.h"

enum {
	CLASS_ON_LEAST = 20,
	CLASS_SKIP_LEAST = 8,
	CLASS_RECORDS_LEAST = 20,
	CLASS_AROUND = 3, /* segments on either side of a gap that it is compared with */
};

struct segment {
	uint32_t location;
	uint32_t before, after; /* call sites of the MPI calls */
	bool skipped;           /* without probes */
	double duration;        /* ticks */
	uint32_t records;       /* of functions in it */
	bool gap;               /* of only `read` of them the clock was read */
	uint32_t read;
	bool blank; /* nor was it noted that there were any */
};

/* Cost of a function's record: what segments show, and what the probes of those that they were
 * compared with cost themselves. */
struct record_cost {
	double cost, error; /* ticks; standard error */
	double note;        /* of that: a note's in a gap */
	struct cost_range beside;
	struct outliers outliers;
	bool own; /* the class's own samples were enough */
};

struct segment_class {
	struct spread on, skip;
	struct spread empty;                     /* with probes, but nothing called */
	struct spread rates;                     /* ticks a record of `on`, by their ticks */
	VEC(struct fit_segment) around;          /* gaps, and what is near to them */
	struct fit_segment latest[CLASS_AROUND]; /* by number */
	uint64_t number, gap;                    /* of segments; of the latest gap, from 1 on */
	uint32_t location, pool;                 /* pool: the same class of all locations */
	struct record_cost cost;
};

/* Sums over classes, in any order. */
struct class_sum {
	fixed cost;    /* of N (x1 - x0), with the costs beside it */
	fixed error2;  /* of N^2 (s1^2 + s0^2) */
	fixed records; /* of N n */
	fixed blank;   /* of these, in classes with blank gaps */
	fixed notes;   /* what notes of so many would cost */
	uint64_t on, skip, gaps;
};

/* The same class of all locations. */
struct class_pool {
	uint32_t before, after;
	struct class_sum sum;
};

struct overhead_classes {
	struct keymap map, pool_map;
	VEC(struct segment_class) list;
	VEC(struct class_pool) pools;
	struct class_sum sum;
	struct record_cost all; /* O_all; valid where `sampled` */
	bool sampled;           /* there were enough samples */
	uint32_t own;           /* classes with enough samples of their own */
	double lowest, highest; /* ticks: range of `own` classes' costs with what is beside them, of
				   `all` without any */
	uint64_t segments, skipped;
};

void classes_add(struct overhead_classes *classes, const struct segment *segment);
/* Works the costs out, once all segments are in. `x`: of processes that each have some of the
 * locations; all call it. `own`, `lowest` and `highest` are those of all. */
void classes_finish(struct overhead_classes *classes, const struct overhead_cost *cost,
		    struct exchange *x);
/* The cost of a class; that of all where it has no samples. */
const struct record_cost *classes_cost(const struct overhead_classes *classes, uint32_t location,
				       uint32_t before, uint32_t after);
void classes_fini(struct overhead_classes *classes);
