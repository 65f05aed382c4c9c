/* overhead_latency: how long messages take, and receives of messages that are already there, as
 * measured in the trace itself (doc/references.md).
 *
 * Of a receive that certainly waited (it began before the send) the time between send and receive
 * is the message's latency: l_lo, l_mid, l_hi are the 2, 50 and 95 % quantiles, by size (powers of
 * two) and pair of nodes; where a pair has fewer than 20 samples, of all pairs on one node or on
 * two, and then of all sizes up to 4 KiB. Of a receive that began after the end of the send the
 * duration is what receiving itself costs (r): the 5, 50 and 95 % quantiles, by size. The same of
 * collectives with one root, by size and number of members: what comes down a tree takes longer.
 *
 * Where few receives wait, those that were begun soon after the send bound the latency: if of all
 * that were begun within some time nearly all were over within that time and what receiving takes,
 * then nearly all messages had arrived by then. Twice the smallest such time bounds all: segments
 * without probes are short, so that it is close to what the program does when it is not measured.
 *
 * Of very many pairs and sizes those have a set of their own whose hash is small: the order in
 * which samples are added does not matter. */
#pragma once

#include "base/keymap.h"
#include "correct/overhead/overhead_spread.h"
#include "model/trace/trace.h"

enum { LATENCY_LEAST = 20, RECEIVE_LEAST = 8 };

struct quantiles {
	double low, middle, high; /* ticks */
	double least, most;       /* bounds of all: half of the shortest, twice the longest */
};

struct latency_set {
	struct spread spread;
	struct quantiles quantiles;
	bool enough;
	double within; /* of OF_ENDED: ticks, INFINITY unknown */
};

/* What a set is of. */
enum latency_set_of {
	OF_PAIR, /* latency_add(), as the next two */
	OF_SAME_NODE,
	OF_TWO_NODES,
	OF_ROOT,         /* latencies of a collective with one root */
	OF_RECEIVE,      /* receiving, from here on */
	OF_COMPLETION,   /* of a receive that was posted before */
	OF_ROOT_RECEIVE, /* in a collective with one root */
	OF_BEGUN,        /* time from send to the begin of the receive, 0 if it is earlier, */
	OF_ENDED,        /* and to its end; `n`: 0 on one node, 1 on two */
};

struct overhead_latency {
	const struct trace *trace;
	struct keymap map;
	VEC(struct latency_set) sets;
	uint64_t bound; /* of the hashes of pairs that have sets, exclusive */
	uint32_t pairs; /* sets of pairs */
};

struct overhead_latency latency_init(const struct trace *trace);
/* `ticks` without measurement overhead. */
void latency_add(struct overhead_latency *latency, uint32_t from, uint32_t to, uint64_t bytes,
		 double ticks);
/* Of one of the other sets, of collectives with n members (one sender, n - 1 receivers; 0 of
 * messages). */
void latency_sample(struct overhead_latency *latency, enum latency_set_of of, uint32_t n,
		    uint64_t bytes, double ticks);
/* Adds the samples of the other processes that share the trace. All call it. */
void latency_share(struct overhead_latency *latency);
void latency_finish(struct overhead_latency *latency);
/* False: too few samples. */
bool latency_of(const struct overhead_latency *latency, uint32_t from, uint32_t to, uint64_t bytes,
		struct quantiles *quantiles);
/* A time in which all messages arrived, as far as nearly all show; INFINITY: unknown. */
double latency_within(const struct overhead_latency *latency, uint32_t from, uint32_t to,
		      uint64_t bytes);
/* Adds to what latency_within() is made of: ticks from the send to begin and end of the receive. */
void latency_bound(struct overhead_latency *latency, uint32_t from, uint32_t to, uint64_t bytes,
		   double begun, double ended);
/* The same by size, else of small messages of any size. */
bool latency_sampled(const struct overhead_latency *latency, enum latency_set_of of, uint32_t n,
		     uint64_t bytes, struct quantiles *quantiles);
void latency_fini(struct overhead_latency *latency);
