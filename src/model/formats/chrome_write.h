/* chrome_write: writes a trace in the Trace Event Format (JSON), which Perfetto and Chrome
 * open. A location is a thread (tid) of its rank (pid). Times are microseconds, exact to the
 * tick. */
#pragma once

#include <stdio.h>

#include "model/formats/save.h"

/* False with err if the stream failed (disk full) or writing was cancelled. */
bool chrome_write(struct trace *trace, FILE *out, const struct save_options *options,
		  const struct progress *progress, struct err *err);
