#include "correct/logical.h"

#include <stdlib.h>

#include "base/mem.h"

struct logical {
	const struct trace *trace;
	struct logical_counts counts;
};

const char *logical_class_name(enum logical_class cls)
{
	static const char *const names[LOGICAL_CLASSES] = {
		[LOGICAL_P2P] = "p2p",         [LOGICAL_BARRIER] = "barrier",
		[LOGICAL_ONE_TO_N] = "1-to-n", [LOGICAL_N_TO_ONE] = "n-to-1",
		[LOGICAL_N_TO_N] = "n-to-n",   [LOGICAL_PREFIX] = "prefix",
		[LOGICAL_FORK] = "fork",       [LOGICAL_WORLD] = "init/finalize",
		[LOGICAL_JOIN] = "join",       [LOGICAL_TEAM] = "omp barrier",
	};

	return names[cls];
}

struct logical *logical_new(const struct trace *trace, const struct progress *progress,
			    struct err *err)
{
	struct logical *logical = xcalloc(1, sizeof *logical);

	(void)progress;
	(void)err;
	logical->trace = trace;
	return logical;
}

void logical_free(struct logical *logical)
{
	free(logical);
}
