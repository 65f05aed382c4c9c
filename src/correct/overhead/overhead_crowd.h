/* overhead_crowd: what ranks that share cores take from each other. While one of them records,
 * others of its node wait for a core, and no event of theirs says so. With R ranks, or threads, on
 * C cores, each with so much overhead o_r: where the cores are busy all the time, the run without
 * it is shorter by sum(o_r) / C, so that each record has taken the run
 *
 *	sum(o_r) / (C max(o_r))		times its own cost, at least 1;
 *
 * and at most R / C times, where no rank gives its core away while it waits; or as much as the run
 * was longer than the ranks had cores, if that is more: other programs ran, too, or ranks slept. At
 * least once: there was a core for each that recorded. Known of the node of rank 0 alone
 * (model/trace/crowd.h), and taken for all. */
#pragma once

#include "correct/overhead/overhead_survey.h"

struct overhead_crowd {
	double best, most; /* factors of a record's cost; 1: as far as is known none share cores */
};

/* Where several processes share the trace, all call it. */
struct overhead_crowd overhead_crowd(const struct trace *trace,
				     const struct overhead_survey *survey,
				     const struct overhead_cost *cost);
