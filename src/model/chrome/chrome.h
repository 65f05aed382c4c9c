/* chrome: reader of the Trace Event Format (JSON), which browsers, Perfetto's converters, and the
 * profilers of PyTorch and TensorFlow write. (model/formats/chrome_write writes it.)
 *
 * Read are complete events (X), begin and end (B, E), flow events (s, t, f), which are messages if
 * they lead from one process to another, counters (C), instants (i, I, R) and metadata (M); the
 * object {"traceEvents": [...]} and the bare array, which may lack its last bracket. Everything
 * else is counted. A process (pid) is a rank, its threads (tid) are locations; of a profiler's file
 * all is one rank, streams of devices are under it, and kernels of NCCL are collectives.
 *
 * Several files are one run: each has ranks and a clock of its own (chrome_ranks, chrome_clocks).
 *
 * Memory: about 48 bytes an event until all are sorted, beside the trace. O(events log events). */
#pragma once

#include "model/build/load_options.h"

/* By the first bytes of the (decompressed) text. */
bool chrome_recognise(const char *bytes, size_t n);

/* fd is borrowed and read from its start. NULL with err where nothing could be read, or for several
 * processes; NULL with err untouched if progress dropped it. What is read before damage is kept. */
struct trace *chrome_read(const char *path, int fd, const struct load_options *options,
			  const struct progress *progress, struct err *err);

/* Several files of one run; their order does not matter. A file that cannot be read is damage,
 * unless all are. */
struct trace *chrome_read_files(const char *const *paths, size_t n,
				const struct load_options *options, const struct progress *progress,
				struct err *err);

/* What the begin of a file says, before its events. */
struct chrome_head {
	int32_t rank; /* of a training job; -1 unknown */
};

/* False: it is another file, or cannot be opened. */
bool chrome_look(const char *path, struct chrome_head *head);
