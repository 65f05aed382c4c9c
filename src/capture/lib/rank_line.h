/* rank_line: what a rank of the node does at this moment, for the others to read (hold.h): a line
 * of 128 bytes in shared memory with a sequence counter, written by one thread.
 *
 * RANK_CALLS and RANK_PAUSES are written by one plain store, and change nothing else: so a rank
 * says before it reads the clock that it may be about to send (rank_line_calls()). So is `moved`
 * then.
 *
 * libc alone, no state. Ranks are numbers on the node; times are ticks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum rank_state {
	RANK_ABSENT,  /* it never told */
	RANK_RUNS,    /* outside of MPI: its virtual time is the clock's less `intrusion` */
	RANK_CALLS,   /* in a call that does not wait, or of which no more is known */
	RANK_PAUSES,  /* outside, in work of the library, which ends by itself */
	RANK_POLLS,   /* outside, but what it waits for may end a loop of tests */
	RANK_RECEIVE, /* waits for a message of `peer` */
	RANK_ANY,     /* for one of any rank in `members` */
	RANK_SENDS,   /* waits for its receiver, `peer` */
	RANK_MEETS,   /* in a collective, with `ticket` (carry.h) */
	RANK_ALL,     /* waits for all of `wanted` */
	RANK_FIRST,   /* for one of them */
	RANK_DONE,    /* sends no more */
	RANK_THREADS, /* several threads call MPI: nothing is known */
};

enum {
	RANK_WANTED = 8,
	RANK_MEMBERS = 512,
	RANK_LINE_TRIES = 16,
	RANK_FROM_ANY = -1,
	RANK_TAKEN = 4,
	RANK_COMMS = 3
};

struct rank_wanted {
	int32_t tag;  /* -1 any */
	int16_t peer; /* RANK_FIRST: RANK_FROM_ANY, too, for a receive */
	uint8_t send; /* it is a send, which waits for its receiver */
	uint8_t comm; /* 0: the line's, else one of `others` */
};

struct rank_line {
	uint64_t seq;     /* odd while it is being changed */
	uint8_t state, n; /* n: of `wanted` */
	uint8_t held;     /* RANK_ANY: the library holds it */
	uint8_t rule;     /* RANK_MEETS: enum virtual_rule */
	int32_t pid;
	int64_t moved; /* virtual: it was at least there */
	int64_t intrusion;
	union {
		uint64_t ticket;
		uint32_t others[RANK_COMMS - 1]; /* RANK_ALL, RANK_FIRST: keys, as `comm` */
	};
	uint32_t comm, space; /* key (comm.h); of process numbers */
	int32_t tag, peer;    /* tag -1: any */
	/* RANK_ANY: ranks whose oldest message that fits is for another receive; 1 + number, 0. */
	int16_t taken[RANK_TAKEN];
	union {
		struct rank_wanted wanted[RANK_WANTED];
		uint64_t members[RANK_MEMBERS / 64]; /* of the communicator: one bit each */
	};
};
_Static_assert(sizeof(struct rank_line) == 128, "a line is two cache lines");

/* For the one writer: changes are made between these two. */
static inline void rank_line_begin(struct rank_line *line)
{
	__atomic_store_n(&line->seq, line->seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void rank_line_end(struct rank_line *line)
{
	__atomic_store_n(&line->seq, line->seq + 1, __ATOMIC_RELEASE);
}

/* Before the clock is read: the call that begins may send. The compiler must not move the reading
 * up; what a processor delays is within the reader's guard. */
static inline void rank_line_calls(struct rank_line *line)
{
	__atomic_store_n(&line->state, RANK_CALLS, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* In the same way before work of the library. */
static inline void rank_line_pauses(struct rank_line *line)
{
	__atomic_store_n(&line->state, RANK_PAUSES, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* In RANK_CALLS, at that virtual time. It only grows, so the one before is true, too. */
static inline void rank_line_moved(struct rank_line *line, int64_t moved)
{
	__atomic_store_n(&line->moved, moved, __ATOMIC_RELAXED);
}

/* A copy of the line as it was at one moment. False: it is changed all the time, or its writer died
 * in a change. */
static inline bool rank_line_read(const struct rank_line *line, struct rank_line *copy)
{
	for (int i = 0; i < RANK_LINE_TRIES; i++) {
		const uint64_t seq = __atomic_load_n(&line->seq, __ATOMIC_ACQUIRE);
		if (seq & 1)
			continue;
		memcpy(copy, line, sizeof *copy);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&line->seq, __ATOMIC_RELAXED) == seq) {
			copy->seq = seq;
			return true;
		}
	}
	return false;
}

static inline uint32_t rank_wanted_comm(const struct rank_line *line, const struct rank_wanted *w)
{
	return w->comm ? line->others[w->comm - 1] : line->comm;
}

static inline bool rank_is_member(const struct rank_line *line, unsigned number)
{
	return line->members[number / 64] >> number % 64 & 1;
}
