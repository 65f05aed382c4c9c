/* align: what in one trace corresponds to what in another: call paths and locations of two cubes.
 *
 * Call paths are one merged tree, matched from the root downwards: children of matched parents by
 * name (MPI's functions in any spelling), of one name first those that one file defines, by their
 * call sites, then in the order of lines. What has no namesake is matched by likeness, a number
 * from 0 to 1: a function that was renamed has the same names below it (Jaccard index, estimated
 * from 16 least hashes), about the same share of the time and as many visits; a level that was
 * inserted or removed has below it the names that are missing beside it. From LIKENESS_LEAST on
 * they are one. The rest is there on one side only.
 *
 * Locations are matched by rank and thread; where ranks have other threads, by rank; where less
 * than three quarters of the ranks are in both, by their position in the range of ranks: of 4 ranks
 * and 8, rank 1 is matched with ranks 2 and 3 together. Metrics are matched by name: both cubes
 * have the same.
 *
 * Time O(n log n) of call paths and locations. Ownership: borrows nothing but the traces.
 *
 *	struct alignment *a = align_new(old_cube, new_cube);
 *	node = a->nodes_of[ALIGN_NEW][path]; */
#pragma once

#include "patterns/severity/cube.h"

enum align_side { ALIGN_OLD, ALIGN_NEW, ALIGN_SIDES };

#define ALIGN_NONE     UINT32_MAX
#define LIKENESS_LEAST 0.6

struct aligned_path {
	uint32_t parent;            /* node; the root, node 0, is its own */
	uint32_t path[ALIGN_SIDES]; /* canonical call paths, ALIGN_NONE: not there */
	double likeness;            /* 1: by name; less: by likeness; 0: on one side only */
};

enum align_rule { ALIGN_BY_LOCATION, ALIGN_BY_RANK, ALIGN_BY_POSITION };

/* Locations that are compared with each other; values are their sums. */
struct aligned_place {
	int32_t first[ALIGN_SIDES], last[ALIGN_SIDES]; /* ranks, where there are any */
	int32_t thread;                                /* ALIGN_BY_LOCATION */
	uint32_t n[ALIGN_SIDES];                       /* locations */
	uint32_t some; /* one of them, of the new trace if it has one */
};

struct alignment {
	const struct trace *trace[ALIGN_SIDES];
	uint32_t n_paths;
	struct aligned_path *paths;     /* [n_paths] parents before their children */
	uint32_t *path_of[ALIGN_SIDES]; /* [call paths] node */
	enum align_rule rule;
	uint32_t n_places;
	struct aligned_place *places;    /* [n_places] by rank, then thread */
	uint32_t *place_of[ALIGN_SIDES]; /* [locations] */
};

struct alignment *align_new(const struct cube *old, const struct cube *new);
void align_free(struct alignment *alignment);

/* "main > solve > MPI_Recv" of the new trace, else of the old one; cleaned. */
void align_path_text(const struct alignment *alignment, uint32_t node, struct str *out);
/* "rank 3", "rank 3 thread 1", "ranks 0-1 : 0-3" (old : new), "host"; cleaned. */
void align_place_text(const struct alignment *alignment, uint32_t place, struct str *out);
/* The same for programs: "3", "0-1:0-3", "host"; a thread but the first as "3 thread 1". */
void align_place_ranks(const struct alignment *alignment, uint32_t place, struct str *out);
/* How many nodes are there on one side only: the new side's are new, the old side's gone; and how
 * many were matched by likeness. */
struct align_counts {
	uint32_t both, likely, gone, added;
};
struct align_counts align_counts(const struct alignment *alignment);
/* What was matched how, a sentence or two: "call paths: 12 in both, ..."; for reports. */
void align_sentence(const struct alignment *alignment, struct str *out);
