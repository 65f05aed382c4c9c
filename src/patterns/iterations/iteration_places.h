/* iteration_places: where the calls of a location are that have a number of visits that most
 * locations have, and which of them alternate. */
#pragma once

#include "patterns/iterations/iteration_class.h"

enum { CLASSES_MOST = 16 };

struct token_places {
	const struct iteration_calls *calls;
	const struct iteration_counts *counts;
	uint32_t *first; /* [own + 1] in `at` */
	uint32_t *at;    /* indices of calls */
	/* [own] for iteration_class.c; all 0 between uses */
	uint32_t *last, *segments, *now, *most, *inside;
	uint8_t *class_of; /* [own] + 1, 0: of none */
};

void token_places_init(struct token_places *places, const struct iteration_calls *calls,
		       const struct iteration_counts *counts);
void token_places_fini(struct token_places *places);

/* Calls of a location that alternate. */
struct formed_class {
	uint32_t first, members; /* first: its anchor, a row in the location's tokens */
	uint32_t common; /* lowest token with this number on most locations, or TOKEN_NONE */
};

/* The classes of the nth number of visits; how many. Until they are forgotten the places know which
 * call is of which. */
unsigned token_places_form(const struct token_places *places, uint32_t nth,
			   struct formed_class classes[CLASSES_MOST]);
void token_places_forget(const struct token_places *places);
/* The best of them, of the loop that is looked for; n: there is none. */
unsigned token_places_best(const struct token_places *places, uint32_t nth,
			   const struct formed_class *classes, unsigned n);
/* Says of the common calls of a class which loop they are of. */
void token_places_vote(const struct token_places *places, unsigned c,
		       const struct formed_class *classes, struct visit_counts *votes);
/* The best class of the nth number of visits: anchor (its row in the location's tokens), visits,
 * members. False: there is none. */
bool token_places_choose(const struct token_places *places, uint32_t nth,
			 struct iteration_class *found);

static inline uint32_t token_visits(const struct token_places *p, uint32_t own)
{
	return p->calls->own.data[own].visits;
}

/* Indices of a token's calls; of those alone that have one of the numbers. */
static inline const uint32_t *token_at(const struct token_places *p, uint32_t own)
{
	return p->at + p->first[own];
}
