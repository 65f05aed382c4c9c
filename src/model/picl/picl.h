/* picl: reader and writer of the PICL 2.0 trace format (ORNL/TM-12125, 1992) with MPICL's event
 * types and tview's own additions (doc/format.md). Lenient by default: deviations are understood
 * where possible, counted and shown with their lines. Times are decimal integers throughout.
 * Nothing of a file ever reaches scanf or printf: descriptors are interpreted (descriptor.h). */
#pragma once

#include <stdio.h>

#include "model/build/builder.h"

struct load_part;
#include "model/trace/cut.h"

struct slab_pool;

struct picl_options {
	bool strict; /* the first deviation is an error */
	int jobs;
	const struct load_part *part; /* NULL: everything */
	struct slab_pool *pool;       /* bounds the memory; NULL: no bound */
	uint64_t max_mem; /* bytes for each process that shares it, where they divide its text; 0:
			     no bound */
	struct exchange *exchange; /* the processes that share the trace; NULL: this one alone */
};

/* Reads a whole file; of processes that share it each reads a part, or all of it, and has the
 * events of some ranks (fd, borrowed, is read from its start; may be a pipe; gzip and zstd are
 * decompressed). NULL with err for old PICL 1.x files, files that are not traces, and in strict
 * mode at the first deviation; NULL with err untouched if progress dropped it. Damaged records are
 * skipped and counted (trace_finding). */
struct trace *picl_read(const char *path, int fd, const struct picl_options *options,
			const struct progress *progress, struct err *err);

/* Writes a trace as one sorted PICL file. False with err if the stream failed (disk full) or
 * writing was cancelled. */
bool picl_write(struct trace *trace, FILE *out, const struct save_options *options,
		const struct progress *progress, struct err *err);
