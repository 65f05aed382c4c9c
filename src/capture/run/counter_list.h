/* counter_list: names of the kernel's and the processor's counters (tvrun --counters): what they
 * are to perf_event_open, and whether this machine has them. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* "cycles,page-faults:u" as the ranks read it (capture/lib/perf_counter.h). A name that is not
 * known is none of the errors: the run goes on with the others. */
bool counter_list_parse(struct str *out, const char *text, struct err *err);

/* Warns of each that this machine does not have, or does not let this user count. */
void counter_list_warn(const char *text);

/* All names, and whether they can be counted here. */
void counter_list_text(struct str *out);
