/* dwarf_functions: functions and calls in debug information, by the address of their code. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The innermost function of a unit around an address; `inlined`: also one that was inlined into
 * another. */
bool dwarf_function_of(Dwarf_Die *unit, Dwarf_Addr address, bool inlined, Dwarf_Die *function);
/* The function, or the one inlined into it, that contains the call of an inlined one. */
bool dwarf_function_around(Dwarf_Die *inlined, Dwarf_Die *function);
/* The only call in a function that is a jump, with which the function ends. False: it has none, or
 * several. */
bool dwarf_tail_call(Dwarf_Die *function, Dwarf_Die *call);
/* The first of the lines that an address has; NULL: none begins there. */
Dwarf_Line *dwarf_first_line(Dwarf_Die *unit, Dwarf_Addr address);

/* The file of a definition in a unit; NULL unknown. */
const char *dwarf_definition_file(Dwarf_Die *unit, Dwarf_Die *die);

/* A file that is tview.h: what it says of a call, its caller does. */
bool dwarf_is_header(const char *file);
/* A call of tview.h that was inlined: it is where it was called. */
bool dwarf_is_of_header(Dwarf_Die *scope);
