/* analyses: the analyses of one open trace that views share: of the whole run by time base, and the
 * cubes of the windows that were looked at last. They are made when first wanted, in a thread of
 * their own, so that keys work meanwhile: first the wait states, which may then be shown
 * (analyses_peek(), analyses_wait_sums()), then their causes.
 *
 * Threads: one calls these functions. The background thread reads only made bases, events,
 * messages, collectives and definitions: another base, sums of profiles and shadings may be made
 * meanwhile.
 *
 * Ownership: borrows the trace and owns what it gives out. Analyses stay until analyses_free(),
 * which stops the thread and waits for it; a cube is good until another window is asked for (a few
 * are kept). */
#pragma once

#include "patterns/analysis/analysis.h"
#include "patterns/causes/causes.h"
#include "patterns/graph/graph.h"
#include "views/query/view.h"
#include "views/query/wait_sums.h"

struct analyses;

struct analyses *analyses_new(struct trace *trace, const struct analysis_options *options);
void analyses_free(struct analyses *analyses);
/* The options that were given; their texts are copies, owned by the analyses. */
const struct analysis_options *analyses_options(const struct analyses *analyses);
/* From now on iterations begin at visits of a region, or at marks, of this name (copied); NULL:
 * they are found. And the name, which lives as long as the analyses. For the thread that calls
 * analyses_free(). */
void analyses_iterate_by(struct analyses *analyses, const char *name);
const char *analyses_iterated_by(const struct analyses *analyses);
/* From now on the thread also makes the sums of waits, with these, and after the causes what only
 * efficiencies need (causes_ideal()): for callers that will ask for it. */
void analyses_ahead(struct analyses *analyses);

/* Analyses that take more memory, bytes, fail with a sentence, instead of ending the program: for
 * one that makes them without being asked. To be called before the first one is wanted. */
void analyses_limit(struct analyses *analyses, uint64_t max_mem);

/* Of the whole run in a made base, with its causes: waits for it. NULL with err, or untouched where
 * progress stopped the waiting: the thread goes on. */
struct analysis *analyses_get(struct analyses *analyses, enum time_base base,
			      const struct progress *progress, struct err *err);
/* The same in the query's base; true with NULL where it has no analyses. */
bool query_analysis(const struct query *query, struct analysis **analysis, struct err *err);
/* The analysis as far as it is there; NULL: not yet, and it is started. While analyses_causes() is
 * NULL only its wait states are valid. NULL also if `analyses` is NULL. */
struct analysis *analyses_peek(struct analyses *analyses, enum time_base base);
/* The same, but it is not started. */
struct analysis *analyses_look(struct analyses *analyses, enum time_base base);
/* Starts the analysis of a base, as far as what all views show first is not kept with the trace. */
void analyses_begin(struct analyses *analyses, enum time_base base);
/* True if the severities of a window are kept. */
bool analyses_cube_is_kept(const struct analyses *analyses, enum time_base base, int64_t t0,
			   int64_t t1);
/* True if the sums of the query's waits are there (analyses_wait_sums()) or can be made of its
 * analysis, which this waits for, or it has no analyses. */
bool query_wait_sums(const struct query *query, struct err *err);
/* The same for its causes, and for the sums of its wait states by time, which are made by the first
 * one that asks if they were not made ahead. */
const struct causes *analyses_causes(struct analyses *analyses, enum time_base base);
const struct wait_sums *analyses_wait_sums(struct analyses *analyses, enum time_base base);
/* The causes of a query's analysis as far as they are there; processes that share the trace all
 * call it, and have them made. */
const struct causes *query_causes(const struct query *query, struct analysis *analysis);
/* The sizes of events and statement records (graph_sizes()), which the thread makes after the
 * analyses once this has asked for them. `wait`: until they are there; false: not yet, or they
 * cannot be made. */
bool analyses_sizes(struct analyses *analyses, enum time_base base, bool wait,
		    const struct progress *progress, struct graph_sizes *sizes);
/* Hands over the program graph of the whole run, which was made for the sizes. NULL: not yet, or
 * taken already. */
struct graph *analyses_take_graph(struct analyses *analyses, enum time_base base);
/* The severities of a window, complete; those of the whole run are kept with the trace, and come
 * without an analysis then. NULL as analyses_get(). */
const struct cube *analyses_cube(struct analyses *analyses, enum time_base base, int64_t t0,
				 int64_t t1, const struct progress *progress, struct err *err);
/* The iterations of a base, owned here; kept as the severities are. Those of `level` begin
 * somewhere, and those of the one to show, which is also that of levels that there are not (below
 * 0, say). NULL as analyses_get(). */
const struct iterations *analyses_iterations(struct analyses *analyses, enum time_base base,
					     int level, const struct progress *progress,
					     struct err *err);
/* Those that are kept, where that level is the one to show; NULL: none. */
const struct iterations *analyses_iterations_kept(struct analyses *analyses, enum time_base base,
						  int level);
/* The critical path of a whole run, owned here: the one that is kept, or that of the causes as far
 * as they are there. NULL, with *n 0: not yet, and they are started. `kept`: that one alone. */
const struct path_stretch *analyses_critical_path(struct analyses *analyses, enum time_base base,
						  bool kept, size_t *n);
/* All grids of the trace (patterns/topology), owned here. Without an analysis of the base they are
 * made of messages. NULL with err. */
const struct grids *analyses_grids(struct analyses *analyses, enum time_base base, struct err *err);

/* Readable when a step of a started analysis has ended; analyses_told() empties it and is true
 * then. -1: the system gave no pipe. */
int analyses_fd(const struct analyses *analyses);
bool analyses_told(struct analyses *analyses);

/* How far the thread is. */
struct analyses_state {
	bool busy; /* something is wanted that is not there yet */
	enum time_base base;
	char what[48]; /* "looking for wait states" */
	uint64_t done, all;
	int64_t since; /* ns of CLOCK_MONOTONIC: when it began with this base */
};
struct analyses_state analyses_state(struct analyses *analyses);
/* True once for each analysis that failed in the background, with the reason in err. */
bool analyses_trouble(struct analyses *analyses, struct err *err);
