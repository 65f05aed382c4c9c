/* stream: small records from process to process (base/exchange.h), while each works on. They are
 * packed into buffers, and go when these are full or flushed; those of one sender arrive in its
 * order. Nothing waits but stream_wait().
 *
 *	*(struct row *)stream_put(s, process, KIND, sizeof row) = row;
 *	do
 *		while ((record = stream_take(s, &head))) ...
 *	while (stream_wait(s));
 *
 * Memory: a buffer for each process that was sent something, and what arrived and was not taken. */
#pragma once

#include "base/exchange.h"

struct stream;

struct stream_head {
	uint32_t bytes;
	uint32_t kind; /* the user's */
	uint32_t from; /* process */
};

struct stream *stream_new(struct exchange *x); /* not NULL */
/* Nothing may be under way: stream_wait() said so. */
void stream_free(struct stream *s);

/* Room for the bytes of a record, a multiple of 8, which the caller fills before the next call.
 * Records are aligned to 8 bytes. */
void *stream_put(struct stream *s, uint32_t process, uint32_t kind, uint32_t bytes);
void stream_flush(struct stream *s);
/* The next record, valid until the next call; NULL: none is here. */
const void *stream_take(struct stream *s, struct stream_head *head);

/* For a process that can do nothing until a record comes: flushes, and waits for one. False, in all
 * processes at once: all of them wait, and nothing is under way. */
bool stream_wait(struct stream *s);
