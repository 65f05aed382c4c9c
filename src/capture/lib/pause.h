/* pause: recording that the program, or tvrun --off, switches off for a while.
 *
 * While it is off no visit of a function, region or call of MPI is recorded, and no row changes.
 * Messages, requests and collectives still are, so that their recorded other ends find a partner;
 * and the stack is kept up to date, so that each leave after the switch is known to have an enter
 * record or not. The switch is the process's; each thread follows it at its next hook or call of
 * MPI, and writes there that it did (TV_DEF_PAUSE).
 *
 *	if (t->mode == TV_PAUSED && tv_pause_holds(t)) ...	in a hook */
#pragma once

#include "capture/lib/open.h"

/* The process's switch; the calling thread follows at once. */
void tv_pause(bool off);
/* The calling thread, busy, goes on as tv.off says now; the others follow. */
void tv_pause_follow(struct tv_thread *t);

/* Around what is always recorded: switches recording on. tv_pause_again() takes the result. */
uint32_t tv_pause_lift(void);
void tv_pause_again(uint32_t lifted);

/* The thread follows the switch; true: recording is off for it. */
bool tv_pause_holds(struct tv_thread *t);

/* A function, site or region is entered while recording is off: only the stack has it. Returns the
 * depth of the stack. */
uint32_t tv_pause_enter(struct tv_thread *t, uint64_t site, const void *frame,
			const struct tv_site **at, uint32_t flags);
/* The innermost is left: its leave is recorded if its enter was. */
void tv_pause_leave(struct tv_thread *t);
