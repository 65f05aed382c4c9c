/* replay_board: the list of a replay, which all ranks of a node map (order_record.h), and in it
 * what each rank does at this moment: so one that waits for the message that the list names finds
 * out that it cannot come any more.
 *
 * Ranks of other nodes are not seen: with such ones a wait ends when no rank of this node has done
 * anything for as long as TVIEW_REPLAY_WAIT_NS says (tvrun --replay-wait). */
#pragma once

#include <stdbool.h>

#include "capture/lib/order_record.h"
#include "capture/lib/recorder.h"

/* Maps the file that TVIEW_REPLAY names, and takes this rank's line: tv.board is not NULL then. The
 * first choice of the rank's list; NULL: it has none. */
const struct tv_choice *tv_board_start(void);

/* A call of MPI begins: tv_board_calls() (recorder.h). It ends; it says no. */
void tv_board_returns(const struct tv_thread *t);
void tv_board_polled(void);
/* The call under way is about to wait for a message of that world rank, and for nothing else. */
void tv_board_awaits(const struct tv_thread *t, int world);
/* A message leaves for that world rank; one that was received is in the program's hands. */
void tv_board_sends(int world);
void tv_board_took(int world);
/* The rank sends no more. May be called by a signal handler, and without a board. */
void tv_board_done(void);

/* A wait for what the list names. */
struct tv_board_wait {
	uint64_t began, since; /* ticks; since: no call has ended */
	uint64_t looks, from;  /* from: of `since` and `ended` */
	uint64_t moves;
	uint64_t ended; /* ticks: the rank that should send was seen to have ended; 0 not yet */
};

void tv_board_wait_begin(struct tv_board_wait *wait);
/* After each look for it: why nothing of the rank `world` can come any more; TV_DEPART_NONE: it
 * may. Nothing can where that one waits for this rank, maybe through others: where each of them is
 * in a receive of the next one, and no message is on its way to it. Of ranks that wait for
 * something else that is not seen; then all must have been in calls for a while in which none
 * ended. `world` -1: that is not known. `could`: this rank could go on with something else. */
enum tv_depart_why tv_board_wait_look(struct tv_board_wait *wait, int world, bool could);
void tv_board_wait_end(void);
