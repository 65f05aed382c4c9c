/* iteration_pairs: the iterations of two runs, side by side: of the level of the new one and of the
 * old one's whose anchor has the same name; iteration k with iteration k, rank with rank.
 *
 * Anchors are compared by the name of their region (MPI's in any spelling); of several the old
 * level with the nearest number of iterations is taken. Iterations beyond the shorter run are in
 * one only. A rank's difference is noise as long as its median over the iterations that both have
 * differs by no more than 2.5 standard errors of both medians. */
#pragma once

#include "views/facts/iteration_sums.h"

struct iteration_pairs {
	struct iteration_sums *of[2]; /* of the old and the new run; [1] borrowed */
	uint32_t n;                   /* iterations of both; 0: nothing corresponds */
	uint32_t *old;                /* [locations of the new] of the old; UINT32_MAX none */
	double ticks;                 /* of the new trace in one of the old */
};

/* With the query's other trace. False with err, or untouched if stopped. */
bool iteration_pairs_make(struct iteration_pairs *pairs, const struct query *query,
			  struct iteration_sums *sums, struct err *err);
void iteration_pairs_fini(struct iteration_pairs *pairs);

/* The level of the old run that corresponds to one of the new run: an index in its list, or their
 * number where there is none. */
size_t iteration_pairs_level(const struct trace *old, const struct iterations *iterations,
			     const struct trace *new, const struct iteration_level *wanted);

/* "compared with 390 iterations of the old run", or why not: a whole sentence. */
struct phrases;
const char *iteration_pairs_sentence(struct phrases *phrases, const struct iteration_pairs *pairs);

/* The old iteration that corresponds; NULL: there is none. */
const struct iteration_sum *iteration_pairs_old(const struct iteration_pairs *pairs,
						uint32_t location, uint32_t iteration);
/* Old values in ticks of the new trace. */
double iteration_pairs_value(const struct iteration_pairs *pairs, const struct iteration_sum *old,
			     enum iteration_quantity quantity);
/* 1: a rank's quantity is more than it was, -1: less; 0: by no more than chance, or not known. */
int iteration_pairs_change(const struct iteration_pairs *pairs, uint32_t location,
			   enum iteration_quantity quantity);
