/* chosen: which functions are to be recorded, by the rules that tvrun was given (--only, --exclude;
 * TVIEW_RULES has them, one a line: `only PATTERN`, `exclude PATTERN`, `no-loops PATTERN`).
 *
 * A pattern is an extended regular expression that is searched in the function's name. The last one
 * of `only` and `exclude` that matches decides; what none matches is in, unless the first of these
 * is `only`. A function without a known name has the name "". `no-loops` leaves out the loops of
 * tvcc's that are in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads the rules; false: there are none, all functions are in. */
bool tv_chosen_start(void);

/* The sites of tvcc in a section (sites.h): for each slot whether it belongs to a procedure or loop
 * that is not to be recorded, enum tv_chosen_slot. Mapped for the whole run; NULL: no memory, all
 * are recorded. */
enum tv_chosen_slot { TV_SLOT_IN, TV_SLOT_OUT, TV_SLOT_OUT_ENTERED };
uint8_t *tv_chosen_slots(const char *start, const char *stop);

/* The same of a function that is entered, by its place (lifetimes.h), from the symbols of its
 * module. Its name is looked up once; it is the linked one or, of Fortran too, the source's. */
struct tv_thread;
bool tv_chosen(struct tv_thread *t, uint64_t function);
