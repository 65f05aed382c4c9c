/* loader: reads a trace and corrects its times in a thread, so that keys work meanwhile.
 *
 * The thread signals changes through a pipe; all other state is read under a lock. A preview grows
 * while the trace is read (model/formats/preview.h). loader_free() stops the thread and waits for
 * it, though not for ever: a thread that is blocked in a read (a silent pipe, a dead file server)
 * stays until the process ends, with its memory. */
#pragma once

#include "correct/correct.h"
#include "model/formats/load.h"
#include "model/formats/preview.h"

struct loader;

struct loader_state {
	char what[64];      /* "reading", as the reader names it */
	bool reading;       /* done and all are bytes of the source, and there may be more events */
	uint64_t done, all; /* all 0: unknown */
	int64_t left_ms;    /* of this step, -1 not known yet */
	bool correcting;    /* reading is done; the times are being corrected */
	bool ended;
};

/* `correct` NULL: times are not corrected. NULL with err if no pipe or thread can be made. */
struct loader *loader_new(const char *path, const struct load_options *options,
			  const struct correct_options *correct, struct err *err);
void loader_free(struct loader *loader);
struct preview *loader_preview(const struct loader *loader); /* loader_state() asks it for an
								update */
int loader_fd(const struct loader *loader);              /* readable when the state has changed */
struct loader_state loader_state(struct loader *loader); /* empties the pipe */
/* Stops reading: with `keep` what has been read becomes the trace, else nothing. Stops correcting:
 * with `keep` the trace stays with the times that it has. */
void loader_stop(struct loader *loader, bool keep);
/* After it has ended: the trace and its corrections, which become the caller's, or NULL with err.
 * If correction was stopped or failed, *corrections is NULL and `why` (WHY_BYTES) has the
 * reason. */
enum { WHY_BYTES = 256 };
struct trace *loader_take(struct loader *loader, struct corrections **corrections, char *why,
			  struct err *err);
