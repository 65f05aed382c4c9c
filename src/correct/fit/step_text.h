/* step_text: a step of a clock, as a sentence. */
#pragma once

#include "base/str.h"
#include "correct/fit/fit.h"
#include "model/trace/trace.h"

/* Appends what is known of the first of steps i .. that belong together (one of a group, or of one
 * clock), and whether it was taken out of the times. Returns how many these are. `steps` are sorted
 * by steps_by_group(). */
uint32_t step_sentence(struct str *out, const struct trace *trace, const struct fit_step *steps,
		       uint32_t n, bool taken_out);

/* Sorts steps by time, those of one group together. */
void steps_by_group(struct fit_step *steps, uint32_t n);
