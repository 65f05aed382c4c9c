/* sums: a trace owns the shadings and profile sums of its bases, which this folder makes. */
#pragma once

struct trace;

/* Called by whoever gives sums to a trace: they are freed with it, or with their base. */
void sums_attach(struct trace *trace);
