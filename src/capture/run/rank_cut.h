/* rank_cut: where the trace of a rank begins that kept only its last seconds (tvrun --last), what
 * is open there, and which messages and collectives have no other half from there on: those are
 * left out, as any other partner would be a wrong one. Their calls stay.
 *
 *	rank_cut(rank);			before its definitions are read
 *	job_cut_pairs(job);		when communicators are known
 *	rank_cut_open(rank, thread, ...)	and each record that rank_cut_takes()
 *
 * Time: O(records kept) for each. */
#pragma once

#include "capture/run/merge_job.h"

void rank_cut(struct rank *rank);
void rank_cut_fini(struct rank *rank);
void job_cut_pairs(struct job *job);
/* Whether a receive that is not complete waits for its sender, as far as is known; false where the
 * message was sent before the sender's cut, which counts for one such receive. */
bool job_cut_awaits(const struct job *job, const struct rank *rank,
		    const struct tv_message *wanted);

/* A thread that was there at the cut; NULL: it had no records before, or has ended. */
const struct cut_thread *rank_cut_thread(const struct rank *rank, uint32_t thread);

/* Each record that is open at the cut, in an order in which they may be told. The sends and the
 * collective of a call that is under way are among them. */
typedef void cut_tell(void *context, const struct tv_head *head);
void rank_cut_open(const struct tv_ledger *ledger, cut_tell *tell, void *context);

/* Whether a record is told. All of a rank have to be asked for, thread by thread, those of
 * rank_cut_open() first. */
bool rank_cut_takes(struct rank *rank, const struct tv_head *head);
