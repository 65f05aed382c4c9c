/* loader: reads a trace in a thread of its own, so that keys work meanwhile.
 *
 * The thread tells through a pipe that something has changed; everything else is read under a lock.
 * A preview grows with what is read (model/preview.h). loader_free() stops the thread and waits for
 * it, though not for ever: one that a read holds (a pipe that says nothing, a file server that is
 * gone) is left to the end of the process, with what it uses. */
#ifndef TVIEW_UI_LOADER_H
#define TVIEW_UI_LOADER_H

#include "model/load.h"
#include "model/preview.h"

struct loader;

struct loader_state {
	char what[64];      /* "reading", as the reader names it */
	bool reading;       /* done and all are bytes of the source, and there may be more events */
	uint64_t done, all; /* all 0: unknown */
	int64_t left_ms;    /* of this step, -1 not known yet */
	bool ended;
};

struct loader *loader_new(const char *path, const struct load_options *options, struct err *err);
void loader_free(struct loader *loader);
struct preview *loader_preview(const struct loader *loader); /* asked to go on by loader_state() */
int loader_fd(const struct loader *loader);              /* readable when the state has changed */
struct loader_state loader_state(struct loader *loader); /* empties the pipe */
/* Stops reading: with `keep` what has been read becomes the trace, else nothing. */
void loader_stop(struct loader *loader, bool keep);
/* After it has ended: the trace (the caller's), or NULL with err. */
struct trace *loader_take(struct loader *loader, struct err *err);

#endif
