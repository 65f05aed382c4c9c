/* call_list: what becomes of each function of MPI, for `tvrun --list-calls`: from the tables that
 * the library is made of (capture/lib/calls.def, calls_passed.def). */
#pragma once

#include "base/str.h"

void call_list_text(struct str *out);
