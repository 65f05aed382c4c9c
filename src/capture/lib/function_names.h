/* function_names: the names of this process's functions, from the symbols of their modules. Files
 * are mapped and sorted when the first of their functions is asked for, and kept. */
#pragma once

#include <stdint.h>

/* As it is linked; NULL: unknown. `place`: its address, as lifetimes.h has it. One thread at a
 * time. */
const char *tv_function_name(uint64_t place);
