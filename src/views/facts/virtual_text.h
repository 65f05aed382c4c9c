/* virtual_text: what virtual and compensated times say of each other, in sentences
 * (correct/virtual/virtual_compare.h). */
#pragma once

#include "correct/correct.h"
#include "views/facts/phrases.h"

/* "agree", "differ", "no compensated times", "no bounds"; "" without virtual times. */
const char *virtual_state(const struct corrections *corrections);
/* Whole sentences with their full stops; "" without virtual times. */
const char *virtual_sentence(struct phrases *phrases, const struct corrections *corrections);
/* "" where neither ranks nor threads are more than the cores, or it is not known. */
const char *virtual_crowd(struct phrases *phrases, const struct corrections *corrections);
