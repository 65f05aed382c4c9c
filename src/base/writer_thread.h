/* writer_thread: a thread that writes to a stream what another one puts together, so that the
 * system's copy of it, or its compression, does not hold up that one.
 *
 *	struct writer_thread *thread = writer_thread_new(stream);
 *	while (... portions of a megabyte or less ...)
 *		ok = writer_thread_put(thread, &text);		text is empty then
 *	ok = writer_thread_end(thread);				all is written, or failed
 *
 * Two portions are in memory. Errors: false with errno, from then on. Without a thread (the system
 * gives none) the caller writes. Threads: one calls; the stream is the thread's until the end. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

struct writer_thread;

struct writer_thread *writer_thread_new(FILE *stream);
/* Takes the text and empties it. */
bool writer_thread_put(struct writer_thread *thread, struct str *text);
/* Waits, and frees it. */
bool writer_thread_end(struct writer_thread *thread);
