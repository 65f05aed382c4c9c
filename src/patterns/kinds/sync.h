/* sync: collectives and their like as groups that synchronise (C8): who waited how long for whom,
 * and how long the operation went on after that.
 *
 *	late_i = min(begin of the one waited for, E_i)
 *	w_i = max(0, late_i - S_i)		waiting
 *	k_i = max(0, E_i - max(first end, late_i))	completion
 *
 * S_i is the begin of the operation. Of a nonblocking collective, where no rank waits between the
 * request and the call that completes it, it is the enter of that call, and it is the request of
 * the latest that is waited for: the obvious extension, marked so. MPI_Test* never wait.
 *
 * Each class has its *_evaluate(); collectives.c has the pattern that picks one, sync.c what they
 * have in common. The functions are pure, O(members). Byte counts that are unknown (UINT64_MAX)
 * count as some (A23). Ties go to the lowest rank. */
#pragma once

#include "patterns/analysis/analysis.h"
#include "patterns/analysis/pattern.h"

/* Each fills in blame, and of the parties sync, w, k, blame. False: no party synchronises. */
bool barrier_evaluate(struct sync_group *group);
bool nxn_evaluate(struct sync_group *group);
/* Of a loose group: a rank that left before the last one came did not wait for it. */
bool loose_evaluate(struct sync_group *group);
bool one_to_n_evaluate(struct sync_group *group);
bool n_to_one_evaluate(struct sync_group *group);
bool prefix_evaluate(struct sync_group *group);
bool init_finalize_evaluate(struct sync_group *group);
/* Of a neighbourhood: a rank waits for the latest of those that it receives from; of an
 * intercommunicator: for the latest of the other group, of those that send something; so rooted
 * operations need no root. Neither has a completion time. */
bool neighbours_evaluate(struct sync_group *group);
bool inter_evaluate(struct sync_group *group);
/* The one of these that the group's class asks for; false also where it has none (teams of
 * threads). */
bool sync_evaluate(struct sync_group *group);

/* ---- for them ---- */

/* The party with the latest begin, of those with bytes sent if `senders`; UINT32_MAX: none. */
uint32_t sync_latest(const struct sync_group *group, bool senders);
/* When a party's waiting could begin at the earliest. */
int64_t sync_start(const struct sync_group *group, const struct sync_party *party);
/* Earliest end of those that synchronise. */
int64_t sync_first_end(const struct sync_group *group);
/* w and k of a party that synchronises with `blame`. */
void sync_fill(const struct sync_group *group, struct sync_party *party, uint32_t blame,
	       int64_t first_end);
/* The same for all that synchronise, with group->blame. */
void sync_fill_all(struct sync_group *group, int64_t first_end);

/* Publishes the evaluated group where it says who was waited for by all, or is a prefix; adds its
 * instances (of CUBE_NONE: none) and counts violations. */
void sync_publish(struct analysis *analysis, struct sync_group *group, enum cube_metric waiting,
		  enum cube_metric completion);
