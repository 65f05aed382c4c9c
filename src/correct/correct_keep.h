/* correct_keep: what correct_run() found, kept with the trace (model/trace/keep.h) and so in its
 * cache file.
 *
 * struct corrections is kept as it is in memory, its arrays beside it: a report that gets another
 * array needs a row in correct_keep.c. Results of other options are ignored. */
#pragma once

#include "correct/correct.h"

/* Hash of the options and the measurements of an offsets file. */
uint64_t correct_key(const struct correct_options *options, const struct offset *offsets, size_t n);

void correct_keep(struct trace *trace, const struct corrections *corrections, uint64_t key,
		  enum time_base want);
/* What was kept with this key and with at least what is wanted, if all its bases are there; else
 * NULL. */
struct corrections *correct_kept(struct trace *trace, uint64_t key, enum time_base want);
/* Changes with options and offsets of the kept corrections; 0: none are kept. */
uint64_t correct_kept_key(const struct trace *trace);

/* Keeps the trace's own offsets while those of a file replace them. */
void correct_keep_offsets(struct trace *trace);
/* Puts them back; nothing happens where no others were put in their place. */
void correct_own_offsets(struct trace *trace);
