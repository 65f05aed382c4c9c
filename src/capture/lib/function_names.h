/* function_names: what a function of this process is called, by the symbols of its module. Files
 * are mapped and sorted when the first of their functions is asked for, and kept. */
#pragma once

#include <stdint.h>

/* As it is linked; NULL: unknown. One thread at a time. */
const char *tv_function_name(uint64_t address);
