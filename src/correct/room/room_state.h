/* room_state: what the files of the room share. */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "correct/room/room.h"

struct room_measure {
	uint32_t clock;
	double time, error, half;
};

struct room_mean {
	uint64_t clock;
	double mean, bend;
};

typedef VEC(struct room_party) room_party_vec;

/* Collectives of the same clocks in one window: the shortest ones, shortest first. */
struct room_bucket {
	enum room_group kind;
	uint32_t n; /* parties of each */
	uint32_t kept;
	double length[ROOM_GROUPS];
	struct room_party *parties[ROOM_GROUPS]; /* [n] */
};

struct room {
	uint32_t clocks;
	struct room_windows windows;
	bool *is_set;         /* [clocks] has a step */
	struct keymap row_of; /* (from, to, sent, received) */
	VEC(struct room_row) rows;
	bool sorted;
	struct keymap bucket_of; /* (members, members, window, kind) */
	VEC(struct room_bucket) buckets;
	VEC(struct room_measure) records;
	VEC(struct room_mean) means;
	double *mean; /* [clocks] mean rate, once solved */
	double *own;  /* [clocks] bend of the clock itself */
	bool watched;
	double drift;   /* what clocks are taken to drift by, at most */
	double *loose;  /* [clocks * ROOM_WINDOWS] by how much a clock may differ in a window from
			  what drift allows, because bounds contradict each other */
	bool *is_loose; /* [clocks] in some window */
	double trust;   /* half round trips that records may be wrong by */
	double bend;
	double grain;
	double reversed;
};

/* ---- room_rows.c ---- */

/* How far a time is before the first or after the last window. */
double room_outside(const struct room_windows *windows, double time);
/* Of a row of another process, too. */
void room_add_row(struct room *room, const struct room_row *row);

/* From a party's begin to another's end: a message, or n = 0 if it joins no parts. */
void room_bound(struct room *room, const struct room_party *from, const struct room_party *to,
		uint32_t n);

/* ---- room_groups.c ---- */

/* Parties that stay as they are: where it is among the shortest. */
void room_keep_group(struct room *room, const struct room_party *parties, uint32_t n,
		     enum room_group kind);
void room_buckets_fini(struct room *room);

/* ---- room_parts.c ---- */

enum { JOINED_BY = 3 }; /* messages each way */

/* part[clock]: the first clock of its part. */
void room_parts(struct room *room, uint32_t *part);

/* Bounds: x_to <= x_from + length. */
typedef VEC(struct path_edge) room_edge_vec;

/* ---- room_solve.c ---- */

/* Bounds by messages against each clock's root, [clocks * ROOM_WINDOWS], at drifts of[clock]. */
void room_spans(struct room *room, const uint32_t *root, struct room_clock *of,
		struct room_span *spans);

/* ---- room_drift.c ---- */

/* What messages know of drift, into of[clock] (least, most, drift); room->drift is what is assumed
 * from then on. Uses the spans. */
void room_look_at_drift(struct room *room, const uint32_t *part, struct room_clock *of,
			struct room_span *spans);

/* ---- room_between.c ---- */

/* Keeps lengthened edges, if they are not too many. */
void room_edges_keep(struct room_edges *kept, const room_edge_vec *edges, uint32_t nodes,
		     const double *value);
/* Gives them to all processes. */
void room_edges_share(struct room_edges *kept, struct exchange *x);
void room_edges_fini(struct room_edges *kept);

/* ---- room_potentials.c: clocks that satisfy all bounds ---- */

typedef VEC(uint32_t) room_node_vec;

/* value[n] with value[to] <= value[from] + length for each edge, 0 where all lengths are >= 0.
 * False: there are none, and *cycle has nodes of a cycle of bounds that contradict each other, or
 * nothing where it took too long to find. */
bool room_potentials(const room_edge_vec *edges, uint32_t n, double *value, room_node_vec *cycle);

/* ---- room_edges.c: the graph of one solution ---- */

struct room_graph {
	uint32_t nodes;
	room_edge_vec edges;
	const struct room_clock *of; /* drifts */
	const uint32_t *root;        /* [clocks] whose error is 0: one node, and edges between
					clocks of different roots are left out */
	const bool *used;            /* [records], NULL: none is used */
};

/* Clock c at window w; a root is one node. */
static inline uint32_t room_node(const struct room_graph *graph, uint32_t clock, uint32_t window)
{
	return clock * ROOM_WINDOWS + (graph->root[clock] == clock ? 0 : window);
}

void room_graph_make(struct room_graph *graph, const struct room *room);
/* Half the width of a record, with what the clock may drift from its time to its window. */
double room_record_half(const struct room *room, const struct room_clock *of,
			const struct room_measure *record);
