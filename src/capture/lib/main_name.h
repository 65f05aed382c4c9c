/* main_name: how a Fortran source calls its main program, which is linked as MAIN__. */
#pragma once

#include <stddef.h>

/* By the debug information (DWARF, not compressed) of an ELF file of this machine that is mapped
 * from its start; the text is in the file. NULL: it has none. One thread at a time. */
const char *tv_main_name_in(const char *file, size_t size);
