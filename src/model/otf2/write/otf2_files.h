/* otf2_files: the files of an archive that is written. It appears whole or not at all: it is
 * written into a temporary folder, and an archive that was there before goes only when the new one
 * is complete. */
#pragma once

#include "model/trace/cut.h"

/* trace_save() for archives (model/formats/save.h says what `path` may be). */
bool otf2_save(struct trace *trace, const char *path, const char *input,
	       const struct save_options *options, const struct progress *progress,
	       struct err *err);

/* True when otf2_save() could write there. */
bool otf2_save_check(const char *path, struct err *err);
