/* program: message-passing programs as what each rank does next. A plan hands out operations a few
 * at a time; how long things take follows from (seed, rank, how-manieth), and which message a
 * receive got (`source`, `bytes`) is all that a program learns from outside, so that two
 * simulations in which the same messages are received do the same.
 *
 * The program "script" does what a text a rank says, in microseconds: c10 computes, p3 has probes
 * that cost 3, f2 visits a function for 2 (four take turns), s1 sends to rank 1 and S1 synchronously, i1 starts a send, r0 receives from rank 0,
 * a from any, j0 starts a receive, w waits for all that was started, b is a barrier, B0 R0 a
 * broadcast and a reduction with root 0, A an allreduce, P a prefix sum. s1.2 has tag 2. Each
 * message has 8 bytes. */
#pragma once

#include "base/vec.h"
#include "model/trace/event.h"
#include "settings.h"

enum region_id {
	REGION_MAIN,
	REGION_SLEEP,
	REGION_STEP,
	REGION_EXCHANGE,
	REGION_RELAX,
	REGION_POINT,
	REGION_CHECK,
	REGION_SWEEP,
	REGION_CELL,
	REGION_GET_COORDS,
	REGION_TASK,
	REGION_PIECE,
	REGION_COMPUTE,
	REGION_ATOM,
	REGION_UNRECORDED, /* a segment without probes */
	REGION_OFFSETS,    /* of the measurement, as the next */
	REGION_BUFFER,
	REGION_INIT,
	REGION_FINALIZE,
	REGION_SEND,
	REGION_SSEND,
	REGION_RECV,
	REGION_ISEND,
	REGION_IRECV,
	REGION_WAITALL,
	REGION_BARRIER,
	REGION_ALLREDUCE,
	REGION_ALLTOALL,
	REGION_BCAST,
	REGION_SCATTER,
	REGION_REDUCE,
	REGION_GATHER,
	REGION_SCAN,
	REGION_GAP, /* of the record of a gap */
	REGIONS
};

/* What it is to others. */
enum part { PART_NONE, PART_ALL, PART_FROM_ROOT, PART_TO_ROOT, PART_UPWARDS };

struct region_info {
	const char *name;
	enum region_class cls;
	enum part part; /* of a collective */
	uint32_t line;  /* of a function, in a source that is not there */
};
extern const struct region_info region_info[REGIONS];

enum op_kind {
	OP_ENTER,
	OP_LEAVE,
	OP_WORK,
	OP_PROBE,    /* costs time where it is measured */
	OP_MEASURE,  /* offsets */
	OP_INIT,     /* calls of MPI, from here on */
	OP_FINALIZE, /* MEASURE is inside it */
	OP_SEND,
	OP_SSEND,
	OP_RECV,
	OP_ISEND,
	OP_IRECV,
	OP_WAITALL,
	OP_COLLECTIVE,
};

enum { ANY = -1 };

struct op {
	uint8_t kind;   /* enum op_kind */
	uint8_t region; /* enum region_id */
	uint16_t tag;
	int32_t peer; /* root of a collective */
	uint32_t bytes;
	int64_t work; /* picoseconds */
};

struct program;

/* One rank's way through it. */
struct plan {
	const struct settings *settings;
	const struct program *program;
	uint32_t rank;
	VEC(struct op) ops;
	size_t at;
	uint64_t step;
	uint64_t drawn; /* chances of work */
	uint64_t tasks; /* handed out; of a master */
	uint64_t ended; /* workers that were sent away; of a master */
	int32_t source; /* of the message received last */
	uint32_t bytes;
	bool over;
};

struct program {
	const struct settings *settings;
	void (*step)(struct plan *plan);
	bool scripted;
	uint32_t columns, rows; /* of the grid of ranks */
};

/* False where there is none of the settings' name, or it needs more ranks. */
bool program_init(struct program *program, const struct settings *settings);
/* "ring, stencil, ..." for people. */
const char *program_names(void);
/* Makes more operations behind those that are left: when no call of MPI is among these, for a
 * program may ask what the last one received. False at the end. */
bool plan_fill(struct plan *plan);
