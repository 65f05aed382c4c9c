/* loader: reads a trace, and corrects its times, in a thread of its own, so that keys work
 * meanwhile.
 *
 * The thread tells through a pipe that something has changed; everything else is read under a lock.
 * A preview grows with what is read (model/formats/preview.h). loader_free() stops the thread and
 * waits for it, though not for ever: one that a read holds (a pipe that says nothing, a file server
 * that is gone) is left to the end of the process, with what it uses. */
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
	bool correcting;    /* all is read; the times are being corrected */
	bool ended;
};

/* `correct` NULL: the times stay as they are. */
struct loader *loader_new(const char *path, const struct load_options *options,
			  const struct correct_options *correct, struct err *err);
void loader_free(struct loader *loader);
struct preview *loader_preview(const struct loader *loader); /* asked to go on by loader_state() */
int loader_fd(const struct loader *loader);              /* readable when the state has changed */
struct loader_state loader_state(struct loader *loader); /* empties the pipe */
/* Stops reading: with `keep` what has been read becomes the trace, else nothing. Stops correcting:
 * with `keep` the trace stays with the times that it has. */
void loader_stop(struct loader *loader, bool keep);
/* After it has ended: the trace and what was corrected in it (the caller's), or NULL with err. Of a
 * trace whose correction was stopped, or failed, *corrections is NULL and `why` (of WHY_BYTES) says
 * so. */
enum { WHY_BYTES = 256 };
struct trace *loader_take(struct loader *loader, struct corrections **corrections, char *why,
			  struct err *err);
