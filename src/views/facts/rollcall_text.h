/* rollcall_text: a roll-call (patterns/analysis/rollcall.h) in sentences: for the report, the
 * overview and `check`. */
#pragma once

#include "base/str.h"
#include "patterns/analysis/rollcall.h"

/* Called for each sentence, which is clean; `warning`: a cause, not a consequence. */
typedef void rollcall_sentence(void *context, const struct roll_group *group, bool warning,
			       const char *text);
void rollcall_sentences(const struct rollcall *roll, const struct trace *trace,
			rollcall_sentence *sentence, void *context);

/* Appends "rank 3", "ranks 0-15,17,19" for n locations in ascending order, and names for those
 * without a rank; at most `most` runs of numbers. */
void rollcall_add_ranks(const struct trace *trace, const uint32_t *locations, uint32_t n,
			uint32_t most, struct str *out);
