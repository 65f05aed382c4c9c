/* imports: the tables by which modules reach MPI's functions. Usually the dynamic linker writes
 * this library's entry points there, which come first in the program's scope. A module that is
 * opened with RTLD_DEEPBIND finds MPI before them: its table is corrected when the program looks up
 * a symbol for the first time after it was opened. Calls that its constructors made are not seen.
 *
 * Thread rule: any thread; not from inside dl_iterate_phdr(), but for tv_imports_bypass(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dl_phdr_info;

/* Corrects the tables of modules that were opened since the last time. */
void tv_imports_correct(void);

/* All modules so far were mapped at the program's start. */
void tv_imports_begin(void);

/* Whether calls of MPI from a module are bound past this library. */
bool tv_imports_bypass(const struct dl_phdr_info *info);
