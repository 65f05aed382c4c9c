/* comm: a communicator as the library knows it, whichever MPI it is of (mpi/comms.h makes them). */
#pragma once

#include "capture/lib/recorder.h"

struct tv_comm {
	uint64_t handle; /* as a number */
	uint32_t id;
	int size, rank;
	int remote; /* size of the remote group, 0 in an intra-communicator */
	/* For times that partners carry to each other (carry.h), with statistics alone. */
	uint32_t key;     /* hash of members and origin, equal on all ranks; 0: none */
	int32_t *members; /* world ranks, then the remote group's; NULL: of the world */
	bool near;        /* all ranks are on this node */
	uint32_t copy;    /* TV_COMM_PERSISTENT, TV_COMM_FILE, or 0: what it is a copy for */
	uint32_t made;    /* calls that made communicators of it, copies included */
	uint32_t order;   /* how many others the rank came to know before */
	uint64_t turns;   /* collectives so far, */
	uint32_t persistents, windows; /* and what else is made of it */
	uint32_t called;               /* the same, also with ranks of other nodes (calling.h) */
	int in, out;                   /* neighbours, */
	int *neighbours;               /* `in` ranks, then `out`; NULL: not looked up yet */
	bool carted, named;            /* definitions that are made once there */
	struct tv_comm *next;
};

/* World rank of a rank that a message can come from; -1: not known. */
static inline int tv_comm_world_rank(const struct tv_comm *comm, int source)
{
	if (source < 0)
		return -1;
	return comm->members ? comm->members[comm->remote ? comm->size + source : source]
	       : comm->remote || comm->size != tv.file->world ? -1
							      : source;
}
