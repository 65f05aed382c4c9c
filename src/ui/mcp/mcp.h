/* mcp: tview for programs that speak the Model Context Protocol: JSON-RPC 2.0, a message a line,
 * on two streams.
 *
 * A call of a tool is a run of tview itself, in a process of its own, on one trace or one of a
 * folder; it writes nothing but cache files, as every run does. What is wrong in a message is
 * answered with an error; nothing in it ends the loop but the end of the stream. */
#pragma once

#include <stdio.h>

#include "base/err.h"

struct mcp_root {
	const char **paths; /* [n] absolute; of the trace, its files, or the folder */
	size_t n;
	bool folder; /* traces are those below it */
};

/* Serves until the end of `in`. `paths` [n] are a trace, files of one run, or a folder; `program`
 * is the tview that is run. False with err. */
bool mcp_serve(const char *program, const char *const *paths, size_t n, FILE *in, FILE *out,
	       struct err *err);
