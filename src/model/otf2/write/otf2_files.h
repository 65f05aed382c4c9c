/* otf2_files: writes the files of an archive. It appears whole or not at all: it is written into a
 * temporary folder, and an existing archive is removed only when the new one is complete. Such a
 * folder that a killed process left is removed by the next one that writes the archive. */
#pragma once

#include "model/trace/cut.h"

/* trace_save() for archives (model/formats/save.h says what `path` may be). */
bool otf2_save(struct trace *trace, const char *path, const char *input,
	       const struct save_options *options, const struct progress *progress,
	       struct err *err);

/* True if otf2_save() could write there, else false with err. */
bool otf2_save_check(const char *path, struct err *err);
