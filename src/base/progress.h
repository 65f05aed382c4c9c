/* progress: how a long piece of work tells how far it is, and learns that it is to stop.
 *
 * The worker calls progress_step() every few milliseconds' worth of work. False means: stop. What
 * becomes of the work is then progress_dropped()'s answer: true, no one needs it, the worker gives
 * up and returns nothing; false, what is there is kept: a reader reads no further and finishes
 * normally. Work of which a half is worth nothing goes on unless it is dropped (progress_whole()).
 * A NULL progress is allowed everywhere and never stops anything.
 *
 *	if (!progress_step(progress, "reading", done, all)) {
 *		if (progress_dropped(progress))
 *			return NULL;
 *		break;
 *	} */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	/* Called with units done of all (bytes, events); returns false to cancel. May be called
	 * from a worker thread. */
	bool (*step)(void *context, const char *what, uint64_t done, uint64_t all);
	void *context;
	/* Asked after a step that was false: is the result not wanted at all? NULL: it is not. From
	 * the threads of `step`. */
	bool (*dropped)(void *context);
	/* Shows the work itself as far as it is, at a safe place between two steps; the watcher
	 * knows what it is (of a reader its builder). NULL: no one watches. From the threads of
	 * `step`; `work` must not be kept. */
	void (*look)(void *context, const void *work);
};

static inline bool progress_step(const struct progress *progress, const char *what, uint64_t done,
				 uint64_t all)
{
	return !progress || !progress->step || progress->step(progress->context, what, done, all);
}

static inline bool progress_dropped(const struct progress *progress)
{
	return progress && (!progress->dropped || progress->dropped(progress->context));
}

/* A step of work that is of no use when half done: false only when dropped. */
static inline bool progress_wanted(const struct progress *progress, const char *what, uint64_t done,
				   uint64_t all)
{
	return progress_step(progress, what, done, all) || !progress_dropped(progress);
}

/* The step of progress_whole(); `context` is the progress around it. */
static inline bool progress_whole_step(void *context, const char *what, uint64_t done, uint64_t all)
{
	return progress_wanted(context, what, done, all);
}

/* The same progress for work that is of no use when half done: it stops only when dropped. `outer`
 * is borrowed, NULL allowed. */
static inline struct progress progress_whole(const struct progress *outer)
{
	const struct progress whole = { .step = progress_whole_step,
					.context = (void *)(uintptr_t)outer };

	return whole;
}
