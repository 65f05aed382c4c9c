/* iteration_counts: which numbers of visits most locations have, of one call or of any. */
#pragma once

#include "base/keymap.h"
#include "patterns/iterations/iteration_class.h"

/* How many locations have this number of visits of a token; TOKEN_NONE: of any one. Or on how many
 * a token is of the loop that is known by this one. */
struct visit_count {
	uint32_t token, visits, locations;
};

/* Those of some locations; zeroed, of none. */
struct visit_counts {
	struct keymap rows;
	VEC(struct visit_count) of;
};

/* Adds those of a location, if it calls MPI, which is what it gives. */
bool visit_counts_add(struct visit_counts *counts, const struct iteration_calls *calls);
void visit_counts_put(struct visit_counts *counts, uint32_t token, uint32_t visits,
		      uint32_t locations);
void visit_counts_join(struct visit_counts *counts, const struct visit_counts *other);
void visit_counts_fini(struct visit_counts *counts);
/* Adds up those of all processes, and keeps the numbers that most of `callers` locations have:
 * kept->common is the caller's. */
void visit_counts_keep(struct visit_counts *counts, struct exchange *x, uint32_t callers,
		       uint32_t tokens, struct iteration_counts *kept);
/* Adds up the votes of all processes on which loop a common call is of, and divides the numbers of
 * visits that several loops have. */
void visit_counts_divide(struct visit_counts *votes, struct exchange *x, uint32_t callers,
			 uint32_t tokens, struct iteration_counts *kept);
