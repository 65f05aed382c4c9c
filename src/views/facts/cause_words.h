/* cause_words: named causes (patterns/causes/naming.h) in sentences that end in work: which rank
 * does what, how much, and what the others do. */
#pragma once

#include "patterns/causes/cause_ends.h"
#include "patterns/causes/naming.h"
#include "views/facts/phrases.h"

/* "rank 1 calls smooth() (x.c:7) 12 times per iteration, the others 4 times, 500 us each": without
 * capital, share, full stop. */
const char *cause_sentence(struct phrases *phrases, const struct cause_names *names, uint32_t i);
/* What is to be said where no cause, or not most of the waiting, has a name: a whole sentence; ""
 * nothing. */
const char *cause_rest(struct phrases *phrases, const struct cause_names *names);
/* Appends the end of a chain of causes, for a cell: "rank 1: smooth() (x.c:6)", "rank 1 inside
 * MPI_Send (x.c:8)", "rank 1 waited in MPI_Recv", "unknown"; of CAUSE_END_NONE that, too. */
void words_cause_end(const struct trace *trace, const struct cause_end *end, struct str *out);
