/* groups: what the stage of the groups (group_stage.c) shares with that of groups whose parties are
 * in several processes (group_far.c). */
#pragma once

#include "correct/clocks/logical.h"
#include "correct/clocks/neighbourhood.h"
#include "model/trace/message.h"
#include "patterns/analysis/analysis_state.h"

/* Positions of the ranks in the communicator that was looked up last. */
struct comm_ranks {
	uint32_t comm;
	uint32_t stamp;
	uint32_t *stamps; /* [locations] equal to `stamp` where `place` is current */
	uint32_t *place;  /* [locations] position, for the first location of a process */
};

/* A region as a collective operation. */
struct operation {
	uint8_t cls;       /* enum logical_class, LOGICAL_CLASSES none */
	bool communicates; /* true also for some operations without a class */
	bool vector;       /* MPI_Alltoallv and the like */
	uint8_t meets;     /* enum cube_metric, as sync_group.meets */
};

struct groups {
	struct analysis *analysis;
	const struct trace *trace;
	struct sync_group group;
	struct sync_party *parties;
	uint8_t *filled;
	uint32_t cap;
	struct comm_ranks ranks;
	struct neighbourhood neighbourhood;
	struct operation *operations; /* [regions] */
};

/* Room for n parties, which are the group's. */
struct sync_party *groups_room(struct groups *g, uint32_t n);
/* The members of a communicator, those of the remote group after the local ones. */
uint32_t groups_size(const struct comm *comm);
/* The location of the i-th of them, the first of its process. */
uint32_t groups_location(const struct trace *trace, const struct comm *comm, uint32_t i);
/* A location's position among them; UINT32_MAX: not a member. O(1), or O(ranks) where the
 * communicator differs from that of the last call. */
uint32_t groups_place(struct groups *g, uint32_t comm, uint32_t location);
struct sync_party groups_party(const struct groups *g, uint32_t location, uint32_t begin,
			       uint32_t end);
/* The party of a member that has both of its events on one location. */
struct sync_party groups_member(const struct groups *g, const struct collective *c,
				const struct member *m, uint32_t location);
/* Begins the group of a collective of this class (LOGICAL_CLASSES: none, it may be a loose one);
 * false: it is not looked at, or is counted as skipped. */
bool groups_begin(struct groups *g, const struct collective *c, uint32_t id,
		  enum logical_class cls);
/* Whether it is the root's place, where the operation has one. */
bool groups_is_root(const struct groups *g, const struct collective *c, uint32_t place);
/* Whether the root that the class needs was found. */
bool groups_rooted(const struct groups *g);
/* The group of MPI_Init or MPI_Finalize, of n parties in the order of their ranks. */
void groups_world(struct groups *g, uint32_t n, bool init);
/* Its parties, one for each rank that has locations here, in the order of the ranks; how many. */
uint32_t groups_world_parties(struct groups *g, bool init);

/* group_far.c: the groups whose parties are in several processes. All processes call it. */
void groups_far(struct groups *g);
