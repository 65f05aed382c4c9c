/* progress: how long work reports its progress, and learns that it is to stop.
 *
 * The worker calls progress_step() every few milliseconds. False means: stop. progress_dropped()
 * then says what becomes of the work: true, the result is not needed, and the worker returns
 * nothing; false, the part that is done is kept: a reader reads no further and finishes normally.
 * Work that is useless when half done goes on unless it is dropped (progress_whole()). A NULL
 * progress is allowed everywhere and never stops anything.
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
	/* Asked after step() returned false: true if the result is not needed. NULL: never needed.
	 * Called by the threads that call step(). */
	bool (*dropped)(void *context);
	/* Shows the unfinished work (a reader's builder, say) at a safe point between two steps.
	 * NULL: no one watches. Called by the threads that call step(); `work` must not be kept. */
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
