/* watch: when ranks of this machine end, as a process that is killed cannot note it itself. The
 * times are written into the headers of the ranks' files (struct tv_seen), where any later merge
 * finds them.
 *
 *	struct watch *watch = watch_new(folder);
 *	while (...)
 *		watch_wait(watch, signals, MILLISECONDS);
 *	watch_free(watch);
 */
#pragma once

#include <stdint.h>

struct watch;

/* Of the ranks whose files are, or will be, in a folder. */
struct watch *watch_new(const char *folder);
void watch_free(struct watch *watch);

/* Calls of tview_trigger() since this was asked for last; if there are any, a rank that called it,
 * -1: one without a number. */
uint64_t watch_triggers(struct watch *watch, int32_t *rank);

/* Looks at once. A rank that is found gone was still there at the previous look. */
void watch_look(struct watch *watch);

/* Returns when a rank ends, when `signals` (a descriptor) can be read, or when the time is up;
 * looks before it returns. */
void watch_wait(struct watch *watch, int signals, int milliseconds);
