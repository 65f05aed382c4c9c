/* rollcall_text: what a roll-call (patterns/rollcall.h) says, in sentences: for the report, the
 * overview and `check`. */
#pragma once

#include "base/str.h"
#include "patterns/analysis/rollcall.h"

/* Sentences, one a call, cleaned; `warning`: a cause, not a consequence. */
typedef void rollcall_sentence(void *context, const struct roll_group *group, bool warning,
			       const char *text);
void rollcall_sentences(const struct rollcall *roll, const struct trace *trace,
			rollcall_sentence *sentence, void *context);

/* Appends "rank 3", "ranks 0-15,17,19" of `n` locations in ascending order; what has no rank by
 * its name; of more than `most` runs the first ones. */
void rollcall_add_ranks(const struct trace *trace, const uint32_t *locations, uint32_t n,
			uint32_t most, struct str *out);
