/* rank_skim: goes over a thread's records for what is counted of them; only those of which more
 * than that has to be known are made of their words.
 *
 *	struct rank_skim k = { .rank = rank };
 *	rank_skim_begin(&k, thread);
 *	while ((head = rank_skim_next(&k)))
 *		...			// counted already
 *
 * Time: O(words), a third of making all records. */
#pragma once

#include "capture/run/merge_job.h"

struct rank_skim {
	struct rank *rank; /* first, last, functions, guarded, entered, full are counted there */
	struct rank_stream s;
	uint64_t time; /* of the thread's latest record */
	uint64_t left; /* when it left MPI last; not the overhead of a flush */
};

void rank_skim_begin(struct rank_skim *k, uint32_t thread);
/* The next record that is more than counted; NULL at the end. */
const struct tv_head *rank_skim_next(struct rank_skim *k);
