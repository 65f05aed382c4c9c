/* correcting: from what the command line says to what is corrected when a trace is opened
 * (correct/correct.h). */
#pragma once

#include "correct/correct.h"
#include "ui/options/option.h"

/* Bases up to which a view of these options needs corrections: what --base names, else the best
 * clock; `all` asks for every base whatever is shown (the screen, where `b` switches; views about
 * the corrections). Texts are borrowed from `options`. */
void correcting_options(struct correct_options *how, const struct options *options, bool all);

/* The same times in every part: a part of a trace is read only where nothing but the offsets goes
 * into its times, since clocks are fitted to the messages of the whole run. */
bool correcting_needs_whole(const struct options *options);

/* Has a trace compute, for its cache file, all that the first screen of the next start shows. */
void correcting_prepare(struct trace *trace);
