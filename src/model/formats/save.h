/* save: writes a trace in any format. What is written appears whole or not at all: a file under a
 * temporary name beside it, an OTF2 archive in a temporary folder; an archive that was there before
 * is taken away only when the new one is complete. */
#ifndef TVIEW_MODEL_FORMATS_SAVE_H
#define TVIEW_MODEL_FORMATS_SAVE_H

#include "model/trace/trace.h"

struct save_options {
	enum time_base base;      /* times of this base (made) are written */
	int64_t t0, t1;           /* window in that base; INT64_MIN, INT64_MAX: all */
	const uint8_t *locations; /* [location] 1 = written; NULL all */
};

/* What is written of a trace's properties: not what its measurement cost with times that are without it,
 * or the next reader took it out once more. Times that no offsets give are named in a property
 * SAVE_TIMES, instead of one that is there. */
#define SAVE_TIMES "times"
bool save_has_property(const struct trace *trace, const struct property *property,
		       enum time_base base);

enum save_format { SAVE_PICL, SAVE_OTF2, SAVE_CHROME, SAVE_FORMATS };

/* The format of that name ("picl", "otf2", "chrome"), SAVE_FORMATS without. */
enum save_format save_format_find(const char *name);
/* The format that a file's name asks for: .otf2, .json (chrome), any other PICL. */
enum save_format save_format_of_file(const char *path);

/* Writes a trace. `path`: a file, "-" stdout (not for OTF2). An OTF2 archive NAME.otf2 comes with
 * NAME.def, a folder NAME and, where there are markers, NAME.marker; a path that is a folder, or ends in '/', is the folder of an archive
 * "traces.otf2"; any other without ".otf2" gets it. `input` (NULL: none) is the file the trace was
 * read from, which must not be written. `options` NULL: all of it, as measured. False with err when
 * it cannot be written (disk full), or was cancelled; then nothing is left behind. */
bool trace_save(struct trace *trace, enum save_format format, const char *path, const char *input,
		const struct save_options *options, const struct progress *progress,
		struct err *err);

/* True when trace_save() could write there; makes no file. For runs of hours that are written at
 * their end. */
bool save_check(enum save_format format, const char *path, struct err *err);

#endif
