/* iteration_calls: the calls of a location as a sequence of tokens, from which iterations are
 * found. */
#pragma once

#include "base/vec.h"
#include "patterns/severity/plain_path.h"

#define TOKEN_NONE UINT32_MAX

/* What may be an anchor. */
struct iteration_tokens {
	uint32_t n;
	uint32_t *of;          /* [call paths] token, TOKEN_NONE: it is none */
	uint32_t *path;        /* [tokens] the lowest call path of each */
	uint32_t *depth;       /* [call paths] without loops */
	bool *mpi;             /* [tokens] is a call of MPI */
	bool *init, *finalize; /* [call paths] of MPI */
};

void iteration_tokens_init(struct iteration_tokens *tokens, const struct trace *trace,
			   const struct plain_paths *plain);
void iteration_tokens_fini(struct iteration_tokens *tokens);

struct iteration_call {
	uint32_t token;       /* its row in the location's */
	uint32_t path, event; /* its enter */
};

/* A token that a location calls. */
struct iteration_own_token {
	uint32_t token, visits;
};

/* The calls of a location that begin between MPI_Init and MPI_Finalize, by their begin. Used for
 * one location after the other; zeroed, it has none. */
struct iteration_calls {
	const struct iteration_tokens *tokens;
	const struct trace *trace;
	enum time_base base;
	uint32_t location;
	VEC(struct iteration_call) of;
	VEC(struct iteration_own_token) own; /* by their first call */
	int64_t from, to; /* ticks: the leave of MPI_Init, the enter of MPI_Finalize */
	uint32_t *row;    /* [tokens] in `own`, + 1; 0: not called */
};

/* Replaces what is in `calls`. O(the location's events). */
void iteration_calls_find(struct iteration_calls *calls, const struct iteration_tokens *tokens,
			  const struct trace *trace, enum time_base base, uint32_t location);
void iteration_calls_fini(struct iteration_calls *calls);

/* When the nth call begins, ticks. */
int64_t iteration_call_begin(const struct iteration_calls *calls, size_t nth);

/* When n visits of a token begin and end, ticks, the first of which begins at event `first`. */
struct iteration_visits {
	uint32_t first, n;
	int64_t *begin, *end; /* [n], filled in */
};
/* Of several tokens. One pass over the location's events from the first of the visits to the last
 * of them, and O(tokens). */
void iteration_visits_find(const struct iteration_tokens *tokens, const struct trace *trace,
			   enum time_base base, const struct iteration_visits *of, size_t n);
