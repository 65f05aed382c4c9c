/* virtual_births: virtual time through threads that the program makes itself. A thread begins where
 * the one that creates it was, virtually, and what recording its birth takes is left out; a join
 * waits for the end of the thread, as that would have come, which is rule G of virtual_time.h.
 *
 *	birth = tv_virtual_creates();				// the creator, before the call
 *	tv_virtual_born(t, birth, begun);			// the new thread, with its record
 *	tv_virtual_dies(t);					// and at its end
 *	own = tv_virtual_joins(); ...; tv_virtual_joined(thread, own);
 *
 * Ends are kept by the thread's pthread_t in a table of the process; of threads that end while more
 * of them are not joined than it has room for, some are lost: their joins wait for nothing.
 * Detached threads are joined by none, and the next one in their place takes it. */
#pragma once

#include <pthread.h>

#include "capture/lib/recorder.h"
#include "capture/lib/virtual_keeper.h"

/* Where the creator is; its time 0: not known. */
struct virtual_entry tv_virtual_creates(void);
/* The thread that calls, which began to run at `begun`, follows its creator. */
void tv_virtual_born(struct tv_thread *t, struct virtual_entry creator, uint64_t begun);
/* It ends: nothing of it is recorded after that. */
void tv_virtual_dies(struct tv_thread *t);
/* The thread that calls waits for another one from here on; its time 0: it records nothing. */
struct virtual_entry tv_virtual_joins(void);
/* And that one has ended. */
void tv_virtual_joined(pthread_t thread, struct virtual_entry own);
