/* function_names: the names of this process's functions, from the symbols of their modules. Files
 * are mapped when the first of their functions is asked for, and kept. */
#pragma once

#include <stdint.h>

/* As it is linked; NULL: unknown. `place`: its address, as lifetimes.h has it. One thread at a
 * time. */
const char *tv_function_name(uint64_t place);
/* What the source calls the main program of Fortran that is there (main_name.h); NULL: unknown. */
const char *tv_main_name(uint64_t place);

/* The functions of module tview (tview.f90), which one file of the program's has: in its main
 * program, or in a library that others see. No `size`: there are none, or they have no names. */
struct tv_span {
	uint64_t start, size;
};
struct tv_span tv_functions_of_module(void);
