/* causes_reference: delay costs as the specification says them, by going over everything again and
 * again: intervals event by event, common points by looking back, costs until they no longer
 * change. */
#ifndef TESTS_PATTERNS_CAUSES_REFERENCE_H
#define TESTS_PATTERNS_CAUSES_REFERENCE_H

#include "patterns/causes/causes_state.h"

/* Asserts that every cell of delay_* of the whole run is the reference's. */
void causes_reference_check(const struct causes *causes);

#endif
