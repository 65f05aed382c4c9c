/* nesting: shared by the pass over each location (nest.c) and the code that joins the results of
 * several threads (nest_join.c).
 *
 * A worker gives call paths numbers of its own as it meets them. Since workers take locations in
 * ascending order, the paths that occur first at a location are among those that were new to its
 * worker there, in the order in which they occur: so the final numbers are those that a single
 * worker would have given. */
#pragma once

#include "model/build/build.h"
#include "model/sums/shade.h"

/* Calls that tell whether a rank came to its end. */
enum milestone { MILESTONE_NONE, MILESTONE_INIT = 1, MILESTONE_FINALIZE = 2 };

/* A worker. */
struct nest {
	struct builder *b;
	struct trace *trace;
	bool decide_blocked;
	bool full;                  /* there are more call paths than ids */
	VEC(struct callpath) paths; /* as this worker numbers them; canon is not set */
	struct keymap children;     /* (parent, site): call path */
	VEC(uint32_t) last_child;   /* [call path] found last */
	VEC(uint32_t) stack;        /* call paths that are open */
	VEC(uint32_t) open;         /* [region] levels of it on the stack */
	const uint8_t *milestone;   /* [region] enum milestone */
	uint8_t passed;             /* milestones of the location */
	uint32_t highest;           /* call path of the location */
	struct keymap moved;        /* events that the repair of equal times exchanged */
	struct shading shading;     /* part of the default one, made on the way, */
	bool shades;                /* if it is wanted */
	bool traced;                /* tracing is on */
	struct err err;
	bool ok; /* no error so far */
	uint64_t unclosed, strays, inferred, reordered;
};

/* Where several processes share the trace: a call path that one of them met first at a location. */
struct shared_path {
	uint32_t location;
	uint32_t id, parent; /* numbered from 1 by its process, 0: the root */
	uint32_t site;
	uint32_t process;
};

struct shared_paths {
	struct shared_path *data;
	size_t n, cap;
};

/* Those of all processes, by location: the order in which one process would have met them. */
void build_share_paths(struct exchange *x, const struct shared_paths *mine,
		       struct shared_paths *all);

void nest_init(struct nest *nest, struct builder *b, struct shading *shading,
	       const uint8_t *milestone);
void nest_fini(struct nest *nest);
void nest_location(struct nest *nest, uint32_t location);
