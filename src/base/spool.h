/* spool: reads a pipe and keeps its bytes in a temporary file, so that they can be read again from
 * the start.
 *
 * Ownership: the descriptor is borrowed. Threads: one caller. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct spool;

/* NULL with errno if a temporary file cannot be made. */
struct spool *spool_new(int fd);
void spool_free(struct spool *spool);
/* The next bytes, as read(2) gives them. Where nothing comes within wait_ms milliseconds: -1 with
 * EAGAIN (wait_ms < 0: waits for ever). -1 with errno also where what came cannot be kept. */
ssize_t spool_read(struct spool *spool, void *buffer, size_t size, int wait_ms);
void spool_rewind(struct spool *spool);
