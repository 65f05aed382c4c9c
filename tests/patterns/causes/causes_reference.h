/* causes_reference: delay costs as the specification says them, by going over everything again and
 * again: intervals event by event, common points by looking back, costs until they no longer
 * change. */
#pragma once

#include "patterns/causes/causes_state.h"

/* Asserts that every cell of delay_* of the whole run is the reference's. */
void causes_reference_check(const struct causes *causes);
