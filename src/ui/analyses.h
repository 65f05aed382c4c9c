/* analyses: the analyses of one open trace that views share: of the whole run by time base, and the
 * cubes of the windows that were looked at last. Made when first wanted; on the screen in a thread of
 * its own, so that keys work meanwhile.
 *
 * Ownership: borrows the trace; what it gives out is its own, and good until another base or window is
 * asked for (a few of each are kept), or analyses_free(), which stops the thread and waits for it. Threads:
 * one asks. */
#ifndef TVIEW_UI_ANALYSES_H
#define TVIEW_UI_ANALYSES_H

#include "patterns/analysis.h"
#include "patterns/causes.h"

struct analyses;

struct analyses *analyses_new(struct trace *trace, const struct analysis_options *options);
void analyses_free(struct analyses *analyses);

/* Of the whole run in a made base: waits for it. NULL with err, or untouched where progress stopped. */
struct analysis *analyses_get(struct analyses *analyses, enum time_base base,
			      const struct progress *progress, struct err *err);
/* What there is of it now, NULL not yet: it has then been begun. */
struct analysis *analyses_peek(struct analyses *analyses, enum time_base base);
/* The severities of a window, with all parts. NULL as analyses_get(). */
const struct cube *analyses_cube(struct analyses *analyses, enum time_base base, int64_t t0,
				 int64_t t1, const struct progress *progress, struct err *err);
/* Readable when an analysis that was begun has ended, -1 none is under way; analyses_told() empties it
 * and is true then. */
int analyses_fd(const struct analyses *analyses);
bool analyses_told(struct analyses *analyses);

#endif
