#include "correct/correct.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void corrections_note(struct corrections *corrections, const char *fmt, ...)
{
	va_list args;

	for (int i = 0; i < CORRECT_NOTES; i++) {
		if (corrections->notes[i][0])
			continue;
		va_start(args, fmt);
		vsnprintf(corrections->notes[i], CORRECT_NOTE, fmt, args);
		va_end(args);
		return;
	}
}

struct corrections *correct_run(struct trace *trace, const struct correct_options *options,
				const struct progress *progress, struct err *err)
{
	struct corrections *corrections = xcalloc(1, sizeof *corrections);

	(void)options;
	if (trace_has_base(trace, BASE_LINEAR) &&
	    !trace_base_make(trace, BASE_LINEAR, progress, err)) {
		corrections_free(corrections);
		return NULL;
	}
	return corrections;
}

void corrections_free(struct corrections *corrections)
{
	free(corrections);
}
