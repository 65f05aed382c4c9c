/* fit_state: what the files of the fit share. The method, its constants and what they were measured
 * on: doc/references.md.
 *
 * All times here are doubles in nanoseconds from a common zero (the begin of the run in the base
 * that is fitted), after the clock's line. A correction d_c(t) of clock c is piecewise linear over
 * knots that all clocks share; clock 0 is the reference, and its correction is 0 everywhere.
 *
 *	clocks_make -> edges_collect -> align_run -> edges_collect -> choose_run -> level_run ->
 *	apply_run
 *
 * Of several processes each has the edges that touch its clocks (fit_share.h), and solves for
 * these. What one has of a clock is found by its slot once edges are collected; before, and in what
 * is said of all clocks, by the clock. */
#pragma once

#include "base/vec.h"
#include "correct/fit/fit.h"
#include "correct/fit/fit_share.h"
#include "correct/fit/step_find.h"

/* ---- fit_clocks.c: which locations share a clock ---- */

/* A clock's time: offset + (1 + drift) * (t - base) * ns per tick. */
struct clock_line {
	int64_t base;         /* ticks: its first event */
	double offset, drift; /* ns; 1 */
};

struct fit_found;
struct ties;

struct clocks {
	uint32_t n;              /* clock 0 is the reference */
	uint32_t *of;            /* [locations] */
	uint32_t *location;      /* [n] first location of each */
	uint32_t *locations;     /* [n] how many */
	struct clock_line *line; /* [n] */
	int64_t origin;          /* ticks: the common zero */
	double length;           /* ns: longest life of a clock, first to last event */
	double ns;               /* of a tick */
	enum time_base base;     /* that is fitted: linear, measured without offsets */
	const struct trace *trace;
	uint32_t *records; /* [n] offsets that were measured */
	/* [n] its line is against its measured times, not against those of the base: messages in
	 * both directions say more than offsets. */
	bool *plain;
	double *rate;       /* [n] of the base's times against measured ones, over its life */
	int64_t *first;     /* [n] ticks: its first event, measured, without steps */
	uint32_t processes; /* how many clocks there would be if processes shared none */
	bool large;         /* a group had more than GROUP_FULL parties */
	/* Corrections found so far, that tell who comes last in a large group; NULL none. */
	const struct fit_found *guess;
	bool measured;       /* every clock has two or more offsets: its rate is known, too */
	const int64_t *tied; /* [locations] ties.leader, or NULL */
	const struct clock_steps *steps; /* taken out of measured times and offsets; NULL: none */
};

/* ---- fit_tie.c: ranks of a node that share a clock although offsets were measured ---- */

#define NOT_TIED INT64_C(-1)
enum { CLOCKS_MANY = 16 };

struct ties {
	int64_t *leader;   /* [locations] whose offsets hold for its measured times, NOT_TIED: its
			      own; NULL: none is tied */
	uint32_t nodes;    /* whose ranks are tied */
	uint64_t reversed; /* messages between them in the interpolated times */
	double noise;      /* ns: the largest offset measured between them, which is noise */
	double least;      /* ns: the fastest message between them; INFINITY none */
};

/* Two passes over all messages if a node has several clocks. False: dropped. */
bool ties_find(struct ties *ties, const struct trace *trace, const struct logical *logical,
	       enum time_base base, const struct progress *progress);
void ties_fini(struct ties *ties);

/* Threads have the clock of their process; processes whose recorded offsets are all 0 that of the
 * reference on the same node; processes with the same offsets at the same times one clock; so have
 * those that are tied (borrowed; NULL: none). */
void clocks_make(struct clocks *clocks, const struct trace *trace, enum time_base base,
		 const struct ties *ties);
void clocks_fini(struct clocks *clocks);
void clocks_map(struct clock_map *map, const struct clocks *clocks);
double clocks_time(const struct clocks *clocks, uint32_t clock, int64_t ticks);
/* Takes steps out from now on (borrowed). */
void clocks_use_steps(struct clocks *clocks, const struct clock_steps *steps);
/* The lines: from each clock's first event on, without drift. */
void clocks_set_lines(struct clocks *clocks);
/* From now on a clock's line, which is the same as before, is against its measured times. */
void clocks_use_measured(struct clocks *clocks, uint32_t clock);
/* True if the location's offsets are not used: it is tied to another one's clock. */
bool clocks_follow(const struct clocks *clocks, uint32_t location);
/* True if the line of a clock is that of its offsets: of very many clocks. */
static inline bool clocks_keep_records(const struct clocks *clocks, uint32_t clock)
{
	return clocks->n > CLOCKS_MANY && clocks->records[clock] > 1;
}
/* Where an offset record was measured: the clock's time, and the reference's (ns). */
double clocks_record_time(const struct clocks *clocks, const struct offset *o);
double clocks_record_goal(const struct clocks *clocks, const struct offset *o);
/* What a clock's line differs from the interpolated offsets by at its time t: ns to add. */
double clocks_to_base(const struct clocks *clocks, uint32_t clock, double t);
/* ns a ns: of the clock's line against its measured times. */
double clocks_slope(const struct clocks *clocks, uint32_t clock);
/* An offset record, without steps. */
const struct offset *clocks_offset(const struct clocks *clocks, size_t i);
/* The base from which clocks_convert() makes a location's times: the one that is fitted, but the
 * measured times of a tied location, which has its leader's clock, and where there are steps. */
enum time_base clocks_source(const struct clocks *clocks, uint32_t location);
int64_t clocks_convert(const struct clocks *clocks, uint32_t location, int64_t time);
/* An event's time, converted. */
int64_t clocks_ticks(const struct clocks *clocks, uint32_t location, uint32_t event);

/* ---- fit_edges.c, fit_keep.c: what bounds the differences of clocks (3.1) ---- */

/* A logical message between two clocks. */
struct fit_edge {
	double send, recv; /* ns, each on its own clock */
	uint32_t from, to; /* clocks */
	uint64_t bound;    /* 1: of MPI_Init or MPI_Finalize, whose waits say nothing of
			      the middle: it only must not be reversed */
};

enum edge_flag {
	/* Halves of the edges, at random, for the hold-out. Those of MPI_Init and MPI_Finalize that
	 * are far from all messages, where nothing would predict them, are in both. */
	EDGE_ODD = 1,
	EDGE_EVEN = 32,
	EDGE_DROPPED = 2,   /* an outlier */
	EDGE_ACTIVE = 4,    /* in the active set */
	EDGE_TWO_SIDED = 8, /* messages lead back, perhaps through others (3.3) */
	/* Of MPI_Init or MPI_Finalize, between clocks that messages hold on both sides: it says
	 * where they are and nothing of how they run, and counts when levels are known. */
	EDGE_LATER = 16,
	EDGE_LEFT_OUT = EDGE_DROPPED | EDGE_LATER,
};

/* Where there are more edges than `limit`, only the tightest of each pair of clocks and interval of
 * time is kept: memory grows with the pairs that exchange messages, not with the messages. The run
 * has 512, 256 or 128 intervals, the most of them that leave at most half of the limit. */
struct fit_edges {
	struct fit_edge *data; /* once collected by from, to, recv */
	uint8_t *flags;        /* [n] */
	size_t n, cap, limit;
	size_t room;             /* above the limit where the fewest intervals leave more */
	uint64_t kept;           /* of all processes; those of two have each a copy */
	uint64_t seen, reversed; /* all that came, of them with recv < send */
	uint64_t *of_clock;      /* [clocks]; once collected of the own ones [own] */
	bool *met;               /* [clocks] this process adds edges of them */
	double *begin;           /* [clocks] ns: first event; NULL once collected */
	double length;           /* ns: of the longest life */
	uint32_t intervals;      /* parts of that length: a pair keeps one edge in each */
	uint32_t clocks;         /* of all processes */
	uint32_t *part;          /* [clocks] strongly connected part; once collected */
};

enum { EDGES_LIMIT = 1 << 17, GROUP_FULL = 32, JOINED_BY = 3 };

typedef void (*edge_use)(void *context, const struct fit_edge *edge);
/* Calls `use` for every logical message between two clocks, in one of the processes that share the
 * trace; of groups of more than GROUP_FULL
 * parties those with the last ones to begin and the first ones to end, O(n), which nearly imply the
 * others (3 (n - 1) edges imply all of them; but clocks are not known yet, and with some of each
 * the error of 64 ranks that only meet in collectives is a quarter less). False: dropped. */
bool edges_each(struct clocks *clocks, const struct logical *logical,
		const struct progress *progress, edge_use use, void *context);
void edges_init(struct fit_edges *edges, const struct clocks *clocks, size_t limit);
void edges_fini(struct fit_edges *edges);
/* Sorts them by from, to, recv, send. */
void edges_order(struct fit_edges *edges);
/* Of sorted edges, the first one after i of another pair of clocks. */
static inline size_t edges_pair_end(const struct fit_edges *edges, size_t i)
{
	const struct fit_edge *e = &edges->data[i];

	while (i < edges->n && edges->data[i].from == e->from && edges->data[i].to == e->to)
		i++;
	return i;
}
/* Each edge is counted in the process that has its sender's clock. */
static inline bool edges_counts(const struct fit_share *share, const struct fit_edge *edge)
{
	return edge->from < share->own;
}
/* In any order: the same edges give the same result. */
void edges_add(struct fit_edges *edges, const struct fit_edge *edge);
/* When all are in: gives each process those that touch its clocks, of the edges that would be kept
 * if one had all; sorts them, sets the halves and EDGE_TWO_SIDED, and numbers clocks by slot. All
 * processes call it. */
void edges_settle(struct fit_edges *edges, struct fit_share *share);
/* The last part of it: edges between clocks, in the processes that have the senders, go to both. */
void edges_spread(struct fit_edges *edges, struct fit_share *share);
/* edges_each() into edges_add(), and edges_settle(). */
bool edges_collect(struct fit_edges *edges, struct fit_share *share, struct clocks *clocks,
		   const struct logical *logical, const struct progress *progress);

/* ---- fit_model.c: the function that is minimised (3.2) ---- */

/* What phi and its derivatives are at a slack. */
struct penalty {
	double value, slope, curve;
};
/* An edge is called reversed below this: less is rounding (ns). */
#define REVERSED_BELOW (-50.0)
struct penalty penalty_two_sided(double slack);
struct penalty penalty_one_sided(double slack);

/* A place between two knots of a clock: (1 - a) x[at] + a x[at + 1]. */
struct clock_place {
	uint32_t at;
	float a;
};

/* A place where a correction is held near a value, within about `limit` (a parabola). */
struct clock_anchor {
	struct clock_place place;
	double limit, expected; /* ns */
};

/* Clocks run within RATE_USUAL of each other: what the last correction is expected to be above the
 * first one. */
struct clock_rate {
	uint32_t clock;
	double expected; /* ns */
};
#define RATE_USUAL 1e-4

struct term {
	double latency; /* ns: recv - send */
	struct clock_place recv, send;
	bool two_sided;
};

/* Of the own clocks; terms and vectors reach the guests, too. */
struct model {
	uint32_t clocks, knots;
	uint32_t held;      /* 1: the first one is the reference; 0: another process has it */
	double first, step; /* ns: the knots */
	double sigma;       /* ns */
	VEC(struct clock_anchor) anchors;
	VEC(struct clock_rate) rates;
	double rate;        /* within which they are expected */
	VEC(double) base;   /* [clocks * knots] the corrections that would interpolate offsets */
	const double *from; /* corrections that are there already: latencies have them in, and
			       no term is two-sided; NULL: none */
	VEC(struct term) terms; /* the active set */
};

void model_init(struct model *model, const struct fit_share *share, uint32_t knots, double first,
		double last);
void model_fini(struct model *model);
struct clock_place model_place(const struct model *model, uint32_t clock, double t);
static inline double place_value(struct clock_place place, const double *x)
{
	return x[place.at] + (double)place.a * (x[place.at + 1] - x[place.at]);
}
struct term model_term(const struct model *model, const struct fit_edge *edge, bool two_sided);
static inline double term_slack(const struct term *term, const double *x)
{
	return term->latency + place_value(term->recv, x) - place_value(term->send, x);
}
/* What each clock adds to the function, of[clocks]: its own part, and terms that it receives. */
void model_values(const struct model *model, const double *x, double *of);
/* Curvatures of the robust parts at a point: [terms]. */
struct curves {
	double *terms;
};
/* Gradient g[clocks * knots]; fills the curvatures. What belongs to the reference is 0. */
void model_gradient(const struct model *model, const double *x, double *g, struct curves *curves);
/* out = M v with the Hessian M at the curvatures' point. */
void model_multiply(const struct model *model, const struct curves *curves, const double *v,
		    double *out);
/* M's blocks of each clock: diagonal and two bands below it, band[i] couples i and i - 1, i - 2. */
void model_blocks(const struct model *model, const struct curves *curves, double *diagonal,
		  double *band1, double *band2);

/* ---- fit_solve.c: Newton's method (3.6) and the active set (3.4) ---- */

struct solver {
	struct fit_share *share;
	double *g, *r, *q;                /* [n], all vectors in one piece from g on */
	double *diagonal, *band1, *band2; /* [n] factors of the preconditioner */
	double *dx, *z, *p, *trial;       /* [all] */
	double *of;                       /* [clocks] parts of a sum */
	struct share_plan reached;        /* values of guests that the terms reach */
	size_t n_reached;
	struct curves curves;
	size_t n, all;       /* values of the own clocks, and with guests */
	size_t terms;        /* room in the curves */
	uint64_t newton, cg; /* steps made, for those who measure */
};

/* Borrows the share. Vectors x have solver->all values; those of guests are other processes'. */
void solver_init(struct solver *solver, struct fit_share *share, uint32_t knots);
void solver_fini(struct solver *solver);
/* Factors the bands in place, and solves with them: z = (L D L')^-1 r, blocks of `knots`. */
void bands_factor(double *diagonal, double *band1, double *band2, size_t n, uint32_t knots);
void bands_solve(const double *diagonal, const double *band1, const double *band2, size_t n,
		 uint32_t knots, const double *r, double *z);
/* Minimises from x; false: dropped. */
bool solver_minimise(struct solver *solver, const struct model *model, double *x,
		     const struct progress *progress);
/* Fits with the edges that have none of the flags `without` and all of `with`: selects the active
 * set, minimises, selects more. */
bool solver_fit(struct solver *solver, struct model *model, struct fit_edges *edges, uint8_t with,
		uint8_t without, double *x, const struct progress *progress);

/* ---- fit_choose.c, fit_hold.c, fit_sample.c: how much clocks may bend (3.5) ---- */

/* Second difference per knot, ns, that clocks may have: 1, 4, ..., 16384 with 64 knots. */
enum { FIT_SIGMAS = 8 };
double choose_sigma(const struct model *model, int i);

struct fit_choice {
	double sigma;         /* ns, of 64 knots */
	uint64_t dropped;     /* outliers */
	double score, linear; /* us: unseen violations by this sigma, and by interpolated offsets;
				 negative: no hold-out was needed */
};

/* A sample of at most n clocks around the reference, and of the edges between them: how much clocks
 * bend has the same answer there. Fills a new model, new edges, whose clocks are renumbered, and
 * a new share. O(n clocks + edges). */
enum { SAMPLE_CLOCKS = 64 };
void sample_make(const struct model *model, const struct fit_edges *edges,
		 const struct fit_share *share, uint32_t n, struct model *model_out,
		 struct fit_edges *edges_out, struct fit_share *share_out);

/* Which sigma from `first` on predicts unseen messages best, of a sample where there are many
 * clocks: the straightest one that is not worse by more than luck. Fills the choice's scores, and
 * those of each sigma. Negative: dropped. */
int hold_out(struct fit_choice *choice, const struct fit_share *share, const struct model *model,
	     const struct fit_edges *edges, int first, double scores[FIT_SIGMAS],
	     const struct progress *progress);

/* The fit of all: x[solver->all] comes in as zeros. Where one process solves, it alone has the
 * choice. False: dropped. */
bool choose_run(struct fit_choice *choice, struct solver *solver, struct model *model,
		struct fit_edges *edges, double *x, const struct progress *progress);

/* Fits the same clocks to other edges, starting from x. */
bool choose_again(struct fit_choice *choice, struct solver *solver, struct model *model,
		  struct fit_edges *edges, double *x, const struct progress *progress);

/* ---- fit_line.c: one line from messages ---- */

/* One message's bound: offset + drift * local is above (or below) it. */
struct line_bound {
	double local, bound;
};

struct line_room {
	VEC(struct line_bound) low, high;
	double middle;  /* mean of local */
	double rate;    /* of local times against measured ones */
	bool exchanged; /* MPI_Init and MPI_Finalize never count; else if there are no messages */
	bool measured;  /* its rate is; bounds from one side say no more */
};

void line_room_fini(struct line_room *room);
/* Sets is[child] by its messages with `parent`, which has its line; was: the lines that the edges
 * have. Fills the bounds; the other fields are the caller's. */
void line_between(struct line_room *room, const struct fit_edges *edges,
		  const struct clock_line *was, struct clock_line *is, uint32_t parent,
		  uint32_t child);

/* ---- fit_align.c: lines from messages ---- */

/* Sets the clocks' lines along a spanning forest of the strongest traffic, each line in the middle
 * of the room that a pair's messages leave, and against measured times: within each strongly
 * connected part, whose root keeps the line of its offsets; a part without any is joined by what
 * leads to it. stays[c]: the clock is the first of an island without offsets. */
void align_run(struct clocks *clocks, const struct fit_edges *edges, const struct fit_share *share,
	       bool *stays);
/* The root of each part [clocks]: the reference, else the first of the clocks with most offsets
 * (of which two count). */
uint32_t *align_roots(const struct clocks *clocks, const uint32_t *part);

/* ---- fit_found.c: the corrections that a process needs ---- */

/* Of its own locations' clocks, and of those that it adds edges of. */
struct fit_found {
	const struct model *model;
	const double *x; /* rows of knots */
	uint32_t *at;    /* [clocks] row of each clock; NULL: its number, or slot */
	double *asked;   /* the rows, if others said them */
};

void found_make(struct fit_found *found, const struct clocks *clocks, const struct fit_edges *edges,
		const struct fit_share *share, const struct model *model, const double *x);
void found_fini(struct fit_found *found);
/* Correction of a clock at a time, after the last knots along the overall slope. */
double found_correction(const struct fit_found *found, uint32_t clock, double t);

/* ---- fit_anchors.c: what holds clocks beside edges ---- */

/* Anchors: where offsets were measured of clocks without two-way traffic, the correction is about
 * 0. */
void anchors_of_offsets(struct model *model, const struct clocks *clocks,
			const struct fit_edges *edges, const struct fit_share *share);
/* Limits how far a line may turn, however few messages hold it (a run of a millisecond after an
 * MPI_Init of seconds); the first clock of an island without offsets stays where it is:
 * stays[c]. */
void anchors_of_lines(struct model *model, const struct clocks *clocks,
		      const struct fit_share *share, const bool *stays);
/* Holds each knot at 0, softly: clocks change as little as will do. */
void anchors_of_all(struct model *model);

/* ---- fit_least.c ---- */

/* Where messages cannot tell (the middle of their room is far from offset records for nothing that
 * they demand): x becomes the least change of interpolated offsets after which no message is
 * reversed, or of bent clocks a place near it, and *is true. All processes call it. False:
 * dropped. */
bool least_run(struct solver *solver, struct model *model, struct fit_edges *edges,
	       const struct clocks *clocks, struct fit_share *share, double *x, bool *is,
	       const struct progress *progress);

/* ---- fit_repair.c ---- */

/* The least change after which no message is reversed, added to x; false: dropped. */
bool repair_run(struct solver *solver, const struct model *model, struct fit_edges *edges,
		const struct fit_share *share, double *x, const struct progress *progress);

/* ---- fit_level.c: records or messages ---- */

/* Sets EDGE_LATER; false: nowhere. All processes call it. */
bool level_find_later(struct fit_edges *edges, const struct clocks *clocks, struct fit_share *share,
		      const struct model *model, const double *x);
/* Moves and turns clocks whose messages' middle the offset records contradict with reason. x: of
 * the model, with guests. False: dropped. */
bool level_run(struct fit_level *level, struct solver *solver, struct model *model,
	       struct fit_edges *edges, const struct clocks *clocks, struct fit_share *share,
	       double *x, const struct progress *progress);

/* ---- fit_apply.c: the column (3.7) ---- */

/* True where no clock's rate changes by half or more. */
bool apply_is_sane(const struct model *model, const double *x);
bool apply_run(struct trace *trace, const struct clocks *clocks, const struct fit_found *found,
	       const struct progress *progress, struct err *err);

/* ---- fit_report.c ---- */

/* Rows of the clocks: states, edges; then, with a fit, the smallest slack and what is still
 * reversed (false: dropped); then, with the column, offsets and drifts. All processes have all
 * rows. */
void report_clocks(struct fit_report *report, const struct clocks *clocks,
		   const struct fit_edges *edges, const struct fit_share *share);
bool report_edges(struct fit_report *report, struct clocks *clocks, const struct fit_edges *edges,
		  const struct fit_share *share, const struct fit_found *found, const double *x,
		  const struct logical *logical, const struct progress *progress);
void report_fit(struct fit_report *report, const struct clocks *clocks,
		const struct fit_share *share, const struct model *model, const double *x);

/* Reports progress; false only if the result is no longer wanted. */
static inline bool fit_goes_on(const struct progress *progress, uint64_t done, uint64_t all)
{
	return progress_wanted(progress, "fitting clocks", done, all);
}
