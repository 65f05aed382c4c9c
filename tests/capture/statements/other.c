/* The same procedure once more, from another file; its line of calling is told by a number that no line of counts.c has. */
#include "twice.h"

int other(int n)
{
	PROCEDURE(other);
	counts.from = 499;
	n = twice(n);
	DONE(other);
	return n;
}
