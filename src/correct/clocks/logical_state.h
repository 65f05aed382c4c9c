/* logical_state: what the files that make a struct logical share. */
#pragma once

#include "base/vec.h"
#include "correct/clocks/logical.h"

/* What an operation is, beyond the classes. */
enum operation {
	OPERATION_VECTOR = LOGICAL_CLASSES, /* MPI_Alltoallv, MPI_Alltoallw */
	OPERATION_OTHER,                    /* has no class */
	OPERATION_INIT,                     /* MPI_Init, MPI_Init_thread */
	OPERATION_FINALIZE,
	OPERATION_OMP_BARRIER,
	OPERATION_NONE, /* of a collective: local */
};

/* By name, in any case and with Fortran's underscores, else by OTF2's role. */
enum operation operation_of(const struct trace *trace, uint32_t region);
/* Of a collective, whose region has this one. */
enum operation operation_here(const struct trace *trace, const struct collective *c,
			      enum operation operation);

/* A group that is not a collective; its parties are consecutive. */
struct extra_group {
	enum logical_class cls;
	uint32_t root;
	uint32_t first, n; /* parties */
};

/* The part of an event in one of them. */
struct extra_event {
	uint32_t event;
	uint32_t group; /* from 0 */
	uint32_t party;
	enum logical_part part;
};

/* One message row of a send to all. */
struct send_row {
	uint32_t send, row;
};

/* The ranks of a communicator, ascending. */
struct position {
	int32_t rank;
	uint32_t position;
};

struct positions {
	struct position *list; /* NULL: not asked for yet */
};

struct logical {
	const struct trace *trace;
	struct logical_counts counts;
	uint8_t *messages;   /* bit: the row is a logical message. Every pass asks, and looking up
				the blocks of both ends would miss the cache each time */
	uint8_t *operations; /* [regions] enum operation */
	uint8_t *classes;    /* [collectives] enum operation; OPERATION_NONE: local */
	uint32_t n_collectives;
	uint32_t *coarse; /* [member / COARSE] collective, UINT32_MAX none */
	uint32_t n_members;
	struct positions *positions; /* [communicators] of those whose ranks have an order */
	struct neighbourhood *neighbourhoods; /* [communicators] with such collectives */
	VEC(struct send_row) sends_to_all;    /* by send, then row */
	uint8_t *special_paths; /* [call paths] enum operation of an enter that may be in a group */
	VEC(struct extra_group) extra;
	VEC(struct party) parties;
	VEC(struct extra_event) events; /* ascending */
};

/* ---- logical_world.c, logical_threads.c: add groups ---- */

/* A new group without parties; then its parties by extra_party(). */
void extra_begin(struct logical *logical, enum logical_class cls);
void extra_party(struct logical *logical, struct party party);
/* False, and the group is gone, where no party would wait for another. */
bool extra_end(struct logical *logical, uint32_t root);
/* Both go over all events once. False where progress stopped them. */
bool world_find(struct logical *logical, const struct progress *progress);
bool threads_find(struct logical *logical, const struct progress *progress);
