/* counter_names: the names by which people choose a trace's counters: clean, and each once. */
#pragma once

#include "base/err.h"
#include "base/vec.h"
#include "model/trace/trace.h"

struct counter_names {
	VEC(char *) list; /* [metrics] owned */
};

void counter_names_make(struct counter_names *names, const struct trace *trace);
void counter_names_fini(struct counter_names *names);
/* The counter of a name, or the only one with that in its name. False with err. */
bool counter_names_find(const struct counter_names *names, const char *name, uint32_t *metric,
			struct err *err);
