/* deferred_list: the receives that are deferred (deferred.h), for the calls that look for them. */
#pragma once

#include "capture/lib/mpi/deferred.h"

enum { TV_DEFERRED_MOST = 64 }; /* receives at a time */

struct tv_deferred {
	struct tv_deferral what;
	/* The program's, a generalized one; MPI's, once it is there. A persistent one is not active
	 * in MPI, and has the generalized one in the place of MPI's. */
	MPI_Request given, own;
	bool posted, persistent;
	int64_t started, error; /* virtual time of its start, and the bound of that */
	bool uncertain;         /* MPI chooses its sender */
	int at;                 /* which request of the call under way it is, -1: none */
	int passed;             /* latest tests, which were not for it */
};

/* In the order of their starts. */
extern struct tv_deferreds {
	struct tv_deferred list[TV_DEFERRED_MOST];
	int n, waiting; /* waiting: not posted */
} tv_deferreds;

/* The next one that is not posted, after NULL the first; NULL: none. */
struct tv_deferred *tv_deferred_next(const struct tv_deferred *d);

/* One could take the other's message. All that `later` could take `first` could. */
bool tv_deferred_meets(const struct tv_deferral *a, const struct tv_comm *known, int tag);
bool tv_deferred_covers(const struct tv_deferred *first, const struct tv_deferred *later);

/* It goes to MPI; the same from its sender, if that is certain now, after those that could take
 * its message before; so do all. */
void tv_deferred_post(struct tv_deferred *d, int source);
void tv_deferred_post_in_order(struct tv_thread *t, struct tv_deferred *d);
void tv_deferred_post_all(struct tv_thread *t);

/* Finds those of the call. Returns whether it has other active requests. */
bool tv_deferred_find(int count, const MPI_Request requests[]);
/* The call's first one that is not posted. */
struct tv_deferred *tv_deferred_first_open(void);
/* The call's, as far as they are posted, become MPI's own. */
void tv_deferred_own(MPI_Request requests[]);
/* It is complete. */
void tv_deferred_drop(struct tv_deferred *d);
