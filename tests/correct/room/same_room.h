/* same_room: bounds of clocks that are equal to the last bit. */
#pragma once

#include "correct/correct_room.h"

void assert_same_room(const struct clock_room *a, const struct clock_room *b);
