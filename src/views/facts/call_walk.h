/* call_walk: the calls of a query by their begin, walked: those that are open where its window
 * begins, then each that begins in it, on the chosen locations, if its filter matches.
 *
 *	struct call_walk walk;
 *	call_walk_init(&walk, &query);
 *	for (uint64_t row = call_walk_first(&walk); row != ROW_NONE;
 *	     row = call_walk_next(&walk, row))
 *		use(call_walk_call(&walk, row));
 *	call_walk_fini(&walk);
 *
 * Equal begins: by rank, thread, process, location, and the order of the file. Handles are valid
 * for call_walk_call() at any time; only the last one given can be gone on from. Memory: a call for
 * each one that is open at the begin, and event_merge's. */
#pragma once

#include "views/facts/call_facts.h"
#include "views/query/event_merge.h"
#include "views/query/table_gather.h"

/* A call with its place among all, which is that of event_merge. */
struct placed_call {
	struct row_key key;
	struct call call;
};

struct call_walk {
	const struct query *query; /* borrowed */
	struct call_source source;
	struct event_merge merge;
	VEC(struct placed_call) before; /* that are open where the window begins */
	bool by_visit;                  /* the filter has to be asked for each */
};

void call_walk_init(struct call_walk *walk, const struct query *query);
void call_walk_fini(struct call_walk *walk);
/* The handle of a row; ROW_NONE after the last one. */
uint64_t call_walk_first(struct call_walk *walk);
uint64_t call_walk_next(struct call_walk *walk, uint64_t row);
/* With its exclusive time, which costs as call_exclusive() says. */
struct call call_walk_call(const struct call_walk *walk, uint64_t row);
struct row_key call_walk_key(const struct call_walk *walk, uint64_t row);
/* At most so many rows. */
uint64_t call_walk_most(const struct call_walk *walk);
