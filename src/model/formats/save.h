/* save: writes a trace in any format. The result appears whole or not at all: a file is written
 * as base/output.h says, an OTF2 archive in a temporary folder; an existing archive is
 * removed only when the new one is complete. */
#pragma once

#include "model/trace/cut.h"

enum save_format { SAVE_PICL, SAVE_OTF2, SAVE_CHROME, SAVE_FORMATS };

/* The format of that name ("picl", "otf2", "json"), SAVE_FORMATS without. */
enum save_format save_format_find(const char *name);
/* The format that a file's name asks for: .otf2, .json, any other PICL; a file's name may
 * end in .zst beside (base/output.h), but an archive cannot be written by such a name. */
enum save_format save_format_of_file(const char *path);

/* Writes a trace. `path`: a file, "-" stdout (not for OTF2). An OTF2 archive NAME.otf2 comes with
 * NAME.def, a folder NAME and, where there are markers, NAME.marker; a path that is a folder, or
 * ends in '/', is the folder of an archive "traces.otf2"; any other without ".otf2" gets it.
 * `input` (NULL: none) is the file the trace was read from, which must not be written. `options`
 * NULL: all of it, as measured. False with err when it cannot be written (disk full), or was
 * cancelled; then nothing is left over. */
bool trace_save(struct trace *trace, enum save_format format, const char *path, const char *input,
		const struct save_options *options, const struct progress *progress,
		struct err *err);

/* True if trace_save() could write there, else false with err; makes no file. For runs of hours
 * that are written at their end. */
bool save_check(enum save_format format, const char *path, struct err *err);
