/* behind: a thread that writes to a stream what another one puts together: the system's copy of it,
 * or its compression, does not hold up that one.
 *
 *	struct behind *behind = behind_new(stream);
 *	while (... portions of a megabyte or less ...)
 *		ok = behind_put(behind, &text);		text is empty then
 *	ok = behind_end(behind);			all is written, or failed
 *
 * Two portions are in memory. Errors: false with errno, from then on. Without a thread (the system
 * gives none) the caller writes. Threads: one calls; the stream is the thread's until the end. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

struct behind;

struct behind *behind_new(FILE *stream);
/* Takes the text and empties it. */
bool behind_put(struct behind *behind, struct str *text);
/* Waits, and frees it. */
bool behind_end(struct behind *behind);
