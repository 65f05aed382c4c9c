/* beside: tvrun --live. The views are in the terminal while the program runs beside them.
 *
 * tvrun forks. The child is a tvrun as ever, but without a terminal: its program reads nothing, and
 * what it writes goes to a file. The parent shows the file, and the viewer from the first rank on.
 * A user who leaves the viewer sees the file again, and the program goes on.
 *
 *	struct beside beside;
 *	if (!beside_fork(&beside, "run.trc", &err)) ...
 *	if (beside.tvrun)
 *		return beside_show(&beside);	// the parent; its exit status
 *	...					// the child goes on */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

struct beside {
	pid_t tvrun;       /* the process that runs the program; 0: this one */
	struct str output; /* the file: the trace's name with .out */
	int file;          /* to read it */
	bool anything;     /* the viewer has been there */
};

/* False with err, and without a child: there is no terminal, or the file cannot be written. */
bool beside_fork(struct beside *beside, const char *trace, struct err *err);
/* Returns when the program and the viewer have ended: with the status of the former. */
int beside_show(struct beside *beside);
