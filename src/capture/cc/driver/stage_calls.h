/* stage_calls: a file of Fortran is compiled with hooks at procedures and calls around loops
 * (fortran_unit.h). If the compiler has something to say, the file itself is compiled first, so
 * that it says that of the file. */
#pragma once

#include "capture/cc/driver/stage_work.h"

/* Returns wait()'s status, or not at all if the program replaces this process. */
int stage_calls(struct stage_work *run);
