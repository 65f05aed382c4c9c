/* virtual: the virtual time of each thread (virtual_time.h), kept while the program runs (tvrun
 * --virtual-time). Li and Zhang, section 4.
 *
 * A thread's intrusion grows by each probe and by what is bracketed: chunks that are made, the work
 * of wrappers before and after the call, --probe-delay. Where a call of MPI ends, the intrusion of
 * its partners, which travels beside the messages (carry.h), decides how much of it remains. Each
 * call leaves a record (TV_VIRTUAL), from which the trace has its time base `virtual`.
 *
 * Partners on other nodes, and calls that carry.h does not cover, are as if the call had waited for
 * no rank; calls that MPI calls back are part of the call around them. Threads of a team of OpenMP
 * follow its fork, and wait at its barriers and its join; those that the program makes follow their
 * creator, and are joined (virtual_births.h); that one waits for a lock, or for a task that another
 * one does, is not known. All functions are called by threads that are inside the library; times
 * are ticks. */
#pragma once

#include "capture/lib/comm.h"
#include "capture/lib/virtual_keeper.h"

/* A partner's post whose virtual time is not known. */
#define TV_VIRTUAL_UNKNOWN (-1) /* in virtual_entry.error */

/* A probe; `spent`: what of it is bracketed. */
void tv_virtual_probe(uint64_t spent);
/* Before work of a probe that is bracketed: others must not take it for work of the program. */
void tv_virtual_pause(void);
/* Virtual time now, outside of calls. */
uint64_t tv_virtual_now(void);
/* Readers of statistics learn the thread's intrusion (tv_file). */
void tv_virtual_note(const struct tv_thread *t);

/* Work of the library that is left out of virtual time as it is: from tv_virtual_mark() to
 * tv_virtual_skip(), in or outside of a call. */
struct tv_virtual_mark {
	uint64_t time;
	int64_t intrusion, error, timed, ended;
	uint64_t probes, spent;
};
struct tv_virtual_mark tv_virtual_mark(void);
void tv_virtual_skip(struct tv_thread *t, struct tv_virtual_mark mark);

/* The call under way has told a partner of its entry, and goes on into MPI only now. */
void tv_virtual_held(struct tv_thread *t);

/* Probes of so many microseconds may not be in what a rank tells of itself (own_line.h). */
enum { TV_VIRTUAL_UNTOLD = 5 };

/* Virtual time at which the call under way was entered. */
int64_t tv_virtual_entered(const struct tv_thread *t);
/* Ticks from a send to the end of a receive that waits for it, at the least, and half of how much
 * that differs. */
void tv_virtual_latency(int64_t *least, int64_t *noise);

/* The entry of the call under way: when it went on into MPI. The first time in a call, now. */
struct virtual_entry tv_virtual_enter(struct tv_thread *t);
/* The same after the call, where the first time is too late. */
struct virtual_entry tv_virtual_entry(struct tv_thread *t);

/* A message of so many bytes took so long: to arrive, or to be received when it was `there`. */
void tv_virtual_learn(uint64_t bytes, uint64_t ticks, bool there);

/* The call under way received a message, whose sender's entry this is (time 0: unknown), or sent
 * one by `mode` (TV_MODE_MASK) whose receiver's entry it is (TV_CARRY_LATER: it did not come). */
void tv_virtual_sender(struct tv_thread *t, const struct virtual_entry *e, uint64_t bytes);
void tv_virtual_receiver(struct tv_thread *t, const struct virtual_entry *e, uint64_t bytes,
			 uint32_t mode);
/* Whether a message of that size waits for its receiver, as far as is known. */
bool tv_virtual_waits(uint64_t bytes, uint32_t mode);
/* It was, or completed, a collective operation, of so many bytes; ticket 0: whose members are not
 * known. */
void tv_virtual_together(struct tv_thread *t, const struct tv_comm *comm, uint64_t ticket,
			 enum virtual_rule rule, int root, uint64_t bytes);
/* It waited for another rank to come so far; time 0: unknown. */
void tv_virtual_awaited(struct tv_thread *t, struct virtual_entry e);
/* It took a message that may not be the one that it takes without the recorder: from here on there
 * is no bound of errors, nor for those that depend on it. */
void tv_virtual_depart(struct tv_thread *t);
/* It completed what depends on no other rank. */
void tv_virtual_completed(struct tv_thread *t);

/* The call ends at `time`; after that, tv_virtual_record() is the last that its wrapper does. */
struct virtual_end tv_virtual_leave(struct tv_thread *t, uint32_t call, uint64_t time);
void tv_virtual_record(struct tv_thread *t, uint32_t call, uint64_t time);

/* Outside of calls, where threads of a process wait for each other (virtual_teams.c); each leaves a
 * record. Where the thread is now. */
struct virtual_entry tv_virtual_here(void);
/* It has waited since `own` for several, whose latest entry this is; it has begun, at `since`,
 * because another one was there; from `own` on nothing is known of it until it follows. `shown`:
 * events show who the others are. */
void tv_virtual_waited(struct tv_thread *t, struct virtual_entry own, struct virtual_entry latest,
		       bool shown);
void tv_virtual_follow(struct tv_thread *t, struct virtual_entry e, uint64_t since, bool shown);
void tv_virtual_idles(struct tv_thread *t, struct virtual_entry own);

/* For measure_costs.c: intrusion that was bracketed so far; and what probes and calls of MPI cost
 * beside that. */
int64_t tv_virtual_bracketed(void);
void tv_virtual_costs(struct virtual_costs costs);
