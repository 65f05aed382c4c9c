/* callstack: the functions around a call of MPI that no hook records, in a record before the
 * call's: return addresses from unwinding the stack (tvrun --callstack N) and, outside of them, the
 * Python functions that the thread is in (tvrun --python). The Python line that made the call is
 * always recorded, except with tvrun --no-python. */
#pragma once

#include "capture/lib/recorder.h"

/* Finds an unwinder if TVIEW_CALLSTACK asks for one, and a Python interpreter; 0: calls have
 * nothing to look up. */
uint32_t tv_callstack_start(void);

/* Before the record of a call of MPI from `site`: tv_callstack() (recorder.h). */
