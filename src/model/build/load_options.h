/* load_options: how to read a trace, and which part of it; trace_load() hands them to readers and
 * cache. */
#pragma once

#include "model/trace/trace.h"

struct rank_range {
	int32_t first, last;
};

/* A part of a trace. The rest is never shown, and not loaded where the format allows that, except
 * for definitions, offsets, and events that matching needs. */
struct load_part {
	const struct rank_range *ranks; /* [n_ranks] borrowed; RANK_HOST is only in a range that
					   begins with it */
	size_t n_ranks;                 /* 0: all ranks */
	bool timed;
	int64_t t0, t1; /* nanoseconds from the trace's zero, on the reference clock; half-open */
};

struct exchange;
struct slab_pool;

struct load_options {
	const char *as; /* format by name ("picl"), NULL: by content */
	/* JSON files that are one run, which the path of the first or last one means; borrowed. */
	const char *const *files;
	size_t n_files;
	bool strict;
	int jobs;              /* threads, 0: as many as cores */
	struct load_part part; /* zeroed: everything */
	bool no_cache;         /* neither use nor write a cache file */
	uint64_t max_mem;      /* bytes of memory for the store, 0: half of the machine's; the rest
				   goes to a file, but not with no_cache */
	struct exchange *exchange; /* of the processes that share the trace (base/exchange.h), NULL:
				      this one reads all */
	struct slab_pool *pool;    /* set by trace_load(), for the reader's builder */
	/* Makes a trace of a job that runs ("live:NAME", load.h); NULL: it is a file's name. */
	struct trace *(*live)(void *context, const char *name, struct err *err);
	void *live_context;
	/* Makes the tutor's trace ("tutor:", load.h); NULL: it is a file's name. */
	struct trace *(*tutor)(struct err *err);
	/* Called when a damaged piece of a cache file is touched (base/guard.h); must not return.
	 * NULL: all of a cache file is checked when it is opened, and the program ends with a
	 * sentence where one that is changed later leads to a fault. */
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
