/* callstack: the functions around a call of MPI that no hook tells of (tvrun --callstack N): their
 * return addresses, found by unwinding the stack, in a record before the call's. */
#pragma once

#include "capture/lib/recorder.h"

/* How many functions TVIEW_CALLSTACK asks for, 0: none. Finds what unwinds. */
uint32_t tv_callstack_start(void);

/* Before the record of a call of MPI from `site`: tv_callstack() (recorder.h). */
