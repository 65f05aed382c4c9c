/* launcher: the launcher of MPI that started this tvrun, if one did: mpiexec -n 4 tvrun ./app. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct launcher {
	int rank;       /* that the program will have, -1: no launcher */
	struct str job; /* the same for all ranks of the job on this node at least */
};

void launcher_find(struct launcher *launcher);
/* A name with %p (process), %h (host), %r (rank), %j (job of the batch system or launcher), %%. */
void launcher_name(struct str *out, const char *pattern, const struct launcher *launcher);
