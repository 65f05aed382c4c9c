/* iteration_class: on one location, the calls that alternate with an anchor that has a given number
 * of visits, and how alike the stretches between its visits are. */
#pragma once

#include "patterns/iterations/iteration_calls.h"

enum { COUNTS_MOST = 64 }; /* numbers of visits that are looked at */

/* Of a location and a number of visits; visits 0: it has none. */
struct iteration_class {
	uint32_t location, count; /* count: index of the number of visits */
	uint32_t visits, token;   /* the anchor */
	uint32_t members, warm;
	bool common; /* a member has this number on most locations */
	bool opening, closing;
	uint16_t pad;
	uint32_t first, last; /* indices of calls: of the first and last iteration */
	double similar;       /* median Jaccard index of neighbouring stretches */
	double cover, part;   /* shares of the time, and of the calls, between MPI_Init and
				 MPI_Finalize */
	uint64_t every;    /* bits of counts: each stretch holds the same number of their anchors */
	uint64_t encloses; /* bits of counts: most of their anchors are inside visits of this one */
};

/* The calls of a location, with lists of where each token is. */
struct iteration_places {
	const struct iteration_calls *calls;
	uint32_t tokens;
	uint32_t *n;               /* [tokens] visits */
	uint32_t *first;           /* [tokens + 1] in `at` */
	uint32_t *at;              /* indices of calls */
	uint32_t *last, *segments; /* [tokens] for the stretches; all 0 between uses */
	uint32_t *by_first;        /* [tokens] tokens by their first visit */
};

void iteration_places_init(struct iteration_places *places, const struct iteration_calls *calls,
			   uint32_t tokens);
void iteration_places_fini(struct iteration_places *places);

/* `counts` [n], ascending; `common` [tokens] the number of visits that most locations have, or 0.
 * Fills in classes[n]. O(calls x n). */
void iteration_classes_find(const struct iteration_places *places, const uint32_t *counts,
			    uint32_t n, const uint32_t *common, uint32_t location,
			    struct iteration_class *classes);
