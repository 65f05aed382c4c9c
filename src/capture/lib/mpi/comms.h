/* comms: what the library knows of communicators: a number of its own, size, rank, members.
 *
 * Nothing here communicates: groups are translated locally. Each rank numbers its communicators as
 * it comes to know them and notes their members and origin; tvrun finds out which belong together.
 * MPI demands that all members of a communicator call what makes others of it in one order,
 * whichever threads they use; calls on different ones have no order.
 *
 * Where statistics alone are kept a communicator has the number of one with the same members that
 * was freed, if there is one: what a program makes and frees in a loop then does not grow. */
#pragma once

#include "capture/lib/comm.h"
#include "capture/lib/mpi/pmpi.h"

/* Notes the world; after PMPI_Init. MPI_COMM_SELF is noted when it is used: few programs do. */
void tv_comms_start(struct tv_thread *t);
/* The same where a session has the world as a group alone, which it has until tv_comms_world(). */
void tv_comms_start_group(struct tv_thread *t, MPI_Group world);
void tv_comms_world(MPI_Group world);

/* By what the ranks agree which communicator they make. */
struct tv_origin {
	uint32_t parent, nth, tag; /* as in tv_def_comm */
	uint32_t key;              /* the parent's */
};

/* A call that all ranks of a communicator make in one order: before the call. */
struct tv_origin tv_origin_on(struct tv_thread *t, MPI_Comm parent);
static inline struct tv_origin tv_origin_nth(const struct tv_comm *parent, uint32_t nth)
{
	return (struct tv_origin){ .parent = nth ? parent->id : TV_NO_COMM,
				   .nth = nth,
				   .key = parent->key };
}

/* A call of a group's ranks alone, with a tag or a name; `parent` may be MPI_COMM_NULL. */
struct tv_origin tv_origin_tagged(struct tv_thread *t, MPI_Comm parent, uint32_t tag);
struct tv_origin tv_origin_named(struct tv_thread *t, const char *name);

/* A communicator was made (MPI_COMM_NULL is fine). */
void tv_comm_made(struct tv_thread *t, struct tv_origin origin, MPI_Comm handle);

/* The same for one with a Cartesian topology. */
void tv_comm_made_cart(struct tv_thread *t, struct tv_origin origin, MPI_Comm handle);

/* A persistent collective is made on a communicator, or a file is opened by its ranks: the
 * communicator that its starts, or operations, name (`what`: TV_COMM_PERSISTENT, TV_COMM_FILE).
 * Ranks make these in one order, but may mix what they do with them with other collectives; so each
 * is as if on a communicator of its own. */
struct tv_comm *tv_comm_copy(struct tv_thread *t, struct tv_comm *comm, uint32_t what);

/* The program gave it a name. */
void tv_comm_named(struct tv_thread *t, MPI_Comm handle, const char *name);

/* Its neighbours, which the topology names: ranks, negative where a grid ends. Looked up at the
 * first call; none where there is no topology, or no memory. Grids: both ways in each dimension. */
struct tv_neighbours {
	int in, out;
	const int *from, *to;
};

struct tv_neighbours tv_comm_neighbours(struct tv_comm *comm);
/* Defines from which neighbours a rank receives in collectives on `comm`, once, unless that is
 * known of a grid. */
void tv_comm_sources(struct tv_thread *t, struct tv_comm *comm, const struct tv_neighbours *near);

/* World ranks of a group's members, -1 for those of another world; and a hash of such a list. */
void tv_group_members(MPI_Group group, int size, int32_t *ranks);
uint32_t tv_members_hash(const int32_t *members, size_t count);

/* The handle is about to become void. */
void tv_comm_gone(MPI_Comm handle);

/* The communicator of a handle; one that no recorded call has made is noted now. Never NULL. */
struct tv_comm *tv_comm_find(struct tv_thread *t, MPI_Comm handle);

static inline struct tv_comm *tv_comm(struct tv_thread *t, MPI_Comm handle)
{
	if (TV_LIKELY(t->comm && t->comm_handle == TV_KEY(handle) &&
		      t->comm_generation == __atomic_load_n(&tv.comm_generation, __ATOMIC_RELAXED)))
		return t->comm;
	return tv_comm_find(t, handle);
}
