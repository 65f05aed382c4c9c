/* piece: a kept result (keep.h) that is made of arrays, in one piece: what a view computes of a
 * whole run in one time base, so that the next start takes it from the cache file.
 *
 *	struct piece p = { 0 };			struct piece_reader r;
 *	piece_add(&p, &head, 1, sizeof head);	if (!piece_find(&r, trace, "name", base))
 *	piece_add(&p, rows, n, sizeof *rows);		compute it
 *	piece_keep(&p, trace, "name", base);	head = piece_next(&r, sizeof *head, &one);
 *						rows = piece_next(&r, sizeof *rows, &n);
 *						ok = piece_ends(&r) && the values make sense
 *
 * A reader trusts nothing: lengths are checked here, values by who reads them; a result that
 * does not hold is not used, but computed. A piece ends with its base. All pieces of a trace
 * together take no more than a byte an event, a KiB a location, and a little that small traces may
 * have; what does not fit is not kept. Where processes share the trace nothing is kept. */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"

struct piece {
	VEC(char) bytes;
};

/* Adds an array of n elements (of `element` bytes, without pointers). */
void piece_add(struct piece *piece, const void *data, size_t n, size_t element);
/* The same without the words of 8 bytes that are 0: elements are at most 64 words. */
void piece_add_sparse(struct piece *piece, const void *data, size_t n, size_t element);
/* Keeps the piece, or drops it; the caller's is empty then. Threads: as keep_give(). */
void piece_keep(struct piece *piece, const struct trace *trace, const char *name,
		enum time_base base);

struct piece_reader {
	const char *at;
	size_t left;
	bool bad;
};

/* False: none is kept. */
bool piece_find(struct piece_reader *reader, const struct trace *trace, const char *name,
		enum time_base base);
/* The next array, aligned for any type: it is good until the base is made again. Not NULL, but with
 * *n 0, where it is not of such elements. */
const void *piece_next(struct piece_reader *reader, size_t element, size_t *n);
/* The next array that was added so, the caller's. */
void *piece_next_sparse(struct piece_reader *reader, size_t element, size_t *n);
/* The next array, of one element; false: it is not. */
bool piece_value(struct piece_reader *reader, void *value, size_t bytes);
/* True if all was read, and was as expected. */
bool piece_ends(const struct piece_reader *reader);
