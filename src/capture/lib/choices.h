/* choices: the choices of a run that depend on time (order_record.h) are noted as they are made,
 * and made again as another run noted them (tvrun --replay-order).
 *
 * A choice has a place in the order of the rank's calls; a nonblocking receive that of its start.
 * The rank follows its list until it meets a choice that it cannot make; it says so
 * (TV_CHOICE_DEPART) and is free from there on.
 *
 * One thread at a time makes choices: of a program whose threads call MPI at once the first thread
 * alone, as what the others do has no order. All functions but the first are called by threads that
 * are inside a call of MPI, where tv.choices is set. */
#pragma once

#include "capture/lib/comm.h"
#include "capture/lib/order_record.h"

/* As the process is opened: whether choices are noted, or made again; `otherwise`: unless the
 * environment says. */
void tv_order_begin(bool otherwise);
/* Its rank is known. */
void tv_order_start(struct tv_thread *t);

/* ---- noting; in a replay also: the choice of the list is made ---- */

/* A receive or probe from any source took a message of that one. */
void tv_order_took(struct tv_thread *t, uint32_t call, const struct tv_comm *comm, int source,
		   int tag);
/* A receive from any source was started as that request; it took a message, or was given up. */
void tv_order_posted(struct tv_thread *t, uint32_t call, const struct tv_comm *comm,
		     uint32_t request);
void tv_order_completed(struct tv_thread *t, uint32_t request, int source, int tag);

/* Which request a call completed (TV_CHOICE_INDEX), or that it said yes (TV_CHOICE_TRUE); which
 * ones; that it said no. */
void tv_order_answered(struct tv_thread *t, enum tv_choice_kind kind, uint32_t call, int what);
void tv_order_several(struct tv_thread *t, uint32_t call, int n, const int *indices);
void tv_order_denied(struct tv_thread *t);
/* The rank will ask no more. */
void tv_order_end(struct tv_thread *t);

/* ---- following a list ---- */

/* The rank follows it so far. */
bool tv_order_follows(const struct tv_thread *t);
/* The next choice if it is of that kind, by that call; NULL: the rank is free. `comm` NULL: of
 * none. */
const struct tv_choice *tv_order_next(struct tv_thread *t, enum tv_choice_kind kind, uint32_t call,
				      const struct tv_comm *comm);
/* A call that asks is to say no. */
bool tv_order_denies(const struct tv_thread *t);
/* The rank is free from here on. */
void tv_order_depart(struct tv_thread *t, enum tv_depart_why why);
