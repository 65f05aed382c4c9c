/* iteration_class: on one location, the calls that alternate with an anchor that has a given number
 * of visits, and how alike the stretches between its visits are. */
#pragma once

#include "patterns/iterations/iteration_calls.h"

enum { COUNTS_MOST = 64 }; /* numbers of visits that are looked at */

struct visit_counts;

/* Of a location and a number of visits; visits 0: it has none. */
struct iteration_class {
	uint32_t location, count; /* count: index of the number of visits */
	uint32_t visits, token;   /* the anchor */
	uint32_t members, warm;
	bool common; /* a member has this number on most locations */
	bool opening, closing;
	uint16_t pad;
	/* Calls: of the first and last iteration, the first of the anchor; when classes are found,
	 * the events at which these begin. */
	uint32_t first, last, anchor, pad2;
	double similar;     /* median Jaccard index of neighbouring stretches */
	double cover, part; /* shares of the time, and of the calls, between MPI_Init and
				 MPI_Finalize */
	int64_t from, to;   /* ticks: the begins of the calls `first` and `last` */
	uint64_t every;    /* bits of counts: each stretch holds the same number of their anchors */
	uint64_t encloses; /* bits of counts: most of their anchors are inside visits of this one */
};

/* What is looked for: numbers of visits that most locations have. Several loops, one after the
 * other, may have the same number: a loop is known by the lowest of its calls that are common. */
struct iteration_counts {
	uint32_t n, of[COUNTS_MOST]; /* ascending */
	uint32_t loop[COUNTS_MOST];  /* TOKEN_NONE: the only one of this number */
	uint32_t *common;            /* [tokens] the number that most locations have, or 0 */
	uint32_t *loop_of;           /* [tokens] of the common ones, TOKEN_NONE: reaches not far */
};

/* How many locations have a class of a number of visits, and how many of these have one that may
 * cover a share of the time, or of the calls. */
struct iteration_reach {
	uint64_t locations, cover, part;
};

/* Adds a location's to reach[counts->n], and what its common calls are of, of classes that cover at
 * least `share`. */
void iteration_classes_survey(const struct iteration_calls *calls,
			      const struct iteration_counts *counts, double share,
			      struct iteration_reach *reach, struct visit_counts *votes);
/* Fills in classes[counts->n]. O(calls x counts). */
void iteration_classes_find(const struct iteration_calls *calls,
			    const struct iteration_counts *counts, struct iteration_class *classes);
