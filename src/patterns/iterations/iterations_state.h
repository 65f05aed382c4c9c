/* iterations_state: what the files that make iterations, and keep them, share. */
#pragma once

#include "patterns/iterations/iteration_choice.h"
#include "patterns/iterations/iterations.h"

struct iterations {
	const struct trace *trace;
	enum time_base base;
	const char *anchor; /* borrowed, NULL: they were found */
	struct iteration_choice choice;
	int64_t **begin; /* [levels][locations] */
	bool *has;       /* [levels][locations] of all processes */
};
