/* carry_start: the ranks of a node meet after MPI_Init, and make the memory through which they tell
 * each other their times (carry.h); where the order of receives is controlled, nodes learn how to
 * ask each other (far.h). */
#pragma once

/* By all ranks of the world, whether they record or not. */
void tv_carry_start(void);
