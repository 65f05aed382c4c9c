/* sources: from which ranks each rank of a communicator receives in neighbourhood collectives, if
 * its topology is a graph, or a grid that was not recorded. It is kept as a topology of this name,
 * so that all formats have it: the coordinates of a rank are its sources, filled up with the rank
 * itself. It is not a grid. */
#pragma once

#include <string.h>

#include "model/trace/trace.h"

#define SOURCES_NAME "tview:sources"

static inline bool topology_is_sources(const struct trace *trace, const struct topology *t)
{
	return strcmp(trace_string(trace, t->name), SOURCES_NAME) == 0;
}
