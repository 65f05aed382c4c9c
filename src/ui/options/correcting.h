/* correcting: which corrections to make when a trace is opened (correct/correct.h), by the options
 * of the command line. */
#pragma once

#include "correct/correct.h"
#include "ui/options/option.h"

/* Bases up to which a view of these options needs corrections: what --base names, else the best
 * clock; `all` asks for every base whatever is shown (the screen, where `b` switches; views about
 * the corrections). Texts are borrowed from `options`. */
void correcting_options(struct correct_options *how, const struct options *options, bool all);

/* True if the whole trace must be read, since clocks are fitted to the messages of the whole run:
 * times must not depend on the part. False if times need the clock offsets only. */
bool correcting_needs_whole(const struct options *options);

/* Computes, for the trace's cache file, all that the first screen of the next start shows. */
void correcting_prepare(struct trace *trace);
