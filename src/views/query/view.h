/* view: the query, and the views that compute a table or a picture from it. Views never touch a
 * terminal.
 *
 * The query is shared by all views: the trace, the time base, the window of time, the chosen
 * locations, the filter. Choose in one view, see it in all. */
#pragma once

#include "base/vec.h"
#include "model/filter/sequence.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"
#include "model/trace/trace.h"
#include "views/query/arrangement.h"
#include "views/query/colouring.h"
#include "views/query/table.h"
#include "views/query/text_role.h"

struct corrections;  /* correct/correct.h */
struct analyses;     /* views/query/analyses.h */
struct other;        /* views/query/second_trace.h */
struct graph;        /* patterns/graph/graph.h */
struct match_search; /* views/facts/match_search.h */
struct recent_facts; /* views/facts/recent_facts.h */

struct span {
	int64_t t0, t1;
};

/* The subject of an explanation, as far as it is known. */
struct explain_subject {
	uint32_t location;
	uint32_t wait;    /* of the location's list (analysis_waits), UINT32_MAX none */
	uint32_t enter;   /* event that begins the visit, EVENT_NONE none */
	uint32_t message; /* row, UINT32_MAX none */
};

/* The dimensions of rows of severities beside the metric; they are sums over the others. */
enum severity_by { SEVERITY_BY_ALL, SEVERITY_BY_METRIC, SEVERITY_BY_CALLPATH, SEVERITY_BY_RANK };

/* Options of exports only. */
struct query_export {
	bool by_rank, by_destination; /* rows, of tables that have both */
	unsigned compared_by;         /* enum delta_by: rows of the difference to the other trace */
	bool by_severity;             /* of two time bases, too: by metric, not by region */
	uint8_t severity_by;          /* enum severity_by: rows of patterns */
	/* The subject of explanations: with at_event the event; else `explain`, borrowed; NULL: the
	 * `worst` longest waits (0: EXPLAIN_WORST). */
	bool at_event;
	uint32_t event;
	const struct explain_subject *explain;
	uint32_t worst;
	bool by_level;         /* iterations: the levels */
	uint32_t level;        /* of iterations, from 1; 0: the one that is shown */
	uint32_t depth;        /* of the timeline: nesting levels; 0: innermost regions */
	bool waits_for_bounds; /* for lower and upper; the screen does not wait */
};

struct query {
	struct trace *trace; /* borrowed */
	enum time_base base; /* made */
	int64_t t0, t1;      /* window, ticks in that base: events with t0 <= t < t1; [INT64_MIN,
				INT64_MAX] is the whole run (its last instant included) */
	const struct filter *filter;     /* borrowed, NULL all */
	const struct sequence *sequence; /* that sequences are of, borrowed, NULL none */
	/* Of the sequence, borrowed: its matches as far as they are found; NULL, or of another
	 * base or filter: they are searched for (facts/match_search.h). */
	const struct match_search *found;
	const uint32_t *locations; /* chosen rows in display order, borrowed; NULL: all in the
					trace's order */
	uint32_t n_locations;
	struct query_export export;
	const struct corrections *corrections; /* of the trace, borrowed; NULL: not made */
	struct analyses *analyses; /* of the trace, borrowed; NULL: severities have no rows */
	struct other *other;       /* that the trace is compared with, borrowed; NULL: none */
	/* What patterns, topology and their exports show. CUBE_NONE: the view's own choice. */
	uint8_t metric;                        /* enum cube_metric */
	uint32_t callpath;                     /* canonical, UINT32_MAX: all */
	const struct arrangement *arrangement; /* of the timeline's rows, borrowed; NULL: each
						  location is one */
	const struct colouring *colouring;     /* of the timeline, borrowed; NULL: by class */
	/* Polled by long computations, borrowed; NULL: they cannot be cancelled. Discard the result
	 * of a computation that was stopped: NULL without an error, or a part. */
	const struct progress *progress;
	int width; /* columns of a screen or page for whose sentences are broken; 0: 80 */
	const char *source_path; /* --source-path: folders between colons, borrowed, NULL none */
	bool difference;         /* show what `base` did to the times of `against` */
	enum time_base against;  /* made; only with difference */
	bool critical_path;      /* show it in the timeline; only with analyses */
	/* Of a look before at the job that runs, borrowed; NULL: none. */
	const struct recent_facts *earlier;
};

static inline bool query_stopped(const struct query *query)
{
	return !progress_step(query->progress, "", 0, 0);
}

/* The chosen locations: count and the i-th. */
uint32_t query_location_count(const struct query *query);
uint32_t query_location(const struct query *query, uint32_t i);

/* The program graph of the query (patterns/graph/graph.h); the caller frees it. NULL with err, or
 * with err untouched if progress stopped it. */
struct graph *query_graph(const struct query *query, struct err *err);

/* ---- tables (views/tables); table_free() frees them; NULL with err, or untouched if stopped
 * ---- */

struct table *events_table_new(const struct query *query, struct err *err);
/* Each call of the window by its begin, walked; waits for the wait states. */
struct table *calls_table_new(const struct query *query, struct err *err);
/* Matches of the sequence, by begin; by_rank: their sums; without one there are no rows. */
struct table *sequences_table_new(const struct query *query, struct err *err);
struct table *messages_table_new(const struct query *query, struct err *err);
/* Between hosts and their accelerators (model/trace/copy.h). */
struct table *copies_table_new(const struct query *query, struct err *err);
struct table *collectives_table_new(const struct query *query, struct err *err);
struct table *profile_table_new(const struct query *query, struct err *err);
struct table *
callpaths_table_new(const struct query *query, uint32_t region,
		    struct err *err); /* call paths that end in a region; UINT32_MAX: all */
/* Samples (facts/sample_sums.h): by function, by source line; by_rank. */
struct table *samples_table_new(const struct query *query, struct err *err);
struct table *sample_lines_table_new(const struct query *query, struct err *err);
struct table *matrix_table_new(const struct query *query,
			       struct err *err); /* sender, receiver, messages, bytes, ... */
struct table *histograms_table_new(const struct query *query,
				   struct err *err); /* messages by size, by latency */
/* What locations do (facts/utilisation.h): busy, transfer, waiting, overhead; over time, as numbers
 * of locations; how long so many were busy at once; by location, as shares. */
struct table *utilisation_table_new(const struct query *query, struct err *err);
struct table *concurrency_table_new(const struct query *query, struct err *err);
struct table *utilisation_ranks_table_new(const struct query *query, struct err *err);
/* Messages that are sent and not yet received (facts/under_way.h), by receiving rank; and each
 * rank's over time. */
struct table *queues_table_new(const struct query *query, struct err *err);
struct table *queues_over_time_table_new(const struct query *query, struct err *err);
/* Difference analysis (paper 3): exclusive time by region (by_rank: and rank) in `against` and in
 * `base`, the difference, and its share of all differences, which add up to 1 without their signs.
 * The row "(none)" is the time outside all regions. A window is taken where its events are in
 * either base. */
struct table *difference_table_new(const struct query *query, struct err *err);
/* The same of two traces (query.other; without it there are no rows): severities by metric and, as
 * `by` says (enum delta_by), call path and place, before and now; largest difference of a metric
 * first. `query.metric`: of that one alone. */
struct table *compared_table_new(const struct query *query, unsigned by, struct err *err);
/* Severities (severity_rows.h): metric, callpath, rank, severity, unit; thread, path, file, line,
 * and lower and upper if those bases exist. */
struct table *patterns_table_new(const struct query *query, struct err *err);
/* Instances of wait states that begin in the window: of each kind how many and how long, and the
 * longest ones with place and partner. */
struct table *statistics_table_new(const struct query *query, struct err *err);
/* Where every location was when the trace ended with calls open (patterns/analysis/rollcall.h); no
 * rows if it ended without. For the whole trace. */
struct table *rollcall_table_new(const struct query *query, struct err *err);
/* The metric at each place of each grid: sizes, coordinates, rank, value; and as a picture,
 * appended to `out`. */
struct table *topology_table_new(const struct query *query, struct err *err);
bool topology_text(const struct query *query, int width, int height, bool ascii, struct str *out,
		   struct err *err);
/* Wait states one by one (view_waits.h). */
struct table *waits_table_new(const struct query *query, struct err *err);
/* Wait states, visits, messages in sentences (explaining.h), a line a row, each with the place that
 * it names. */
struct table *explain_table_new(const struct query *query, struct err *err);
/* The critical path, stretch by stretch: its location and call path, where it goes next and why.
 * Only the parts inside the window and on the chosen locations. */
struct table *causes_table_new(const struct query *query, struct err *err);
struct table *critical_path_table_new(const struct query *query, struct err *err);
/* What each location did in each iteration (facts/iteration_sums.h); by_level: the levels. */
struct table *iterations_table_new(const struct query *query, struct err *err);
/* The program graph: path, kind, name, file, line, count, times, and more; by_rank,
 * by_destination. */
struct table *graph_table_new(const struct query *query, struct err *err);
/* Rules that leave out probes which cost too much (facts/probe_rules.h); and as the file that tvcc
 * and tvrun read, appended to `out`. */
struct table *rules_table_new(const struct query *query, struct err *err);
bool rules_text(const struct query *query, struct str *out, struct err *err);
struct table *findings_table_new(const struct query *query, struct err *err);
struct table *definitions_table_new(const struct query *query,
				    struct err *err); /* sizes, properties, locations, ... */

/* Corrections (query.corrections; without any the first table has rows without values, the others
 * have no rows): keys and values, and the same for the screen, under headings; the clock condition
 * by base and class; pairs of locations that violate it; clocks; the largest moves of the logical
 * clock, by location; overhead by location, by region. */
struct table *corrections_table_new(const struct query *query, struct err *err);
struct table *corrections_summary_new(const struct query *query, struct err *err);
struct table *corrections_classes_new(const struct query *query, struct err *err);
struct table *corrections_pairs_new(const struct query *query, struct err *err);
struct table *corrections_clocks_new(const struct query *query, struct err *err);
struct table *corrections_moves_new(const struct query *query, struct err *err);
struct table *corrections_overhead_new(const struct query *query, struct err *err);
struct table *corrections_regions_new(const struct query *query, struct err *err);

/* Lines of the program's sources by their costs, largest first, with their text if it is found;
 * sources are searched with query.source_path (source_find.h). */
struct table *lines_table_new(const struct query *query, struct err *err);

/* Handle of the row that shows an event, or ROW_NONE (filtered out). */
uint64_t events_table_row(struct table *table, uint32_t event);

/* ---- overview: the report on one screen ---- */

/* What a sentence is about, for the view that it points to. */
struct line_subject {
	bool is;                             /* false: nothing in particular */
	uint8_t metric;                      /* enum cube_metric, CUBE_NONE */
	uint32_t region, callpath, location; /* UINT32_MAX none */
};

struct overview_line {
	char *text; /* clean */
	enum text_role role;
	const char *view; /* name of the view it points to, NULL none */
	double share;     /* 0..1 drawn as a bar; negative: none */
	struct line_subject about;
};
struct overview {
	VEC(struct overview_line) lines;
	bool searching; /* for wait states and their causes */
};
void overview_fini(struct overview *overview);
/* `wait`: until the wait states and their causes are known; else it may say that the search goes
 * on. */
void overview_make(struct overview *overview, const struct query *query, bool wait);
/* The same as a table of text, share, view. */
struct table *overview_table_new(const struct query *query, struct err *err);
