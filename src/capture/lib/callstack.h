/* callstack: what is around a call of MPI, and no hook tells of, in a record before the call's:
 * return addresses, found by unwinding the stack (tvrun --callstack N), outside of them the
 * functions of Python that the thread is in (tvrun --python). The line of Python that made the call
 * is recorded in any case (but with tvrun --no-python). */
#pragma once

#include "capture/lib/recorder.h"

/* Finds what unwinds as far as TVIEW_CALLSTACK asks for it, and an interpreter of Python; 0: there
 * is nothing to look for at calls. */
uint32_t tv_callstack_start(void);

/* Before the record of a call of MPI from `site`: tv_callstack() (recorder.h). */
