/* ring: the chunks that were written out, where only the last seconds are kept (tvrun --last). The
 * oldest one's place is taken again when it is older than these, or where there is no room for
 * more; what its records leave open goes into its thread's ledger first (ledger.h).
 *
 * A ledger is two chunks, of which one is changed while the other one counts: the process may be
 * killed at any moment. All but tv_ring_start() is called with tv.lock held. */
#pragma once

#include "capture/lib/recorder.h"

/* Once, from TVIEW_LAST_NS; then tv.file->ring is set. */
void tv_ring_start(void);

/* A place for a chunk of events to be written to; false: take a new one. */
bool tv_ring_take(uint32_t *place);
/* It was written there. */
void tv_ring_add(const struct tv_chunk *chunk, uint32_t place);
