/* progress: how a long piece of work tells how far it is, and learns that nobody wants it any
 * more.
 *
 * The worker calls progress_step() every few milliseconds' worth of work; false means: stop, keep
 * what is there, return normally. A NULL progress is allowed everywhere and never cancels. */
#ifndef TVIEW_BASE_PROGRESS_H
#define TVIEW_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	/* Called with units done of all (bytes, events); returns false to cancel. May be called
	 * from a worker thread. */
	bool (*step)(void *context, const char *what, uint64_t done, uint64_t all);
	void *context;
};

static inline bool progress_step(const struct progress *progress, const char *what, uint64_t done,
				 uint64_t all)
{
	return !progress || !progress->step || progress->step(progress->context, what, done, all);
}

#endif
