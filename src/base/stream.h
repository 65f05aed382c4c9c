/* stream: small records from process to process (base/exchange.h), while each works on. They are
 * packed into buffers; those of one sender arrive in its order. A process that waits for a record
 * must flush before, and go on taking: so none waits for one that waits for it.
 *
 *	stream_put(s, process, KIND, &row, sizeof row);
 *	while ((record = stream_take(s, &head))) ...
 *
 * Memory: a buffer for each process that was sent something, and what has arrived and was not taken.
 */
#pragma once

#include "base/exchange.h"

struct stream;

struct stream_head {
	uint32_t bytes; /* a multiple of 8 */
	uint16_t kind;  /* the user's */
	uint32_t from;  /* process; set by stream_take() */
};

struct stream *stream_new(struct exchange *x); /* not NULL */
/* Nothing may be under way: see stream_is_quiet(). */
void stream_free(struct stream *s);

/* Room for the bytes of a record, a multiple of 8, which the caller fills before the next call. */
void *stream_put(struct stream *s, uint32_t process, unsigned kind, uint32_t bytes);
void stream_flush(struct stream *s);
/* The next record, valid until the next call; NULL: none is here. */
const void *stream_take(struct stream *s, struct stream_head *head);

/* To be asked again and again by a process that has flushed, has taken all and has nothing else to
 * do. True, in all processes at once: so it is with all of them, and nothing is under way. */
bool stream_is_quiet(struct stream *s);
