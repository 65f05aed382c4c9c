/* loader: reads a trace in a thread of its own, so that keys work meanwhile.
 *
 * The thread tells through a pipe that something has changed; everything else is read under a lock.
 * loader_free() stops the thread and waits for it. */
#ifndef TVIEW_UI_LOADER_H
#define TVIEW_UI_LOADER_H

#include "model/load.h"

struct loader;

struct loader_state {
	char what[64]; /* "reading", as the reader names it */
	uint64_t done, all;
	bool ended;
};

struct loader *loader_new(const char *path, const struct load_options *options, struct err *err);
void loader_free(struct loader *loader);
int loader_fd(const struct loader *loader);              /* readable when the state has changed */
struct loader_state loader_state(struct loader *loader); /* empties the pipe */
/* Stops reading: with `keep` what has been read becomes the trace, else nothing. */
void loader_stop(struct loader *loader, bool keep);
/* After it has ended: the trace (the caller's), or NULL with err. */
struct trace *loader_take(struct loader *loader, struct err *err);

#endif
