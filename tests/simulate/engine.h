/* engine: a discrete-event simulation of a program on a machine, in true times.
 *
 * Sends are eager: a message leaves when it is sent, and a receive waits for it, or it for the
 * receive; who is late follows. The heap holds calls of MPI and arrivals of messages by time, so
 * that a receive from anybody gets what came first: O(events log (ranks + messages under way)). No
 * recursion.
 *
 * A run may be measured (probes cost time, buffers are flushed, offsets are measured) or not; in
 * both the same events come out in the same order, those of the measurement itself take no time in
 * the latter. A run that follows another receives from MPI_ANY_SOURCE what that one received.
 *
 * A measured run keeps virtual time (capture/lib/virtual_time.h), with latencies as they are known to
 * the machine; and with settings->keep once more, as a recorder does that has to learn them. With settings->control it holds receives from any source until the message that
 * is first in virtual time is certain (capture/lib/virtual_order.h); it then has the plain run's order. */
#pragma once

#include "program.h"

enum happening_kind {
	HAPPEN_ENTER, /* region */
	HAPPEN_LEAVE,
	HAPPEN_SEND, /* peer, tag, bytes */
	HAPPEN_RECV,
	HAPPEN_ISEND, /* peer, tag, bytes, request */
	HAPPEN_ISEND_DONE,
	HAPPEN_IRECV_REQUEST,
	HAPPEN_IRECV,
	HAPPEN_BEGIN, /* region, peer: the root, bytes */
	HAPPEN_END,
	HAPPEN_GAP, /* a gap ends: bytes records, of which the clock was read for `request`; tag 1:
		       it was blank */
};

struct happening {
	int64_t time; /* picoseconds, true */
	int32_t peer;
	uint32_t bytes;
	uint32_t request;
	uint16_t tag;
	uint8_t kind;
	uint8_t region;
};

/* A round trip of an offset measurement, in true times. */
struct round_trip {
	uint32_t rank;
	bool at_end;
	int64_t sent, there, came;
};

/* A rank was in a call of MPI and could not go on before another one had come to its own: a receive
 * before the send of its message (of several the latest), a collective before the last whose data
 * it needs. What the machine takes for the rest is not in it. Picoseconds, true. */
struct blocked {
	uint32_t rank, by;
	uint8_t region;      /* of the call */
	int64_t from, until; /* entered; the other one entered, at most until this call was left */
};

/* The end of a call of MPI: real and virtual time, the same in a run that is not measured; and how
 * long it waited for partners, virtually. */
struct call_end {
	int64_t real, moved, synchronisation;
};

/* What a recorder would say of a call (settings->keep, capture/lib/virtual_keeper.h): intrusion
 * where it was entered and where it was left, bounds of their errors, and what was timed before it,
 * in it before MPI was called, and after it. */
struct kept_call {
	int64_t entered, before, left, unsure, error, timed, inside, after;
};

struct history {
	VEC(struct happening) events;
	VEC(struct call_end) ends;
	VEC(struct kept_call) kept; /* of each call, if virtual time is kept */
	VEC(int32_t) sources;       /* of receives from anybody, in their order */
};

struct run {
	uint32_t ranks;
	struct history *of; /* [ranks] */
	VEC(struct round_trip) round_trips;
	VEC(struct blocked) blocked; /* nothing of it is written */
	int64_t end;                 /* the last event's time */
	uint64_t events, messages;
	uint64_t segments, left_out; /* between calls of MPI; of which without probes */
	uint64_t from_any, held;     /* receives from any source with control; of these held */
	int64_t held_for;            /* all together */
};

/* `follow` NULL: receives take what comes first. False where the program hangs, which is a bug of
 * it. */
bool engine_run(struct run *run, const struct settings *settings, bool measured,
		const struct run *follow);
void run_fini(struct run *run);
