/* chunk_copy: a copy of a chunk whose thread may go on in it, which never waits for it and notices
 * nothing. What was the same before and after copying is whole; rows have a counter for it
 * (statistic.h). `to` has TV_CHUNK_SIZE bytes. Functions return how many parts the copy lacks: what
 * changes all the time while it is copied. */
#pragma once

#include "capture/lib/ledger.h"

/* Of any kind; nothing where it is empty, or has more than `room` bytes. */
uint64_t chunk_copy(struct tv_chunk *to, const struct tv_chunk *from, size_t room);
uint64_t chunk_copy_events(struct tv_chunk *to, const struct tv_chunk *from);
/* False: it is being changed. */
bool chunk_copy_ledger(struct tv_ledger *to, const struct tv_chunk *from);
