/* iteration_choice: which levels are iterations, and which of them is shown, from the classes of
 * all locations. */
#pragma once

#include "patterns/iterations/iteration_class.h"
#include "patterns/iterations/iterations.h"

#define LEVEL_NONE UINT32_MAX

/* Share of the time, or of the calls, that iterations must cover. */
#define LEVEL_COVER 0.5
/* The same of one of several loops that come one after the other. */
#define LOOP_COVER  0.15

struct iteration_choice {
	VEC(struct iteration_level) levels; /* the outermost first, then other loops by time */
	uint32_t *token;                    /* [levels] the anchor of most locations */
	uint32_t *count;                    /* [levels] index of its number of visits */
	uint32_t main;                      /* LEVEL_NONE: none */
};

/* `rows`: of all locations, in any order that is the same in all processes; `callers`: how many
 * locations there are; `path` [tokens]. */
void iteration_choice_make(struct iteration_choice *choice, const struct iteration_class *rows,
			   size_t n, uint32_t callers, const uint32_t *path);
void iteration_choice_fini(struct iteration_choice *choice);
