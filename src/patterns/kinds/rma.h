/* rma: one-sided communication (doc/references.md): the records of each window, and the patterns
 * that are found in them: calls that all ranks of a window make (create, free, fence), epochs
 * (post, start, complete, wait), and locks.
 *
 * The records are gathered when the walk has ended, since all of it is about others: what it costs
 * is O(r log r) in the records of a window, and 64 bytes for each of them. Single-threaded.
 *
 * "Wait for Progress" is left out: no record tells whether a target had to enter MPI for an
 * operation to go on, and that it happened to enter it meanwhile says nothing. */
#pragma once

#include "base/vec.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/pattern.h"

enum rma_kind {
	RMA_OTHER,
	RMA_CREATE,
	RMA_FREE,
	RMA_FENCE,
	RMA_POST,
	RMA_START,
	RMA_COMPLETE,
	RMA_WAIT,
	RMA_OPERATION, /* put, get, atomic */
	RMA_COMPLETED, /* an operation, at its target */
	RMA_LOCK,
	RMA_UNLOCK,
};

struct rma_record {
	uint8_t kind;   /* enum rma_kind */
	bool exclusive; /* RMA_LOCK */
	uint32_t window, location;
	uint32_t event;
	uint32_t path;   /* canonical: of the call */
	int32_t rank;    /* of the location */
	int32_t remote;  /* world rank: RMA_OPERATION to RMA_UNLOCK */
	uint32_t group;  /* object: RMA_POST, RMA_START, RMA_COMPLETE, RMA_WAIT */
	uint32_t epoch;  /* index of the next fence, or its own index */
	int64_t time;    /* of the record */
	int64_t begin;   /* of the operation: RMA_COLLECTIVE_BEGIN, else the enter of the call */
	int64_t en, lv;  /* of the call */
	uint64_t number; /* of the event, in all processes; 0 where one has the whole trace */
};

typedef VEC(struct rma_record) rma_records;

/* A wait, or pairs that a call brought together. Plain data. */
struct rma_result {
	uint32_t window, location;
	struct wait wait;          /* of pairs: no length; the path, and the time as its begin */
	uint32_t partner_location; /* UINT32_MAX: unknown */
	uint64_t partner_number;
	uint32_t pairs, used; /* where the wait has no length */
};

typedef VEC(struct rma_result) rma_results;

/* Records of one window, by location, then in their order. */
struct rma_window {
	struct analysis *analysis;
	const struct trace *trace;
	const struct rma_record *records;
	uint32_t n;
	uint32_t size;        /* ranks of its communicator, 0 unknown */
	rma_results *results; /* what is found, for other processes; NULL: it is for this one */
};

void rma_collectives(const struct rma_window *window);
void rma_epochs(const struct rma_window *window);
void rma_locks(const struct rma_window *window);

/* ---- what is found ---- */

/* Adds an instance at a record's call, from `begin` to `end`; nothing where that is empty.
 * `partner`: the record that was waited for, NULL unknown. */
void rma_found(const struct rma_window *window, const struct rma_record *at,
	       enum cube_metric metric, int64_t begin, int64_t end,
	       const struct rma_record *partner, unsigned flags);
/* Adds to the pairs that a call brought together, `used` of them exchanged something. */
void rma_pairs(const struct rma_window *window, const struct rma_record *at, uint32_t pairs,
	       uint32_t used);
void rma_count_pairs(struct analysis *analysis, const struct rma_result *pairs);

/* ---- rma_far.c: where several processes share the trace, all call these ---- */

/* Replaces the records of this process' locations by those of all locations in the windows that it
 * looks at. */
void rma_share_records(const struct trace *trace, rma_records *records);
/* Adds what was found, in the processes that have the locations; the results become theirs. */
void rma_share_results(struct analysis *analysis, rma_results *results);
