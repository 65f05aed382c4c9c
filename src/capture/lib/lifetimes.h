/* lifetimes: which module an address belongs to, where modules are unloaded and others are loaded
 * at the same addresses later.
 *
 * A place in a module is its address. If a module of another file was mapped there before, its
 * number among those is added from bit 48 on, to the places as well as to the bounds in
 * TV_DEF_MODULE: readers compare and subtract as with addresses. A module that is loaded again
 * where it was has the number that it had. Modules are noted when the first of their functions is
 * entered, and before any module is unloaded; an unloading voids all caches of places
 * (tv.generation).
 *
 * Thread rule: any thread, without a lock where nothing is noted. */
#pragma once

#include "capture/lib/recorder.h"

/* As tv_lasting() of recorder.h, for a handler of signals: a module that was not noted yet stays
 * so. */
uint64_t tv_lasting_known(uint64_t address);

/* Code at an address is recorded for the first time. */
void tv_lasting_note(struct tv_thread *t, uint64_t address);
