/* stacks: where the ranks of a job that runs here are in their source, also in code that is not
 * recorded. Unlike a look this stops each rank for a moment, as a debugger does: only where the
 * user asks for it. */
#pragma once

#include "capture/live/live.h"

/* Appends the main threads' calls, innermost first, once for ranks whose calls are the same. Says
 * of which ranks it could not be found out, and why. False: of none of them. */
bool live_stacks(const struct live *live, struct str *out);
