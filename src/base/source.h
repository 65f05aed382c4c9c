/* source: the bytes of a file as a stream, decompressed if it is compressed (gzip, zstd: recognised
 * by its first bytes, not by its name).
 *
 * Memory is bounded whatever the file holds. Compressed data that is cut off or damaged gives what
 * comes out of it before the damage; source_damage() then has a sentence. With `threaded` a
 * compressed file is decompressed by a thread of its own, ahead of the reader.
 *
 *	struct source *s = source_new(fd, true);
 *	while ((n = source_read(s, buffer, sizeof buffer)) > 0) ...
 *	if (source_damage(s)) ...
 *	source_free(s);
 *
 * What cannot seek (a pipe) is kept in a temporary file as it is read (base/spool.h).
 *
 * Ownership: the descriptor is borrowed. Threads: one caller;
 * source_done() may be called by any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct source;

/* True when the first bytes of a file are those of a compressed one. */
bool source_is_compressed(const void *bytes, size_t n);

/* At the start of the file. */
struct source *source_new(int fd, bool threaded);
void source_free(struct source *source);

/* Back to the start of the file. */
void source_rewind(struct source *source);

/* Whether it can begin anywhere: a file that is not compressed. */
bool source_can_seek(const struct source *source);
/* To a byte of such a file. */
void source_seek(struct source *source, uint64_t offset);

/* Like read(2): up to `size` bytes, 0 at the end, -1 with errno. Short reads do not mean the end.
 * If a pipe gives nothing for a while: -1 with EAGAIN, so that the reader can check whether to
 * stop. */
ssize_t source_read(struct source *source, void *buffer, size_t size);

/* Bytes of the file, as it is on the disk, that were used so far, and all of them (0 unknown). */
uint64_t source_done(const struct source *source);
uint64_t source_size(const struct source *source);

/* What is wrong with the compressed data ("the compressed data is cut off: ..."), NULL while
 * nothing is. */
const char *source_damage(const struct source *source);
