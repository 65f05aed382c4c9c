/* subject: a simulated run with all that there is to compare. What goes wrong fails the test. */
#pragma once

#include "correct/correct.h"
#include "simulate/write.h"

/* A run, its trace with the corrections made, and the run that is the truth. */
struct subject {
	struct settings settings;
	struct run measured, real;
	const struct run *truth;
	struct trace *trace;
	struct corrections *corrections;
};

/* `settings` are copied; subject_end() frees all of it. */
void subject_begin(struct subject *c, const struct settings *settings, enum presync presync);
void subject_end(struct subject *c);
/* First to last event that counts (truth_counts()), in nanoseconds; BASE_COUNT: in truth. */
double subject_time(const struct subject *c, enum time_base base);
