/* spool: what comes out of a pipe, kept in a temporary file while it is read, so that it can be
 * read again from the start.
 *
 * Ownership: the descriptor is borrowed. Threads: one caller. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct spool;

/* NULL with errno where there can be no temporary file. */
struct spool *spool_new(int fd);
void spool_free(struct spool *spool);
/* The next bytes, as read(2) gives them. Where nothing comes within wait_ms milliseconds: -1 with
 * EAGAIN (wait_ms < 0: waits for ever). -1 with errno also where what came cannot be kept. */
ssize_t spool_read(struct spool *spool, void *buffer, size_t size, int wait_ms);
void spool_rewind(struct spool *spool);
