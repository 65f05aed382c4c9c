/* under_way: how many messages, and bytes, are on their way to each rank: sent, and not yet
 * received.
 *
 * A message is under way from its send (the start of a nonblocking one) to the completion of its
 * receive, both in the query's base; one that arrives before it is sent never is. A message with
 * one recorded end is not in the queue, for its other time is not known; such messages are counted
 * apart. Broadcasts are a message to each rank.
 *
 * Of a trace that several processes share each makes the queues of its own ranks, and knows of the
 * others how many messages have one end alone.
 *
 * O(messages x log(messages under way) + ranks x cells). */
#pragma once

#include "views/query/view.h"

/* A number of messages or bytes over time. */
struct under_way_level {
	uint64_t now;    /* while the queue is made */
	uint64_t most;   /* in the window */
	int64_t most_at; /* ticks: when it was that much first */
	double sum;      /* ticks times number: divided by a time it is the mean */
};

struct under_way_cell {
	uint64_t most, most_bytes;
	double sum, sum_bytes; /* ticks times number */
};

struct under_way_rank {
	int32_t rank;
	uint32_t location;   /* the first of the rank */
	uint64_t messages;   /* under way in the window at some time */
	uint64_t unreceived; /* sent to the rank, no completed receive recorded */
	uint64_t unsent;     /* received by the rank, no send recorded */
	uint8_t no_bytes;    /* bool: the size of some is unknown and counts as none */
	struct under_way_level count, bytes;
	int64_t since;  /* ticks: up to there the cells are done */
	size_t at_cell; /* that has `since` */
};

struct under_way {
	int64_t *edges; /* [cells + 1] ticks; owned */
	size_t cells;
	struct under_way_rank *ranks; /* [n] by rank; owned */
	uint32_t n;
	struct under_way_cell *over_time; /* [n][cells]; owned */
};

/* Of the ranks of the chosen locations, in at most `cells` cells. False if progress stopped it;
 * under_way_fini() in either case. */
bool under_way_make(struct under_way *w, const struct query *query, size_t cells);
void under_way_fini(struct under_way *w);
