/* sums: lets a trace own the shadings and profile sums of its bases, which this folder makes. */
#pragma once

struct trace;

/* To be called after giving sums to a trace: they are freed with the trace, or with their base. */
void sums_attach(struct trace *trace);
