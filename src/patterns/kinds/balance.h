/* balance: computational imbalance (specs: correction and patterns, section 6.7): by how much the
 * computation of a call path on a location deviates from the mean over the locations. */
#ifndef TVIEW_PATTERNS_KINDS_BALANCE_H
#define TVIEW_PATTERNS_KINDS_BALANCE_H

#include "patterns/severity/cube.h"

/* Adds the metrics imbalance* to a settled cube that has times and visits, which is settled again. The
 * mean is over all processes, visitors or not (A14); inside a parallel region, and where other threads
 * than the processes' first ones come, over all threads. O(call paths with computation x locations). */
void balance_add(struct cube *cube);

#endif
