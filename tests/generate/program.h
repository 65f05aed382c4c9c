/* program: a made-up MPI program whose run can be told event by event, of any size.
 *
 * A program is a function of its seed: what a rank does at a step, and when, follows from (seed,
 * rank, step) alone, its partners' times included. So every location is a stream of its own that
 * costs a few kilobytes, and the streams of all locations fit each other: no message is received
 * before it was sent, no collective ends before its last member came.
 *
 * The run has phases of three kinds that take turns: a stencil (Irecv, Isend, Waitall with two
 * neighbours), a sweep (Recv, kernel, Send along the rows of a grid, in the rows' communicators)
 * and a transpose (Alltoall in rows and columns, blocking pairs). Ranks differ in load, each phase
 * in a way of its own; now and then all meet in a collective of the world.
 *
 *	struct program p;
 *	program_init(&p, 42, 16, 1000000);
 *	struct stream *s = stream_new(&p, rank);
 *	while ((e = stream_next(s))) ...
 *
 * Times are nanoseconds from the start. Threads: streams are independent of each other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum region {
	REGION_MAIN,
	REGION_SET_UP,
	REGION_TIME_STEP,
	REGION_EXCHANGE,
	REGION_RELAX,
	REGION_KERNEL,
	REGION_RESIDUAL,
	REGION_SWEEP,
	REGION_TRANSPOSE,
	REGION_OUTPUT,
	REGION_INIT,
	REGION_FINALIZE,
	REGION_SPLIT,
	REGION_ISEND,
	REGION_IRECV,
	REGION_WAITALL,
	REGION_SEND,
	REGION_RECV,
	REGION_BARRIER,
	REGION_ALLREDUCE,
	REGION_ALLTOALL,
	REGION_BCAST,
	REGION_GATHER,
	REGIONS
};

enum role {
	ROLE_USER,
	ROLE_OTHER,
	ROLE_P2P,
	ROLE_BARRIER,
	ROLE_TO_ALL,
	ROLE_FROM_ROOT,
	ROLE_TO_ROOT
};

struct region_info {
	const char *name;
	enum role role;
	int line; /* of its definition, or of its call where it is MPI's */
	int type; /* event type in PICL */
};

extern const struct region_info region_info[REGIONS];
extern const char source_file[];

enum happening_kind {
	HAPPEN_ENTER,
	HAPPEN_LEAVE,
	HAPPEN_SEND,
	HAPPEN_RECV,
	HAPPEN_ISEND,
	HAPPEN_ISEND_DONE,
	HAPPEN_IRECV,      /* posted */
	HAPPEN_IRECV_DONE, /* received */
	HAPPEN_BEGIN,      /* of a collective */
	HAPPEN_END
};

/* What an event knows. Sends come at the time of the enter of their region, receives at that of its
 * leave; a collective lasts as long as its region. Enters of receives know what is asked for. */
struct happening {
	int64_t time;
	uint8_t kind;
	uint8_t region; /* the one entered or left, or of the collective */
	uint16_t tag;
	uint32_t comm;     /* 0 world, then rows, then columns */
	uint32_t partner;  /* world rank; of a collective: the root */
	uint32_t bytes;    /* of a message; sent into a collective */
	uint32_t received; /* from a collective */
	uint64_t request;  /* from 1 on each location */
};

struct program {
	uint64_t seed;
	uint32_t ranks, width, rows; /* a grid, its last row may be shorter */
	uint32_t phase;              /* steps of a phase */
	uint64_t steps;
	uint64_t events; /* of the whole run, as OTF2 counts them */
	int64_t end;     /* of the run, exclusive */
};

/* Plans a run of at least `events` events (and as few more as whole steps allow). Its cost is that
 * of the steps, without their events. */
void program_init(struct program *program, uint64_t seed, uint32_t ranks, uint64_t events);

uint32_t program_comm_count(const struct program *program);
/* Members of a communicator: `first`, and then every `stride`th, `size` of them. */
void program_comm(const struct program *program, uint32_t comm, uint32_t *first, uint32_t *stride,
		  uint32_t *size);

struct stream;

struct stream *stream_new(const struct program *program, uint32_t rank);
void stream_free(struct stream *stream);
/* The next event of the location, in order of time; NULL at the end. Valid until the next call. */
const struct happening *stream_next(struct stream *stream);
