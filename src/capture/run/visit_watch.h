/* visit_watch: visits of functions, loops, regions and calls of MPI in a program that runs, which a
 * filter asks for (tvrun --trigger). The ranks do not notice it: their new records are read
 * (rank_follow.h), and their enters and leaves brought together.
 *
 * A visit that has not ended matches once no end of it can be without a match: step that has gone
 * on for 2 s matches `dur > 2s` then, not when it ends. Each visit is told once. Ranks of other
 * machines are not looked at.
 *
 * Time of a look: O(records since the last one), some 10 ns each. Memory: 3 MiB, and 300 KiB a
 * thread. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct visit_watch;

/* Of the ranks whose files are, or will be, in a folder. NULL with err: not such a filter. */
struct visit_watch *visit_watch_new(const char *folder, const char *filter, struct err *err);
void visit_watch_free(struct visit_watch *w);

/* Whether a visit matches that did not at the last look; appends what the first of them is. */
bool visit_watch_look(struct visit_watch *w, struct str *what);
