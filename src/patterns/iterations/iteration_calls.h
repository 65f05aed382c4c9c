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
	uint32_t token, depth; /* depth: without loops */
	int64_t en, lv;        /* ticks */
};

/* Those that begin between MPI_Init and MPI_Finalize, by their begin. */
struct iteration_calls {
	VEC(struct iteration_call) of;
	int64_t from, to; /* ticks: the leave of MPI_Init, the enter of MPI_Finalize */
};

/* Replaces what is in `calls`. */
void iteration_calls_find(struct iteration_calls *calls, const struct iteration_tokens *tokens,
			  const struct trace *trace, enum time_base base, uint32_t location);
