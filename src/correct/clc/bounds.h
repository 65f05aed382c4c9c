/* bounds: what the clock condition asks of every party of a group, in O(parties) altogether: an end
 * is not before the latest (begin + minimum latency) of those that send to it, a begin not after
 * the earliest (end - minimum latency) of those that it sends to. No party waits for itself (A3);
 * latencies are those of each pair, for which the latest of every node is kept (A4).
 *
 *	bounds_start(&b, parties, &group, nodes, false);
 *	parties[i].value = time of the begin of each that sends, before its limits are asked for
 *	limit = bounds_limit(&b, parties, &group, &lmin, j);
 *
 * Backward (`back`) the values are the ends of those that receive with the sign turned, and so is
 * the limit. Of a prefix operation parties may be asked for as soon as those before them have
 * values (those after them when `back`), of a neighbourhood as soon as its neighbours have; of all
 * others all values are there at the first question. */
#pragma once

#include "correct/clocks/lmin.h"
#include "correct/clocks/logical.h"

#define BOUND_NONE INT64_MIN /* no limit */

struct bounds_party {
	int64_t value; /* ticks; the caller's */
	int64_t limit; /* once it is known */
	/* Of its node, at the first party that is on it. */
	int64_t best, second; /* latest value, latest of the others */
	uint32_t who;         /* party of the latest */
	uint32_t node;        /* first party on the same node, UINT32_MAX: node unknown */
};

struct bounds {
	int64_t top, next; /* latest over the nodes, latest over the others */
	uint32_t top_node; /* of the latest */
	int64_t unknown, unknown_second;
	uint32_t unknown_who;
	uint32_t swept; /* parties whose values were taken in */
	bool started, back;
};

/* Which locations are on one node; made once for a trace. */
struct bounds_nodes;
struct bounds_nodes *bounds_nodes_new(const struct trace *trace);
void bounds_nodes_free(struct bounds_nodes *nodes);

void bounds_start(struct bounds *b, struct bounds_party *parties, const struct group *group,
		  struct bounds_nodes *nodes, bool back);
int64_t bounds_limit(struct bounds *b, struct bounds_party *parties, const struct group *group,
		     const struct lmin *lmin, uint32_t party);
