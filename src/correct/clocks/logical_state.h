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

enum { FAR_GROUP = UINT32_MAX };

/* A group that is not a collective; its parties are consecutive. */
struct extra_group {
	enum logical_class cls;
	uint32_t root;
	uint32_t comm;     /* of LOGICAL_NEIGHBOURS */
	uint32_t first, n; /* parties */
};

/* The part of an event in one of them. */
struct extra_event {
	uint32_t event;
	uint32_t group; /* from 0, or FAR_GROUP: of a group at its home, */
	uint32_t party; /* of which this is a party here */
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
	bool special;           /* there is one */
	VEC(struct extra_group) extra;
	VEC(struct party) parties;
	VEC(struct extra_event) events; /* ascending */
	/* Of a trace that is shared: the groups from `first_home` on have this process as their
	 * home; and this process' own parties at homes, of which those that are members of
	 * collectives stand first, in the members' order, from first_far on. */
	size_t first_home;
	uint32_t first_far;
	VEC(struct logical_far) far;
	VEC(uint32_t) numbers; /* of the parties of groups at home, in their processes */
};

/* After events were added. */
void extra_sort(struct logical *logical);

/* ---- logical_members.c ---- */

/* The class of a collective with these members, or OPERATION_NONE, counted; `operation`: by its
 * region. */
enum operation members_classify(struct logical *logical, const struct collective *c,
				const struct member *members, enum operation operation);
/* Fills the group, but for its collective. */
void members_group(const struct logical *logical, const struct collective *c,
		   const struct member *members, enum logical_class cls, struct group *group);
/* The place of the nth member among the parties. */
uint32_t member_place(const struct logical *logical, enum logical_class cls,
		      const struct collective *c, uint32_t nth, uint32_t location);
/* True if the begin of a member is a logical send (`sends`), or its end a logical receive. */
bool member_takes_part(const struct logical *logical, enum logical_class cls,
		       const struct collective *c, const struct member *m, uint32_t location,
		       bool sends);
struct party *group_room(struct group *group, uint32_t n);

/* ---- logical_world.c, logical_threads.c: add groups ---- */

/* A new group without parties; then its parties by extra_party(). */
void extra_begin(struct logical *logical, enum logical_class cls);
void extra_party(struct logical *logical, struct party party);
/* False, and the group is gone, where no party would wait for another. */
bool extra_end(struct logical *logical, uint32_t root);

/* Both go over all events once. False where progress stopped them. */
bool world_find(struct logical *logical, const struct progress *progress);
bool threads_find(struct logical *logical, const struct progress *progress);

enum { WORLD_INIT, WORLD_FINALIZE, WORLD_CALLS };

/* A location's call of MPI_Init or MPI_Finalize. */
struct world_visit {
	uint32_t location;
	uint32_t enter, leave; /* leave EVENT_NONE: never */
	bool inside; /* nothing was recorded before it: the enter's time means little (A22) */
};
struct world_visits {
	VEC(struct world_visit) of[WORLD_CALLS]; /* by location */
};
/* Those of the locations whose events are here. */
bool world_visits_find(const struct logical *logical, struct world_visits *visits,
		       const struct progress *progress);
void world_visits_fini(struct world_visits *visits);
/* The group of such calls. */
void world_add(struct logical *logical, int which, const struct world_visit *visits, size_t n);
