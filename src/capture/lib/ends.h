/* ends: how the process ends, noted in the header of its file.
 *
 * Signals whose default ends a process get a handler that notes and then takes itself away: the
 * earlier disposition gets the signal, so that messages, status and core dump are the program's.
 * Where the program has a disposition of its own nothing is installed, and what it sets later
 * replaces ours. Calls of exit() and the like are noted on their way. The first note counts. It
 * begins with tv_ends_start() (recorder.h), or after MPI_Init where MPI was loaded late. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Around MPI_Init, which may set handlers of its own: it finds the original dispositions, and our
 * handlers pass signals on to those that it has set. */
void tv_ends_hold(void);
void tv_ends_resume(void);
/* `way` is a value of enum tv_end_way that is not a signal. */
void tv_end_note(uint32_t way, int code, const void *address);
/* Whether the process handles signals that need not end it, a timer's for one. About 40 system
 * calls. */
bool tv_ends_handlers(void);
