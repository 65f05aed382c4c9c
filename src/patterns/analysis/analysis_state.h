/* analysis_state: what the files that make an analysis share: its stages and what they find. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/pattern.h"
#include "patterns/analysis/wait_parts.h"
#include "patterns/topology/topology.h"

enum { PATTERNS_MOST = 32, WAITS_CHUNK = 64, WAITS_COARSE = 32 };

/* Waits while they are found: they stay where they are, so that patterns may mark them later. */
struct wait_chunk {
	struct wait_chunk *before;
	uint32_t n;
	struct wait waits[WAITS_CHUNK];
};

/* An amount of a metric without instances. */
struct metric_mark {
	int64_t time; /* ticks */
	double amount;
	uint32_t path; /* canonical */
	uint32_t metric;
};

/* MPI_Init or MPI_Finalize of a location: the first that it left. */
struct world_call {
	uint32_t enter, leave; /* events, EVENT_NONE without */
	uint32_t path;
	bool there;
	int64_t en, lv;
};

/* What was found on a location. */
struct location_findings {
	struct wait_chunk *chunks; /* while it is made; the last one first */
	uint32_t n;
	struct wait *waits; /* [n] by begin, the longer first */
	bool nested; /* regions or untraced time inside calls of MPI, or waits outside of them */
	bool cut;    /* severities count `parts`, not the waits themselves */
	struct wait_parts parts;
	int64_t *latest; /* [n / WAITS_COARSE + 1] latest end of all up to that chunk's end */
	VEC(struct metric_mark) marks; /* by time */
	struct analysis_counts counts;
	struct world_call init, finalize;
};

/* Patterns that are told of something, in the order of the registry. */
struct listeners {
	uint8_t n, of[PATTERNS_MOST];
};

/* What a wait of one-sided communication is for, in another process. */
struct elsewhere {
	uint32_t location, event; /* of the wait */
	uint64_t number;          /* of the event that was waited for */
};

struct analysis {
	const struct trace *trace;
	enum time_base base;
	unsigned jobs;
	const char *iteration;                 /* borrowed; NULL: iterations are found */
	const struct pattern *const *registry; /* ends with NULL */
	struct calls *calls;
	struct grids grids;
	struct location_findings *places; /* [locations] */
	VEC(struct elsewhere) elsewhere;  /* by location, event */
	struct analysis_counts counts;
	/* Patterns that subscribe to a subject; to the events of a kind. */
	struct listeners subjects[SUBJECTS], events[EV_KINDS];
	unsigned n_patterns;
	char *local[PATTERNS_MOST]; /* [locations] states, NULL where a pattern has none */
	void *whole[PATTERNS_MOST];
	pthread_mutex_t lock; /* of `made` while it changes */
	void *made[PATTERNS_MOST];
};

/* Progress of a stage that several threads work at: worker 0 reports it, and learns that it is to
 * stop. */
struct stage {
	struct analysis *analysis;
	const struct progress *progress;
	const char *what;
	atomic_bool stopped;
};

/* Worker 0 of a stage calls it now and then; false: stop. */
bool stage_step(struct stage *stage, unsigned worker, size_t done, size_t all);

/* walk.c: the events of one location, published. False: stopped. */
bool walk_location(struct stage *stage, unsigned worker, uint32_t location);
/* group_stage.c: collectives, MPI_Init and MPI_Finalize, teams, published one at a time. */
bool group_stage(struct analysis *analysis, const struct progress *progress, struct err *err);
/* cube_window.c: times, visits, counts and bytes of a location's events in [t0, t1). */
struct window_sums;
struct window_sums *window_sums_new(const struct trace *trace);
void window_sums_free(struct window_sums *sums);
bool window_add(struct window_sums *sums, struct stage *stage, unsigned worker, struct cube *cube,
		uint32_t location, int64_t t0, int64_t t1);
