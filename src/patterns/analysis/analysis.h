/* analysis: what the events mean: all wait states of a run in one time base, and the severities of
 * any window of it (doc/references.md).
 *
 *	struct analysis *a = analysis_new(patterns, trace, base, &options, progress, &err);
 *	const struct wait *waits = analysis_waits(a, location, &n);
 *	struct cube *cube = analysis_cube(a, t0, t1, CUBE_ALL, progress, &err);
 *
 * analysis_new() walks the events once and goes over the collectives once. analysis_cube() walks
 * the events of the window once more for times, visits and counts, and adds the waits: the part of
 * each that is in the window. Costs (delay, critical path) are those of the waits in the window,
 * wherever their cause is.
 *
 * Errors: NULL with err; NULL with err untouched where progress dropped it. Threads: it only reads
 * the trace (made bases, events, messages, collectives, definitions), and once made any number may
 * read it. Ownership: borrows the trace. */
#pragma once

#include "base/progress.h"
#include "model/trace/trace.h"
#include "patterns/analysis/wait.h"
#include "patterns/severity/cube.h"

struct analysis;
struct grid; /* topology.h */
struct grids;
struct pattern; /* pattern.h */

struct analysis_options {
	const char *topology;  /* "4x4x2", "4x4,order=col,flip=y"; NULL: the trace's, else a guess.
				 Borrowed */
	const char *iteration; /* region or mark that iterations begin at; NULL: they are found.
				  Borrowed, as long as the analysis */
	int jobs;              /* threads at most, 0: as many as cores */
	uint64_t max_mem;      /* bytes that it may take in the background, 0: any */
};

/* `registry`: the patterns that it looks for, ending with NULL; borrowed, as is the trace. */
struct analysis *analysis_new(const struct pattern *const *registry, const struct trace *trace,
			      enum time_base base, const struct analysis_options *options,
			      const struct progress *progress, struct err *err);
void analysis_free(struct analysis *analysis);
const struct trace *analysis_trace(const struct analysis *analysis);
enum time_base analysis_base(const struct analysis *analysis);

/* The wait states of a location by their begin; for one that contains another (Wait at Barrier and
 * Completion do not) the longer first. */
const struct wait *analysis_waits(const struct analysis *analysis, uint32_t location, size_t *n);
/* The first wait state of a location that ends after t: an index into its list, which may be n. */
size_t analysis_wait_at(const struct analysis *analysis, uint32_t location, int64_t t);

/* Parts of a cube. */
enum cube_part {
	CUBE_TIMES = 1 << 0,  /* time, visits, counts, bytes */
	CUBE_WAITS = 1 << 1,  /* wait states */
	CUBE_CAUSES = 1 << 2, /* delay costs, classes of waits, critical path, performance impact */
	CUBE_BALANCE = 1 << 3, /* computational imbalance; needs CUBE_TIMES */
	CUBE_ALL = (1 << 4) - 1
};
/* Severities of the window [t0, t1) in the analysis' base (INT64_MIN, INT64_MAX: the whole run),
 * settled, the caller's. */
struct cube *analysis_cube(const struct analysis *analysis, int64_t t0, int64_t t1, unsigned parts,
			   const struct progress *progress, struct err *err);

/* Statistics over the instances of a metric (C10): exact. */
struct wait_statistics {
	uint64_t count;
	double sum, mean, variance;             /* ticks; variance of the population */
	int64_t min, lower, median, upper, max; /* quartiles: of sorted x[0..n-1] the linear
						   interpolation at (n-1)p, rounded */
};
/* Of the waits of each of n metrics, with their begin in [t0, t1), on chosen locations (NULL:
 * all). */
void analysis_statistics(const struct analysis *analysis, const enum cube_metric *metrics, size_t n,
			 const bool *chosen, int64_t t0, int64_t t1,
			 struct wait_statistics *statistics);

/* What was not analysed, for reports. */
struct analysis_counts {
	uint64_t violations; /* p2p: messages sent after they were received; per synchronising rank
				of groups: begin of the one waited for after the own end (C9) */
	uint64_t unmatched;  /* messages without their other end */
	uint64_t incomplete; /* collectives with members missing */
	uint64_t skipped;    /* of neighbours that are not known, rooted between two groups */
	uint64_t extended;   /* instances by the obvious extension of a formula */
};
const struct analysis_counts *analysis_counts(const struct analysis *analysis);

/* All grids of the trace (topology.h), and the one that the ranks form as far as that is certain
 * enough to be used unasked; NULL: none known. */
const struct grids *analysis_grids(const struct analysis *analysis);
const struct grid *analysis_grid(const struct analysis *analysis);
