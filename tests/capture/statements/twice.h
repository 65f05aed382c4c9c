/* A procedure in two files: one statement of the trace. */
#ifndef TWICE_H
#define TWICE_H

#include "counts.h"

static inline int twice(int n)
{
	PROCEDURE(twice);
	DONE(twice);
	return 2 * n;
}

int other(int n);

#endif
