/* otf2_write: writes a trace as an OTF2 archive (version 3.0). Location by location; times of the
 * measured base are the raw ones, with the clock offsets beside them, those of any other base are
 * its own, without offsets. Data for which OTF2 has no record is written under tview's own names
 * (otf2_own.h). Others use trace_save(), which puts the archive in its place. */
#pragma once

#include "model/trace/cut.h"

/* Writes FOLDER/NAME.otf2, FOLDER/NAME.def, FOLDER/NAME/ and, where there are markers,
 * FOLDER/NAME.marker (none of which may exist). False with err if the library or the disk refuses;
 * files written until then stay. Of processes that share the trace all call it, with the same
 * arguments; where one fails, it fails in all, with the err in that one. */
bool otf2_write(struct trace *trace, const char *folder, const char *name,
		const struct save_options *options, const struct progress *progress,
		struct err *err);
