/* naming: from delay costs to names: which rank, and which function, made the others wait, and how:
 * it called it more often, it took longer, it was late once ...
 *
 * Costs alone name what is normal: where a run is balanced, whoever was last by chance has them. So
 * each rank is compared with the others, function by function and iteration by iteration
 * (patterns/iterations), and a cause is named only if it differs much; the rest has no name. Time
 * inside MPI is not named, unless the rank waits there or moves data.
 *
 * The rules and their thresholds: doc/patterns.md, "Causes with a name". How often they are right:
 * tests/causes. */
#pragma once

#include "patterns/causes/causes.h"

enum cause_kind {
#define X(id, name) CAUSE_##id,
#include "patterns/causes/cause_kind.def"
#undef X
	CAUSE_KINDS
};

/* Names of kinds in exports: tests/causes/README.md. */
const char *cause_kind_name(enum cause_kind kind);

/* Where the work is that makes a location late (stream_idle.h). */
enum cause_place {
	CAUSE_HERE,
	CAUSE_ON_STREAM, /* on another stream of its device */
	CAUSE_ON_HOST,   /* on its host, which launches late */
};

struct named_cause {
	uint32_t kind;     /* enum cause_kind */
	uint32_t location; /* UINT32_MAX: another one each time */
	uint32_t path;     /* without loops and the tool's regions (severity/plain_path.h) */
	uint32_t place;    /* enum cause_place */
	uint32_t first;    /* few iterations: the first one, from 1, of those that are compared; 0
			      before, n + 1 after all */
	uint32_t hits;     /* in how many */
	uint32_t every;    /* they are this far apart; 0: not regularly */
	uint32_t other; /* the location that it was compared with; UINT32_MAX: not a single one */
	uint32_t some;  /* 1: `others_calls` is 0, but some of the others call it */
	double cost;    /* ticks of waiting that are charged to it */
	double share;   /* of all waiting */
	/* Per iteration (per run without iterations), of the location and of the median of the
	 * others; few iterations and rotating: in those iterations. */
	double calls, others_calls;
	double time, others_time; /* ticks, without waiting */
	double bytes, others_bytes;
};

/* In what the time of a rank in a call path differs from the others': by `calls` and `time` of both
 * sides. */
enum cause_kind cause_kind_of_work(const struct named_cause *cause);
/* The same of a call that moves bytes itself, by `bytes`, too; CAUSE_KINDS: none that can be
 * named. */
enum cause_kind cause_kind_of_transfer(const struct named_cause *cause);
/* Whether a call of MPI moves the data itself: else its time is that of other ranks. */
bool cause_moves_bytes(const struct trace *trace, uint32_t path);

enum { CAUSES_NAMED = 8 };

struct cause_names {
	uint32_t n;
	uint32_t iterations; /* that ranks were compared in; 0: none were found */
	uint32_t before;     /* iterations of the run before these */
	uint32_t of_run;     /* all iterations of the run */
	uint32_t others;     /* call paths outside of MPI that are charged with something */
	uint32_t quiet;      /* 1: too little waiting to name anything */
	double waiting;      /* ticks, without MPI_Init and MPI_Finalize */
	double core;         /* ticks: time of all locations without these */
	double inside;       /* of `waiting`: charged to time inside MPI without a wait */
	struct named_cause of[CAUSES_NAMED]; /* the largest share first */
};

/* `cube`: severities of [t0, t1) with times, waits and causes. Zeroes what it does not set: two
 * results are the same if their bytes are. False: stopped. Where several processes share the trace,
 * all call it. */
bool cause_names_make(const struct causes *causes, const struct cube *cube, int64_t t0, int64_t t1,
		      const struct progress *progress, struct cause_names *names);
