/* load_options: how a trace is to be read, and which part of it: what trace_load() hands to readers
 * and cache. */
#pragma once

#include "model/trace/trace.h"

struct rank_range {
	int32_t first, last;
};

/* A part of a trace: what is outside is not loaded, where the format allows that, and never shown.
 * What is kept of it all the same: definitions, offsets, and whatever matching the rest needs. */
struct load_part {
	const struct rank_range *ranks; /* [n_ranks] borrowed; RANK_HOST is in the range of itself
					   alone */
	size_t n_ranks;                 /* 0: all ranks */
	bool timed;
	int64_t t0, t1; /* nanoseconds from the trace's zero, on the reference clock; half-open */
};

struct slab_pool;

struct load_options {
	const char *as; /* format by name ("picl"), NULL: by content */
	bool strict;
	int jobs;               /* threads, 0: as many as cores */
	struct load_part part;  /* zeroed: everything */
	bool no_cache;          /* neither use nor write a cache file */
	uint64_t max_mem;       /* bytes of memory for the store, 0: half of all; the rest goes to a
				  file, but not with no_cache */
	struct slab_pool *pool; /* trace_load()'s own: what a reader gives to its builder */
	/* Makes a trace of a job that runs ("live:NAME", load.h); NULL: it is a file's name. */
	struct trace *(*live)(const char *name, struct err *err);
	/* What is called when a damaged piece of a cache file is touched (base/guard.h): never
	 * returns. NULL: all of a cache file is checked when it is opened. */
	void (*cache_damaged)(void *context);
	void *cache_context;
};

static inline bool load_part_has_rank(const struct load_part *part, int32_t rank)
{
	bool is = part->n_ranks == 0;

	for (size_t i = 0; !is && i < part->n_ranks; i++)
		is = rank >= part->ranks[i].first && rank <= part->ranks[i].last &&
		     (rank != RANK_HOST || part->ranks[i].first == RANK_HOST);
	return is;
}
