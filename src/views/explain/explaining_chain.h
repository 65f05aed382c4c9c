/* explaining_chain: what the parts of a chain of causes share. No other file includes it.
 *
 * explaining_chain.c	which waits are followed, and the lines of their reasons
 * explaining_wait.c	the wait that was asked about: what it was, how certain it is
 * explaining_hops.c	the way through it, one place after the other */
#pragma once

#include "views/explain/explaining.h"

#define CHAIN_NO_NODE UINT32_MAX
#define CHAIN_NO_LINE SIZE_MAX

/* A wait as all processes know it that share the trace: its events mean something to that of its
 * location alone. */
struct chain_wait {
	bool known;
	uint32_t partner; /* location, UINT32_MAX unknown */
	struct wait wait;
};

/* A wait that is to be explained, or has been. */
struct chain_node {
	uint32_t location, wait;
	struct chain_wait of;
	double scale;  /* ticks of the first wait that a tick of this one explains */
	double weight; /* ticks of the first wait that it explains, all of it */
	unsigned depth;
	uint32_t step;  /* in `steps`, CHAIN_NO_NODE: not followed */
	uint32_t above; /* node of whose reasons it is one, CHAIN_NO_NODE: the first */
	unsigned reason;
};

/* A node that was followed. */
struct step {
	struct explanation x;
	uint32_t below[REASONS]; /* node of a reason that is a wait, CHAIN_NO_NODE */
	struct chain_wait waits[REASONS];
	size_t line[REASONS]; /* that was added for a reason; CHAIN_NO_LINE */
	/* Ticks in the intervals that were compared for which the delayer, and the waiter, waited
	 * for a core; -1: not known. */
	int64_t core, others_core;
};

/* What a location has to answer for. */
struct blame {
	uint32_t location;
	uint32_t path; /* with the most of it */
	double ticks, most;
};

struct chain {
	struct explain *e;
	const struct query *query;
	const struct analysis *analysis;
	const struct causes *causes;
	const struct wait_bounds *bounds;
	VEC(struct chain_node) nodes; /* the first is the wait that was asked about */
	VEC(struct step) steps;
	VEC(struct blame) blames;
	double all, explained;
	double inside; /* of the rest: time inside MPI without a wait, */
	double late;   /* and of that what was late (metric mpi_late) */
};

/* All processes take what that of a location has. */
void chain_share(const struct chain *chain, uint32_t location, void *value, size_t bytes);
/* The location that let a wait, and its node if it is one (NULL), begin late. */
uint32_t chain_delayer(const struct chain *chain, const struct chain_node *node,
		       const struct chain_wait *wait);
/* The lines on a node that say what it was, and where the other rank was. */
void chain_add_wait(struct chain *chain, const struct chain_node *node);
/* A reason of a node, after "it": "spent ...", "waited 13.0 ms for rank 1 in MPI_Recv". */
const char *chain_reason_text(struct chain *chain, const struct chain_node *node, unsigned reason);
/* "rank 2 waited 3.10 ms for a core meanwhile, rank 1 1.20 ms; in which function is not known"; ""
 * where no reason is work, or the delayer did not wait longer. */
const char *chain_core_text(struct chain *chain, const struct chain_node *node);
/* When all lines are there: adds the hops. */
void chain_add_hops(struct chain *chain);
