/* fit: clocks fitted to the messages: a straight line and a piecewise linear correction of each
 * clock, drawn to the middle of the room that messages and collectives in both directions leave,
 * then moved as a whole where offset records say better where it is (doc/references.md). Base
 * `fitted`, made of `measured`; clocks without messages in both directions follow `linear`.
 * Locations that share a clock (threads of a
 * process, ranks of one clock domain) share its correction. */
#pragma once

#include "correct/clocks/lmin.h"
#include "correct/clocks/logical.h"

enum { FIT_KNOTS = 64, FIT_WHY = 160 };

enum clock_state {
	CLOCK_REFERENCE,
	CLOCK_SHARED,    /* with the reference: nothing to correct */
	CLOCK_TWO_SIDED, /* bounded from both sides */
	CLOCK_ONE_SIDED,
	CLOCK_UNSEEN, /* no messages: only the offsets */
};

/* One clock. */
struct fit_clock {
	uint32_t location; /* its first one */
	uint32_t locations;
	enum clock_state state;
	uint64_t edges; /* logical messages that bound it */
	double offset;  /* ticks added at the run's begin, measured -> fitted */
	double drift;   /* 1: change of the correction per tick over the run */
	double shift;   /* ticks: largest |correction| beyond linear */
};

/* Which locations share a clock. */
struct clock_map {
	uint32_t n;         /* clocks; 0 is the reference */
	uint32_t *of;       /* [locations] */
	uint32_t *location; /* [n] whose offsets and times are the clock's */
};

/* A step of a clock: it was set between two of its events. */
struct fit_step {
	uint32_t location, locations; /* the clock's first one; how many it has */
	uint32_t round, group;        /* the same for clocks that were set at once */
	uint32_t partner;   /* location: only these two clocks can be compared, and it could be the
			     other one, the other way; UINT32_MAX: it is this one */
	uint32_t uncertain; /* events between `from` and `to` */
	int64_t at;         /* ticks, measured: of the first event after it */
	int64_t from, to;   /* ticks, measured: the events between which it can be */
	int64_t size, least, most; /* ticks: forward; bounds */
	/* ticks, measured: the trace's writer held back the times after a step back, which would
	 * decrease; events at this time are up to `size` too early. STEP_NOT_HELD: none are. */
	int64_t held;
};
#define STEP_NOT_HELD INT64_MIN

/* What decided between messages and offset records (level.h). */
struct fit_level {
	double kappa;     /* share of the messages' room that is one-sided; negative unknown */
	double eta;       /* records are wrong by so many half round trips; negative unknown */
	uint32_t loops;   /* ways around that could show asymmetry */
	uint64_t records; /* of clocks with two-way traffic: weighed against messages */
};

struct fit_report {
	bool done;
	char why[FIT_WHY];  /* a sentence: why not, or what was special; "" nothing to say */
	bool prealigned;    /* no offsets: aligned along a spanning tree */
	double first, step; /* ticks: place of the knots, in linear times (after pre-alignment) */
	uint32_t knots;     /* FIT_KNOTS, fewer where there are very many clocks */
	double sigma;       /* ns: 1 means straight lines were enough */
	uint64_t edges;     /* logical messages between clocks */
	uint64_t used;      /* of them in the active set of the last fit */
	uint64_t thinned;   /* left out because there are too many */
	uint64_t dropped;   /* left out as outliers */
	uint64_t reversed_before, reversed_after;
	struct fit_level level;
	double max_shift; /* ticks */
	double min_slack; /* ticks: smallest latency left by the fit, the most that the logical
			     clock uses as minimum latency */
	uint32_t n_clocks;
	struct fit_clock *clocks; /* [n_clocks] */
	uint32_t n_steps;
	struct fit_step *steps; /* [n_steps] taken out, by clock and time */
	struct clock_map map;   /* for who goes on with the times; not kept with the trace */
};

struct fit_options {
	bool without_records; /* offset records do not place clocks that messages in both
				 directions place (--presync messages) */
};

/* Makes BASE_FITTED of the trace, or says why not. False where progress dropped it or with err (no
 * memory). */
bool fit_run(struct fit_report *report, struct trace *trace, const struct logical *logical,
	     const struct fit_options *options, const struct progress *progress, struct err *err);
void fit_report_fini(struct fit_report *report);
/* The clocks of a base that is not fitted. */
void clock_map_make(struct clock_map *map, const struct trace *trace, enum time_base base);
void clock_map_fini(struct clock_map *map);
